#!/usr/bin/env bash
# pyloudnorm's integrated loudness of a signal that holds NaN or infinity is the loudness of what lies before it: two quiet seconds, one NaN and two loud seconds are -36.9 LUFS, as the quiet seconds alone, and not 2.8.
# Where the NaN is the first sample the result is -infinity, as of silence, and so it is where one of two channels is NaN.
# Expected: NaN. The filters make every later block NaN, and the gate leaves out a block whose loudness is not at least -70. Look for NaN before.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 pyloudnorm==0.2.0 scipy==1.17.1
"$work/env/bin/python" - <<'PYTHON'
import sys
import warnings
from importlib.metadata import version

import numpy as np
import pyloudnorm

warnings.simplefilter("ignore")
meter = pyloudnorm.Meter(48000)
noise = np.random.default_rng(0).normal(size=(2, 96000))
quiet, loud = noise[0] / 100, noise[1]
alone = meter.integrated_loudness(quiet.copy())
joined = {x: meter.integrated_loudness(np.concatenate([quiet, [x], loud])) for x in (0.0, np.nan, np.inf)}
first = meter.integrated_loudness(np.concatenate([[np.nan], loud]))
channel = meter.integrated_loudness(np.stack([np.full(96000, np.nan), loud], 1))
print(f"pyloudnorm {version('pyloudnorm')}: quiet seconds {alone:.2f}; quiet seconds, a sample and loud seconds by sample {({x: round(float(y), 2) for x, y in joined.items()})}; NaN and loud seconds {first}; a channel of NaN beside a loud one {channel}")
sys.exit(not (abs(alone + 36.9) < 0.1 and abs(joined[0.0] - 2.8) < 0.1 and joined[np.nan] == joined[np.inf] == alone and first == channel == -np.inf))
PYTHON
