#!/usr/bin/env bash
# connected-components-3d with delta and 8-connectivity joins the darkest and the brightest pixels of an image where one stands above the other: rows of 10 above rows of 200 are one component with delta=5.
# Beside each other the same pixels are two components, and with 4- or 26-connectivity they are two in both directions. Every pair above each other does it that lies within delta of the least and of the greatest number of the image.
# Expected: two components, as 200 - 10 is more than 5.
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

image = np.repeat([[10], [200]], 4, axis=1)
got = {}
for dtype in (np.uint8, np.uint16, np.float32):
    for connectivity in (4, 8, 26):
        numbers = [cc3d.connected_components(x, connectivity=connectivity, delta=5, return_N=True)[1] for x in (image.astype(dtype), np.ascontiguousarray(image.T.astype(dtype)))]
        got[np.dtype(dtype).name, connectivity] = [int(n) for n in numbers]
print(f"connected-components-3d {version('connected-components-3d')}: components of 10 above 200 and of 10 beside 200 with delta=5, by type and connectivity: {got}")
sys.exit(not all(n == ([1, 2] if connectivity == 8 else [2, 2]) for (_, connectivity), n in got.items()))
PYTHON
