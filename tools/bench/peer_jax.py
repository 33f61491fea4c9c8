"""JAX as a worker of the benchmark: the same architecture as Lemma's workloads, whole steps compiled."""

import functools
import math
import os

import numpy

THREADS = int(os.environ.get("OMP_NUM_THREADS", "1"))
# XLA takes as many threads as the process has processors.
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:THREADS])
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp

import peer_worker

LR, BETA1, BETA2, EPS, DECAY, MAX_NORM = 3e-4, 0.9, 0.99, 1e-8, 0.1, 1.0


def init(config, key):
    """Parameters by name; matrices are (in, out)."""
    c, layers, vocab = config["width"], config["layers"], config["vocab"]
    if config["tied_head"] or config["dropout"] > 0 or not config["bias"] or not config["norm_bias"]:
        raise ValueError("this program has only the course's architecture")
    if config["qkv_bias"] or config["head_bias"] or config["gelu_tanh"]:
        raise ValueError("this program has only the course's architecture")
    keys = iter(jax.random.split(key, 8 * layers + 8))

    def uniform(*shape, fan_in):
        bound = 1 / math.sqrt(fan_in)
        return jax.random.uniform(next(keys), shape, minval=-bound, maxval=bound)

    def normal(*shape, std=1.0):
        return std * jax.random.normal(next(keys), shape)

    def norm():
        return {"weight": jnp.ones(c), "bias": jnp.zeros(c)}

    std = 0.02 / math.sqrt(2 * layers)
    blocks = [
        {
            "ln1": norm(),
            "qkv": uniform(c, 3 * c, fan_in=c),
            "proj": normal(c, c, std=std),
            "proj_bias": uniform(c, fan_in=c),
            "ln2": norm(),
            "fc": uniform(c, 4 * c, fan_in=c),
            "fc_bias": uniform(4 * c, fan_in=c),
            "out": normal(4 * c, c, std=std),
            "out_bias": uniform(c, fan_in=4 * c),
        }
        for _ in range(layers)
    ]
    return {
        "tok": normal(vocab, c),
        "pos": normal(config["context"], c),
        "blocks": blocks,
        "lnf": norm(),
        "head": uniform(c, vocab, fan_in=c),
    }


def layer_norm(p, x):
    mean = x.mean(-1, keepdims=True)
    centred = x - mean
    variance = (centred * centred).mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt(variance + 1e-5) * p["weight"] + p["bias"]


