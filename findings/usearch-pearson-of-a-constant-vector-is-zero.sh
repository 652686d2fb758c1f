#!/usr/bin/env bash
# A usearch index with the metric "pearson" says that a constant vector is at the distance 0 from every vector, so that it is the nearest neighbour of all: to [1, 2, 3.5] the nearest of
# [7, 7, 7], [1, 2, 3] and [3, 2, 1] is the first, at 0, before the second, at 0.0066.
# The correlation with a constant is 0/0. Expected: 1, the distance where nothing is correlated, or NaN (SciPy). Empty or clipped records are constant vectors: leave them out.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 usearch==2.26.6
"$work/env/bin/python" - <<'PYTHON'
import sys
import warnings
from importlib.metadata import version

import numpy as np
from scipy.spatial.distance import correlation
from usearch.index import Index

warnings.simplefilter("ignore")
x = np.array([[7, 7, 7], [1, 2, 3], [3, 2, 1]], np.float32)
query = np.array([1, 2, 3.5], np.float32)
index = Index(ndim=3, metric="pearson", dtype="f32")
index.add(np.arange(3), x, threads=1)
found = index.search(query, 3)
print(f"usearch {version('usearch')}: nearest {found.keys.tolist()} at {found.distances.tolist()}; SciPy's distances of the three {[float(correlation(query, v)) for v in x]}")
sys.exit(not (found.keys.tolist() == [0, 1, 2] and found.distances[0] == 0 and 0.006 < found.distances[1] < 0.007))
PYTHON
