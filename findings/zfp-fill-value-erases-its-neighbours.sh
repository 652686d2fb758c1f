#!/usr/bin/env bash
# zfp's mode of fixed accuracy does not keep its tolerance in a block of 4 (in planes 4 by 4) that holds a number far larger than the others: with a tolerance of 0.001
# the 15 numbers between 1 and 2 beside a fill value of 1e20, as weather files hold for "no data", all come back as 0.
# Expected: the tolerance, or an error. zfp aligns a block to its largest exponent. Replace fill values before, or use the reversible mode.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 zfpy==1.0.1.post0
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import zfpy

a = np.linspace(1, 2, 64, dtype=np.float32).reshape(8, 8)
a[3, 3] = 1e20
b = zfpy.decompress_numpy(zfpy.compress_numpy(a, tolerance=1e-3))
error = np.abs(a - b)
error[3, 3] = 0
lost, beside = int((error > 1e-3).sum()), b[3, 2]
print(f"zfpy {version('zfpy')}: {lost} numbers are off by more than the tolerance, {a[3, 2]:.3f} beside the fill value became {beside}")
sys.exit(not (lost == 15 and beside == 0))
PYTHON
