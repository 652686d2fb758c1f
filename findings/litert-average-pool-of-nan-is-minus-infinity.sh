#!/usr/bin/env bash
# On x86-64 CPUs LiteRT's average pooling of a window that holds NaN is -infinity with the delegate XNNPACK, which it takes by default, and NaN without.
# Max pooling of the window [NaN, 2] is -infinity too, and of [1, NaN] it is 1. No activation is asked for. A relu or a sigmoid behind it makes a plain 0 of -infinity.
# Expected: NaN from the average. What stands for no activation is a clamp to -infinity and infinity, and here the clamp of NaN is its lower end.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check ai-edge-litert==2.3.0 flatbuffers==25.12.19 numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

image = np.array([1, np.nan, 2, 3], np.float32).reshape(1, 1, 4, 1)


def tensor(name, width):
    result = schema.TensorT()
    result.name, result.shape, result.type, result.buffer = name, [1, 1, width, 1], schema.TensorType.FLOAT32, 0
    return result


def pool(code, resolver):
    options = schema.Pool2DOptionsT()
    options.padding, options.filterHeight, options.filterWidth, options.strideH, options.strideW = schema.Padding.VALID, 1, 2, 1, 1
    operator = schema.OperatorT()
    operator.opcodeIndex, operator.inputs, operator.outputs = 0, [0], [1]
    operator.builtinOptionsType, operator.builtinOptions = schema.BuiltinOptions.Pool2DOptions, options
    graph = schema.SubGraphT()
    graph.tensors, graph.inputs, graph.outputs, graph.operators = [tensor("x", 4), tensor("y", 3)], [0], [1], [operator]
    kind = schema.OperatorCodeT()
    kind.builtinCode, kind.deprecatedBuiltinCode, kind.version = code, code, 1
    model = schema.ModelT()
    model.version, model.operatorCodes, model.subgraphs, model.buffers = 3, [kind], [graph], [schema.BufferT()]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    interpreter = Interpreter(model_content=bytes(builder.Output()), experimental_op_resolver_type=resolver)
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], image)
    interpreter.invoke()
    return interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).ravel().tolist()


ops = schema.BuiltinOperator.AVERAGE_POOL_2D, schema.BuiltinOperator.MAX_POOL_2D
default, plain = ([pool(op, resolver) for op in ops] for resolver in (OpResolverType.AUTO, OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES))
print(f"ai-edge-litert {version('ai-edge-litert')}: average and maximum of the windows [1, NaN], [NaN, 2], [2, 3] are {default} by default, {plain} without delegates")
bad = -np.inf
sys.exit(not (default == [[bad, bad, 2.5], [1, bad, 3]] and np.isnan(plain[0][:2]).all() and plain[0][2] == 2.5))
PYTHON
