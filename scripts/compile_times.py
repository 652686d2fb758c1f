#!/usr/bin/env python3
"""Measures how long the library takes to compile in release, from nothing, beside what docs/performance.md says of it.

  scripts/compile_times.py [--write]

Seconds on the clock and of CPU, by features; the last row is a program that calls `gemm`, `softmax` and `attention`, with the
library that it needs. A quiet machine is asked for: `--write` puts the table into the page.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from toolchain import ROOT, Tally, show_table

FEATURES = ["", "std,half,parallel", "std,wgsl", "std,cuda,wgsl"]
PROGRAM = """use fulmen::{Attention, MatMut, MatRef, attention, attention_workspace, gemm, gemm_workspace, softmax};
fn main() -> Result<(), fulmen::Error> {
    let (x, mut y, mut z) = (vec![1.0f32; 4096], vec![0.0f32; 4096], vec![0.0f32; 4096]);
    let square = |x| MatRef::row_major(x, 64, 64);
    gemm(1.0, square(&x)?, square(&x)?, 0.0, MatMut::row_major(&mut y, 64, 64)?, &mut vec![0.0; gemm_workspace(64, 64, 64)])?;
    softmax(&y, 64, &mut z)?;
    let op = Attention::new(1, 1, 64, 0.125);
    let mut out = vec![0.0; 4096];
    let scratch = &mut vec![0.0; attention_workspace(1, 64)];
    attention(&op, square(&x)?, square(&y)?, square(&z)?, None, MatMut::row_major(&mut out, 64, 64)?, None, scratch)?;
    println!("{}", out[0]);
    Ok(())
}
"""


def timed(command: list, **how) -> tuple[float, float]:
    """Seconds on the clock and of CPU."""
    used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    before, start = used(), time.monotonic()
    subprocess.run(command, check=True, **how)
    return time.monotonic() - start, used() - before


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    rows = ["| | seconds | CPU seconds |", "|---|--:|--:|"]
    for features in [*FEATURES, None]:
        with tempfile.TemporaryDirectory() as made:
            at = Path(made)
            env = os.environ | {"CARGO_TARGET_DIR": str(at / "target"), "CARGO_INCREMENTAL": "0"}
            command = ["cargo", "build", "-q", "--release", "--lib", "--no-default-features", "--features", features]
            name = f"`{features}`" if features else "no features"
            if features is None:
                (at / "src").mkdir()
                (at / "src/main.rs").write_text(PROGRAM)
                (at / "Cargo.toml").write_text(f'[package]\nname = "user"\nedition = "2024"\n[dependencies]\nfulmen = {{ path = "{ROOT}" }}\n[workspace]\n')
                command, name = ["cargo", "build", "-q", "--release", "--manifest-path", at / "Cargo.toml"], "a program with `gemm`, `softmax` and `attention`"
            wall, cpu = timed(command, env=env, cwd=ROOT)
        rows.append(f"| {name} | {wall:.0f} | {cpu:.0f} |")
        print(rows[-1], flush=True)
    if args.write:
        show_table("compile times", "\n".join(rows) + "\n", Tally(), True, "docs/performance.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
