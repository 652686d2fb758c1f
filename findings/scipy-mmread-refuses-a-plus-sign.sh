#!/usr/bin/env bash
# scipy.io.mmread refuses a number that is written with a plus sign: "+1.5" is an "Invalid floating-point value" and "+3" an "Invalid integer value", while a plus sign in the exponent
# (1.5e+00) is read. C's printf("%+g") and Fortran's SP descriptor write such numbers.
# Expected: 1.5 and 3, as Python's float() and int(), C's scanf and Fortran's list-directed reading take them. Remove the sign before.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: numpy==2.4.6 scipy==1.17.1
"$work/env/bin/python" - <<'PYTHON'
import io
import sys

import scipy
import scipy.io


def read(field: str, number: str) -> str:
    text = f"%%MatrixMarket matrix coordinate {field} general\n1 1 1\n1 1 {number}\n"
    try:
        return str(scipy.io.mmread(io.BytesIO(text.encode())).toarray()[0, 0])
    except ValueError as error:
        return str(error)


real, integer, exponent = read("real", "+1.5"), read("integer", "+3"), read("real", "1.5e+00")
print(f"scipy {scipy.__version__}: +1.5 gives '{real}', +3 '{integer}', 1.5e+00 {exponent}; Python's float and int: {float('+1.5')}, {int('+3')}")
sys.exit(not ("Invalid floating-point value" in real and "Invalid integer value" in integer and exponent == "1.5"))
PYTHON
