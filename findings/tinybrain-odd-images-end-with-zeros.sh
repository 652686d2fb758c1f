#!/usr/bin/env bash
# tinybrain.downsample_with_averaging by (2, 2) of an image whose first side is odd ends with zeros: of 5x4 pixels the last of three rows of the result is 0, its numbers stand in the row before, and the means that belong there are lost.
# The same call that asks for two levels of the pyramid gives the right first level, and so do even sides and a cube by (2, 2, 2); it is in every type, without an error.
# Expected: the mean of what a block still has, as with two levels. Repeat the last row of the image before, or ask for two levels.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 tinybrain==1.7.0
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import tinybrain

image = np.arange(1, 21, dtype=np.float32).reshape(5, 4)
expected = np.pad(image, [(0, 1), (0, 0)], mode="edge").reshape(3, 2, 2, 2).mean((1, 3)).tolist()
got = {}
for dtype in (np.uint8, np.float32):
    for levels in (1, 2):
        sized = image.astype(dtype)[..., None]
        got[np.dtype(dtype).name, levels] = tinybrain.downsample_with_averaging(sized, (2, 2, 1), num_mips=levels)[0][..., 0].tolist()
even = tinybrain.downsample_with_averaging(image[:4, :, None], (2, 2, 1))[0][..., 0].tolist()
print(f"tinybrain {version('tinybrain')}: the first level of 5x4 pixels by type and number of levels: {got}, expected {expected}")
bad = [expected[0], expected[2], [0, 0]]
sys.exit(not (got["float32", 1] == bad and got["uint8", 1] == np.array(bad, np.uint8).tolist() and got["float32", 2] == expected and even == expected[:2]))
PYTHON
