#!/usr/bin/env python3
"""Small Llama models as other programs write them, and what they compute: files of the `gguf` package, tokens of
`sentencepiece` and `tokenizers`, logits of NumPy in double precision (pip install gguf sentencepiece tokenizers).

  tests/golden/llama.py    writes tests/golden/llama/{pieces,pairs}.gguf and .txt

A line of the text: hexadecimal bytes of a text, a tab, its tokens; then the logits after those of the first text.
"""

import io
import sys
from pathlib import Path

import numpy as np
import sentencepiece
import tokenizers
from gguf import GGMLQuantizationType as Type
from gguf import GGUFWriter, TokenType, quants

HERE = Path(__file__).parent / "llama"
TEXTS = [
    "the cat sat on the mat.",
    "It's 1234567 dogs,  they'LL  say:\n\n\n  \"we've seen\u2026 naïve ☃ cats!\" \r\n x",
    "",
    " ",
    "   three spaces\tand\ttabs   ",
    "don't\nDON'T a'b ''s 'tis",
    "日本語 and ελληνικά, 12 345",
    "\n",
    "x" * 40,
    "z" * 7,
]
LEARNT = ["the cat sat on the mat. the dog sat on the log.", "It's what they say: we've seen the cats, and they'll say it.", "1234 12 345 dogs", "zzzz zzz"] * 8
DIM, HEADS, KV, HIDDEN, LAYERS, CONTEXT, BASE, EPS = 32, 4, 2, 48, 2, 64, 5000.0, 1e-5


def weights(rng, vocab, tied):
    hd = DIM // HEADS
    shapes = {"token_embd": (vocab, DIM)}
    for l in range(LAYERS):
        b = f"blk.{l}."
        shapes |= {b + "attn_norm": (DIM,), b + "attn_q": (DIM, DIM), b + "attn_k": (KV * hd, DIM), b + "attn_v": (KV * hd, DIM)}
        shapes |= {b + "attn_output": (DIM, DIM), b + "ffn_norm": (DIM,), b + "ffn_gate": (HIDDEN, DIM), b + "ffn_up": (HIDDEN, DIM), b + "ffn_down": (DIM, HIDDEN)}
    shapes["output_norm"] = (DIM,)
    if not tied:
        shapes["output"] = (vocab, DIM)
    return {n: (rng.standard_normal(s) * 0.25 + (len(s) == 1)).astype(np.float32) for n, s in shapes.items()}


