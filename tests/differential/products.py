#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random products over axes (dot, tensordot, einsum, kron ...) against NumPy: shapes, dtypes, and values of small
integers, so that every sum that does not wrap is exact in every dtype.

    products.py LIBRARY [--device cpu|cuda] [--seed N] [--count N]"""

import ctypes as C
import random
import sys

import numpy as np

import cases
from library import Failure, Ref

NAMES = "bool int8 int32 uint16 int64 float16 float32 float64 complex64 complex128".split()


class Draw:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.slots, self.arrays = {}, []

    def name(self):
        return self.r.choice(NAMES)

    def lengths(self, least, most):
        return [self.r.choice([0, 1, 2, 2, 3, 3, 4, 5]) for _ in range(self.r.randint(least, most))]

    def array(self, shape, name):
        """Small integers in a random layout: contiguous, transposed, reversed, stepped or broadcast."""
        part = np.array([self.r.randint(0 if name[0] in "ub" else -2, 2) for _ in range(int(np.prod(shape)))])
        x = part.reshape(shape).astype(name)
        if name.startswith("complex"):
            x = x + 1j * np.array([self.r.randint(-2, 2) for _ in range(x.size)]).reshape(shape).astype(name)
            x = x.astype(name)
        return x


def arguments(d, x, library):
    """Puts x on the device through a random view; returns the reference."""
    ref = Ref("x%d" % len(d.slots))
    slot = d.slots[ref.name] = C.c_void_p()
    order = list(range(x.ndim))
    d.r.shuffle(order)
    base = np.ascontiguousarray(np.transpose(x, order)).reshape([x.shape[i] for i in order])
    library.from_host(base, slot)
    if x.ndim:
        back = [order.index(i) for i in range(x.ndim)]
        library.call("permute_dims", (ref, tuple(back)), {}, d.slots, [C.byref(slot)])
    return ref


def draw_pair(d, kind):
    """(call's name, NumPy arrays, arguments behind them, expected by NumPy)"""
    r, a_name, b_name = d.r, d.name(), d.name()
    if kind in ("dot", "inner"):
        k = r.choice([0, 1, 2, 3])
        a, b = d.lengths(0, 3), d.lengths(0, 3)
        if a:
            a[-1] = k
        if b:
            b[-2 if kind == "dot" and len(b) > 1 else -1] = k
        return [d.array(a, a_name), d.array(b, b_name)], (), getattr(np, kind)
    if kind in ("vdot", "outer"):
        a = d.lengths(0, 3)
        b = list(a) if kind == "vdot" else d.lengths(0, 3)
        r.shuffle(b)
        return [d.array(a, a_name), d.array(b, b_name)], (), getattr(np, kind)
    if kind in ("matvec", "vecmat"):
        batch, m, n = d.lengths(0, 2), r.choice([0, 1, 2, 3]), r.choice([0, 1, 2, 3])
        other = batch[r.randint(0, len(batch)) :]
        matrix, vector = d.array(batch + [m, n], a_name), d.array(other + [n if kind == "matvec" else m], b_name)
        return ([matrix, vector] if kind == "matvec" else [vector, matrix]), (), getattr(np, kind)
    if kind == "tensordot":
        a, b = d.lengths(0, 4), d.lengths(0, 4)
        n = r.randint(0, min(len(a), len(b)))
        ia, ib = r.sample(range(len(a)), n), r.sample(range(len(b)), n)
        for i, j in zip(ia, ib):
            b[j] = a[i]
        ia = [i - len(a) if r.random() < 0.3 else i for i in ia]
        return [d.array(a, a_name), d.array(b, b_name)], (tuple(ia), tuple(ib)), lambda x, y, i, j: np.tensordot(x, y, (i, j))
    if kind == "tensordot_n":
        a, b = d.lengths(0, 4), d.lengths(0, 4)
        n = r.randint(0, min(len(a), len(b)))
        b[:n] = a[len(a) - n :]
        return [d.array(a, a_name), d.array(b, b_name)], (n,), np.tensordot
    if kind == "kron":
        return [d.array(d.lengths(0, 3), a_name), d.array(d.lengths(0, 3), b_name)], (), np.kron
    if kind == "cross":
        batch = d.lengths(0, 2)
        at = r.randint(0, len(batch))
        shape = batch[:at] + [3] + batch[at:]
        names = [name if name != "bool" else "int8" for name in (a_name, b_name)]
        axis = at - len(shape) if r.random() < 0.5 else at
        return [d.array(shape, names[0]), d.array(shape, names[1])], (axis,), lambda x, y, i: np.cross(x, y, axis=i)
    n = r.choice([0, 1, 2, 3])
    x = d.array(d.lengths(0, 2) + [n, n], a_name)
    if r.random() < 0.3 and a_name in ("float64", "complex128", "int64"):  # a matrix whose inverse is of integers too
        x = np.tril(x, -1) + np.eye(n, dtype=a_name)
        return [x], (-r.randint(1, 3),), lambda x, n: np.linalg.matrix_power(x, n).round()
    return [x], (r.randint(0, 4),), np.linalg.matrix_power


def draw_chain(d):
    n = d.r.randint(2, 5)
    lengths = [d.r.choice([1, 2, 3, 4, 6]) for _ in range(n + 1)]
    arrays = [d.array(lengths[i : i + 2], d.name()) for i in range(n)]
    if d.r.random() < 0.4:
        arrays[0] = arrays[0][0]
    if d.r.random() < 0.4:
        arrays[-1] = arrays[-1][:, 0]
    return arrays


def draw_einsum(d):
    r = d.r
    letters = "ijkLm"
    length = {c: r.choice([1, 2, 3, 4]) for c in letters}
    dots = d.lengths(0, 2) if r.random() < 0.4 else None
    terms, arrays = [], []
    name = d.name()
    for _ in range(r.randint(1, 4)):
        term = "".join(r.choice(letters) for _ in range(r.randint(0, 3)))
        shape = [1 if r.random() < 0.05 and term.count(c) == 1 else length[c] for c in term]
        if dots is not None and r.random() < 0.8:
            at, some = r.randint(0, len(term)), dots[r.randint(0, len(dots)) :]
            term = term[:at] + "..." + term[at:]
            shape[at:at] = [1 if r.random() < 0.2 else n for n in some]
        terms.append(term)
        arrays.append(d.array(shape, name if r.random() < 0.7 else d.name()))
    text = ("," if r.random() < 0.7 else " , ").join(terms)
    if r.random() < 0.7:
        there = sorted(set("".join(terms)) - {"."})
        out = "".join(r.sample(there, r.randint(0, len(there))))
        if any("..." in term for term in terms):
            at = r.randint(0, len(out))
            out = out[:at] + "..." + out[at:]
        text += "->" + out
    return text, arrays


def same(got, want):
    want = np.asarray(want)
    return got.dtype == want.dtype and got.shape == want.shape and np.array_equal(got, want)


def one(seed, library):
    """None, or what went wrong."""
    d = Draw(seed)
    kinds = "dot inner vdot outer matvec vecmat tensordot tensordot_n kron cross linalg_matrix_power linalg_multi_dot einsum einsum".split()
    kind, out = d.r.choice(kinds), C.c_void_p()
    if kind == "einsum":
        text, arrays = draw_einsum(d)
        more, function = (), lambda *x: np.einsum(text, *x)
    elif kind == "linalg_multi_dot":
        arrays, more, function = draw_chain(d), (), lambda *x: np.linalg.multi_dot([y.astype(np.result_type(*x)) for y in x])
    else:
        arrays, more, function = draw_pair(d, kind)
    said = "%s %s" % (text if kind == "einsum" else more, [(x.shape, x.dtype.name) for x in arrays])
    try:
        want = function(*arrays, *more)
    except ValueError as error:
        want = error
    try:
        refs = [arguments(d, x, library) for x in arrays]
        args = (text, refs) if kind == "einsum" else (refs,) if kind == "linalg_multi_dot" else (*refs, *more)
        try:
            library.call(kind, args, {}, d.slots, [C.byref(out)])
        except Failure as failure:
            return None if isinstance(want, ValueError) else f"{kind} {said}: {failure}"
        got = library.to_numpy(out)
        if kind == "linalg_matrix_power" and more[0] < 0:
            got = got.round()
        if isinstance(want, ValueError):
            return f"{kind} {said}: NumPy refuses it ({want})"
        return None if same(got, want) else f"{kind} {said}:\n{got!r}\nnot\n{want!r}"
    finally:
        for slot in [*d.slots.values(), out]:
            library.release(slot)


def main():
    return cases.run(__doc__, 3000, lambda seed, i, library: one(f"{seed} {i}", library))


if __name__ == "__main__":
    sys.exit(main())
