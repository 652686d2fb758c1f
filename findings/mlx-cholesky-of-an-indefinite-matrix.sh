#!/usr/bin/env bash
# mlx.linalg.cholesky of a matrix that is not positive definite raises nothing and gives what LAPACK left when it stopped: of [[1, 2], [2, 1]] it is [[1, 0], [2, -3]],
# a lower triangle with a negative diagonal, and L L^T is another matrix.
# Expected: an error (NumPy, SciPy, PyTorch) or NaN (JAX). Compare L L^T with the matrix, or look at the signs of the diagonal.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check "mlx[cpu]==0.32.4" numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import mlx.core as mx

mx.set_default_device(mx.cpu)

l = mx.linalg.cholesky(mx.array([[1.0, 2.0], [2.0, 1.0]]))
again = (l @ l.T).tolist()
print(f"mlx {version('mlx')}: L {l.tolist()}, L L^T {again}")
sys.exit(not (l.tolist() == [[1, 0], [2, -3]] and again == [[1, 2], [2, 13]]))
PYTHON
