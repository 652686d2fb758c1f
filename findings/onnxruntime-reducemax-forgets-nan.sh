#!/usr/bin/env bash
# onnxruntime's ReduceMax gives NaN if the first element is NaN and ignores a NaN in any other place: the result
# depends on the order of the elements. Its Max of two tensors gives NaN in both orders, and the reference
# implementation of the package onnx gives NaN for ReduceMax wherever it stands.
# Expected: NaN in each case.
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

reduced = [float(run("ReduceMax", np.array(x, f)).squeeze()) for x in ([np.nan, 1, 2], [1, np.nan, 2], [1, 2, np.nan])]
pairs = run("Max", np.array([np.nan, 1], f), np.array([1, np.nan], f))
print(f"onnxruntime {onnxruntime.__version__}: ReduceMax with NaN first, in the middle, last: {reduced}; Max: {pairs}")
sys.exit(not (np.isnan(reduced[0]) and reduced[1:] == [2, 2] and np.isnan(pairs).all()))
PYTHON
