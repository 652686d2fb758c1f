#!/usr/bin/env python3
"""What the text of the sources keeps, which no compiler sees and a second of looking does: lengths of files, sizes that
are listed as thresholds, files that hold unsafe code, what may import networks, files that are no module. Prints each
finding.

  scripts/source.py [--write]    with --write the table of modules in docs/architecture.md is made anew
"""

import re
import subprocess
import sys
from functools import cache

from toolchain import ROOT, Failure, Tally, show_table

# The most lines that a file of ours has, and the README, which is read in five minutes.
LINES, README = 600, 140
WRITTEN = {".rs", ".py", ".js", ".mjs", ".c", ".h", ".inc", ".v", ".pl", ".sh"}
# Constants of the kernels that are no threshold: what they count does not depend on a size.
NO_THRESHOLDS = {
    "alu/math/trig.rs": "bits of a table",
    "lanes/amx.rs": "numbers of the system",
    "view/index.rs": "how much is written of a view",
    "lanes/tests/": "tests",
    "alu.rs": "formats",
    "buffer.rs": "an alignment",
    "contract/": "checks of builds with debug assertions",
    "capi/xerbla.rs": "letters of a name",
    "cli/": "the program",
    "trace/": "buckets of a histogram, and time",
    "einsum/parse.rs": "limits of an expression",
    "einsum/plan.rs": "limits of an expression",
    "fixed/table.rs": "entries of a table",
    "gguf/": "a file's limits",
    "gpu/": "texts for GPUs",
    "hardware/": "facts",
    "solve/secular.rs": "sums side by side, steps for a root",
    "image/kernel.rs": "a limit",
    "image/levels.rs": "levels of a byte",
    "image/warp/mod.rs": "a limit, and work",
    "lz4/": "the format",
    "quant/search.rs": "guesses of a scale",
    "sparse/market.rs": "a file's limits",
}
CONSTANT = re.compile(r"(?:pub(?:\(crate\)|\(super\))? )?const (\w+): usize = ")
# A comparison with a number, written out or shifted, that no point follows.
NUMBER = re.compile(r" [<>]=? (\d[\d_]*)(?: << (\d+))?(?![\d_.])")
# Lists of ops that tests/large does not sweep, and where their large sizes are.
SIZES_ELSEWHERE = {
    "for_each_attention_op": "tests/large/attention.rs",
    "for_each_complex": "tests/large/complex.rs",
    "for_each_contraction": "tests/large/contractions.rs",
    "for_each_convolution": "tests/large/transforms.rs",
    "for_each_pair": "tests/large/complex.rs",
    "for_each_rank": "tests/large/systems.rs",
    "for_each_reflection": "tests/large/systems.rs",
    "for_each_solver": "tests/large/systems.rs",
    "for_each_sparse_op": "tests/large/systems.rs",
    "for_each_spectrum": "tests/large/systems.rs",
    "for_each_transform": "tests/large/transforms.rs",
}
# What holds unsafe code; every other file is safe Rust.
UNSAFE = {
    "src/plain.rs",
    "src/fft/pass.rs",
    "src/fft/execute.rs",
    "src/fft/small.rs",
    "src/view.rs",
    "src/view/raw.rs",
    "src/view/vector.rs",
    "src/blas/gemv.rs",
    "src/blas/gemv_columns.rs",
    "src/blas/rank_update.rs",
    "src/blas/symv.rs",
    "src/capi/",
    "src/blas/transpose.rs",
    "src/nn/attention/panel.rs",
    "src/nn/attention/rows.rs",
    "src/blas/triangular_kernel.rs",
    "src/blas/gemm/amx.rs",
    "src/blas/gemm/amx_pack.rs",
    "src/blas/gemm/tiny.rs",
    "src/blas/gemm/int8.rs",
    "src/blas/gemm/int8_micro.rs",
    "src/blas/gemm/micro.rs",
    "src/blas/gemm/store.rs",
    "src/blas/gemm/strided.rs",
    "src/blas/gemm/small_n.rs",
    "src/blas/gemm/pack.rs",
    "src/blas/gemm/small_m.rs",
    "src/gpu/backend/state.rs",
    "src/gpu/cuda/engine.rs",
    "src/gpu/cuda/graph.rs",
    "src/gpu/cuda/tensor_map.rs",
    "src/gpu/cuda/mod.rs",
    "src/gpu/cuda/module.rs",
    "src/gpu/cuda/pinned.rs",
    "src/collective/nccl/",
    "src/gpu/device/",
    "src/gpu/wgpu.rs",
    "src/gpu/wgpu/pipeline.rs",
    "src/solve/rotations.rs",
    "src/sparse/csr.rs",
    "src/sparse/sell.rs",
    "src/sparse/spmv.rs",
    "src/random/stream.rs",
    "src/trace/",
    "src/lanes/",
}
# What may import networks: other families, and what all are made of, do not, as what they share stands below both.
ABOVE_NETWORKS = ("src/families.rs", "src/nn/", "src/parallel/", "src/backend/", "src/gpu/", "src/capi/")


