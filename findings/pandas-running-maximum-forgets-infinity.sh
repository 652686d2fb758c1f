#!/usr/bin/env bash
# pandas takes infinity as a missing number in every rolling and expanding function: the expanding maximum of 1, inf, 3 is 1, 1, 3, and the expanding mean 1, 1, 2. cummax() and max() of the same series are inf. A rolling window of two that meets infinity is NaN.
# Expected: inf, as cummax gives. Nothing in the pages of rolling and expanding says that infinity is replaced by NaN first; an overflow in a column vanishes from its windows.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 pandas==3.1.1
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import pandas

series = pandas.Series([1, np.inf, 3, 4])
got = {
    "expanding max": series.expanding().max().tolist(),
    "expanding mean": series.expanding().mean().tolist(),
    "cummax": series.cummax().tolist(),
    "rolling(2) max": series.rolling(2).max().tolist(),
}
print(f"pandas {version('pandas')}: of 1, inf, 3 and 4: {got}")
expected = {
    "expanding max": [1, 1, 3, 4],
    "expanding mean": [1, 1, 2, 8 / 3],
    "cummax": [1, np.inf, np.inf, np.inf],
    "rolling(2) max": [np.nan, np.nan, np.nan, 4],
}
sys.exit(not all(np.allclose(got[name], expected[name], equal_nan=True) for name in expected))
PYTHON
