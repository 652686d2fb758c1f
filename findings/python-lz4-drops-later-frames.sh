#!/usr/bin/env bash
# lz4.frame.decompress of two frames that stand one behind the other returns the first one's content alone and says
# nothing of the rest, where the frame format says that concatenated frames decode to the concatenation, as cramjam
# does. A skippable frame in front gives b"".
# Expected: both contents, or an error for what remains. lz4.frame.open reads on; decompress does not.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check lz4==4.4.5 cramjam==2.14.0
"$work/env/bin/python" - <<'PYTHON'
import struct
import sys

import cramjam
import lz4
import lz4.frame

frame = lz4.frame.compress(b"first ") , lz4.frame.compress(b"second")
both = frame[0] + frame[1]
skippable = struct.pack("<II", 0x184D2A50, 4) + b"note"
got, other, front = lz4.frame.decompress(both), bytes(cramjam.lz4.decompress(both)), lz4.frame.decompress(skippable + frame[0])
print(f"lz4 {lz4.__version__}: {got!r}, behind a skippable frame {front!r}; cramjam {cramjam.__version__}: {other!r}")
sys.exit(not (got == b"first " and other == b"first second" and front == b""))
PYTHON
