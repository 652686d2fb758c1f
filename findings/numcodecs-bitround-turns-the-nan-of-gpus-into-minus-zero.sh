#!/usr/bin/env bash
# numcodecs' BitRound adds half of the last kept bit to the number as an integer. A NaN whose bits are all set overflows into the sign: 0x7fffffff, the one NaN that NVIDIA's GPUs return
# from arithmetic in f32, becomes -0, and 0xffffffff becomes 0. NumPy's own NaN, 0x7fc00000, stays NaN. float16 and float64 do the same, and so does imagecodecs' mode
# "bitround" for float32 and float64.
# Expected: NaN. A missing value of a GPU's computation is a zero after compression; rewrite NaN before (x[numpy.isnan(x)] = numpy.nan).
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check imagecodecs==2026.3.6 numcodecs==0.16.6 numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import imagecodecs
import numpy as np
from numcodecs import BitRound

x = np.array([0x7FFFFFFF, 0xFFFFFFFF, 0x7FC00000], np.uint32).view(np.float32)
codec = BitRound(keepbits=10)
rounded = codec.decode(codec.encode(x)).view(np.float32)
other = imagecodecs.quantize_encode(x, "bitround", 10)
print(f"numcodecs {version('numcodecs')}, imagecodecs {version('imagecodecs')}: {x.tolist()} become {rounded.tolist()} and {other.tolist()}")
expected = np.array([-0.0, 0.0, np.nan], np.float32)
sys.exit(not (np.isnan(x).all() and repr(rounded.tolist()) == repr(other.tolist()) == repr(expected.tolist())))
PYTHON
