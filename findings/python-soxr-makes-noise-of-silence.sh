#!/usr/bin/env bash
# python-soxr dithers where it resamples int16: silence becomes noise of -1, 0 and 1 and a constant 1000 becomes 999 to 1001, so that neither is exact or compresses. Two calls give the same noise. int32 is not dithered.
# Expected: zeros for zeros. Resample float32 and round yourself.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 soxr==1.1.0
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import soxr

short, long = (np.unique(soxr.resample(np.zeros(4410, t), 44100, 48000)).tolist() for t in (np.int16, np.int32))
print(f"python-soxr {version('soxr')}: silence of int16 becomes {short}, of int32 {long}")
sys.exit(not (short == [-1, 0, 1] and long == [0]))
PYTHON
