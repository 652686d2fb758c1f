#!/usr/bin/env python3
"""Holds `llm tokenize` to the tokens that llama.cpp expects of the vocabularies that it is tested with.

The source distribution of llama-cpp-python carries them: 19 files `ggml-vocab-*.gguf`, 15 of them with texts (`.inp`) and
their tokens (`.out`), which `tokenizers` and `sentencepiece` wrote. It is fetched from PyPI (77 MB) and held to a hash. The
four without tokens are read with the texts of the others.

  scripts/vocabularies.py [FOLDER]    FOLDER: one that holds models/ggml-vocab-*.gguf already
"""

import hashlib
import re
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
from pathlib import Path

from toolchain import ROOT, TARGET, Tally

URL = "https://files.pythonhosted.org/packages/ec/e9/e7de2b0463ea3ffbf0ede6cb21b58c1258a8f6521aae45ca773a59fe7cf3/llama_cpp_python-0.3.36.tar.gz"
SHA256 = "832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e"
BETWEEN = "\n__ggml_vocab_test__\n"
COUNT, WITH_TOKENS = 19, 15


def fetched(to: Path) -> Path:
    """The folder of vocabularies, from the package."""
    data = urllib.request.urlopen(URL, timeout=300).read()
    if hashlib.sha256(data).hexdigest() != SHA256:
        raise SystemExit("the package is not the one that was looked at")
    package = to / "package.tar.gz"
    package.write_bytes(data)
    with tarfile.open(package) as tar:
        for member in tar.getmembers():
            name = re.fullmatch(r".*/models/(ggml-vocab-[\w.-]+)", member.name)
            if name and member.isfile() and (file := tar.extractfile(member)):
                (to / name[1]).write_bytes(file.read())
    return to


def main() -> int:
    tally = Tally()
    tally.step("llm", ["cargo", "build", "--release", "--bin", "llm"])
    llm = TARGET / "release/llm"
    with tempfile.TemporaryDirectory() as work:
        texts = Path(work)
        folder = Path(sys.argv[1]) / "models" if len(sys.argv) > 1 else fetched(texts)
        models = sorted(folder.glob("ggml-vocab-*.gguf"))
        every: dict[str, None] = {}
        for model in models:
            if (inp := Path(f"{model}.inp")).exists():
                every |= dict.fromkeys(inp.read_bytes().decode().split(BETWEEN))
        right = 0
        for model in models:
            inp, out = Path(f"{model}.inp"), Path(f"{model}.out")
            cases = inp.read_bytes().decode().split(BETWEEN) if inp.exists() else list(every)
            files = []
            for i, text in enumerate(cases):
                files += ["--text", texts / f"text{i}"]
                (texts / f"text{i}").write_bytes(text.encode())
            done = subprocess.run([llm, "tokenize", model, "--plain", *files], capture_output=True, text=True)
            if done.returncode:
                tally.wrong(f"{model.name}: {done.stderr.strip()}")
                continue
            # A line for each text, those of no tokens among them; the last one may lack its end.
            lines = lambda text: [line.split() for line in text.split("\n")][: len(cases)]
            got = lines(done.stdout)
            if not out.exists():
                tally.check(f"{model.name}: {len(got)} texts read")
                continue
            want = lines(out.read_text())
            wrong = [i for i in range(len(cases)) if want[i : i + 1] != got[i : i + 1]]
            for i in wrong[:3]:
                print(f"{model.name}: {cases[i:i + 1]}\n  expected {want[i:i + 1]}\n  got      {got[i:i + 1]}")
            if wrong:
                tally.wrong(f"{model.name}: {len(wrong)} of {len(want)} texts have other tokens")
            else:
                right += 1
                tally.check(f"{model.name}: {len(want)} texts have the expected tokens")
        if (len(models), right) != (COUNT, WITH_TOKENS):
            tally.wrong(f"{len(models)} vocabularies, {right} with the expected tokens; there are {COUNT} and {WITH_TOKENS}")
    return tally.finish()


sys.exit(main())
