#!/usr/bin/env bash
# osqp's update(Ax=...) writes the new numbers into the matrix A that the caller gave to setup, where that is a csc_matrix of float64: after two calls of update(Ax=1.1 * A.data) the solver and A have 1.21 times the first numbers, and a second model that is set up from A is another problem.
# update(Px=...) does so with an upper triangular P in csc too. A matrix in csr is converted to another and stays as it was, and so does a full P, of which the triangle is copied. setup alone changes nothing, q, l and u are kept, and there is no warning.
# Expected: the solver has its own copy. Give setup A.copy(), or keep a copy of the numbers.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 osqp==1.1.3
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import osqp
import scipy.sparse as sparse

cost = sparse.csc_matrix([[4.0, 1.0], [1.0, 2.0]])
rows = sparse.csc_matrix([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
q, low, high = np.array([1.0, 1.0]), np.array([1.0, 0.0, 0.0]), np.array([1.0, 0.7, 0.7])


def factors(p, a, updates):
    p_first, a_first = p.toarray(), a.toarray()
    solver = osqp.OSQP()
    solver.setup(p, q, a, low, high, verbose=False)
    for matrix, name in updates:
        solver.update(**{name: 1.1 * matrix.data})
    return [round(float(i.sum() / j.sum()), 6) for i, j in ((p.toarray(), p_first), (a.toarray(), a_first))]


got = {}
for name in ("csc", "csr"):
    a = rows.asformat(name, copy=True)
    got[name] = factors(cost.copy(), a, [(a, "Ax")] * 2)
got["setup alone"] = factors(cost.copy(), rows.copy(), [])
triangle = sparse.triu(cost, format="csc")
got["full P"] = factors(cost.copy(), rows.copy(), [(triangle, "Px")] * 2)
got["triangle P"] = factors(triangle, rows.copy(), [(triangle, "Px")] * 2)
print(f"osqp {version('osqp')}: [P, A] of the caller after two updates by 1.1 times its numbers, as factors of the first numbers: {got}")
sys.exit(got != {"csc": [1, 1.21], "csr": [1, 1], "setup alone": [1, 1], "full P": [1, 1], "triangle P": [1.21, 1]})
PYTHON
