#!/usr/bin/env bash
# SimpleITK's MinimumMaximumImageFilter looks at pixels in pairs: of [NaN, 1, 3, 2] the minimum is 2, as the 1 beside NaN is dropped with it; of [1, NaN, 3, 2] it is 1. StatisticsImageFilter gives 1 for both.
# Expected: 1 or NaN for both.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 simpleitk==2.5.7
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import SimpleITK


def minimum(measure, values):
    measure.Execute(SimpleITK.GetImageFromArray(np.array([values])))
    return measure.GetMinimum()


nan = float("nan")
first, second = (minimum(SimpleITK.MinimumMaximumImageFilter(), x) for x in ([nan, 1, 3, 2], [1, nan, 3, 2]))
other = minimum(SimpleITK.StatisticsImageFilter(), [nan, 1, 3, 2])
print(f"SimpleITK {version('simpleitk')}: minimum of [nan, 1, 3, 2] {first}, of [1, nan, 3, 2] {second}; by StatisticsImageFilter {other} for the first")
sys.exit(not (first == 2 and second == 1 and other == 1))
PYTHON
