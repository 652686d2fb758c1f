#!/usr/bin/env bash
# polars_ds.weighted_hmean does not look at the numbers: the weighted harmonic mean of 1, 2 and 4 with the weights 1, 1 and 2 is 1.333, and that of 10, 20 and 40 is 1.333 too. It is the mean of the weights.
# With is_normalized=True it is one over the count, 0.333. hmean without weights is right.
# Expected: 2 and 20, the sum of the weights over the sum of weight by number.
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

got = {}
for numbers in ([1.0, 2.0, 4.0], [10.0, 20.0, 40.0]):
    frame = polars.DataFrame({"x": numbers, "w": [1.0, 1.0, 2.0]})
    plain, normalized, unweighted = frame.select(
        a=polars_ds.weighted_hmean("x", "w"), b=polars_ds.weighted_hmean("x", polars.col("w") / 4, is_normalized=True), c=polars_ds.hmean("x")
    ).row(0)
    got[tuple(numbers)] = [plain, normalized, unweighted, 4 / sum(w / x for w, x in zip([1, 1, 2], numbers))]
print(f"polars_ds {version('polars_ds')}: [weighted harmonic mean, with normalized weights, without weights, expected] by numbers: {got}")
bad = np.allclose([x[:2] for x in got.values()], [4 / 3, 1 / 3])
sys.exit(not (bad and np.allclose([x[2] for x in got.values()], [12 / 7, 120 / 7]) and [x[3] for x in got.values()] == [2, 20]))
PYTHON
