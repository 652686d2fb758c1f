#!/usr/bin/env python3
"""The worst error of each op beside what its contract allows: docs/accuracy.md.

  FULMEN_ERRORS=/tmp/errors cargo test -p fulmen-tests --features std,half,parallel
                                  the tests append the worst share of its bound that each of them saw
  scripts/accuracy.py table /tmp/errors [--write]
                                  the table of these
  scripts/accuracy.py check       the table has every op, the bounds that the contracts have now, no share above 1, and none below
                                  a thirtieth without a reason in the contract (`reason_for_wide_bound`)
  scripts/accuracy.py ran /tmp/errors
                                  so has a run of the tests: no op lacks an entry, and none is far above the table
"""

import argparse
import math
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from toolchain import ROOT, Failure, Tally

DOCS = ROOT / "docs/accuracy.md"
LOW = 1 / 30
# A run on other lanes may see more than the table says, but not so many times.
NEWS = 2
# Ops on units that few machines have: without one there is nothing to measure.
UNITS = {"gemm_bf16_amx": "AMX", "gemm_f32_amx3": "AMX"}
# Languages of devices, whose bounds `tests/devices` holds.
DEVICES = ("wgsl", "tensor")
PER = {"one": "", "root": "√n", "n": "n", "log": "log₂ n", "tree": "depth"}


@dataclass
class Bound:
    """Of an op's results (`name` is empty), or of a residual: text and, for multiples of u, how they grow."""

    op: str
    name: str
    text: str
    unit: str
    reason: str
    types: list[str] = field(default_factory=list)
    # Multiples of the unit: times, per, plus.
    k: tuple[float, str, float] | None = None
    exact: bool = False
    # Correctly rounded: tests compare bits with a rounded reference.
    rounded: bool = False
    # Other types of the op have another bound.
    apart: bool = False
    test: str = ""

    def label(self) -> str:
        """What tells it from others of the op."""
        return self.name or (" ".join(self.types) if self.apart else "")

    def multiple(self, n: int) -> float:
        times, per, plus = self.k
        return times * count(per, n) + plus


def count(per: str, n: int) -> float:
    """As `Per::count` of the library."""
    if per == "tree":
        return min(n, 8192 / 4 + 8) + (math.ceil(math.log2(n / 8192)) + 1 if n > 8192 else 0)
    return {"one": 1, "root": math.sqrt(n), "n": n, "log": math.ceil(math.log2(max(n, 1)))}[per]


def number(x: float) -> str:
    return f"{x:.6g}"


def grows(times: float, per: str, plus: float) -> str:
    """`(2 √n + 4)`."""
    parts = [] if times == 0 or per == "one" else [PER[per] if times == 1 else f"{number(times)} {PER[per]}"]
    plus += times if per == "one" else 0
    text = " + ".join([*parts, *([number(plus)] if plus or not parts else [])])
    return f"({text})" if parts else text


def value(text: str, key: str) -> str:
    found = re.search(rf'\b{key}: (?:"([^"]*)"|([^,}}\s]+))', text)
    if not found:
        raise Failure(f"no `{key}` in {text}")
    return found[1] if found[1] is not None else found[2]


def tolerance(op: str, text: str, reason: str) -> Bound:
    if text == "exact":
        return Bound(op, "", "exact", "", reason, exact=True)
    form = re.match(r"\{(\w+): ", text)[1]
    if form == "gamma":
        k = (float(value(text, "times")), value(text, "per"), float(value(text, "plus")))
        of = value(text, "of").replace("_", " ")
        return Bound(op, "", f"{grows(*k)} u · {of}", "u", reason, k=k)
    if form == "compensated":
        return Bound(op, "", f"2 u · value + 2 n u² · {value(text, 'of').replace('_', ' ')}", "of it", reason)
    if form == "rel_abs":
        return Bound(op, "", f"{number(float(value(text, 'rel')))} of the value, or {number(float(value(text, 'abs')))}", "of it", reason)
    most = float(value(text, form))
    return Bound(op, "", f"{number(most)} {'ulp' if form == 'ulp' else 'of the value' if form == 'rel' else ''}".strip(), {"ulp": "ulp", "rel": "rel"}.get(form, "abs"), reason, k=(0, "one", most), rounded=(form, most) == ("ulp", 0.5))


# The promises that several contracts make.
NAMED = (ROOT / "contracts/promises.yaml").read_text()


