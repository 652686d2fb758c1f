#!/usr/bin/env bash
# onnxruntime's Sigmoid in f32 on x86-64 is exactly 0 from -18 down, and is 17 % too large at -15 and 2.2 times too
# large at -17, where 1 / (1 + exp(-x)) is a normal number down to -87.
# Its polynomial is made for absolute errors and its input is clamped. Expected: a small relative error, as exp of the
# same library has. Logarithms of such probabilities are -inf from -18 on.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 onnx==1.23.2 onnxruntime==1.32.0
"$work/env/bin/python" - <<'PYTHON'
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import helper


def run(op, *inputs, opset=21, **attributes):
    """One node, run by onnxruntime on the CPU."""
    names = [f"in{k}" for k in range(len(inputs))]
    values = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape) for n, x in zip(names, inputs)]
    graph = helper.make_graph([helper.make_node(op, names, ["out"], **attributes)], "finding", values, [helper.make_empty_tensor_value_info("out")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, dict(zip(names, inputs)))[0]


f = np.float32

x = np.array([-10, -15, -17, -18, -30], f)
ratio = run("Sigmoid", x) * (1 + np.exp(-x.astype(np.float64)))
print(f"onnxruntime {onnxruntime.__version__}: Sigmoid over its right value at {x}: {ratio}")
sys.exit(not (1.1 < ratio[1] < 1.3 and ratio[2] > 2 and (ratio[3:] == 0).all()))
PYTHON
