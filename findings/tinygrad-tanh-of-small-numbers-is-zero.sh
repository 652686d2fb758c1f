#!/usr/bin/env bash
# tinygrad computes tanh(x) as 2 sigmoid(2x) - 1 and erf by a formula of absolute error: tanh(1e-8) and erf(1e-8) are 0, tanh(1e-5) is off by 0.14 %, erf(1e-4) by 0.045 %.
# Expected: x itself and 2 x / sqrt(pi) for small x, as C's library gives to the last bit. Gradients of networks near 0 see steps.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 tinygrad==0.14.0
DEV=PYTHON "$work/env/bin/python" - <<'PYTHON'
import math
import sys
from importlib.metadata import version

from tinygrad import Tensor

tanh = Tensor([1e-5, 1e-8]).tanh().tolist()
erf = Tensor([1e-4, 1e-8]).erf().tolist()
off = [abs(tanh[0] / math.tanh(1e-5) - 1), abs(erf[0] / math.erf(1e-4) - 1)]
print(f"tinygrad {version('tinygrad')}: tanh of 1e-8 {tanh[1]}, erf of 1e-8 {erf[1]}; relative errors of tanh(1e-5) {off[0]:.1e}, of erf(1e-4) {off[1]:.1e}")
sys.exit(not (tanh[1] == erf[1] == 0 and off[0] > 1e-3 and off[1] > 4e-4))
PYTHON
