#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random stacks of matrices through the linalg namespace, judged in wide arithmetic by what the results must satisfy, as
LAPACK's own tests do, and compared with NumPy where the result is unique and well conditioned.

    linalg.py LIBRARY [--device cpu|cuda] [--seed N] [--count N]"""

import ctypes as C
import sys

import numpy as np

import cases
from library import Failure, Ref

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
    expect(np.array_equal(np.tril(lu, -1)[..., :k] + np.eye(m, k), l), "lu_factor has another l")
    expect(np.array_equal(np.triu(lu)[..., :k, :], u), "lu_factor has another u")
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


def near(got, want, dtype, text, room=64):
    """Equal but for rounding, and of the same form."""
    want = np.asarray(want)
    form(got, want.shape, want.dtype, text)
    with np.errstate(invalid="ignore"):
        good = np.abs(got - want) <= room * unit(dtype) * np.abs(want)
    expect(np.all(good | (got == want) | (np.isnan(got) & np.isnan(want))), f"{text}: {got} not {want}")


ORDERS = [None, 0, 1, 2, 3, 0.5, -1, -2, float("inf"), -float("inf")]


def check_vector_norm(s):
    shape = tuple(int(n) for n in s.r.choice([0, 1, 2, 3, 5, 70], s.r.integers(1, 4), p=[0.05, 0.2, 0.25, 0.2, 0.2, 0.1]))
    dtype, order, keep = s.pick(DTYPES + INTEGERS), s.pick(ORDERS), int(s.r.integers(2))
    x = s.array(shape, dtype)
    axes = None if s.r.random() < 0.3 else tuple(int(i) for i in s.r.permutation(len(shape))[: s.r.integers(1, len(shape) + 1)])
    if x.size == 0 and (order == -float("inf") or (order or 0) < 0):
        return
    kw = {} if order is None else {"ord": order}
    with np.errstate(divide="ignore"):
        want = np.linalg.vector_norm(x, axis=axes, keepdims=bool(keep), ord=2 if order is None else order)
    real = real_of(dtype) if dtype in DTYPES else np.dtype(float)
    near(s.call("linalg_vector_norm", x, axes, keepdims=keep, **kw), want.astype(real), real, f"order {order}, axes {axes}", 256)
    if axes is not None and len(axes) == 1:
        near(s.call("linalg_norm", x, axes, keepdims=keep, **kw), want.astype(real), real, f"norm {order}", 256)


def check_matrix_norm(s):
    shape, m, n = s.batch(), int(s.pick([1, 2, 5, 33])), int(s.pick([1, 2, 6, 40]))
    dtype, keep = s.pick(DTYPES + INTEGERS), int(s.r.integers(2))
    x = s.array((*shape, m, n), dtype)
    order = s.pick(["fro", "nuc", 1, -1, 2, -2, float("inf"), -float("inf")])
    kw = {"kind": 1 + (order == "nuc")} if isinstance(order, str) else {"ord": order}
    y = x if dtype in DTYPES else x.astype(float)
    want = np.linalg.matrix_norm(y, ord=order, keepdims=bool(keep))
    got = s.call("linalg_matrix_norm", x, keepdims=keep, **kw)
    if order == -2:     # as exact as the largest singular value
        form(got, want.shape, y.real.dtype, "order -2")
        largest = np.linalg.matrix_norm(y, ord=2, keepdims=bool(keep))
        expect(np.all(np.abs(got - want) <= 256 * unit(y.dtype) * largest), f"order -2: {got} not {want}")
        return
    near(got, want.astype(y.real.dtype), y.real.dtype, f"order {order}", 256)
    axes = tuple(int(i) for i in s.r.permutation(x.ndim)[:2])
    if x.size:
        want = np.linalg.norm(y, order, axes, bool(keep))
        got = s.call("linalg_norm", x, axes, keepdims=keep, **kw)
        near(got, want.astype(y.real.dtype), y.real.dtype, f"norm {order} {axes}", 256)


def check_cond(s):
    shape, n, dtype = s.batch(), max(s.length(), 1), s.dtype()
    x = s.square(shape, n, dtype, 1)
    order = s.pick([None, "fro", "nuc", 1, -1, 2, -2, float("inf"), -float("inf")])
    kw = {} if order is None else {"kind": 1 + (order == "nuc")} if isinstance(order, str) else {"ord": order}
    if x.size and s.r.random() < 0.3:
        x[..., 0, :] = 0
        got = s.call("linalg_cond", x, **kw)
        expect(np.all((got > 0.01 / unit(dtype)) | (order == -2)), f"order {order}: {got} of singular matrices")
        return
    want = np.linalg.cond(x.astype(np.result_type(x, float)), order)
    got = s.call("linalg_cond", x, **kw)
    form(got, shape, real_of(dtype), "cond")
    known = np.maximum(np.linalg.cond(x), 1) if x.size else np.ones(shape)
    expect(np.all(np.abs(got - want) <= 300 * n * unit(dtype) * known * want), f"order {order}: {got} not {want}")


def deficient(s, shape, m, n, dtype):
    """Of low rank, with singular values that are 0 or about 1; and its rank."""
    k = int(s.r.integers(0, min(m, n) + 1))
    left = np.linalg.qr(s.array((*shape, m, m), "complex128" if dtype.startswith("c") else "float64"))[0][..., :k]
    right = np.linalg.qr(s.array((*shape, n, n), left.dtype.name))[0][..., :k]
    return ((left * s.r.uniform(0.5, 2, (*shape, 1, k))) @ turned(right)).astype(dtype), k


def check_rank(s):
    shape, m, n, dtype = s.batch(), s.length(), s.length(), s.dtype()
    a, k = deficient(s, shape, m, n, dtype)
    tight = s.r.random() < 0.5
    kw = {"rtol": 0.1 if tight else 1e-4} if s.r.random() < 0.6 else {"tol": 0.01}
    if a.size == 0:
        k = 0
    rank = s.call("linalg_matrix_rank", a, **kw)
    form(rank, shape, np.int64, "rank")
    expect(np.all(rank == k), f"rank {rank}, not {k}")
    if m == n:
        h = ((a + turned(a)) / 2).astype(dtype)
        want = np.linalg.matrix_rank(h, tol=1e-4, hermitian=True) if a.size else np.zeros(shape)
        expect(np.array_equal(s.call("linalg_matrix_rank", h, tol=1e-4, hermitian=1), want), "rank of a Hermitian one")
    v = np.zeros(3, dtype)
    expect(s.call("linalg_matrix_rank", v) == 0 and s.call("linalg_matrix_rank", v + 1) == 1, "rank of a vector")


def check_pinv(s):
    shape, m, n, dtype = s.batch(), s.length(), s.length(), s.dtype()
    a, _ = deficient(s, shape, m, n, dtype)
    hermitian = int(m == n and s.r.random() < 0.5)
    if hermitian:
        a = (a @ turned(a)).astype(dtype) if a.size else a
        a = ((a + turned(a)) / 2).astype(dtype)
    p = s.call("linalg_pinv", a, rtol=1e-3, hermitian=hermitian)
    form(p, (*shape, n, m), a.dtype, "pinv")
    if not a.size:
        return
    big = max(m, n)
    w, v = wide(a), wide(p)
    scale = size(w) ** 2 * size(v)
    small(w @ v @ w - w, scale, big, dtype, "a p a - a")
    small(v @ w @ v - v, scale * size(v), big, dtype, "p a p - p")
    small(w @ v - turned(w @ v), scale * size(v), big, dtype, "a p is not Hermitian")


def check_lstsq(s):
    shape, m, n, dtype = s.batch(), s.length(), s.length(), s.dtype()
    if s.r.random() < 0.4:
        shape = ()
    a, _ = deficient(s, shape, m, n, dtype) if s.r.random() < 0.5 else (s.array((*shape, m, n), dtype), None)
    columns = int(s.pick([0, 1, 4]))
    b = s.array((m,) if s.r.random() < 0.25 else (*shape, m, columns), dtype)
    x, residuals, rank, values = s.call("linalg_lstsq", a, b, results=4, rcond=1e-3)
    right = b[:, None] if b.ndim == 1 else b
    form(x, (*shape, n) if b.ndim == 1 and not shape else (*shape, n) if b.ndim == 1 else (*shape, n, columns), a.dtype, "x")
    form(rank, shape, np.int64, "rank")
    form(values, (*shape, min(m, n)), real_of(dtype), "s")
    if shape == () and min(m, n) > 0:
        want = np.linalg.lstsq(a.astype(np.result_type(a, float)), b, rcond=1e-3)
        expect(rank == want[2], f"rank {rank}, not {want[2]}")
        form(residuals, want[1].shape, real_of(dtype), "residuals")
        least = values[values > 1e-3 * values[0]].min(initial=1)
        room = 3000 * max(m, n) * unit(dtype) * (1 + np.abs(want[0]).max(initial=0)) / max(least**2, 1e-9)
        expect(np.all(np.abs(x - want[0]) <= room), f"x differs by {np.abs(x - want[0]).max(initial=0)}, more than {room}")
        expect(np.all(np.abs(residuals - want[1]) <= room * (1 + np.abs(want[1]))), "residuals")
    elif a.size and b.size:
        x = x[..., None] if b.ndim == 1 else x
        w = wide(a)
        misfit = w @ wide(x) - wide(right)      # at right angles to the columns
        scale = (size(w) ** 2 * size(wide(x)) + size(w) * size(wide(right))) * 10
        small(turned(w) @ misfit, scale, max(m, n), dtype, "a^H (a x - b)")


def check_tensors(s):
    dtype = s.dtype()
    a = s.square((), 12, dtype, 2)
    one, other = s.pick([((3, 4), (2, 6)), ((12,), (2, 3, 2)), ((2, 2, 3), (12,))])
    x = s.call("linalg_tensorinv", a.reshape(one + other), len(one))
    form(x, other + one, a.dtype, "tensorinv")
    small(wide(x.reshape(12, 12)) @ wide(a) - np.eye(12), size(wide(a)) * size(wide(x.reshape(12, 12))), 12, dtype, "x a - 1")
    b = s.array(one, dtype)
    axes = tuple(int(i) for i in s.r.permutation(len(one))[: s.r.integers(0, len(one) + 1)])
    y = s.call("linalg_tensorsolve", a.reshape(one + other), b, None)
    form(y, other, a.dtype, "tensorsolve")
    misfit = (wide(a) @ wide(y).reshape(12) - wide(b).reshape(12))[:, None]
    small(misfit, size(wide(a)) * np.abs(y).max() + 1, 12, dtype, "a y - b")
    moved = np.moveaxis(a.reshape(one + other), [len(one) + len(other) - 1], [0])
    want = np.linalg.tensorsolve(moved.astype(np.result_type(a, float)), b, (0,))
    got = s.call("linalg_tensorsolve", moved, b, (0,))
    form(got, want.shape, a.dtype, "tensorsolve")
    expect(np.all(np.abs(got - want) <= 1e4 * unit(dtype) * np.abs(want).max()), f"axes {axes}: {got} not {want}")


def check_gemm(s):
    shape, dtype = s.batch(), str(s.pick(DTYPES + ["float16", "int32"]))
    m, k, n = (int(s.pick([0, 1, 2, 3, 17, 40])) for _ in range(3))
    narrow = dtype == "float16"
    a, b = (s.r.integers(-3, 4, x).astype(dtype) for x in ((*shape, m, k), (k, n)))
    c = s.r.integers(-3, 4, s.pick([(*shape, m, n), (n,), (m, 1), (1, 1)])).astype(dtype)
    if dtype == "int32":
        want, kw = a @ b + c, {}
    else:
        alpha, beta = (float(x) for x in s.pick([(2, 1), (1, -3), (0.5, 0), (-1, 0.25)]))
        alpha = complex(alpha, 2) if dtype.startswith("c") else alpha
        want = (alpha * (a.astype(float if narrow else dtype) @ b.astype(float if narrow else dtype)) + beta * c).astype(dtype)
        kw = {"alpha": alpha, "beta": beta, "tf32": int(s.r.integers(2)), "fast_half": 0}
    got = s.call("gemm", a, b, c, **kw)
    form(got, want.shape, want.dtype, "gemm")
    expect(np.array_equal(got, want), f"gemm {dtype} {a.shape} {b.shape} {c.shape} {kw}: {got} not {want}")


CHECKS = [
    check_inv,
    check_det,
    check_lu,
    check_solve,
    check_lu_solve,
    check_solve_triangular,
    check_cholesky,
    check_singular,
    check_vector_norm,
    check_matrix_norm,
    check_cond,
    check_rank,
    check_pinv,
    check_lstsq,
    check_tensors,
    check_gemm,
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
    return cases.run(__doc__, 1500, one)


if __name__ == "__main__":
    sys.exit(main())
