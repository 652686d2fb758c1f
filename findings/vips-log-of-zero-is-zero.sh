#!/usr/bin/env bash
# libvips has no infinities of its own: the logarithm of 0 is 0, 0 to the power of -1 is 0, and an image of ones divided by one of zeros is 0.
# Expected: -infinity and infinity, as images of floats hold them. A logarithm of counts cannot tell 0 from 1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 pyvips==3.2.0 pyvips-binary==8.18.7
"$work/env/bin/python" - <<'PYTHON'
import sys

import numpy as np
import pyvips

zero, one = (pyvips.Image.new_from_array(np.array([[x]])) for x in (0.0, 1.0))
log, power, quotient = (float(i.avg()) for i in (zero.log(), zero**-1, one / zero))
version = ".".join(str(pyvips.version(i)) for i in range(3))
print(f"libvips {version}: log(0) = {log}, 0^-1 = {power}, 1/0 = {quotient}")
sys.exit(not (log == power == quotient == 0))
PYTHON
