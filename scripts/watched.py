#!/usr/bin/env python3
"""Measures the cost of `llm generate --profile` and `--trace`: it runs `llm` without either, with a profile and with a file of spans in
turn, and compares the median speeds. It fails if a profile costs more than 3 % of the speed.

  scripts/watched.py LLM MODEL [TURNS]    LLM is the program, built with the feature trace; MODEL is a GGUF file
"""

import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

LEAST = 0.97


def speed(llm: str, model: str, *more: str) -> float:
    """The tokens that a run writes per second."""
    command = [llm, "generate", model, "--prompt", "The ", "--tokens", "240", "--seed", "1", *more]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(re.search(r"wrote (\d+) tokens/s", done.stderr)[1])


def main() -> int:
    llm, model, turns = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 21
    with tempfile.TemporaryDirectory() as folder:
        ways = {"neither": [], "--profile": ["--profile"], "--trace": ["--trace", str(Path(folder) / "spans.json")]}
        speeds = {name: [] for name in ways}
        for turn in range(turns):
            # The order rotates, as a run may be slower after another.
            for name in [*ways][turn % 3 :] + [*ways][: turn % 3]:
                speeds[name].append(speed(llm, model, *ways[name]))
    medians = {name: statistics.median(all) for name, all in speeds.items()}
    for name, median in medians.items():
        ratio = statistics.median(a / b for a, b in zip(speeds[name], speeds["neither"]))
        print(f"{name:>10}: {median:.0f} tokens/s, {median / medians['neither']:.3f} of neither; median of the ratios of {turns} turns {ratio:.3f}")
    return int(medians["--profile"] < LEAST * medians["neither"])


if __name__ == "__main__":
    sys.exit(main())
