#!/usr/bin/env bash
# A regular axis of boost-histogram does not always count the lower edge of a bin in that bin: of 199 axes from 0 to 1, with 1 to 199 bins, 119 put at least one of their own edges in the bin below.
# The bin is computed as (x - start) / (stop - start) * bins and the edge by another formula, and the two round differently. Data on a grid, such as times or prices, lie on the edges.
# Expected: bins closed below, as the documentation writes them, for the edges that the axis itself returns; numpy.histogram compares with the edges after its division and places all of them. axis.Variable does so, too.
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


def faithful(axis):
    return axis.index(axis.edges[:-1]).tolist() == list(range(axis.size))


regular = [n for n in range(1, 200) if not faithful(boost_histogram.axis.Regular(n, 0, 1))]
variable = [n for n in range(1, 200) if not faithful(boost_histogram.axis.Variable(boost_histogram.axis.Regular(n, 0, 1).edges))]
numpy_misses = []
for n in range(1, 200):
    counts, edges = np.histogram(np.linspace(0, 1, n + 1)[:-1], n, (0, 1))
    if (counts != 1).any():
        numpy_misses.append(n)
first = boost_histogram.axis.Regular(regular[0], 0, 1)
lost = [(k, float(e), int(first.index(e))) for k, e in enumerate(first.edges[:-1]) if first.index(e) != k]
print(f"boost-histogram {version('boost-histogram')}: {len(regular)} regular axes lose an edge ({regular[:5]}, ...), {len(variable)} variable ones, {len(numpy_misses)} of numpy.histogram")
print(f"with {first.size} bins the lower edge of bin k is in bin j: (k, edge, j) = {lost}")
sys.exit(not (len(regular) == 119 and not variable and not numpy_misses))
PYTHON
