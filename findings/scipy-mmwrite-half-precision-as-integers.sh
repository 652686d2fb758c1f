#!/usr/bin/env bash
# scipy.io.mmwrite writes a dense array of float16 as a matrix of the field "integer", cut to whole numbers: 0.1, 0.75 and -2.5 become 0, 0 and -2, and no error is raised.
# The package fast_matrix_market, which SciPy's reader and writer come from, does so too. float32 of the same numbers is written as "real" and reads back exactly.
# Expected: "real" with the numbers, or an error as for a type that it does not know. Convert to float32 before.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: numpy==2.4.6 scipy==1.17.1 fast_matrix_market==1.7.6
"$work/env/bin/python" - <<'PYTHON'
import io
import sys
from importlib.metadata import version

import fast_matrix_market
import numpy as np
import scipy.io


def through(package, kind: type) -> tuple[str, list]:
    file = io.BytesIO()
    package.mmwrite(file, np.array([[0.1, 0.75, -2.5]], kind))
    header = file.getvalue().decode().splitlines()[0]
    return header.split()[3], package.mmread(io.BytesIO(file.getvalue())).ravel().tolist()


half, other, single = through(scipy.io, np.float16), through(fast_matrix_market, np.float16), through(scipy.io, np.float32)
print(f"scipy {version('scipy')}: float16 is written as {half[0]} and read as {half[1]}; float32 as {single[0]} and {single[1]}; fast_matrix_market {version('fast_matrix_market')}: {other}")
sys.exit(not (half == other == ("integer", [0, 0, -2]) and single[0] == "real" and np.array_equal(np.float32(single[1]), np.float32([0.1, 0.75, -2.5]))))
PYTHON
