#!/usr/bin/env bash
# pyroomacoustics.utilities.to_float32, for samples "typically obtained from WAV file", makes NaN of 0 and infinity of every other sample of a file of 8 bits: such files hold unsigned bytes, and the samples are divided by the least number of their type, 0.
# Expected: -1 to nearly 1, with 128 as silence, as 16 and 32 bits become; or an error. Only a NumPy warning tells. Take (x - 128.0) / 128.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 pyroomacoustics==0.10.1 scipy==1.17.1
"$work/env/bin/python" - "$work" <<'PYTHON'
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
from pyroomacoustics.utilities import to_float32
from scipy.io import wavfile

warnings.simplefilter("ignore")
path = str(Path(sys.argv[1], "sound.wav"))
got = {}
for samples in (np.array([0, 64, 128, 255], np.uint8), np.array([-32768, 0, 16384], np.int16), np.array([-(2**31), 0, 2**30], np.int32)):
    wavfile.write(path, 8000, samples)
    read = wavfile.read(path)[1]
    assert read.dtype == samples.dtype and (read == samples).all()
    got[samples.dtype.name] = to_float32(read).tolist()
print(f"pyroomacoustics {version('pyroomacoustics')}: 0, 64, 128 and 255 in uint8, and the least number, 0 and a half in int16 and int32, from WAV files: {got}")
sys.exit(not (np.isnan(got["uint8"][0]) and got["uint8"][1:] == [np.inf] * 3 and got["int16"] == got["int32"] == [-1, 0, 0.5]))
PYTHON
