#!/usr/bin/env bash
# np.sign of unsigned integers in code compiled by numba is wrong from half of their range on: of 0, 3, 127, 128 and 200 in uint8 it is 0, 1, 1, 255 and 255, the -1 of a signed comparison in an unsigned type. It is so in uint8 to uint64; a product of it with the numbers negates large pixels.
# Expected: 1, as NumPy gives for the same function, which numba lists as supported. Use (x != 0) instead.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numba==0.68.1 numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numba
import numpy as np


def sign(x):
    return np.sign(x)


compiled = numba.njit(sign)
got = {}
for dtype in (np.uint8, np.uint16, np.uint32, np.uint64):
    greatest = int(np.iinfo(dtype).max)
    x = np.array([0, 3, greatest // 2, greatest // 2 + 1, greatest], dtype)
    got[x.dtype.name] = [compiled(x).tolist() == [0, 1, 1, greatest, greatest], sign(x).tolist() == [0, 1, 1, 1, 1]]
signed = compiled(np.array([-3, 0, 3], np.int8)).tolist()
bytes_ = compiled(np.array([0, 3, 127, 128, 200], np.uint8)).tolist()
print(f"numba {version('numba')}: sign of 0, 3, 127, 128 and 200 in uint8: {bytes_}, of -3, 0 and 3 in int8: {signed}; [0, 1, 1, greatest, greatest by numba, 0, 1, 1, 1, 1 by NumPy] by type: {got}")
sys.exit(not (bytes_ == [0, 1, 1, 255, 255] and signed == [-1, 0, 1] and all(value == [True, True] for value in got.values())))
PYTHON
