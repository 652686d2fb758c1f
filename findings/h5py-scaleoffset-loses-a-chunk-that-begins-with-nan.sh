#!/usr/bin/env bash
# HDF5's filter "scaleoffset" (h5py's argument of that name) keeps decimals of floating numbers. A float32 chunk whose first number is NaN is written without an error and cannot be read:
# "filter returned failure during read" for all its numbers. With NaN in the last place the chunk is read, and NaN has become the smallest number. A float64 chunk that begins with NaN
# is kept as it is.
# Expected: an error when it is written, or the numbers, as with an infinity in front. h5py's documentation says that NaN is not preserved, not that its neighbours are lost: replace NaN before.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check h5py==3.16.0 numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
import io
import sys

import h5py
import numpy as np


def stored(*numbers, dtype=np.float32):
    file = io.BytesIO()
    with h5py.File(file, "w") as f:
        f.create_dataset("x", data=np.array(numbers, dtype), chunks=(len(numbers),), scaleoffset=2)
    with h5py.File(file, "r") as f:
        try:
            return f["x"][()].round(2).tolist()
        except OSError as error:
            return str(error)


nan = np.nan
first, last, double = stored(nan, 1, 2, 3), stored(3, 1, 2, nan), stored(nan, 1, 2, 3, dtype=np.float64)
print(f"h5py {h5py.__version__}, HDF5 {h5py.version.hdf5_version}: NaN first: {first}; last: {last}; first in float64: {double}")
sys.exit(not ("failure during read" in first and last == [3, 1, 2, 1] and repr(double) == repr([nan, 1.0, 2.0, 3.0])))
PYTHON
