#!/usr/bin/env python3
"""The error codes of LAPACK's routines on small matrices, against those of a reference.

  codes.py LIBRARY                     compares every code with tests/golden/lapack_codes.txt
  codes.py LIBRARY --write             writes that file: LIBRARY is Netlib's own liblapack.so.3 (Debian 12's liblapack3 3.11.0)

A line of the file has a routine, a case and its `info`. Cases are arguments of every legal and illegal kind with memory
for all of them, and matrices with a zero pivot, a NaN or an infinity at each place in turn. OpenBLAS 0.3.30 is no such reference:
its own potrf factors NaN with `info` 0, where Netlib's stops.
"""

import argparse
import ctypes
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from abi import REAL, ROOT, Routine, call, loaded, routines, silence

GOLDEN = ROOT / "tests/golden/lapack_codes.txt"
ROOM = 512
NAN, INF = float("nan"), float("inf")
ORDER = 4
# Arguments drawn for each routine, from a seed of its own.
DRAWS = 60


def base(routine: Routine) -> str:
    return routine.name[1:-1]


def arguments(routine: Routine) -> Iterator[tuple[str, dict]]:
    """Legal and illegal ones, alone and together, matrices of ones with a large diagonal."""
    rng = random.Random(base(routine))
    for number in range(DRAWS):
        odd, values, largest = rng.choice((0, 0.15, 0.5)), {}, rng.choice((1, 3))
        for a in routine.arguments:
            if a.kind == "word":
                letters = routine.letters(a.name)
                values[a.name] = "x" if rng.random() < odd / 2 else rng.choice(letters + letters.lower())
            elif a.kind == "integer":
                wild = rng.random() < odd
                if a.name in ("lwork", "liwork"):
                    # Shorter ones than each of Netlib's paths needs are no rule of its documentation.
                    values[a.name] = rng.choice((-1, 0, -2)) if wild else ROOM // 2
                elif a.name == "itype":
                    values[a.name] = rng.choice((0, 4, -1)) if wild else rng.randint(1, 3)
                elif a.name.startswith("ld"):
                    values[a.name] = rng.choice((-1, 0, 1, 2)) if wild else 5
                else:
                    values[a.name] = rng.choice((-1, 0, 2)) if wild else largest
        yield f"arguments {number}", values


def dense(n: int) -> list[list[float]]:
    """Symmetric and positive definite, and each leading matrix well conditioned."""
    return [[n + 1.0 if i == j else ((i * 3 + j * 3 + i * j) % 5 - 2) / 4 for j in range(n)] for i in range(n)]


def changed(n: int, change: dict[tuple[int, int], float]) -> list[list[float]]:
    a = dense(n)
    for (i, j), x in change.items():
        a[i][j] = x
    return a


def own(uplo: str, i: int, j: int) -> bool:
    return i <= j if uplo == "U" else i >= j


def triangles(n: int, symmetric: bool) -> Iterator[tuple[str, str, list[list[float]]]]:
    """Of each triangle a matrix that has no factor, or a NaN or an infinity, for each place."""
    for uplo in "UL":
        yield uplo, "as it is", dense(n)
        yield uplo, "zeros", [[0.0] * n for _ in range(n)]
        for r in range(n):
            if symmetric:
                line = {p: 0.0 for k in range(n) for p in ((r, k), (k, r))}
                yield uplo, f"row {r} zero", changed(n, line)
            yield uplo, f"diagonal {r} negative", changed(n, {(r, r): -1.0})
            yield uplo, f"diagonal {r} zero", changed(n, {(r, r): 0.0})
        # The first of two reasons counts.
        for r, q in ((1, 2), (2, 1), (0, 3), (3, 0)):
            at = (r, 0) if uplo == "L" else (0, r)
            yield uplo, f"NaN in line {r} and diagonal {q} negative", changed(n, {(q, q): -1.0, at: NAN})
        for i in range(n):
            for j in range(n):
                yield uplo, f"NaN at {i},{j}", changed(n, {(i, j): NAN})
                if i != j:
                    yield uplo, f"infinity at {i},{j}", changed(n, {(i, j): INF})


