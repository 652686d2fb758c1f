#!/usr/bin/env bash
# In the space cosinesimil of nmslib a vector with a NaN or an infinity in it is at the distance 0 from every vector, and so the first neighbour of every query, by brute force and by hnsw alike. In l2, l1 and negdotprod its distance is NaN.
# The ratio is cut to 1 from above by a minimum that takes NaN for larger, and 1 - 1 is 0. One broken embedding answers all queries, with a perfect score.
# Expected: NaN, or the last place. Drop such vectors before they are added.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check nmslib==2.1.2 numpy==2.4.6 psutil==7.2.2
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import nmslib
import numpy as np

random = np.random.default_rng(0)
got = {}
for bad in (np.nan, np.inf):
    vectors = random.normal(size=(50, 17)).astype(np.float32)
    vectors[7, 1] = bad
    queries = random.normal(size=(30, 17)).astype(np.float32)
    for space in ("cosinesimil", "l2"):
        for method in ("brute_force", "hnsw") if space == "cosinesimil" else ("brute_force",):
            index = nmslib.init(method=method, space=space)
            index.addDataPointBatch(vectors)
            index.createIndex(print_progress=False)
            answers = [index.knnQuery(query, k=3) for query in queries]
            first = sum(int(places[0] == 7 and distances[0] == 0) for places, distances in answers)
            got[str(bad), space, method] = [first, index.getDistance(0, 7)]
print(f"nmslib {version('nmslib')}: [queries of 30 whose first neighbour is the vector with NaN or infinity at the distance 0, distance of that vector from another]: {got}")
sys.exit(not all((value == [30, 0]) if space == "cosinesimil" else (value[0] == 0 and not np.isfinite(value[1])) for (_, space, _), value in got.items()))
PYTHON
