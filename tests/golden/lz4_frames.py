#!/usr/bin/env python3
"""Frames of LZ4 itself, for the example `lz4`, and the other way round. Needs `pip install lz4==4.4.5`.

  tests/golden/lz4_frames.py                 writes tests/golden/lz4/*.lz4; a name says the kind and how many bytes it stands for
  tests/golden/lz4_frames.py check PROGRAM   PROGRAM (target/debug/examples/lz4) and LZ4 read what the other writes
"""

import random
import struct
import subprocess
import sys
from pathlib import Path

# The package, not lz4.py of this folder.
sys.path.pop(0)
import lz4.block  # noqa: E402
import lz4.frame  # noqa: E402

FOLDER = Path(__file__).parent / "lz4"
VERSION = "4.4.5"


def data(n):
    """1500 bytes again and again, of which one changes each time (`data` of examples/tests/lz4.rs)."""
    seed, out = n, bytearray()

    def word():
        nonlocal seed
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        return seed >> 33

    base = bytearray(word() % 256 for _ in range(1500))
    while len(out) < n:
        base[word() % 1500] = word() % 256
        out += base
    return bytes(out[:n])


def noise(n):
    return random.Random(n).randbytes(n)


FRAMES = {
    "linked": {"block_linked": True, "block_size": 4},
    "linked-sums": {"block_linked": True, "block_size": 4, "block_checksum": True, "content_checksum": True},
    "linked-high": {"block_linked": True, "block_size": 4, "compression_level": 12},
    "alone": {"block_linked": False, "block_size": 4, "content_checksum": True},
    "alone-high": {"block_linked": False, "block_size": 5, "compression_level": 12, "store_size": False},
    "bare": {"block_linked": False, "block_size": 4, "store_size": False},
    "sums": {"block_linked": False, "block_size": 4, "store_size": False, "block_checksum": True, "content_checksum": True},
}


def legacy(x):
    """A frame of the old form, in blocks of 8 MiB."""
    out = struct.pack("<I", 0x184C2102)
    for i in range(0, len(x), 8 << 20):
        block = lz4.block.compress(x[i : i + (8 << 20)], store_size=False)
        out += struct.pack("<I", len(block)) + block
    return out


def write():
    FOLDER.mkdir(exist_ok=True)
    for kind, how in FRAMES.items():
        for n in (0, 1, 200_000) if kind in ("linked", "sums") else (200_000,):
            (FOLDER / f"{kind}-{n}.lz4").write_bytes(lz4.frame.compress(data(n), **how))
    (FOLDER / "legacy-200000.lz4").write_bytes(legacy(data(200_000)))
    # Two frames with one that is passed over between them, and a block of one that is not compressed.
    parts = [lz4.frame.compress(data(100)), struct.pack("<II", 0x184D2A5A, 5) + b"hello", lz4.frame.compress(data(70_000))]
    (FOLDER / "several-70100.lz4").write_bytes(b"".join(parts))


def check(program):
    def run(x, *args):
        done = subprocess.run([program, *args, "-"], input=x, capture_output=True)
        if done.returncode:
            sys.exit(f"{args}: exit {done.returncode}: {done.stderr.decode()}")
        return done.stdout

    counted, longer = 0, 0
    for n in (0, 1, 5, 12, 13, 100, 65_535, 65_536, 65_537, 200_000, 4 << 20, (4 << 20) + 1, 9_000_000):
        for x in (data(n), noise(n), b"\0" * n, data(n // 2) + noise(n - n // 2)):
            made = run(x)
            assert lz4.frame.decompress(made) == x, n
            assert run(made, "-d") == x, n
            longer = max(longer, len(made) - n)
            for how in FRAMES.values():
                for size in (4, 5, 6, 7):
                    assert run(lz4.frame.compress(x, **how | {"block_size": size}), "-d") == x, (n, how)
                    counted += 1
            if n:
                assert run(legacy(x), "-d") == x, n
    # A frame that was written in pieces has blocks that are smaller than its largest.
    with lz4.frame.LZ4FrameCompressor(block_linked=True, auto_flush=True) as c:
        x = c.begin() + b"".join(c.compress(data(300_000)[i : i + 777]) for i in range(0, 300_000, 777)) + c.flush()
    assert run(x, "-d") == data(300_000)
    print(f"{counted} frames of lz4 {VERSION} are read, and ours by it, at most {longer} bytes longer than the data")


if lz4.__version__ != VERSION:
    sys.exit(f"lz4 {VERSION} is needed, not {lz4.__version__}")
check(sys.argv[2]) if sys.argv[1:2] == ["check"] else write()
