#!/usr/bin/env python3
"""Small models whose files say more than the plainest does, and the logits of each by a forward pass of NumPy in double
precision: `pip install gguf==0.19.0 numpy==2.3.5`.

  tests/golden/models.py    writes tests/golden/models/*.gguf and logits.txt

Every file has the tokens `a` to `p` of the form of SentencePiece, so that a text of these letters is its tokens. A line of
logits.txt: the name of a model, and the logits after the last token of TEXT.

What a key means is what llama.cpp takes it for (src/llama-model.cpp, `load_hparams`; ggml/src/ggml-cpu/ops.cpp, `rope_yarn`).
"""

from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType as Type
from gguf import GGUFWriter, TokenType, quants

HERE = Path(__file__).parent / "models"
TOKENS = ["<unk>"] + [chr(ord("a") + i) for i in range(16)]
TEXT = "abcahgdpomnkkabcfdelijbaponmlkjihgfe"
# What a model is unless its entry says otherwise.
PLAIN = dict(arch="llama", dim=16, heads=2, kv=1, hidden=24, layers=2, context=64, base=5000.0, eps=1e-5, head=None, tied=True,
             biases=(), keys={}, factors=None, kinds={}, parts=1, order=None)
MODELS = {
    "plain": {},
    "linear": dict(keys={"rope.scaling.type": "linear", "rope.scaling.factor": 4.0}),
    "untyped": dict(keys={"rope.scaling.factor": 4.0}),
    "older": dict(keys={"rope.scale_linear": 4.0}),
    "both": dict(keys={"rope.scale_linear": 2.0, "rope.scaling.factor": 4.0}),
    "none": dict(keys={"rope.scaling.type": "none", "rope.scaling.factor": 4.0}),
    "zero": dict(keys={"rope.scaling.type": "linear", "rope.scaling.factor": 0.0}),
    "attn_factor": dict(keys={"rope.scaling.attn_factor": 1.25}),
    "yarn": dict(keys={"rope.scaling.type": "yarn", "rope.scaling.factor": 4.0, "rope.scaling.original_context_length": 16}),
    "factors": dict(factors=[1.0, 1.5, 4.0, 8.0]),
    "factors_linear": dict(factors=[1.0, 1.5, 4.0, 8.0], keys={"rope.scaling.factor": 2.0}),
    "wide": dict(head=12, tied=False),
    "narrow": dict(head=4, heads=6, kv=3),
    "qkv": dict(biases=("attn_q", "attn_k", "attn_v")),
    "all_biases": dict(biases=("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"), tied=False),
    "one_bias": dict(biases=("attn_k", "ffn_down")),
    "quantised_bias": dict(dim=32, heads=4, kv=2, biases=("attn_q", "attn_k", "attn_v"), kinds={"attn_k": Type.Q8_0, "ffn_up": Type.F16}),
    "qwen2": dict(arch="qwen2", biases=("attn_q", "attn_k", "attn_v"), base=1e6),
    "split": dict(parts=3, tied=False),
    "reversed": dict(order=-1),
}


def weights(rng, m):
    hd = m["head"] or m["dim"] // m["heads"]
    d, q, kv, f = m["dim"], m["heads"] * hd, m["kv"] * hd, m["hidden"]
    shapes = {"token_embd.weight": (len(TOKENS), d)}
    for l in range(m["layers"]):
        of = {"attn_norm": (d,), "attn_q": (q, d), "attn_k": (kv, d), "attn_v": (kv, d), "attn_output": (d, q),
              "ffn_norm": (d,), "ffn_gate": (f, d), "ffn_up": (f, d), "ffn_down": (d, f)}
        for name, shape in of.items():
            shapes[f"blk.{l}.{name}.weight"] = shape
            if name in m["biases"]:
                shapes[f"blk.{l}.{name}.bias"] = shape[:1]
    shapes["output_norm.weight"] = (d,)
    if not m["tied"]:
        shapes["output.weight"] = (len(TOKENS), d)
    scale = lambda n: 0.5 if n.endswith("bias") else 0.25
    return {n: (rng.standard_normal(s) * scale(n) + ("norm" in n)).astype(np.float32) for n, s in shapes.items()}


