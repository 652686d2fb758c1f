#!/usr/bin/env python3
"""Blocks of LZ4 itself.

  tests/golden/lz4.py liblz4.so.1    writes tests/golden/lz4.bin

For each of 20 000 bytes of words and 20 000 of runs (`data` of tests/common/lz4.rs, kinds 2 and 4), at the fastest level and at the
highest: the size of the block as u32, then its bytes.
"""

import ctypes
import struct
import sys
from pathlib import Path

N, KINDS = 20_000, 6


def words(seed):
    while True:
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        yield seed >> 33


def data(kind):
    next_word, x = words(N * KINDS + kind), bytearray()
    while len(x) < N:
        if kind == 2:
            w = next(next_word) % 64
            x += bytes(ord("a") + (w * 7 + k * 3) % 26 for k in range(1 + w % 9)) + b" "
        else:
            byte = next(next_word) % 256
            x += bytes([byte]) * (next(next_word) % 400)
    return bytes(x[:N])


def main():
    lz4 = ctypes.CDLL(sys.argv[1])
    with open(Path(__file__).parent / "lz4.bin", "wb") as to:
        for kind in (2, 4):
            for encode in (lz4.LZ4_compress_default, lambda *call: lz4.LZ4_compress_HC(*call, 12)):
                out = ctypes.create_string_buffer(2 * N)
                n = encode(data(kind), out, N, 2 * N)
                to.write(struct.pack("<I", n) + out.raw[:n])


main()
