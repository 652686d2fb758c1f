#!/usr/bin/env bash
# stumpy.mass, the distances of a query to every part of a series, depends on the level of the series though both are normalized first: at 10 million the exact copy of a query of 8 numbers is 0.41 away, at 1.7 billion (times in seconds) it is 117, above the largest possible distance, 5.66, and 300 other parts are at 0.
# The dot products are taken of the numbers as they are and the mean is taken off afterwards. stumpy.match, which calls it, then returns 177 matches where there is one. stumpy.stump of the same series is right to 1e-6.
# Expected: the same distances at every level. Subtract the mean of the series from both before.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numba==0.68.1 numpy==2.4.6 scipy==1.17.1 stumpy==1.14.1
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import stumpy

noise = np.random.default_rng(0).normal(size=1000)


def right(query, series):
    def normalized(parts):
        return (parts - parts.mean(-1, keepdims=True)) / parts.std(-1, keepdims=True)

    windows = np.lib.stride_tricks.sliding_window_view(series, len(query))
    return np.linalg.norm(normalized(windows) - normalized(query), axis=-1)


got = {}
for level in (0.0, 1e7, 1.7e9):
    series = noise + level
    query = series[100:108]
    got[level] = [float(stumpy.mass(query, series)[100]), float(right(query, series)[100]), len(stumpy.match(query, series, max_distance=1.0)), int((right(query, series) < 1).sum())]
    neighbour = np.delete(right(query, series), range(98, 103)).min()
    assert abs(stumpy.stump(series, 8)[100, 0] - neighbour) < 1e-5
print(f"stumpy {version('stumpy')}: by the level of the series, distance of a query to its copy [by mass, right], number of matches [by match, right]: {got}")
zero, ten, times = got.values()
sys.exit(not (zero[0] < 1e-6 and ten[0] > 0.1 and times[0] > 10 and max(zero[1], ten[1], times[1]) < 1e-6 and zero[2] == zero[3] == times[3] and times[2] > 50))
PYTHON
