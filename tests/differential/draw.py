# SPDX-License-Identifier: BSD-3-Clause
"""Draws arrays: dtype, shape, elements and layout; and where results go."""

import numpy as np

from casts import FLOATS, cast, is_complex, is_inexact, part_of
from library import BFLOAT16, DTYPES, LISTS, Ref
from program import Layout, Make, World, world_step
from reference_linalg import Unsure

ALL = [name for name in DTYPES if name != "bfloat16" or BFLOAT16 is not None]
INTEGERS = [name for name in ALL if name.startswith(("int", "uint"))]
LINEAR = ["float32", "float64", "complex64", "complex128"]


class Drawer:
    """A program in the making: statements run on both sides as they are drawn."""

    def __init__(self, library, rng):
        self.world, self.rng, self.statements = World(library), rng, []
        self.most = 30000  # elements of an array

    def close(self):
        self.world.close()

    def add(self, statement):
        self.statements.append(statement)
        world_step(self.world, statement)

    # ---- choices ----

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, values):
        return values[int(self.rng.integers(len(values)))]

    def int(self, low, high):
        """Both ends included."""
        return int(self.rng.integers(low, high + 1))

    def length(self):
        if self.chance(0.06):
            return 0
        return self.int(1, 4) if self.chance(0.8) else self.int(5, 40)

    def shape(self, least=0, most=4):
        ndim = self.int(least, most) if self.chance(0.95) else self.int(least, most + 3)
        shape = tuple(self.length() for _ in range(ndim))
        if ndim and self.chance(0.04):
            shape = tuple(min(n, 3) for n in shape[:-1]) + (self.int(500, 9000),)
            shape = tuple(shape[i] for i in self.rng.permutation(ndim))
        if self.most > 30000 and ndim and self.chance(0.5):
            shape = tuple(n * self.pick([1, 7, 64, 1000]) for n in shape)
        while np.prod(shape) > self.most:
            shape = tuple((n + 1) // 2 for n in shape)
        return shape

    def broadcastable(self, shape):
        """A shape that broadcasts with another, mostly."""
        result = [1 if self.chance(0.25) else n for n in shape]
        if self.chance(0.3):
            result = result[self.int(0, len(result)) :]
        if self.chance(0.03) and result:
            result[self.int(0, len(result) - 1)] += 1
        return tuple(result)

    # ---- elements ----

    def real_numbers(self, shape, name):
        rng, size = self.rng, int(np.prod(shape))
        mode = self.pick(["small", "small", "normal", "special", "wide"])
        if mode == "small":
            x = rng.integers(-4, 5, size).astype(float)
        elif mode == "normal":
            x = rng.normal(size=size) * 10.0 ** rng.integers(-2, 3)
        else:
            reach = {"float16": 8, "float64": 250}.get(name, 60)
            x = rng.normal(size=size) * 2.0 ** rng.integers(-reach, reach, size)
        x = cast(x, name)
        if mode == "special" and size:
            special = cast(
                np.array([0.0, -0.0, 1, -1, 0.5, np.inf, -np.inf, np.nan, 3e38, -6e4, 1e-40, 1e300]), name
            )
            places = rng.random(size) < 0.5
            x[places] = special[rng.integers(0, special.size, int(places.sum()))]
        return x.reshape(shape)

    def elements(self, shape, name):
        rng, size = self.rng, int(np.prod(shape))
        if name == "bool":
            return (rng.random(size) < self.pick([0.1, 0.5, 0.9])).reshape(shape)
        if is_complex(name):
            x = np.empty(shape, name)
            x.real = self.real_numbers(shape, part_of(name))
            x.imag = self.real_numbers(shape, part_of(name))
            return x
        if name in FLOATS:
            return self.real_numbers(shape, name)
        info = np.iinfo(name)
        if self.chance(0.6):
            return rng.integers(max(info.min, -5), 9, size).astype(name).reshape(shape)
        x = rng.integers(info.min, info.max, size, name, endpoint=True)
        edges = np.array([info.min, info.max, 0, 1, info.max - 1, info.bits, info.bits - 1], name)
        places = rng.random(size) < 0.3
        x[places] = edges[rng.integers(0, edges.size, int(places.sum()))]
        return x.reshape(shape)

    def layout(self, shape, itemsize):
        ndim = len(shape)
        if self.chance(0.35):
            return Layout(ndim)
        flags = [tuple(bool(self.chance(p)) for _ in range(ndim)) for p in (0.25, 0.12)]
        permutation = (
            tuple(int(i) for i in self.rng.permutation(ndim)) if self.chance(0.5) else tuple(range(ndim))
        )
        if ndim > 1 and self.chance(0.3):
            permutation = permutation[::-1]
        steps = tuple(self.pick([1, 1, 1, 2, 3]) for _ in range(ndim)) if self.chance(0.4) else (1,) * ndim
        if np.prod(shape) * np.prod(steps) > 2 * self.most + 200000:
            steps = (1,) * ndim
        origin = self.pick(["host", "host", "strided", "dlpack"])
        offset = self.pick([0, itemsize, 1, 2, 4, 3]) if origin == "dlpack" else 0
        return Layout(
            ndim,
            permutation,
            flags[0] if self.chance(0.4) else None,
            steps,
            flags[1] if self.chance(0.4) else None,
            origin,
            offset,
        )

    # ---- variables ----

    def new_name(self):
        return "abcdefghijklmnopqrstuvwxyz"[len(self.world.mirror) % 26] + (
            "" if len(self.world.mirror) < 26 else str(len(self.world.mirror) // 26)
        )

    def make(self, data, layout=None):
        name = self.new_name()
        while name in self.world.mirror:
            name += "_"
        if layout is None:
            layout = self.layout(data.shape, data.itemsize)
        for axis, repeat in enumerate(layout.repeat):
            if repeat and data.shape[axis] > 1:
                data = np.broadcast_to(np.take(data, [0], axis), data.shape)
        self.add(Make(name, np.ascontiguousarray(data).reshape(data.shape), layout))
        return Ref(name)

    def array(self, dtypes=ALL, shape=None):
        """A new array, or one that is there and fits."""
        fits = [
            name
            for name, x in self.world.mirror.items()
            if x.dtype.name in dtypes and (shape is None or x.shape == tuple(shape))
        ]
        if fits and self.chance(0.4):
            return Ref(self.pick(fits))
        if shape is None:
            shape = self.shape()
        name = self.pick(dtypes)
        return self.make(self.elements(shape, name))

    def of(self, ref):
        return self.world.mirror[ref.name]

    def scalar(self, dtypes=None):
        kind = self.pick(["int", "int", "float", "float", "bool", "complex"])
        if kind == "bool":
            return self.chance(0.5)
        if kind == "int":
            return (
                self.int(-3, 5)
                if self.chance(0.85)
                else self.pick([127, 128, -129, 255, 256, 65536, 2**31, -(2**63), 2**63, 2**64 - 1])
            )
        if kind == "float":
            return self.pick([0.5, -1.5, 2.0, 0.1, 3.0, -0.0, float("inf"), float("nan"), 1e-3])
        return self.pick([1j, 0.5 - 2j, 2 + 0j])

    def operand(self, shape, dtypes=ALL):
        if self.chance(0.2):
            return self.scalar()
        return self.array(dtypes, self.broadcastable(shape))

    def axes(self, ndim, several=True):
        """None, one axis or a tuple; sometimes a wrong one."""
        if self.chance(0.02):
            return (ndim + self.int(0, 1),)
        if not ndim:
            return self.pick([None, ()]) if several else None
        if self.chance(0.25):
            return None
        if several and self.chance(0.4):
            chosen = self.rng.permutation(ndim)[: self.int(0, ndim)]
            return tuple(int(a) - (ndim if self.chance(0.4) else 0) for a in chosen)
        return (self.int(-ndim, ndim - 1),)

    def axis(self, ndim):
        if not ndim or self.chance(0.02):
            return self.int(-ndim - 1, ndim)
        return self.int(-ndim, ndim - 1)

    def dtype(self, dtypes=ALL):
        return self.pick(dtypes)

    def targets(self, shape, name):
        """Variables that a result of this shape and dtype may be written into."""

        def fits(x):
            return x.shape == tuple(shape) and (is_inexact(x.dtype.name) or not is_inexact(name))

        return [out for out, x in self.world.mirror.items() if fits(x)]

    def outs(self, call):
        """Decides where the results of a call go: new variables, old ones, or into old ones."""
        try:
            expected, _ = self.world.expect(call)
        except Unsure:
            expected = None
        count = len(call.outs)
        names = list(self.world.mirror)
        if (
            expected is not None
            and count == 1
            and self.chance(0.3)
            and call.name not in LISTS
            and not call.kw.get("unstable")
        ):
            value = expected[0].value
            targets = self.targets(value.shape, value.dtype.name)
            if targets and self.chance(0.9):
                call.into, call.outs = True, [self.pick(targets)]
                return call
            if names and self.chance(0.2) and not is_inexact(value.dtype.name):
                call.into, call.outs = True, [self.pick(names)]
                return call
        chosen = []
        for _ in range(count):
            if names and self.chance(0.4):
                name = self.pick(names)
            else:
                name = self.new_name()
                while name in self.world.mirror or name in chosen:
                    name += "_"
            chosen.append(name)
        for i, name in enumerate(chosen):
            while chosen[i] in chosen[:i] or (chosen[i] != name and chosen[i] in names):
                chosen[i] += "x"
        call.outs = chosen
        return call

    def call(self, call, into=True):
        self.add(self.outs(call))