def logits(w, ids):
    """After the last of the tokens, of the definition."""
    norm = lambda x, g: x / np.sqrt((x * x).mean(-1, keepdims=True) + EPS) * g
    hd, n = DIM // HEADS, len(ids)
    angle = np.arange(n)[:, None] * BASE ** (-np.arange(0, hd, 2) / hd)
    def turn(x):
        x = x.reshape(n, -1, hd // 2, 2)
        c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
        return np.stack([x[..., 0] * c - x[..., 1] * s, x[..., 0] * s + x[..., 1] * c], -1).reshape(n, -1, hd)
    h = w["token_embd"][ids]
    for l in range(LAYERS):
        of = lambda name: w[f"blk.{l}.{name}"]
        x = norm(h, of("attn_norm"))
        q, k, v = turn(x @ of("attn_q").T), turn(x @ of("attn_k").T), (x @ of("attn_v").T).reshape(n, KV, hd)
        out = np.zeros((n, HEADS, hd))
        for head in range(HEADS):
            of_kv = head // (HEADS // KV)
            score = q[:, head] @ k[:, of_kv].T / np.sqrt(hd)
            score[np.triu_indices(n, 1)] = -np.inf
            p = np.exp(score - score.max(-1, keepdims=True))
            out[:, head] = p / p.sum(-1, keepdims=True) @ v[:, of_kv]
        h = h + out.reshape(n, DIM) @ of("attn_output").T
        x = norm(h, of("ffn_norm"))
        gate = x @ of("ffn_gate").T
        h = h + (gate / (1 + np.exp(-gate)) * (x @ of("ffn_up").T)) @ of("ffn_down").T
    return norm(h[-1], w["output_norm"]) @ w.get("output", w["token_embd"]).T


def write(name, rng, vocab, tied, kinds, keys, encode):
    w = weights(rng, vocab, tied)
    file = GGUFWriter(HERE / f"{name}.gguf", "llama")
    file.add_context_length(CONTEXT)
    file.add_embedding_length(DIM)
    file.add_block_count(LAYERS)
    file.add_feed_forward_length(HIDDEN)
    file.add_head_count(HEADS)
    file.add_head_count_kv(KV)
    file.add_layer_norm_rms_eps(EPS)
    file.add_rope_freq_base(BASE)
    file.add_rope_dimension_count(DIM // HEADS)
    keys(file)
    for key, x in w.items():
        kind = next((k for part, k in kinds.items() if part in key), Type.F32) if x.ndim > 1 else Type.F32
        if kind != Type.F32 and x.shape[-1] % 32:
            kind = Type.F16
        stored = quants.quantize(x, kind)
        file.add_tensor(f"{key}.weight", stored, raw_dtype=kind)
        w[key] = quants.dequantize(stored, kind).astype(np.float64).reshape(x.shape)
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()
    lines = [f"{t.encode().hex()}\t{' '.join(map(str, encode(t)))}" for t in TEXTS]
    lines.append(" ".join(f"{x:.7g}" for x in logits(w, encode(TEXTS[0]))))
    (HERE / f"{name}.txt").write_text("\n".join(lines) + "\n")


def pieces(rng):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LEARNT), model_writer=model, model_type="bpe", vocab_size=330, byte_fallback=True,
        normalization_rule_name="identity", remove_extra_whitespaces=False, character_coverage=1.0, minloglevel=2,
    )
    sp = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    n = sp.vocab_size()
    kind = lambda i: TokenType.UNKNOWN if sp.is_unknown(i) else TokenType.CONTROL if sp.is_control(i) else TokenType.BYTE if sp.is_byte(i) else TokenType.NORMAL

    def keys(file):
        file.add_tokenizer_model("llama")
        file.add_token_list([sp.id_to_piece(i) for i in range(n)])
        file.add_token_scores([sp.get_score(i) for i in range(n)])
        file.add_token_types([kind(i) for i in range(n)])
        file.add_bos_token_id(sp.bos_id())
        file.add_eos_token_id(sp.eos_id())

    write("pieces", rng, n, False, {"embd": Type.F16, "attn_k": Type.BF16, "ffn": Type.F32}, keys, lambda t: [sp.bos_id(), *sp.encode(t)])


def pairs(rng):
    t = tokenizers.Tokenizer(tokenizers.models.BPE(ignore_merges=True))
    pattern = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    pre = tokenizers.pre_tokenizers
    llama = pre.Sequence([pre.Split(tokenizers.Regex(pattern), "isolated"), pre.ByteLevel(add_prefix_space=False, use_regex=False)])
    t.pre_tokenizer = llama
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=300, initial_alphabet=pre.ByteLevel.alphabet(), special_tokens=["<end>"], show_progress=False)
    t.train_from_iterator(LEARNT, trainer)
    merges = __import__("json").loads(t.to_str())["model"]["merges"]
    n = t.get_vocab_size()

    def keys(kind):
        def of(file):
            file.add_tokenizer_model("gpt2")
            file.add_tokenizer_pre(kind)
            file.add_vocab_size(n)
            file.add_token_list([t.id_to_token(i) for i in range(n)])
            file.add_token_types([TokenType.CONTROL if i == 0 else TokenType.NORMAL for i in range(n)])
            file.add_token_merges([m if isinstance(m, str) else " ".join(m) for m in merges])
            file.add_eos_token_id(0)
        return of

    encode = lambda text: t.encode(text, add_special_tokens=False).ids
    write("pairs", rng, n, True, {"attn_q": Type.Q8_0, "ffn_up": Type.Q4_0}, keys("llama-bpe"), encode)
    t.pre_tokenizer = pre.ByteLevel(add_prefix_space=False, use_regex=True)
    t.model.ignore_merges = False
    write("words", rng, n, True, {}, keys("gpt-2"), encode)


HERE.mkdir(exist_ok=True)
rng = np.random.default_rng(5)
pieces(rng)
pairs(rng)
