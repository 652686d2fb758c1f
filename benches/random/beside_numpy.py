#!/usr/bin/env python3
"""Times numpy's generators on the cases of a table that this package's bench wrote, in turn and not interleaved, and prints how many
times as fast ours was as the fastest of them. Numbers go to an array that is there, where numpy has a way to.

  beside_numpy.py TABLE.csv
"""

import csv
import sys
import time

import numpy as np


def nanoseconds(run) -> float:
    """The median of many samples of this thread's time."""
    reps = 1
    while True:
        began = time.thread_time_ns()
        for _ in range(reps):
            run()
        took = time.thread_time_ns() - began
        if took > 1e6:
            break
        reps *= 2
    samples = []
    for _ in range(31):
        began = time.thread_time_ns()
        for _ in range(reps):
            run()
        samples.append((time.thread_time_ns() - began) / reps)
    return sorted(samples)[len(samples) // 2]


def calls(op: str, ty: str, n: int, rng):
    """What numpy has for an op."""
    if ty in ("f32", "f64"):
        out = np.empty(n, {"f32": np.float32, "f64": np.float64}[ty])
        fill = {"uniform": rng.random, "normal": rng.standard_normal, "exponential": rng.standard_exponential}[op]
        return lambda: fill(dtype=out.dtype, out=out)
    x = np.zeros(n, np.uint32)
    return {
        "random_bits": lambda: rng.integers(0, 2**32, n, np.uint32),
        "integers": lambda: rng.integers(0, 99, n, np.uint32, endpoint=True),
        "bernoulli": lambda: rng.random(n, np.float32) < 0.3,
        "shuffle": lambda: rng.shuffle(x),
    }[op]


print(f"numpy {np.__version__}")
for row in csv.DictReader(open(sys.argv[1])):
    if row["contender"] != "fulmen":
        continue
    times = {}
    for bits in (np.random.Philox, np.random.PCG64, np.random.SFC64):
        times[bits.__name__] = nanoseconds(calls(row["op"], row["type"], int(row["size"]), np.random.Generator(bits(42))))
    ours = float(row["ns"])
    text = ", ".join(f"{name} {ns:.0f} ns" for name, ns in times.items())
    print(f"{row['op']:12} {row['type']} {row['size']:>9} {text}, fulmen {ours:.0f} ns: {min(times.values()) / ours:.2f}", flush=True)
