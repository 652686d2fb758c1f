#!/usr/bin/env python3
"""Calls every routine of the C ABI with sizes that nobody means.

  hostile.py LIBRARY [--seed N] [--count N]

Words, sizes, leading dimensions, increments and lengths of workspaces are drawn from a seed, which is printed; matrices
and vectors are null pointers. A call with an illegal argument must name the first one, or an earlier one that is illegal
beside the others, and return: LAPACK's `info` has its position. Any other call may look at the null pointer, and must
not end the process in another way. Exchanges of rows that are out of range are refused with nothing written.
"""

import argparse
import ctypes
import os
import random
import resource
import signal
import sys

from abi import INT_MAX, INT_MIN, REAL, WORDS, WRITTEN, Routine, call, loaded, routines, silence

INTEGERS = (INT_MIN, INT_MIN + 1, -2, -1, 0, 1, 2, 3, 46341, INT_MAX - 1, INT_MAX)
# Larger than any length that a call here is to write.
ROOM = 64


def drawn(routine: Routine, rng: random.Random) -> dict:
    values = {}
    # Most calls have one or two odd arguments, some have only such.
    odd = rng.choice((0.1, 0.3, 1))
    for a in routine.arguments:
        if a.kind == "word":
            legal = routine.letters(a.name) if routine.fortran else WORDS[a.name]
            values[a.name] = rng.choice(("x", "\0") if routine.fortran else (0, -1, INT_MAX)) if rng.random() < odd / 4 else rng.choice(legal)
        elif a.kind == "integer":
            usual = (1, 2, INT_MAX) if a.name[:2] == "ld" else (-1, 1) if a.name[-5:] == "lwork" or a.name == "liwork" else (1, 2, 3)
            values[a.name] = rng.choice(INTEGERS if rng.random() < odd else usual)
        elif a.kind == "scalar":
            values[a.name] = rng.choice((0.0, 1.0, -2.5, float("nan"), float("inf")))
        elif a.name in WRITTEN:
            values[a.name] = (ctypes.c_int * ROOM)(9) if a.type == "int" else (REAL.get(a.type, ctypes.c_double) * ROOM)()
    return values


def shown(routine: Routine, values: dict) -> str:
    return f"{routine.name}({', '.join(f'{k}={v}' for k, v in values.items() if not isinstance(v, ctypes.Array))})"


class Handler:
    """What the library names an illegal argument to."""

    def __init__(self, library) -> None:
        self.position = 0
        self.function = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_int)(self.named)
        library.fulmen_set_xerbla(self.function)

    def named(self, _name: bytes, position: int) -> None:
        self.position = position


def apart(work) -> tuple[int, str]:
    """The signal that ended a process of its own in which this ran, and what it returned."""
    reads, writes = os.pipe()
    if not (child := os.fork()):
        os.close(reads)
        try:
            os.write(writes, (work() or "").encode())
        finally:
            os._exit(0)
    os.close(writes)
    with os.fdopen(reads) as text:
        said = text.read()
    return os.waitpid(child, 0)[1] & 0x7F, said


def refused(library, handler: Handler, routine: Routine, values: dict) -> str:
    """What is wrong with how this call is refused."""
    first = next(i for i, a in enumerate(routine.arguments, 1) if not routine.legal(a, values.get(a.name), values))
    handler.position = 0
    call(getattr(library, routine.name), routine, values)
    if not 1 <= handler.position <= first:
        return f"{shown(routine, values)}: argument {first} is illegal and {handler.position or 'none'} was named"
    if routine.lapack and values["info"][0] != -handler.position:
        return f"{shown(routine, values)}: info is {values['info'][0]} and argument {handler.position} was named"
    return ""


