#!/usr/bin/env bash
# onnxruntime's Unique takes NaN for a number that it has seen before: of [1, nan, 2] the unique numbers are [1, 2], with the counts [2, 1]. Where NaN comes first every number is taken
# for it: [nan, 1, 2] has the one number NaN, with the count 3.
# The numbers are the keys of an ordered map, which takes two for equal where neither is less. Expected: NaN once for all or once for each (the reference implementation of the package
# onnx gives the former), and 1 and 2 in any case.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 onnx==1.23.2 onnxruntime==1.32.0
"$work/env/bin/python" - <<'PYTHON'
import sys

import numpy as np
import onnxruntime
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

names = ["y", "first", "inverse", "counts"]
graph = helper.make_graph(
    [helper.make_node("Unique", ["x"], names)],
    "unique",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3])],
    [helper.make_tensor_value_info(n, TensorProto.INT64 if n != "y" else TensorProto.FLOAT, None) for n in names],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 11)], ir_version=10)
session = onnxruntime.InferenceSession(model.SerializeToString())
nan = float("nan")
second, first = ({"x": np.array(x, np.float32)} for x in ([1, nan, 2], [nan, 1, 2]))
a, b = (session.run(["y", "counts"], x) for x in (second, first))
reference = ReferenceEvaluator(model).run(None, second)[0].tolist()
print(f"onnxruntime {onnxruntime.__version__}: [1, nan, 2] has {a[0].tolist()} {a[1].tolist()}, [nan, 1, 2] has {b[0].tolist()} {b[1].tolist()}; reference {reference}")
sys.exit(repr([i.tolist() for i in a + b]) != repr([[1.0, 2.0], [2, 1], [nan], [3]]))
PYTHON
