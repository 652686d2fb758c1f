#!/usr/bin/env bash
# The remainder of two blosc2 arrays has the sign of the divisor where they hold one element, and that of the dividend where they hold more: -7 % 3 is 2 in an array of one element and -1 in an array of ten.
# Beside a NumPy array of ten it is 2 again: how the remainder is computed depends on the operands, and one of the ways is C's.
# Expected: 2, as the documentation of blosc2.remainder says that it equals Python's operator, and as NumPy gives. A lazy expression of integers differs in the same way.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 blosc2==4.14.1
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import blosc2
import numpy as np


def remainder(count):
    a, b = np.full(count, -7), np.full(count, 3)
    both = blosc2.remainder(blosc2.asarray(a), blosc2.asarray(b))[:]
    mixed = (blosc2.asarray(a) % b)[:]
    return [np.unique(x).tolist() for x in (both, mixed, a % b)]


one, ten = remainder(1), remainder(10)
print(f"blosc2 {version('blosc2')}: -7 % 3 of two arrays, of an array and a NumPy array, of NumPy: with one element {one}, with ten {ten}")
sys.exit(not (one == [[2], [2], [2]] and ten == [[-1], [2], [2]]))
PYTHON
