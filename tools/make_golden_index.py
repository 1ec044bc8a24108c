#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes tests/golden/index.bin: what NumPy gives for x[items] and x[items] = value, where x is 0, 1, 2, ... as int16
and the items are random mixes of integers, ranges, newaxis, ellipsis, and bool and integer arrays (up to four).

    python3 -m pip install 'numpy>=2' ml_dtypes;  python3 tools/make_golden_index.py

Of places that an assignment names twice the last one in the order of the result wins, on every device; NumPy does so
in practice, here it is computed.
"""
import numpy as np

from golden import Golden

CASES, MAX_ITEMS, ITEM, ARRAYS = 900, 6, 10, 4
INT, SLICE, NEWAXIS, ELLIPSIS, ARRAY = 1, 2, 3, 4, 5
GET, SET, ERROR = 0, 1, 2
INDEX_DTYPES = [np.int64, np.int32, np.int8, np.uint8, np.int16, np.uint16, np.uint32, np.uint64]


def pad(numbers, n):
    return list(numbers) + [0] * (n - len(numbers))


def random_slice(rng, n):
    def bound():
        return None if rng.random() < 0.3 else int(rng.integers(-n - 2, n + 3))
    step = None if rng.random() < 0.4 else int(rng.choice([1, 2, 3, -1, -2, 7]))
    return slice(bound(), bound(), step)


def random_array(rng, n, joint):
    shape = tuple(1 if rng.random() < 0.2 else k for k in joint[int(rng.integers(0, len(joint) + 1)):])
    dtype = rng.choice(INDEX_DTYPES)
    low = 0 if np.dtype(dtype).kind == "u" else -n
    return rng.integers(low, n, shape).astype(dtype)


def random_items(rng, shape):
    items, axis = [], 0
    joint = [(3,), (2, 3), (2, 1), (1,), (0,), (2, 2, 3)][int(rng.integers(0, 6))]
    used_arrays, ellipsis = 0, False
    while len(items) < MAX_ITEMS:
        choice = rng.random()
        left = len(shape) - axis
        if choice < 0.08:
            items.append(None)
        elif choice < 0.16 and not ellipsis:
            ellipsis = True
            items.append(Ellipsis)
            axis += int(rng.integers(0, left + 1))
        elif choice < 0.22:
            break
        elif choice < 0.24 and used_arrays < ARRAYS:
            items.append(np.array(rng.random() < 0.7))
            used_arrays += 1
        elif left == 0:
            break
        elif choice < 0.45:
            if shape[axis] == 0:
                break
            items.append(int(rng.integers(-shape[axis], shape[axis])))
            axis += 1
        elif choice < 0.68:
            items.append(random_slice(rng, shape[axis]))
            axis += 1
        elif choice < 0.88:
            if used_arrays == ARRAYS or (shape[axis] == 0 and 0 not in joint):
                break
            items.append(random_array(rng, max(shape[axis], 1), joint))
            used_arrays += 1
            axis += 1
        else:
            k = min(int(rng.integers(1, 3)), left)
            if used_arrays + k > ARRAYS:
                break
            items.append(rng.random(shape[axis:axis + k]) < 0.5)
            used_arrays += k
            axis += k
    return tuple(items)


def encode(golden, item):
    if item is None:
        return [NEWAXIS] + [0] * 9
    if item is Ellipsis:
        return [ELLIPSIS] + [0] * 9
    if isinstance(item, int):
        return [INT, 0, item] + [0] * 7
    if isinstance(item, slice):
        has = (item.start is not None) + 2 * (item.stop is not None) + 4 * (item.step is not None)
        return [SLICE, has, item.start or 0, item.stop or 0, item.step or 0] + [0] * 5
    return [ARRAY, 0, 0, 0, 0, golden.block(item), item.ndim] + pad(item.shape, 3)


def random_value(rng, shape):
    """A value that broadcasts to the shape."""
    kind = rng.random()
    if kind < 0.25:
        shape = ()
    elif kind < 0.5:
        cut = int(rng.integers(0, len(shape) + 1))
        shape = tuple(1 if rng.random() < 0.3 else n for n in shape[cut:])
    elif kind < 0.6 and len(shape) < 7:
        shape = (1,) + shape
    size = int(np.prod(shape, dtype=int))
    return (1000 + np.arange(size)).reshape(shape).astype(np.int16)


def assigned(x, items, value):
    """None where numpy refuses the value."""
    places = np.arange(x.size).reshape(x.shape)[items]
    try:
        x.copy()[items] = value
    except (ValueError, TypeError):
        return None
    extra = value.ndim - places.ndim
    wide = np.broadcast_to(value.reshape(value.shape[extra:]) if extra > 0 else value, places.shape)
    flat = x.copy().ravel()
    for place, number in zip(np.ravel(places), np.ravel(wide)):
        flat[place] = number
    return flat.reshape(x.shape)


def main():
    width = 1 + 1 + 5 + 1 + MAX_ITEMS * ITEM + 1 + 8 + 1 + 1 + 8 + 1
    golden, rng = Golden(width), np.random.default_rng(11)
    errors = 0
    while len(golden.cases) < CASES:
        shape = tuple(int(n) for n in rng.choice([0, 1, 2, 3, 4, 5], int(rng.integers(1, 6)), p=[0.03, 0.15, 0.22, 0.25, 0.25, 0.1]))
        x = np.arange(np.prod(shape, dtype=int)).astype(np.int16).reshape(shape)
        items = random_items(rng, shape)
        arrays = any(isinstance(item, np.ndarray) for item in items)
        if not items or (not arrays and rng.random() < 0.7):
            continue
        head = [x.ndim] + pad(shape, 5) + [len(items)]
        for item in items:
            head += encode(golden, item)
        head = pad(head, width - 1 - 20)
        try:
            result = np.asarray(x[items])
        except IndexError as error:
            # what index arrays contain is found late on a GPU
            if errors < 40 and not ("out of bounds" in str(error) and arrays):
                golden.case(ERROR, *head, *([0] * 20))
                errors += 1
            continue
        if result.ndim > 8 or result.size > 600:
            continue
        if len(golden.cases) % 2:
            value = random_value(rng, result.shape)
            after = assigned(x, items, value)
            if after is None or value.ndim > 8:
                continue
            golden.case(SET, *head, x.ndim, *pad(shape, 8), golden.block(after), value.ndim, *pad(value.shape, 8),
                        golden.block(value))
        else:
            golden.case(GET, *head, result.ndim, *pad(result.shape, 8), golden.block(result), *([0] * 10))
    golden.write("index", "tools/make_golden_index.py")


if __name__ == "__main__":
    main()
