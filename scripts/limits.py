#!/usr/bin/env python3
"""Every limit of the library's code is in its documentation: what is refused, or given up, because of a number.

  scripts/limits.py     each line of code that refuses something for a number, or counts turns down, is listed here with the
                        sentence that says so; number and sentence are held against each other

A limit is found by its form: a comparison with a number or a constant within five lines before an error, or a multiple of a
size that is the most turns of an iteration.
"""

import re
import sys
from dataclasses import dataclass

from toolchain import ROOT, Tally


@dataclass
class Limit:
    """`code` has the number as its group; `said` is what `where` says of it, with `{}` for the number."""

    file: str
    code: str
    where: str
    said: str
    # Of the number that is the first to be refused, say.
    plus: int = 0


LIMITS = [
    # Iterations.
    Limit("src/solve/eigh.rs", r"iterate\(.*, n\.saturating_mul\((\d+)\)\)", "src/solve/eigh.rs", "[`Error::Convergence`] when {} sweeps for each value are not enough"),
    Limit("src/solve/secular.rs", r"const STEPS: usize = (\d+);", "src/solve/eigh.rs", "or {} steps for a root"),
    Limit("src/solve/svd.rs", r"iterate\(.*, n\.saturating_mul\((\d+)\)\)", "src/solve/svd.rs", "[`Error::Convergence`] when {} sweeps for each value are not"),
    Limit("src/solve/schur.rs", r"saturating_mul\((\d+)\)\.max\(\d+\)", "src/solve/schur.rs", "[`Error::Convergence`] when {} sweeps for each eigenvalue"),
    Limit("src/solve/schur.rs", r"saturating_mul\(\d+\)\.max\((\d+)\)", "src/solve/schur.rs", "(and {} for all of them"),
    Limit("src/gpu/template/jacobi.rs", r"const SWEEPS: u32 = (\d+);", "src/gpu/backend/solve.rs", "{} sweeps are not enough"),
    # Domains of arguments.
    Limit("src/traits.rs", r"\(2\.\.=(\d+)\)\.contains\(&radix\)", "src/traits.rs", "in a radix of 2 to {}"),
    Limit("src/view/image.rs", r"matches!\(channels, 1\.\.=(\d+)\)", "src/view/image.rs", "when they are not 1 to {}"),
    Limit("src/image/colour.rs", r"if channels < (\d+)", "src/image/colour.rs", "when it has fewer than {} channels"),
    Limit("src/image/kernel.rs", r"const MOST: usize = (\d+);", "src/image/kernel.rs", "when their number is even or above {}"),
    Limit("src/einsum/parse.rs", r"const EINSUM_OPERANDS: usize = (\d+);", "src/einsum/parse.rs", "a {}th operand", 1),
    Limit("src/einsum/parse.rs", r"const EINSUM_INDICES: usize = (\d+);", "src/einsum/parse.rs", "a {}rd index", 1),
    Limit("src/fft/window.rs", r"const MOST_BETA: f64 = (\d+)\.0;", "src/fft/window.rs", "From 0, ones, to {}"),
    Limit("src/fixed/activation.rs", r"if int_bits > (\d+) \{", "src/fixed/activation.rs", "[`Error::Domain`] when `int_bits` is above {}"),
    Limit("src/fixed/activation.rs", r"if int_bits > (\d+) \{", "contracts/fixed_tanh-v1.yaml", "int_bits of 0 to {}"),
    Limit("src/fixed/dot.rs", r"if shift > (\d+) \{", "src/fixed/dot.rs", "when it is above {}"),
    Limit("src/quant/block.rs", r"const LIMIT: f32 = (\d+)\.0;", "src/quant/ops.rs", "else {}"),
    Limit("src/quant/q8.rs", r"const LIMIT: f32 = (\d+)\.0;", "src/quant/ops.rs", "({} for `q8_1`"),
    Limit("src/lz4/mod.rs", r"pub const LZ4_BLOCK: usize = 1 << (\d+);", "src/lz4/mod.rs", "places within one are {} bits"),
    Limit("src/trace/profiler.rs", r"const DEPTH: usize = (\d+);", "src/trace/profiler.rs", "or {} bricks are open"),
    # Files.
    Limit("src/gguf/mod.rs", r"const MAX_DIMS: usize = (\d+);", "src/gguf/read.rs", "[`MAX_DIMS`]"),
    Limit("src/gguf/mod.rs", r"const MAX_NAMES: usize = 1 << (\d+);", "src/gguf/mod.rs", "[`MAX_NAMES`] keys and as many tensors"),
    Limit("src/gguf/mod.rs", r"const MAX_NAME: usize = \(1 << (\d+)\) - 1;", "src/gguf/mod.rs", "[`MAX_NAME`] bytes of a name"),
    Limit("src/gguf/read.rs", r"\((\d+)\.\.=3\)\.contains\(&version\)", "src/gguf/mod.rs", "versions {} and 3"),
    Limit("src/gguf/read.rs", r"\(2\.\.=(\d+)\)\.contains\(&version\)", "src/gguf/mod.rs", "versions 2 and {}"),
    Limit("src/gguf/read.rs", r"\*n >= (\d+) && n\.is_power_of_two", "src/gguf/mod.rs", "no power of two from {} up"),
    # Devices.
    Limit("src/gpu/template/gemm.rs", r"\(1\.\.=(\d+)\)\.contains\(&N\)", "src/gpu/template/gemm.rs", "inputs as it has, 1 to {}"),
    Limit("src/gpu/template/gemm.rs", r"all\(\|x\| \(1\.\.=(\d+)\)", "src/gpu/template/gemm.rs", "every size is 1 to {}"),
    Limit("src/gpu/template/gemm.rs", r"threads <= (\d+),", "src/gpu/template/gemm.rs", "whole warps, at most {}"),
    Limit("src/gpu/template/gemm.rs", r"\+ 32 <= (\d+),", "src/gpu/template/gemm.rs", "fits {} registers"),
    Limit("src/gpu/template/group.rs", r"\(8\.\.=(\d+)\)\.contains\(&self\.n\)", "src/gpu/template/group.rs", "columns by 8 up to {}"),
    Limit("src/gpu/template/group.rs", r"rows \* self\.n <= (\d+),?", "src/gpu/template/group.rs", "at most {} sums a group"),
    Limit("src/gpu/template/group.rs", r"\(2\.\.=(\d+)\)\.contains\(&self\.stages\)", "src/gpu/template/group.rs", "2 to {} stages"),
    Limit("src/gpu/backend/quant.rs", r"if words >= 1 << (\d+)", "src/gpu/backend/mod.rs", "fewer than 2^{} words"),
    Limit("src/gpu/backend/plan.rs", r"\*n <= 1 << (\d+)", "src/gpu/backend/mod.rs", "2^{} elements"),
    Limit("src/gpu/template/launch.rs", r"\(1\.\.=1 << (\d+)\)\.contains", "src/gpu/template/launch.rs", "(1 to 2^{})"),
    Limit("src/gpu/template/chain.rs", r"const LONGEST: u32 = 1 << (\d+);", "src/gpu/backend/mod.rs", "2^{} elements"),
    Limit("src/collective/nccl/library.rs", r"const NEEDED: c_int = 2(\d+)00;", "src/collective/nccl/library.rs", "all that is used here: 2.{}"),
    Limit("src/hardware/fusion.rs", r"const MAX_NODES: usize = (\d+);", "src/hardware/fusion.rs", "The most nodes of a graph"),
    Limit("src/hardware/fusion.rs", r"const MAX_CHAIN: usize = (\d+);", "src/hardware/fusion.rs", "[`MAX_CHAIN`]"),
]
# Lines that have the form of a limit: what they compare with is a constant above, or a value of the call that the error names.
OTHERS = {
    "src/einsum/named.rs": ["ranks.iter().all(|n| *n <= EINSUM_INDICES)", "< EINSUM_INDICES => self.out.push"],
    "src/trace/profiler.rs": ["depth >= DEPTH"],
    "src/collective/nccl/library.rs": ["found < NEEDED"],
    "src/fft/window.rs": ["!(0.0..=MOST_BETA).contains(&beta)"],
    "src/gpu/template/chain.rs": ["if size > LONGEST {", "> u64::from(LONGEST) {"],
    "src/gpu/template/launch.rs": ["ZERO_WORDS"],
    "src/hardware/fusion.rs": ["MAX_NODES", "MAX_CHAIN"],
    "src/gguf/read.rs": ["MAX_DIMS", "MAX_NAMES"],
    "src/gguf/value.rs": ["MAX_NAME"],
    "src/gguf/write.rs": ["MAX_NAME"],
    # The three forms of a problem that LAPACK documents.
    "src/capi/lapack/spectral.rs": ["!(1..=3).contains(&itype)"],
}
NO_LIBRARY = ("src/cli/", "src/contract/", "src/gpu/ptx/", "src/gpu/wgsl", "src/gpu/interpret", "src/lanes/tests/", "src/hardware/")
ERROR = re.compile(r"\bErr\(|Error::\w+|\.ok_or\(")
CONSTANT = r"[A-Z][A-Z_]{3,}[A-Z]"
NUMBER = rf"(?:\d[\d_]*(?:\.\d+)?(?: << \d+)?|{CONSTANT})"
COMPARED = re.compile(rf"(?:(?<![<>=:-])[<>]=? |\.\.=)({NUMBER})\b|\b({NUMBER}) [<>](?![<>])")
TURNS = re.compile(r"iterate\(.*saturating_mul\(\d+\)|let mut most = .*saturating_mul\(\d+\)")
# 0 and 1 are of the formulas.
TRIVIAL = re.compile(r"[01](\.0)?")


