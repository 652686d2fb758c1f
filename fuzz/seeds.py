#!/usr/bin/env python3
"""Writes small valid WAV files of every form that examples/spectrum/wav.rs reads, from which `make fuzz` starts its target `wav`.

  fuzz/seeds.py FOLDER
"""

import itertools
import struct
import sys
from pathlib import Path

# The ends of the names of codings in the form WAVE_FORMAT_EXTENSIBLE.
NAMES = {"microsoft": "00001000800000aa00389b71", "ambisonic": "2107d3118644c8c1ca000000"}
# Name, number of the coding, bits and bytes of a number.
FORMS = [
    *((f"pcm{bits}in{n}", 1, bits, n) for bits, n in [(1, 1), (8, 1), (12, 2), (16, 2), (20, 3), (24, 3), (24, 4), (20, 4), (32, 4), (40, 5), (48, 6), (32, 8), (64, 8)]),
    ("float32", 3, 32, 4),
    ("float64", 3, 64, 8),
    ("alaw", 6, 8, 1),
    ("mulaw", 7, 8, 1),
]


def chunk(order: str, name: bytes, data: bytes, says: int | None = None) -> bytes:
    return name + struct.pack(order + "I", len(data) if says is None else says) + data + b"\0" * (len(data) % 2)


def numbers(order: str, coding: int, n: int, count: int) -> bytes:
    if coding == 3:
        return struct.pack(f"{order}{count}{'f' if n == 4 else 'd'}", *((-1) ** i * i / (count + 1) for i in range(count)))
    which = "little" if order == "<" else "big"
    return b"".join(((i * 0x9E3779B97F4A7C15 + 77) % (1 << (8 * n))).to_bytes(n, which) for i in range(count))


def head(order: str, coding: int, bits: int, n: int, channels: int, named: str = "") -> bytes:
    frame = n * channels
    plain = struct.pack(order + "HHIIHH", 0xFFFE if named else coding, channels, 8000, 8000 * frame, frame, bits)
    if not named:
        return plain if coding == 1 else plain + struct.pack(order + "H", 0)
    rest = bytes.fromhex(NAMES[named])
    name = struct.pack(order + "IHH", coding, *struct.unpack("<HH", rest[:4])) + rest[4:]
    return plain + struct.pack(order + "HHI", 22, bits, (1 << channels) - 1) + name


def file(order: str, form: tuple[str, int, int, int], channels: int, named: str = "", count: int = 5) -> tuple[bytes, bytes]:
    _, coding, bits, n = form
    return chunk(order, b"fmt ", head(order, coding, bits, n, channels, named)), numbers(order, coding, n, count * channels)


def riff(first: bytes, order: str, *chunks: bytes, says: int | None = None) -> bytes:
    body = b"WAVE" + b"".join(chunks)
    return first + struct.pack(order + "I", len(body) if says is None else says) + body


def all_seeds() -> dict[str, bytes]:
    seeds = {}
    for form, channels, (order, first) in itertools.product(FORMS, [1, 2, 3], [("<", b"RIFF"), (">", b"RIFX")]):
        for named in ["", "microsoft", "ambisonic"]:
            fmt, data = file(order, form, channels, named)
            seeds[f"{form[0]}-{channels}-{first.decode().lower()}{'-' * bool(named)}{named}"] = riff(first, order, fmt, chunk(order, b"data", data))
    plain = ("pcm16", 1, 16, 2)
    fmt, data = file("<", plain, 2)
    of = chunk("<", b"data", data)
    ones = 0xFFFFFFFF
    for first in [b"RF64", b"BW64"]:
        ds64 = chunk("<", b"ds64", struct.pack("<QQQI", 72 + len(data), len(data), 10, 0))
        seeds[first.decode().lower()] = riff(first, "<", ds64, fmt, chunk("<", b"data", data, ones), says=ones)
    listed = chunk("<", b"LIST", b"INFOISFT\5\0\0\0fuzz\0\0")
    seeds["other-chunks"] = riff(b"RIFF", "<", chunk("<", b"JUNK", bytes(28)), fmt, listed, chunk("<", b"odd ", b"abc"), of)
    seeds["fact"] = riff(b"RIFF", "<", *[chunk("<", b"fmt ", head("<", 3, 32, 4, 1)), chunk("<", b"fact", struct.pack("<I", 5)), chunk("<", b"data", numbers("<", 3, 4, 5))])
    seeds["piped"] = riff(b"RIFF", "<", fmt, chunk("<", b"data", data, ones), says=ones)
    seeds["cut"] = riff(b"RIFF", "<", fmt, of)[:-7]
    seeds["open"] = riff(b"RIFF", "<", fmt, chunk("<", b"data", data, 0), says=0)
    seeds["open-ones"] = riff(b"RIFF", "<", fmt, chunk("<", b"data", data, 0), says=ones)
    seeds["empty"] = riff(b"RIFF", "<", fmt, chunk("<", b"data", b""))
    seeds["frame"] = riff(b"RIFF", "<", chunk("<", b"fmt ", struct.pack("<HHIIHH", 1, 2, 8000, 8000, 7, 16)), of)
    high = b"".join(b"\0" + struct.pack("<i", i * 7777777)[1:] for i in range(6))
    seeds["padded-below"] = riff(b"RIFF", "<", chunk("<", b"fmt ", head("<", 1, 24, 4, 1)), chunk("<", b"data", high))
    low = b"".join(struct.pack("<i", i * 7777)[:3] + b"\0" for i in range(6))
    seeds["padded-above"] = riff(b"RIFF", "<", chunk("<", b"fmt ", head("<", 1, 24, 4, 1)), chunk("<", b"data", low))
    # Numbers that are refused by their place.
    wide = struct.pack("<4f", 0.5, float("nan"), float("inf"), 1e30)
    seeds["not-finite"] = riff(b"RIFF", "<", chunk("<", b"fmt ", head("<", 3, 32, 4, 2)), chunk("<", b"data", wide))
    return seeds


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    seeds = all_seeds()
    for name, data in seeds.items():
        (folder / f"{name}.wav").write_bytes(data)
    print(f"{len(seeds)} files in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
