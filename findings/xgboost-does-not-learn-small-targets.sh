#!/usr/bin/env bash
# XGBoost makes no split whose gain is below 1e-6, an absolute amount in the unit of the loss, even where min_split_loss is 0: on 100 places whose target is 0 in the lower half and 1 in the upper, 50 trees of
# depth 2 fit to 1e-4; with the target in a unit a thousand times larger (0 and 1e-3) they miss by 9 percent of the step, and with 0 and 1e-6 all predictions are the mean.
# Expected: the same relative fit at any unit, as float32 holds 1e-6 to seven digits and the best split does not depend on the unit. Bring the target to a deviation near 1 before; returns of prices are this small.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: xgboost-cpu==3.2.0 numpy==2.4.6 scipy==1.17.1
"$work/env/bin/python" - <<'PYTHON'
import sys

import numpy as np
import xgboost

x = np.linspace(1, 2, 100)[:, None]
y = np.repeat([0.0, 1.0], 50)


def run(unit, method):
    data = xgboost.DMatrix(x, unit * y)
    model = xgboost.train({"max_depth": 2, "gamma": 0, "tree_method": method}, data, num_boost_round=50)
    made = model.predict(data)
    return float(np.abs(made / unit - y).max()), float(np.ptp(made))


seen = {method: [run(unit, method) for unit in (1, 1e-3, 1e-6)] for method in ("hist", "exact")}
for method, ((one, _), (thousandth, _), (millionth, spread)) in seen.items():
    print(f"xgboost {xgboost.__version__}, {method}: largest error relative to the step {one:.5f}, in 1e-3 {thousandth:.3f}, in 1e-6 {millionth:.3f}, where predictions differ by {spread}")
sys.exit(not all(r[0][0] < 1e-3 and r[1][0] > 0.05 and abs(r[2][0] - 0.5) < 1e-3 and r[2][1] == 0 for r in seen.values()))
PYTHON
