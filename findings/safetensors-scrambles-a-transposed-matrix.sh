#!/usr/bin/env bash
# safetensors.numpy writes the bytes of an array as they lie in memory under the shape that NumPy shows: of [[0, 1, 2], [3, 4, 5]] the transpose [[0, 3], [1, 4], [2, 5]] is read back
# as [[0, 1], [2, 3], [4, 5]], and no error is raised. Version 0.7.0 wrote the transpose; 0.8.0 hands the address of the memory on. Its documentation asks for contiguous and dense
# tensors; a transposed matrix is both in Fortran's order, as scikit-learn and LAPACK return them.
# Expected: the transpose, or an error. Whoever loads such weights cannot see it, as shape, size and sum are right: apply numpy.ascontiguousarray before saving.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 safetensors==0.8.0
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from safetensors.numpy import load, save

x = np.arange(6, dtype=np.float32).reshape(2, 3)
dense, transposed = (load(save({"x": a}))["x"].tolist() for a in (np.ascontiguousarray(x.T), x.T))
print(f"safetensors {version('safetensors')}: {x.T.tolist()} is read back as {transposed}, its copy in C's order as {dense}")
sys.exit(not (dense == x.T.tolist() and transposed == [[0, 1], [2, 3], [4, 5]]))
PYTHON
