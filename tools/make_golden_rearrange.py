#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes tests/golden/rearrange.bin: where NumPy's functions that only move elements put them.

    python3 -m pip install 'numpy>=2' ml_dtypes;  python3 tools/make_golden_rearrange.py

Element i of input k is the number 1000 * k + i; results hold such numbers, -1 for a zero that was put in, and
1000000 + v for a value v that was computed (of int64 inputs). A case: the function's number, its integer arguments, how
many inputs, their shapes (each with its number of axes in front), how many results, the results (number of axes, shape,
elements), whether they are views.
"""
import numpy as np

from golden import Golden

NAMES = ("rollaxis atleast_1d atleast_2d atleast_3d flipud fliplr rot90 sliding flatten tile repeat repeat_each resize roll "
         "delete delete_range delete_array delete_mask insert insert_array trim pad hstack vstack dstack column_stack append "
         "concat_flat block split array_split split_at unstack broadcast_arrays").split()
ALL = 99                # as an axis: GARRAY_ALL_AXES
NONE = 77               # as a bound of a range


def axis_of(a):
    return None if a == ALL else a


def bounds(p):
    return slice(*[None if v == NONE else v for v in p])


def pad_mode(p):
    return dict(zip(range(1, 11), "constant edge linear_ramp maximum mean median minimum reflect symmetric wrap".split()))[p]


def pad(x, p):
    """mode, odd, number of widths, widths, stat_length ..."""
    mode, widths, rest = pad_mode(p[0]), np.array(p[3:3 + p[2]]), p[3 + p[2]:]

    def pairs(v):
        return np.broadcast_to(v.reshape(-1, 2) if v.size > 1 else v.reshape(1, 1), (x.ndim, 2))
    kw = {"reflect_type": "odd"} if p[1] else {}
    if mode == "constant":
        kw["constant_values"] = -1
    if mode == "linear_ramp":
        kw["end_values"] = 7
    if rest:
        kw["stat_length"] = pairs(np.array(rest))
    y = np.pad(x, pairs(widths), mode, **kw)
    return y if mode in ("constant", "edge", "reflect", "symmetric", "wrap") and not p[1] else y + 1000000


CALLS = {
    "rollaxis": lambda a, p: np.rollaxis(a[0], p[0], p[1]),
    "rot90": lambda a, p: np.rot90(a[0], p[0], (p[1], p[2])),
    "sliding": lambda a, p: np.lib.stride_tricks.sliding_window_view(
        a[0], tuple(p[1:1 + p[0]]), tuple(p[1 + p[0]:]) or None),
    "flatten": lambda a, p: a[0].flatten(),
    "tile": lambda a, p: np.tile(a[0], p).copy(),
    "repeat": lambda a, p: np.repeat(a[0], p[0], axis_of(p[1])),
    "repeat_each": lambda a, p: np.repeat(a[0], p[1:], axis_of(p[0])),
    "resize": lambda a, p: np.where(np.resize(a[0], p) == 0, -1, np.resize(a[0], p)) if a[0].size == 0
    else np.resize(a[0], p).copy(),
    "roll": lambda a, p: np.roll(a[0], p[1:1 + p[0]], tuple(p[1 + p[0]:]) or None),
    "delete": lambda a, p: np.delete(a[0], p[0], axis_of(p[1])),
    "delete_range": lambda a, p: np.delete(a[0], bounds(p[1:]), axis_of(p[0])),
    "delete_array": lambda a, p: np.delete(a[0], np.array(p[1:], int), axis_of(p[0])),
    "delete_mask": lambda a, p: np.delete(a[0], np.array(p[1:], bool), axis_of(p[0])),
    "insert": lambda a, p: np.insert(a[0], p[0], a[1], axis_of(p[1])),
    "insert_array": lambda a, p: np.insert(a[0], np.array(p[1:], int), a[1], axis_of(p[0])),
    "pad": lambda a, p: pad(a[0], p),
    "append": lambda a, p: np.append(a[0], a[1], axis_of(p[0])),
    "concat_flat": lambda a, p: np.concatenate(a, axis=None),
    "block": lambda a, p: np.block([a[:p[0]], a[p[0]:]]),
    "split": lambda a, p: np.split(a[0], p[1], p[0]),
    "array_split": lambda a, p: np.array_split(a[0], p[1], p[0]),
    "split_at": lambda a, p: np.split(a[0], p[1:], p[0]),
    "unstack": lambda a, p: [np.moveaxis(a[0], p[0], 0)[i, ...] for i in range(a[0].shape[p[0]])],
    "broadcast_arrays": lambda a, p: np.broadcast_arrays(*a),
}
for _name in "atleast_1d atleast_2d atleast_3d flipud fliplr".split():
    CALLS[_name] = lambda a, p, f=getattr(np, _name): f(a[0])
for _name in "hstack vstack dstack column_stack".split():
    CALLS[_name] = lambda a, p, f=getattr(np, _name): f(a)

TABLE = []


def add(name, params, *shapes):
    TABLE.append((name, list(params), shapes))


for axis, start in ((2, 0), (0, 3), (1, -1), (-1, 1), (0, 0), (1, 2)):
    add("rollaxis", (axis, start), (2, 3, 4))
for shape in ((), (3,), (2, 3), (2, 3, 2), (0,), (2, 1, 3, 2)):
    for name in ("atleast_1d", "atleast_2d", "atleast_3d", "flatten"):
        add(name, (), shape)
    if shape:
        add("flipud", (), shape)
    if len(shape) > 1:
        add("fliplr", (), shape)
        for k in (-1, 0, 1, 2, 3, 6):
            add("rot90", (k, 0, 1), shape)
            add("rot90", (k, -1, 0), shape)
add("sliding", (1, 3), (7,))
add("sliding", (2, 2, 3), (3, 5))
add("sliding", (1, 2, 1), (3, 5))
add("sliding", (2, 2, 2, 0, 0), (5, 2))
add("sliding", (1, 4, -1), (2, 4))
for shape, reps in (((3,), (2,)), ((2, 3), (2, 2)), ((2, 3), (3,)), ((3,), (2, 1, 2)), ((2, 1), (1, 1)), ((), (2, 2)),
                    ((2, 3), (0, 2)), ((0, 3), (2, 2)), ((2, 3, 2), ()), ((5, 3), (12, 5))):
    add("tile", reps, shape)
for shape in ((4,), (2, 3), (3, 2, 2), (0, 2)):
    for axis in (ALL, 0, -1):
        for count in (0, 1, 3):
            add("repeat", (count, axis), shape)
add("repeat_each", (0, 2, 0, 3), (3,))
add("repeat_each", (0, 0, 0, 0), (3, 2))
add("repeat_each", (1, 1, 0, 2, 5), (2, 4))
add("repeat_each", (ALL, 1, 2, 3, 0, 0, 4), (2, 3))
add("repeat_each", (-1, 70, 0, 0, 2600, 1), (5,))
add("repeat_each", (0,), (0, 3))
for shape, new in (((2, 3), (2, 2)), ((2, 3), (4, 4)), ((5,), (13,)), ((), (3,)), ((0,), (2, 3)), ((4,), (0, 2)), ((4,), ())):
    add("resize", new, shape)
for shape in ((7,), (3, 4), (2, 3, 4), (0, 3)):
    for shift in (0, 1, -2, 17):
        add("roll", (1, shift), shape)
        add("roll", (1, shift, 0), shape)
        add("roll", (1, shift, -1), shape)
add("roll", (2, 1, -1, 0, 1), (3, 4))
add("roll", (1, 2, 0, 2), (3, 2, 4))
add("roll", (2, 1, 1, 0, 0), (5, 2))
add("roll", (3, 1, 1, 1, 0, 1, 2), (2, 3, 4))
add("roll", (8,) + (1,) * 8 + tuple(range(8)), (2, 2, 2, 2, 2, 2, 2, 3))
for shape in ((6,), (4, 3)):
    for axis in (ALL, 0, -1):
        n = int(np.prod(shape)) if axis == ALL else shape[axis]
        for i in (0, n - 1, -n, 1):
            add("delete", (i, axis), shape)
        for r in ((0, 2, NONE), (NONE, NONE, 2), (NONE, NONE, -2), (1, NONE, 3), (5, 2, NONE), (NONE, NONE, NONE), (2, NONE, -1)):
            add("delete_range", (axis,) + r, shape)
        add("delete_array", (axis, 1, -1, 1), shape)
        add("delete_array", (axis,), shape)
        add("delete_mask", (axis,) + tuple(i % 3 == 0 for i in range(n)), shape)
        for i in (0, n, -1):
            add("insert", (i, axis), shape, ())
        add("insert_array", (axis, 0, n, 1, 1), shape, ())
        add("insert_array", (axis, -1), shape, ())
add("insert", (1, 0), (4, 3), (3,))
add("insert", (1, 1), (4, 3), (4,))
add("insert", (2, 1), (4, 3), (2, 4))
add("insert", (2, 0), (4, 3), (2, 3))
add("insert_array", (1, 0, 2), (4, 3), (4, 2))
add("insert_array", (0, 3, 0, 0), (4, 3), (3, 3))
add("insert_array", (0, 2), (6,), (3,))
for mode in (1, 2, 8, 9, 10):
    for shape, widths in (((5,), (3,)), ((5,), (2, 9)), ((3, 4), (1, 2)), ((3, 4), (0, 2, 5, 0)), ((2, 3, 2), (1, 0, 0, 4, 7, 1)),
                          ((1, 4), (3,)), ((4,), (0,)), ((40, 3), (3, 41))):
        add("pad", (mode, 0, len(widths)) + widths, shape)
add("pad", (1, 0, 1, 2), (0, 2))
for mode in (3, 4, 5, 6, 7):
    for shape, widths in (((5,), (3,)), ((3, 4), (1, 2)), ((2, 3, 2), (1, 0, 0, 4, 2, 1))):
        add("pad", (mode, 0, len(widths)) + widths, shape)
        if mode > 3:
            add("pad", (mode, 0, len(widths)) + widths + (2,), shape)
            add("pad", (mode, 0, len(widths)) + widths + (1, 3), shape)
for mode in (8, 9):
    add("pad", (mode, 1, 2, 3, 6), (4,))
    add("pad", (mode, 1, 1, 2), (3, 4))
for name in ("hstack", "vstack", "dstack", "column_stack"):
    add(name, (), (3,), (3,))
    add(name, (), (2, 3), (2, 3), (2, 3))
    add(name, (), (2, 3, 2), (2, 3, 2))
    add(name, (), (), ())
add("column_stack", (), (3,), (3, 2))
add("vstack", (), (3,), (2, 3))
add("hstack", (), (3,), (0,), (2,))
for axis in (ALL, 0):
    add("append", (axis,), (2, 3), (1, 3))
    add("append", (axis,), (4,), (2,))
add("append", (ALL,), (2, 3), ())
add("concat_flat", (), (2, 3), (), (4,), (0, 2))
add("block", (2,), (2, 3), (2, 1), (1, 4))
add("block", (1,), (3,), (2,), (1,))
add("block", (2,), (), (2,), (1, 3))
add("block", (2,), (2, 2, 1), (2, 2, 3), (2, 3, 4))
for axis, parts in ((0, 2), (1, 3), (-1, 1)):
    add("split", (axis, parts), (4, 6))
for parts in (1, 3, 4, 7):
    add("array_split", (0, parts), (5, 2))
for places in ((2, 5), (0,), (3, 1), (-1, 7), ()):
    add("split_at", (0,) + places, (6,))
    add("split_at", (1,) + places, (2, 6))
for axis in (0, 1, -1):
    add("unstack", (axis,), (2, 3, 4))
add("unstack", (0,), (3,))
add("broadcast_arrays", (), (2, 1), (3,), ())
add("broadcast_arrays", (), (2, 3))


def main():
    golden = Golden(7)

    def numbers(values):
        return golden.block(np.array(values, np.int64))
    for name, params, shapes in TABLE:
        inputs = [1000 * k + np.arange(int(np.prod(shape))).reshape(shape) for k, shape in enumerate(shapes)]
        results = CALLS[name](inputs, params)
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        views = all(r.size == 0 or np.shares_memory(r, inputs[0]) for r in results[:1])
        flat = [v for r in results for v in (r.ndim, *r.shape, *r.ravel().tolist())]
        golden.case(NAMES.index(name), numbers(params), len(inputs), numbers([v for s in shapes for v in (len(s), *s)]),
                    len(results), numbers(flat), views)
    # trim_zeros: the elements themselves are the arguments, 1 where not zero
    for code, trim in enumerate(("fb", "f", "b")):
        for axes in (None, (0,), (1,)):
            for values in (((0, 0, 0, 0), (0, 1, 0, 0), (0, 1, 1, 0)), ((0, 0), (0, 0)), ((1, 0), (0, 1)), ((0, 1, 0),) * 3):
                x = np.array(values)
                y = np.trim_zeros(x, trim, axes)
                places = np.trim_zeros(x, trim, axes).copy()
                ids = np.arange(x.size).reshape(x.shape)
                offset = 0 if y.size == 0 else (y.__array_interface__["data"][0] - x.__array_interface__["data"][0]) // 8
                start = np.unravel_index(offset, x.shape)
                cut = ids[tuple(slice(s, s + n) for s, n in zip(start, places.shape))]
                golden.case(NAMES.index("trim"), numbers([code, ALL if axes is None else axes[0], *x.ravel()]), 1,
                            numbers([2, *x.shape]), 1, numbers([2, *places.shape, *cut.ravel()]), 1)
    golden.write("rearrange", "tools/make_golden_rearrange.py")


main()
