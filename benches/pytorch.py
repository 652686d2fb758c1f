#!/usr/bin/env python3
"""The llm example beside PyTorch and llama.cpp: a training step, attention, and writing, in turn, same sizes, types and
threads.

  RUSTFLAGS="-C target-cpu=native" cargo build --release --example llm --features std,parallel,avx512
  benches/pytorch.py target/release/examples/llm MODEL.gguf [--threads 2] [--rounds 3] [--llama-cpp]
      MODEL.gguf of any text, made by `llm train` with default sizes; `f32` everywhere
  benches/pytorch.py --attention [--threads 1]
      the lines that `benches/peers -- --attention` prints, of torch's `scaled_dot_product_attention`
  benches/pytorch.py --gpu-attention
      the lines that `benches/device -- attention` prints, of cuDNN's and FlashAttention's forward pass through torch
"""

import argparse
import re
import statistics
import subprocess
import time

import torch
import torch.nn.functional as F

# The default sizes of the example, and of its training.
VOCAB, DIM, LAYERS, HEADS, KV_HEADS, HIDDEN, CONTEXT = 512, 128, 4, 4, 2, 384, 256
BATCH, LENGTH = 16, 128
HEAD = DIM // HEADS


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        linear = lambda i, o: torch.nn.Linear(i, o, bias=False)
        self.norm_1, self.norm_2 = torch.nn.RMSNorm(DIM, 1e-5), torch.nn.RMSNorm(DIM, 1e-5)
        self.qkv, self.o = linear(DIM, (HEADS + 2 * KV_HEADS) * HEAD), linear(DIM, DIM)
        self.gate_up, self.down = linear(DIM, 2 * HIDDEN), linear(HIDDEN, DIM)

    def forward(self, h, cos, sin):
        b, t, _ = h.shape
        qkv = self.qkv(self.norm_1(h)).view(b, t, -1, HEAD).transpose(1, 2)
        q, k, v = qkv.split([HEADS, KV_HEADS, KV_HEADS], 1)
        mixed = F.scaled_dot_product_attention(turn(q, cos, sin), turn(k, cos, sin), v, is_causal=True, enable_gqa=True)
        h = h + self.o(mixed.transpose(1, 2).reshape(b, t, DIM))
        gate, up = self.gate_up(self.norm_2(h)).chunk(2, -1)
        return h + self.down(F.silu(gate) * up)


def turn(x, cos, sin):
    even, odd = x[..., ::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(VOCAB, DIM)
        self.blocks = torch.nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = torch.nn.RMSNorm(DIM, 1e-5)
        rate = 10000.0 ** (-torch.arange(0, HEAD, 2) / HEAD)
        angles = torch.outer(torch.arange(CONTEXT).float(), rate)
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def forward(self, ids, targets):
        h, t = self.embedding(ids), ids.shape[1]
        for block in self.blocks:
            h = block(h, self.cos[:t], self.sin[:t])
        logits = F.linear(self.norm(h), self.embedding.weight)
        return F.cross_entropy(logits.view(-1, VOCAB), targets.view(-1))


def trainer(compiled):
    """One training step of a new model, by kernels as they are or by those that torch generates."""
    torch.manual_seed(1)
    model = Model()
    assert sum(p.numel() for p in model.parameters()) == 853_120
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.99), weight_decay=0.05, fused=True)
    loss_of = torch.compile(model) if compiled else model

    def step():
        ids = torch.randint(VOCAB, (BATCH, LENGTH + 1))
        loss = loss_of(ids[:, :-1].contiguous(), ids[:, 1:].contiguous())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    return step


def median(count, run):
    run()
    times = []
    for _ in range(count):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def llama(args):
    """What llama.cpp reaches with the same file; it has to write the same text."""
    from llama_cpp import Llama

    other = Llama(args.model, n_threads=args.threads, n_threads_batch=args.threads, n_ctx=CONTEXT, n_batch=CONTEXT, type_k=0, type_v=0, verbose=False)
    prompt, count = "The error of a ", 40
    text = other.create_completion(prompt, max_tokens=count, temperature=0, repeat_penalty=1.0)["choices"][0]["text"]
    ours = subprocess.run([args.llm, "generate", args.model, "--prompt", prompt, "--tokens", str(count), "--temperature", "0"], capture_output=True, text=True, check=True).stdout
    assert ours.startswith(prompt + text), f"llama.cpp writes {text!r}, fulmen {ours!r}"
    other.reset()
    start = time.perf_counter()
    other.eval([i % VOCAB for i in range(128)])
    middle = time.perf_counter()
    for i in range(100):
        other.eval([i])
    end = time.perf_counter()
    return {"reading 128, tokens/s: llama.cpp": 128 / (middle - start), "writing, tokens/s: llama.cpp": 100 / (end - middle)}


