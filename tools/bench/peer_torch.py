"""PyTorch as a worker of the benchmark: peer_torch.py eager|compiled.

The same architecture as Lemma's workloads, written as one would for speed: one product for q, k and v,
scaled_dot_product_attention, the fused AdamW, and under `compiled` torch.compile.
"""

import contextlib
import math
import os
import sys
import time

# Else it starts a process for each core, which are counted in no memory and idle in no time.
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")

import torch
import torch.nn as nn
import torch.nn.functional as F

import peer_worker

COMPILED = sys.argv[1:] == ["compiled"]
GROUPS = 10


def compiled(fn):
    return torch.compile(fn) if COMPILED else fn


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        c, bias = config["width"], config["bias"]
        self.heads = config["heads"]
        self.ln1 = nn.LayerNorm(c, bias=config["norm_bias"])
        self.qkv = nn.Linear(c, 3 * c, bias=config["qkv_bias"])
        self.proj = nn.Linear(c, c, bias=bias)
        self.ln2 = nn.LayerNorm(c, bias=config["norm_bias"])
        self.fc = nn.Linear(c, 4 * c, bias=bias)
        self.out = nn.Linear(4 * c, c, bias=bias)
        self.approximate = "tanh" if config["gelu_tanh"] else "none"

    def split(self, x):
        """q, k and v of the normalised stream, (B, H, T, D) each."""
        b, t, c = x.shape
        qkv = self.qkv(self.ln1(x)).view(b, t, 3, self.heads, c // self.heads)
        return qkv.permute(2, 0, 3, 1, 4).unbind(0)

    def join(self, x, attended):
        b, t, c = x.shape
        x = x + self.proj(attended.transpose(1, 2).reshape(b, t, c))
        return x + self.out(F.gelu(self.fc(self.ln2(x)), approximate=self.approximate))

    def forward(self, x):
        q, k, v = self.split(x)
        return self.join(x, F.scaled_dot_product_attention(q, k, v, is_causal=True))


class Gpt(nn.Module):
    def __init__(self, config):
        super().__init__()
        if config["tied_head"] or config["dropout"] > 0:
            raise ValueError("this program has no tied head and no dropout")
        c = config["width"]
        self.context = config["context"]
        self.tok = nn.Embedding(config["vocab"], c)
        self.pos = nn.Embedding(config["context"], c)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config["layers"]))
        self.lnf = nn.LayerNorm(c, bias=config["norm_bias"])
        self.head = nn.Linear(c, config["vocab"], bias=config["head_bias"])
        for block in self.blocks:
            for layer in (block.proj, block.out):
                nn.init.normal_(layer.weight, std=0.02 / math.sqrt(2 * config["layers"]))

    def hidden(self, tokens):
        x = self.tok(tokens) + self.pos.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.lnf(x)

    def forward(self, tokens, targets):
        logits = self.head(self.hidden(tokens))
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    def next_logits(self, tokens):
        """The logits after the last token, (V)."""
        return self.head(self.hidden(tokens)[0, -1])


def autocast(task):
    """For a model's forward: products in bfloat16, where the task asks for it."""
    if task["precision"] == "bf16":
        return torch.autocast("cpu", dtype=torch.bfloat16)
    return contextlib.nullcontext()


