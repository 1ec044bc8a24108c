# SPDX-License-Identifier: BSD-3-Clause
"""What is drawn: one function per family of calls.  Each adds one call, and the arrays that it needs."""

import numpy as np

import families_index
import families_numeric
import families_ufunc
import families_create
import families_rearrange
import families_sets
import families_signal
import families_statistics
from casts import cast, floats, is_complex, is_inexact, promote
from draw import ALL, INTEGERS, LINEAR
from library import OPS, Ref
from program import Call
from reference_elementwise import ELSEWHERE


def apply(d, name, *args, count=1, **kw):
    d.call(
        Call(name, list(args), {key: value for key, value in kw.items() if value is not None}, [None] * count)
    )


def flag(d, p=0.3):
    return 1 if d.chance(p) else None


# ---- elementwise ----


def elementwise(d, names=None):
    op = d.pick(
        names
        or [name for name in OPS if name not in ELSEWHERE | {"clip", "where"} and d.world.library.has(name)]
    )
    arity = OPS[op][1]
    shape = d.shape()
    kinds = ALL
    if (op.startswith("bitwise") or op in ("gcd", "lcm")) and d.chance(0.9):
        kinds = INTEGERS + ["bool"]
    elif op in (
        "floor_divide",
        "remainder",
        "atan2",
        "hypot",
        "copysign",
        "nextafter",
        "logaddexp",
        "logaddexp2",
        "fmod",
        "heaviside",
    ) and d.chance(0.9):
        kinds = [name for name in ALL if not is_complex(name)]
    args = [
        (
            d.array(kinds, shape if arity == 1 else d.broadcastable(shape))
            if d.chance(0.5)
            else d.array([d.dtype(kinds)], shape)
        )
    ]
    if arity == 2:
        args.append(d.operand(shape, [d.of(args[0]).dtype.name] if d.chance(0.4) else kinds))
        if d.chance(0.3):
            args.reverse()
    args = [Ref(a.name, d.pick([1, 2, 3])) if isinstance(a, Ref) and d.chance(0.05) else a for a in args]
    kw = {}
    if d.chance(0.15):
        kw["where"] = d.array(["bool"], d.broadcastable(shape))
    if d.chance(0.08) and op in ("add", "subtract", "multiply", "divide", "exp", "sin", "sqrt", "maximum"):
        kw["dtype"] = promote(
            [d.of(a) if isinstance(a, Ref) else a for a in args] + [np.zeros((), "float32")]
        )
    apply(d, op, *args, **kw)


def clip(d):
    shape = d.shape()
    x = d.array(ALL, shape)
    kinds = [d.of(x).dtype.name] if d.chance(0.6) else ALL
    low, high = (None if d.chance(0.2) else d.operand(shape, kinds) for _ in range(2))
    apply(d, "clip", x, low, high)


def where(d):
    shape = d.shape()
    condition = d.array(["bool"] if d.chance(0.8) else ALL, d.broadcastable(shape))
    apply(d, "where", condition, d.operand(shape), d.operand(shape))


# ---- reductions and scans ----


def initial_for(d, name):
    if name == "bool":
        return d.chance(0.5)
    return d.pick([0, 1, 2, 3]) if not is_inexact(name) or d.chance(0.5) else d.pick([0.5, 2.0, -1.0 / 3])


def reduction(d, names=None):
    name = d.pick(names or ["sum", "prod", "min", "max", "mean", "any", "all", "count_nonzero"])
    x = d.array()
    value = d.of(x)
    kw = {"keepdims": flag(d)}
    kind = value.dtype.name
    if name in ("sum", "prod", "mean") and d.chance(0.2):
        kinds = (
            ALL
            if not is_inexact(kind) and name != "mean"
            else LINEAR + ["float16"] if not is_complex(kind) else ["complex64", "complex128"]
        )
        kw["dtype"] = kind = d.pick(kinds)
    if name in ("sum", "prod", "min", "max") and d.chance(0.3):
        kw["initial"] = initial_for(d, kind)
    if d.chance(0.2) and (name not in ("min", "max") or "initial" in kw):
        kw["where"] = d.array(["bool"], d.broadcastable(value.shape)[-value.ndim :] if value.ndim else ())
    apply(d, name, x, d.axes(value.ndim), **kw)


