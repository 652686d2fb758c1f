#!/usr/bin/env python3
"""Holds `spectrum --samples` to what libsndfile reads from the WAV files that SciPy, hound and CPython are tested with.

SciPy 1.17.1 and soundfile 0.14.0, which has libsndfile 1.2.2, come from PyPI (45 MB) and hound 3.5.1 from crates.io, into a
temporary folder; the files of CPython are those of the Python that runs this. Every number has to be equal as an `f32`. Files
that libsndfile refuses, or reads as another form, are named below with what they are held to instead.
"""

import json
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from toolchain import TARGET, Tally

PACKAGES = ["numpy", "scipy==1.17.1", "soundfile==0.14.0"]
MANIFEST = '[package]\nname = "sounds"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\nhound = "=3.5.1"\n[workspace]\n'
# Ends before its numbers, or within its head: both refuse it.
DAMAGED = ["early-eof-no-data.wav", "incomplete-chunk.wav"]
# Integers of more than 32 bits, which libsndfile does not read: SciPy does.
WIDE = ["36bit.wav", "45bit.wav", "53bit.wav", "64bit.wav"]
# 24 bits in the lower bytes of 4 under a plain head: libsndfile reads 3 bytes each, hound 4.
PADDED = "pcmwaveformat-24bit-4byte-48kHz-stereo.wav"


def files(work: Path) -> list[Path]:
    (work / "src").mkdir()
    (work / "src/lib.rs").touch()
    (work / "Cargo.toml").write_text(MANIFEST)
    command = ["cargo", "metadata", "--format-version=1", "--manifest-path", work / "Cargo.toml"]
    packages = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["packages"]
    hound = next(Path(p["manifest_path"]).parent for p in packages if p["name"] == "hound")
    folders = [work / "packages/scipy/io/tests/data", hound / "testsamples", Path(sysconfig.get_path("stdlib")) / "test"]
    return sorted(file for folder in folders for file in folder.rglob("*.wav"))


def main() -> int:
    tally = Tally()
    tally.step("spectrum", ["cargo", "build", "--example", "spectrum"])
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", work / "packages"]
        subprocess.run([*pip, *PACKAGES], check=True)
        sys.path.insert(0, str(work / "packages"))
        import numpy
        import scipy.io.wavfile
        import soundfile

        def expected(file: Path):
            """The numbers of all channels, one moment after the other; nothing where the file is no sound."""
            if file.parent.name == "fuzz" or file.name.endswith(tuple(DAMAGED)):
                return None
            if file.name.endswith(tuple(WIDE)):
                return (scipy.io.wavfile.read(file)[1] / 2.0**63).astype(numpy.float32).ravel()
            if file.name == PADDED:
                words = numpy.frombuffer(file.read_bytes()[-16:], "<i4")
                return ((words << 8) / 2.0**31).astype(numpy.float32)
            return soundfile.read(file, dtype="float32", always_2d=True)[0].ravel()

        equal, refused, all_files = 0, 0, files(work)
        for file in all_files:
            want = expected(file)
            done = subprocess.run([TARGET / "debug/examples/spectrum", file, "--samples"], capture_output=True, text=True)
            numbers = " ".join(done.stdout.splitlines()[1:]).split()
            got = numpy.array(numbers, numpy.float32) if done.returncode == 0 else None
            if want is None or got is None:
                right = want is None and got is None
                refused += right
            else:
                right = numpy.array_equal(got, want)
                equal += right
            if not right:
                tally.wrong(f"{file.name}: {done.stderr.strip() or 'other numbers'}")
        tally.check(f"{len(all_files)} files: {equal} equal, {refused} that are no sounds refused")
        if equal < 36:
            tally.wrong(f"{equal} files are equal, where SciPy and hound alone have 36")
    return tally.finish()


sys.exit(main())
