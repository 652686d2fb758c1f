#!/usr/bin/env bash
# On x86-64 CPUs MNN's sigmoid and tanh of NaN are 1, its relu of NaN is 0 and its relu6 of NaN is 6: a network whose weights are damaged gives numbers that look like a firm answer.
# exp of NaN is 1.6e-38. sin and erf keep NaN.
# Expected: NaN. MNN's maximum of NaN and 1 is 1, of 1 and NaN it is NaN: which of the two stands first decides, there as in a clamp.
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


def run(op):
    result = op(expr.const([math.nan, 0.5], [2], expr.NCHW, expr.float))
    return result.read_as_tuple()[0]


seen = [run(op) for op in (expr.sigmoid, expr.tanh, expr.relu, expr.relu6)]
kept = [run(op) for op in (expr.sin, expr.erf)]
print(f"MNN {version('MNN')}: sigmoid, tanh, relu and relu6 of NaN are {seen}; sin and erf {kept}")
sys.exit(not (seen == [1, 1, 0, 6] and all(map(math.isnan, kept))))
PYTHON
