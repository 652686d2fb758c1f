#!/usr/bin/env bash
# onnxruntime's MatMulInteger of u8 and i8 is wrong on x86-64 CPUs without VNNI: pairs of products are added in 16 bits
# with saturation (the instruction vpmaddubsw), so that 64 products of 255 and 127 give 1 048 544 and not 2 072 640; on
# a CPU with VNNI the sum is right, so results differ between machines.
# Expected: the exact sum, as ONNX defines the operator. Weights of 7 bits (reduce_range) avoid it.
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

with open("/proc/cpuinfo") as info:
    flags = set(info.read().split())
if flags & {"avx512_vnni", "avx_vnni"}:
    sys.exit("this CPU has VNNI, where the sum is right: run this on one without")
got = int(run("MatMulInteger", np.full((1, 64), 255, np.uint8), np.full((64, 1), 127, np.int8)).squeeze())
print(f"onnxruntime {onnxruntime.__version__}: 64 products of 255 and 127 sum to {got}; right is {64 * 255 * 127}")
sys.exit(got != 32 * 32767)
PYTHON