def variance(d):
    x = d.array()
    value = d.of(x)
    kw = {"keepdims": flag(d)}
    if d.chance(0.3):
        kw["correction"] = d.pick([0, 1, 0.5, 2])
    if d.chance(0.15):
        kw["where"] = d.array(["bool"], d.broadcastable(value.shape)[-value.ndim :] if value.ndim else ())
    if d.chance(0.15):
        kw["dtype"] = d.pick(["complex128"] if is_complex(value.dtype.name) else ["float32", "float64"])
    apply(d, d.pick(["var", "std"]), x, d.axes(value.ndim), **kw)


def arg_reduction(d):
    x = d.array()
    apply(d, d.pick(["argmin", "argmax"]), x, d.axes(d.of(x).ndim, several=d.chance(0.05)), keepdims=flag(d))


def scan(d):
    x = d.array(shape=d.shape(1, 4) if d.chance(0.95) else ())
    axes = d.axes(d.of(x).ndim, several=False) if d.of(x).ndim > 1 else d.pick([None, (0,), (-1,)])
    if axes is None and d.of(x).ndim != 1 and d.chance(0.9):
        axes = (0,)
    name = d.of(x).dtype.name
    dtype = None
    if d.chance(0.2):
        dtype = d.pick(ALL if not is_inexact(name) else LINEAR if not is_complex(name) else ["complex128"])
    name = d.pick(["cumulative_sum", "cumulative_prod", "cummax", "cummin"])
    initial = flag(d)
    exclusive = flag(d, 0.02 if initial else 0.2)
    apply(d, name, x, axes, dtype=dtype, include_initial=initial, exclusive=exclusive, reverse=flag(d, 0.2))


# ---- sorting ----


def without_nan(d, x):
    """Descending orders of complex NaN are nobody's rule."""
    data = d.of(x)
    if is_complex(data.dtype.name) and np.isnan(data).any():
        return d.make(np.where(np.isnan(data), 0, data).astype(data.dtype))
    return x


def sorting(d):
    x = d.array(shape=d.shape(1, 3) if d.chance(0.97) else ())
    descending = flag(d)
    if descending:
        x = without_nan(d, x)
    name = d.pick(["sort", "argsort"])
    apply(d, name, x, d.axis(d.of(x).ndim), descending=descending, unstable=flag(d, 0.1))


def top_k(d):
    x = without_nan(d, d.array(shape=d.shape(1, 3)))
    ndim = d.of(x).ndim
    axis = d.axis(ndim)
    n = d.of(x).shape[axis] if -ndim <= axis < ndim else 1
    k = d.int(0, n) if d.chance(0.97) else n + 1
    apply(d, "top_k", x, k, axis, smallest=flag(d), unsorted=flag(d, 0.15), count=2)


def partition(d):
    x = without_nan(d, d.array(shape=d.shape(1, 3) if d.chance(0.97) else ()))
    value = d.of(x)
    axis = d.axis(value.ndim)
    inside = value.ndim and -value.ndim <= axis < value.ndim
    flat = flag(d, 0.1)
    n = value.size if flat else value.shape[axis] if inside else 1
    kth = tuple(d.int(-n, n - 1) if n and d.chance(0.98) else n for _ in range(d.int(0, 4)))
    apply(d, d.pick(["partition", "argpartition"]), x, kth, axis, descending=flag(d), flat=flat)


def lexsort(d):
    first = d.array(shape=d.shape(1, 3))
    shape = d.of(first).shape
    keys = [first]
    for _ in range(d.int(0, 3)):
        keys.append(d.array(shape=shape if d.chance(0.97) else (2,) + shape))
    axis = d.axis(len(shape) if len(keys) > 1 else len(shape) - 1) if len(shape) > 1 or len(keys) > 1 else -1
    apply(d, "lexsort", keys, axis)


def sort_complex(d):
    apply(d, "sort_complex", d.array(shape=d.shape(1, 3)))


