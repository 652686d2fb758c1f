#!/usr/bin/env bash
# scikit-learn's trees and forests take two values of a feature for equal where they lie within 1e-7, whatever their scale: a decision tree, a random forest and gradient boosting on 100 capacities
# between 1e-12 and 2e-12, of which the lower half is class 0 and the upper half class 1, make no split and classify half of them right. In picofarads the same numbers give no error.
# Expected: all right at any unit, as HistGradientBoostingClassifier finds and as a tree looks only at the order of values. float32, to which the trees convert, holds 1e-12 to seven digits. Rescale the columns.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1
"$work/env/bin/python" - <<'PYTHON'
import sys

import numpy as np
import sklearn
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

x = np.linspace(1, 2, 100)[:, None]
y = np.repeat([0, 1], 50)
models = [DecisionTreeClassifier(), RandomForestClassifier(5), GradientBoostingClassifier(n_estimators=5), HistGradientBoostingClassifier(max_iter=5)]
rows = {unit: [float(model.fit(unit * x, y).score(unit * x, y)) for model in models] for unit in (1.0, 1e-12)}
for unit, row in rows.items():
    print(f"scikit-learn {sklearn.__version__}, values from {unit} to {2 * unit}: right are {row} (tree, forest, gradient boosting, histogram gradient boosting)")
sys.exit(not (rows[1.0] == [1, 1, 1, 1] and rows[1e-12] == [0.5, 0.5, 0.5, 1]))
PYTHON
