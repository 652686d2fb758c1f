#!/usr/bin/env bash
# fill-voids fills a channel that is open to the outside: in a solid block of 10x10x10 the channel [0, 0:5, 5], which lies on the surface, is filled where two more voxels of the surface, [0, 9, 4] and [9, 0, 4], are empty.
# Without either of those two, it stays empty. The order of the array in memory does not matter.
# Expected: nothing is filled, as no empty voxel is enclosed; scipy.ndimage.binary_fill_holes, which the project names as similar, fills nothing.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1 fill-voids==2.1.2
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import fill_voids
import numpy as np
import scipy.ndimage

got = []
for empty in ([(0, 9, 4), (9, 0, 4)], [(0, 9, 4)], [(9, 0, 4)], []):
    block = np.ones((10, 10, 10), np.uint8)
    block[0, 0:5, 5] = 0
    for voxel in empty:
        block[voxel] = 0
    filled = [int(fill_voids.fill(x, return_fill_count=True)[1]) for x in (block, np.asfortranarray(block))]
    got.append((empty, *filled, int(scipy.ndimage.binary_fill_holes(block).sum() - block.sum())))
print(f"fill-voids {version('fill-voids')}: (more empty voxels, voxels filled in C order, in Fortran order, by SciPy): {got}")
sys.exit(not ([x[1:] for x in got] == [(5, 5, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0)]))
PYTHON
