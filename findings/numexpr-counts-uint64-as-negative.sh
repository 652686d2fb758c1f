#!/usr/bin/env bash
# numexpr takes arrays of uint64 as int64 without a word: 2^63 + 1 becomes -9223372036854775807, and the comparison a > 0 is false for it.
# Sums of int32 stay int32 beside it: the sum of four times 2^30 is 0, where NumPy widens to int64.
# Expected: an error, or NumPy's result.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 numexpr==2.14.2
"$work/env/bin/python" - <<'PYTHON'
import sys

import numexpr
import numpy as np

a, b = np.array([2**63], np.uint64), np.full(4, 2**30, np.int32)
one, positive, total = int(numexpr.evaluate("a + 1")[0]), bool(numexpr.evaluate("a > 0")[0]), int(numexpr.evaluate("sum(b)"))
print(f"numexpr {numexpr.__version__}: 2^63 + 1 is {one}, 2^63 > 0 is {positive}, four times 2^30 is {total}; numpy: {int(a[0]) + 1}, True, {b.sum()}")
sys.exit(not (one == 1 - 2**63 and not positive and total == 0 and b.sum() == 2**32))
PYTHON
