# SPDX-License-Identifier: BSD-3-Clause
"""Calls of the functions of elements that take options or have two results."""

from casts import is_complex
from draw import ALL, INTEGERS
from library import Ref
from program import Call


def apply(d, name, *args, results=1, **kw):
    d.call(Call(name, list(args), {key: value for key, value in kw.items() if value is not None}, [None] * results))


def flag(d, p=0.4):
    return 1 if d.chance(p) else None


def isclose(d):
    kinds = [name for name in ALL if name not in ("float16", "bfloat16")]  # which libgarray compares in float32
    shape = d.shape()
    a, b = d.array(kinds, shape), d.operand(shape, kinds)
    if isinstance(b, Ref) and d.chance(0.3):
        b = a
    if d.chance(0.3) and not isinstance(b, complex):
        a, b = b, a
    tolerance = {"rtol": d.pick([0, 0.1, 1e-3]), "atol": d.pick([0, 0.5, 1])} if d.chance(0.6) else {}
    apply(d, "isclose", a, b, equal_nan=flag(d), **tolerance)


def nan_to_num(d):
    given = {name: d.pick([0, -2, 7.5, float("inf"), -float("inf")]) for name in ("nan", "posinf", "neginf") if d.chance(0.4)}
    apply(d, "nan_to_num", d.array(), **given)


def real_if_close(d):
    apply(d, "real_if_close", d.array(), tol=d.pick([None, 0.5, 2, 1e30, 0, -1]))


def bits(d):
    if d.chance(0.5):
        x = d.array(INTEGERS + ["bool"] if d.chance(0.9) else ALL)
        return apply(d, "packbits", x, d.axes(d.of(x).ndim, several=False), little=flag(d))
    x = d.array(["uint8"] if d.chance(0.95) else ALL)
    count = d.int(-9, 40) if d.chance(0.5) else None
    apply(d, "unpackbits", x, d.axes(d.of(x).ndim, several=False), little=flag(d), count=count)


def unwrap(d):
    x = d.array([name for name in INTEGERS if name.startswith("int")], d.shape(1, 3))
    apply(d, "unwrap", x, d.int(-1, d.of(x).ndim - 1), period=d.pick([2, 7, 10, 100]))


def pairs(d):
    name = d.pick(["divmod", "frexp", "modf"])
    real = [kind for kind in ALL if not is_complex(kind)]
    kinds = real if d.chance(0.9) else ALL
    shape = d.shape()
    args = [d.array(kinds, shape)]
    if name == "divmod":
        args.append(d.operand(shape, kinds))
        if d.chance(0.3):
            args.reverse()
    apply(d, name, *args, results=2)


FAMILIES = {
    "isclose": (isclose, 1),
    "nan_to_num": (nan_to_num, 0.7),
    "real_if_close": (real_if_close, 0.4),
    "bits": (bits, 1),
    "unwrap": (unwrap, 0.5),
    "pairs": (pairs, 1),
}