def searchsorted(d):
    x = d.array(shape=(d.length(),) if d.chance(0.97) else d.shape(0, 2))
    value = d.of(x)
    kinds = [value.dtype.name] if d.chance(0.6) else ALL
    v = d.array(kinds, d.shape(0, 3)) if d.chance(0.8) else d.scalar()
    kw = {"right": flag(d, 0.5)}
    order = np.argsort(floats(value), axis=-1, kind="stable") if value.ndim else None
    if value.ndim == 1 and d.chance(0.5):
        kw["sorter"] = d.make(order.astype(d.pick(["int64", "int64", "int32"])))
    elif value.ndim:
        x = d.make(np.take_along_axis(value, order, -1))
    apply(d, "searchsorted", x, v, **kw)


# ---- indexing ----


def integers(d, shape, length, p=0.03):
    """Indices into an axis, sometimes one too large."""
    name = d.pick(INTEGERS)
    low = -length if name.startswith("int") else 0
    low = max(low, np.iinfo(name).min)
    high = min(length - 1, np.iinfo(name).max)
    data = d.rng.integers(low, high, shape, endpoint=True) if length and low <= high else np.zeros(shape, int)
    if data.size and d.chance(p):
        data.flat[d.int(0, data.size - 1)] = min(length, np.iinfo(name).max)
    return d.make(data.astype(name))


def take(d):
    x = d.array(shape=d.shape(1, 3) if d.chance(0.9) else ())
    value = d.of(x)
    axis = None if d.chance(0.2) or not value.ndim else (d.axis(value.ndim),)
    inside = axis is not None and -value.ndim <= axis[0] < value.ndim
    length = value.shape[axis[0]] if inside else value.size
    indices = integers(d, d.shape(0, 2), length) if d.chance(0.9) else d.int(-length, max(length - 1, 0))
    apply(d, "take", x, indices, axis)


def take_along_axis(d):
    x = d.array(shape=d.shape(1, 3))
    value = d.of(x)
    axis = d.int(-value.ndim, value.ndim - 1)
    shape = [1 if d.chance(0.15) else n for n in value.shape]
    shape[axis] = d.int(0, 5)
    apply(d, "take_along_axis", x, integers(d, tuple(shape), value.shape[axis]), axis)


def nonzero(d):
    x = d.array(shape=d.shape(1, 4))
    apply(d, "nonzero", x, count=d.of(x).ndim)


def a_slice(d, n):
    def bound():
        return None if d.chance(0.4) else d.int(-n - 1, n + 1)

    step = None if d.chance(0.5) else d.pick([1, 2, -1, -2, 3, -3])
    return slice(bound(), bound(), step)


def items_for(d, shape, arrays=True):
    """Index items of every kind, mostly right."""
    items, axis, ellipsis = [], 0, False
    common = tuple(d.int(1, 4) for _ in range(d.int(0, 2)))
    style = d.pick(["basic", "basic", "integers", "mask", "mixed"]) if arrays else "basic"
    while axis < len(shape) and not d.chance(0.15):
        n = shape[axis]
        roll = d.rng.random()
        if roll < 0.08 and len(items) < 10:
            items.append(None)
        elif roll < 0.15 and not ellipsis:
            ellipsis = True
            items.append(Ellipsis)
            axis += d.int(0, len(shape) - axis)
        elif roll < 0.3:
            items.append(d.int(-n, n - 1) if n and d.chance(0.98) else n)
            axis += 1
        elif roll < 0.65 and style in ("integers", "mixed"):
            items.append(integers(d, d.broadcastable(common), n))
            axis += 1
        elif roll < 0.65 and style in ("mask", "mixed"):
            width = d.int(1, len(shape) - axis)
            lengths = list(shape[axis : axis + width])
            if d.chance(0.03):
                lengths[0] += 1
            items.append(d.array(["bool"], tuple(lengths)))
            axis += width
            if style == "mask":
                style = "basic"
        else:
            items.append(a_slice(d, n))
            axis += 1
    if d.chance(0.02):
        items.append(0)
    return tuple(items)