def candidates(text: str) -> set[str]:
    """Lines that have the form of a limit."""
    lines = [line.split("//")[0].strip() for line in text.split("#[cfg(test)]")[0].splitlines()]
    found = {line for line in lines if TURNS.search(line)}
    for i, line in enumerate(lines):
        if not ERROR.search(line) or "=>" in line.split("Error::")[0] and "matches!" in line:
            continue
        for near in lines[max(0, i - 5) : i + 1]:
            numbers = [a or b for a, b in COMPARED.findall(near)]
            if any(not TRIVIAL.fullmatch(number) for number in numbers):
                found.add(near)
    return found


def documentation(text: str, name: str) -> str:
    """What a reader sees: comments of documentation, in one line, or all of a contract; messages of errors."""
    if name.endswith(".yaml"):
        return text
    lines = [re.sub(r"^\s*//[/!] ?", "", line) for line in text.splitlines() if re.match(r"\s*//[/!]", line)]
    return " ".join([*lines, *re.findall(r'(?:what: |, |rule = )"([^"]*)"', text)])


def main() -> int:
    tally = Tally()
    texts = {str(path.relative_to(ROOT)): path.read_text() for path in sorted(ROOT.glob("src/**/*.rs"))}
    for limit in LIMITS:
        found = re.findall(limit.code, texts.get(limit.file, ""))
        if len(found) != 1:
            tally.wrong(f"{limit.file}: {len(found)} places are `{limit.code}`: scripts/limits.py lists one")
            continue
        text = texts.get(limit.where) or (ROOT / limit.where).read_text()
        said = limit.said.format(int(found[0]) + limit.plus)
        if said not in documentation(text, limit.where):
            tally.wrong(f"{limit.where} does not say `{said}` of the limit in {limit.file}")
    count = 0
    for name, text in texts.items():
        if name.startswith(NO_LIBRARY):
            continue
        for line in candidates(text):
            count += 1
            known = any(re.search(limit.code, line) for limit in LIMITS if limit.file == name)
            if not known and not any(part in line for part in OTHERS.get(name, [])):
                tally.wrong(f"{name}: a limit that scripts/limits.py does not list: {line}")
    if count < 10:
        tally.wrong(f"{count} limits were found: the search is broken")
    if not tally.failed:
        tally.check(f"{len(LIMITS)} limits of the code are in its documentation")
    return tally.finish(False)


if __name__ == "__main__":
    sys.exit(main())
