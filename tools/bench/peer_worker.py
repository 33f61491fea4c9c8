"""The lines that a worker of the benchmark speaks (tools/bench/worker.h), for workers in Python.

    def prepare(task): ...          # a Job, from the task that the benchmark sends
    serve("PyTorch", torch.__version__, "eager", prepare)
"""

import json
import os
import sys
import time

import numpy


class Job:
    """A workload that has been prepared."""

    parameters = 0

    def run(self, units):
        """Runs so many units; returns the milliseconds of each, and a loss or 0."""
        raise NotImplementedError


class UnitJob(Job):
    """A job whose units are timed one by one; unit() returns a loss or None."""

    def unit(self):
        raise NotImplementedError

    def run(self, units):
        unit_ms, loss = [], None
        for _ in range(units):
            start = time.perf_counter()
            loss = self.unit()
            unit_ms.append(1e3 * (time.perf_counter() - start))
        return unit_ms, loss or 0.0


def read_batches(task):
    """The task's batches as pairs of inputs and targets, int64 (B, T) each."""
    rows, length = task["batch"], task["model"]["context"]
    with open(task["batches"], "rb") as file:
        tokens = numpy.frombuffer(file.read(), dtype="<i4").astype(numpy.int64)
    batches = tokens.reshape(-1, rows, length + 1)
    return [(b[:, :-1].copy(), b[:, 1:].copy()) for b in batches]


def status_bytes(key):
    """A value of /proc/self/status: VmRSS is what is in memory, VmHWM the most that was."""
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith(key + ":"):
                return 1024 * int(line.split()[1])
    return 0


def reset_peak():
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        pass  # the peak is that of the whole process then


def serve(name, version, mode, prepare):
    # What libraries print must not get between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    job = None
    for line in iter(sys.stdin.readline, ""):
        command, _, rest = line.strip().partition(" ")
        if command == "exit":
            break
        try:
            if command == "prepare":
                idle = status_bytes("VmRSS")
                job = prepare(json.loads(rest))
                answer = {
                    "name": name,
                    "version": version,
                    "mode": mode,
                    "parameters": job.parameters,
                    "idle_bytes": idle,
                }
            elif command == "run":
                reset_peak()
                unit_ms, loss = job.run(int(rest))
                answer = {"unit_ms": unit_ms, "loss": loss, "peak_bytes": status_bytes("VmHWM")}
            else:
                raise ValueError(f"no request is called {command}")
            text = "ok " + json.dumps(answer)
        except Exception as error:  # whatever it is, the benchmark reports it and goes on
            lines = str(error).strip().splitlines() or [""]
            text = f"error {type(error).__name__}: {lines[0]}"
        print(text, file=answers, flush=True)
