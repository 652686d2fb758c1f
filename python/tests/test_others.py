"""Sparse matrices, images and quantised blocks, beside SciPy and definitions."""

import fulmen
import numpy as np
import pytest
import scipy.ndimage
import scipy.sparse
from conftest import TYPES, bound, close

EXACT = np.longdouble


def csr(a):
    a.sort_indices()
    return fulmen.Csr(a.data, a.indices, a.indptr, a.shape)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_spmv(draw, dtype, index):
    m, n = (int(x) for x in draw.integers(1, 60, 2))
    a = scipy.sparse.random(m, n, 0.3, "csr", dtype, rng=draw)
    a.indices, a.indptr = a.indices.astype(index), a.indptr.astype(index)
    x = draw.normal(size=n).astype(dtype)
    dense = a.toarray().astype(EXACT)
    want, mass = dense @ x, np.abs(dense) @ np.abs(x)
    ours = csr(a)
    assert (ours.shape, ours.nnz) == (a.shape, a.nnz)
    terms = int(np.diff(a.indptr).max(initial=0))
    close(fulmen.spmv(ours, x), want, bound("spmv", dtype, terms, mass))
    out = np.full(m, np.nan, dtype)
    assert fulmen.spmv(ours, x, out=out) is out
    close(out, want, bound("spmv", dtype, terms, mass))
    # Values are read in place at each call.
    a.data *= 2
    close(fulmen.spmv(ours, x), 2 * want, bound("spmv", dtype, terms, 2 * mass))
    with pytest.raises(ValueError, match=r"spmv: `x` has the shape \[\d+\], \[\d+\] expected, the columns of `a`"):
        fulmen.spmv(ours, np.ones(n + 1, dtype))


@pytest.mark.parametrize("dtype", TYPES)
def test_cg(draw, dtype):
    n = int(draw.integers(2, 80))
    a = scipy.sparse.diags_array([-1.0, 2.5, -1.0], offsets=[-1, 0, 1], shape=(n, n)).tocsr().astype(dtype)
    b = draw.normal(size=n).astype(dtype)
    x = fulmen.cg(csr(a), b, tolerance=1e-4)
    # What its contract promises, whatever the condition.
    assert np.linalg.norm(b - a.astype(EXACT) @ x) <= 1e-4 * np.linalg.norm(b)
    out = np.empty_like(x)
    assert fulmen.cg(csr(a), b, x0=x, tolerance=1e-4, steps=0, out=out) is out and np.array_equal(out, x)
    with pytest.raises(ValueError, match="cg: the iteration on `a` did not converge"):
        fulmen.cg(csr(a), b, tolerance=0.0, steps=1)


def test_index_arrays_are_checked():
    data, indices, indptr = np.ones(2), np.array([0, 1]), np.array([0, 1, 2])
    for wrong, error, match in [
        ((data, np.array([0, 2]), indptr, (2, 2)), ValueError, "`columns` contains 2, all must be below 2"),
        ((data, np.array([0, -1]), indptr, (2, 2)), ValueError, "Csr: `indices` holds -1"),
        ((data, np.array([1, 0]), np.array([0, 2, 2]), (2, 2)), ValueError, "ascending in each row"),
        ((data, indices, np.array([0, 2, 1]), (2, 2)), ValueError, "`offsets`"),
        ((data[:1], indices, indptr, (2, 2)), ValueError, "`values` has 1 elements, 2 expected"),
        ((data, indices.astype(float), indptr, (2, 2)), TypeError, "Csr: `indices` has the dtype float64"),
        ((data.astype(int), indices, indptr, (2, 2)), TypeError, "Csr: `data` has the dtype int64"),
    ]:
        with pytest.raises(error, match=match):
            fulmen.Csr(*wrong)
    # What is written to them afterwards is not read.
    a = fulmen.Csr(data, indices, indptr, (2, 2))
    indices[:] = 1 << 30
    assert np.array_equal(fulmen.spmv(a, np.array([1.0, 2.0])), [1, 2])


MODES = ["reflect", "mirror", "nearest", "wrap"]


@pytest.mark.parametrize("mode", MODES)
def test_median_filter(draw, mode):
    size = int(draw.choice([1, 3, 5, 7, 9]))
    image = draw.integers(0, 256, (int(draw.integers(12, 40)), int(draw.integers(12, 40)), 3)).astype(np.uint8)
    want = np.stack([scipy.ndimage.median_filter(image[..., c], size, mode=mode) for c in range(3)], -1)
    got = fulmen.median_filter(image, size, mode)
    assert np.array_equal(got, want)
    out = np.empty_like(image)
    assert fulmen.median_filter(image, size, mode, out=out) is out and np.array_equal(out, got)
    grey = np.ascontiguousarray(image[..., 0])
    assert np.array_equal(fulmen.median_filter(grey, size, mode), want[..., 0])


