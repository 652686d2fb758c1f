#!/usr/bin/env bash
# polars_ds.cosine_sim gives numbers above one: the cosine similarity of (1, 2, 3) with itself is 3.74, and that of (10, 0) with itself is 10. It is the cosine times the root of the product of the two lengths.
# polars_ds.weighted_cosine_sim with weights of one is right.
# Expected: 1 for vectors of one direction, whatever their lengths.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 polars==1.44.2 polars-ds==0.13.0
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import polars
import polars_ds

got = []
for x, y in (([1, 2, 3], [1, 2, 3]), ([10, 0], [10, 0]), ([1, 0], [3, 4]), ([1, 0], [0, 1])):
    frame = polars.DataFrame({"x": x, "y": y, "w": np.ones(len(x))}).cast(polars.Float64)
    got.append(frame.select(a=polars_ds.cosine_sim("x", "y"), b=polars_ds.weighted_cosine_sim("x", "y", "w")).row(0))
print(f"polars_ds {version('polars_ds')}: (cosine_sim, weighted_cosine_sim) of four pairs: {got}")
sys.exit(not np.allclose(got, [(14**0.5, 1), (10, 1), (0.6 * 5**0.5, 0.6), (0, 0)]))
PYTHON
