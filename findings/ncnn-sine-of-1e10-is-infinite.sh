#!/usr/bin/env bash
# On x86-64 CPUs ncnn's sine and cosine are right to about 1e7 and leave the range from -1 to 1 beyond 1e8: the sine of 2e8 is -1.12, of 1e9 13.3 and of 1e10 -infinity, the cosine of 1e9 8.4 and
# of 1e10 infinity. An angle that grows with time, such as the phase of an oscillator or a position times a frequency, gets there.
# Expected: -0.677, 0.546 and -0.488 (NumPy in float32). The angle is reduced with pi in a few float32 parts and a polynomial is then taken of what is left, however large.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check ncnn==1.0.20261020 numpy==2.4.6
"$work/env/bin/python" - "$work" <<'PYTHON'
import sys
from pathlib import Path

import ncnn
import numpy as np

description, weights = Path(sys.argv[1], "net.param"), Path(sys.argv[1], "net.bin")
weights.touch()


def run(layer, numbers):
    kind, *options = layer.split()
    description.write_text(f"7767517\n2 2\nInput in 0 1 x\n{kind} op 1 1 x y {' '.join(options)}\n")
    net = ncnn.Net()
    assert net.load_param(str(description)) == 0 and net.load_model(str(weights)) == 0
    extractor = net.create_extractor()
    extractor.input("x", ncnn.Mat(np.array(numbers, np.float32)).clone())
    return np.array(extractor.extract("y")[1]).tolist()


angles = [1e6, 2e8, 1e9, 1e10]
sine, cosine = run("UnaryOp 0=9", angles), run("UnaryOp 0=10", angles)
right = np.sin(np.array(angles, np.float32)).tolist()
print(f"ncnn {ncnn.__version__}: sine of {angles} is {sine}, by NumPy {right}; cosine {cosine}")
outside = all(abs(x) > 1 for x in sine[1:] + cosine[2:]) and np.isinf([sine[3], cosine[3]]).all()
sys.exit(not (outside and abs(sine[0] - right[0]) < 1e-6 and all(abs(x) < 1 for x in right)))
PYTHON
