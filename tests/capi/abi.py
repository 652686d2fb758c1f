"""The routines of include/fulmen.h and how Python calls them."""

import ctypes
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INT_MIN, INT_MAX = -(2**31), 2**31 - 1
REAL = {"float": ctypes.c_float, "double": ctypes.c_double}
# Arguments that are one number, which Fortran passes by its address.
SCALARS = {"alpha", "beta"}
# What routines write even where nothing is computed: lengths of workspaces, codes, and results beside the name.
WRITTEN = {"info", "work", "iwork", "result"}
SIZES = {"m", "n", "k", "nrhs", "kl", "ku"}
WORDS = {
    "order": (101, 102),
    "trans": (111, 112, 113), "transa": (111, 112, 113), "transb": (111, 112, 113),
    "uplo": (121, 122), "diag": (131, 132), "side": (141, 142),
}
LETTERS = {
    "trans": "NTC", "transa": "NTC", "transb": "NTC", "uplo": "UL", "diag": "NU", "side": "LR",
    "jobz": "NV", "jobvl": "NV", "jobvr": "NV", "jobu": "ASON", "jobvt": "ASON",
}


@dataclass(frozen=True)
class Argument:
    name: str
    kind: str  # word, integer, scalar or pointer
    type: str


@dataclass(frozen=True)
class Routine:
    name: str
    result: str
    arguments: tuple[Argument, ...]

    @property
    def fortran(self) -> bool:
        return not self.name.startswith("cblas_")

    @property
    def lapack(self) -> bool:
        return any(a.name == "info" for a in self.arguments)

    @property
    def refuses(self) -> bool:
        """Whether it has an illegal argument: vectors of level 1 have none, a length of nothing is none."""
        return any(a.kind == "word" or a.name.startswith("ld") for a in self.arguments)

    def letters(self, name: str) -> str:
        if name == "jobz" and "gesdd" in self.name:
            return LETTERS["jobu"]
        return "NT" if name == "trans" and re.search("ormqr|gels", self.name) else LETTERS[name]

    def legal(self, a: Argument, x, values: dict) -> bool:
        """Whether this value is legal, whatever the others are."""
        if a.kind == "word":
            return x in (self.letters(a.name) if self.fortran else WORDS[a.name])
        if a.kind != "integer":
            return True
        if a.name in SIZES:
            return x >= 0
        if a.name.startswith("ld"):
            return x >= 1
        if a.name.startswith("inc"):
            return x != 0
        if a.name in ("lwork", "liwork"):
            return x >= 1 or -1 in (values.get("lwork"), values.get("liwork"))
        return a.name != "itype" or 1 <= x <= 3


def argument(text: str, fortran: bool) -> Argument:
    type_, name = re.fullmatch(r"(.*?)(\w+)", text.strip()).groups()
    type_ = type_.strip()
    base = type_.replace("const", "").replace("*", "").strip()
    if type_.startswith("CBLAS_") or base == "char":
        return Argument(name, "word", base)
    if type_ == "int" or (fortran and type_ == "const int *" and name != "ipiv"):
        return Argument(name, "integer", "int")
    if type_ in REAL or name in SCALARS:
        return Argument(name, "scalar", base)
    return Argument(name, "pointer", base)


def routines() -> list[Routine]:
    text = re.sub(r"/\*.*?\*/", "", (ROOT / "include/fulmen.h").read_text(), flags=re.S)
    found = []
    for result, name, inside in re.findall(r"^(void|int|float|double|size_t) (\w+)\(([^;]*)\);", text, re.M):
        if name != "fulmen_set_xerbla":
            inside = " ".join(inside.split())
            found.append(Routine(name, result, tuple(argument(a, not name.startswith("cblas_")) for a in inside.split(","))))
    if len(found) < 220:
        raise SystemExit(f"{len(found)} routines were found in include/fulmen.h: the search is broken")
    return found


def loaded(library: str) -> ctypes.CDLL:
    """The shared library of this path."""
    return ctypes.CDLL(os.path.abspath(library))


def silence() -> None:
    """Nothing more goes to standard error: illegal arguments are named there, and are what is looked for."""
    sys.stderr.flush()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def call(function, routine: Routine, values: dict):
    """Calls it. A pointer is a ctypes array, or `None`."""
    held, passed = [], []
    for a in routine.arguments:
        x = values.get(a.name)
        if a.kind == "pointer":
            passed.append(ctypes.c_void_p() if x is None else x)
            continue
        if a.kind == "word":
            x = ctypes.c_char(x.encode()) if routine.fortran else ctypes.c_int(x)
        elif a.kind == "integer":
            x = ctypes.c_int(x)
        else:
            # A complex number is passed by its address in C, too.
            x = (REAL.get(a.type, ctypes.c_double) * 2)(x, 0) if a.type == "void" or routine.fortran else REAL[a.type](x)
        held.append(x)
        by_address = routine.fortran or a.type == "void"
        passed.append(ctypes.byref(x) if by_address else x)
    function.restype = {"void": None, "int": ctypes.c_int, "size_t": ctypes.c_size_t, **REAL}[routine.result]
    return function(*passed)
