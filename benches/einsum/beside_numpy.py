#!/usr/bin/env python3
"""Times numpy's `einsum(…, optimize=path)`, its path planned ahead, on the contractions of a table that this package's bench wrote, and
prints how many times as fast ours was. One thread: set OPENBLAS_NUM_THREADS=1.

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


print(f"numpy {np.__version__}")
for row in csv.DictReader(open(sys.argv[1])):
    if row["contender"] != "fulmen":
        continue
    sizes = {s[0]: int(s[1:]) for s in row["size"].split()}
    terms = row["op"].split("->")[0].split()
    kind = {"f32": np.float32, "f64": np.float64}[row["type"]]
    operands = [(np.random.rand(*(sizes[c] for c in term)) - 0.5).astype(kind) for term in terms]
    text = row["op"].replace(" ", ",")
    path = np.einsum_path(text, *operands, optimize="optimal")[0]
    theirs = nanoseconds(lambda: np.einsum(text, *operands, optimize=path))
    print(f"{row['type']} {text:28} {row['size']:36} numpy {theirs:12.0f} ns, fulmen {float(row['ns']):12.0f} ns: {theirs / float(row['ns']):.2f}", flush=True)