def bounds() -> list[Bound]:
    """Of every contract, the types that share a bound together."""
    found = []
    for path in sorted(ROOT.glob("contracts/*-v1.yaml")):
        text = path.read_text()
        op = re.search(r"^op: (\w+)$", text, re.M)[1]
        reason = re.search(r'^reason_for_wide_bound: "(.*)"$', text, re.M)
        # The first promise is that of the edge cases: the op's own, or that of its shape.
        shape = re.search(r"\bshape: (\w+)", text)[1]
        listed = [re.search(r"^promises:\n((?:  .*\n)+)", part, re.M) for part in (text, (ROOT / f"contracts/shapes/{shape}.yaml").read_text())]
        first = next(promises[1] for promises in listed if promises and not promises[1].startswith("  - of_shape\n"))
        name = re.match(r"  - (?:promise: |\{promise: )?([\w.]+)(?:,|$)", first, re.M)
        said = re.search(rf"^{re.escape(name[1])}:\n((?:  .*\n)+)", NAMED, re.M)[1] if name and name[1] != "type" else first
        test = re.search(r'\btest: "?([^\s,"]+)', said)
        by: dict[str, Bound] = {}
        lines = re.search(r"^tolerance:\n((?:  .*\n)+)", text, re.M)[1]
        for ty, form in re.findall(r"^  (\w+): (.*)$", lines, re.M):
            if ty not in DEVICES:
                bound = by.setdefault(form, tolerance(op, form, reason[1] if reason else ""))
                bound.types.append(ty)
                bound.test = test[1].replace("{op}", op) if test else ""
        for bound in by.values():
            bound.apart = len(by) > 1
        found += by.values()
        types = [ty for bound in by.values() for ty in bound.types]
        block = re.search(r"^residuals:\n((?:  - .*\n)+)", text, re.M)
        for line in block[1].splitlines() if block else []:
            k = (float(value(line, "times")), value(line, "per"), float(value(line, "plus")))
            why = re.search(r'reason_for_wide_bound: "([^"]*)"', line)
            said = f"{value(line, 'error')} ≤ {grows(*k)} u · {value(line, 'of')}"
            found.append(Bound(op, value(line, "name"), said, "u", why[1] if why else "", types, k))
    if len(found) < 250:
        raise Failure(f"{len(found)} bounds in contracts/: the search is broken")
    return found


@dataclass
class Seen:
    share: float
    n: int
    compared: int
    where: str


def seen(log: str, drawn: bool) -> dict[tuple[str, str, str], Seen]:
    """By op, bound and type; with the cases that a seed of the run drew, or without."""
    worst: dict[tuple[str, str, str], Seen] = {}
    for line in log.splitlines():
        op, ty, lane, name, share, n, compared, kind, test = line.split("\t")
        if kind == "drawn" and not drawn:
            continue
        at = Seen(float(share), int(n), int(compared), f"{lane}, `{test}`")
        old = worst.get((op, name, ty))
        if old is None or at.share > old.share:
            worst[op, name, ty] = at
        worst[op, name, ty].compared = at.compared + (old.compared if old else 0)
    if not worst:
        raise Failure("the log has no error of any op")
    return worst


def of(bound: Bound, worst: dict[tuple[str, str, str], Seen]) -> list[tuple[str, Seen]]:
    """The errors of a bound by type, where a test noted any."""
    return [(ty, worst[bound.op, bound.name, ty]) for ty in bound.types if (bound.op, bound.name, ty) in worst]


def cell(bound: Bound, at: Seen) -> str:
    """The worst error in the unit of the bound."""
    if bound.unit == "of it" or bound.k is None:
        return f"{at.share:.2g} of it"
    k = at.share * bound.multiple(at.n)
    grown = bound.k[0] and bound.k[1] != "one"
    k = f"{k:.0f}" if k >= 99.5 else f"{k:.2g}"
    return f"{k}{'' if bound.unit == 'rel' else f' {bound.unit}'}{f' (n = {at.n})' if grown and at.share else ''}"


def row(bound: Bound, worst: dict[tuple[str, str, str], Seen]) -> str:
    name = f"`{bound.op}`" + (f", {bound.label()}" if bound.label() else "")
    if bound.exact:
        return f"| {name} | exact | 0 | | bits: `{bound.test}` | |"
    there = of(bound, worst)
    if bound.op in UNITS and not there:
        return f"| {name} | {bound.text} | | | this machine lacks {UNITS[bound.op]} | |"
    if not there:
        raise Failure(f"{bound.op} {bound.name}: no test noted an error of {bound.types}")
    most = max((at for _, at in there), key=lambda at: at.share)
    if bound.rounded and most.share == 0:
        return f"| {name} | {bound.text} | correctly rounded | | bits: `{bound.test}` | |"
    cells = "; ".join(f"{ty} {cell(bound, at)}" for ty, at in there)
    escape = lambda text: text.replace("|", "\\|")
    return f"| {name} | {escape(bound.text)} | {cells} | {most.share:.3f} | {most.where} | {bound.reason} |"


