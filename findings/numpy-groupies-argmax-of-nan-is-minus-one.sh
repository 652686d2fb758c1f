#!/usr/bin/env bash
# numpy_groupies' argmax and argmin of a group that holds NaN are -1, the value for a group without elements. As an index -1 is the last element of the whole array: values[argmax] gives a number of
# another group without an error.
# Expected: the place of NaN, as numpy.argmax gives, or the place of the greatest number, as nanargmax does here too; max of the same group is NaN. The place is sought with ==, which NaN never meets.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy-groupies==0.16.0 numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import numpy_groupies

group, values = np.array([0, 0, 0, 1, 1]), np.array([5, np.nan, 3, 4, 9])
places = {name: numpy_groupies.aggregate(group, values, func=name) for name in ("argmax", "argmin", "nanargmax", "max")}
taken = values[places["argmax"]]
print(f"numpy_groupies {version('numpy-groupies')}: argmax, argmin and nanargmax of [5, NaN, 3] and [4, 9] are {places['argmax']}, {places['argmin']} and {places['nanargmax']}; values[argmax] is {taken}, max {places['max']}, numpy.argmax of the first group {np.argmax(values[:3])}")
same = [places[name].tolist() for name in ("argmax", "argmin", "nanargmax")] == [[-1, 4], [-1, 3], [0, 4]]
sys.exit(not (same and taken.tolist() == [9, 9] and np.isnan(places["max"][0])))
PYTHON
