#!/usr/bin/env bash
# onnxruntime's ReduceSum, ReduceMean and ReduceProd of int64 compute in f64 on the CPU: the sum of 2^60 and 1 is 2^60, and (2^31 + 1) times (2^31 - 1) is 2^62. CumSum, MatMul
# and Mul of the same numbers are right to the last digit. A sum that overflows is cut to the largest number, in int32 as well, where CumSum and Add wrap.
# Expected: integers, as the reference implementation of the package onnx gives. Seen: 2^60, 2^62 and 2147483647.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 onnx==1.23.2 onnxruntime==1.32.0
"$work/env/bin/python" - <<'PYTHON'
import sys

import numpy as np
import onnxruntime
from onnx import helper
from onnx.reference import ReferenceEvaluator


def model(op, *inputs):
    """One node over inputs of these types and shapes, with the names of its inputs."""
    names = [f"in{k}" for k in range(len(inputs))]
    values = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape) for n, x in zip(names, inputs)]
    graph = helper.make_graph([helper.make_node(op, names, ["out"])], "finding", values, [helper.make_empty_tensor_value_info("out")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), names


def run(op, *inputs):
    made, names = model(op, *inputs)
    session = onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, dict(zip(names, inputs)))[0].ravel()[-1].item()


def reference(op, *inputs):
    made, names = model(op, *inputs)
    return ReferenceEvaluator(made).run(None, dict(zip(names, inputs)))[0].item()


axis = np.array(0)
terms, factors = np.array([2**60, 1]), np.array([2**31 + 1, 2**31 - 1])
beyond = np.array([2**31 - 1, 1], np.int32)
sums = run("ReduceSum", terms), run("CumSum", terms, axis), reference("ReduceSum", terms)
products = run("ReduceProd", factors), run("Mul", factors[:1], factors[1:]), reference("ReduceProd", factors)
overflows = run("ReduceSum", beyond), run("CumSum", beyond, axis)
print(f"onnxruntime {onnxruntime.__version__}: 2^60 + 1 is 2^60 + {sums[0] - 2**60} (CumSum: 2^60 + {sums[1] - 2**60}),")
print(f"2^62 - 1 is 2^62 {products[0] - 2**62:+} (Mul: 2^62 {products[1] - 2**62:+}), 2^31 in int32 is {overflows[0]} (CumSum: {overflows[1]})")
right = sums[1:] == (2**60 + 1,) * 2 and products[1:] == (2**62 - 1,) * 2
sys.exit(not (right and sums[0] == 2**60 and products[0] == 2**62 and overflows == (2**31 - 1, -(2**31))))
PYTHON
