#!/usr/bin/env bash
# The reference implementation of the package onnx quantizes what is 2^31 scales or more, infinity among it, to the least code on x86-64: QuantizeLinear of 1e10 with the scale 1 is 0 in uint8 and
# -128 in int8. The quotient is converted to int32, where it becomes -2^31, before it is clipped.
# Expected: saturation to 255 and 127, as the operator is defined and onnxruntime does it. A test against the reference with such numbers fails for a right implementation.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 onnx==1.23.2 onnxruntime==1.32.0
"$work/env/bin/python" - <<'PYTHON'
import platform
import sys
import warnings

import numpy as np
import onnx
import onnxruntime
from onnx import helper
from onnx.reference import ReferenceEvaluator

warnings.simplefilter("ignore")


def quantized(dtype):
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    inputs = {"x": np.array([300, 1e10, np.inf], np.float32), "scale": np.array(1, np.float32), "zero": np.array(0, dtype)}
    values = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape) for n, x in inputs.items()]
    node = helper.make_node("QuantizeLinear", list(inputs), ["y"])
    graph = helper.make_graph([node], "quantize", values, [helper.make_tensor_value_info("y", kind, [3])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    return [r.run(None, inputs)[0].tolist() for r in (ReferenceEvaluator(model), onnxruntime.InferenceSession(model.SerializeToString()))]


(u, u_runtime), (i, i_runtime) = quantized(np.uint8), quantized(np.int8)
print(f"300, 1e10 and infinity on {platform.machine()}: reference of onnx {onnx.__version__} {u} and {i}, onnxruntime {onnxruntime.__version__} {u_runtime} and {i_runtime}")
sys.exit(not (u == [255, 0, 0] and i == [127, -128, -128] and u_runtime == [255] * 3 and i_runtime == [127] * 3))
PYTHON
