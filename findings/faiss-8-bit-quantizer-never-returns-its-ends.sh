#!/usr/bin/env bash
# faiss's scalar quantizer (QT_8bit, and QT_4bit and QT_6bit alike) cuts the trained range into 255 steps, rounds down and decodes to the middle of the step, also for the largest number, which has code 255:
# trained on 0 to 255 the numbers 0, 1 and 255 come back as 0.5, 1.5 and 255.5, which lies outside the range. Trained on -1 to 1, 1 becomes 1.0039.
# Expected: codes rounded to nearest, so that the ends, and whole numbers from 0 to 255, are exact; the worst error would be the same half step. Each stored vector of whole numbers has the distance d/4
# to itself; for bytes take QT_8bit_direct.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check faiss-cpu==1.15.1 numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
import sys

import faiss
import numpy as np


def returned(numbers, kind):
    index = faiss.IndexScalarQuantizer(1, kind, faiss.METRIC_L2)
    x = np.array(numbers, np.float32).reshape(-1, 1)
    index.train(x)
    index.add(x)
    return index.reconstruct_n(0, len(x)).ravel().tolist(), index.search(x[:1], 1)[0].item()


(whole, distance), (unit, _), (four, _), (direct, _) = (
    returned(x, getattr(faiss.ScalarQuantizer, k)) for x, k in (([0, 1, 255], "QT_8bit"), ([-1, 0, 1], "QT_8bit"), ([0, 1, 15], "QT_4bit"), ([0, 1, 255], "QT_8bit_direct"))
)
print(f"faiss {faiss.__version__}: 0, 1, 255 become {whole}, with the distance {distance} of 0 to itself; -1, 0, 1 become {unit}; 0, 1, 15 in 4 bits {four}; QT_8bit_direct {direct}")
sys.exit(not (whole == [0.5, 1.5, 255.5] and distance == 0.25 and four == [0.5, 1.5, 15.5] and abs(unit[2] - 1.0039) < 1e-4 and direct == [0, 1, 255]))
PYTHON
