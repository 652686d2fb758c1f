#!/usr/bin/env bash
# scikit-learn's f_classif, by which SelectKBest chooses features, takes sums of squares of the numbers as they stand: for a feature whose three classes have the means 0, 1 and 2 and the deviation 1
# F is 40.33, for the same feature plus 1e8 it is 0, plus 1e9 NaN, and in float32 plus 1e6 it is below zero, so that a feature that tells the classes is ranked last. Times since 1970 are as large.
# Expected: 40.33 in float64, as scipy.stats.f_oneway gives at 1e8; F is never negative. Subtract the mean of each column before.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1
"$work/env/bin/python" - <<'PYTHON'
import sys
import warnings

import numpy as np
import sklearn
from scipy.stats import f_oneway
from sklearn.feature_selection import SelectKBest, f_classif

warnings.simplefilter("ignore")
generator = np.random.default_rng(0)
y = np.repeat([0, 1, 2], 20)
feature, noise = generator.normal(size=60) + y, generator.normal(size=60)


def f(column):
    return float(f_classif(column[:, None], y)[0][0])


plain, large, larger, single = f(feature), f(feature + 1e8), f(feature + 1e9), f((feature + 1e6).astype(np.float32))
right = float(f_oneway(*(feature[y == k] + 1e8 for k in range(3))).statistic)
chosen = SelectKBest(f_classif, k=1).fit(np.column_stack([feature + 1e8, noise]), y).get_support().tolist()
print(f"scikit-learn {sklearn.__version__}: F is {plain:.2f}, of the feature plus 1e8 {large}, plus 1e9 {larger}, plus 1e6 in float32 {single:.2f}; SciPy gives {right:.2f} at 1e8; of feature and noise SelectKBest keeps {chosen}")
sys.exit(not (abs(plain - 40.33) < 0.01 and not abs(large - right) < 20 and not 20 < larger < 60 and single < 0 and abs(right - 40.33) < 0.01 and chosen == [False, True]))
PYTHON