def data(routine: Routine) -> Iterator[tuple[str, dict]]:
    name, n = base(routine), ORDER
    plain = {a.name: n for a in routine.arguments if a.kind == "integer"} | {"nrhs": 2, "lwork": ROOM // 2, "liwork": ROOM // 2, "itype": 1}
    if name in ("potrf", "posv", "sytrf", "sysv"):
        for uplo, what, a in triangles(n, name.startswith("sy")):
            # Which pivot a NaN stops Netlib's sytrf at, if at all, is in no documentation and follows from its exchanges.
            if name.startswith("sy") and any(x - x != 0 and own(uplo, i, j) for i, row in enumerate(a) for j, x in enumerate(row)):
                continue
            yield f"{uplo} {what}", plain | {"uplo": uplo, "a": a}
    elif name == "sygv":
        for itype in (1, 2, 3):
            for uplo, what, b in triangles(n, False):
                # What becomes of an infinity is another matrix's affair.
                if "inf" not in what:
                    yield f"{itype} {uplo} {what}", plain | {"itype": itype, "jobz": "NV"[itype % 2], "uplo": uplo, "a": dense(n), "b": b}
    elif name == "trtrs":
        for diag in "NU":
            for trans in "NTC":
                for uplo, what, a in triangles(n, False):
                    yield f"{uplo}{trans}{diag} {what}", plain | {"uplo": uplo, "trans": trans, "diag": diag, "a": a}
    elif name in ("getri", "potrs", "getrs", "sytrs"):
        for r in range(n):
            for x in (0.0, -1.0, NAN):
                words = {a.name: routine.letters(a.name)[r % 2] for a in routine.arguments if a.kind == "word"}
                yield f"{r} {x}", plain | words | {"a": changed(n, {(r, r): x})}
    elif name in ("getrf", "gesv"):
        yield "zeros", plain | {"a": [[0.0] * n for _ in range(n)]}
        for r in range(n):
            yield f"column {r} zero", plain | {"a": changed(n, {(i, r): 0.0 for i in range(n)})}
            yield f"row {r} zero", plain | {"a": changed(n, {(r, i): 0.0 for i in range(n)})}
            for i in range(n):
                yield f"NaN at {i},{r}", plain | {"a": changed(n, {(i, r): NAN})}
    elif name == "gels":
        for trans in "NT":
            for m, k in ((4, 4), (4, 3), (3, 4)):
                for r in range(min(m, k)):
                    zero = {(i, r) if m >= k else (r, i): 0.0 for i in range(4)}
                    yield f"{trans} {m}x{k} line {r} zero", plain | {"trans": trans, "m": m, "n": k, "a": changed(n, zero)}
    elif name == "gesdd":
        for jobz in "ASON":
            for m, k in ((4, 4), (4, 2), (2, 4)):
                yield f"{jobz} {m}x{k}", plain | {"jobz": jobz, "m": m, "n": k, "a": dense(n)}
                for i in range(m):
                    for j in range(k):
                        yield f"{jobz} {m}x{k} NaN at {i},{j}", plain | {"jobz": jobz, "m": m, "n": k, "a": changed(n, {(i, j): NAN})}


def info(library, routine: Routine, values: dict) -> int:
    real = REAL[next(a.type for a in routine.arguments if a.name == "a")]
    values, lda = dict(values), {"a": "lda", "b": "ldb"}
    for a in routine.arguments:
        given = values.get(a.name)
        if a.kind == "word":
            values.setdefault(a.name, routine.letters(a.name)[0])
        elif a.kind == "pointer" and a.type == "int":
            # Rows that stay where they are.
            values[a.name] = (ctypes.c_int * ROOM)(*range(1, ROOM + 1))
        elif a.kind == "pointer":
            to = values[a.name] = (real * ROOM)(*([1.0] * ROOM))
            ld = max(values.get(lda.get(a.name), ORDER), 1)
            for i, row in enumerate(given or dense(ORDER) if a.name in lda else []):
                for j, x in enumerate(row):
                    if i < ld:
                        to[i + j * ld] = x
    values["info"][0] = 99
    call(getattr(library, routine.name), routine, values)
    return values["info"][0]


def codes(library, letters: str) -> Iterator[tuple[str, int]]:
    for routine in routines():
        if routine.lapack and routine.name[0] in letters:
            for what, values in (*arguments(routine), *data(routine)):
                yield routine.name[0], f"{base(routine)}: {what}", info(library, routine, values)


def quiet_xerbla() -> None:
    """Netlib's own ends the process; one that is loaded before it takes its place."""
    with tempfile.TemporaryDirectory() as folder:
        source, stub = Path(folder) / "xerbla.c", Path(folder) / "xerbla.so"
        source.write_text("void xerbla_(void) {}\n")
        subprocess.run(["cc", "-shared", "-fPIC", source, "-o", stub], check=True)
        ctypes.CDLL(str(stub), mode=ctypes.RTLD_GLOBAL)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    if args.write:
        quiet_xerbla()
    library = loaded(args.library)
    silence()
    if args.write:
        GOLDEN.write_text("".join(f"{case}: {code}\n" for _, case, code in codes(library, "d")))
        return 0
    golden = dict(line.rsplit(": ", 1) for line in GOLDEN.read_text().splitlines())
    seen, wrong = 0, []
    for letter, case, code in codes(library, "sd"):
        seen += 1
        if golden.get(case) != str(code):
            wrong.append(f"{letter}{case}: info is {code}, and {golden.get(case)} in the reference")
    if seen != 2 * len(golden):
        wrong.append(f"{seen} codes were compared, and the reference has {len(golden)} in each precision")
    for line in wrong[:100]:
        print(line)
    print(f"codes of LAPACK: {seen} compared, {len(wrong)} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