@cache
def listed() -> list[str]:
    """The paths that git knows or would add. A walk of the folders would meet those that other jobs remove from target/."""
    known = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, text=True, capture_output=True, check=True)
    return [name for name in sorted(known.stdout.splitlines()) if (ROOT / name).is_file()]


@cache
def sources() -> dict[str, str]:
    """The files that people wrote, by their paths."""
    return {name: (ROOT / name).read_text() for name in listed() if name == "README.md" or (ROOT / name).suffix in WRITTEN}


def library() -> dict[str, str]:
    return {name: text for name, text in sources().items() if name.startswith("src/") and name.endswith(".rs")}


def within(name: str, places) -> str | None:
    """The file or folder among these that has this file."""
    return next((place for place in places if name == place or place.endswith("/") and name.startswith(place)), None)


def code(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.lstrip().startswith("//")]


def lengths(tally: Tally) -> str:
    """One concept a file. A generated file says so in its third line."""
    for name, text in sources().items():
        lines = text.splitlines()
        most = README if name == "README.md" else LINES
        if len(lines) > most and not lines[2].endswith("Do not edit."):
            tally.wrong(f"{name} has {len(lines)} lines, more than {most}")
    if len(sources()) < 500:
        tally.wrong(f"{len(sources())} files were found: the search is broken")
    return f"{len(sources())} files of at most {LINES} lines, a README of at most {README}"


def thresholds(tally: Tally) -> str:
    """A size at which a kernel takes another way is listed, so that the tests of large sizes go there."""
    named = set(re.findall(r"\b[a-z]\w*(?:::\w+)+", (ROOT / "src/thresholds.rs").read_text().replace("crate::", "")))
    found, others = 0, set()
    for path, text in library().items():
        name = path.removeprefix("src/")
        if other := within(name, NO_THRESHOLDS):
            others.add(other)
            continue
        module = name.removesuffix(".rs").removesuffix("/mod").replace("/", "::")
        for line in text.splitlines():
            if constant := CONSTANT.match(line):
                found += 1
                if f"{module}::{constant[1]}" not in named:
                    tally.wrong(f"{path}: `{constant[1]}` is neither in src/thresholds.rs nor among NO_THRESHOLDS of scripts/source.py")
                continue
            # Numbers in conditions are thresholds without a name.
            said = line.split("//")[0]
            sizes = [int(number.replace("_", "")) << int(shift or 0) for number, shift in NUMBER.findall(said)]
            checked = any(word in said for word in ("assert!", "debug_assert", "kani::")) or "0x" in line
            if any(size > 127 for size in sizes) and not checked:
                tally.wrong(f"{path}: a size without a name: {line.strip()}")
    if found <= 60:
        tally.wrong(f"{found} constants were found: the search is broken")
    for gone in NO_THRESHOLDS.keys() - others:
        tally.wrong(f"NO_THRESHOLDS of scripts/source.py names {gone}, which is not there")
    return f"{found} thresholds are listed"


