#!/usr/bin/env bash
# chdb (ClickHouse in a Python process): varPop, varSamp, stddevPop and stddevSamp of a column that holds NaN, infinity or two numbers as far apart as 1e200 and 1 are 0, as of a constant column.
# sum, avg and varPopStable of the same column are NaN, and so a check of the variance alone takes a damaged column for a constant one.
# Expected: NaN, NaN and infinity (numpy.var). A variance below zero, which rounding may give, is set to 0, and NaN with it.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check chdb==4.4.0 chdb-core==26.9.0 numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from chdb import query


def seen(numbers, functions):
    text = query(f"SELECT {', '.join(f'{f}(x)' for f in functions)} FROM (SELECT arrayJoin([{numbers}]) AS x)", "CSV").bytes().decode()
    return [float(x) for x in text.strip().split(",")]


spread = ["varPop", "varSamp", "stddevPop", "stddevSamp"]
zeros = [seen(numbers, spread) for numbers in ("nan, 1, 3, 2", "inf, 1, 3, 2", "1e200, 1")]
beside, sound = seen("nan, 1, 3, 2", ["sum", "avg", "varPopStable"]), seen("1, 3, 2", spread)
print(f"chdb {version('chdb')}: variances and deviations of NaN, 1, 3, 2: {zeros[0]}, of infinity, 1, 3, 2: {zeros[1]}, of 1e200, 1: {zeros[2]}, of 1, 3, 2: {np.round(sound, 3)}; sum, mean and stable variance with NaN {beside}")
sys.exit(not (zeros == [[0] * 4] * 3 and np.isnan(beside).all() and np.allclose(sound, [2 / 3, 1, (2 / 3) ** 0.5, 1])))
PYTHON
