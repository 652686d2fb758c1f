#!/usr/bin/env bash
# ObsPy's Trace.normalize of samples of int32 that hold -2147483648 divides by the greatest of the others: 1, 2 and -2147483648 become 0.5, 1 and -1.07e9; Trace.max, "the absolute maximum", is 2. So it is with int16 and int8.
# Expected: 4.7e-10, 9.3e-10 and -1, and a maximum of -2147483648, as it is right for -2147483647. Only a NumPy warning tells; samples clipped at the lower end of their type are such, and abs of that number is the number itself. Convert to floats before.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 obspy==1.5.1
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from obspy import Trace

got = {}
for dtype in (np.int8, np.int16, np.int32):
    least = int(np.iinfo(dtype).min)
    traces = [Trace(np.array([1, 2, x], dtype)) for x in (least, least + 1)]
    got[dtype.__name__] = [(int(t.max()), t.normalize().data.tolist()) for t in traces]
print(f"obspy {version('obspy')}: maximum and normalized samples of 1, 2 and [the least integer, the one above] by type: {got}")
seen = []
for name, ((maximum, samples), (above, sound)) in got.items():
    least = int(np.iinfo(name).min)
    seen.append(maximum == 2 and samples == [0.5, 1, least / 2] and above == least + 1 and sound[2] == -1)
sys.exit(not all(seen))
PYTHON
