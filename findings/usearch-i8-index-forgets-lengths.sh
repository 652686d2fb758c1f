#!/usr/bin/env bash
# A usearch index with dtype "i8" and the metric "l2sq" or "ip" stores each vector of floats divided by its own length (times 127): [3, 4] and [0.3, 0.4] are both stored
# as [76, 101], at the distance 0, so that the nearest neighbour by Euclidean distance is a wrong one. "f16" and "bf16" keep the lengths. A vector of int8 is kept, too.
# Expected: one scale for all vectors, a clipped range or an error, as the lengths belong to both metrics. Only "cos" is right with it: for the others scale all
# vectors by one factor, round to int8 yourself and add them as int8.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 usearch==2.26.6
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from usearch.index import Index

x = np.array([[0.5, 0.5], [0.3, 0.4], [0.03, 0.04]], np.float32)
query = np.array([0.6, 0.6], np.float32) / 10


def order(dtype, metric):
    index = Index(ndim=2, metric=metric, dtype=dtype)
    index.add(np.arange(3), x, threads=1)
    return index.search(query, 3).keys.tolist(), np.array([index.get(k) for k in range(3)]).reshape(3, 2).tolist()


(near, _), (near8, codes), (dot, _), (dot8, _) = (order(d, m) for m in ("l2sq", "ip") for d in ("f16", "i8"))
print(f"usearch {version('usearch')}: by distance f16 {near}, i8 {near8} with the codes {codes}; by product f16 {dot}, i8 {dot8}")
sys.exit(not (near == [2, 1, 0] and near8[0] == 0 and codes[1] == codes[2] == [76, 101]))
PYTHON
