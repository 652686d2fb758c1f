#!/usr/bin/env bash
# One NaN or infinity among the 32 numbers of an MXFP4 block makes gguf.quants.quantize write the whole block as zeros;
# the other formats of the package keep the damage visible as NaN.
# The exponent is made by floor(log2(max)) as uint8, where NaN and infinity become 0 or another small code. Expected:
# NaN (E8M0 has a code for it, 255) or an error. A model that was damaged before conversion passes every later check
# for NaN.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 gguf==0.19.0
"$work/env/bin/python" - <<'PYTHON'
import sys
import warnings

import numpy as np
from gguf import GGMLQuantizationType, quants
from importlib.metadata import version

warnings.simplefilter("ignore")
x = np.linspace(-1, 1, 64, dtype=np.float32).reshape(1, 64)
x[0, 5] = np.nan
y = {t: quants.dequantize(quants.quantize(x, GGMLQuantizationType[t]), GGMLQuantizationType[t])[0] for t in ("MXFP4", "Q4_0", "Q8_0")}
print(f"gguf {version('gguf')}: block with NaN: MXFP4 {np.unique(y['MXFP4'][:32])}, Q4_0 has {np.isnan(y['Q4_0'][:32]).sum()} NaN, Q8_0 {np.isnan(y['Q8_0'][:32]).sum()}")
sys.exit(not ((y["MXFP4"][:32] == 0).all() and (y["MXFP4"][32:] != 0).any() and np.isnan(y["Q4_0"][:32]).any() and np.isnan(y["Q8_0"][:32]).all()))
PYTHON
