#!/usr/bin/env bash
# voyager's StorageDataType.Float8 (8-bit integers over 127) rounds towards zero: 0.999 becomes 126/127, 0.5 becomes 63/127, and every element below 1/127 = 0.0079
# becomes 0. All magnitudes shrink by 0.0039 on average, and the largest error is twice that of rounding to nearest. A few numbers k / 127 in f32 even become (k - 1) / 127.
# Expected: rounding to nearest, with errors of both signs that cancel in an inner product. For a wanted code k below 127 hand over (|k| + 0.5) / 127 with its sign.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 voyager==2.2.3
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from voyager import Index, Space, StorageDataType


def store(x):
    index = Index(Space.Euclidean, num_dimensions=1, storage_data_type=StorageDataType.Float8)
    return index.get_vectors(index.add_items(x[:, None], num_threads=1))[:, 0]


codes = np.rint(store(np.array([0.999, -0.999, 0.5, 0.0078], np.float32)) * 127).tolist()
x = np.linspace(-1, 1, 2001, dtype=np.float32)
shrink = float(np.mean(np.abs(x) - np.abs(store(x))))
grid = np.arange(-127, 128, dtype=np.float32) / np.float32(127)
moved = int(np.count_nonzero(store(grid) != grid))
print(f"voyager {version('voyager')}: codes of 0.999, -0.999, 0.5, 0.0078 are {codes}; magnitudes shrink by {shrink:.4f}; {moved} of 255 multiples of 1/127 move")
sys.exit(not (codes == [126, -126, 63, 0] and 0.0035 < shrink < 0.0045 and moved > 0))
PYTHON
