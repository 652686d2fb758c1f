#!/usr/bin/env python3
"""Ways to empty what the gate looks at, tried on a copy of the tree: the step of `make check` that must stop, and why.

  tests/evidence.py
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What is done: file, pattern, replacement; the step that must fail, and what it says then.
ESCAPES = [
    ("an emptied list of faults", "tests/planted.py", r"(?s)^FAULTS = \[.*\]", "FAULTS = []", ["tests/faults.py", "--check"], "fewer than"),
    ("a fault that is there twice", "tests/planted.py", r'(    \("[^\n]+"\),\n)    \("[^\n]+"\),\n', r"\1\1", ["tests/faults.py", "--check"], "fewer than"),
    ("a fault that changes nothing", "tests/planted.py", r"\bON\b", "on", ["tests/faults.py", "--check"], "never switched on"),
    ("an empty harness", "src/lanes/kani.rs", r"        super::heap_selects\(x, k\);\n    }\n}\n\Z", "    }\n}\n", ["scripts/source.py"], "asserts nothing"),
    ("an assertion taken out under a harness", "src/hardware/kani.rs", r"assert!\(", "drop(", ["scripts/source.py"], "asserts nothing"),
    ("a harness that is gone", "src/lanes/kani.rs", r"    #\[kani::proof\]\n    fn", "    fn", ["scripts/source.py"], "harnesses of Kani, fewer"),
    ("a harness of fixed arguments", "src/blas/gemm/kani.rs", r"kani::any\(\)", "1", ["scripts/source.py"], "draws nothing"),
    ("an edited figure of the README", "README.md", r"1\.31 × loop", "1.91 × loop", ["scripts/speed.py", "--check"], "README.md says"),
    ("an edited figure of the pages", "docs/performance.md", r"\| ratio \| 1\.28", "| ratio | 1.58", ["scripts/speed.py", "--check"], "docs/performance.md says"),
    ("an edited figure of a table beside a CSV", "docs/performance.md", r"\| `ij,jk->ik` \| i16 j16 k16 \| 2\.87", "| `ij,jk->ik` | i16 j16 k16 | 2.97", ["scripts/speed.py", "--check"], "docs/performance.md says"),
    ("an edited figure of a table from a log", "docs/performance.md", r"\| of cuDNN \| 0\.95", "| of cuDNN | 1.05", ["scripts/speed.py", "--check"], "other figures than before"),
    ("an edited figure of a sentence", "docs/performance.md", r"`lz4_compress` of 64 KiB: \d+\.\d+", "`lz4_compress` of 64 KiB: 9.99", ["scripts/speed.py", "--check"], "docs/performance.md says"),
    ("a figure of a CSV that was edited", "benches/results/2026-11-25-solve.csv", r"^(lu,f32,1024,fulmen,.*GFLOP/s,)1\.", r"\g<1>2.", ["scripts/speed.py", "--check"], "docs/performance.md says"),
    ("a table of figures that is compared with nothing", "docs/performance.md", r"\Z", "\n| new | 1 |\n|---|--:|\n| `a` | 1.25 |\n", ["scripts/speed.py", "--check"], "compared with no result"),
    ("a limit that is not the documentation's", "src/gpu/template/group.rs", r"rows \* self\.n <= 16384", "rows * self.n <= 8192", ["scripts/limits.py"], "does not say"),
    ("a limit that nothing says", "src/gguf/value.rs", r"        if bytes\.len\(\) > MAX_NAME \{", "        if bytes.len() > 999 {", ["scripts/limits.py"], "does not list"),
    ("an edited figure of a contract", "contracts/exp-v1.yaml", r"\{ratio: 1", "{ratio: 9", ["scripts/speed.py", "--check"], "exp-v1.yaml says"),
]


def main() -> int:
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        for name in subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines():
            if (ROOT / name).is_file():
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, tree / name)
        # The scripts ask git for the files.
        for command in (["git", "init", "-q"], ["git", "add", "-A"]):
            subprocess.run(command, cwd=tree, check=True)
        for what, file, pattern, new, step, want in ESCAPES:
            path = tree / file
            text = path.read_text()
            edited = re.sub(pattern, new, text, flags=re.M)
            if edited == text:
                sys.exit(f"evidence: {what}: there is no `{pattern}` in {file}")
            path.write_text(edited)
            done = subprocess.run([sys.executable, *step], cwd=tree, capture_output=True, text=True)
            path.write_text(text)
            if not done.returncode or want not in done.stdout + done.stderr:
                wrong.append(f"{what}: {' '.join(step)} ended with {done.returncode}: {(done.stdout + done.stderr)[-300:]!r}")
    for line in wrong:
        print(f"evidence: {line}")
    print(f"evidence: {len(ESCAPES)} escapes tried, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
