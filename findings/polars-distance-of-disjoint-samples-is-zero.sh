#!/usr/bin/env bash
# polars-distance says that two samples without a species in common are the same: the Bray-Curtis distance of (10, 0, 0) and (0, 3, 7) is 0. That of (10, 0, 0) and (1, 3, 6) is 0.9, which is right.
# Every distance that should be 1 or more is 0, also where numbers are negative.
# Expected: 1, the greatest distance of counts, as scipy.spatial.distance.braycurtis gives.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 polars==1.44.2 polars-distance==0.5.3
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import polars
import polars_distance
import scipy.spatial.distance

pairs = [([10, 0, 0], [0, 3, 7]), ([10, 0, 0], [1, 3, 6]), ([0, 0, 5], [5, 0, 0]), ([1, 2, 3], [1, 2, 3]), ([-3, 1, 4], [3, 1, 4])]
kind = polars.Array(polars.Float64, 3)
frame = polars.DataFrame({"a": polars.Series([a for a, _ in pairs], dtype=kind), "b": polars.Series([b for _, b in pairs], dtype=kind)})
got = frame.select(polars_distance.col("a").dist_arr.bray_curtis("b"))["a"].to_list()
expected = [float(scipy.spatial.distance.braycurtis(a, b)) for a, b in pairs]
print(f"polars-distance {version('polars-distance')}: Bray-Curtis distances of {pairs}: {got}, by SciPy {expected}")
sys.exit(not (np.allclose(got, [0, 0.9, 0, 0, 0.6]) and np.allclose(expected, [1, 0.9, 1, 0, 0.6])))
PYTHON
