#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random stacks of matrices through the linalg namespace, judged in wide arithmetic by what the results must satisfy, as
LAPACK's own tests do, and compared with NumPy where the result is unique and well conditioned.

    linalg.py LIBRARY [--device cpu|cuda] [--seed N] [--count N]"""

import argparse
import ctypes as C
import sys

import numpy as np

from library import Failure, Library, Ref

DTYPES = ["float32", "float64", "complex64", "complex128"]
INTEGERS = ["int8", "int64", "uint16", "bool"]


class Session:
    """One test: its random numbers, its variables, and the library."""

    def __init__(self, seed, library):
        self.r = np.random.default_rng(seed)
        self.library, self.slots = library, {}

    def pick(self, values):
        return values[self.r.integers(len(values))]

    def batch(self):
        return tuple(int(n) for n in self.pick([(), (), (1,), (2,), (3, 2), (17,), (0,), (2, 0)]))

    def length(self):
        return int(self.pick([0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 40, 65]))

    def dtype(self):
        return str(self.pick(DTYPES))

    def array(self, shape, dtype):
        x = self.r.standard_normal(shape)
        if dtype.startswith("complex"):
            x = x + 1j * self.r.standard_normal(shape)
        if dtype in INTEGERS:
            x = self.r.integers(0, 2 if dtype == "bool" else 9, shape)
        return x.astype(dtype)

    def square(self, shape, n, dtype, shift=0.0):
        """Well conditioned for large shifts."""
        x = self.array((*shape, n, n), dtype)
        return x if dtype in INTEGERS else x + np.asarray(shift * n**0.5, x.real.dtype) * np.eye(n, dtype=x.dtype)

    def put(self, x):
        """On the device, through a view: contiguous, transposed, reversed or every other element."""
        ref = Ref("x%d" % len(self.slots))
        slot = self.slots[ref.name] = C.c_void_p()
        how = self.pick(["plain", "plain", "turned", "reversed", "stepped"]) if x.ndim >= 2 else "plain"
        items = None
        if how == "turned":
            base = np.ascontiguousarray(np.swapaxes(x, -1, -2))
        elif how == "reversed":
            base, items = np.ascontiguousarray(x[..., ::-1, :]), (Ellipsis, slice(None, None, -1), slice(None))
        elif how == "stepped":
            base = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
            base[..., ::2], items = x, (Ellipsis, slice(None, None, 2))
        else:
            base = np.ascontiguousarray(x).reshape(x.shape)
        self.library.from_host(base, slot)
        if how == "turned":
            self.library.call("matrix_transpose", (ref,), {}, self.slots, [C.byref(slot)])
        if items:
            self.library.call("getitem", (ref, items), {}, self.slots, [C.byref(slot)])
        return ref

    def call(self, name, *args, results=1, **kw):
        outs = [C.c_void_p() for _ in range(results)]
        try:
            given = [self.put(x) if isinstance(x, np.ndarray) else x for x in args]
            self.library.call(name, given, kw, self.slots, [C.byref(out) for out in outs])
            got = [self.library.to_numpy(out) for out in outs]
            return got[0] if results == 1 else got
        finally:
            for out in outs:
                self.library.release(out)

    def close(self):
        for slot in self.slots.values():
            self.library.release(slot)


def wide(x):
    return x.astype(np.clongdouble if np.iscomplexobj(x) else np.longdouble)


def unit(dtype):
    return float(np.finfo(dtype).eps) / 2


def size(x):
    """The largest column sum of each matrix."""
    return np.abs(x).sum(-2).max(-1, initial=0) if x.shape[-2] else np.zeros(x.shape[:-2])


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


def small(residual, scale, n, dtype, text):
    """|residual| <= 30 n u scale for each matrix."""
    error, bound = size(residual), 30 * max(n, 1) * unit(dtype) * np.asarray(scale) + np.finfo(dtype).tiny
    expect(np.all(error <= bound), f"{text}: {np.max(error / bound, initial=0):.3g} times the bound")


def form(x, shape, dtype, text):
    expect(x.shape == tuple(shape), f"{text} has shape {x.shape}, not {tuple(shape)}")
    expect(x.dtype == dtype, f"{text} is {x.dtype}, not {dtype}")


def real_of(dtype):
    return np.empty(0, dtype).real.dtype


def turned(x):
    return np.conj(np.swapaxes(x, -1, -2))


# ---- one function each; they return nothing or raise AssertionError ----


def check_inv(s):
    shape, n, dtype = s.batch(), s.length(), s.dtype()
    a = s.square(shape, n, dtype, 2)
    x = s.call("linalg_inv", a)
    form(x, a.shape, a.dtype, "inv")
    a, x = wide(a), wide(x)
    small(a @ x - np.eye(n), size(a) * size(x), n, dtype, "a x - 1")
    small(x @ a - np.eye(n), size(a) * size(x), n, dtype, "x a - 1")


def check_det(s):
    shape, n, dtype = s.batch(), s.length(), s.pick(DTYPES + INTEGERS)
    a = s.square(shape, n, dtype)
    exact = np.float64 if dtype in INTEGERS else np.dtype(dtype)
    det, (sign, log) = s.call("linalg_det", a), s.call("linalg_slogdet", a, results=2)
    for x, kind, text in (det, exact, "det"), (sign, exact, "sign"), (log, real_of(exact), "logabsdet"):
        form(x, shape, kind, text)
    b = a.astype(np.result_type(a, np.float64))
    want_sign, want_log = np.linalg.slogdet(b)
    if dtype in INTEGERS:       # may be singular
        want = np.linalg.det(b)
        scale = np.prod(np.linalg.norm(b, axis=-1), axis=-1)
        expect(np.all(np.abs(det - want) <= 1e-12 * (n + 1) * scale), f"det {det} not {want}")
        return
    room = 100 * (n + 1) * unit(exact) * np.linalg.cond(b) if n and b.size else np.full(shape, 100 * unit(exact))
    expect(np.all(np.abs(sign - want_sign) <= room), f"sign {sign} not {want_sign}")
    expect(np.all(np.abs(log - want_log) <= room + 4 * unit(exact) * np.abs(want_log)), f"log {log} not {want_log}")
    with np.errstate(over="ignore"):
        want = want_sign * np.exp(want_log)
    near = np.abs(want) < 0.5 * np.finfo(exact).max
    with np.errstate(invalid="ignore"):
        expect(np.all((np.abs(det - want) <= 2 * (room + 1e-13 * (1 + np.abs(want_log))) * np.abs(want) + 1e-37) | ~near),
               f"det {det} not {want}")


def check_lu(s):
    shape, m, n, dtype = s.batch(), s.length(), s.length(), s.dtype()
    a = s.array((*shape, m, n), dtype)
    k = min(m, n)
    p, l, u = s.call("linalg_lu", a, results=3)
    form(p, (*shape, m, m), real_of(dtype), "p")
    form(l, (*shape, m, k), a.dtype, "l")
    form(u, (*shape, k, n), a.dtype, "u")
    expect(np.array_equal(np.tril(l, -1) + np.eye(m, k), l) and np.array_equal(np.triu(u), u), "not triangular")
    expect(np.all(np.abs(l.real) <= 1.001) or np.iscomplexobj(l) and np.all(np.abs(l) <= 1.5), "l is larger than 1")
    small(wide(p) @ wide(l) @ wide(u) - wide(a), size(a), max(m, n), dtype, "p l u - a")
    q, l2, u2 = s.call("linalg_lu", a, results=3, p_indices=1)
    form(q, (*shape, m), np.int64, "p")
    expect(np.array_equal(l, l2) and np.array_equal(u, u2), "not the same factors")
    expect(np.array_equal(np.eye(m)[q] if m else p, p), "p_indices are other rows")
    lu, pivots = s.call("linalg_lu_factor", a, results=2)
    form(pivots, (*shape, k), np.int64, "pivots")
    expect(np.array_equal(np.tril(lu, -1)[..., :k] + np.eye(m, k), l) and np.array_equal(np.triu(lu)[..., :k, :], u), "lu_factor differs")
    rows = np.broadcast_to(np.arange(m), (*shape, m)).copy()
    for at in np.ndindex(*shape):
        for i, other in enumerate(pivots[at]):
            rows[at][[i, other]] = rows[at][[other, i]]
    expect(np.array_equal(np.take_along_axis(q, rows, -1), np.broadcast_to(np.arange(m), rows.shape)), "pivots differ from p")


def right_side(s, shape, n, dtype):
    columns = int(s.pick([0, 1, 1, 2, 3, 9, 33, 70]))
    if s.r.random() < 0.25:
        return s.array((n,), dtype)
    return s.array((*(shape if s.r.random() < 0.6 else shape[:0]), n, columns), dtype)


def judge_solution(a, b, x, n, dtype, text):
    """The residual of a x = b."""
    if b.ndim == 1:
        b, x = b[:, None], x[..., None]
    form(x, np.broadcast_shapes(a.shape[:-2], b.shape[:-2]) + b.shape[-2:], np.result_type(a, b), text)
    a, b, x = wide(a), wide(b), wide(x)
    small(a @ x - b, size(a) * size(x) + size(b), n, dtype, text)


def check_solve(s):
    shape, n, dtype = s.batch(), s.length(), s.dtype()
    a, b = s.square(shape, n, dtype, 1), right_side(s, shape, n, dtype)
    judge_solution(a, b, s.call("linalg_solve", a, b), n, dtype, "a x - b")


def check_lu_solve(s):
    shape, n, dtype = s.batch(), s.length(), s.dtype()
    a, b, trans = s.square(shape, n, dtype, 1), right_side(s, shape, n, dtype), int(s.r.integers(3))
    lu, pivots = s.call("linalg_lu_factor", a, results=2)
    x = s.call("linalg_lu_solve", lu, pivots, b, trans=trans)
    judge_solution([a, np.swapaxes(a, -1, -2), turned(a)][trans], b, x, n, dtype, f"lu_solve, trans {trans}")


def check_solve_triangular(s):
    shape, n, dtype = s.batch(), s.length(), s.dtype()
    upper, trans, one = (int(n) for n in s.r.integers([2, 3, 2]))
    full, b = s.square(shape, n, dtype, 2), right_side(s, shape, n, dtype)
    if one:
        full = (full / np.asarray(max(n, 1), full.real.dtype)).astype(dtype)
    a = np.triu(full) if upper else np.tril(full)
    if one:
        a = a - a * np.eye(n, dtype=a.dtype) + np.eye(n, dtype=a.dtype)
    x = s.call("linalg_solve_triangular", full, b, upper=upper, trans=trans, unit_diagonal=one)
    judge_solution([a, np.swapaxes(a, -1, -2), turned(a)][trans], b, x, n, dtype, f"upper {upper}, trans {trans}, unit {one}")


def positive(s, shape, n, dtype):
    a = s.array((*shape, n, n), dtype)
    a = a @ turned(a) / max(n, 1) + np.eye(n)
    return ((a + turned(a)) / 2).astype(dtype)


def check_cholesky(s):
    shape, n, dtype, upper = s.batch(), s.length(), s.dtype(), int(s.r.integers(2))
    a = positive(s, shape, n, dtype)
    l = s.call("linalg_cholesky", a, upper=upper)
    form(l, a.shape, a.dtype, "factor")
    expect(np.array_equal(l, np.triu(l) if upper else np.tril(l)), "not triangular")
    w = wide(l)
    small((turned(w) @ w if upper else w @ turned(w)) - wide(a), size(a), n, dtype, "l l^H - a")
    b = right_side(s, shape, n, dtype)
    judge_solution(a, b, s.call("linalg_cho_solve", l, b, upper=upper), n, dtype, "cho_solve")


def check_singular(s):
    """Which matrix of a stack is singular, or not positive definite."""
    n, dtype, count = int(s.pick([1, 2, 5, 16, 33])), s.dtype(), int(s.pick([1, 2, 37]))
    a = positive(s, (count,), n, dtype)
    first = int(s.r.integers(count))
    a[first:, n // 2, :] = 0
    a[first:, :, n // 2] = 0
    b = s.array((n, 1), dtype)
    for name, args in (("inv", (a,)), ("solve", (a, b)), ("cholesky", (a,)), ("solve_triangular", (a, b))):
        try:
            s.call("linalg_" + name, *args)
            expect(False, f"{name} does not find it")
        except Failure as failure:
            expect(failure.status == "GARRAY_ERR_SINGULAR", f"{name}: {failure.status}")
            expect(count == 1 or f"item {first} of" in str(failure), f"{name}: {failure}, not item {first}")
    det, (sign, log) = s.call("linalg_det", a), s.call("linalg_slogdet", a, results=2)
    expect(np.all(det[first:] == 0) and np.all(sign[first:] == 0) and np.all(log[first:] == -np.inf), "det is not 0")
    expect(np.all(det[:first] != 0), "det is 0")


CHECKS = [
    check_inv,
    check_det,
    check_lu,
    check_solve,
    check_lu_solve,
    check_solve_triangular,
    check_cholesky,
    check_singular,
]


def one(seed, number, library):
    """None, or what went wrong."""
    s = Session((seed, number), library)
    check = CHECKS[number % len(CHECKS)]
    try:
        with np.errstate(under="ignore"):
            check(s)
        return None
    except (AssertionError, Failure) as error:
        return f"{check.__name__} {number}: {error}"
    finally:
        s.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1500)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    library = Library(options.library, options.device)
    numbers = range(options.first, options.first + options.count)
    wrong = [text for i in numbers if (text := one(options.seed, i, library))]
    print("\n".join(wrong[:20]))
    print(f"{options.count - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
