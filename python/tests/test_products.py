"""Products, contractions, convolution and attention, beside NumPy in long double."""

import fulmen
import numpy as np
import pytest
from conftest import TYPES, bound, close

EXACT = np.longdouble


def layouts(a):
    """The same matrix as memory may hold it."""
    wide = np.zeros((a.shape[0] * 2 + 1, a.shape[1] * 3 + 1), a.dtype)
    wide[1::2, 1::3] = a
    return [a, np.asfortranarray(a), a.T.copy().T, a[::-1, ::-1].copy()[::-1, ::-1], wide[1::2, 1::3]]


def product(a, b):
    a, b = a.astype(EXACT), b.astype(EXACT)
    return a @ b, np.abs(a) @ np.abs(b)


@pytest.mark.parametrize("dtype", TYPES)
def test_matmul_in_every_layout(draw, dtype):
    m, k, n = (int(x) for x in draw.integers(1, 40, 3))
    a, b = draw.normal(size=(m, k)).astype(dtype), draw.normal(size=(k, n)).astype(dtype)
    want, mass = product(a, b)
    allowed = bound("gemm", dtype, k, mass)
    for left in layouts(a):
        for right in layouts(b):
            close(fulmen.matmul(left, right), want, allowed)
    for out in layouts(np.full((m, n), np.nan, dtype)):
        assert fulmen.matmul(a, b, out=out) is out
        close(out, want, allowed)
    close(fulmen.matmul(a[0], b), want[0], allowed[0])
    close(fulmen.matmul(a, b[:, 0]), want[:, 0], allowed[:, 0])
    close(fulmen.matmul(a[0], b[:, 0]), want[0, 0], allowed[0, 0])
    out = np.empty(m, dtype)
    close(fulmen.matmul(a, b[:, 0], out=out), want[:, 0], allowed[:, 0])


@pytest.mark.parametrize("dtype", TYPES)
def test_gemm(draw, dtype):
    m, k, n = (int(x) for x in draw.integers(1, 30, 3))
    a, b, c = (draw.normal(size=s).astype(dtype) for s in ((m, k), (k, n), (m, n)))
    want, mass = product(a, b)
    expected, allowed = 2 * want - c.astype(EXACT), bound("gemm", dtype, k, 2 * mass + np.abs(c))
    for to in layouts(c):
        assert fulmen.gemm(2.0, a, b, -1.0, to) is to
        close(to, expected, allowed)
    # What beta = 0 does not read.
    to = np.full((m, n), np.nan, dtype)
    close(fulmen.gemm(1.0, a, b, 0.0, to), want, bound("gemm", dtype, k, mass))


@pytest.mark.parametrize("dtype", TYPES)
def test_empty_products(dtype):
    for m, k, n in ((0, 3, 2), (3, 0, 2), (3, 2, 0)):
        got = fulmen.matmul(np.ones((m, k), dtype), np.ones((k, n), dtype))
        assert got.shape == (m, n) and not got.any()


@pytest.mark.parametrize("dtype", TYPES)
def test_einsum(draw, dtype):
    i, j, k, b = (int(x) for x in draw.integers(1, 9, 4))
    cases = [
        ("ij,jk->ik", [(i, j), (j, k)], j),
        ("ij,jk->ki", [(i, j), (j, k)], j),
        ("bij,bjk", [(b, i, j), (b, j, k)], j),
        ("...ij,...jk->...ik", [(b, i, j), (j, k)], j),
        ("ii->i", [(i, i)], 1),
        ("ij->", [(i, j)], i * j),
        ("ij,jk,kb->ib", [(i, j), (j, k), (k, b)], j * k),
    ]
    for expression, shapes, n in cases:
        xs = [draw.normal(size=s).astype(dtype) for s in shapes]
        want = np.einsum(expression, *(x.astype(EXACT) for x in xs))
        mass = np.einsum(expression, *(np.abs(x).astype(EXACT) for x in xs))
        got = fulmen.einsum(expression, *xs)
        close(got, want, bound("einsum", dtype, n, mass))
        out = np.empty(want.shape, dtype)
        assert fulmen.einsum(expression, *xs, out=out) is out and np.array_equal(out, got)
    with pytest.raises(ValueError, match="an index of two sizes"):
        fulmen.einsum("ij,jk->ik", np.ones((2, 3), dtype), np.ones((4, 2), dtype))
    with pytest.raises(TypeError, match="einsum: `operands` is empty"):
        fulmen.einsum("->")


