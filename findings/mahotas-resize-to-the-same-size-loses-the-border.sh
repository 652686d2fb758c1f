#!/usr/bin/env bash
# mahotas.resize.resize_to of an image to the size that it has already is not the image: the first row and column are gone, the others have moved by one, and the last row and column are zeros.
# Expected: the image, as every way to lay the samples out gives it where the sizes are equal.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 mahotas==1.4.19
"$work/env/bin/python" - <<'PYTHON'
import sys

import mahotas.resize
import numpy as np

x = np.arange(12.0).reshape(3, 4) + 1
seen = mahotas.resize.resize_to(x, x.shape)
print(f"mahotas {mahotas.__version__}: {x.tolist()} becomes {np.round(seen, 6).tolist()}")
sys.exit(not (np.allclose(seen[:-1, :-1], x[1:, 1:]) and (seen[-1] == 0).all() and (seen[:, -1] == 0).all()))
PYTHON
