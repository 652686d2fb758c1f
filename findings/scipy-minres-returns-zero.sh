#!/usr/bin/env bash
# scipy.sparse.linalg.minres returns info = 0 for any reason to stop but the limit of iterations, its estimate of the
# condition number among them: a result that solves nothing comes back as a success.
# Expected: info != 0, since the tolerance was not reached. Seen: info = 0 with a relative residual of 0.86 where 1e-12
# was asked for (positive definite, 60 rows, a condition number of 1e12), although the limit of 1200 iterations allowed
# more.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1
"$work/env/bin/python" - <<'PYTHON'
import sys

import numpy as np
import scipy
from scipy.sparse.linalg import minres

rng = np.random.default_rng(0)
q, _ = np.linalg.qr(rng.standard_normal((60, 60)))
a = (q * np.logspace(0, 12, 60)) @ q.T
a = (a + a.T) / 2
b = a @ q[:, 0]
steps = []
x, info = minres(a, b, rtol=1e-12, maxiter=1200, callback=lambda x: steps.append(0))
true = np.linalg.norm(b - a @ x) / np.linalg.norm(b)
print(f"scipy {scipy.__version__}: info = {info} after {len(steps)} of 1200 iterations, residual of the result {true:.2g}")
sys.exit(not (info == 0 and len(steps) < 1200 and true > 0.01))
PYTHON
