#!/usr/bin/env bash
# The DDSketch of Datadog's package ddsketch counts NaN as the number 0: the median of 5, 6, NaN, NaN and NaN is 0, as if three requests had taken no time, and every quantile below the share of the NaN is 0. Its sum becomes NaN, so the average is lost as well; infinity raises OverflowError.
# Expected: an error, as for infinity, or NaN left out. What is not above or below zero is taken for it. Test with isnan before add().
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check ddsketch==3.0.1
"$work/env/bin/python" - <<'PYTHON'
import math
import sys
from importlib.metadata import version

from ddsketch import DDSketch


def quantiles(*numbers):
    sketch = DDSketch(0.01)
    for number in numbers:
        sketch.add(number)
    return [sketch.get_quantile_value(q) for q in (0, 0.5, 1)], sketch.count, sketch.sum


nan = math.nan
mixed, count, total = quantiles(5, 6, nan, nan, nan)
lone, _, _ = quantiles(nan)
clean, _, _ = quantiles(5, 6)
try:
    quantiles(math.inf)
    infinity = "accepted"
except OverflowError as error:
    infinity = str(error)
print(f"ddsketch {version('ddsketch')}: least, median and greatest of 5, 6 and three NaN: {mixed}, count {count}, sum {total}; of NaN alone: {lone}; of 5 and 6: {clean}; infinity: {infinity}")
sys.exit(not (mixed[:2] == [0, 0] and abs(mixed[2] - 6) < 0.1 and count == 5 and math.isnan(total) and lone == [0, 0, 0] and clean[0] > 4.9 and infinity != "accepted"))
PYTHON
