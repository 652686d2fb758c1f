#!/usr/bin/env bash
# onnxruntime's Einsum refuses "bA" with the message that lower-cased and upper-cased letters are the only ones
# allowed, which it is made of; with an explicit result ("bA->Ab") it computes it. numpy.einsum takes both and sorts
# the letters of an implicit result by their ASCII codes, capitals first.
# Expected: the transposed matrix for "bA". Write results explicitly.
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

onnxruntime.set_default_logger_severity(4)
x = np.arange(6, dtype=f).reshape(2, 3)
explicit = run("Einsum", x, equation="bA->Ab")
try:
    implicit = run("Einsum", x, equation="bA")
except Exception as error:
    implicit = str(error).split("Message: ")[-1].strip()
print(f"onnxruntime {onnxruntime.__version__}: bA->Ab has shape {explicit.shape}; bA: {implicit}; numpy's bA has shape {np.einsum('bA', x).shape}")
sys.exit(not (explicit.shape == (3, 2) and "upper-cased letters" in str(implicit) and np.einsum("bA", x).shape == (3, 2)))
PYTHON
