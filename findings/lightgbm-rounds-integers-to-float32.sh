#!/usr/bin/env bash
# LightGBM rounds a matrix of integers to float32 before it looks at it: a feature that is 16777216 or 16777217 in int32, int64 or uint32 is a constant, and the model predicts 0.5 for both; with the same numbers in float64 it predicts 0 and 1.
# Floats keep their type, and thresholds are doubles. Times in seconds and identities are such integers, and neither training nor predict() warns.
# Expected: the same model from the same numbers. Convert integers to float64 before.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check lightgbm==4.7.0 numpy==2.4.6 scipy==1.17.1
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import lightgbm
import numpy as np

target = np.repeat([0.0, 1.0], 200)
settings = {"objective": "regression", "learning_rate": 1.0, "min_data_in_leaf": 1, "num_threads": 1, "verbose": -1}
got = {}
for dtype in (np.float64, np.int32, np.int64, np.uint32):
    feature = (2**24 + target).astype(dtype)[:, None]
    assert (feature[:, 0] - 2**24 == target).all()
    model = lightgbm.train(settings, lightgbm.Dataset(feature, target), 5)
    got[np.dtype(dtype).name] = model.predict(feature)[[0, -1]].round(3).tolist()
print(f"lightgbm {version('lightgbm')}: predictions for 16777216 and 16777217, trained to be 0 and 1, by the type of the matrix: {got}")
sys.exit(got != {"float64": [0, 1], "int32": [0.5, 0.5], "int64": [0.5, 0.5], "uint32": [0.5, 0.5]})
PYTHON
