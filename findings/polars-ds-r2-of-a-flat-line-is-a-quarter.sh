#!/usr/bin/env bash
# polars_ds.lin_reg_report gives too high an R2: of four points whose best line is flat it reports 0.25, and of ten with an R2 of 0.0607 it reports 0.1547. The residual is divided by the number of points and the variance by one less.
# The coefficients are right, and query_r2 of the same predictions is right. Without a fit at all, R2 is one over the number of points.
# Expected: 0 and 0.0607, the share of the variance that the line explains.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 polars==1.44.2 polars-ds==0.13.0
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import polars
import polars_ds

noise = np.random.default_rng(0).normal(size=10)
got = []
for x, y in ((np.arange(4.0), np.array([1.0, -1.0, -1.0, 1.0])), (np.arange(10.0), noise)):
    frame = polars.DataFrame({"x": x, "y": y})
    report = frame.select(polars_ds.lin_reg_report("x", target="y", add_bias=True).alias("r"))["r"].struct.unnest()
    slope, offset = report["beta"].to_list()
    assert np.allclose([slope, offset], np.polyfit(x, y, 1))
    right = frame.select(polars_ds.query_r2("y", polars.col("x") * slope + offset)).item()
    got.append((report["r2"][0], right, float(np.corrcoef(x, y)[0, 1] ** 2)))
print(f"polars_ds {version('polars_ds')}: (R2 of lin_reg_report, of query_r2, squared correlation) of four points and of ten: {got}")
sys.exit(not (np.allclose(got[0], [0.25, 0, 0]) and np.allclose(got[1][0], 1 - 0.9 * (1 - got[1][1])) and np.isclose(got[1][1], got[1][2])))
PYTHON
