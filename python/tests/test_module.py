"""What is refused and how, threads and the GIL, stubs and docstrings."""

import ast
import doctest
import inspect
import threading
import time
from pathlib import Path

import fulmen
import numpy as np
import pytest

# Calls with one array in place of `x`, by function.
X = {
    **{name: (lambda x, f=name, **o: getattr(fulmen, f)(x, **o)) for name in ("exp", "log", "tanh", "erf", "gelu", "sigmoid", "softmax", "log_softmax", "rfft", "sort")},
    "layer_norm": lambda x, **o: fulmen.layer_norm(x, np.ones(x.shape[-1], x.dtype), np.ones(x.shape[-1], x.dtype), **o),
    "rms_norm": lambda x, **o: fulmen.rms_norm(x, np.ones(x.shape[-1], x.dtype), **o),
    "einsum": lambda x, **o: fulmen.einsum("ij->ij", x, **o),
    "matmul": lambda x, **o: fulmen.matmul(np.eye(x.shape[0], dtype=x.dtype), x, **o),
    "solve": lambda x, **o: fulmen.solve(np.eye(x.shape[0], dtype=x.dtype), x, **o),
}
STRIDED = {"matmul", "solve"}


@pytest.mark.parametrize("name", [n for n in X if n not in ("layer_norm", "rms_norm", "matmul", "solve", "einsum")])
def test_wrong_kinds(name):
    f = getattr(fulmen, name)
    for x, say in (([1.0, 2.0], "is a list, a NumPy array expected"), (np.arange(3), "has the dtype int64, float32 or float64 expected"),
                   (np.ones(3, ">f4"), "has the dtype >f4"), (np.ones(3, np.float16), "has the dtype float16"), (np.ones(3, object), "has the dtype object")):
        with pytest.raises(TypeError, match=f"^{name}: `x` {say}"):
            f(x)


@pytest.mark.parametrize("name", X)
def test_no_silent_copies(name):
    x = np.ones((8, 8))
    for strided in (x[::2, ::2], x.T[:4], x[:, ::-1]):
        if name in STRIDED:
            assert np.array_equal(X[name](strided), X[name](strided.copy()))
            continue
        with pytest.raises(ValueError, match=f"^{name}: `(x|operands)` is not contiguous in C order.*ascontiguousarray"):
            X[name](strided)
    unaligned = np.zeros(8 * 16 + 1, np.uint8)[1:].view(np.float64).reshape(4, 4)
    with pytest.raises(ValueError, match=f"^{name}: `(x|operands|a|b)` is not aligned"):
        X[name](unaligned)


