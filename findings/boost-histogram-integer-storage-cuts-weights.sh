#!/usr/bin/env bash
# A histogram of boost-histogram with integer storage takes weights that are no integers and cuts each towards zero: weights of 0.5 and 1.5 add up to 1, and a thousand of 0.9 to 0.
# Expected: an error, as the same library refuses numbers that are no integers for an integer axis, or 2 and 900, as the storages Double and Unlimited give.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 boost-histogram==1.8.1
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import boost_histogram
import numpy as np


def total(storage, weights):
    histogram = boost_histogram.Histogram(boost_histogram.axis.Regular(1, 0, 1), storage=storage)
    return float(histogram.fill(np.full(len(weights), 0.5), weight=np.array(weights)).sum())


kinds = (boost_histogram.storage.Int64(), boost_histogram.storage.Double(), boost_histogram.storage.Unlimited())
got = [(total(s, [0.5, 1.5]), round(total(s, [0.9] * 1000), 6)) for s in kinds]
print(f"boost-histogram {version('boost-histogram')}: sums of the weights 0.5 and 1.5, and of 1000 times 0.9: Int64 {got[0]}, Double {got[1]}, Unlimited {got[2]}")
sys.exit(got != [(1, 0), (2, 900), (2, 900)])
PYTHON