def exact_conv1d(x, w, bias, stride, padding, dilation, groups):
    images, _, _ = x.shape
    out, per, kernel = w.shape
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding)))
    n = (x.shape[2] - dilation * (kernel - 1) - 1) // stride + 1
    y = np.zeros((images, out, n), x.dtype) + bias[:, None]
    for o in range(out):
        g = o // (out // groups)
        for c in range(per):
            for t in range(kernel):
                y[:, o] += w[o, c, t] * x[:, g * per + c, t * dilation :][:, : (n - 1) * stride + 1 : stride]
    return y


@pytest.mark.parametrize("dtype", TYPES)
def test_conv1d(draw, dtype):
    groups, per, outs, kernel = (int(x) for x in draw.integers(1, 4, 4))
    x = draw.normal(size=(2, groups * per, int(draw.integers(12, 40)))).astype(dtype)
    w, bias = draw.normal(size=(groups * outs, per, kernel)).astype(dtype), draw.normal(size=groups * outs).astype(dtype)
    options = dict(stride=int(draw.integers(1, 4)), padding=int(draw.integers(0, 3)), dilation=int(draw.integers(1, 4)), groups=groups)
    e = [a.astype(EXACT) for a in (x, w, bias)]
    allowed = bound("conv1d", dtype, per * kernel, exact_conv1d(*(np.abs(a) for a in e), **options))
    got = fulmen.conv1d(x, w, bias, **options)
    close(got, exact_conv1d(*e, **options), allowed)
    out = np.empty_like(got)
    assert fulmen.conv1d(x, w, bias, **options, out=out) is out and np.array_equal(out, got)
    assert np.array_equal(fulmen.conv1d(x[0], w, bias, **options), got[0])
    with pytest.raises(ValueError, match="conv1d: `bias` has the shape"):
        fulmen.conv1d(x, w, np.ones(groups * outs + 1, dtype), **options)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("batch", [(), (2,)])
def test_attention(draw, dtype, batch):
    n, len_, kv, group, dim, value = (int(x) for x in draw.integers(1, 7, 6))
    len_ += n
    q, k, v = (draw.normal(size=(*batch, *s)).astype(dtype) for s in ((n, kv * group, dim), (len_, kv, dim), (len_, kv, value)))
    for mask in (None, draw.normal(size=(n, len_)).astype(dtype), draw.normal(size=(kv * group, n, len_)).astype(dtype)):
        for causal in (False, True):
            eq, ek, ev = q.astype(EXACT), np.repeat(k, group, -2).astype(EXACT), np.repeat(v, group, -2).astype(EXACT)
            scale = EXACT(dtype(dim**-0.5))
            scores = np.einsum("...ihd,...jhd->...hij", eq, ek) * scale + (0 if mask is None else mask)
            sums = np.einsum("...ihd,...jhd->...hij", np.abs(eq), np.abs(ek)) * scale + (0 if mask is None else np.abs(mask))
            peak = np.swapaxes(sums.max(-1), -1, -2)[..., None]
            if causal:
                hidden = np.arange(len_) > np.arange(n)[:, None] + len_ - n
                scores = np.where(hidden, -np.inf, scores)
            w = np.exp(scores - scores.max(-1, keepdims=True))
            w /= w.sum(-1, keepdims=True)
            want, mass = (np.einsum("...hij,...jhd->...ihd", w, x) for x in (ev, np.abs(ev)))
            got = fulmen.attention(q, k, v, mask, causal=causal)
            close(got, want, bound("attention", dtype, dim + len_, mass * (1 + 4 * peak)))
    out = np.empty_like(got)
    assert fulmen.attention(q, k, v, mask, causal=True, out=out) is out and np.array_equal(out, got)
    with pytest.raises(ValueError, match="attention: `mask` has the shape"):
        fulmen.attention(q, k, v, np.ones((n, len_ + 1), dtype))
    with pytest.raises(ValueError, match="attention: `k` has the shape"):
        fulmen.attention(q, v[..., :0], v)
