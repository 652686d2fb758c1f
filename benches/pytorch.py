#!/usr/bin/env python3
"""The llm example beside PyTorch and llama.cpp: a training step, attention, and writing, in turn, same sizes, types and
threads.

  RUSTFLAGS="-C target-cpu=native" cargo build --release --bin llm --features parallel,avx512
  benches/pytorch.py target/release/llm MODEL.gguf [--threads 2] [--rounds 3] [--llama-cpp]
      MODEL.gguf of any text, made by `llm train` with default sizes; `f32` everywhere
  benches/pytorch.py --attention [--threads 1]
      the lines that `benches/peers -- --attention` prints, of torch's `scaled_dot_product_attention`
  benches/pytorch.py --gpu-lines
      cases of the lines that `benches/device -- cuda lines` prints, by kernels of torch and by those that torch.compile makes
  benches/pytorch.py --gpu-attention
      the lines that `benches/device -- attention` prints, of cuDNN's and FlashAttention's forward and backward pass through torch
  benches/pytorch.py --gpu-attention-widths
      those of `benches/device -- attention-widths`
  benches/pytorch.py --gpu-sparse
      cuSPARSE's products with the matrices of `benches/device`
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
    for name, backend in (("cuDNN", SDPBackend.CUDNN_ATTENTION), ("FlashAttention-2", SDPBackend.FLASH_ATTENTION)):
        for dim, causal in ((128, False), (128, True), (64, False), (64, True)):
            for n in (1024, 2048, 4096, 8192, 16384):
                heads = 2048 // dim
                q, k, v = (torch.randn(16384 // n, heads, n, dim, device="cuda", dtype=torch.bfloat16) for _ in range(3))
                with torch.no_grad(), sdpa_kernel(backend):
                    t = repeated(10, rounds, lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal))
                mask = "causal" if causal else "full"
                print(f"attention_bf16, {dim}, {n}, {mask} | {name} | {1e3 * t:.2f}", flush=True)
                for x in (q, k, v):
                    x.requires_grad_()
                with sdpa_kernel(backend):
                    out = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
                    grad = torch.randn_like(out)
                    back = repeated(5, rounds, lambda: torch.autograd.grad(out, (q, k, v), grad, retain_graph=True))
                print(f"attention_bf16_backward, {dim}, {n}, {mask} | {name} | {1e3 * back:.2f}", flush=True)
        for kv_heads in (32, 8):
            for n in (1024, 8192, 65536):
                many = min(64, max(1, (256 << 20) // (4 * n * kv_heads * 128)))
                caches = [[torch.randn(1, kv_heads, n, 128, device="cuda", dtype=torch.bfloat16) for _ in range(2)] for _ in range(many)]
                q = torch.randn(1, 32, 1, 128, device="cuda", dtype=torch.bfloat16)

                def run():
                    for k, v in caches:
                        F.scaled_dot_product_attention(q, k, v, enable_gqa=kv_heads != 32)

                try:
                    with torch.no_grad(), sdpa_kernel(backend):
                        t = graphed(run, -(-20 // many)) / many
                    print(f"attention_decode bf16, 32/{kv_heads} of 128, {n} | {name} | {1e3 * t:.2f}", flush=True)
                except RuntimeError as why:
                    print(f"# decode, {name}, {kv_heads}: {str(why).splitlines()[0][:120]}", flush=True)


def gpu_attention_widths():
    """Four sequences of 4096 tokens with 16 heads; a token's heads lie beside each other, as `benches/device` has them."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    for dim in (64, 80, 96, 112, 128, 160, 192, 256, 72, 100):
        q, k, v = (torch.randn(4, 4096, 16, dim, device="cuda", dtype=torch.bfloat16).transpose(1, 2).requires_grad_() for _ in range(3))
        for causal in (False, True):
            mask = "causal" if causal else "full"
            for name, backend in (("cuDNN", SDPBackend.CUDNN_ATTENTION), ("FlashAttention-2", SDPBackend.FLASH_ATTENTION)):
                try:
                    with sdpa_kernel(backend):
                        with torch.no_grad():
                            t = repeated(10, 5, lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal))
                        print(f"attention_bf16, heads of {dim}, {mask} | {name} | {1e3 * t:.2f}", flush=True)
                        out = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
                        grad = torch.randn_like(out)
                        t = repeated(5, 5, lambda: torch.autograd.grad(out, (q, k, v), grad, retain_graph=True))
                    print(f"attention_bf16_backward, heads of {dim}, {mask} | {name} | {1e3 * t:.2f}", flush=True)
                except RuntimeError as why:
                    print(f"# heads of {dim}, {mask}, {name}: {str(why).splitlines()[0][:120]}", flush=True)


def repeated(calls, rounds, run):
    """Milliseconds of a call: the median of rounds, of which one more comes first and is not counted."""
    times = []
    for _ in range(rounds + 1):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(calls):
            run()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) / calls)
    return statistics.median(times[1:])


def graphed(run, calls):
    """Milliseconds of a call among those of a graph: medians of replays."""
    run()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            run()
    times = []
    for _ in range(10):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) / calls)
    return statistics.median(times[1:])


