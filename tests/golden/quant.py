#!/usr/bin/env python3
"""Blocks of every format and the numbers that they stand for, by the `gguf` package (pip install gguf).

  tests/golden/quant.py [LIBRARY]    writes tests/golden/quant/<format>.bin

A file holds `count` u32, then `count` blocks, then their elements as f32: random bytes, whose scales are then 0, -0,
subnormal, the largest, infinite or NaN in some. `<format>-encoded.bin` holds numbers as f32 and the blocks of them, by
the package, or for formats that it does not quantise to by LIBRARY: a shared library with ggml's `ggml_quantize_q4_K`,
such as lib/avx2/libctransformers.so of `pip download ctransformers`.
"""

import ctypes
import struct
import sys
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType as Type
from gguf import quants
from gguf.constants import GGML_QUANT_SIZES

FOLDER = Path(__file__).parent / "quant"
# Where the half-precision scales are.
SCALES = {
    "q4_0": [0], "q4_1": [0, 2], "q5_0": [0], "q5_1": [0, 2], "q8_0": [0],
    "q4_k": [0, 2], "q5_k": [0, 2], "q6_k": [208],
    "q2_k": [80, 82], "q3_k": [108], "iq4_nl": [0], "mxfp4": [],
}
SPECIAL = [0x0000, 0x8000, 0x0001, 0x83FF, 0x0400, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E01]


def samples(rng, n):
    """Gaussian rows, rows of heavy tails, rows far from zero, small ones, zeros."""
    gauss = rng.standard_normal((4, n))
    tails = rng.standard_t(2, (4, n))
    rest = np.stack([rng.uniform(3, 4, n), rng.standard_normal(n) * 1e-6, np.zeros(n), rng.standard_normal(n) * 1e3])
    return np.concatenate([gauss, tails, rest]).astype(np.float32)


def main():
    FOLDER.mkdir(exist_ok=True)
    rng = np.random.default_rng(17)
    for name, places in SCALES.items():
        kind = Type[name.upper()]
        size, width = GGML_QUANT_SIZES[kind]
        count = 4 + len(SPECIAL)
        blocks = rng.integers(0, 256, (count, width), dtype=np.uint8)
        for at in places:
            # Of any magnitude, but neither infinite nor NaN.
            scales = (rng.integers(0, 0x7800, count) | rng.integers(0, 2, count) << 15).astype("<u2")
            scales[4:] = np.roll(SPECIAL, at)
            blocks[:, at : at + 2] = scales.view(np.uint8).reshape(count, 2)
        if name == "mxfp4":
            blocks[4:, 0] = [0, 1, 2, 3, 126, 127, 250, 252, 254, 255]
        with np.errstate(all="ignore"):
            values = quants.dequantize(blocks.reshape(1, -1), kind)
        data = struct.pack("<I", count) + blocks.tobytes() + values.astype("<f4").tobytes()
        (FOLDER / f"{name}.bin").write_bytes(data)
        try:
            x = samples(rng, size)
            y = quants.quantize(x, kind)
        except NotImplementedError:
            if len(sys.argv) < 2 or not name.endswith("_k"):
                continue
            y = np.zeros((len(x), width), dtype=np.uint8)
            counts = (ctypes.c_int64 * 16)()
            f = getattr(ctypes.CDLL(sys.argv[1]), f"ggml_quantize_{name[:-1]}K")
            f(x.ctypes.data_as(ctypes.c_void_p), y.ctypes.data_as(ctypes.c_void_p), x.size, x.size, counts)
        (FOLDER / f"{name}-encoded.bin").write_bytes(struct.pack("<I", len(x)) + x.astype("<f4").tobytes() + y.tobytes())


main()
