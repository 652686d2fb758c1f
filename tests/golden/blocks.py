#!/usr/bin/env python3
"""Blocks that the program `llm` makes numbers of, as the `gguf` package does: `pip install gguf==0.19.0 numpy==2.3.5`.

  tests/golden/blocks.py    writes tests/golden/blocks/*.bin (blocks, then their numbers) and examples/llm/grids.bin
"""

from pathlib import Path

import numpy as np
from gguf import GGML_QUANT_SIZES
from gguf import GGMLQuantizationType as Type
from gguf import quants

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "tests/golden/blocks"
COUNT = 6
# The bytes of a half that no random bits make NaN or infinite; of IQ1_M they are spread.
HALF = {"IQ4_XS": 0, "TQ1_0": 52, "TQ2_0": 64, "NVFP4": None, "IQ1_M": None}
NAMES = ["IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ3_S", "IQ2_S", "IQ4_XS", "IQ1_M", "TQ1_0", "TQ2_0", "NVFP4"]

HERE.mkdir(exist_ok=True)
rng = np.random.default_rng(11)
for name in NAMES:
    elements, size = GGML_QUANT_SIZES[Type[name]]
    blocks = rng.integers(0, 256, (COUNT, size), dtype=np.uint8)
    at = HALF.get(name, 0)
    if at is not None:
        blocks[:, at : at + 2] = (rng.standard_normal((COUNT, 1)) * 0.1).astype(np.float16).view(np.uint8)
    if name == "IQ1_M":
        # The exponent's upper bits are the highest of the last word.
        blocks[:, 55] = (blocks[:, 55] & 0x0F) | 0x20
    numbers = quants.dequantize(blocks, Type[name])
    assert np.isfinite(numbers).all() and numbers.size == COUNT * elements, name
    (HERE / f"{name.lower()}.bin").write_bytes(blocks.tobytes() + numbers.astype("<f4").tobytes())

grids = b""
for name in ["IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ3_XXS", "IQ3_S", "IQ1_S"]:
    codes = np.frombuffer(getattr(quants, name).grid_hex, dtype=np.uint8)
    grids += bytes.fromhex(codes.tobytes().decode())
(ROOT / "examples/llm/grids.bin").write_bytes(grids)
