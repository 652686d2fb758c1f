#!/usr/bin/env bash
# numbagg.group_nanvar of a thousand normal numbers around 1e8 is -16, and the standard deviation NaN; around 1e9 the variance is 3149. move_exp_nanvar of the same numbers ends with -4.2 and -1486. All are f64, and the variance is 1.
# Expected: 0.97, as numbagg.nanvar of the same numbers gives without groups, and numpy.var. Subtract the mean before.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numbagg==0.9.6 numba==0.68.1 numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
import sys
import warnings
from importlib.metadata import version

import numbagg
import numpy as np

warnings.simplefilter("ignore")
noise = np.random.default_rng(1).normal(size=1000)
one_group = np.zeros(1000, np.int64)
got = {}
for mean in (0.0, 1e8, 1e9):
    x = mean + noise
    group = [f(x, one_group)[0] for f in (numbagg.group_nanvar, numbagg.group_nanstd)]
    got[mean] = [round(float(v), 3) for v in (numbagg.nanvar(x), *group, numbagg.move_exp_nanvar(x, alpha=0.1)[-1])]
print(f"numbagg {version('numbagg')}: [nanvar, group_nanvar, group_nanstd, last of move_exp_nanvar] of normal numbers by their mean: {got}")
sound = all(abs(v[0] - 0.974) < 0.001 for v in got.values()) and abs(got[0.0][1] - 0.974) < 0.001
sys.exit(not (sound and got[1e8][1] < -1 and np.isnan(got[1e8][2]) and got[1e8][3] < -1 and got[1e9][1] > 1000 and got[1e9][3] < -1000))
PYTHON
