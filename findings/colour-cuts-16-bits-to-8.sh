#!/usr/bin/env bash
# colour.io.convert_bit_depth rounds floats to 8 bits and cuts 16 bits to 8 bits: 65534 of 65535 becomes 254, where 65534 / 65535 as a float becomes 255. Half of all 16-bit levels come out one level darker than their floats, and white is what 65535 alone gives.
# An image that goes through a 16-bit file is on average half a level darker than the same image converted at once; the page names "appropriate scaling" for all paths.
# Expected: the nearest level, as for floats. Convert to a float type before.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check colour-science==0.4.7 numpy==2.4.6 scipy==1.17.1
"$work/env/bin/python" - <<'PYTHON'
import sys
import warnings
from importlib.metadata import version

import numpy as np

warnings.simplefilter("ignore")
import colour

levels = np.arange(65536, dtype=np.uint16)
direct = colour.io.convert_bit_depth(levels, "uint8").astype(int)
by_float = colour.io.convert_bit_depth(colour.io.convert_bit_depth(levels, "float64"), "uint8").astype(int)
darker = int((direct == by_float - 1).sum())
white = [int((x == 255).sum()) for x in (direct, by_float)]
print(f"colour-science {version('colour-science')}: 65534 in 8 bits {direct[65534]}, by way of float64 {by_float[65534]}; {darker} of 65536 levels are one darker, mean difference {(direct - by_float).mean():.3f}; levels that become 255: {white}")
sys.exit(not (direct[65534] == 254 and by_float[65534] == 255 and darker == 32640 and (direct == by_float).sum() == 65536 - darker and white == [1, 129]))
PYTHON
