#!/usr/bin/env bash
# MNN has floormod, with the sign of the divisor, and mod, with the sign of the dividend. For int32 the two have changed places: floormod of -7 and 3 is -1 and mod is 2, where floats give
# 2 and -1. floordiv rounds down for both types, so that floordiv * 3 + floormod of integers is -10 and not -7.
# Expected: 2 and -1 for both types.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check MNN==3.6.1 numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import MNN.expr as expr


def remainders(kind):
    a, b = (expr.const(x, [2], expr.NCHW, kind) for x in ([-7, 7], [3, -3]))
    results = [op(a, b) for op in (expr.floormod, expr.mod, expr.floordiv)]
    return [list(result.read_as_tuple()) for result in results]


whole, real = remainders(expr.int), remainders(expr.float)
print(f"MNN {version('MNN')}: floormod, mod and floordiv of -7, 7 and 3, -3 are {whole} in int32 and {real} in float32")
sys.exit(not (whole == [[-1, 1], [2, -2], [-3, -3]] and real == [[2, -2], [-1, 1], [-3, -3]]))
PYTHON
