#!/usr/bin/env bash
# scipy.io.mmwrite writes a long double with six digits after the point and no exponent, where it writes a double so
# that it reads back exactly: the more precise type loses ten digits, and 1e-7 becomes 0.
# Expected: at least as many digits as for float64. Convert to float64 first.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1
"$work/env/bin/python" - <<'PYTHON'
import io
import sys

import numpy as np
import scipy


def written(value, kind):
    file = io.BytesIO()
    scipy.io.mmwrite(file, np.array([[value, 0], [1, value]], kind))
    return file.getvalue().decode().split("\n")[3]


kinds = [written(1 / 3, t) for t in (np.float32, np.float64, np.longdouble)]
tiny = written(1e-7, np.longdouble)
print(f"scipy {scipy.__version__}: 1/3 as float32, float64, longdouble: {kinds}; 1e-7 as longdouble: {tiny}")
sys.exit(not (kinds[2] == "0.333333" and float(kinds[1]) == 1 / 3 and float(tiny) == 0))
PYTHON
