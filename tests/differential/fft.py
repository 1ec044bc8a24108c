#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Random Fourier transforms against NumPy: lengths of every kind, axes, layouts, padding, norms, dtypes; errors where
NumPy has errors. Values are compared line by line with NumPy's in complex128, in the 2-norm.

    fft.py LIBRARY [--device cpu|cuda] [--seed N] [--count N]"""

import ctypes as C
import math
import random
import sys

import numpy as np

import cases
from library import BFLOAT16, Failure, Ref

NAMES = "bool int8 uint16 int64 float16 float32 float64 complex64 complex128".split()
NAMES += ["float32", "float64", "complex64", "complex128"] * 2 + (["bfloat16"] if BFLOAT16 is not None else [])
KINDS = "fft ifft rfft irfft hfft ihfft fftn ifftn rfftn irfftn fft2 ifft2 rfft2 irfft2 fftshift ifftshift".split()
NORMS = [None, "backward", "ortho", "forward"]


class Draw:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.values = np.random.default_rng(abs(hash(seed)) % 2**32)
        self.slots = {}

    def length(self, most):
        """Small, smooth, prime, or a power of two."""
        r = self.r
        kind = r.random()
        if kind < 0.05:
            n = 0
        elif kind < 0.35:
            n = r.randint(1, 9)
        elif kind < 0.6:
            n = math.prod(r.choice([2, 2, 3, 4, 5, 7, 11, 13]) for _ in range(r.randint(1, 5)))
        elif kind < 0.75:
            n = 2 ** r.randint(0, 16)
        elif kind < 0.85:
            n = r.choice([17, 19, 23, 34, 101, 127, 211, 509, 1009, 2053, 4099, 10007, 65537])
        else:
            n = r.randint(1, 3000)
        return n if n <= most else r.randint(1, most)

    def shape(self, least, most):
        room, shape = 2 ** self.r.randint(6, 17), []
        for _ in range(self.r.randint(least, most)):
            shape.append(self.length(max(room, 1)))
            room //= max(shape[-1], 1)
        self.r.shuffle(shape)
        return shape

    def array(self, shape, name):
        def part():
            return self.values.standard_normal(shape)

        if name[0] in "ubi":
            x = self.values.integers(0, 2 if name == "bool" else 100, shape)
        else:
            x = part()
        return (x + 1j * part()).astype(name) if name.startswith("complex") else np.asarray(x).astype(name)


def put(d, x, library):
    """x on the device through a random view; the reference."""
    ref = Ref("x%d" % len(d.slots))
    slot = d.slots[ref.name] = C.c_void_p()
    order = list(range(x.ndim))
    if d.r.random() < 0.4:
        d.r.shuffle(order)
    flips = [i for i in range(x.ndim) if d.r.random() < 0.15]
    base = np.flip(np.transpose(x, order), flips)
    library.from_host(np.ascontiguousarray(base).reshape(base.shape), slot)
    if flips:
        library.call("flip", (ref, tuple(flips)), {}, d.slots, [C.byref(slot)])
    if x.ndim:
        library.call("permute_dims", (ref, tuple(order.index(i) for i in range(x.ndim))), {}, d.slots, [C.byref(slot)])
    return ref


def draw_call(d, kind):
    """x, arguments and keywords of the library, and those of NumPy."""
    r, name = d.r, d.r.choice(NAMES)
    if "r" in kind and kind[0] == "r" or kind == "ihfft":
        name = name if r.random() < 0.05 or not name.startswith("complex") else "float" + ("64" if "128" in name else "32")
    x = d.array(d.shape(0 if r.random() < 0.1 else 2 if kind[-1] == "2" else 1, 4), name)

    def axis():
        return r.randint(-x.ndim, max(x.ndim - 1, 0)) if r.random() < 0.97 else x.ndim

    def given(own):
        return d.length(max(1, 2**16 // max(x.size // max(own, 1), 1)))

    if kind.endswith("shift"):
        axes = None if r.random() < 0.3 else tuple(axis() for _ in range(r.randint(0, x.ndim)))
        return x, (axes,), {}, {"axes": axes}
    norm = r.choice(NORMS)
    kw, theirs = ({"norm": NORMS.index(norm)} if norm else {}), {"norm": norm}
    if kind[-1] not in "n2":
        at = axis()
        if r.random() < 0.4:
            kw["n"] = theirs["n"] = given(x.shape[at] if -x.ndim <= at < x.ndim else 1)
        return x, (at,), kw, {**theirs, "axis": at}
    if kind[-1] == "2":
        axes = None if r.random() < 0.5 else (axis(), axis())
    else:
        axes = None if r.random() < 0.4 else tuple(axis() for _ in range(r.randint(0, x.ndim)))
    s = None
    if r.random() < 0.4:
        count = (2 if kind[-1] == "2" else x.ndim) if axes is None else len(axes)
        count += r.choice([-1, 1]) if r.random() < 0.05 else 0
        s = tuple(r.choice([-1, r.randint(1, 6), r.randint(1, 20)]) for _ in range(max(count, 0)))
    theirs["s"] = s
    if axes is None and s is not None and kind[-1] == "n":
        theirs["axes"] = tuple(range(-len(s), 0)) if len(s) <= x.ndim else (x.ndim,) * len(s)
    elif axes is not None or kind[-1] == "n":
        theirs["axes"] = axes
    return x, (s, axes), kw, theirs


def expected(kind, x, theirs):
    """NumPy's result in its dtype, and with as many digits as complex128 has."""
    function = getattr(np.fft, kind)
    if kind.endswith("shift"):
        return (function(x, **theirs),) * 2
    # NumPy knows no bfloat16
    short = x.dtype in (BFLOAT16, np.float16)
    known = x.astype(np.float32) if short else x
    narrow = function(known, **theirs)
    return narrow.astype(x.dtype) if short and kind in ("irfft", "hfft") else narrow, function(known.astype(complex if known.dtype.kind == "c" else float), **theirs)


