#!/usr/bin/env bash
# fitsio writes an infinity or a negative infinity of an image of floats as NaN, in f32 and f64, without compression and without a word: the file itself holds NaN. The same numbers in a column of a table are kept.
# Expected: infinity, a value of the floats in which FITS keeps such images; astropy writes it, and fitsio reads it from astropy's file. A test for overflow behind the file finds missing pixels instead.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check fitsio==1.4.2 astropy==8.0.2 numpy==2.4.6
"$work/env/bin/python" - "$work" <<'PYTHON'
import sys
from importlib.metadata import version
from pathlib import Path

import fitsio
import numpy as np
from astropy.io import fits

numbers = np.array([1, np.inf, -np.inf, -0.0])
image, table, other = (str(Path(sys.argv[1], f"{name}.fits")) for name in ("image", "table", "other"))
got = []
for dtype in (np.float32, np.float64):
    data = numbers.astype(dtype)
    fitsio.write(image, data, clobber=True)
    fitsio.write(table, data.view([("x", dtype)]), clobber=True)
    fits.PrimaryHDU(data).writeto(other, overwrite=True)
    got.append([fits.getdata(image).tolist(), fits.getdata(table)["x"].tolist(), fitsio.read(other).tolist()])
print(f"fitsio {version('fitsio')}: 1, infinity, -infinity and -0.0 in f32 and f64 as [image by fitsio read by astropy, column by fitsio read by astropy, image by astropy read by fitsio]: {got}")
kept = numbers.tolist()
sys.exit(not all(np.array_equal(lost, [1, np.nan, np.nan, 0], equal_nan=True) and column == read == kept for lost, column, read in got))
PYTHON
