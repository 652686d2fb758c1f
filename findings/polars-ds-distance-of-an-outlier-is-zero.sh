#!/usr/bin/env bash
# polars_ds.query_dist_from_kth_nb gives the distance 0 to the points that are farthest from all others: of 1, 2, 3 and 500 the last is 0 away from its nearest neighbour, not 497 squared. The documentation recommends the function for finding outliers, and it hides the strongest.
# Neighbours count up to a bound of 99999 only, which is a distance of 316 with the squared distance that is the default; beyond it, the point itself is all that is found, and its distance is returned. "l2" does the same from 99999.
# Expected: 247009, or null or infinity where no neighbour is found.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 polars==1.44.2 polars-ds==0.13.0
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import polars
import polars_ds

got = {}
for distance in ("sql2", "l2"):
    for last in (300.0, 500.0, 5e5):
        frame = polars.DataFrame({"x": [1.0, 2.0, 3.0, last]})
        got[distance, last] = frame.select(polars_ds.query_dist_from_kth_nb("x", k=1, dist=distance))["x"].to_list()
print(f"polars_ds {version('polars_ds')}: distance to the nearest neighbour of 1, 2, 3 and this number, by distance and number: {got}")
near = [1, 1, 1]
expected = {("sql2", 300): [*near, 297**2], ("sql2", 500): [*near, 0], ("sql2", 5e5): [*near, 0], ("l2", 300): [*near, 297], ("l2", 500): [*near, 497], ("l2", 5e5): [*near, 0]}
sys.exit(got != expected)
PYTHON
