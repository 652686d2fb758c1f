#!/usr/bin/env python3
"""Times fulmen and NumPy or SciPy in turn, in one process, and prints the ratios of their medians as a table.

Usage: bench.py [--seconds S] [NAME …] (default 1 s a row; names are parts of rows' names)

Set OPENBLAS_NUM_THREADS and RAYON_NUM_THREADS to compare the same number of threads. A ratio above 1 is fulmen's.
"""

import argparse
import datetime
import os
import platform
import statistics
import sys
import time

import fulmen
import numpy as np
import scipy
import scipy.fft
import scipy.linalg
import scipy.ndimage
import scipy.sparse
import scipy.sparse.linalg
import scipy.special

DRAW = np.random.default_rng(0)
F32, F64 = np.float32, np.float64


def normal(*shape, dtype=F64):
    return DRAW.normal(size=shape).astype(dtype)


def layer_norm(x, g, b):
    d = x - x.mean(-1, keepdims=True)
    return d / np.sqrt((d * d).mean(-1, keepdims=True) + 1e-5) * g + b


def rms_norm(x, g):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * g


def attention(q, k, v):
    s = np.einsum("ihd,jhd->hij", q, k, optimize=True) * q.shape[-1] ** -0.5
    return np.einsum("hij,jhd->ihd", scipy.special.softmax(s, -1), v, optimize=True)


def gelu(x):
    return x * (1 + np.tanh(np.sqrt(2 / np.pi).astype(x.dtype) * (x + x.dtype.type(0.044715) * x**3))) / 2


def conv1d(x, w):
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2], axis=2)
    return np.einsum("bcnk,ock->bon", windows, w, optimize=True)


