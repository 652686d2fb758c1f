#!/usr/bin/env bash
# On x86-64 CPUs OpenVINO's round in the mode half_away_from_zero adds a half and cuts: odd integers of float32 between 2^23 and 2^24 become the even one beside, farther from zero:
# 8388609 becomes 8388610, -8388609 becomes -8388610. 0.49999997 becomes 1.
# Expected: each integer as it is, and 0 (C's roundf). In the mode half_to_even the same numbers are right. Sample counts, identifiers and bins of a histogram reach 2^23.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check openvino==2026.4.1 numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
import sys

import numpy as np
import openvino
from openvino import opset13

numbers = np.array([0.5, -2.5, 0.49999997, 8388609, -8388609, 16777215], np.float32)


def run(mode):
    x = opset13.parameter([len(numbers)], np.float32)
    compiled = openvino.Core().compile_model(openvino.Model([opset13.round(x, mode)], [x]), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return compiled([numbers])[0].tolist()


away, even = run("half_away_from_zero"), run("half_to_even")
print(f"openvino {openvino.__version__.split('-')[0]}: {numbers.tolist()} rounded with halves away from zero are {away}, with halves to even {even}")
sys.exit(not (away == [1, -3, 1, 8388610, -8388610, 16777216] and even == [0, -2, 0, 8388609, -8388609, 16777215]))
PYTHON
