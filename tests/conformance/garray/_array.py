# SPDX-License-Identifier: BSD-3-Clause
"""The array object: attributes, operators, indexing, conversion to Python's numbers, DLPack."""

import ctypes as C
import operator

from . import _dlpack, _dtypes, _interface
from ._binding import call, device_name, device_of, interface, lib, raised

SCALARS = (bool, int, float, complex)
# Python's words for operators, and the functions that they are.
ARITHMETIC = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "pow",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
    "matmul": "matmul",
}
COMPARISONS = {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}
UNARY = {"abs": "abs", "neg": "negative", "pos": "positive", "invert": "bitwise_invert"}


class Array:
    flags = 0  # of the operand it makes

    def __init__(self, slot):
        self._slot = slot

    def __del__(self):
        if lib is not None and self._slot:
            lib.release(self._slot)

    def slot(self, _):
        return self._slot

    # ---- attributes ----

    dtype = property(lambda self: _dtypes.BY_NAME[lib.dtype(self._slot)])
    device = property(lambda self: device_name(lib.c.garray_device_of(self._slot)))
    shape = property(lambda self: lib.shape(self._slot))
    ndim = property(lambda self: len(self.shape))
    mT = property(lambda self: one("matrix_transpose", self))

    @property
    def size(self):
        lib.c.garray_size.restype = C.c_int64
        return lib.c.garray_size(self._slot)

    @property
    def T(self):
        if self.ndim != 2:
            raise ValueError("x.T needs two axes")
        return self.mT

    # ---- Python's numbers ----

    def _item(self, dtype, kind):
        value = kind()
        with raised():
            lib.check("item", self._slot, interface.DTYPES[dtype], C.byref(value))
        return value

    def _number(self):
        name = self.dtype.name
        if name == "bool":
            return self._item("bool", C.c_bool).value
        if name.startswith("uint"):
            return self._item("uint64", C.c_uint64).value
        if name.startswith("int"):
            return self._item("int64", C.c_int64).value
        if name.startswith("complex"):
            parts = self._item("complex128", C.c_double * 2)
            return complex(parts[0], parts[1])
        return self._item("float64", C.c_double).value

    def __bool__(self):
        return bool(self._number())

    def __int__(self):
        return int(self._number())

    def __float__(self):
        return float(self._number())

    def __complex__(self):
        return complex(self._number())

    def __index__(self):
        if "int" not in self.dtype.name:
            raise TypeError("only integer arrays can be an index")
        return operator.index(self._number())

    def __repr__(self):
        return lib.format(self._slot, {"repr": 1})

    def __str__(self):
        return lib.format(self._slot, {})

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of an array without axes")
        return self.shape[0]

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    # ---- parts ----

    def __getitem__(self, key, /):
        return one("getitem", self, items(key))

    def __setitem__(self, key, value, /):
        with raised():
            lib.call("setitem", (self, items(key), value), {}, None, [])

    # ---- elsewhere ----

    def __array_namespace__(self, /, *, api_version=None):
        import garray

        if api_version not in (None, *garray.VERSIONS):
            raise ValueError(f"no version {api_version} of the standard")
        return garray

    def to_device(self, device, /, *, stream=None):
        slot = C.c_void_p()
        with raised():
            lib.check("to_device", self._slot, device_of(device), C.byref(slot))
        return Array(slot)

    __array_interface__ = property(lambda self: _interface.export(self, True))
    __cuda_array_interface__ = property(lambda self: _interface.export(self, False))

    def __dlpack_device__(self):
        return _dlpack.device(self)

    def __dlpack__(self, /, *, stream=None, max_version=None, dl_device=None, copy=None):
        return _dlpack.export(self, stream, max_version, dl_device, copy)


def items(key):
    """The parts of x[key]. A bool is not an int here, and a 0-d array stays an array."""
    key = key if isinstance(key, tuple) else (key,)
    return [
        part if part is None or part is Ellipsis or isinstance(part, (Array, slice)) else index(part)
        for part in map(steps, key)
    ]


def index(part):
    if isinstance(part, bool):
        raise IndexError("a Python bool is no index")
    try:
        return operator.index(part)
    except TypeError:
        raise IndexError(f"{part!r} is no index") from None


def steps(part):
    """Slices of anything that is an integer."""
    if not isinstance(part, slice):
        return part
    return slice(*[None if x is None else operator.index(x) for x in (part.start, part.stop, part.step)])


def one(name, *args, **kw):
    return Array(call(name, *args, **kw)[0])


def many(name, *args, outputs, **kw):
    return tuple(Array(slot) for slot in call(name, *args, outputs=outputs, **kw))


def operators():
    """x + y, y + x and x += y (which keeps the array, its dtype and its shape) from the functions' names."""

    def binary(name, reflected=False):
        def method(self, other, /):
            if not isinstance(other, (Array, *SCALARS)):
                return NotImplemented
            return one(name, other, self) if reflected else one(name, self, other)

        return method

    def in_place(name):
        def method(self, other, /):
            if not isinstance(other, (Array, *SCALARS)):
                return NotImplemented
            with raised():
                lib.call(name, (self, other), {}, None, [lib.into(self._slot)])
            return self

        return method

    def unary(name):
        def method(self, /):
            return one(name, self)

        return method

    for word, name in ARITHMETIC.items():
        yield f"__{word}__", binary(name)
        yield f"__r{word}__", binary(name, reflected=True)
        yield f"__i{word}__", in_place(name)
    for word, name in COMPARISONS.items():
        yield f"__{word}__", binary(name)
    for word, name in UNARY.items():
        yield f"__{word}__", unary(name)


for method_name, method in operators():
    method.__name__ = method_name
    setattr(Array, method_name, method)
Array.__hash__ = None