def model(args):
    steps = {"torch": trainer(False), "torch.compile": trainer(True)}
    found = {}
    note = lambda key, value: found.setdefault(key, []).append(value)
    for _ in range(args.rounds):
        text = subprocess.run([args.llm, "bench", args.model, "--threads", str(args.threads)], capture_output=True, text=True, check=True).stdout
        note("training step, ms: fulmen", float(re.search(r"training: ([\d.]+) ms", text)[1]))
        note("reading 128, tokens/s: fulmen", float(re.search(r"reading: (\d+)", text)[1]))
        note("writing, tokens/s: fulmen", float(re.search(r"writing: (\d+)", text)[1]))
        for name, step in steps.items():
            note(f"training step, ms: {name}", 1e3 * median(5, step))
        for key, value in (llama(args) if args.llama_cpp else {}).items():
            note(key, value)
    for key, values in sorted(found.items()):
        print(f"{key} {statistics.median(values):.1f}")


def attention(args):
    for n in (1024, 2048, 4096, 8192):
        for dim in (64, 128):
            for heads, kv_heads in ((8, 8), (8, 2), (32, 8)):
                for mode, rows, causal in (("prefill", n, True), ("prefill", n, False), ("decode", 1, False)):
                    if mode == "prefill" and (heads, kv_heads) != (8, 8):
                        continue
                    q, k, v = (torch.rand(1, h, r, dim) for h, r in ((heads, rows), (kv_heads, n), (kv_heads, n)))
                    run = lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=heads != kv_heads)
                    with torch.no_grad():
                        t = median(max(3, 8192 // n) if rows > 1 else 300, run)
                    pairs = n * (n + 1) / 2 if causal else rows * n
                    work = 4 * heads * dim * pairs if rows > 1 else 2 * n * kv_heads * dim * 4
                    mask = "causal" if causal or rows == 1 else "full"
                    print(f"{mode},{args.threads},{heads},{kv_heads},{dim},{n},{mask},torch {torch.__version__},{t:.3e},{work / t * 1e-9:.1f}", flush=True)


def gpu_attention():
    from torch.nn.attention import SDPBackend, sdpa_kernel

    every, rounds = 1 << 25, 7
    for name, backend in (("cudnn", SDPBackend.CUDNN_ATTENTION), ("flash2", SDPBackend.FLASH_ATTENTION)):
        for dim, causal in ((128, False), (128, True), (64, False), (64, True)):
            for n in (1024, 2048, 4096, 8192, 16384):
                heads = 2048 // dim
                q, k, v = (torch.randn(16384 // n, heads, n, dim, device="cuda", dtype=torch.bfloat16) for _ in range(3))
                with torch.no_grad(), sdpa_kernel(backend):
                    times = []
                    for r in range(rounds + 1):
                        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                        start.record()
                        for _ in range(10):
                            F.scaled_dot_product_attention(q, k, v, is_causal=causal)
                        end.record()
                        torch.cuda.synchronize()
                        times.append(start.elapsed_time(end) / 10)
                t = statistics.median(times[1:])
                flop = (2 if causal else 4) * n * every
                print(f"{name},{dim},{n},{int(causal)},{t:.4f},{flop / t * 1e-9:.0f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("llm", nargs="?")
    parser.add_argument("model", nargs="?")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--llama-cpp", action="store_true", help="with the package llama-cpp-python")
    parser.add_argument("--attention", action="store_true")
    parser.add_argument("--gpu-attention", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    if args.gpu_attention:
        gpu_attention()
    elif args.attention:
        attention(args)
    elif args.model:
        model(args)
    else:
        parser.error("an llm program and a model, or --attention")


if __name__ == "__main__":
    main()
