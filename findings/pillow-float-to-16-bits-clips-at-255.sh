#!/usr/bin/env bash
# Pillow converts an image of floats (mode F) to 16 bits (mode I;16) by way of 8 bits: 300 and 40000 become 255. From mode I, integers of 32 bits, 300 and 40000 are kept.
# Expected: 300 and 40000. Round and cast with NumPy.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 pillow==13.0.0
"$work/env/bin/python" - <<'PYTHON'
import sys

import numpy as np
import PIL
from PIL import Image

values = np.array([[300.0, 40000.0]], np.float32)
float16, whole16 = (np.array(Image.fromarray(v).convert("I;16")) for v in (values, values.astype(np.int32)))
print(f"Pillow {PIL.__version__}: 300 and 40000 from F {float16[0]}, from I {whole16[0]}")
sys.exit(not ((float16 == 255).all() and whole16.tolist() == [[300, 40000]]))
PYTHON