def text_of(items):
    def part(item):
        if isinstance(item, slice):
            words = ["" if v is None else str(v) for v in (item.start, item.stop, item.step)]
            return ":".join(words[:2] if item.step is None else words)
        return {None: "None", Ellipsis: "..."}[item] if item is None or item is Ellipsis else str(item)

    return ", ".join(map(part, items))


def getitem(d):
    x = d.array(shape=d.shape(0, 4))
    items = items_for(d, d.of(x).shape)
    if items and not any(isinstance(item, Ref) for item in items) and d.chance(0.2):
        return apply(d, "getitem_text", x, text_of(items))
    apply(d, "getitem", x, items)


def setitem(d):
    x = d.array(shape=d.shape(0, 4))
    target = d.of(x)
    items = items_for(d, target.shape)
    resolved = tuple(d.of(item) if isinstance(item, Ref) else item for item in items)
    try:
        shape = target[resolved].shape
    except IndexError:
        shape = ()
    if any(isinstance(item, Ref) and d.of(item).dtype.name != "bool" for item in items) and d.chance(0.5):
        value = d.scalar()
    elif d.chance(0.3):
        value = d.scalar()
    else:
        shape = d.broadcastable(shape)
        value = d.array(
            [target.dtype.name] if d.chance(0.6) else ALL, (1,) + shape if d.chance(0.05) else shape
        )
    name = "setitem"
    if items and not any(isinstance(item, Ref) for item in items) and d.chance(0.2):
        name, items = "setitem_text", text_of(items)
    d.add(Call(name, [x, items, value]))


# ---- shapes ----


def factors(d, size):
    """A random shape of so many elements."""
    shape = []
    while size > 1 and len(shape) < 5:
        divisors = [k for k in range(1, min(size, 60) + 1) if size % k == 0]
        shape.append(d.pick(divisors))
        size //= shape[-1]
    shape.append(size)
    if d.chance(0.2):
        shape.insert(d.int(0, len(shape)), 1)
    return shape


def shapes(d, names=None):
    name = d.pick(
        names
        or [
            "reshape",
            "ravel",
            "permute_dims",
            "matrix_transpose",
            "moveaxis",
            "swapaxes",
            "squeeze",
            "expand_dims",
            "flip",
            "broadcast_to",
        ]
    )
    x = d.array()
    value = d.of(x)
    ndim = value.ndim
    if name == "reshape":
        shape = factors(d, value.size) if value.size else [d.int(0, 3), 0, d.int(1, 3)]
        if d.chance(0.3):
            shape[d.int(0, len(shape) - 1)] = -1
        return apply(d, name, x, tuple(shape))
    if name in ("ravel", "matrix_transpose"):
        return apply(d, name, x)
    if name == "permute_dims":
        axes = tuple(int(a) - (ndim if d.chance(0.3) else 0) for a in d.rng.permutation(ndim))
        return apply(
            d, name, x, None if d.chance(0.2) else axes if d.chance(0.97) else axes[1:] + axes[:1] * 2
        )
    if name == "moveaxis":
        count = d.int(0, ndim)
        source, destination = (tuple(int(a) for a in d.rng.permutation(ndim)[:count]) for _ in range(2))
        return apply(d, name, x, source, destination)
    if name == "swapaxes":
        return apply(d, name, x, d.axis(ndim), d.axis(ndim))
    if name == "squeeze":
        ones = [i for i, n in enumerate(value.shape) if n == 1]
        axes = tuple(a - (ndim if d.chance(0.3) else 0) for a in ones if d.chance(0.6))
        return apply(d, name, x, None if d.chance(0.3) else axes if d.chance(0.9) else d.axes(ndim))
    if name == "expand_dims":
        count = d.int(1, 3)
        axes = tuple(
            int(a) - (ndim + count if d.chance(0.3) else 0) for a in d.rng.permutation(ndim + count)[:count]
        )
        return apply(d, name, x, axes)
    if name == "flip":
        return apply(d, name, x, d.axes(ndim))
    shape = tuple(d.int(0, 4) if n == 1 and d.chance(0.7) else n for n in value.shape)
    shape = tuple(d.int(1, 3) for _ in range(d.int(0, 2))) + shape
    if d.chance(0.03) and shape:
        shape = shape[:-1] + (shape[-1] + 1,)
    apply(d, name, x, shape)


