#!/usr/bin/env bash
# A query that may see no key has two results in mlx's scaled_dot_product_attention: with a mask of booleans that are all false it is the mean of the values that are masked,
# with a mask of -infinity it is NaN. mask="causal" with more queries than keys has such rows too, and gives their mean.
# Expected: one result for the same mask, NaN or 0. Padding that reaches a whole row leaks into it.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check "mlx[cpu]==0.32.4" numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import mlx.core as mx

mx.set_default_device(mx.cpu)

one, v = mx.ones((1, 1, 1, 2)), mx.array([[[[1.0, 1.0], [3.0, 3.0]]]])
keys = mx.ones((1, 1, 2, 2))
row = lambda mask: mx.fast.scaled_dot_product_attention(one, keys, v, scale=1.0, mask=mx.array([[[mask]]])).reshape(-1).tolist()
false, infinite = row([False, False]), row([-float("inf")] * 2)
causal = mx.fast.scaled_dot_product_attention(mx.ones((1, 1, 3, 2)), keys, v, scale=1.0, mask="causal")[0, 0, :, 0].tolist()
print(f"mlx {version('mlx')}: all false {false}, all -inf {infinite}; causal, three queries of two keys {causal}")
sys.exit(not (false == [2, 2] and all(x != x for x in infinite) and causal == [2, 1, 2]))
PYTHON
