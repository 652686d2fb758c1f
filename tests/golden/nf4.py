#!/usr/bin/env python3
"""NF4 and nested scales, by the CPU library of bitsandbytes (`pip download bitsandbytes --no-deps`; PyTorch is not needed).

  tests/golden/nf4.py libbitsandbytes_cpu.so    writes tests/golden/quant/nf4.bin, nf4-encoded.bin and absmax.bin

nf4.bin: `count` u32, then blocks of 36 bytes of random codes whose scales are 0, -0, subnormal, the largest, infinite or NaN
in some, then their elements as f32, by the library. nf4-encoded.bin: `count`, then numbers as f32 and the blocks of them:
the largest magnitude of each and the level nearest to each share of it, which is what the library's Python side does
with PyTorch, here with NumPy. absmax.bin: `count`, then as f32 the map of bitsandbytes, the scales of a tensor, the offset,
then their codes as bytes, the scales of 256 codes each as f32, and what they stand for, by the library.
"""

import ctypes
import struct
import sys
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent / "quant"
LEVELS = np.array(
    [-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334,
     -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224,
     0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0], dtype=np.float32)


def pointer(x):
    return x.ctypes.data_as(ctypes.c_void_p)


def dynamic_map():
    """bitsandbytes' create_dynamic_map(), in the same steps of single precision."""
    data = []
    for i in range(7):
        ends = np.linspace(0.1, 1, 2**i + 1, dtype=np.float64).astype(np.float32)
        means = (ends[:-1] + ends[1:]) / np.float32(2)
        part = (np.float32(10.0 ** (i - 6)) * means).tolist()
        data += part + [-x for x in part]
    return np.sort(np.array(data + [0.0, 1.0], dtype=np.float32))


def main():
    library = ctypes.CDLL(sys.argv[1])
    size = ctypes.c_longlong
    rng = np.random.default_rng(17)

    count = 14
    absmax = rng.standard_normal(count).astype(np.float32) ** 2
    absmax[4:] = np.array([0x0, 0x80000000, 1, 0x807FFFFF, 0x00800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000],
                          dtype=np.uint32).view(np.float32)
    codes = rng.integers(0, 256, (count, 32), dtype=np.uint8)
    values = np.zeros((count, 64), dtype=np.float32)
    library.cdequantize_blockwise_cpu_nf4_fp32(pointer(codes), pointer(absmax), pointer(values), size(64), size(count), size(64))
    blocks = np.concatenate([absmax.view(np.uint8).reshape(count, 4), codes], axis=1)
    (FOLDER / "nf4.bin").write_bytes(struct.pack("<I", count) + blocks.tobytes() + values.tobytes())

    x = np.concatenate([rng.standard_normal((4, 64)), rng.standard_t(2, (4, 64)), np.zeros((1, 64)),
                        rng.standard_normal((2, 64)) * 1e-38, rng.standard_normal((1, 64)) * 1e37]).astype(np.float32)
    absmax = np.abs(x).max(axis=1)
    with np.errstate(invalid="ignore"):
        share = np.where(absmax[:, None] > 0, x / absmax[:, None], np.float32(0))
    q = np.abs(share[:, :, None].astype(np.float64) - LEVELS).argmin(axis=2).astype(np.uint8)
    packed = q[:, ::2] << 4 | q[:, 1::2]
    blocks = np.concatenate([absmax.view(np.uint8).reshape(-1, 4), packed], axis=1)
    (FOLDER / "nf4-encoded.bin").write_bytes(struct.pack("<I", len(x)) + x.tobytes() + blocks.tobytes())

    table = dynamic_map()
    absmax = np.abs(rng.standard_normal(700) * 0.02 + 0.1).astype(np.float32)
    offset = np.float32(absmax.astype(np.float64).sum() / len(absmax))
    rest = absmax - offset
    codes, groups = np.zeros(len(rest), dtype=np.uint8), np.zeros(3, dtype=np.float32)
    library.cquantize_blockwise_cpu_fp32(pointer(table), pointer(rest), pointer(groups), pointer(codes), size(256), size(len(rest)))
    back = np.zeros(len(rest), dtype=np.float32)
    library.cdequantize_blockwise_cpu_fp32(pointer(table), pointer(codes), pointer(groups), pointer(back), size(256), size(len(rest)))
    (FOLDER / "absmax.bin").write_bytes(
        struct.pack("<I", len(rest)) + table.tobytes() + absmax.tobytes() + offset.tobytes() + codes.tobytes()
        + groups.tobytes() + (back + offset).tobytes())
    print(codes[:20], groups, np.abs(back + offset - absmax).max())


main()
