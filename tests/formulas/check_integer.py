# SPDX-License-Identifier: BSD-3-Clause
"""bool and integers: every row against a model in Python's unbounded integers, and against NumPy where NumPy
has a rule of its own.  8-bit types: all pairs; wider ones: pairs of edge values and random values."""
import math

import numpy as np


def wrap(value, bits, signed):
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def power(a, b, bits):
    if b >= 0:
        return pow(a, b, 1 << bits)
    return 1 if a == 1 else (-1 if b & 1 else 1) if a == -1 else 0


def model(bits, signed):
    def left(a, b):
        return a << b if 0 <= b < bits else 0

    def right(a, b):
        return a >> b if 0 <= b < bits else -(a < 0)

    return {
        "abs": lambda a: abs(a), "bitwise_invert": lambda a: ~a, "ceil": lambda a: a, "floor": lambda a: a,
        "trunc": lambda a: a, "round": lambda a: a, "positive": lambda a: a, "conj": lambda a: a,
        "real": lambda a: a, "imag": lambda a: 0, "isfinite": lambda a: 1, "isinf": lambda a: 0,
        "isnan": lambda a: 0, "negative": lambda a: -a, "sign": lambda a: (a > 0) - (a < 0),
        "signbit": lambda a: a < 0, "square": lambda a: a * a, "logical_not": lambda a: a == 0,
        "reciprocal": lambda a: a if a in (1, -1) else 0,
        "add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b,
        "floor_divide": lambda a, b: a // b if b else 0, "remainder": lambda a, b: a % b if b else 0,
        "pow": lambda a, b: power(a, b, bits),
        "bitwise_and": lambda a, b: a & b, "bitwise_or": lambda a, b: a | b, "bitwise_xor": lambda a, b: a ^ b,
        "bitwise_left_shift": left, "bitwise_right_shift": right,
        "equal": lambda a, b: a == b, "not_equal": lambda a, b: a != b, "less": lambda a, b: a < b,
        "less_equal": lambda a, b: a <= b, "greater": lambda a, b: a > b, "greater_equal": lambda a, b: a >= b,
        "logical_and": lambda a, b: bool(a and b), "logical_or": lambda a, b: bool(a or b),
        "logical_xor": lambda a, b: bool(a) != bool(b),
        "maximum": max, "minimum": min, "fmax": max, "fmin": min, "fix": lambda a: a, "isneginf": lambda a: 0,
        "isposinf": lambda a: 0, "isreal": lambda a: 1, "iscomplex": lambda a: 0,
        "bitwise_count": lambda a: bin(abs(a)).count("1"), "gcd": math.gcd, "lcm": math.lcm,
        "fmod": lambda a, b: int(math.copysign(abs(a) % abs(b), a)) if b and bits < 64
        else (abs(a) % abs(b)) * (-1 if a < 0 else 1) if b else 0,
    }


BOOL_MODEL = {"add": lambda a, b: a | b, "multiply": lambda a, b: a & b, "bitwise_invert": lambda a: not a}

# The first operand of these is signed, the second unsigned; both travel as uint64.
SIGNED_UNSIGNED = {
    "equal_su": lambda a, b: a == b, "not_equal_su": lambda a, b: a != b, "less_su": lambda a, b: a < b,
    "less_equal_su": lambda a, b: a <= b, "greater_su": lambda a, b: a > b, "greater_equal_su": lambda a, b: a >= b,
}


