#!/usr/bin/env bash
# libvips writes NaN and infinity into a CSV file as nan, inf and -inf, and reads each of them as 0, without an error. Its matrix format writes the same words and does refuse to read them ("bad number").
# Expected: the numbers that were written, or an error. Read such files with numpy.loadtxt.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 pyvips==3.2.0 pyvips-binary==8.18.7
cd "$work"
"$work/env/bin/python" - <<'PYTHON'
import sys

import numpy as np
import pyvips

pyvips.Image.new_from_array(np.array([[1.5, np.nan, np.inf, -np.inf]])).csvsave("x.csv")
with open("x.csv") as file:
    text = file.read().split()
numbers = pyvips.Image.csvload("x.csv").numpy().ravel().tolist()
print(f"libvips {'.'.join(str(pyvips.version(i)) for i in range(3))}: writes {text}, reads {numbers}; NumPy reads {np.loadtxt('x.csv').tolist()}")
sys.exit(not (text == ["1.5", "nan", "inf", "-inf"] and numbers == [1.5, 0, 0, 0]))
PYTHON
