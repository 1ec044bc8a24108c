#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random stacks of matrices through svd, qr, eigh and eig: residuals and orthogonality in wide arithmetic, as LAPACK's own
tests have them, the order of the values and the rule of signs and phases (decompose.h), and NumPy's values.

    decompose.py LIBRARY [--device cpu|cuda] [--seed N] [--count N]"""

import sys

import numpy as np

import linalg
from linalg import DTYPES, INTEGERS, expect, form, real_of, small, turned, unit, wide


def length(s):
    return int(s.pick([0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 40, 65, 100]))


def matrix(s, shape, m, n, dtype):
    """Plain, graded, of low rank, with many equal values, or without any."""
    x = s.array((*shape, m, n), dtype)
    if dtype in INTEGERS:
        return x
    kind = s.pick(["plain", "plain", "graded", "low rank", "equal", "zero", "scaled"])
    if kind == "graded":
        x = x * 10.0 ** -np.linspace(0, s.pick([3, 12, 30]), n)
    elif kind == "low rank" and min(m, n) > 1:
        x = s.array((*shape, m, 1), dtype) @ s.array((*shape, 1, n), dtype)
    elif kind == "equal":
        x = np.broadcast_to(np.eye(m, n) * -3, x.shape)
    elif kind == "zero":
        x = x * 0
    elif kind == "scaled":
        x = x * s.pick([1e-30, 1e30])
    return np.ascontiguousarray(x.astype(dtype))


def settled(v, text):
    """The first component that is near the largest one is real and positive, in each column."""
    if v.size == 0:
        return
    weight = np.abs(wide(v))
    most = weight.max(-2, keepdims=True)
    ahead = np.cumsum(weight > 0.981 * most, -2) > 0
    found = (weight >= 0.979 * most) & (v.imag == 0) & (v.real > 0)
    at = np.argmax(found, -2)
    first = np.argmax(ahead, -2)
    expect(np.all(found.any(-2) & (at <= first)), f"{text} are not turned by the rule")


def norm(a):
    """The 2-norm of each matrix, not below what no number can be."""
    value = np.linalg.norm(a.astype(np.result_type(a, np.float64)), 2, axis=(-2, -1)) if a.size else np.zeros(a.shape[:-2])
    return value.astype(np.longdouble)


def unitary(v, n, dtype, text):
    small(turned(wide(v)) @ wide(v) - np.eye(v.shape[-1]), np.ones(v.shape[:-2]), n, dtype, text)


def check_svd(s):
    shape, m, n, dtype = s.batch(), length(s), length(s), s.pick(DTYPES + ["int8"])
    a, reduced = matrix(s, shape, m, n, dtype), int(s.r.integers(2))
    dtype, k = ("float64" if dtype in INTEGERS else dtype), min(m, n)
    u, w, vh = s.call("linalg_svd", a, results=3, reduced=reduced)
    form(u, (*shape, m, k if reduced else m), np.dtype(dtype), "u")
    form(w, (*shape, k), real_of(dtype), "s")
    form(vh, (*shape, k if reduced else n, n), np.dtype(dtype), "vh")
    expect(np.all(w >= 0) and np.all(np.diff(w, axis=-1) <= 0), "the values are not in order")
    most = max(m, n, 1)
    product = (wide(u)[..., :k] * wide(w)[..., None, :]) @ wide(vh)[..., :k, :]
    small(product - wide(a.astype(dtype)), norm(a) * np.sqrt(min(m, n) + 1), most, dtype, "u s vh - a")
    unitary(u, most, dtype, "u^H u - 1")
    unitary(turned(vh), most, dtype, "vh vh^H - 1")
    settled(u, "the left vectors")
    only = s.call("linalg_svdvals", a)
    room = 30 * most * unit(dtype) * norm(a)[..., None] + np.finfo(dtype).tiny
    expect(np.all(np.abs(only - w) <= room), "svdvals differs")
    if a.size:
        want = np.linalg.svd(a.astype(np.result_type(a, np.float64)), compute_uv=False)
        expect(np.all(np.abs(w - want) <= room), "the values are not NumPy's")


def check_qr(s):
    shape, m, n, dtype = s.batch(), length(s), length(s), s.dtype()
    a, mode, k = matrix(s, shape, m, n, dtype), int(s.pick([0, 1, 2])), min(m, n)
    rows = m if mode == 2 else k
    q, r = s.call("linalg_qr", a, results=2, mode=mode)
    form(q, (*shape, m, rows), a.dtype, "q")
    form(r, (*shape, rows, n), a.dtype, "r")
    most = max(m, n, 1)
    small(wide(q) @ wide(r) - wide(a), norm(a) * np.sqrt(k + 1), most, dtype, "q r - a")
    unitary(q, most, dtype, "q^H q - 1")
    diagonal = np.diagonal(r, axis1=-2, axis2=-1)
    expect(np.array_equal(np.triu(r), r), "r is not triangular")
    expect(np.all(diagonal.imag == 0) and np.all(diagonal.real >= 0), "the diagonal of r is not real and positive")
    h, tau = s.call("linalg_qr", a, results=2, mode=3)
    form(h, (*shape, n, m), a.dtype, "h")
    form(tau, (*shape, k), a.dtype, "tau")
    upper = np.abs(np.triu(np.swapaxes(h, -1, -2))[..., :k, :])
    room = 100 * most * unit(dtype) * norm(a)[..., None, None] + np.finfo(dtype).tiny
    if np.all(np.abs(diagonal) > 1e-3 * np.max(np.abs(diagonal), initial=0)):
        expect(np.all(np.abs(upper - np.abs(r[..., :k, :])) <= 1e4 * room), "raw factors have another r")


def check_eigh(s):
    shape, n, dtype, upper = s.batch(), length(s), s.dtype(), int(s.r.integers(2))
    a = matrix(s, shape, n, n, dtype)
    a = ((a + turned(a)) / 2).astype(dtype)
    other = np.tril(np.full((n, n), np.nan), -1)
    spoilt = (a + (other if upper else other.T)).astype(dtype)
    w, v = s.call("linalg_eigh", spoilt, results=2, upper=upper)
    form(w, (*shape, n), real_of(dtype), "w")
    form(v, a.shape, a.dtype, "v")
    expect(np.all(np.diff(w, axis=-1) >= 0), "the values are not in order")
    small(wide(a) @ wide(v) - wide(v) * wide(w)[..., None, :], norm(a) * np.sqrt(n + 1), n, dtype, "a v - v w")
    unitary(v, n, dtype, "v^H v - 1")
    settled(v, "the vectors")
    room = 30 * max(n, 1) * unit(dtype) * norm(a)[..., None] + np.finfo(dtype).tiny
    expect(np.all(np.abs(s.call("linalg_eigvalsh", spoilt, upper=upper) - w) <= room), "eigvalsh differs")
    if a.size:
        want = np.linalg.eigvalsh(a.astype(np.result_type(a, np.float64)))
        expect(np.all(np.abs(w - want) <= room), "the values are not NumPy's")


def check_eig(s):
    shape, n, dtype = s.batch(), int(s.pick([0, 1, 2, 3, 5, 8, 17, 33])), s.pick(DTYPES + ["int8"])
    a = matrix(s, shape, n, n, dtype)
    dtype = "float64" if dtype in INTEGERS else dtype
    result = np.result_type(dtype, np.complex64)
    w, v = s.call("linalg_eig", a, results=2)
    form(w, (*shape, n), result, "w")
    form(v, (*shape, n, n), result, "v")
    expect(np.array_equal(w, np.sort_complex(w).astype(result)) if w.ndim else True, "the values are not in order")
    small(wide(a.astype(dtype)) @ wide(v) - wide(v) * wide(w)[..., None, :], norm(a) * np.sqrt(n + 1), n, dtype, "a v - v w")
    lengths = np.sqrt((np.abs(wide(v)) ** 2).sum(-2))
    expect(np.all(np.abs(lengths - 1) <= 30 * max(n, 1) * unit(dtype)), "a vector has not length 1")
    settled(v, "the vectors")
    only, trace = s.call("linalg_eigvals", a), np.trace(wide(a.astype(dtype)), axis1=-2, axis2=-1)
    form(only, (*shape, n), result, "eigvals")
    room = 30 * max(n, 1) ** 2 * unit(dtype) * norm(a) + np.finfo(dtype).tiny
    expect(np.all(np.abs(only.sum(-1) - trace) <= room), "eigvals do not add up to the trace")


def check_not_finite(s):
    """Which matrix of a stack has a number that is none."""
    n, dtype, count = int(s.pick([1, 2, 5, 16, 33])), s.dtype(), int(s.pick([1, 2, 37]))
    a = s.array((count, n, n), dtype)
    first = int(s.r.integers(count))
    a[first:, n - 1, 0] = s.pick([np.nan, np.inf, -np.inf])
    for name, results in (("svd", 3), ("svdvals", 1), ("eigh", 2), ("eig", 2)):
        try:
            s.call("linalg_" + name, a, results=results)
            expect(False, f"{name} does not find it")
        except linalg.Failure as failure:
            expect(failure.status == "GARRAY_ERR_NOCONVERGE", f"{name}: {failure.status}")
            expect(count == 1 or f"item {first} of" in str(failure), f"{name}: {failure}, not item {first}")


linalg.CHECKS[:] = [check_svd, check_qr, check_eigh, check_eig, check_svd, check_not_finite]

if __name__ == "__main__":
    sys.exit(linalg.main())
