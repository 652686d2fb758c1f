#!/usr/bin/env bash
# A WAV file may hold 24-bit samples in 4 bytes each: its plain head says 24 bits and a frame ("block align") of 4 bytes
# times the channels, as programs that write from buffers of 32-bit integers do. libsndfile 1.2.2 and Python's wave take
# 3 bytes for each sample, whatever the frame's size is: the samples are noise, and no error is raised.
# scipy.io.wavfile and the crate hound take 4. Expected: 4 bytes, or an error as the two sizes disagree. Under the
# extensible head (WAVE_FORMAT_EXTENSIBLE with 32 bits, of which 24 are valid) libsndfile reads such samples right.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 soundfile==0.14.0
cd "$work"
"$work/env/bin/python" - <<'PYTHON'
import platform
import struct
import sys
import wave

import scipy.io.wavfile
import soundfile

samples = [100, -100, 8388607, -8388608]
data = b"".join(struct.pack("<i", x) for x in samples)
head = struct.pack("<HHIIHH", 1, 1, 48000, 4 * 48000, 4, 24)
body = b"WAVEfmt " + struct.pack("<I", len(head)) + head + b"data" + struct.pack("<I", len(data)) + data
open("padded.wav", "wb").write(b"RIFF" + struct.pack("<I", len(body)) + body)

by_soundfile = (soundfile.read("padded.wav")[0] * 2**23).astype(int).tolist()
with wave.open("padded.wav") as w:
    raw, width = w.readframes(w.getnframes()), w.getsampwidth()
by_wave = [int.from_bytes(raw[i:i + width], "little", signed=True) for i in range(0, len(raw), width)]
try:
    by_scipy = scipy.io.wavfile.read("padded.wav")[1].tolist()
except ValueError as refused:
    by_scipy = str(refused)
print(f"written {samples}; libsndfile {soundfile.__libsndfile_version__}: {by_soundfile}; wave of Python {platform.python_version()}: {by_wave}; scipy {scipy.__version__}: {by_scipy}")
sys.exit(not (by_soundfile[0] == by_wave[0] == 100 and by_soundfile[1:] != samples[1:] and by_wave[1:] != samples[1:]))
PYTHON
