#!/usr/bin/env python3
"""A small model file by the `gguf` package (pip install gguf), which tests/gguf.rs reads.

  tests/golden/model_file.py           writes tests/golden/gguf/small.gguf
  tests/golden/model_file.py FILE      prints the keys and tensors of FILE as that package reads them
"""

import sys
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType as Type
from gguf import GGUFReader, GGUFWriter, quants

HERE = Path(__file__).parent / "gguf/small.gguf"


def write():
    HERE.parent.mkdir(exist_ok=True)
    w = GGUFWriter(HERE, "small")
    w.add_custom_alignment(64)
    w.add_uint8("n.u8", 200)
    w.add_int8("n.i8", -100)
    w.add_uint16("n.u16", 60000)
    w.add_int16("n.i16", -30000)
    w.add_uint32("n.u32", 4000000000)
    w.add_int32("n.i32", -2000000000)
    w.add_uint64("n.u64", 1 << 63)
    w.add_int64("n.i64", -1 << 62)
    w.add_float32("n.f32", 0.1)
    w.add_float64("n.f64", 0.1)
    w.add_bool("n.bool", True)
    w.add_string("text", "naïve ☃")
    w.add_array("texts", ["a", "", "日本"])
    w.add_array("whole", [1, -2, 3])
    w.add_array("real", [0.5, -1.5])
    w.add_array("bools", [True, False])
    # Three rows of four.
    w.add_tensor("matrix", np.arange(12, dtype=np.float32).reshape(3, 4))
    w.add_tensor("four", np.arange(24, dtype=np.float16).reshape(1, 2, 3, 4))
    rows = np.linspace(-1, 1, 128, dtype=np.float32).reshape(2, 64)
    w.add_tensor("blocks", quants.quantize(rows, Type.Q8_0), raw_dtype=Type.Q8_0)
    w.add_tensor("line", np.array([7], dtype=np.int32))
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def show(path):
    file = GGUFReader(path)
    for name, field in file.fields.items():
        print(name, [t.name for t in field.types], field.contents())
    for t in file.tensors:
        print(t.name, t.tensor_type.name, [int(n) for n in t.shape], t.data.tobytes().hex()[:64])


if len(sys.argv) > 1:
    show(sys.argv[1])
else:
    write()
