# SPDX-License-Identifier: BSD-3-Clause
"""Makes a program that shows a mismatch smaller: fewer statements, shorter axes, plainer layouts and
numbers."""

import time

import numpy as np

from limit import Slow, limit
from program import Call, Layout, Make, names_of


def kind_of(text):
    """What must stay the same while a program shrinks: the sort of mismatch."""
    words = text.split(":")[0].split()
    return (
        words[0]
        if words and words[0].startswith(("GARRAY", "succeeded", "variable", "text", "the"))
        else "value"
    )


def fails(statements, want, library, run):
    try:
        with limit(5):
            result = run(statements, library)
    except (Exception, Slow):
        return None  # the smaller program is not one
    if result is None or kind_of(result[0]) != want or result[1] != len(statements) - 1:
        return None
    return result[0]


def needed(statements):
    """Without statements whose variables the last one cannot depend on."""
    wanted, kept = names_of(statements[-1]), [statements[-1]]
    for statement in reversed(statements[:-1]):
        if wanted & names_of(statement):
            wanted |= names_of(statement)
            kept.append(statement)
    return kept[::-1]


def smaller_layouts(layout, ndim):
    yield Layout(ndim)
    plain = (False,) * ndim
    yield Layout(ndim, layout.permutation, layout.reverse, layout.steps, plain, layout.origin, layout.offset)
    yield Layout(ndim, layout.permutation, plain, layout.steps, layout.repeat, layout.origin, layout.offset)
    yield Layout(ndim, None, layout.reverse, layout.steps, layout.repeat, layout.origin, layout.offset)
    yield Layout(ndim, layout.permutation, layout.reverse, None, layout.repeat, layout.origin, layout.offset)
    yield Layout(ndim, layout.permutation, layout.reverse, layout.steps, layout.repeat, "host", 0)


def numbers(make):
    """The same array with fewer distinct elements."""
    data = make.data
    if not data.size:
        return
    for fill in (0, 1):
        simple = np.full(data.shape, fill).astype(data.dtype)
        yield simple
    if data.size <= 24:
        for i in range(data.size):
            simple = data.copy()
            if simple.flat[i] != 0:
                simple.flat[i] = 0
                yield simple


def shorter(statements):
    """Programs in which one length is smaller, in all arrays that have it."""
    lengths = sorted(
        {n for s in statements if isinstance(s, Make) for n in s.data.shape if n > 1}, reverse=True
    )
    for n in lengths:
        for less in {1, 2, n // 2, n - 1}:
            if less < n:
                yield [
                    Make(s.name, take(s.data, n, less), s.layout) if isinstance(s, Make) else s
                    for s in statements
                ]
    for i, s in enumerate(statements):
        if isinstance(s, Make):
            for axis, n in enumerate(s.data.shape):
                if n > 1:
                    for less in {1, n // 2}:
                        data = np.take(s.data, range(less), axis)
                        yield statements[:i] + [Make(s.name, data, s.layout)] + statements[i + 1 :]


def take(data, n, less):
    for axis, length in enumerate(data.shape):
        if length == n:
            data = np.take(data, range(less), axis)
    return data


def plainer(statements):
    for i, s in enumerate(statements):
        if isinstance(s, Make):
            candidates = []
            if not s.layout.plain():
                candidates += [
                    Make(s.name, s.data, layout)
                    for layout in smaller_layouts(s.layout, s.data.ndim)
                    if repr(layout) != repr(s.layout)
                ]
            candidates += [
                Make(s.name, data, s.layout) for data in numbers(s) if data.tobytes() != s.data.tobytes()
            ]
        elif isinstance(s, Call):
            candidates = [
                Call(s.name, s.args, {k: v for k, v in s.kw.items() if k != key}, s.outs, s.into)
                for key in s.kw
            ]
            if s.into:
                candidates.append(Call(s.name, s.args, s.kw, ["r%d" % k for k in range(len(s.outs))], False))
        for candidate in candidates:
            yield statements[:i] + [candidate] + statements[i + 1 :]


def shrink(statements, text, library, run, budget=600, seconds=20):
    """The smallest program found that fails alike within so many trials and seconds, and its text."""
    end = time.monotonic() + seconds
    want = kind_of(text)
    if fails(statements, want, library, run) is None:
        return statements, text
    kept = needed(statements)
    found = fails(kept, want, library, run)
    if found:
        statements, text = kept, found
    for i in reversed(range(len(statements) - 1)):
        fewer = statements[:i] + statements[i + 1 :]
        found = fails(fewer, want, library, run)
        if found:
            statements, text = fewer, found
    progress = True
    while progress and budget > 0 and time.monotonic() < end:
        progress = False
        for source in (shorter, plainer):
            for candidate in source(statements):
                budget -= 1
                if budget <= 0 or time.monotonic() > end:
                    break
                found = fails(candidate, want, library, run)
                if found:
                    statements, text, progress = candidate, found, True
                    break
    return statements, text
