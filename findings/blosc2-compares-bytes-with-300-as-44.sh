#!/usr/bin/env bash
# python-blosc2 casts the number in a comparison to the type of the array, wrapping: for uint8 [10, 44, 144, 200] the expression a > 300 is false, false, true, true and a == 300 is true at 44,
# as 300 modulo 256 is 44; 300.0 does the same, and for int8 100 > 200 is true. An array of one element is compared with 300 itself.
# Expected: no byte is above 300 or equal to it, as in NumPy. A threshold beyond the type selects at random: convert the array to int16 first.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check blosc2==4.14.1 numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import blosc2
import numpy as np

x = np.array([10, 44, 144, 200], np.uint8)
a, signed, one = blosc2.asarray(x), blosc2.asarray(np.full(4, 100, np.int8)), blosc2.asarray(x[2:3])
above, equal, real, less, single = (e[:].tolist() for e in (a > 300, a == 300, a > 300.0, signed > 200, one > 300))
print(f"blosc2 {version('blosc2')}: {x.tolist()} > 300 is {above}, == 300 {equal}; {x[2:3].tolist()} > 300 is {single}; 100 > 200 in int8 is {less[0]}; NumPy has {(x > 300).tolist()}")
sys.exit(not (above == real == [False, False, True, True] and equal == [False, True, False, False] and all(less) and single == [False]))
PYTHON
