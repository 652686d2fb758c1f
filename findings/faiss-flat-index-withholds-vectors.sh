#!/usr/bin/env bash
# faiss's exact index by inner product returns fewer than k vectors though it holds k: one whose product with the query is -infinity, or below -3.4e38, is never
# a result; its place holds the number -1 and the score -3.4e38, the value that the heap begins with. The distances of L2 behave alike at +infinity.
# Expected: every vector of the index, as it has no more than k. Whoever indexes labels by the result takes the last one for -1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 faiss-cpu==1.15.1
"$work/env/bin/python" - <<'PYTHON'
import sys

import faiss
import numpy as np

product = faiss.IndexFlatIP(1)
product.add(np.array([[1], [-3e38], [3e38]], np.float32))
_, near = product.search(np.array([[2]], np.float32), 3)
distance = faiss.IndexFlatL2(1)
distance.add(np.array([[1], [1e20], [2]], np.float32))
_, far = distance.search(np.array([[0]], np.float32), 3)
print(f"faiss {faiss.__version__}: three of three vectors by inner product {near[0].tolist()}, by distance {far[0].tolist()}")
sys.exit(not (-1 in near[0] and -1 in far[0]))
PYTHON
