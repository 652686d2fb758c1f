#!/usr/bin/env bash
# The counts of jax.numpy.histogram end at 16777216: of twenty million equal f32 numbers a bin holds 16777216, and 3222784 are lost without a word. Counts are sums of ones in the type of the numbers, and 16777216 + 1 is 16777216 in f32; of f16 numbers they end at 2048.
# Expected: 20000000, as numpy.histogram and even jax.numpy.histogram2d of the same numbers, which counts in integers, give. Add the histograms of parts, or take bincount of searchsorted.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import jax.numpy as jnp
import numpy as np

got = {}
for dtype, count in ((np.float32, 20_000_000), (np.float16, 5000)):
    x = np.zeros(count, dtype)
    ends = (-1, 1)
    one = jnp.histogram(jnp.asarray(x), bins=2, range=ends)[0]
    two = jnp.histogram2d(jnp.asarray(x), jnp.asarray(x), bins=2, range=(ends, ends))[0]
    got[x.dtype.name] = [float(one.sum()), float(two.sum()), float(np.histogram(x, bins=2, range=ends)[0].sum())]
print(f"jax {version('jax')}: numbers counted by [jax histogram, jax histogram2d, numpy histogram] of 20000000 in float32 and 5000 in float16: {got}")
sys.exit(got != {"float32": [16777216, 20000000, 20000000], "float16": [2048, 5000, 5000]})
PYTHON
