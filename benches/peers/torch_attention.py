"""PyTorch's scaled_dot_product_attention on the CPU: the rows that `--attention` prints for fulmen.

    python3 -m venv venv && venv/bin/pip install torch && venv/bin/python benches/peers/torch_attention.py [--threads=1] [--dims=1024,2048]

Prefill is in GFLOP/s of the products that a causal mask leaves, decode in GB/s of K and V. The operands have the heads outermost,
as PyTorch likes them best. The limits are its own product of 1024 and its own sum over as many bytes.
"""

import statistics
import sys
import time

import torch
from torch.nn.functional import scaled_dot_product_attention as attention

HEADS = 8


def option(name, default):
    found = [a.split("=")[1] for a in sys.argv[1:] if a.startswith(f"--{name}=")]
    return [int(x) for x in (found[0] if found else default).split(",")]


def medians(runs, rounds):
    times = [[] for _ in runs]
    for r in range(rounds + 1):
        for run, t in zip(runs, times):
            start = time.perf_counter()
            run()
            if r > 0:
                t.append(time.perf_counter() - start)
    return [statistics.median(t) for t in times]


def report(mode, dim, n, mask, work, limit_work, runs, names, rounds):
    times = medians(runs, rounds)
    limit = limit_work / times[1]
    for name, t, w in zip(names, times, (work, limit_work)):
        threads = torch.get_num_threads()
        print(f"{mode},{threads},{HEADS},{HEADS},{dim},{n},{mask},{name},{t:.3e},{w / t * 1e-9:.1f},{w / t / limit:.3f}", flush=True)


def main():
    torch.set_num_threads(option("threads", "1")[0])
    torch.manual_seed(1)
    a, b = torch.randn(1024, 1024), torch.randn(1024, 1024)
    c = torch.empty(1024, 1024)
    print("mode,threads,heads,kv_heads,dim,n,mask,contender,seconds,gflops_or_gbs,share_of_gemm_or_sum")
    with torch.inference_mode():
        for n in option("dims", "1024,2048,4096,8192"):
            for dim in option("head", "64,128"):
                q, k, v = (torch.randn(1, HEADS, n, dim) for _ in range(3))
                for causal in (True, False):
                    pairs = n * (n + 1) / 2 if causal else n * n
                    runs = [lambda: attention(q, k, v, is_causal=causal), lambda: torch.mm(a, b, out=c)]
                    mask = "causal" if causal else "full"
                    names = ["torch", "torch mm 1024"]
                    rounds = max(3, min(11, 8192 // n))
                    report("prefill", dim, n, mask, 4 * HEADS * dim * pairs, 2 * 1024**3, runs, names, rounds)
                one = q[:, :, :1].contiguous()
                size = 2 * k.numel() * 4
                runs = [lambda: attention(one, k, v), lambda: (k.sum(), v.sum())]
                report("decode", dim, n, "causal", size, size, runs, ["torch", "torch sum"], 200_000 // n)


main()
