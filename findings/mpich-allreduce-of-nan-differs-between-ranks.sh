#!/usr/bin/env bash
# MPICH's Allreduce with MAX or MIN gives the ranks different results where one of them holds NaN: of NaN at rank 0 and 1 at the three others rank 3 gets NaN and all others get 1.
# With NaN at rank 1 it is rank 2 that gets NaN. Ranks that branch on the maximum part there, and the next collective waits for those that left.
# Expected: one result for all; the MPI standard requires identical results in every process. Each rank compares its own number with those that come
# in, in its own order, and a comparison with NaN is false in either order. The signs of zeros differ alike.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check mpi4py==4.1.2 mpich==5.0.2 numpy==2.4.6
cat >"$work/finding.py" <<'PYTHON'
import math
import sys

import mpi4py
import numpy as np
from mpi4py import MPI

ranks = MPI.COMM_WORLD


def maxima(place):
    """The maximum of NaN at this rank and 1 at all others, as each rank gets it."""
    result = np.zeros(1)
    ranks.Allreduce(np.array([math.nan if ranks.rank == place else 1.0]), result, MPI.MAX)
    return ranks.gather(float(result[0]))


seen = [maxima(0), maxima(1)]
if ranks.rank == 0:
    library = MPI.Get_library_version().split()[2]
    print(f"MPICH {library}, mpi4py {mpi4py.__version__}: the maximum with NaN at rank 0 is {seen[0]}, with NaN at rank 1 {seen[1]}")
    nan = [[k for k, x in enumerate(row) if math.isnan(x)] for row in seen]
    changed = nan != [[3], [2]]
else:
    changed = None
sys.exit(ranks.bcast(changed))
PYTHON
"$work/env/bin/mpiexec" -n 4 "$work/env/bin/python" "$work/finding.py"
