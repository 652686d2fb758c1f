#!/usr/bin/env python3
"""PyTorch's figures beside those of `benches/device -- ranks` and of `llm bench --ranks`: all-reduce by NCCL, and a step of training of
the shape of 124 M parameters by DistributedDataParallel and torch.compile, in bf16 with f32 weights. One process for each card:

  torchrun --nproc-per-node 2 benches/ranks.py [SEQUENCES_OF_A_RANK]"""

import os
import sys
import time

import pytorch
import torch
import torch.distributed as dist
from torch import nn

# GPT-2's sizes, with SwiGLU of 2048 in the place of GELU of 3072.
pytorch.DIM, pytorch.LAYERS, pytorch.HEADS, pytorch.KV_HEADS, pytorch.HEAD, pytorch.HIDDEN = 768, 12, 12, 12, 64, 2048
pytorch.VOCAB, pytorch.CONTEXT = VOCAB, LENGTH = 50304, 1024


def median(times):
    return sorted(times)[len(times) // 2]


def timed(calls, run):
    times = []
    for _ in range(8):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            run()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - start) / calls)
    return median(times[1:])


def main():
    rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
    say = print if rank == 0 else lambda *_: None
    say(f"{ranks} of {torch.cuda.device_count()} {torch.cuda.get_device_name()}, PyTorch {torch.__version__}, NCCL {torch.cuda.nccl.version()}")
    if ranks > 1:
        for bits in range(10, 31, 4):
            x = torch.zeros(2**bits // 4, device="cuda")
            seconds = timed(200 if bits < 26 else 10, lambda: dist.all_reduce(x))
            rate = 2**bits * 2 * (ranks - 1) / ranks / seconds / 1e9
            say(f"{f'all_reduce 2^{bits} bytes':40} | torch | {seconds * 1e6:10.2f} µs | {rate:6.1f} GB/s")
    sequences = int(sys.argv[1]) if len(sys.argv) > 1 else 16
    torch.set_float32_matmul_precision("high")
    torch.manual_seed(1)
    model = pytorch.Model().cuda()
    wrapped = nn.parallel.DistributedDataParallel(model, device_ids=[rank], gradient_as_bucket_view=True) if ranks > 1 else model
    compiled = torch.compile(wrapped)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, betas=(0.9, 0.99), weight_decay=0.05, fused=True)
    ids = torch.randint(VOCAB, (sequences, LENGTH + 1), device="cuda")
    inputs, targets = ids[:, :-1].contiguous(), ids[:, 1:].contiguous()

    def step():
        with torch.autocast("cuda", torch.bfloat16):
            loss = compiled(inputs, targets)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    for _ in range(3):
        step()
    seconds = timed(3, step)
    count = sum(p.numel() for p in model.parameters())
    say(f"{count} parameters, {sequences} sequences of a rank: {seconds * 1e3:.1f} ms a step, {ranks * sequences * LENGTH / seconds:.0f} tokens/s")
    dist.destroy_process_group()


main()
