#!/usr/bin/env bash
# On x86-64 CPUs ncnn's power of two arrays or of an array and a number takes the exponential of b * log(a) for the elements that it can take four or more at a time, and pow for the rest: the square of -3
# is 2.4e38 in an array of four, 9 in one of three, and in an array of five four are 2.4e38 and the last is 9. A variance written as the mean of pow(x - mean, 2) is such a number.
# Expected: 9. The layers Power and UnaryOp square give it. The logarithm of a negative number is NaN, and ncnn's exponential of NaN is the largest number that it returns.
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


power = {n: run("BinaryOp 0=6 1=1 2=2.0", [-3] * n) for n in (1, 3, 4, 5)}
beside = [run("BinaryOp 0=6 1=1 2=2.0", [3] * 4), run("UnaryOp 0=4", [-3] * 4), run("Power 0=2.0", [-3] * 4)]
print(f"ncnn {ncnn.__version__}: -3 to the power of 2 by length {power}; 3 to the power of 2, the square and the layer Power of -3 {beside}")
large = all(x > 1e38 for x in power[4] + power[5][:4])
sys.exit(not (large and np.allclose(power[1] + power[3] + power[5][4:], 9) and np.allclose(beside, 9)))
PYTHON
