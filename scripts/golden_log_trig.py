"""Writes tests/golden/log_trig_f64.txt: arguments and exact values, the latter as the sum of two f64.

Needs mpmath. Lines: op, x, y (0 where the op takes one argument), high word, low word, all as hex bits.
"""
import random
import struct

from mpmath import mp, mpf

mp.prec = 1400  # sin and cos of arguments near 2^1023, and near multiples of pi
RANDOM = random.Random(1)


def bits(x):
    return f"{struct.unpack('<Q', struct.pack('<d', x))[0]:016x}"


def around(*points):
    """Each point and its neighbours."""
    for p in points:
        b = struct.unpack("<q", struct.pack("<d", p))[0]
        for d in (-1, 0, 1):
            yield struct.unpack("<d", struct.pack("<q", b + d))[0]


def spread(lo, hi, n):
    """n numbers in [lo, hi], even in their logarithm."""
    for _ in range(n):
        yield float(mpf(lo) * (mpf(hi) / lo) ** mpf(RANDOM.random()))


def both(xs):
    for x in xs:
        yield x
        yield -x


TINY, MIN, MAX = 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308
POSITIVE = [TINY, 3e-310, MAX, *around(MIN, 0.5**0.5, 2**0.5, 1.0, 2.0, 10.0), *spread(0.5, 2, 40), *spread(MIN, MAX, 20)]
# 6381956970095103 * 2^797 is the f64 nearest to a multiple of pi/2.
ANGLES = [
    TINY, MAX, 6381956970095103.0 * 2.0**797, *around(0.7853981633974483, 1.5707963267948966, 3.141592653589793, 820000.0),
    *(float(k * mp.pi / 2) for k in (3, 7, 1001, 65537, 524287, 524289, 2**31 + 1, 2**40 + 3)),
    *spread(1e-9, 1.6, 16), *spread(1, 820000, 16), *spread(820000, MAX, 24),
]
UNIT = [TINY, *around(0.5, 0.25), 1 - 2.0**-53, 1 - 2.0**-30, *spread(1e-9, 1, 24), *spread(0.4, 1, 24)]

ONE = {
    "ln": (mp.log, POSITIVE),
    "log2": (lambda x: mp.log(x) / mp.ln2, POSITIVE),
    "log10": (lambda x: mp.log(x) / mp.ln10, POSITIVE),
    "ln_1p": (mp.log1p, [*(-x for x in UNIT), *UNIT, *POSITIVE]),
    "sin": (mp.sin, list(both(ANGLES))),
    "cos": (mp.cos, list(both(ANGLES))),
    "tan": (mp.tan, list(both(ANGLES))),
    "asin": (mp.asin, list(both([*UNIT, 1.0]))),
    "acos": (mp.acos, list(both(UNIT)) + [-1.0]),
    "atan": (mp.atan, list(both([*UNIT, *around(1.0, 2.5), *spread(0.3, 4, 24), *spread(1, MAX, 8)]))),
    "asinh": (mp.asinh, list(both([*UNIT, *around(2.0**511), *spread(0.3, 9, 24), *spread(1, MAX, 8)]))),
    "acosh": (mp.acosh, [*(1 + x for x in spread(2.0**-51, 4, 40)), *around(2.0**511), *spread(1, MAX, 8)]),
    "atanh": (mp.atanh, list(both(UNIT))),
}


def powers():
    for x, n in ((1 + 2.0**-40, 24), (1 - 2.0**-20, 24), (1.5, 12), (1e300, 8), (3e-310, 8), (0.7, 12)):
        for _ in range(n):
            yield x, (RANDOM.random() * 2090 - 1070) / float(mp.log(x, 2))
    for x in (-3.0, -0.5, 7.0, 10.0):
        for y in (2.0, 3.0, -5.0, 101.0):
            yield x, y


def main():
    rows = []

    def row(op, x, y, exact):
        hi = float(exact)
        rows.append(f"{op} {bits(x)} {bits(y)} {bits(hi)} {bits(float(exact - mpf(hi)))}")

    for op, (f, xs) in ONE.items():
        for x in xs:
            row(op, x, 0.0, f(mpf(x)))
    for x, y in powers():
        row("pow", x, y, mp.power(mpf(x), mpf(y)))
    with open("tests/golden/log_trig_f64.txt", "w") as out:
        out.write("\n".join(rows) + "\n")


main()