@pytest.mark.parametrize("name", X)
def test_wrong_out(name):
    x = np.ones((4, 4))
    want = X[name](x)
    for out, error, say in (
        (np.ones((4, 7), want.dtype), ValueError, r"has the shape \[4, 7\], \[4, \d\] expected"),
        (want.astype("c8" if want.dtype.kind == "c" else "f4"), TypeError, "has the dtype (float32|complex64)"),
        ("out", TypeError, "is a str"),
    ):
        with pytest.raises(error, match=f"^{name}: `out` {say}"):
            X[name](x, out=out)
    read_only = want.copy()
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match=f"^{name}: `out` is read-only"):
        X[name](x, out=read_only)
    # Overlaps: the same memory, a part of it, and through another owner.
    room = np.ones(4 * want.size + 8)
    inside = room[: x.size].reshape(x.shape)
    for at in (0, 3):
        part = room[at : at + want.nbytes // 8].view(want.dtype).reshape(want.shape)
        foreign = np.frombuffer(memoryview(room), np.float64)[at : at + want.nbytes // 8].view(want.dtype).reshape(want.shape)
        for out in (part, foreign):
            with pytest.raises(ValueError, match=f"^{name}: `out` overlaps `(x|b|operands)` in memory"):
                X[name](inside, out=out)
    # Beside each other in one allocation is apart.
    out = room[x.size : x.size + want.nbytes // 8].view(want.dtype).reshape(want.shape)
    assert np.array_equal(X[name](inside, out=out), want)
    shared = np.lib.stride_tricks.as_strided(np.ones(want.shape[1], want.dtype), want.shape, (0, want.itemsize))
    with pytest.raises(ValueError, match=f"^{name}: `out` (has elements that share memory|is not contiguous)"):
        X[name](x, out=shared)


def test_arguments_of_other_kinds():
    with pytest.raises(TypeError, match="layer_norm: `gamma` has the dtype float32, float64 expected"):
        fulmen.layer_norm(np.ones((2, 2)), np.ones(2, np.float32), np.ones(2))
    with pytest.raises(ValueError, match=r"layer_norm: `beta` has the shape \[3\], \[2\] expected"):
        fulmen.layer_norm(np.ones((2, 2)), np.ones(2), np.ones(3))
    with pytest.raises(ValueError, match="matmul: `b` has 3 rows, 2 expected"):
        fulmen.matmul(np.ones((2, 2)), np.ones((3, 2)))
    with pytest.raises(ValueError, match="matmul: `a` has 3 axes, at most 2 expected"):
        fulmen.matmul(np.ones((2, 2, 2)), np.ones((2, 2)))
    with pytest.raises(ValueError, match="softmax: `x` has no axis"):
        fulmen.softmax(np.array(1.0))
    with pytest.raises((ValueError, MemoryError), match="allocate|too large|memory"):
        fulmen.resize(np.zeros((1, 1), np.float32), (1 << 30, 1 << 30), "nearest")


def test_the_gil_is_released():
    """While a kernel runs, a thread of Python counts; held, it would not until the kernel ends."""
    a = np.random.default_rng(1).normal(size=(200, 200))
    began, ended, counted = threading.Event(), threading.Event(), []

    def count():
        began.wait()
        while not ended.is_set():
            counted.append(time.perf_counter())
            time.sleep(0)

    counter = threading.Thread(target=count)
    counter.start()
    began.set()
    start = time.perf_counter()
    fulmen.eigh(a)
    end = time.perf_counter()
    ended.set()
    counter.join()
    middle = [t for t in counted if start + (end - start) / 4 < t < end - (end - start) / 4]
    assert middle, f"no other thread ran in {end - start:.3f} s"


def test_calls_from_many_threads():
    """The same arrays are read by all, and each writes its own result: the bits are those of one thread."""
    rng = np.random.default_rng(2)
    a, b, x = rng.normal(size=(60, 50)), rng.normal(size=(50, 70)), rng.normal(size=(100, 64)).astype(np.float32)
    want, failed = (fulmen.matmul(a, b), fulmen.softmax(x)), []

    def work():
        out = np.empty((60, 70))
        for _ in range(20):
            if not (np.array_equal(fulmen.matmul(a, b, out=out), want[0]) and np.array_equal(fulmen.softmax(x), want[1])):
                failed.append(threading.get_ident())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed


def test_runs_on():
    name, threads = fulmen.runs_on()
    flags = set(Path("/proc/cpuinfo").read_text().split()) if Path("/proc/cpuinfo").exists() else set()
    if {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx2", "fma"} <= flags:
        assert name.startswith("avx512")
    elif {"avx2", "fma"} <= flags:
        assert name.startswith("avx2")
    assert threads >= 1


def parameters(node):
    """Names, kinds and defaults, as the stub has them."""
    args, defaults = node.args.args, node.args.defaults
    found = [(a.arg, None) for a in args[: len(args) - len(defaults)]]
    found += [(a.arg, ast.literal_eval(d)) for a, d in zip(args[len(args) - len(defaults) :], defaults)]
    found += [("*" + node.args.vararg.arg, None)] if node.args.vararg else []
    return found + [(a.arg, ast.literal_eval(d)) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults)]


def test_stubs_say_what_the_module_has():
    package = Path(fulmen.__file__).parent
    assert (package / "py.typed").exists()
    tree = ast.parse((package / "__init__.pyi").read_text())
    stubs = {n.name: n for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    public = {n for n in dir(fulmen) if not n.startswith("_") and not inspect.ismodule(getattr(fulmen, n))}
    assert set(stubs) == public
    for name, node in stubs.items():
        value = getattr(fulmen, name)
        assert value.__doc__ and ">>>" in value.__doc__, f"{name} has no docstring with an example"
        if isinstance(node, ast.ClassDef):
            members = {n.name: n for n in node.body}
            assert set(members) - {"__new__"} == {n for n in dir(value) if not n.startswith("_")}
            node = members["__new__"]
            node.args.args = node.args.args[1:]
        real = [("*" + p.name if p.kind is p.VAR_POSITIONAL else p.name, None if p.default in (p.empty, None) else p.default)
                for p in inspect.signature(value).parameters.values()]
        assert parameters(node) == real, name


def test_examples_of_docstrings():
    failed, found = 0, 0
    for name in dir(fulmen):
        value = getattr(fulmen, name)
        if name.startswith("_") or not getattr(value, "__doc__", None):
            continue
        test = doctest.DocTestParser().get_doctest(value.__doc__, {"fulmen": fulmen, "np": np}, name, None, 0)
        found += len(test.examples)
        failed += doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed
    assert found >= 40 and not failed
