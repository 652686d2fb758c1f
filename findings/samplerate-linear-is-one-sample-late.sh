#!/usr/bin/env bash
# libsamplerate's linear converter (and its zero-order hold) delays by one input sample, which its sinc converters do not: an impulse at sample 200 comes out at 201 with a ratio of 1, and at 402 with a ratio of 2. The first input sample is repeated at the start, and the last ones never come out.
# Expected: 200 and 400, as from the sinc converters of the same library and from numpy.interp. Whoever changes the converter type shifts the signal; channels or labels made with two types do not line up.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 samplerate==0.2.4
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import samplerate

x = np.zeros(400, np.float32)
x[200] = 1
kinds = ("sinc_best", "sinc_fastest", "linear")
peaks = {kind: [int(samplerate.resample(x, ratio, kind).argmax()) for ratio in (1.0, 2.0, 3.0)] for kind in kinds}
ramp = samplerate.resample(np.arange(1, 6, dtype=np.float32), 2.0, "linear").tolist()
print(f"samplerate {version('samplerate')}: an impulse at 200 comes out with the ratios 1, 2 and 3 at {peaks}; 1 to 5 with the ratio 2 becomes {ramp}")
sys.exit(not (peaks == {"sinc_best": [200, 400, 600], "sinc_fastest": [200, 400, 600], "linear": [201, 402, 603]} and ramp[:4] == [1, 1, 1, 1.5]))
PYTHON
