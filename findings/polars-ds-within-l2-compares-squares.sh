#!/usr/bin/env bash
# polars_ds.within_dist_from with the distance "l2" compares squares with the radius: of points 1, 2, 3 and 5 away, only 1 and 2 lie within a radius of 4. "l2" and "sql2" give the same answers.
# Neighbours by query_nb_cnt with "l2" are counted right.
# Expected: 1, 2 and 3, as "l1" and "inf" give along one axis.
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

frame = polars.DataFrame({"x": [0.0, 1.0, 2.0, 3.0, 5.0], "y": [0.0] * 5})
got = {}
for distance in ("l1", "l2", "sql2", "inf"):
    near, count = frame.select(a=polars_ds.within_dist_from("x", "y", pt=[0.0, 0.0], r=4.0, dist=distance), b=polars_ds.query_nb_cnt("x", "y", r=4.0, dist=distance))
    got[distance] = (frame["x"].filter(near).to_list(), count[0])
print(f"polars_ds {version('polars_ds')}: (points within 4 of 0 by within_dist_from, number of them by query_nb_cnt) by distance: {got}")
sys.exit(not (got["l2"] == ([0, 1, 2], 4) and got["sql2"] == ([0, 1, 2], 3) and got["l1"] == got["inf"] == ([0, 1, 2, 3], 4)))
PYTHON
