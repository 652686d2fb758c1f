#!/usr/bin/env bash
# zarr does not store a chunk that equals the fill value, and keeps -0.0 apart from 0.0 in that for real numbers, but not for complex ones: a chunk of 0 - 0j comes back as 0 + 0j.
# Expected: what was written, as with float32 and float64, where a chunk of -0.0 comes back as -0.0. The sign of a zero picks the side of a branch cut: the square root of -4 + z is 2j for the z that was read and -2j for the one that was written. Write with write_empty_chunks.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 zarr==3.1.6
"$work/env/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
import zarr


def stored(value, dtype, **config):
    array = zarr.create_array(zarr.storage.MemoryStore(), shape=(4,), chunks=(4,), dtype=dtype, fill_value=0, config=config or None)
    array[:] = np.full(4, value, dtype)
    return array[:]


real = stored(-0.0, np.float64)
lost = stored(complex(0.0, -0.0), np.complex128)
kept = stored(complex(0.0, -0.0), np.complex128, write_empty_chunks=True)
roots = [complex(np.sqrt(complex(-4.0, z[0].imag))) for z in (lost, kept)]
print(f"zarr {version('zarr')}: chunks of -0.0 {real}, of 0 - 0j {lost}, with write_empty_chunks {kept}; roots of -4 with the imaginary parts of the two: {roots}")
sys.exit(not (np.signbit(real).all() and not np.signbit(lost.imag).any() and np.signbit(kept.imag).all() and roots == [2j, -2j]))
PYTHON