def joining(d):
    first = d.array(shape=d.shape(1, 3))
    shape = d.of(first).shape
    if d.chance(0.5):
        axis, arrays = d.axis(len(shape)), [first]
        for _ in range(d.int(0, 3)):
            other = list(shape)
            if -len(shape) <= axis < len(shape):
                other[axis] = d.length()
            if d.chance(0.03):
                other[0] += 1
            arrays.append(d.array(ALL if d.chance(0.4) else [d.of(first).dtype.name], tuple(other)))
        return apply(d, "concat", arrays, axis)
    arrays = [first] + [
        d.array(ALL if d.chance(0.4) else [d.of(first).dtype.name], shape) for _ in range(d.int(0, 3))
    ]
    apply(d, "stack", arrays, d.axis(len(shape) + 1))


# ---- products and factorizations ----


def transposed(d, data):
    """A reference to an array of this value, as it is or through GARRAY_MT."""
    if data.ndim > 1 and d.chance(0.3):
        return Ref(d.make(np.ascontiguousarray(np.swapaxes(data, -1, -2))).name, 1)
    return d.make(data)


def product(d):
    name = d.pick(ALL)
    n, k, m = (d.length() if d.chance(0.9) else d.int(30, 70) for _ in range(3))
    batch = tuple(d.int(1, 3) for _ in range(d.pick([0, 0, 1, 2])))
    a, b = d.broadcastable(batch) + (n, k), d.broadcastable(batch) + (k, m)
    if d.chance(0.15):
        a = (k,)
    if d.chance(0.15):
        b = (k,)
    if d.chance(0.03):
        b = b[:-1] + (b[-1] + 1,) if len(b) == 1 else b[:-2] + (b[-2] + 1, b[-1])
    second = name if d.chance(0.75) else d.pick(ALL)
    apply(d, "matmul", transposed(d, d.elements(a, name)), transposed(d, d.elements(b, second)))


def vecdot(d):
    shape = d.shape(1, 3)
    name = d.pick(ALL)
    a = d.array([name], shape)
    b = d.array(
        [name] if d.chance(0.7) else ALL, shape if d.chance(0.7) else (1,) * (len(shape) - 1) + shape[-1:]
    )
    apply(d, "vecdot", a, b, -1 if d.of(b).shape != shape or d.chance(0.6) else -d.int(1, len(shape)))


def matrix(d, shape, name):
    x = d.rng.normal(size=shape)
    if is_complex(name):
        x = x + 1j * d.rng.normal(size=shape)
    if not is_inexact(name):
        x = np.abs(x) * 3 if name.startswith("u") or name == "bool" else x * 3
    return cast(x, name)


def factorization(d):
    name = d.pick(LINEAR * 3 + ["int32", "uint8", "float16"])
    n = d.pick([0, 1, 2, 3, 4, 7, 20]) if d.chance(0.9) else 40
    batch = tuple(d.int(1, 3) for _ in range(d.pick([0, 0, 1, 2])))
    function = d.pick(["linalg_solve", "linalg_cholesky", "linalg_eigh", "linalg_eigvalsh"])
    x = matrix(d, batch + (n, n), name)
    diagonal = cast(np.eye(n) * (2 * n + 1), name)
    if d.chance(0.03) and n:
        x = x[..., 1:, :]
        diagonal = diagonal[1:]
    if function == "linalg_solve":
        columns = d.pick([(), (1,), (3,)])
        b = d.broadcastable(batch) + (n,) + columns if columns else (n,)
        second = name if d.chance(0.8) else d.pick(LINEAR)
        return apply(
            d, function, transposed(d, cast(x + diagonal, name)), transposed(d, matrix(d, b, second))
        )
    upper = flag(d)
    if function == "linalg_cholesky":
        return apply(d, function, d.make(cast(x + diagonal, name)), upper=upper)
    apply(d, function, d.make(x), upper=upper, count=2 if function == "linalg_eigh" else 1)


# ---- creation, casts, text, files ----