HEAD = """# Accuracy

The worst error of every op that the tests see on a CPU, beside what its contract allows (`contracts/<op>-v1.yaml`), and beside the
bounds of residuals, which solvers have. `scripts/accuracy.py table LOG --write` makes this file of what the tests note; `make check`
holds it against the contracts, and the gate against a run.

- **Data**: random, whole and tied numbers; graded over up to sixty binades; close about a number that is large beside their spread; scaled
  by 2²⁵ and 2⁻²⁵, and to the ends of the range where an op has a path for them; all exponents for functions of one number. Matrices are
  random, graded by rows, columns and both, Hilbert's, Kahan's, Frank's, Wilkinson's, companions, defective, repeated, of low rank,
  nearly singular, zero, and scaled to the ends of the range.
- **Bound**: `u` is half the distance from 1 to the next number of the type, `k u` stands for Higham's γ_k = k u / (1 − k u). `n` is the
  length that the contract names, `depth` the longest path of a reduction's tree, at most 2056 + log₂(n / 8192) + 1. `terms`, `value` and the
  other quantities are those of [the contracts](../contracts/README.md). Bounds that grow with √n are statistical: they take rounding
  errors to be independent of each other with a mean of zero (N. Higham, T. Mary: A New Approach to Probabilistic Rounding Error Analysis, 2019); in the worst case n stands
  in its place.
- **Worst**: in the unit of the bound, with the length where that grows. References are in double-doubles for functions, reductions, rows and products
  of matrices, in `f64` for others: there an error of `f64` is the difference of two computations.
- **Share**: of the bound that it met, of the type that has the larger one. A bound that is met less than a thirtieth has its reason beside it.

Devices are held to the same contracts by `tests/devices`, and to what the contracts state for WGSL and tensor cores.

| op | bound | worst | share | lane and test | why the bound is more than 30 times that |
|---|---|---|--:|---|---|
"""


def table(log: str) -> str:
    worst = seen(log, drawn=False)
    return HEAD + "\n".join(row(bound, worst) for bound in bounds()) + "\n"


def rows(text: str) -> dict[tuple[str, str], list[str]]:
    """Cells by op and bound's name."""
    found: dict[tuple[str, str], list[str]] = {}
    for line in text.splitlines():
        if match := re.match(r"\| `(\w+)`(?:, ([\w ]+))? \| ", line):
            found.setdefault((match[1], match[2] or ""), [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[2:-1]])
    return found


def held(what: str, bound: Bound, share: float, tally: Tally) -> None:
    if not share <= 1:
        tally.wrong(f"{what}: {share:g} of the bound")
    if share < LOW and not bound.reason:
        tally.wrong(f"{what}: the bound is {1 / share if share else math.inf:.0f} times the worst error and the contract has no `reason_for_wide_bound`")


def check(tally: Tally) -> None:
    found = rows(DOCS.read_text())
    names = {(bound.op, bound.label()) for bound in bounds()}
    for bound in bounds():
        what = f"docs/accuracy.md: {bound.op} {bound.label()}".strip()
        cells = found.get((bound.op, bound.label()))
        if cells is None:
            tally.wrong(f"{what} has no line")
            continue
        said, _, share, _, why = cells
        if said.replace("\\|", "|") != bound.text or why != ("" if bound.exact else bound.reason):
            tally.wrong(f"{what} is not what the contract states now: write the table again")
        if share:
            held(what, bound, float(share), tally)
            if bound.reason and float(share) > 2 * LOW:
                tally.wrong(f"{what}: a reason for a bound that is met")
        elif not (bound.exact or bound.rounded or bound.op in UNITS):
            tally.wrong(f"{what} has no share")
    for gone in found.keys() - names:
        tally.wrong(f"docs/accuracy.md has {gone}, which no contract has")
    if not tally.failed:
        tally.check(f"{len(names)} bounds stand beside the worst errors, none met more than {1 / LOW:.0f} times over without a reason")


def ran(log: str, tally: Tally) -> None:
    worst, same, found = seen(log, drawn=True), seen(log, drawn=False), rows(DOCS.read_text())
    for bound in bounds():
        what = f"{bound.op} {bound.name}".strip()
        there = of(bound, worst)
        if not there:
            if not bound.exact and bound.op not in UNITS:
                tally.wrong(f"{what}: no test noted its errors")
            continue
        share = max(at.share for _, at in there)
        if not share <= (0 if bound.exact else 1):
            tally.wrong(f"{what}: {share:g} of the bound")
        # Cases that are the same in each run.
        share = max((at.share for _, at in of(bound, same)), default=0)
        said = found.get((bound.op, bound.label()), ["", "", ""])[2]
        if said and share > NEWS * float(said) and share > LOW:
            tally.wrong(f"{what}: {share:.3f} of the bound, more than the {said} of docs/accuracy.md: write the table again")
    if not tally.failed:
        tally.check(f"{len(worst)} worst errors of this run are within their bounds and near docs/accuracy.md")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["table", "check", "ran"])
    parser.add_argument("log", nargs="?", type=Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    tally = Tally()
    try:
        if args.command != "check" and not args.log:
            parser.error(f"{args.command}: which log?")
        if args.command == "table":
            text = table(args.log.read_text())
            if not args.write:
                print(text, end="")
                return 0
            DOCS.write_text(text)
        if args.command == "ran":
            ran(args.log.read_text(), tally)
        else:
            check(tally)
    except Failure as why:
        if not tally.failures:
            tally.wrong(str(why))
    return tally.finish(False)


if __name__ == "__main__":
    sys.exit(main())
