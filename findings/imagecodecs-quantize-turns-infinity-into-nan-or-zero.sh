#!/usr/bin/env bash
# imagecodecs.quantize_encode rounds floats to some significant digits for a better compression. The mode "bitgroom" makes NaN of an infinity at an odd place (at an even one it is kept);
# "granularbr" makes NaN, infinity and -infinity zeros without a word. "bitround" keeps all three.
# Expected: NaN and infinities pass, as bits of the mantissa say nothing about them. Look for numbers that are not finite before.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 imagecodecs==2026.3.6
"$work/env/bin/python" - <<'PYTHON'
import sys

import imagecodecs
import numpy as np

x = np.array([np.inf, np.inf, np.nan, 1], np.float32)
groom, granular, rounded = (imagecodecs.quantize_encode(x, mode, 3) for mode in ("bitgroom", "granularbr", "bitround"))
print(f"imagecodecs {imagecodecs.__version__}: inf, inf, nan, 1: bitgroom {groom}, granularbr {granular}, bitround {rounded}")
sys.exit(not (np.isinf(groom[0]) and np.isnan(groom[1]) and (granular[:3] == 0).all() and np.array_equal(rounded, x, equal_nan=True)))
PYTHON
