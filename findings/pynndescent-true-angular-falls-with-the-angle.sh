#!/usr/bin/env bash
# pynndescent's neighbour graph with the metric "true_angular" has the right neighbours, but distances that fall from the nearest to the farthest: the first of a row is the vector itself with 0, and of the others the nearest has the greatest number.
# Each is 1 - angle / pi, and only the vector itself is not; the docstring names this formula and "0 for identical directions" beside each other. A radius keeps the wrong neighbours, and a row is not in order.
# Expected: angle / pi, which rises along a row as the distances of "cosine" do.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numba==0.68.1 numpy==2.4.6 pynndescent==0.7.0 scikit-learn==1.9.1
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from pynndescent import NNDescent

x = np.random.default_rng(0).normal(size=(200, 5)).astype(np.float32)
unit = x.astype(np.float64)
unit /= np.linalg.norm(unit, axis=1, keepdims=True)
places, distances = NNDescent(x, metric="true_angular", n_neighbors=5, random_state=0).neighbor_graph
angles = np.arccos(np.clip((unit[:, None] * unit[places]).sum(2), -1, 1)) / np.pi
print(f"pynndescent {version('pynndescent')}: distances of the neighbours of a vector {distances[0].round(3)}, their angles / pi {angles[0].round(3)}")
rising = (places[:, 0] == np.arange(200)).all() and (np.diff(angles[:, 1:]) > -1e-4).all()
falling = (distances[:, 0] == 0).all() and np.allclose(distances[:, 1:], 1 - angles[:, 1:], atol=1e-3)
sys.exit(not (rising and falling))
PYTHON