class Training(peer_worker.UnitJob):
    def __init__(self, task):
        self.task = task
        self.model = Gpt(task["model"])
        self.parameters = sum(p.numel() for p in self.model.parameters())
        self.loss = compiled(self.model)
        matrices = [p for p in self.model.parameters() if p.dim() >= 2]
        vectors = [p for p in self.model.parameters() if p.dim() < 2]
        self.optimizer = torch.optim.AdamW(
            [{"params": matrices}, {"params": vectors, "weight_decay": 0.0}],
            lr=3e-4,
            betas=(0.9, 0.99),
            weight_decay=0.1,
            fused=True,
        )
        self.batches = [
            (torch.from_numpy(x), torch.from_numpy(y)) for x, y in peer_worker.read_batches(task)
        ]
        self.next_batch = 0

    def unit(self):
        tokens, targets = self.batches[self.next_batch]
        self.next_batch = (self.next_batch + 1) % len(self.batches)
        self.optimizer.zero_grad(set_to_none=True)
        with autocast(self.task):
            loss = self.loss(tokens, targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return loss.item()


def draw(logits):
    return torch.multinomial(F.softmax(logits.float(), dim=-1), 1)


class Sampling(peer_worker.UnitJob):
    """A window of T tokens, one at a time, with a cache of all keys and values."""

    def __init__(self, task):
        self.task = task
        self.model = Gpt(task["model"]).eval()
        self.parameters = sum(p.numel() for p in self.model.parameters())
        config = task["model"]
        shape = (1, config["heads"], config["context"], config["width"] // config["heads"])
        self.caches = [(torch.zeros(shape), torch.zeros(shape)) for _ in self.model.blocks]
        if task["precision"] == "bf16":
            self.caches = [(k.bfloat16(), v.bfloat16()) for k, v in self.caches]
        self.step = torch.compile(self.fixed_step) if COMPILED else self.growing_step

    def growing_step(self, token, position):
        """The logits after `token`; attention reads the positions that there are."""
        model = self.model
        x = model.tok(token) + model.pos.weight[position]
        for block, (keys, values) in zip(model.blocks, self.caches):
            q, k, v = block.split(x)
            keys[:, :, position : position + 1] = k
            values[:, :, position : position + 1] = v
            seen = keys[:, :, : position + 1], values[:, :, : position + 1]
            x = block.join(x, F.scaled_dot_product_attention(q, *seen))
        return model.head(model.lnf(x))[0, -1]

    def fixed_step(self, token, position):
        """The same with shapes that never change, since each would be compiled anew."""
        model = self.model
        x = model.tok(token) + model.pos(position)
        mask = torch.arange(model.context) <= position
        for block, (keys, values) in zip(model.blocks, self.caches):
            q, k, v = block.split(x)
            keys.index_copy_(2, position, k.to(keys.dtype))
            values.index_copy_(2, position, v.to(values.dtype))
            x = block.join(x, F.scaled_dot_product_attention(q, keys, values, attn_mask=mask[None]))
        return model.head(model.lnf(x))[0, -1]

    @torch.inference_mode()
    def unit(self):
        token = torch.zeros(1, 1, dtype=torch.int64)
        for position in range(self.model.context):
            with autocast(self.task):
                at = torch.tensor([position]) if COMPILED else position
                token = draw(self.step(token, at)).view(1, 1)
            token.item()


class SamplingPast(peer_worker.UnitJob):
    """One token of a text longer than the context: the window is computed anew."""

    def __init__(self, task):
        self.task = task
        self.model = Gpt(task["model"]).eval()
        self.parameters = sum(p.numel() for p in self.model.parameters())
        self.next_logits = compiled(self.model.next_logits)
        self.text = torch.zeros(1, self.model.context, dtype=torch.int64)

    @torch.inference_mode()
    def unit(self):
        with autocast(self.task):
            token = draw(self.next_logits(self.text))
        token.item()
        self.text = torch.cat([self.text[:, 1:], token.view(1, 1)], dim=1)


class SmallOp(peer_worker.Job):
    def __init__(self, task):
        needs_grad = task["workload"] != "add"
        self.a = torch.ones(16, requires_grad=needs_grad)
        self.b = torch.ones(16, requires_grad=needs_grad)
        self.gradient = torch.ones(16)
        self.backward = task["workload"] == "add-backward"

    def add(self, count):
        a, b = self.a, self.b
        for _ in range(count):
            a + b

    def add_backward(self, count):
        a, b, gradient = self.a, self.b, self.gradient
        for _ in range(count):
            (a + b).backward(gradient)
            a.grad = b.grad = None

    def run(self, units):
        loop = self.add_backward if self.backward else self.add
        count = max(units // GROUPS, 1)
        unit_ms = []
        for _ in range(GROUPS):
            start = time.perf_counter()
            loop(count)
            unit_ms.append(1e3 * (time.perf_counter() - start) / count)
        return unit_ms, 0.0


JOBS = {"train": Training, "sample": Sampling, "sample-past": SamplingPast, "small-op": SmallOp}


def prepare(task):
    torch.set_num_threads(task["threads"])
    torch.manual_seed(1337)
    return JOBS[task["kind"]](task)


if __name__ == "__main__":
    peer_worker.serve(
        "PyTorch", torch.__version__, "compiled" if COMPILED else "eager", prepare
    )
