"""Element-wise ops, ops on the last axis, reductions and sorting, beside NumPy and SciPy in long double."""

import fulmen
import numpy as np
import pytest
from conftest import TYPES, bound, close
from scipy import special

EXACT = np.longdouble
# (ours, the contract's name, the reference)
POINTWISE = {
    "exp": ("exp", np.exp),
    "log": ("ln", np.log),
    "tanh": ("tanh", np.tanh),
    "erf": ("erf", None),
    "gelu": ("gelu", lambda x: x * (1 + np.tanh(np.sqrt(2 / EXACT(np.pi)) * (x + EXACT("0.044715") * x**3))) / 2),
    "sigmoid": ("sigmoid", lambda x: 1 / (1 + np.exp(-x))),
}


def shape(draw):
    return tuple(draw.integers(1, 40, draw.integers(1, 4)))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", POINTWISE)
def test_pointwise(draw, name, dtype):
    contract, reference = POINTWISE[name]
    x = draw.normal(size=shape(draw)).astype(dtype) * 4
    if name == "log":
        x = np.abs(x)
    if reference:
        want = reference(x.astype(EXACT))
        allowed = bound(contract, dtype, 1, want)
        if name == "gelu":
            # Where the tail of tanh cancels, the reference in long double has that error, too.
            allowed = allowed + np.finfo(EXACT).eps * 8 * np.abs(x)
    else:
        # SciPy has erf in double alone, and its own error is up to 2 ulp of that.
        want = special.erf(x.astype(np.float64))
        allowed = bound(contract, dtype, 1, want) + 2 * np.spacing(np.abs(want))
    got = getattr(fulmen, name)(x)
    assert got.dtype == dtype
    close(got, want, allowed)
    out = np.empty_like(x)
    assert getattr(fulmen, name)(x, out=out) is out
    assert np.array_equal(out, got)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", POINTWISE)
def test_nan_and_empty(name, dtype):
    f = getattr(fulmen, name)
    assert np.isnan(f(np.array([np.nan], dtype)))[0]
    assert f(np.empty((0, 3), dtype)).shape == (0, 3)
    assert f(np.array(1.0, dtype)).shape == ()


def exact_softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@pytest.mark.parametrize("dtype", TYPES)
def test_rows(draw, dtype):
    x = draw.normal(size=shape(draw)).astype(dtype) * 3
    n = x.shape[-1]
    g, b = (draw.normal(size=n).astype(dtype) for _ in range(2))
    e = x.astype(EXACT)
    want = exact_softmax(e)
    close(fulmen.softmax(x), want, bound("softmax", dtype, n, want))
    below = e - e.max(-1, keepdims=True)
    log = np.log(np.exp(below).sum(-1, keepdims=True))
    close(fulmen.log_softmax(x), below - log, bound("log_softmax", dtype, n, np.abs(below) + np.log(n) + 1))
    d = e - e.mean(-1, keepdims=True)
    scale = 1 / np.sqrt((d * d).mean(-1, keepdims=True) + EXACT(dtype(1e-5)))
    terms = (np.abs(d) + e.std(-1, keepdims=True)) * scale * np.abs(g) + np.abs(b)
    close(fulmen.layer_norm(x, g, b), d * scale * g + b, bound("layer_norm", dtype, n, terms))
    want = e / np.sqrt((e * e).mean(-1, keepdims=True) + EXACT(dtype(1e-5))) * g
    close(fulmen.rms_norm(x, g), want, bound("rms_norm", dtype, n, want))
    for f, more in ((fulmen.softmax, ()), (fulmen.log_softmax, ()), (fulmen.layer_norm, (g, b)), (fulmen.rms_norm, (g,))):
        out = np.full_like(x, 7)
        assert f(x, *more, out=out) is out
        assert np.array_equal(out, f(x, *more))


@pytest.mark.parametrize("dtype", TYPES)
def test_reductions(draw, dtype):
    x = (draw.normal(size=shape(draw)) + 3).astype(dtype)
    e = x.astype(EXACT)
    for axis in (None, -1, x.ndim - 1):
        n = x.size if axis is None else x.shape[-1]
        sums = np.abs(e).sum(axis)
        close(fulmen.sum(x, axis), e.sum(axis), bound("sum", dtype, n, sums))
        close(fulmen.mean(x, axis), e.mean(axis), bound("mean", dtype, n, sums / n))
        close(fulmen.variance(x, axis), e.var(axis), bound("variance", dtype, n, e.var(axis)))
        assert np.array_equal(fulmen.argmax(x, axis), x.argmax(axis))
    assert fulmen.sum(np.empty(0, dtype)) == 0
    assert np.isnan(fulmen.sum(np.array([np.nan, 1], dtype)))
    with pytest.raises(ValueError, match="mean: `x` is empty"):
        fulmen.mean(np.empty(0, dtype))
    with pytest.raises(ValueError, match="argmax: `x` contains NaN"):
        fulmen.argmax(np.array([np.nan, 1], dtype))
    with pytest.raises(ValueError, match="sum: `axis` must be None"):
        fulmen.sum(np.empty((2, 2), dtype), axis=0)


@pytest.mark.parametrize("dtype", TYPES)
def test_sorting(draw, dtype):
    # Few values, so that there are ties.
    x = draw.integers(-20, 20, shape(draw)).astype(dtype)
    n = x.shape[-1]
    order = np.argsort(x, axis=-1, kind="stable")
    assert np.array_equal(fulmen.argsort(x), order)
    assert np.array_equal(fulmen.sort(x), np.sort(x, axis=-1))
    out = np.empty_like(x)
    assert fulmen.sort(x, out=out) is out and np.array_equal(out, np.sort(x, axis=-1))
    k = int(draw.integers(0, n + 1))
    values, indices = fulmen.top_k(x, k)
    falling = np.argsort(-x, axis=-1, kind="stable")[..., :k]
    assert np.array_equal(indices, falling) and np.array_equal(values, np.take_along_axis(x, falling, -1))
    assert np.array_equal(fulmen.median(x), np.median(x, axis=-1))
    assert fulmen.sort(np.empty((3, 0), dtype)).shape == (3, 0)
    with pytest.raises(ValueError, match="contains NaN"):
        fulmen.sort(np.array([1, np.nan], dtype))
    with pytest.raises(ValueError, match="top_k: `k` is 3, at most 2 expected"):
        fulmen.top_k(np.ones(2, dtype), 3)
    with pytest.raises(ValueError, match="median: `x` has no element"):
        fulmen.median(np.empty((2, 0), dtype))
