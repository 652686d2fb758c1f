#!/usr/bin/env bash
# libsamplerate filters with a ratio of 1, too: an impulse of 1 comes back as 0.83 between two samples of 0.16 from sinc_fastest, and as 0.97 between 0.03 from sinc_best. A pipeline that resamples what has the right rate already loses high frequencies with each pass.
# Expected: the input, as soxr returns for equal rates and an interpolation at the sample points gives.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 samplerate==0.2.4 soxr==1.1.0
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import samplerate
import soxr

x = np.zeros(400, np.float32)
x[200] = 1
fast, best = (samplerate.resample(x, 1.0, kind)[199:202] for kind in ("sinc_fastest", "sinc_best"))
same = bool((soxr.resample(x, 48000, 48000) == x).all())
print(f"samplerate {version('samplerate')}: an impulse with ratio 1: sinc_fastest {fast}, sinc_best {best}; soxr {version('soxr')} returns the input: {same}")
sys.exit(not (abs(fast[1] - 0.8315) < 1e-3 and abs(best[1] - 0.9657) < 1e-3 and same))
PYTHON