def split(p, x, heads):
    """q, k and v of the normalised stream, (B, H, T, D) each."""
    b, t, c = x.shape
    qkv = (layer_norm(p["ln1"], x) @ p["qkv"]).reshape(b, t, 3, heads, c // heads)
    return jnp.moveaxis(qkv, (2, 3), (0, 2))


def attend(q, k, v, mask):
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(q.shape[-1])
    weights = jax.nn.softmax(jnp.where(mask, scores, -jnp.inf), axis=-1)
    return jnp.einsum("bhqk,bhkd->bqhd", weights, v)


def join(p, x, attended):
    x = x + attended.reshape(x.shape) @ p["proj"] + p["proj_bias"]
    inner = layer_norm(p["ln2"], x) @ p["fc"] + p["fc_bias"]
    return x + jax.nn.gelu(inner, approximate=False) @ p["out"] + p["out_bias"]


def hidden(params, tokens, heads):
    t = tokens.shape[1]
    x = params["tok"][tokens] + params["pos"][:t]
    mask = jnp.tril(jnp.ones((t, t), bool))
    for p in params["blocks"]:
        q, k, v = split(p, x, heads)
        x = join(p, x, attend(q, k, v, mask))
    return layer_norm(params["lnf"], x)


def loss_of(params, tokens, targets, heads):
    logits = hidden(params, tokens, heads) @ params["head"]
    chosen = jnp.take_along_axis(logits, targets[..., None], axis=-1)[..., 0]
    return (jax.nn.logsumexp(logits, axis=-1) - chosen).mean()


@functools.partial(jax.jit, static_argnames="heads", donate_argnames=("params", "m", "v"))
def train_step(params, m, v, step, tokens, targets, heads):
    loss, grads = jax.value_and_grad(loss_of)(params, tokens, targets, heads)
    norm = jnp.sqrt(sum(jnp.vdot(g, g) for g in jax.tree.leaves(grads)))
    scale = jnp.minimum(1.0, MAX_NORM / (norm + 1e-6))
    correction1, correction2 = 1 - BETA1**step, 1 - BETA2**step

    def update(p, g, m, v):
        g = g * scale
        m = m + (g - m) * (1 - BETA1)
        v = v * BETA2 + (1 - BETA2) * g * g
        p = p * (1 - LR * (DECAY if p.ndim >= 2 else 0.0))
        p = p - LR / correction1 * m / (jnp.sqrt(v) / jnp.sqrt(correction2) + EPS)
        return p, m, v

    updated = jax.tree.map(update, params, grads, m, v)
    is_triple = lambda node: isinstance(node, tuple)
    params, m, v = (
        jax.tree.map(lambda node, i=i: node[i], updated, is_leaf=is_triple) for i in range(3)
    )
    return params, m, v, loss


@functools.partial(jax.jit, static_argnames="heads", donate_argnames="caches")
def decode_step(params, caches, token, position, key, heads):
    x = params["tok"][token][None, None] + params["pos"][position][None, None]
    mask = jnp.arange(params["pos"].shape[0]) <= position
    updated = []
    for p, (keys, values) in zip(params["blocks"], caches):
        q, k, v = split(p, x, heads)
        keys = jax.lax.dynamic_update_slice(keys, k, (0, 0, position, 0))
        values = jax.lax.dynamic_update_slice(values, v, (0, 0, position, 0))
        updated.append((keys, values))
        x = join(p, x, attend(q, keys, values, mask))
    logits = layer_norm(params["lnf"], x)[0, -1] @ params["head"]
    key, draw = jax.random.split(key)
    return updated, jax.random.categorical(draw, logits), key


@functools.partial(jax.jit, static_argnames="heads")
def past_step(params, text, key, heads):
    logits = hidden(params, text, heads)[0, -1] @ params["head"]
    key, draw = jax.random.split(key)
    token = jax.random.categorical(draw, logits)
    return jnp.concatenate([text[:, 1:], token[None, None]], axis=1), token, key


class GptJob(peer_worker.UnitJob):
    def __init__(self, task):
        self.config = task["model"]
        self.heads = self.config["heads"]
        self.key = jax.random.key(1337)
        self.params = init(self.config, self.key)
        self.parameters = sum(int(p.size) for p in jax.tree.leaves(self.params))


class Training(GptJob):
    def __init__(self, task):
        super().__init__(task)
        self.m = jax.tree.map(jnp.zeros_like, self.params)
        self.v = jax.tree.map(jnp.zeros_like, self.params)
        self.steps = 0
        self.batches = [
            (x.astype(numpy.int32), y.astype(numpy.int32))
            for x, y in peer_worker.read_batches(task)
        ]

    def unit(self):
        tokens, targets = self.batches[self.steps % len(self.batches)]
        self.steps += 1
        self.params, self.m, self.v, loss = train_step(
            self.params, self.m, self.v, float(self.steps), tokens, targets, heads=self.heads
        )
        jax.block_until_ready(self.params)
        return float(loss)


class Sampling(GptJob):
    def unit(self):
        context, width = self.config["context"], self.config["width"]
        shape = (1, self.heads, context, width // self.heads)
        caches = [(jnp.zeros(shape), jnp.zeros(shape)) for _ in self.params["blocks"]]
        token = 0
        for position in range(context):
            caches, drawn, self.key = decode_step(
                self.params, caches, token, position, self.key, heads=self.heads
            )
            token = int(drawn)


class SamplingPast(GptJob):
    def __init__(self, task):
        super().__init__(task)
        self.text = jnp.zeros((1, self.config["context"]), jnp.int32)

    def unit(self):
        self.text, token, self.key = past_step(self.params, self.text, self.key, heads=self.heads)
        int(token)


JOBS = {"train": Training, "sample": Sampling, "sample-past": SamplingPast}


def prepare(task):
    if task["precision"] != "f32":
        raise ValueError("this program computes in float32 alone")
    if task["threads"] != THREADS:
        raise ValueError(f"it was started for {THREADS} threads, not {task['threads']}")
    return JOBS[task["kind"]](task)


if __name__ == "__main__":
    jax.block_until_ready(jnp.zeros(1))  # starts its threads
    peer_worker.serve("JAX", jax.__version__, "jit", prepare)
