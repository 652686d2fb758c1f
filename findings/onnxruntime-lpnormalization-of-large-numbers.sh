#!/usr/bin/env bash
# onnxruntime's LpNormalization with p = 2 of [3e30, 4e30] in f32 is [0, 0]: the sum of squares overflows to infinity,
# and a finite vector over infinity is zero. Nothing says so.
# Expected: [0.6, 0.8], as norms that scale (BLAS' nrm2) give, or at least NaN.
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

y = run("LpNormalization", np.array([[3e30, 4e30]], f), p=2, axis=1)[0]
print(f"onnxruntime {onnxruntime.__version__}: LpNormalization of [3e30, 4e30]: {y}")
sys.exit(not (y == 0).all())
PYTHON
