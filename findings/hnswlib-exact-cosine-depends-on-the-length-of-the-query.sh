#!/usr/bin/env bash
# hnswlib's exact index, BFIndex, brings the stored vectors to length 1 in the space "cosine" and leaves the query as it is: the distance of [3, 0] to itself is -2, and of [0.5, 0] to [3, 0] it is 0.5.
# Its approximate index, Index, brings both to length 1. The order of one query's neighbours is right, so recall looks perfect;
# a threshold, a mean of distances or a merge of the answers of two queries is wrong.
# Expected: 0 for each, as Index gives: the cosine has nothing to do with lengths. Normalise the queries yourself. The wheels of chroma-hnswlib are taken here; hnswlib 0.8.0, which pip compiles, gives the same.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check chroma-hnswlib==0.7.6 numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import hnswlib
import numpy as np

stored = np.array([[3, 0], [3, 4], [0, 1]], np.float32)


def distances(kind, query):
    index = kind("cosine", 2)
    index.init_index(len(stored))
    index.add_items(stored)
    places, found = index.knn_query(np.array([query], np.float32), k=3)
    assert places[0].tolist() == [0, 1, 2]
    return found[0].tolist()


queries = [[3, 0], [1, 0], [0.5, 0]]
exact, near = ([distances(kind, query) for query in queries] for kind in (hnswlib.BFIndex, hnswlib.Index))
print(f"chroma-hnswlib {version('chroma-hnswlib')}: cosine distances of the queries {queries} to {stored.tolist()}: BFIndex {np.round(exact, 3).tolist()}, Index {np.round(near, 3).tolist()}")
sys.exit(not (np.allclose(exact, [[-2, -0.8, 1], [0, 0.4, 1], [0.5, 0.7, 1]], atol=1e-6) and np.allclose(near, [[0, 0.4, 1]] * 3, atol=1e-6)))
PYTHON
