#!/usr/bin/env bash
# numpy.random.Philox(counter=c) does not begin with the block of counter c but with that of c + 1: it increments
# before it computes.
# The known answer of Philox4x64-10 for counter 0 and key 0 (file kat_vectors of Random123: 16554d9eca36314c ...) is
# what NumPy gives for the counter 2^256 - 1.
# Expected: the known answer for counter 0. Whoever compares a Philox of their own with NumPy meets this first.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
import sys

import numpy as np

known = 0x16554D9ECA36314C
first = int(np.random.Philox(key=0, counter=0).random_raw())
wrapped = int(np.random.Philox(key=0, counter=2**256 - 1).random_raw())
print(f"numpy {np.__version__}: counter 0 gives {first:#x}, counter 2^256 - 1 gives {wrapped:#x}; Random123's answer for counter 0 is {known:#x}")
sys.exit(not (first != known and wrapped == known))
PYTHON
