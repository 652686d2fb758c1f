#!/usr/bin/env python3
"""Trains the llm example for some steps on this repository's text and lets it write: natively with one thread and
with two, on ARM64 in qemu, and as WebAssembly in Node. All must write the same text, and so with weights in blocks.

Usage: llm.py [STEPS] [--strict] (default 60)
"""

import re
import sys

from toolchain import MODULE, ROOT, TARGET, Failure, Missing, Tally, Toolchain, host, levels, need, printed

PROMPT = "The error of a "
COUNT = 60
# One whose blocks fit into the rows of the default model.
FORMAT = "q4_0"
# Of the text that is learnt: what the repository says in words.
FILES = ["README.md", "CONTRIBUTING.md", "contracts/README.md", "src/blas/gemm/mod.rs", "src/view.rs", "src/alu.rs"]

PACKAGE = ROOT / "wasm/llm"
MANIFEST = ["--manifest-path", PACKAGE / "Cargo.toml"]
PROGRAM = ["--release", "--bin", "llm", *MANIFEST]

# With what `cargo run --release` builds, which another job of the gate runs, but for the library and the program: hardly optimised
# they are compiled in a third of the time.
OURS = [word for package in ("fulmen", "fulmen-tokens", "fulmen-examples") for word in ("--config", f"profile.release.package.{package}.opt-level=1")]
NATIVE = ["--release", "--target", host(), "-p", "fulmen-examples", "--bin", "llm", "--features", "parallel,avx512", *OURS]
# Beyond the host texts alone are compared, after a few seconds of computing.
ARM = ["--config", "profile.release.opt-level=1", *levels("release", 0, 1)]


def main() -> int:
    args = [a for a in sys.argv[1:] if a != "--strict"]
    steps = args[0] if args else "60"
    tally = Tally()
    work = TARGET / "llm"
    work.mkdir(parents=True, exist_ok=True)
    text, model = work / "text", work / "model.gguf"
    text.write_text("\n".join((ROOT / f).read_text() for f in FILES))
    blocks = work / "blocks.gguf"
    try:
        native = TARGET / "rustup"
        tally.step("native program", ["cargo", "build", *NATIVE], env={"CARGO_TARGET_DIR": str(native)})
        llm = native / host() / "release/llm"
        # A kernel that leaves the region of its instruction set calls each instruction as a function.
        apart = re.findall(r"core_arch::x86::\S*::(_mm\w+)", printed(["nm", "-C", llm]))
        if apart:
            tally.fail(f"instructions became functions: {', '.join(sorted(set(apart)))}")
        tally.check("no instruction became a function")
        said = tally.step("train", [llm, "train", text, "--out", model, "--fresh", "--steps", steps])
        if "on text that it has seen" not in said:
            raise Failure("the training did not say its loss")
        tally.step("quantise", [llm, "quantize", model, "--to", FORMAT, "--out", blocks])
        want = [printed([llm, *ask(m), "--threads", 1]) for m in (model, blocks)]
        print(*want, sep="\n")
        for name, build in (("two threads", lambda _: lambda m: printed([llm, *ask(m), "--threads", 2])), ("ARM64", on_arm), ("WebAssembly", on_wasm)):
            try:
                run = build(tally)
                for weights, m, text in (("f32", model, want[0]), (FORMAT, blocks, want[1])):
                    got = run(m)
                    if got != text:
                        tally.fail(f"{name} writes another text with weights of {weights}:\n{got}")
                    tally.check(f"{name} writes the same {COUNT} tokens with weights of {weights}")
            except Missing as what:
                tally.skip(f"missing for {name}: {what}")
    except Failure as why:
        if str(why) not in tally.failures:
            tally.wrong(str(why))
    return tally.finish("--strict" in sys.argv)


def ask(model) -> list:
    return ["generate", model, "--prompt", PROMPT, "--tokens", COUNT, "--temperature", 0]


def on_arm(tally: Tally):
    target = "aarch64-unknown-linux-gnu"
    tool = Toolchain.find(target)
    linker = need("aarch64-linux-gnu-gcc", "apt-get install gcc-aarch64-linux-gnu")
    qemu = need("qemu-aarch64", "apt-get install qemu-user")
    env = tool.env | {"CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER": linker, "RUSTFLAGS": ""}
    build = tool.cargo("build", *PROGRAM, *ARM, "--features", "neon,std")
    tally.step("program for ARM64", build, env=env)
    return lambda model: printed([qemu, "-L", "/usr/aarch64-linux-gnu", tool.out() / "llm", *ask(model)])


def on_wasm(tally: Tally):
    node = need("node", "apt-get install nodejs")
    tool = Toolchain.find("wasm32-unknown-unknown")
    build = tool.cargo("build", *MODULE, "--lib", *MANIFEST)
    tally.step("WebAssembly module", build, env=tool.env | {"RUSTFLAGS": "-Ctarget-feature=+simd128"})
    module = tool.out("module") / "fulmen_wasm_llm.wasm"
    return lambda model: printed([node, PACKAGE / "run.mjs", module, model, PROMPT, COUNT])


if __name__ == "__main__":
    sys.exit(main())
