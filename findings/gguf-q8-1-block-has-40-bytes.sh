#!/usr/bin/env bash
# The package gguf says that a block of Q8_1 has 40 bytes: two 32-bit factors and 32 codes, as ggml had it at first.
# ggml's block has 36, as both factors are 16-bit numbers (QK8_1 = 32 in ggml-common.h). Sizes of Q8_1 tensors and the
# offsets of those behind them are off by 4 bytes for each 32 numbers. Q8_1 is ggml's format of activations: a file with
# it is rare, but a program that takes its block sizes from GGML_QUANT_SIZES gets this one, too.
# Expected: 36, which gguf's neighbours in the same table follow (Q8_0: 2 + 32).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 gguf==0.19.0
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, quant_shape_to_byte_shape

elements, size = GGML_QUANT_SIZES[GGMLQuantizationType.Q8_1]
row = quant_shape_to_byte_shape((1, 4096), GGMLQuantizationType.Q8_1)[1]
print(f"gguf {version('gguf')}: Q8_1 has {size} bytes for {elements} numbers, {row} for 4096; ggml has 36 and 4608")
sys.exit((elements, size, row) != (32, 40, 5120))
PYTHON
