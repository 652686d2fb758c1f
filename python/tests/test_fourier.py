"""Fourier transforms beside SciPy's in long double."""

import fulmen
import numpy as np
import pytest
import scipy.fft
from conftest import TYPES, bound, close
from test_products import layouts

COMPLEX = {np.float32: np.complex64, np.float64: np.complex128}


def drawn(draw, shape, dtype):
    return (draw.normal(size=shape) + 1j * draw.normal(size=shape)).astype(COMPLEX[dtype])


def within(got, want, op, dtype, n, mass):
    assert got.dtype == (COMPLEX[dtype] if np.iscomplexobj(want) else dtype)
    allowed = np.broadcast_to(bound(op, dtype, n, mass), want.shape)
    for part in (np.real, np.imag):
        close(part(got), part(want), allowed)


def mass(x, n, axis=-1):
    """That of the contracts: the largest a sum of x times unit numbers can be in the mean square."""
    return np.sqrt(n * (np.abs(x.astype(np.clongdouble)) ** 2).sum(axis, keepdims=True))


@pytest.mark.parametrize("dtype", TYPES)
def test_fft(draw, dtype):
    for shape in ((int(draw.integers(1, 200)),), tuple(draw.integers(1, 30, 2)), tuple(draw.integers(1, 9, 3))):
        x = drawn(draw, shape, dtype)
        n = shape[-1]
        for f, reference, scale in ((fulmen.fft, scipy.fft.fft, 1), (fulmen.ifft, scipy.fft.ifft, 1 / n)):
            want = reference(x.astype(np.clongdouble))
            for y in layouts(x) if x.ndim == 2 else [x]:
                within(f(y), want, "fft", dtype, n, mass(x, n) * scale)
            for out in layouts(np.empty_like(x)) if x.ndim == 2 else [np.empty_like(x)]:
                assert f(x, out=out) is out and np.array_equal(out, f(x))
    assert fulmen.fft(np.empty((0, 4), COMPLEX[dtype])).shape == (0, 4)
    with pytest.raises(ValueError, match="empty"):
        fulmen.fft(np.empty((4, 0), COMPLEX[dtype]))
    with pytest.raises(TypeError, match="fft: `x` has the dtype float64, complex64 or complex128 expected"):
        fulmen.fft(np.ones(3))


@pytest.mark.parametrize("dtype", TYPES)
def test_fft2(draw, dtype):
    m, n = (int(x) for x in draw.integers(1, 30, 2))
    x = drawn(draw, (m, n), dtype)
    for f, reference, scale in ((fulmen.fft2, scipy.fft.fft2, 1), (fulmen.ifft2, scipy.fft.ifft2, 1 / (m * n))):
        want = reference(x.astype(np.clongdouble))
        for y in layouts(x):
            within(f(y), want, "fft_2d", dtype, m * n, mass(x, m * n, (0, 1)) * scale)
        out = np.empty_like(x)
        assert f(x, out=out) is out and np.array_equal(out, f(x))


@pytest.mark.parametrize("dtype", TYPES)
def test_real(draw, dtype):
    for shape in ((int(draw.integers(1, 200)),), tuple(draw.integers(1, 20, 3))):
        x, n = draw.normal(size=shape).astype(dtype), shape[-1]
        want = scipy.fft.rfft(x.astype(np.longdouble))
        y = fulmen.rfft(x)
        within(y, want, "rfft", dtype, n, mass(x, n))
        out = np.empty_like(y)
        assert fulmen.rfft(x, out=out) is out and np.array_equal(out, y)
        back = fulmen.irfft(y, n)
        exact = scipy.fft.irfft(y.astype(np.clongdouble), n)
        # Parseval: the spectrum's norm is that of the numbers.
        within(back, exact, "irfft", dtype, n, mass(exact, 1))
        out = np.empty_like(x)
        assert fulmen.irfft(y, n, out=out) is out and np.array_equal(out, back)
    assert fulmen.irfft(np.ones(3, COMPLEX[dtype])).shape == (4,)
    with pytest.raises(ValueError, match="irfft: `n` is 7, 4 or 5 expected"):
        fulmen.irfft(np.ones(3, COMPLEX[dtype]), 7)
