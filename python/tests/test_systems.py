"""Systems and factorisations, by the residuals that their contracts bound, and beside SciPy."""

import fulmen
import numpy as np
import pytest
from conftest import TYPES, bound, close, residual
from test_products import layouts

EXACT = np.longdouble


def norm(x):
    return np.sqrt((np.abs(x.astype(EXACT)) ** 2).sum())


def drawn(draw, dtype, low=1):
    m, n = (int(x) for x in draw.integers(low, 40, 2))
    return draw.normal(size=(m, n)).astype(dtype), m, n


@pytest.mark.parametrize("dtype", TYPES)
def test_solve(draw, dtype):
    n, k = (int(x) for x in draw.integers(1, 30, 2))
    a = (draw.normal(size=(n, n)) + 4 * np.eye(n)).astype(dtype)
    b = draw.normal(size=(n, k)).astype(dtype)
    # The growth of elements in the factorisation: the largest of U beside the largest of A.
    growth = max(1, np.abs(np.triu(fulmen.lu(a)[0])).max() / np.abs(a).max())
    for left, right in zip(layouts(a), layouts(b)):
        x = fulmen.solve(left, right)
        left_over = a.astype(EXACT) @ x.astype(EXACT) - b
        for j in range(k):
            assert norm(left_over[:, j]) <= residual("lu_solve", dtype, n) * growth * norm(a) * norm(x[:, j])
    assert np.array_equal(fulmen.solve(a, b[:, 0]), fulmen.solve(a, np.ascontiguousarray(b[:, :1]))[:, 0])
    for out in layouts(np.full_like(b, np.nan)):
        assert fulmen.solve(a, b, out=out) is out and np.array_equal(out, fulmen.solve(a, b))
    assert fulmen.solve(np.empty((0, 0), dtype), np.empty(0, dtype)).shape == (0,)
    with pytest.raises(ValueError, match="lu: pivot 1 of `a`"):
        fulmen.solve(np.ones((2, 2), dtype), np.ones(2, dtype))
    with pytest.raises(ValueError, match="solve: `b` has 3 rows, 2 expected"):
        fulmen.solve(np.eye(2, dtype=dtype), np.ones(3, dtype))
    with pytest.raises(ValueError, match="square"):
        fulmen.solve(np.ones((2, 3), dtype), np.ones(2, dtype))


@pytest.mark.parametrize("dtype", TYPES)
def test_lstsq(draw, dtype):
    n = int(draw.integers(1, 20))
    m, k = n + int(draw.integers(0, 20)), int(draw.integers(1, 9))
    a, b = draw.normal(size=(m, n)).astype(dtype), draw.normal(size=(m, k)).astype(dtype)
    for left, right in zip(layouts(a), layouts(b)):
        x = fulmen.lstsq(left, right)
        assert x.shape == (n, k)
        e = a.astype(EXACT)
        allowed = residual("least_squares", dtype, m) * norm(a) * (norm(a) * norm(x) + norm(b))
        assert norm(e.T @ (e @ x.astype(EXACT) - b)) <= allowed
    assert np.array_equal(fulmen.lstsq(a, b[:, 0]), fulmen.lstsq(a, np.ascontiguousarray(b[:, :1]))[:, 0])
    out = np.empty((n, k), dtype)
    assert fulmen.lstsq(a, b, out=out) is out and np.array_equal(out, x)


@pytest.mark.parametrize("dtype", TYPES)
def test_cholesky(draw, dtype):
    n = int(draw.integers(1, 40))
    a = draw.normal(size=(n, n))
    a = (a @ a.T + np.eye(n)).astype(dtype)
    a = np.tril(a) + np.tril(a, -1).T
    for x in layouts(a):
        l = fulmen.cholesky(x)
        e = l.astype(EXACT)
        close(e @ e.T, a.astype(EXACT), residual("cholesky", dtype, n) * (np.abs(e) @ np.abs(e).T))
        assert np.array_equal(l, np.tril(l))
    for out in layouts(np.full_like(a, np.nan)):
        assert fulmen.cholesky(a, out=out) is out and np.array_equal(out, fulmen.cholesky(a))
    with pytest.raises(ValueError, match="cholesky: pivot 0"):
        fulmen.cholesky(-a)
    with pytest.raises(ValueError, match="cholesky: `a` contains NaN"):
        fulmen.cholesky(np.full((2, 2), np.nan, dtype))


@pytest.mark.parametrize("dtype", TYPES)
def test_lu(draw, dtype):
    a, m, n = drawn(draw, dtype)
    for x in layouts(a):
        lu, pivots = fulmen.lu(x)
        k = min(m, n)
        l, u = np.tril(lu, -1)[:, :k].astype(EXACT) + np.eye(m, k), np.triu(lu)[:k].astype(EXACT)
        order = np.arange(m)
        for i, p in enumerate(pivots):
            order[[i, p]] = order[[p, i]]
        close(l @ u, a[order].astype(EXACT), residual("lu", dtype, k) * (np.abs(l) @ np.abs(u)))


@pytest.mark.parametrize("dtype", TYPES)
def test_qr(draw, dtype):
    a, m, n = drawn(draw, dtype)
    for x in layouts(a):
        q, r = fulmen.qr(x)
        assert (q.shape, r.shape) == ((m, min(m, n)), (min(m, n), n))
        assert norm(q.astype(EXACT) @ r.astype(EXACT) - a) <= residual("qr", dtype, max(m, n)) * norm(a)
        assert norm(q.T.astype(EXACT) @ q.astype(EXACT) - np.eye(min(m, n))) <= residual("qr", dtype, max(m, n)) * min(m, n) ** 0.5
        assert np.array_equal(r, np.triu(r))


@pytest.mark.parametrize("dtype", TYPES)
def test_eigh(draw, dtype):
    n = int(draw.integers(1, 40))
    a = draw.normal(size=(n, n)).astype(dtype)
    a = np.tril(a) + np.tril(a, -1).T
    allowed = residual("eigh", dtype, n) * norm(a)
    for x in layouts(a):
        w, v = fulmen.eigh(x)
        e = v.astype(EXACT)
        assert norm(e * w @ e.T - a) <= allowed
        assert np.abs(np.linalg.eigvalsh(a.astype(np.float64)) - w).max() <= allowed
    assert [y.shape for y in fulmen.eigh(np.empty((0, 0), dtype))] == [(0,), (0, 0)]


@pytest.mark.parametrize("dtype", TYPES)
def test_svd(draw, dtype):
    a, m, n = drawn(draw, dtype)
    k, allowed = min(m, n), residual("svd", dtype, max(m, n)) * norm(a)
    for x in layouts(a):
        u, s, vt = fulmen.svd(x)
        assert (u.shape, s.shape, vt.shape) == ((m, k), (k,), (k, n))
        assert norm(u.astype(EXACT) * s @ vt.astype(EXACT) - a) <= allowed
        assert np.abs(np.linalg.svd(a.astype(np.float64), compute_uv=False) - s).max() <= allowed