def gpu_lines():
    """Cases of `benches/device`, by their names: what is read and written is as much as there."""
    n = 1 << 26
    a, b, y = torch.randn(n, device="cuda"), torch.randn(n, device="cuda"), torch.empty(n, device="cuda")
    half, tall = n // 2, 2048
    targets = torch.randint(32768, (tall,), device="cuda")
    grad = torch.ops.aten
    cases = {
        "exp": lambda: torch.exp(a, out=y),
        "gelu": lambda: F.gelu(a, approximate="tanh"),
        "tanh": lambda: torch.tanh(a, out=y),
        "add of halves": lambda: torch.add(a[:half], b[:half], out=y[:half]),
        "gelu_backward of halves": lambda: grad.gelu_backward(a[:half], b[:half], approximate="tanh"),
        "sum": lambda: torch.sum(a),
        "dot": lambda: torch.dot(a[:half], b[:half]),
        "norm_l2": lambda: torch.linalg.vector_norm(a),
        "variance": lambda: torch.var(a, correction=0),
        "transpose, 8192 x 8192": lambda: a.view(8192, 8192).t().contiguous(),
    }
    for rows, cols in ((n // 128, 128), (n // 1024, 1024), (n // 4096, 4096), (tall, 32768), (32, 1 << 21), (32, 32000), (4096, 4096)):
        x = a[: rows * cols].view(rows, cols)
        cases[f"softmax, {rows} x {cols}"] = lambda x=x: F.softmax(x, -1)
        if cols <= 4096 and rows * cols == n:
            gamma = b[:cols].clone()
            cases[f"rms_norm, {rows} x {cols}"] = lambda x=x, g=gamma: F.rms_norm(x, g.shape, g, 1e-5)
            cases[f"layer_norm, {rows} x {cols}"] = lambda x=x, g=gamma: F.layer_norm(x, g.shape, g, g, 1e-5)
    for cols in (1024, 4096):
        rows = half // cols
        x, dy, gamma = a[:half].view(rows, cols), b[:half].view(rows, cols), b[:cols].clone()
        cases[f"softmax_backward, {rows} x {cols}"] = lambda x=x, dy=dy: grad._softmax_backward_data(dy, x, -1, torch.float32)
        _, mean, rstd = grad.native_layer_norm(x, (cols,), gamma, gamma, 1e-5)
        cases[f"layer_norm_backward, {rows} x {cols}"] = lambda x=x, dy=dy, g=gamma, m=mean, r=rstd: grad.native_layer_norm_backward(dy, x, (x.shape[1],), m, r, g, g, [True] * 3)
        _, rms = grad._fused_rms_norm(x, (cols,), gamma, 1e-5)
        cases[f"rms_norm_backward, {rows} x {cols}"] = lambda x=x, dy=dy, g=gamma, r=rms: grad._fused_rms_norm_backward(dy, x, (x.shape[1],), r, g, [True] * 2)
    logits = a.view(tall, 32768)
    cases[f"cross_entropy, {tall} x 32768"] = lambda: F.cross_entropy(logits, targets, reduction="none")

    ones, weight = torch.ones(tall, device="cuda"), torch.tensor(float(tall), device="cuda")

    def both():
        logs = torch.log_softmax(logits, -1)
        d_logs = grad.nll_loss_backward(ones, logs, targets, None, 0, -100, weight)
        return grad._log_softmax_backward_data(d_logs, logs, -1, torch.float32)

    cases[f"cross_entropy, {tall} x 32768, and gradients"] = both
    for rows, cols in ((4096, 4096), (4096, 14336), (8192, 8192)):
        m, v = a[: rows * cols].view(rows, cols), b[:cols]
        cases[f"gemv, {rows} x {cols}"] = lambda m=m, v=v: torch.mv(m, v)
    for size in (64, 128, 256, 512, 768, 1024, 2048, 4096, 8192):
        p, q = a[: size * size].view(size, size), b[: size * size].view(size, size)
        cases[f"gemm f32, {size}"] = lambda p=p, q=q: torch.mm(p, q)
    one = torch.ones((), device="cuda")
    for size in (512, 1024, 2048, 4096, 8192):
        p, q = (x[: size * size].view(size, size).to(torch.float8_e4m3fn) for x in (a, b))
        cases[f"gemm_e4m3, {size}"] = lambda p=p, q=q: torch._scaled_mm(p, q.t(), one, one, out_dtype=torch.float32)
        x, w = (torch.randint(-128, 128, (size, size), dtype=torch.int8, device="cuda") for _ in range(2))
        cases[f"gemm_i8, {size}"] = lambda x=x, w=w: torch._int_mm(x, w.t())
    z = torch.randn(n, dtype=torch.complex64, device="cuda")
    for size, rows in ((64, 1 << 19), (1024, 1), (1024, 32768), (4096, 8192), (8192, 4096), (16384, 2048), (1 << 16, 1), (1 << 16, 512), (1 << 18, 1), (1 << 18, 128), (1 << 20, 1), (1 << 20, 32), (1 << 22, 1), (1 << 24, 1), (1000, 16777), (1009, 16627), (5040, 3328)):
        x = z[: size * rows].view(rows, size)
        cases[f"fft of {size}, {rows} times"] = lambda x=x: torch.fft.fft(x)
    for size, rows in ((1024, 65536), (1 << 20, 64)):
        x = a[: size * rows].view(rows, size)
        cases[f"rfft of {size}, {rows} times"] = lambda x=x: torch.fft.rfft(x)
    cases["fft_2d of 4096 x 4096"] = lambda: torch.fft.fft2(z[: 1 << 24].view(4096, 4096))
    peers = {"gemm": "cuBLAS", "fft": "cuFFT", "rff": "cuFFT"}
    for name, run in cases.items():
        for who, f in (("torch", run), ("torch.compile", None)):
            try:
                who = peers.get(name[:4].strip(), peers.get(name[:3], who))
                if f is None:
                    # What the compiler takes apart; other calls stay as they are.
                    if not name.startswith(("softmax,", "rms_norm,", "layer_norm,", "cross_entropy", "gelu", "transpose", "sum", "variance")):
                        continue
                    torch._dynamo.reset()
                    f = torch.compile(run)
                with torch.no_grad():
                    t = graphed(f, 20)
            except Exception as why:
                print(f"# {name}, {who}: {str(why).splitlines()[0][:120]}", flush=True)
                continue
            print(f"{name} | {who} | {1e3 * t:.2f}", flush=True)
    parameters = torch.nn.Parameter(torch.randn(n, device="cuda"))
    parameters.grad = torch.randn(n, device="cuda")
    optimizer = torch.optim.AdamW([parameters], lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1, fused=True, capturable=True)
    print(f"adamw | torch | {1e3 * graphed(optimizer.step, 20):.2f}", flush=True)


def gpu_sparse():
    """cuSPARSE on a Laplacian of a square of points and on a graph whose degrees follow a power law, as `benches/device` makes them."""
    import numpy

    def laplacian(side):
        k = numpy.arange(side * side)
        i, j = k // side, k % side
        near = [(i > 0, k - side), (j > 0, k - 1), (k >= 0, k), (j + 1 < side, k + 1), (i + 1 < side, k + side)]
        rows = numpy.concatenate([k[there] for there, _ in near])
        cols = numpy.concatenate([at[there] for there, at in near])
        return side * side, rows, cols

    def power_law(n):
        random = numpy.random.default_rng(1)
        degree = numpy.minimum((2 / numpy.sqrt(numpy.maximum(random.random(n), 1e-5))).astype(int), 600)
        rows = numpy.repeat(numpy.arange(n), degree)
        pairs = numpy.unique(rows * n + (random.random(len(rows)) ** 3 * n).astype(int))
        return n, pairs // n, pairs % n

    for name, (n, rows, cols) in (("laplacian of 1M rows", laplacian(1000)), ("power law of 300k rows", power_law(300_000))):
        values = torch.rand(len(rows), device="cuda") - 0.5
        places = torch.tensor(numpy.stack([rows, cols]), device="cuda")
        a = torch.sparse_coo_tensor(places, values, (n, n)).coalesce().to_sparse_csr()
        a = torch.sparse_csr_tensor(a.crow_indices().int(), a.col_indices().int(), a.values(), (n, n))
        x, y = torch.rand(n, 32, device="cuda"), torch.rand(n, device="cuda")
        cases = (("spmv", lambda: a @ y, 20), ("spmm of 32 columns", lambda: a @ x, 20), ("spgemm of the square", lambda: a @ a, 3))
        for op, run, calls in cases:
            try:
                run()
                torch.cuda.synchronize()
                times = []
                for _ in range(7):
                    first, last = torch.cuda.Event(True), torch.cuda.Event(True)
                    first.record()
                    for _ in range(calls):
                        run()
                    last.record()
                    torch.cuda.synchronize()
                    times.append(1e3 * first.elapsed_time(last) / calls)
                print(f"{op}, {name} | cuSPARSE | {sorted(times)[3]:.2f}", flush=True)
            except RuntimeError as why:
                print(f"# {op}, {name}: {why}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("llm", nargs="?")
    parser.add_argument("model", nargs="?")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--llama-cpp", action="store_true", help="with the package llama-cpp-python")
    parser.add_argument("--attention", action="store_true")
    parser.add_argument("--gpu-lines", action="store_true")
    parser.add_argument("--gpu-attention", action="store_true")
    parser.add_argument("--gpu-attention-widths", action="store_true")
    parser.add_argument("--gpu-sparse", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    if args.gpu_sparse:
        gpu_sparse()
    elif args.gpu_lines:
        gpu_lines()
    elif args.gpu_attention:
        gpu_attention()
    elif args.gpu_attention_widths:
        gpu_attention_widths()
    elif args.attention:
        attention(args)
    elif args.model:
        model(args)
    else:
        parser.error("an llm program and a model, or --attention")


if __name__ == "__main__":
    main()
