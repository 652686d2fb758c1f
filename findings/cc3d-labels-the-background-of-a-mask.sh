#!/usr/bin/env bash
# connected-components-3d labels background of a boolean image with 8-connectivity: of 103x103 pixels whose right half of the last row alone is True, 26 pixels of row 26 get the label 1 too, though they are False.
# It takes an odd width and rows without a True pixel at a quarter of the height; masks of 255x255, 511x511, 512x511 and 480x641 do it as well. The number of components that it returns is right, so a count does not show it.
# Expected: 0 wherever the mask is False, as the same mask in uint8 gives it, or in bool with 4-connectivity.
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
for shape in ((103, 103), (255, 255), (512, 511), (480, 641), (102, 102), (103, 102)):
    mask = np.zeros(shape, bool)
    mask[-1, shape[1] // 2 :] = True
    counts = []
    for image, connectivity in ((mask, 8), (mask, 4), (mask.astype(np.uint8), 8)):
        labels, number = cc3d.connected_components(image, connectivity=connectivity, return_N=True)
        counts.append((int(number), int(np.count_nonzero(labels[~mask]))))
    got[shape] = counts
text = f"connected-components-3d {version('connected-components-3d')}: (number of components, labelled pixels of background) by shape for bool with 8- and 4-connectivity and for uint8 with 8: "
print(f"{text}{got}")
right = [(1, 0)] * 3
bad = {(103, 103): 26, (255, 255): 64, (512, 511): 128, (480, 641): 120}
sys.exit(not (all(got[s] == [(1, n), (1, 0), (1, 0)] for s, n in bad.items()) and got[102, 102] == got[103, 102] == right))
PYTHON