def rows():
    """Yields (name, ours, theirs), and creates the arrays of a row when it is reached."""
    for dtype in (F32, F64):
        t = np.dtype(dtype).name
        for n in (32, 256, 1024):
            a, b = normal(n, n, dtype=dtype), normal(n, n, dtype=dtype)
            yield f"matmul {n}x{n} {t}", lambda: fulmen.matmul(a, b), lambda: a @ b
        a, b = normal(512, 512, dtype=dtype).T, normal(512, 512, dtype=dtype)[::2, ::2]
        yield f"matmul of a transpose and a strided view {t}", lambda: fulmen.matmul(a[:, :256], b), lambda: a[:, :256] @ b
        x = normal(1000, 1000, dtype=dtype)
        g, h = normal(1000, dtype=dtype), normal(1000, dtype=dtype)
        yield f"softmax 1000x1000 {t}", lambda: fulmen.softmax(x), lambda: scipy.special.softmax(x, -1)
        yield f"log_softmax 1000x1000 {t}", lambda: fulmen.log_softmax(x), lambda: scipy.special.log_softmax(x, -1)
        yield f"layer_norm 1000x1000 {t}", lambda: fulmen.layer_norm(x, g, h), lambda: layer_norm(x, g, h)
        yield f"rms_norm 1000x1000 {t}", lambda: fulmen.rms_norm(x, g), lambda: rms_norm(x, g)
        for name, theirs in (("exp", np.exp), ("tanh", np.tanh), ("erf", scipy.special.erf), ("sigmoid", scipy.special.expit), ("gelu", gelu)):
            f = getattr(fulmen, name)
            yield f"{name} 1e6 {t}", lambda: f(x), lambda: theirs(x)
        positive = np.abs(x)
        yield f"log 1e6 {t}", lambda: fulmen.log(positive), lambda: np.log(positive)
        few = x[0, :100].copy()
        yield f"exp 100 {t}", lambda: fulmen.exp(few), lambda: np.exp(few)
        for name, theirs in (("sum", np.sum), ("mean", np.mean), ("variance", np.var), ("argmax", np.argmax)):
            f = getattr(fulmen, name)
            yield f"{name} 1e6 {t}", lambda: f(x), lambda: theirs(x)
        flat = x.ravel()
        yield f"sort 1e6 {t}", lambda: fulmen.sort(flat), lambda: np.sort(flat)
        yield f"argsort 1e6 {t}", lambda: fulmen.argsort(flat), lambda: np.argsort(flat, kind="stable")
        yield f"top_k 100 of 1e6 {t}", lambda: fulmen.top_k(flat, 100), lambda: np.argpartition(flat, -100)[-100:]
        yield f"median 1e6 {t}", lambda: fulmen.median(flat), lambda: np.median(flat)
        q = normal(256, 8, 64, dtype=dtype)
        yield f"attention 256x8x64 {t}", lambda: fulmen.attention(q, q, q), lambda: attention(q, q, q)
        lines, filters = normal(4, 32, 512, dtype=dtype), normal(32, 32, 5, dtype=dtype)
        yield f"conv1d 4x32x512, 32 filters of 5 {t}", lambda: fulmen.conv1d(lines, filters), lambda: conv1d(lines, filters)
        a, b, c = (normal(100, 100, dtype=dtype) for _ in range(3))
        path = "ij,jk,kl->il"
        yield f"einsum {path} of 100 {t}", lambda: fulmen.einsum(path, a, b, c), lambda: np.einsum(path, a, b, c, optimize=True)
        for n in (1024, 1000, 65536):
            x1 = normal(n, dtype=dtype)
            z = x1 + 1j * normal(n, dtype=dtype)
            z = z.astype(np.complex64 if dtype == F32 else np.complex128)
            yield f"fft {n} {t}", lambda: fulmen.fft(z), lambda: scipy.fft.fft(z)
            yield f"rfft {n} {t}", lambda: fulmen.rfft(x1), lambda: scipy.fft.rfft(x1)
        z2 = (normal(256, 256) + 1j * normal(256, 256)).astype(z.dtype)
        yield f"fft2 256x256 {t}", lambda: fulmen.fft2(z2), lambda: scipy.fft.fft2(z2)
        for n in (32, 256):
            a, b = normal(n, n, dtype=dtype), normal(n, 4, dtype=dtype)
            s = a @ a.T + n * np.eye(n, dtype=dtype)
            tall = normal(2 * n, n, dtype=dtype)
            yield f"solve {n} {t}", lambda: fulmen.solve(a, b), lambda: scipy.linalg.solve(a, b)
            yield f"cholesky {n} {t}", lambda: fulmen.cholesky(s), lambda: np.linalg.cholesky(s)
            yield f"lu {n} {t}", lambda: fulmen.lu(a), lambda: scipy.linalg.lu_factor(a)
            yield f"qr {2 * n}x{n} {t}", lambda: fulmen.qr(tall), lambda: np.linalg.qr(tall)
            yield f"eigh {n} {t}", lambda: fulmen.eigh(s), lambda: np.linalg.eigh(s)
            yield f"svd {2 * n}x{n} {t}", lambda: fulmen.svd(tall), lambda: np.linalg.svd(tall, full_matrices=False)
            right = normal(2 * n, dtype=dtype)
            yield f"lstsq {2 * n}x{n} {t}", lambda: fulmen.lstsq(tall, right), lambda: np.linalg.lstsq(tall, right)
        m = scipy.sparse.random_array((20000, 20000), density=1e-3, format="csr", dtype=dtype, rng=DRAW)
        m.sort_indices()
        ours, v = fulmen.Csr(m.data, m.indices, m.indptr, m.shape), normal(20000, dtype=dtype)
        yield f"spmv 20000, 20 a row {t}", lambda: fulmen.spmv(ours, v), lambda: m @ v
        p = scipy.sparse.diags_array([-1.0, 2.5, -1.0], offsets=[-1, 0, 1], shape=(20000, 20000), dtype=dtype).tocsr()
        spd = fulmen.Csr(p.data, p.indices, p.indptr, p.shape)
        yield f"cg 20000 {t}", lambda: fulmen.cg(spd, v, tolerance=1e-4), lambda: scipy.sparse.linalg.cg(p, v, rtol=1e-4)
    image = DRAW.integers(0, 256, (480, 640)).astype(np.uint8)
    grey = image.astype(F32)
    yield "median_filter 5, 640x480 uint8", lambda: fulmen.median_filter(image, 5), lambda: scipy.ndimage.median_filter(image, 5)
    yield "gaussian_filter 2, 640x480 float32", lambda: fulmen.gaussian_filter(grey, 2.0), lambda: scipy.ndimage.gaussian_filter(grey, 2.0)


def pair(ours, theirs, seconds):
    """The median times of both in microseconds; their calls alternate."""
    times = [], []
    ours(), theirs()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times[0]) < 5:
        for f, to in zip((ours, theirs), times):
            start = time.perf_counter_ns()
            f()
            to.append(time.perf_counter_ns() - start)
    return [statistics.median(to) / 1e3 for to in times]


def cpu():
    with open("/proc/cpuinfo") as info:
        return next((line.partition(":")[2].strip() for line in info if line.startswith("model name")), platform.processor())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", type=float, default=1.0)
    args = parser.parse_args()
    lanes, threads = fulmen.runs_on()
    load = "%.1f" % os.getloadavg()[0]
    print(f"{datetime.date.today()}, {cpu()}, {lanes}, {threads} threads, load {load} when it began; Python {platform.python_version()}, "
          f"NumPy {np.__version__}, SciPy {scipy.__version__}\n")
    print("| call | fulmen, µs | NumPy or SciPy, µs | ratio |\n|---|--:|--:|--:|")
    for name, ours, theirs in rows():
        if args.names and not any(part in name for part in args.names):
            continue
        a, b = pair(ours, theirs, args.seconds)
        print(f"| `{name}` | {a:.1f} | {b:.1f} | {b / a:.2f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