def large_sizes(tally: Tally) -> str:
    """Every list of ops with calls of their own is run at large sizes, or it is said where its sizes are."""
    lists = re.findall(r"\$crate::(for_each_\w+)!", sources()["tests/common/nn.rs"])
    large = "".join(text for name, text in sources().items() if name.startswith("tests/large/"))
    for name in lists:
        if (f"{name}!(" in large) == (name in SIZES_ELSEWHERE):
            tally.wrong(f"{name} is either in tests/large or among SIZES_ELSEWHERE of scripts/source.py")
    for name, file in SIZES_ELSEWHERE.items():
        if file not in sources() or name not in lists:
            tally.wrong(f"SIZES_ELSEWHERE of scripts/source.py says {file} for {name}: one of them is not there")
    if len(lists) <= 15:
        tally.wrong(f"{len(lists)} lists of ops were found: the search is broken")
    return f"{len(lists) - len(SIZES_ELSEWHERE)} lists of ops are run at large sizes, {len(SIZES_ELSEWHERE)} by tests of their own"


def unsafe_code(tally: Tally) -> str:
    used = set()
    for name, text in library().items():
        places = sum(any(word in line for word in ("unsafe {", "unsafe fn", "unsafe impl")) for line in code(text))
        if places and not (allowed := within(name, UNSAFE)):
            tally.wrong(f"{name} has {places} unsafe places and is not in the list of scripts/source.py")
        elif places:
            used.add(allowed)
    for free in UNSAFE - used:
        tally.wrong(f"the list of scripts/source.py names {free}, which has no unsafe code")
    return f"unsafe code stays in {len(UNSAFE)} files and folders"


def imports(tally: Tally) -> str:
    importing = [name for name, text in library().items() if any("crate::nn::" in line for line in code(text))]
    for name in importing:
        if not name.startswith(ABOVE_NETWORKS):
            tally.wrong(f"{name} imports from src/nn")
    if len(importing) <= 5:
        tally.wrong(f"{len(importing)} files import from src/nn: the search is broken")
    return f"{len(importing)} files import networks, all above them"


# Harnesses of Kani: no fewer.
HARNESSES = 8


def harnesses(tally: Tally) -> str:
    """A harness of Kani draws its arguments and asserts something of them, itself or by a function of its file that it calls."""
    found = 0
    for name, text in library().items():
        text = "\n".join(code(text))
        bodies = [(at[1], body_of(text, at.end())) for at in re.finditer(r"\bfn (\w+)", text)]
        proofs = [body_of(text, at.end()) for at in re.finditer(r"#\[kani::proof\](?:\s*#\[[^]]*\])*\s*fn \w+", text)]
        asserting = {fn for fn, body in bodies if re.search(r"\bassert(_eq|_ne)?!\((?!\s*true\s*[,)])", body)}
        drawing = {fn for fn, body in bodies if "kani::any" in body}
        for body in proofs:
            called = set(re.findall(r"\bsuper::(\w+)\(", body))
            # Harnesses have the names of what they call: a function that only calls itself is no other.
            if not (re.search(r"\bassert(_eq|_ne)?!\(", body) or called & asserting):
                tally.wrong(f"{name}: a harness of Kani asserts nothing: {' '.join(body.split())[:120]}")
            if "kani::any" not in body and not set(re.findall(r"\b(\w+)\(", body)) & drawing:
                tally.wrong(f"{name}: a harness of Kani draws nothing: {' '.join(body.split())[:120]}")
            found += 1
    if found < HARNESSES:
        tally.wrong(f"{found} harnesses of Kani, fewer than {HARNESSES}")
    return f"{found} harnesses of Kani draw and assert"


def body_of(text: str, at: int) -> str:
    """What stands between the next braces that belong together."""
    start, depth = text.find("{", at), 0
    for end in range(start, len(text)):
        depth += (text[end] == "{") - (text[end] == "}")
        if depth == 0:
            return text[start : end + 1]
    return ""


