#!/usr/bin/env bash
# connected-components-3d takes equal fractions as different where an image of floats holds its foreground in one row only: three pixels of 0.5 in a line are three components, and 1.5 beside 1 is one component.
# A second row with foreground anywhere makes it right again. In that special case the number of the pixel before is kept as an integer.
# Expected: one component of equal numbers, and two of 1.5 and 1, as with two rows.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 connected-components-3d==4.1.1
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import cc3d
import numpy as np

got = {}
for dtype in (np.float32, np.float64):
    for row in ([0.5, 0.5, 0.5], [1.5, 1.0, 1.0], [2.0, 2.0, 2.0]):
        image = np.zeros((4, 3), dtype)
        image[1] = row
        single = cc3d.connected_components(image, connectivity=4)[1].tolist()
        image[2] = row
        got[np.dtype(dtype).name, *row] = [single, cc3d.connected_components(image, connectivity=4)[1].tolist()]
print(f"connected-components-3d {version('connected-components-3d')}: labels of a row between zeros, and of the same row twice: {got}")
expected = {0.5: [[1, 2, 3], [1, 1, 1]], 1.5: [[1, 1, 1], [1, 2, 2]], 2.0: [[1, 1, 1], [1, 1, 1]]}
sys.exit(not all(labels == expected[key[1]] for key, labels in got.items()))
PYTHON
