#!/usr/bin/env bash
# polars' entropy of probabilities or counts among which one is 0 is NaN: of 0 and 1, of 0.5, 0.5 and 0, and of the counts 3, 0 and 5, for which an empty class is usual. It takes 0 * log(0) as it stands, where the limit is 0.
# Expected: the entropy of the others, 0, 0.693 and 0.662, as scipy.stats.entropy gives. Filter the zeros out before; the page of entropy has no word on them.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 polars==2.1.0 scipy==1.17.1
"$work/env/bin/python" - <<'PYTHON'
import math
import sys
from importlib.metadata import version

import polars
from scipy.stats import entropy

got = {}
for values in ([0.0, 1.0], [0.5, 0.5, 0.0], [3, 0, 5], [3, 5]):
    series = polars.Series(values)
    got[str(values)] = [series.entropy(), series.filter(series != 0).entropy(), float(entropy(values))]
print(f"polars {version('polars')}: entropy [by polars, by polars without zeros, by SciPy]: {got}")
close = all(math.isclose(right, scipy, abs_tol=1e-12) for _, right, scipy in got.values())
sys.exit(not (close and [math.isnan(first) for first, _, _ in got.values()] == [True, True, True, False]))
PYTHON
