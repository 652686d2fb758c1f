#!/usr/bin/env bash
# awkward.max of a whole array that holds NaN is NaN, and along the rows of a nested one NaN is left out: of [[1, NaN, 2]] it is NaN without an axis and [2] with axis=1.
# A row that holds NaN alone has the maximum -infinity, a number that it does not hold; its minimum is infinity. There is a nanmax for those who want NaN left out.
# Expected: NaN in each case, as numpy.max gives. The loop over a row begins with -infinity and takes what is greater.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check awkward==2.14.0 numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
import math
import sys

import awkward

x, alone = awkward.Array([[1, math.nan, 2]]), awkward.Array([[math.nan]])
whole, rows = float(awkward.max(x)), awkward.max(x, axis=1).tolist()
ends = awkward.max(alone, axis=1).tolist() + awkward.min(alone, axis=1).tolist()
print(f"awkward {awkward.__version__}: the maximum of [[1, NaN, 2]] is {whole}, along the rows {rows}; maximum and minimum of a row of NaN are {ends}")
sys.exit(not (math.isnan(whole) and rows == [2] and ends == [-math.inf, math.inf]))
PYTHON