def modules(tally: Tally) -> str:
    """A file that is no module is code that nobody compiles, or a test that nobody runs."""
    rust = {name: text for name, text in sources().items() if name.endswith(".rs")}
    named = set()
    for name, text in rust.items():
        folder, _, file = name.rpartition("/")
        # A module's files lie beside those that are roots, else in a folder of its name, or of a module that it writes out.
        own = f"{folder}/{file.removesuffix('.rs')}"
        for base in {folder, own, *(f"{folder}/{inner}" for inner in re.findall(r"\bmod (\w+) \{", text))}:
            named |= {f"{base}/{module}{end}" for module in re.findall(r"\bmod (\w+);", text) for end in (".rs", "/mod.rs")}
            named |= {resolved(base, path) for path in re.findall(r'(?:path = |include(?:_str)?!\()"([^"]+\.rs)"', text)}
    for manifest in (name for name in listed() if name.split("/")[-1] == "Cargo.toml"):
        folder = manifest.rpartition("/")[0]
        named |= {resolved(folder, path) for path in re.findall(r'path = "([^"]+\.rs)"', (ROOT / manifest).read_text())}
    # Programs that cargo finds by itself, and those of the gate's job for Kani.
    roots = re.compile(r"(.*/)?(src/(lib|main)|src/bin/\w+|src/bin/\w+/main|examples/\w+|examples/\w+/main|build)\.rs|tests/kani/\w+\.rs")
    for name in rust:
        if name not in named and not roots.fullmatch(name):
            tally.wrong(f"{name} is no module and no program")
    return f"{len(rust)} files are modules or programs"


# Lines of a chapter of the guide, and of an example of one thing.
CHAPTER, EXAMPLE = 80, 40


def front_door(tally: Tally) -> str:
    """A chapter of the guide is run and is in its table of contents; a small example is found from the documentation of what it shows."""
    names = listed()
    chapters = [name for name in names if re.fullmatch(r"docs/guide/(?!README)\w+\.md", name)]
    examples = [name for name in names if re.fullmatch(r"examples/small/(?!main)\w+\.rs", name)]
    contents = (ROOT / "docs/guide/README.md").read_text()
    pages = "".join(library().values())
    for name in chapters:
        if f'include_str!("../{name}")' not in sources()["src/lib.rs"]:
            tally.wrong(f"src/lib.rs does not run the examples of {name}")
        if f"({name.removeprefix('docs/guide/')})" not in contents:
            tally.wrong(f"docs/guide/README.md does not list {name}")
    for name in examples:
        if f"`{name}`" not in pages:
            tally.wrong(f"no documentation in src says `{name}`")
    for name, most in [(name, CHAPTER) for name in chapters] + [(name, EXAMPLE) for name in examples]:
        if (lines := len((ROOT / name).read_text().splitlines())) > most:
            tally.wrong(f"{name} has {lines} lines, more than {most}")
    if len(chapters) < 12 or len(examples) < 30:
        tally.wrong(f"{len(chapters)} chapters and {len(examples)} small examples were found: the search is broken")
    return f"{len(chapters)} chapters and {len(examples)} small examples are run and found"


def architecture(tally: Tally) -> str:
    """Every module of the crate by the first sentence of its own documentation, in the page that says what is where."""
    rows = []
    for module in re.findall(r"^(?:pub(?:\(crate\))? )?mod (\w+);", sources()["src/lib.rs"], re.M):
        file = next(name for name in (f"src/{module}.rs", f"src/{module}/mod.rs", f"src/{module}/lib.rs") if name in sources())
        said = " ".join(line[3:].strip() for line in sources()[file].split("\n\n")[0].splitlines() if line.startswith("//!"))
        sentence = re.split(r"(?<=[.])\s", said.split("  ")[0])[0]
        shown = file.removesuffix("/mod.rs") + ("/" if file.endswith("/mod.rs") else "")
        rows.append((shown, re.sub(r"\[(`[^`]*`)\](?:\((?:[^()]|\(\))*\))?", r"\1", sentence)))
    lines = ["| module | holds |", "|---|---|", *(f"| `{name}` | {said} |" for name, said in sorted(rows))]
    show_table("modules", "\n".join(lines) + "\n", tally, "--write" in sys.argv, "docs/architecture.md")
    return f"{len(rows)} modules are described"


def resolved(folder: str, path: str) -> str:
    parts = [part for part in folder.split("/") if part]
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        else:
            parts.append(part)
    return "/".join(parts)


def main() -> int:
    tally = Tally()
    for check in (lengths, thresholds, large_sizes, unsafe_code, imports, harnesses, modules, front_door, architecture):
        before = tally.failed
        try:
            held = check(tally)
        except Failure:
            continue
        if tally.failed == before:
            tally.check(held)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
