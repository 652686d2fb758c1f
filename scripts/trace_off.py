#!/usr/bin/env python3
"""Checks that the feature `trace` leaves nothing in the library when it is off. The script copies the package twice: once as it is, and
once without the module `trace` and the calls of the hook's macro. It compares the library's source after the expansion of all macros.
With `code` or `full` it compares instead, byte by byte, the objects of the library and of a small program that calls pointwise ops, row
ops, matrix ops, a fused chain and a user's body. With the feature on, the source must open spans and the code must differ; otherwise the
comparison would show nothing.

  scripts/trace_off.py          compares the expanded source, in seconds
  scripts/trace_off.py code     compares the machine code for CPUs at opt-level 1, in minutes
  scripts/trace_off.py full     compares the machine code at opt-level 3, with the interpreter's device, in three times as long
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from elf import ALLOC, Elf
from toolchain import CARGO_VARIABLES, ROOT, TARGET, Failure, Tally

STAGE = TARGET / "trace-off"
PROBE = """
use fulmen::*;
#[derive(Clone, Copy)]
struct Mine;
impl<T: Number> Body<T, 1> for Mine {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V { x.mul(x) }
}
type Done = Result<(), Error>;
#[inline(never)] pub fn relu_of(x: &[f32], y: &mut [f32]) -> Done { relu(x, y) }
#[inline(never)] pub fn relu_over(x: &mut [f32]) -> Done { relu_in_place(x) }
#[inline(never)] pub fn add_of(x: &[f32], y: &mut [f32]) -> Done { add(x, x, y) }
#[inline(never)] pub fn chain(x: &[f32], y: &mut [f32]) -> Done { map(Then(Add, Relu), [x, x], y) }
#[inline(never)] pub fn mine(x: &[f32], y: &mut [f32]) -> Done { map(Mine, [x], y) }
#[inline(never)] pub fn mine_over(x: &mut [f32]) -> Done { map_in_place(Mine, x) }
#[inline(never)] pub fn with_row(x: &[f32], y: &mut [f32]) -> Done { map_with_row(Add, x, x, y) }
#[inline(never)] pub fn rows(x: &[f32], y: &mut [f32]) -> Done { softmax(x, 8, y) }
#[inline(never)] pub fn number(x: &[f32]) -> Result<f32, Error> { dot(x, x) }
#[inline(never)] pub fn plain_number(x: &[f32]) -> f32 { sum(x) }
#[inline(never)] pub fn product(a: MatRef<f32>, c: MatMut<f32>, w: &mut [f32]) -> Done { gemm(1.0, a, a, 0.0, c, w) }
#[inline(never)] pub fn vector(a: MatRef<f32>, x: VecRef<f32>, y: VecMut<f32>) -> Done { gemv(1.0, a, x, 0.0, y) }
"""
DEVICE = """
use fulmen::gpu::{backend::Gpu, device::Host};
#[inline(never)] pub fn on_device(gpu: &Gpu<Host>, x: &[f32]) -> Result<(), gpu::device::Error> {
    let x = gpu.upload(x)?;
    let mut y = gpu.alloc::<f32>(x.len())?;
    gpu.relu(x.view(), y.view_mut())
}
"""


FULL = sys.argv[1:] == ["full"]


def stage(hook: bool) -> None:
    """Copies the package, with the hook or without its source, and writes the program that calls it."""
    shutil.rmtree(STAGE / "fulmen", ignore_errors=True)
    for part in ("src", "docs/crate.md", "Cargo.toml"):
        to = STAGE / "fulmen" / part
        to.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / part).is_dir() else shutil.copy)(ROOT / part, to)
    manifest = STAGE / "fulmen/Cargo.toml"
    text = re.sub(r"(?m)^(default-members|exclude) = .*\n", "", manifest.read_text())
    text = re.sub(r"(?m)^members = .*", "members = []", text)
    manifest.write_text(re.sub(r"(?ms)^\[\[(bin|test)\]\].*?(?=^\[)", "", text))
    (STAGE / "probe/src").mkdir(parents=True, exist_ok=True)
    (STAGE / "probe/src/lib.rs").write_text(PROBE + DEVICE if FULL else PROBE)
    (STAGE / "probe/Cargo.toml").write_text(
        '[package]\nname = "probe"\nversion = "0.0.0"\nedition = "2024"\n[features]\ntrace = ["fulmen/trace"]\n[workspace]\n'
        '[dependencies]\nfulmen = { path = "../fulmen", default-features = false, features = [FEATURES] }\n'.replace("FEATURES", '"gpu"' if FULL else "")
    )
    if hook:
        return
    shutil.rmtree(STAGE / "fulmen/src/trace")
    taken = 0
    for file in (STAGE / "fulmen/src").rglob("*.rs"):
        text = file.read_text()
        bare, n = re.subn(r"(?ms)^\s*(\$crate|crate)::forms::span!\(.*?\);\n", "", text)
        if n:
            file.write_text(bare)
        taken += n
    if taken < 5:
        raise Failure(f"only {taken} calls of the hook's macro were found")


def build(features: list[str]) -> dict[str, dict[str, tuple]]:
    """The loaded sections, the symbols and the relocations of the program's object and of each object of the library."""
    out = STAGE / "target"
    for old in [*out.glob("release/deps/*probe*"), *out.glob("release/deps/*fulmen*")]:
        old.unlink()
    env = {k: v for k, v in os.environ.items() if k not in CARGO_VARIABLES} | {"CARGO_TARGET_DIR": str(out), "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "1", "CARGO_PROFILE_RELEASE_OPT_LEVEL": "3" if FULL else "1"}
    command = ["cargo", "rustc", "--release", "--quiet", "--manifest-path", STAGE / "probe/Cargo.toml", *features, "--", "--emit=obj,link"]
    done = subprocess.run([*map(str, command)], env=env, capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"the program does not build: {done.stderr}")
    objects = {"probe": next(out.glob("release/deps/probe*.o")).read_bytes()}
    for name, data in members(next(out.glob("release/deps/libfulmen*.rlib"))):
        objects[name] = data
    loaded = lambda elf: {f"{i} {s.name}": (s.size, s.data) for i, s in enumerate(elf.sections) if s.flags & ALLOC or s.name.startswith((".symtab", ".strtab", ".rela"))}
    return {name: loaded(Elf(data)) for name, data in objects.items()}


def expanded(features: str) -> str:
    """The library's source after macro expansion. The compiler's option is unstable, so RUSTC_BOOTSTRAP enables it for this call."""
    env = {k: v for k, v in os.environ.items() if k not in CARGO_VARIABLES} | {"CARGO_TARGET_DIR": str(STAGE / "target"), "RUSTC_BOOTSTRAP": "1"}
    command = ["cargo", "rustc", "--profile=check", "--lib", "--quiet", "--manifest-path", str(STAGE / "fulmen/Cargo.toml"), "--features", features, "--", "-Zunpretty=expanded"]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    if done.returncode or len(done.stdout) < 1_000_000:
        raise Failure(f"{len(done.stdout)} bytes of expanded source: {done.stderr[-2000:]}")
    # The definition of the macro that calls the hook is printed, too; it differs, so it is removed.
    text, count = re.subn(r"(?s)macro_rules! named\b.*?(?=macro_rules!)", "", done.stdout)
    if count != 1:
        raise Failure(f"{count} macros `named` in the expanded source")
    # White space is removed, as it depends on the statements of a block, and so is the empty statement that an empty expansion leaves.
    return re.sub(r"\s+", "", text).replace("{;", "{")


def sources(tally: Tally) -> None:
    features = "std,parallel,gpu"
    stage(hook=False)
    without = expanded(features)
    stage(hook=True)
    off = expanded(features)
    if without != off:
        at = next((i for i, (a, b) in enumerate(zip(without, off)) if a != b), min(len(without), len(off)))
        pair = [text[max(at - 80, 0) : at + 80] for text in (without, off)]
        tally.wrong(f"without the feature, the hook changes the library's expanded source: {pair}")
    else:
        tally.check(f"{len(off)} bytes of expanded source are equal with and without the hook")
    opened = expanded(f"{features},trace").count("trace::Span::open(")
    if opened < 500:
        tally.wrong(f"with the feature only {opened} entries open a span: the comparison shows nothing")
    else:
        tally.check(f"with the feature {opened} entries open a span")


def members(archive: Path) -> list[tuple[str, bytes]]:
    """The ELF objects in an archive of `ar`."""
    data, at, long, found = archive.read_bytes(), 8, b"", []
    while at + 60 <= len(data):
        name, size = data[at : at + 16].decode().strip(), int(data[at + 48 : at + 58])
        body = data[at + 60 : at + 60 + size]
        at += 60 + size + size % 2
        if name == "//":
            long = body
        elif body[:4] == b"\x7fELF" and "rmeta" not in (name := long[int(name[1:]) :].split(b"/\n")[0].decode() if name[1:].isdigit() else name):
            found.append((re.sub(r"-[0-9a-f]{16}", "", name), body))
    return found


def differences(a: dict, b: dict) -> list[str]:
    found = sorted(a.keys() ^ b.keys())
    for name in sorted(a.keys() & b.keys()):
        found += [f"{name}: {section}" for section in sorted(a[name].keys() | b[name].keys()) if a[name].get(section) != b[name].get(section)]
    return found


def main() -> int:
    tally = Tally()
    if not sys.argv[1:]:
        sources(tally)
        return tally.finish()
    stage(hook=False)
    without = build([])
    stage(hook=True)
    off = build([])
    code = sum(size for name in off.values() for section, (size, _) in name.items() if " .text" in section)
    if code < 20_000:
        tally.wrong(f"only {code} bytes of code were compared: the objects were not found")
    if found := differences(without, off):
        tally.wrong(f"without the feature, the hook changes {len(found)} sections: {found[:8]}")
    else:
        tally.check(f"{code} bytes of code, {sum(map(len, off.values()))} sections with their symbols are equal with and without the hook")
    if not differences(off, build(["--features", "trace"])):
        tally.wrong("with the feature the code is the same: the comparison shows nothing")
    else:
        tally.check("with the feature the code differs")
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
