#!/usr/bin/env python3
"""Sounds of others, read by the example `spectrum` and by libsndfile.

  tests/golden/wav.py [FOLDER]    compares; FOLDER (target/wav) keeps what was fetched

The WAV files are those that SciPy, `hound` and CPython test their readers with, of pinned releases. Each file that libsndfile reads
has to give the same rate and the same numbers, to the last bit of `f32`, but for the ones below. Needs `cargo`, `pip`, `apt-get`, `dpkg-deb`.
"""

import struct
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCIPY, SOUNDFILE, NUMPY, HOUND, CPYTHON = "1.17.1", "0.14.0", "2.4.1", "3.5.1", "libpython3.11-testsuite"
# 24 bits in 4 bytes by a plain head: libsndfile 1.2.2 takes them as 3 bytes without gaps. Tests of hound have these numbers.
OTHERWISE = {"pcmwaveformat-24bit-4byte-48kHz-stereo.wav": [-96 / 2**23, 23052 / 2**23, 8388607 / 2**23, -8360672 / 2**23]}
# Of what was fetched in November 2026.
LEAST_READ = 42


def run(*args, **more):
    done = subprocess.run(args, text=True, capture_output=True, **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, args))}: {done.stderr[-2000:]}")
    return done.stdout


def fetch(folder):
    """The WAV files of each package, and a Python that has libsndfile."""
    python = folder / "venv/bin/python"
    if not python.exists():
        run(sys.executable, "-m", "venv", folder / "venv")
        run(python, "-m", "pip", "install", "-q", f"soundfile=={SOUNDFILE}", f"numpy=={NUMPY}")
    if not (folder / "scipy").exists():
        run(python, "-m", "pip", "download", "-q", "--no-deps", f"scipy=={SCIPY}", "-d", folder)
        with zipfile.ZipFile(next(folder.glob("scipy-*.whl"))) as wheel:
            for name in wheel.namelist():
                if name.endswith(".wav"):
                    wheel.extract(name, folder / "scipy")
    if not (folder / "hound").exists():
        project = folder / "project"
        (project / "src").mkdir(parents=True, exist_ok=True)
        (project / "src/lib.rs").write_text("")
        (project / "Cargo.toml").write_text(f'[package]\nname = "p"\nedition = "2024"\n[dependencies]\nhound = "={HOUND}"\n[workspace]\n')
        run("cargo", "vendor", "-q", folder / "hound", cwd=project)
    if not (folder / "cpython").exists():
        run("apt-get", "download", CPYTHON, cwd=folder)
        run("dpkg-deb", "-x", next(folder.glob(f"{CPYTHON}*.deb")), folder / "cpython")
    return python, sorted(p for name in ("scipy", "hound", "cpython") for p in (folder / name).rglob("*.wav"))


SNDFILE = """
import soundfile, sys
for path in sys.argv[1:]:
    try:
        with soundfile.SoundFile(path) as f:
            x = f.read(dtype="float32", always_2d=True)
            print(f.samplerate, f.channels, *x.ravel().view("uint32"))
    except Exception:
        print()
"""


def single(numbers):
    """These numbers in `f32`."""
    return [struct.unpack("<f", struct.pack("<f", x))[0] for x in numbers]


def ours(program, path):
    """Rate, channels and the bits of numbers, or what the program says."""
    done = subprocess.run([program, path, "--samples"], text=True, capture_output=True)
    if done.returncode:
        if done.returncode != 2 or done.stdout.count("\n") > 1 or done.stderr.count("\n") != 1:
            sys.exit(f"{path}: exit {done.returncode}: {done.stderr}")
        return None, done.stderr
    head, *lines = done.stdout.splitlines()
    rate, _, channels, _ = head.split()
    return (int(rate), int(channels), single(float(x) for line in lines for x in line.split())), done.stderr


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/wav").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    python, paths = fetch(folder)
    run("cargo", "build", "-q", "-p", "fulmen-examples", "--example", "spectrum", cwd=ROOT)
    target = Path(run("cargo", "metadata", "--format-version=1", "--no-deps", cwd=ROOT).split('"target_directory":"')[1].split('"')[0])
    theirs = run(python, "-c", SNDFILE, *paths).split("\n")
    read, wrong = 0, 0
    for path, line in zip(paths, theirs):
        got, said = ours(target / "debug/examples/spectrum", path)
        what = "refused by both" if got is None and not line else "read here alone"
        if line:
            rate, channels, *bits = map(int, line.split())
            want = (rate, channels, [struct.unpack("<f", struct.pack("<I", b))[0] for b in bits])
            if path.name in OTHERWISE:
                want = (rate, channels, OTHERWISE[path.name])
            what = "equal" if got == want else "DIFFERENT"
            wrong += what == "DIFFERENT"
        read += got is not None
        print(f"{what:16} {path.relative_to(folder)}  {said.strip().split(': ', 3)[-1]}")
    print(f"{len(paths)} files, {read} read, {wrong} otherwise than libsndfile reads them")
    sys.exit(wrong > 0 or read < LEAST_READ)


main()
