#!/usr/bin/env bash
# xarray's coarsen(t=3, boundary="pad").any() of a mask of seven times False says True in the last block: the block is padded with NaN, and any takes NaN as true. Integers and floats of zeros give the same, and side="right" moves the True to the front.
# max, sum, mean and count of the same blocks leave the padding out, so max says False where any says True. In two dimensions a whole edge of the coarser mask becomes True, wherever a length is no multiple of the block.
# Expected: False, as the data holds no True. Take max, or boundary="trim".
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 pandas==3.1.1 xarray==2026.9.0
"$work/env/bin/python" - <<'PYTHON'
import sys

import numpy as np
import xarray as xr

none = xr.DataArray(np.zeros(7, bool), dims="t")
blocks = none.coarsen(t=3, boundary="pad")
got = {name: getattr(blocks, name)().values.astype(int).tolist() for name in ("any", "max", "sum", "count")}
print(f"xarray {xr.__version__}: blocks of 3 of seven times False, padded:", got)
right = none.coarsen(t=3, boundary="pad", side="right").any().values.tolist()
trim = none.coarsen(t=3, boundary="trim").any().values.tolist()
zeros = [none.astype(t).coarsen(t=3, boundary="pad").any().values.tolist() for t in (int, np.float32)]
print("any with side='right':", right, "with boundary='trim':", trim, "of int and float32 zeros:", zeros)
plane = xr.DataArray(np.zeros((4, 4), bool), dims=("y", "x")).coarsen(y=3, x=3, boundary="pad")
print("any of a 4 x 4 mask of False:", plane.any().values.tolist(), "max:", plane.max().values.tolist())
bad = got == {"any": [0, 0, 1], "max": [0, 0, 0], "sum": [0, 0, 0], "count": [3, 3, 1]} and right == [True, False, False]
rest = not any(trim) and zeros == [[False, False, True]] * 2 and plane.any().values.tolist() == [[False, True], [True, True]]
sys.exit(not (bad and rest and not plane.max().values.any()))
PYTHON
