#!/usr/bin/env bash
# polars' shrink_dtype, which picks the type "needed to fit the extrema", makes Float32 of every Float64 series without a look at its numbers: 1e300 becomes infinity and 1e-300 zero, without an error, where integers that do not fit keep their type.
# Expected: Float64 where Float32 cannot hold the extremes. Even in its range 16777217 becomes 16777216. Shrink the integer columns alone.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check polars==2.1.0
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import polars

floats = polars.Series([1e300, -1e300, 1e-300, 16777217.0]).shrink_dtype()
integers = {str(polars.Series([value]).shrink_dtype().dtype) for value in (2**40, -(2**62))}
small = str(polars.Series([100]).shrink_dtype().dtype)
print(f"polars {version('polars')}: 1e300, -1e300, 1e-300 and 16777217 shrunk: {floats.dtype} {floats.to_list()}; 2**40 and -2**62 shrunk: {integers}, 100: {small}")
infinity = float("inf")
sys.exit(not (floats.dtype == polars.Float32 and floats.to_list() == [infinity, -infinity, 0, 16777216] and integers == {"Int64"} and small == "Int8"))
PYTHON