def exchanges(library, handler: Handler, rng: random.Random) -> list[str]:
    """Rows that do not exist in `ipiv`."""
    wrong = []
    for routine in routines():
        names = [a.name for a in routine.arguments]
        if "ipiv" not in names or not routine.name[1:].startswith(("getrs", "getri", "sytrs")):
            continue
        at = names.index("ipiv") + 1
        for _ in range(40):
            n, values = rng.randint(1, 5), {}
            real = REAL[next(a.type for a in routine.arguments if a.name == "a")]
            ipiv = [rng.randint(i, n) for i in range(1, n + 1)]
            ipiv[rng.randrange(n)] = bad = rng.choice((INT_MIN, INT_MIN + 1, -n - 1, 0, n + 1, INT_MAX))
            for a in routine.arguments:
                if a.kind == "word":
                    values[a.name] = rng.choice(routine.letters(a.name))
                elif a.kind == "integer":
                    values[a.name] = {"nrhs": 2, "lwork": ROOM}.get(a.name, n)
                elif a.type == "int":
                    values[a.name] = (ctypes.c_int * ROOM)(*(ipiv if a.name == "ipiv" else (9,)))
                else:
                    values[a.name] = (real * ROOM)(*(rng.uniform(1, 2) for _ in range(ROOM)))
            before = {k: bytes(v) for k, v in values.items() if k in ("a", "b")}
            handler.position = 0
            call(getattr(library, routine.name), routine, values)
            if values["info"][0] != -at or handler.position != at:
                wrong.append(f"{shown(routine, values)}: info is {values['info'][0]} with {bad} in ipiv")
            if any(bytes(values[k]) != old for k, old in before.items()):
                wrong.append(f"{shown(routine, values)} wrote before it refused {bad} in ipiv")
    return wrong


def queries(library, rng: random.Random) -> list[str]:
    """Lengths that a query gives in single precision are no shorter than in double precision, where they are exact: a caller
    allocates what it is told, and that must not be refused."""
    wrong, all_ = [], {routine.name: routine for routine in routines()}
    for name, routine in all_.items():
        if not name.startswith("s") or not any(a.name == "lwork" for a in routine.arguments):
            continue
        for _ in range(40):
            n, lengths = rng.randint(2000, 40000), []
            words = {a.name: rng.choice(routine.letters(a.name)) for a in routine.arguments if a.kind == "word"}
            if "jobu" in words and words["jobu"] == words["jobvt"] == "O":
                continue
            for twin in (routine, all_["d" + name[1:]]):
                values = words | {a.name: n for a in twin.arguments if a.kind == "integer"} | {"lwork": -1, "liwork": -1, "itype": 1}
                values["work"] = (REAL[next(a.type for a in twin.arguments if a.name == "a")] * ROOM)()
                values |= {"info": (ctypes.c_int * ROOM)(9), "iwork": (ctypes.c_int * ROOM)()}
                call(getattr(library, twin.name), twin, values)
                lengths.append(int(values["work"][0]))
                if values["info"][0]:
                    wrong.append(f"{shown(twin, values)}: info of a query is {values['info'][0]}")
            if not 0 < lengths[1] <= lengths[0] < 1.001 * lengths[1] + 2:
                wrong.append(f"{name} with {n} asks for {lengths[0]}, and in double precision for {lengths[1]}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    parser.add_argument("--count", type=int, default=60, help="calls of each routine")
    args = parser.parse_args()
    print(f"hostile calls: --seed {args.seed}", flush=True)
    rng = random.Random(args.seed)
    library = loaded(args.library)
    handler = Handler(library)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Scratch of the largest sizes is not to be had.
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 2**28, resource.RLIM_INFINITY))
    wrong, calls = [], 0
    for routine in routines():
        drawn_ = [drawn(routine, rng) for _ in range(args.count)]
        calls += len(drawn_)
        is_refused = lambda v: routine.refuses and not all(routine.legal(a, v.get(a.name), v) for a in routine.arguments)
        for values in (v for v in drawn_ if not is_refused(v)):
            def once(values=values):
                silence()
                signal.alarm(20)
                call(getattr(library, routine.name), routine, values)
            by, _ = apart(once)
            if by not in (0, signal.SIGSEGV, signal.SIGBUS):
                wrong.append(f"{shown(routine, values)} ended the process by {signal.Signals(by).name}")

        def all_refused():
            for values in filter(is_refused, drawn_):
                # What was read last is what ended the process.
                os.write(log, (shown(routine, values) + "\n").encode())
                if said := refused(library, handler, routine, values):
                    return said
        log = os.memfd_create("calls")
        by, said = apart(all_refused)
        if by:
            last = os.pread(log, 1 << 20, 0).decode().splitlines()[-1]
            wrong.append(f"{last} ended the process by {signal.Signals(by).name}")
        elif said:
            wrong.append(said)
        os.close(log)
    by, said = apart(lambda: "\n".join(exchanges(library, handler, rng) + queries(library, rng)))
    wrong += [f"exchanges ended the process by {signal.Signals(by).name}"] if by else said.splitlines()
    for line in wrong[:40]:
        print(line)
    print(f"hostile calls: {calls} of {len(routines())} routines, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
