#!/usr/bin/env bash
# voyager (an HNSW index) does not find a stored vector by the vector itself once a dozen equal vectors were added before it: of twelve zero vectors and [1, 1] the
# nearest to [1, 1] is a zero vector, at the distance 2. With eleven zero vectors it is [1, 1], at 0.
# The default search keeps ten candidates; ten equal vectors fill them, and no equally distant one that leads on replaces them. Zero vectors of missing data do this in practice.
# Expected: the exact answer in so small a set. Store equal vectors once, or give query_ef of at least the number of equal ones.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 voyager==2.2.3
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from voyager import Index, Space


def distance(zeros, **options):
    index = Index(Space.Euclidean, num_dimensions=2)
    index.add_items(np.array([[0, 0]] * zeros + [[1, 1]], np.float32), num_threads=1)
    return float(index.query(np.array([1, 1], np.float32), 1, **options)[1][0])


found = [distance(11), distance(12), distance(100), distance(100, query_ef=101)]
print(f"voyager {version('voyager')}: distance of [1, 1] to its nearest after 11, 12 and 100 zero vectors {found[:3]}, after 100 with query_ef=101 {found[3]}")
sys.exit(found != [0, 2, 2, 0])
PYTHON