def angles(m, hd, n):
    """Of position and pair, and what cosines and sines are multiplied with."""
    key = lambda name, other: m["keys"].get("rope." + name, other)
    pair = np.arange(hd // 2)
    turn = m["base"] ** (-2.0 * pair / hd) / (m["factors"] or 1.0)
    kind = key("scaling.type", "linear")
    factor = key("scaling.factor", key("scale_linear", 0.0)) or 1.0
    length = key("scaling.attn_factor", 1.0)
    if kind == "linear":
        turn = turn / factor
    elif kind == "yarn":
        trained = key("scaling.original_context_length", m["context"])
        at = lambda turns: hd * np.log(trained / (turns * 2 * np.pi)) / (2 * np.log(m["base"]))
        low, high = max(np.floor(at(32.0)), 0), min(np.ceil(at(1.0)), hd - 1)
        slowed = np.clip((pair - low) / max(0.001, high - low), 0, 1)
        turn = turn / factor * slowed + turn * (1 - slowed)
        length *= 1 + 0.1 * np.log(factor)
    return np.arange(n)[:, None] * turn, length


def logits(m, w, ids):
    """After the last of the tokens, of the definition."""
    w = {n: x.astype(np.float64) for n, x in w.items()}
    norm = lambda x, g: x / np.sqrt((x * x).mean(-1, keepdims=True) + m["eps"]) * g
    hd, n = m["head"] or m["dim"] // m["heads"], len(ids)
    angle, length = angles(m, hd, n)
    c, s = length * np.cos(angle)[:, None], length * np.sin(angle)[:, None]

    def turn(x):
        x = x.reshape(n, -1, hd)
        a, b = (x[..., : hd // 2], x[..., hd // 2 :]) if m["arch"] == "qwen2" else (x[..., ::2], x[..., 1::2])
        a, b = a * c - b * s, a * s + b * c
        return np.concatenate([a, b], -1) if m["arch"] == "qwen2" else np.stack([a, b], -1).reshape(n, -1, hd)

    h = w["token_embd.weight"][ids]
    for l in range(m["layers"]):
        linear = lambda name, x: x @ w[f"blk.{l}.{name}.weight"].T + w.get(f"blk.{l}.{name}.bias", 0)
        x = norm(h, w[f"blk.{l}.attn_norm.weight"])
        q, k, v = turn(linear("attn_q", x)), turn(linear("attn_k", x)), linear("attn_v", x).reshape(n, m["kv"], hd)
        out = np.zeros((n, m["heads"], hd))
        for head in range(m["heads"]):
            of_kv = head // (m["heads"] // m["kv"])
            score = q[:, head] @ k[:, of_kv].T / np.sqrt(hd)
            score[np.triu_indices(n, 1)] = -np.inf
            p = np.exp(score - score.max(-1, keepdims=True))
            out[:, head] = p / p.sum(-1, keepdims=True) @ v[:, of_kv]
        h = h + linear("attn_output", out.reshape(n, -1))
        x = norm(h, w[f"blk.{l}.ffn_norm.weight"])
        gate = linear("ffn_gate", x)
        h = h + linear("ffn_down", gate / (1 + np.exp(-gate)) * linear("ffn_up", x))
    return norm(h[-1], w["output_norm.weight"]) @ w.get("output.weight", w["token_embd.weight"]).T


def keys(file, m):
    file.add_context_length(m["context"])
    file.add_embedding_length(m["dim"])
    file.add_block_count(m["layers"])
    file.add_feed_forward_length(m["hidden"])
    file.add_head_count(m["heads"])
    file.add_head_count_kv(m["kv"])
    file.add_layer_norm_rms_eps(m["eps"])
    file.add_rope_freq_base(m["base"])
    if m["head"]:
        file.add_key_length(m["head"])
        file.add_value_length(m["head"])
    for key, value in m["keys"].items():
        add = {float: file.add_float32, int: file.add_uint32, str: file.add_string}[type(value)]
        add(f"{m['arch']}.{key}", value)
    file.add_tokenizer_model("llama")
    file.add_token_list(TOKENS)
    file.add_token_scores([-float(i) for i in range(len(TOKENS))])
    file.add_token_types([TokenType.UNKNOWN] + [TokenType.NORMAL] * (len(TOKENS) - 1))
    file.add_add_space_prefix(False)
    file.add_add_bos_token(False)


def write(name, m, tensors):
    split = dict(split_max_tensors=-(-len(tensors) // m["parts"])) if m["parts"] > 1 else {}
    file = GGUFWriter(HERE / f"{name}.gguf", m["arch"], **split)
    keys(file, m)
    for n, x, kind in tensors:
        file.add_tensor(n, x, raw_dtype=kind)
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()


def backwards(path):
    """Puts the data of the tensors in the other order, and their entries' places with them."""
    from gguf import GGUFReader

    reader = GGUFReader(path, "r")
    start, bytes_ = reader.data_offset, bytearray(path.read_bytes())
    at, data, places = 0, bytearray(), []
    for t in reversed(reader.tensors):
        places.append((t.field, at))
        data += t.data.tobytes()
        data += bytes(-len(data) % 32)
        at = len(data)
    for field, place in places:
        # The place is the last part of an entry.
        end = field.offset + sum(int(p.nbytes) for p in field.parts)
        bytes_[end - 8 : end] = place.to_bytes(8, "little")
    path.write_bytes(bytes_[:start] + data)


HERE.mkdir(exist_ok=True)
lines = []
for number, (name, changes) in enumerate(MODELS.items()):
    m = PLAIN | changes
    w = weights(np.random.default_rng(number), m)
    tensors = []
    for n, x in w.items():
        kind = next((k for part, k in m["kinds"].items() if part in n and x.ndim > 1), Type.F32)
        stored = quants.quantize(x, kind)
        w[n] = quants.dequantize(stored, kind).reshape(x.shape)
        tensors.append((n, stored, kind))
    if m["factors"]:
        tensors.append(("rope_freqs.weight", np.array(m["factors"], np.float32), Type.F32))
    write(name, m, tensors)
    if m["order"] == -1:
        backwards(HERE / f"{name}.gguf")
    out = logits(m, w, [TOKENS.index(c) for c in TEXT])
    lines.append(f"{name} " + " ".join(f"{x:.7g}" for x in out))
(HERE / "logits.txt").write_text("\n".join(lines) + "\n")