def operands(formula):
    if formula.kind == "BOOL":
        return np.array([0, 1], np.uint8)
    info = np.iinfo(formula.compute)
    if formula.bits == 8:
        return np.arange(info.min, info.max + 1).astype(formula.compute)
    edges = {info.min, info.min + 1, info.min // 2, info.max, info.max - 1, info.max // 2, info.max // 2 + 1}
    edges |= set(range(max(-9, info.min), 10)) | {formula.bits - 1, formula.bits, formula.bits + 1}
    edges |= {int(info.max) // 3, int(info.max ** 0.5), int(info.max ** 0.5) + 1, 46340, 46341}
    edges = [value for value in edges if info.min <= value <= info.max]
    random = np.random.default_rng(1).integers(info.min, info.max, 60, formula.compute, endpoint=True)
    small = [int(value) >> (formula.bits // 2) for value in random[:20]]
    return np.array(edges + list(map(int, random)) + small, formula.compute)


def check(formula, report):
    signed = formula.kind == "SINT"
    rows = model(formula.bits, signed) | (BOOL_MODEL if formula.kind == "BOOL" else {})
    values = operands(formula)
    a, b = (part.ravel() for part in np.meshgrid(values, values))
    unbounded = list(zip(map(int, a), map(int, b)))
    done = set()

    def compare(row, expected, *arrays):
        out = formula.call(row, *arrays)
        done.add(row)
        expected = [int(value) if formula.kind == "BOOL" else wrap(int(value), formula.bits, signed)
                    for value in expected]
        good = out == np.array(expected, np.uint8 if out.dtype != formula.compute else formula.compute)
        report.expect(formula.name, row, good,
                      lambda i: "%s gives %s, not %s" % ([int(x[i]) for x in arrays], out[i], expected[i]))

    for row, function in rows.items():
        if row not in formula.rows:
            continue
        if function in (max, min, math.gcd, math.lcm) or function.__code__.co_argcount == 2:
            compare(row, [function(*pair) for pair in unbounded], a, b)
        else:
            compare(row, [function(int(value)) for value in values], values)

    c = np.roll(a, len(a) // 3 + 1)
    compare("clip", np.minimum(np.maximum(a, b), c), a, b, c)
    pick = (np.arange(a.size) % 3 == 0).astype(np.uint8)
    compare("where", np.where(pick, a, b), pick, a, b)

    for row, function in SIGNED_UNSIGNED.items():
        if row in formula.rows:
            compare(row, [function(wrap(x, 64, True), y) for x, y in unbounded], a, b)

    if "pack_bits" in formula.rows:
        check_bits(compare, np.random.default_rng(2))
    if formula.kind != "BOOL":
        compare("unwrap", [wrap(unwrap(x, y or 7, z, formula.bits, signed), formula.bits, signed)
                           for x, y, z in zip(map(int, a), map(int, b), map(int, c))], a, np.where(b == 0, 7, b), c)
        compare_with_numpy(formula, report, a, b)
    return done


def unwrap(a, b, c, bits, signed):
    """What to add for a step of a with the period b, as NumPy's unwrap() with arithmetic that wraps."""
    high = wrap(b // 2, bits, signed)
    low = wrap(-high, bits, signed)
    folded = wrap(wrap(a + high, bits, signed) % b + low, bits, signed)
    if b % 2 == 0 and folded == low and a > 0:
        folded = high
    return 0 if wrap(abs(a), bits, signed) < c else folded - a


def check_bits(compare, rng):
    """packbits and unpackbits of eight bytes, by NumPy; bytes that are neither 0 nor 1 are true."""
    some = rng.integers(0, 256, (1000, 8), np.uint8) * rng.integers(0, 2, (1000, 8), np.uint8)
    bytes_ = rng.integers(0, 256, (1000, 1), np.uint8)
    for order, pack, unpack in (("big", 0x8040201008040201, 0x0102040810204080),
                                ("little", 0x0102040810204080, 0x8040201008040201)):
        words = np.ascontiguousarray(some).view(np.uint64).ravel()
        compare("pack_bits", np.packbits(some, axis=1, bitorder=order).ravel(), words, np.full(1000, pack, np.uint64))
        expected = np.unpackbits(bytes_, axis=1, bitorder=order).view(np.uint64).ravel()
        compare("unpack_bits", expected, bytes_.ravel().astype(np.uint64), np.full(1000, unpack, np.uint64))


def compare_with_numpy(formula, report, a, b):
    """The model above is ours; where NumPy is defined it must say the same."""
    names = ["add", "subtract", "multiply", "floor_divide", "remainder", "bitwise_left_shift",
             "bitwise_right_shift", "maximum", "minimum", "pow", "abs", "negative", "sign", "square", "reciprocal"]
    for row in names:
        function = getattr(np, row)
        arrays = [a, b][:function.nin]
        if row == "pow":
            arrays = [a[b >= 0], b[b >= 0]]
        elif row == "reciprocal":
            arrays = [a[a != 0]]
        with np.errstate(all="ignore"):
            expected = function(*arrays)
        out = formula.call(row, *arrays)
        report.expect(formula.name, row, out == expected,
                      lambda i: "%s gives %s, NumPy %s" % ([int(x[i]) for x in arrays], out[i], expected[i]))
