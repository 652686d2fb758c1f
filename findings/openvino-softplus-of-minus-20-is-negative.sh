#!/usr/bin/env bash
# On x86-64 CPUs OpenVINO's softplus in float32 is negative at -18, -20 and -23.5 (-1.9e-6), 0 at -14.5, and 9.5e-7 at -16, eight times too large.
# softplus makes variances and scales positive: the root or the logarithm of a negative one is NaN.
# Expected: exp(x) for x far below zero, 1.5e-8 at -18 and 2.1e-9 at -20, never below 0 (numpy.logaddexp). The precision asked for is f32, and exp alone is right at the same numbers.
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

numbers = np.array([-23.5, -20, -18, -16, -14.5, 0, 5], np.float32)


def run(op):
    x = opset13.parameter([len(numbers)], np.float32)
    compiled = openvino.Core().compile_model(openvino.Model([op(x)], [x]), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return compiled([numbers])[0]


seen, roots, powers = (run(op) for op in (opset13.softplus, lambda x: opset13.sqrt(opset13.softplus(x)), opset13.exp))
right = np.logaddexp(0, numbers.astype(float))
print(f"openvino {openvino.__version__.split('-')[0]}: softplus of {numbers.tolist()} is {seen.tolist()}, by NumPy {right.round(11).tolist()}; its root {roots.tolist()}")
wrong = (seen[:3] < -1e-6).all() and seen[3] > 5 * right[3] and np.isnan(roots[:3]).all()
sys.exit(not (wrong and np.allclose(seen[5:], right[5:], rtol=1e-5) and np.allclose(powers, np.exp(numbers), rtol=1e-5)))
PYTHON