def gaussian(x, sigma, mode):
    """By the contract's weights, in long double."""
    r = int(np.ceil(4 * sigma))
    w = np.exp(-((np.arange(-r, r + 1, dtype=EXACT) / EXACT(sigma)) ** 2) / 2)
    w, y = w / w.sum(), x.astype(EXACT)
    names = {"reflect": "symmetric", "mirror": "reflect", "nearest": "edge", "wrap": "wrap"}
    for axis in (0, 1):
        padded = np.pad(y, [(r, r) if i == axis else (0, 0) for i in range(y.ndim)], mode=names[mode])
        y = sum(w[i] * np.take(padded, range(i, i + x.shape[axis]), axis) for i in range(2 * r + 1))
    return y, 2 * (2 * r + 1)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_gaussian_filter(draw, mode, dtype):
    sigma = float(draw.uniform(0.5, 2))
    image = (draw.random((int(draw.integers(12, 40)), int(draw.integers(12, 40)), 2)) * 255).astype(dtype)
    want, n = gaussian(image, sigma, mode)
    got = fulmen.gaussian_filter(image, sigma, mode)
    if dtype == np.uint8:
        want = np.floor(want + EXACT(0.5))
    close(got, want, bound("gaussian", dtype, n, want))
    out = np.empty_like(image)
    assert fulmen.gaussian_filter(image, sigma, mode, out=out) is out and np.array_equal(out, got)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_resize(draw, dtype):
    m, n = (int(x) for x in draw.integers(2, 20, 2))
    image = (draw.random((m, n)) * 255).astype(dtype)
    up = fulmen.resize(image, (2 * m, 3 * n), "nearest")
    assert np.array_equal(up, image.repeat(2, 0).repeat(3, 1))
    # The mean over whole blocks, of two rows and three columns.
    got = fulmen.resize(up, (m, n), "area")
    close(got, image.astype(EXACT), bound("resize", dtype, 2 + 3, image))
    out = np.empty((m, n), dtype)
    assert fulmen.resize(up, (m, n), "area", out=out) is out and np.array_equal(out, got)
    assert fulmen.resize(image[..., None].repeat(3, -1), (5, 7)).shape == (5, 7, 3)
    with pytest.raises(ValueError, match="resize: `kernel` is \"cubic\""):
        fulmen.resize(image, (2, 2), "cubic")


@pytest.mark.parametrize("format,block,bytes_", [("q4_0", 32, 18), ("q8_0", 32, 34), ("q4_k", 256, 144), ("q6_k", 256, 210)])
def test_quantised(draw, format, block, bytes_):
    x = draw.normal(size=(3, 2 * block)).astype(np.float32)
    q = fulmen.quantize(x, format)
    assert q.shape == (3, 2 * bytes_) and q.dtype == np.uint8
    y = fulmen.dequantize(q, format)
    assert y.shape == x.shape
    # Half a step of the codes, of 4, 8 or 6 bits, beside the largest of a block.
    step = {"q4_0": 8, "q8_0": 127, "q4_k": 7.5, "q6_k": 32}[format]
    assert np.abs(x - y).max() <= np.abs(x).max() / step * 1.1
    for f, a in ((fulmen.quantize, x), (fulmen.dequantize, q)):
        out = np.full_like(f(a, format), 3)
        assert f(a, format, out=out) is out and np.array_equal(out, f(a, format))
    with pytest.raises(ValueError, match="quantize: `x` has the shape"):
        fulmen.quantize(np.ones(block + 1, np.float32), format)
    with pytest.raises(ValueError, match="quantize: `format` is \"q3\""):
        fulmen.quantize(x, "q3")


def test_q8_0_by_its_definition():
    x = np.linspace(-1, 1, 32, dtype=np.float32)
    q = fulmen.quantize(x, "q8_0")
    scale = q[:2].copy().view(np.float16)[0]
    codes = q[2:].copy().view(np.int8)
    assert np.array_equal(fulmen.dequantize(q, "q8_0"), np.float32(scale) * codes.astype(np.float32))
    assert abs(int(codes[-1])) == 127
