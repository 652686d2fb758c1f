#!/usr/bin/env bash
# onnxruntime's DFT in f32 loses three digits where the length is no power of two: relative errors are 5e-7 at 1024 and
# 1.2e-4 at 1000.
# Lengths that are no power of two go through Bluestein's chirp, whose angles grow with the square of the index and are
# formed in f32. Expected: an error near 5e-7 at both, as FFTs with exact twiddles have.
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

rng = np.random.default_rng(0)


def error(n):
    x = rng.standard_normal(n).astype(f)
    y = run("DFT", x.reshape(1, n, 1), np.array(n, np.int64), np.array(1, np.int64), opset=20)[0]
    right = np.fft.fft(x.astype(np.float64))
    return np.linalg.norm(y[:, 0] + 1j * y[:, 1] - right) / np.linalg.norm(right)


even, odd = error(1024), error(1000)
print(f"onnxruntime {onnxruntime.__version__}: relative error of DFT at 1024: {even:.1e}, at 1000: {odd:.1e}")
sys.exit(not (even < 2e-6 and odd > 2e-5))
PYTHON
