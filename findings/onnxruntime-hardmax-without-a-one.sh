#!/usr/bin/env bash
# onnxruntime's Hardmax of a row that begins with NaN has no 1 in it: [nan, 1] gives [0, 0], while its ArgMax of the
# same row names an element. Whoever sums a one-hot row or decodes it by its place gets a row of nothing.
# Expected: exactly one 1 in each row, as the operator is defined.
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

x = np.array([[np.nan, 1], [1, 1]], f)
y, place = run("Hardmax", x, axis=1), run("ArgMax", x, axis=1)
print(f"onnxruntime {onnxruntime.__version__}: Hardmax of [nan, 1] and [1, 1]: {y.tolist()}; ArgMax: {place.ravel().tolist()}")
sys.exit(not (y.tolist() == [[0, 0], [1, 0]]))
PYTHON
