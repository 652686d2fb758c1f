#!/usr/bin/env bash
# The anomaly correlation coefficient of HydroErr does not reach 1 for equal series: acc of five numbers with themselves is 0.8, of two 0.5 and of a hundred 0.99. The documentation gives the range -1 to 1, with 1 for perfect correlation.
# The products are divided by the count and the standard deviations by one less. pearson_r of the same library is 1.
# Expected: 1, whatever the length.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.3.5 HydroErr==2.0.0
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import HydroErr
import numpy as np

got = {}
for count in (2, 5, 100):
    series = np.arange(1.0, count + 1) ** 2
    got[count] = (float(HydroErr.acc(series, series)), float(HydroErr.pearson_r(series, series)))
print(f"HydroErr {version('HydroErr')}: (acc, pearson_r) of a series with itself, by length: {got}")
sys.exit(not all(np.allclose(value, [1 - 1 / count, 1]) for count, value in got.items()))
PYTHON
