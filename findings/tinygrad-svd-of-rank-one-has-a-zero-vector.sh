#!/usr/bin/env bash
# tinygrad's svd of a matrix of lower rank gives a U that is not orthogonal: of [[3, 0], [0, 0]] its second column is 0. Singular values and V are right, so that
# U S V^T is the matrix, and only what uses U as a basis goes wrong.
# Expected: orthogonal U and V (NumPy, LAPACK, mlx 0.32.4). Complete U by an orthogonalisation.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 tinygrad==0.14.0
DEV=PYTHON "$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from tinygrad import Tensor

u, s, vt = (t.numpy() for t in Tensor([[3.0, 0.0], [0.0, 0.0]]).svd())
print(f"tinygrad {version('tinygrad')}: U {u.tolist()}, S {s.tolist()}; U^T U {(u.T @ u).tolist()}")
sys.exit(not ((u.T @ u).tolist() == [[1, 0], [0, 0]] and s.tolist() == [3, 0] and abs(np.linalg.det(vt)) == 1))
PYTHON