def differ(got, narrow, wide, passes):
    if got.shape != wide.shape:
        return f"shape {got.shape}"
    if got.dtype != narrow.dtype:
        return f"dtype {got.dtype}, not {narrow.dtype}"
    if wide.size == 0:
        return None
    rounding = 0
    if got.dtype in (BFLOAT16, np.float16):  # rounded once more, and perhaps beyond the range
        rounding = float(2.0**-11 if got.dtype == np.float16 else 2.0**-8)
        got = got.astype(np.float32)
        narrow = narrow.astype(np.float32)
        if not np.all(np.isfinite(narrow)):
            return None
    unit = 2.0**-53 if got.dtype in (np.float64, np.complex128) else 2.0**-24
    error, size = np.linalg.norm(got.ravel() - wide.ravel()), np.linalg.norm(wide.ravel())
    bound = 4 * unit * (2 + passes) + rounding
    if not error <= bound * size + 1e-300:
        return f"relative error {error / (size or 1):.3g}, more than {bound:.3g}"
    return None


def one(seed, library):
    """None, or what went wrong."""
    d = Draw(seed)
    kind, out = d.r.choice(KINDS), C.c_void_p()
    x, args, kw, theirs = draw_call(d, kind)
    said = f"{kind} {x.dtype.name} {x.shape} {theirs}"
    axes = theirs.get("axes", (-2, -1) if kind[-1] == "2" else (theirs.get("axis", -1),))
    if kind[-1] in "n2" and (x.ndim == 0 or axes == ()):
        return None  # NumPy gives x back, in its dtype
    if kind.endswith("shift") and (x.ndim == 0 or args == ((),)):
        return None  # NumPy fails
    try:
        narrow, wide = expected(kind, x, theirs)
    except (ValueError, TypeError, IndexError, np.exceptions.AxisError) as error:
        narrow = wide = error
    try:
        ref = put(d, x, library)
        try:
            name = "fft_" + kind
            library.call(name, (ref, *args), kw, d.slots, [C.byref(out)])
        except Failure as failure:
            return None if isinstance(wide, Exception) else f"{said}: {failure}"
        if isinstance(wide, Exception):
            return f"{said}: NumPy refuses it ({wide})"
        got = library.to_numpy(out)
        if kind.endswith("shift"):
            return None if got.dtype == wide.dtype and got.tobytes() == wide.tobytes() else f"{said}: {got!r}"
        wrong = differ(got, narrow, wide, math.log2(max(wide.size, 2)))
        return f"{said}: {wrong}" if wrong else None
    finally:
        for slot in [*d.slots.values(), out]:
            library.release(slot)


def main():
    return cases.run(__doc__, 2000, lambda seed, i, library: one(f"{seed} {i}", library))


if __name__ == "__main__":
    sys.exit(main())
