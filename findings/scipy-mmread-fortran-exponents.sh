#!/usr/bin/env bash
# Fortran's E and D descriptors leave the letter out where the exponent has three digits (Fortran 2018, 13.7.2.3.3):
# 0.25E-104 is printed as 0.2500000000-104. scipy.io.mmread reads such an element as 0.25, 104 orders of magnitude off,
# without an error.
# It does read 4.0D+00 as 4. Python's float(), sprs 0.11.6 and nalgebra-sparse 0.12.0 refuse both. Expected: 0.25e-104
# or an error.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1
"$work/env/bin/python" - <<'PYTHON'
import io
import sys

import scipy

text = b"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 0.2500000000-104\n2 2 4.0D+00\n"
m = scipy.io.mmread(io.BytesIO(text)).toarray()
print(f"scipy {scipy.__version__}: 0.2500000000-104 is read as {m[0, 0]}, 4.0D+00 as {m[1, 1]}")
sys.exit(not (m[0, 0] == 0.25 and m[1, 1] == 4))
PYTHON
