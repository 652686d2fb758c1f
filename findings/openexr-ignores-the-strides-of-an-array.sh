#!/usr/bin/env bash
# OpenEXR.File writes the memory of an array and not its elements: a transposed image, every second column or a single channel of an image with channels last is written with its shape, but with the numbers as they lie in memory, without an error.
# Expected: the elements, as NumPy sees them. Pass numpy.ascontiguousarray of it. Images with channels last are the usual form, so a loop that writes image[:, :, i] as channel i writes a mixture of all channels.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 OpenEXR==3.5.3
"$work/env/bin/python" - "$work" <<'PYTHON'
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import OpenEXR

path = str(Path(sys.argv[1], "image.exr"))


def back(image):
    with OpenEXR.File({"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}, {"Y": image}) as file:
        file.write(path)
    with OpenEXR.File(path) as file:
        return file.channels()["Y"].pixels


image = np.arange(12, dtype=np.float32).reshape(3, 4)
views = {"as it is": image, "transposed": image.T, "every second column": image[:, ::2], "channel 0 of 2": image.reshape(3, 2, 2)[:, :, 0]}
right = {name: np.array_equal(back(view), view) for name, view in views.items()}
copies = all(np.array_equal(back(np.ascontiguousarray(view)), view) for view in views.values())
print(f"OpenEXR {version('OpenEXR')}: read back as written: {right}; all of them copied before: {copies}; {views['channel 0 of 2'].tolist()} became {back(views['channel 0 of 2']).tolist()}")
sys.exit(not (copies and right == {name: name == "as it is" for name in views}))
PYTHON
