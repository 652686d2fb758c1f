#!/usr/bin/env bash
# On x86-64 CPUs MNN's exp clamps its input to -87 and 87: exp of 88 and of infinity is 6.08e37 = e^87, where 1.65e38 and infinity are right, and exp of -infinity is 1.6e-38, not 0.
# Its softplus, log(1 + exp(x)), is therefore 87 for every x from 87 on: softplus of 200 and of a million is 87. Below -16 it is 0.
# Expected: 1.65e38, infinity, 0, 200 and a million (NumPy's exp, onnxruntime's Softplus).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check MNN==3.6.1 numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
import math
import sys
from importlib.metadata import version

import MNN.expr as expr


def run(op, *numbers):
    result = op(expr.const(list(numbers), [len(numbers)], expr.NCHW, expr.float))
    return result.read_as_tuple()


powers, softplus = run(expr.exp, 88.0, math.inf, -math.inf), run(expr.softplus, 50.0, 200.0, 1e6, -20.0)
print(f"MNN {version('MNN')}: exp of 88, infinity and -infinity is {powers}, softplus of 50, 200, 1e6 and -20 is {softplus}")
clamped = all(abs(x - 6.0760e37) < 1e33 for x in powers[:2]) and 1.6e-38 < powers[2] < 1.7e-38
sys.exit(not (clamped and softplus == (50, 87, 87, 0)))
PYTHON
