# SPDX-License-Identifier: BSD-3-Clause
"""Programs that once showed a mismatch; they are run before the random ones."""

import numpy as np

from library import Ref
from program import Call, Layout, Make, run

a, b, c, d = (Ref(name) for name in "abcd")


def ints(name, values, dtype):
    return Make(name, np.array(values, dtype))


EMPTY = np.zeros((1, 2, 0))

PROGRAMS = [
    # x[1:] into an overlapping view
    [
        Make("a", np.arange(6)),
        Call("getitem", [a, (slice(1, None),)], outs=["b"]),
        Call("getitem", [a, (slice(None, -1),)], outs=["c"]),
        Call("add", [b, c], outs=["c"], into=True),
    ],
    # astype and full into an array of another dtype: what the first cast loses stays lost
    [Make("a", np.array([-3.7, 300.2])), Call("astype", [a, "int8"], outs=["a"], into=True)],
    [Make("a", np.array([0.5 + 1j])), Call("astype", [a, "float32"], outs=["a"], into=True)],
    [Make("a", np.zeros(2, complex)), Call("full_like", [a, 0.5, "uint64"], outs=["a"], into=True)],
    # a number that the dtype does not hold is refused also where no element would take it
    [ints("a", [[]], "int8"), ints("b", [[0]], "uint64"), Call("choose", [a, [b, -3], 0], outs=["c"])],
    # each integer operand finds its own way to a float
    [ints("a", [1], "uint16"), ints("b", [-3], "int16"), Call("atan2", [a, b], outs=["c"])],
    [ints("a", [5], "uint8"), ints("b", [-3], "int8"), Call("hypot", [a, b], outs=["c"])],
    [Make("a", np.array([True])), Call("atan2", [3, a], outs=["b"])],
    # of several dtypes the highest kind promotes first
    [
        ints("a", [1], "uint16"),
        ints("b", [-3], "int16"),
        Make("c", np.array([3], "float16")),
        Call("stack", [[a, b, c], 0], outs=["d"]),
    ],
    [
        ints("a", [1], "uint16"),
        ints("b", [-3], "int16"),
        Make("c", np.array([3], "float16")),
        Call("clip", [a, b, c], outs=["d"]),
    ],
    # of a number in a logical function only the truth counts
    [ints("a", [0, 7], "uint64"), Call("logical_xor", [a, -3], outs=["b"])],
    [ints("a", [0, 7], "int8"), Call("logical_and", [a, 0.5], outs=["b"])],
    # indices are looked at where nothing is moved
    [Make("a", EMPTY), ints("b", [5], "int64"), Call("getitem", [a, (slice(None), b)], outs=["c"])],
    [Make("a", EMPTY), ints("b", 2, "int8"), Call("setitem", [a, (slice(None), b), 1.0])],
    [Make("a", EMPTY), ints("b", [-3], "int8"), Call("take", [a, b, (1,)], outs=["c"])],
    [Make("a", EMPTY), ints("b", [1, -2], "int8"), Call("getitem", [a, (slice(None), b)], outs=["c"])],
    # of places named twice the last one wins, however the index lies in memory
    [
        ints("a", [0, 0], "uint64"),
        Make("b", np.array([[-1, 0, -1], [-1, 0, -1], [1, 1, 0]]), Layout(2, (1, 0), (True, False), (1, 3))),
        ints("c", [[3], [6], [8]], "int64"),
        Call("setitem", [a, (b,), c]),
    ],
]


def check(library, report):
    """The number of programs that fail."""
    failed = 0
    for number, statements in enumerate(PROGRAMS):
        result = run(statements, library)
        if result:
            failed += 1
            report("fixed program %d" % number, statements[: result[1] + 1], result[0])
    return failed
