#!/usr/bin/env bash
# statsmodels' state space models stop updating the variance of the forecast once it changes by less than an absolute amount (tolerance=1e-19, of squared variances), so small data count as converged from
# the start: an ARMA(1, 1) has the log-likelihood -669.50 for 500 numbers of deviation near 2, 7.7 less for the same numbers in a unit 10,000 times larger and 55.7 less from 100,000 times on.
# Expected: no difference after the term 500 log(unit), by which the density of rescaled numbers differs. tolerance=0 gives that. Returns of prices within a day are of this size; fit maximises the wrong value.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check statsmodels==0.15.0 numpy==2.4.6 scipy==1.17.1
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from statsmodels.tsa.statespace.sarimax import SARIMAX

shocks = np.random.default_rng(1).normal(size=500)
y = shocks.copy()
for t in range(1, 500):
    y[t] = 0.5 * y[t - 1] + shocks[t] + 0.9 * shocks[t - 1]


def likelihood(unit, **options):
    return float(SARIMAX(unit * y, order=(1, 0, 1), **options).loglike([0.5, 0.9, unit**2]) + 500 * np.log(unit))


units = (1, 1e-3, 1e-4, 1e-5, 1e-6)
seen, exact = [likelihood(unit) for unit in units], [likelihood(unit, tolerance=0) for unit in units]
print(f"statsmodels {version('statsmodels')}: log-likelihoods in the units {units} are {[round(value, 2) for value in seen]}, with tolerance=0 {[round(value, 2) for value in exact]}")
sys.exit(not (max(exact) - min(exact) < 1e-6 and abs(seen[0] - exact[0]) < 1e-3 and abs(seen[2] - exact[0]) > 1 and abs(seen[3] - exact[0]) > 20 and abs(seen[4] - exact[0]) > 20))
PYTHON