def creation(d):
    name = d.pick(
        ["arange", "linspace", "eye", "zeros", "ones", "full", "zeros_like", "ones_like", "full_like"]
    )
    dtype = None if d.chance(0.3) else d.pick(ALL)
    if name == "arange":
        if d.chance(0.6):
            low, high = (d.int(-20, 40) for _ in range(2))
            dtype = (
                dtype if low >= 0 and high >= 0 or dtype in (None, "int64", "float64", "float32") else None
            )
            if dtype == "bool":
                dtype = None
            return apply(
                d, name, None if d.chance(0.3) else low, high, d.pick([None, 1, 2, 3, -1, -4, 0]), dtype
            )
        dtype = dtype if dtype in (None, "float64") else None
        return apply(
            d,
            name,
            d.pick([None, 0.5, -2.0, 1]),
            d.pick([3.0, 10.25, 0.1, 7]),
            d.pick([None, 0.5, 0.1, -0.75]),
            dtype,
        )
    if name == "linspace":
        kinds = [None, "float32", "float64", "float16", "complex64", "complex128", "int32"]
        ends = [d.pick([0, 1, -3, 2.5, 10, -0.1]) for _ in range(2)]
        return apply(d, name, *ends, d.pick([0, 1, 2, 3, 7, 50]), no_endpoint=flag(d), dtype=d.pick(kinds))
    if name == "eye":
        return apply(d, name, d.int(0, 5), d.int(0, 5), d.int(-6, 6), dtype)
    if name in ("zeros", "ones"):
        return apply(d, name, d.shape(), dtype)
    if name == "full":
        return apply(d, name, d.shape(), d.scalar(), dtype)
    x = d.array()
    apply(d, name, x, *([d.scalar()] if name == "full_like" else []), dtype)


def casts(d):
    x = d.array()
    if d.chance(0.2):
        return apply(d, "copy", x)
    apply(d, "astype", x, d.pick(ALL))


def text(d):
    x = d.array([name for name in ALL if name != "bfloat16"])
    kw = {
        "repr": flag(d, 0.5),
        "suppress": flag(d),
        "precision": d.int(0, 12) if d.chance(0.4) else None,
        "threshold": d.int(0, 30) if d.chance(0.4) else None,
        "edgeitems": d.int(1, 4) if d.chance(0.3) else None,
        "linewidth": d.int(20, 120) if d.chance(0.3) else None,
        "sign": ord(d.pick("+ ")) if d.chance(0.2) else None,
    }
    d.add(Call("format", [x], {key: value for key, value in kw.items() if value is not None}))


def files(d):
    x = d.array()
    d.add(Call("save", [x], {"swapped": 1} if d.chance(0.3) else {}, [d.new_name() + "_"]))


FAMILIES = {
    **families_create.FAMILIES,
    **families_rearrange.FAMILIES,
    "elementwise": (elementwise, 14),
    "clip": (clip, 1),
    "where": (where, 2),
    "reduction": (reduction, 5),
    "variance": (variance, 1.5),
    "arg_reduction": (arg_reduction, 1.5),
    "scan": (scan, 2),
    "sorting": (sorting, 2),
    "top_k": (top_k, 1),
    "partition": (partition, 1),
    "lexsort": (lexsort, 0.5),
    "sort_complex": (sort_complex, 0.3),
    "searchsorted": (searchsorted, 1),
    "take": (take, 1.5),
    "take_along_axis": (take_along_axis, 1),
    "nonzero": (nonzero, 0.7),
    "getitem": (getitem, 5),
    "setitem": (setitem, 5),
    "shapes": (shapes, 4),
    "joining": (joining, 1.5),
    "product": (product, 2),
    "vecdot": (vecdot, 0.7),
    "factorization": (factorization, 1),
    "creation": (creation, 1),
    "casts": (casts, 2),
    "text": (text, 1),
    "files": (files, 0.4),
}
FAMILIES.update(families_index.FAMILIES)
FAMILIES.update(families_sets.FAMILIES)
FAMILIES.update(families_numeric.FAMILIES)
FAMILIES.update(families_signal.FAMILIES)
FAMILIES.update(families_statistics.FAMILIES)
FAMILIES.update(families_ufunc.FAMILIES)
