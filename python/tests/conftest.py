"""The seed of the random shapes and values, and what each op's contract allows."""

import os
import re
from pathlib import Path

import numpy as np
import pytest

CONTRACTS = Path(__file__).resolve().parents[2] / "contracts"
SEED = int(os.environ.get("FULMEN_SEED") or np.random.SeedSequence().entropy % 2**32)
TYPES = [np.float32, np.float64]


def pytest_report_header(config):
    return f"FULMEN_SEED={SEED} draws the shapes and values of this run again"


@pytest.fixture
def draw(request):
    """A generator of its own for each test, by its name."""
    return np.random.default_rng([SEED, *request.node.name.encode()])


def sizes(dtype):
    """The unit roundoff and the smallest normal number."""
    info = np.finfo(dtype)
    return float(info.eps) / 2, float(info.tiny)


def count(per, n):
    """How many roundings a bound counts with, by contracts/README.md."""
    n = max(int(n), 1)
    return {
        "one": 1,
        "root": n**0.5,
        "n": n,
        "log": float(np.ceil(np.log2(n))) if n > 1 else 0,
        "tree": min(n, 8192 / 4 + 8) + np.log2(max(n / 8192, 1)) + 1,
    }[per]


def gamma(k, dtype):
    unit, _ = sizes(dtype)
    return k * unit / (1 - k * unit)


def number(text, name, default):
    found = re.search(rf"\b{name}: ([\d.e+-]+|\w+)", text)
    return found[1] if found else default


def bound(op, dtype, n, mass):
    """The largest error that the contract of `op` allows for results with `mass`: γ of it, or so many ulp of it."""
    text = (CONTRACTS / f"{op}-v1.yaml").read_text()
    key = {np.float32: "f32", np.float64: "f64", np.uint8: "u8"}[np.dtype(dtype).type]
    line = re.search(rf"^tolerance:.*?^  {key}: (.*?)$", text, re.M | re.S)[1]
    if found := re.search(r"abs: ([\d.]+)", line):
        return float(found[1])
    if found := re.search(r"ulp: ([\d.]+)", line):
        return float(found[1]) * np.spacing(np.abs(np.asarray(mass)).astype(dtype)).astype(np.float64)
    k = float(number(line, "times", 0)) * count(number(line, "per", "one"), n) + float(number(line, "plus", 0))
    _, tiny = sizes(dtype)
    return gamma(k, dtype) * np.abs(mass) + (tiny if "flush: true" in line else 0)


def residual(op, dtype, n):
    """The factor of a residual that the contract bounds."""
    text = (CONTRACTS / f"{op}-v1.yaml").read_text()
    line = re.search(r"^residuals:\n  - (.*?)$", text, re.M)[1]
    return gamma(float(number(line, "times", 0)) * count(number(line, "per", "one"), n) + float(number(line, "plus", 0)), dtype)


def close(got, want, allowed):
    """Each result within its bound; NaN and infinities as they are."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape
    finite = np.isfinite(want)
    assert np.array_equal(got[~finite], want[~finite].astype(got.dtype), equal_nan=True)
    error = np.abs(got.astype(want.dtype) - want)
    allowed = np.broadcast_to(allowed, want.shape)
    worst = np.where(finite, error - allowed, -1.0)
    assert not (worst > 0).any(), f"{(worst > 0).sum()} of {worst.size} beyond the bound, by up to {worst.max()}"
