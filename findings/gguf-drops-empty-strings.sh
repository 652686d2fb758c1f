#!/usr/bin/env bash
# The package gguf does not write a string or an array that is empty: the key is missing in the file, where add_string and add_array said nothing. A list that holds an empty string is written.
# A reader that takes a missing key for its default gets another value than the one that was set, as for a chat template, a prefix or a separator that is set to "".
# Expected: the key with an empty value, which the format has (a length of 0). Seen: the key is missing.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install --quiet --disable-pip-version-check gguf==0.19.0 numpy==2.4.6
"$work/env/bin/python" - <<'PYTHON'
import sys
import tempfile
from importlib.metadata import version

import gguf

with tempfile.TemporaryDirectory() as folder:
    path = folder + "/finding.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_string("finding.separator", "")
    writer.add_array("finding.tags", [])
    writer.add_array("finding.parts", [""])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    fields = {key: field.contents() for key, field in gguf.GGUFReader(path).fields.items() if key.startswith("finding.")}
print(f"gguf {version('gguf')}: an empty string, an empty array and an array of an empty string are read back as {fields}")
sys.exit(fields != {"finding.parts": [""]})
PYTHON
