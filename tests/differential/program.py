# SPDX-License-Identifier: BSD-3-Clause
"""Programs: statements over named arrays, each run by the library and by NumPy side by side."""

import ctypes as C
import os
import tempfile

import numpy as np

import reference
import reference_index
import reference_linalg
import reference_ufunc
from casts import can_cast_same_kind, cast, wide
from compare import Value, difference, more_error, real_parts, same_part, ulp
from differences import status_fits
from library import LISTS, Failure, Ref, numpy_dtype

WRITERS = {**reference_index.WRITERS, **reference_ufunc.WRITERS}
VIEW_FREE = {"setitem", "setitem_text"} | set(WRITERS)


class Mismatch(Exception):
    """The library and NumPy disagree."""


class Layout:
    """How an array lies in memory: axes permuted, reversed, with gaps, repeated; and where it comes from:
    "host", "strided" (garray_from_host with strides) or "dlpack" with a byte offset."""

    def __init__(
        self, ndim, permutation=None, reverse=None, steps=None, repeat=None, origin="host", offset=0
    ):
        self.permutation = permutation or tuple(range(ndim))
        self.reverse = reverse or (False,) * ndim
        self.steps = steps or (1,) * ndim
        self.repeat = repeat or (False,) * ndim
        self.origin, self.offset = origin, offset

    def plain(self):
        return (
            self.origin == "host"
            and not any(self.reverse)
            and not any(self.repeat)
            and self.permutation == tuple(range(len(self.permutation)))
            and all(s == 1 for s in self.steps)
        )

    def __repr__(self):
        words = [self.origin + ("+%d" % self.offset if self.offset else "")]
        if self.permutation != tuple(range(len(self.permutation))):
            words.append("order=%s" % (self.permutation,))
        if any(self.reverse):
            words.append("reversed=%s" % [i for i, r in enumerate(self.reverse) if r])
        if any(s != 1 for s in self.steps):
            words.append("steps=%s" % (self.steps,))
        if any(self.repeat):
            words.append("repeated=%s" % [i for i, r in enumerate(self.repeat) if r])
        return " ".join(words)


class Make:
    """name = an array with given elements and layout."""

    def __init__(self, name, data, layout=None):
        self.name, self.data = name, data
        self.layout = layout or Layout(data.ndim)

    def __repr__(self):
        data = self.data
        if data.size <= 40:
            # item by item: NumPy's own text hides digits of longer arrays
            text = repr(data.tolist())
        else:
            text = "<%d elements %s...>" % (data.size, data.ravel()[:4].tolist())
        return "%s = array(%s, %s, shape=%s)%s" % (
            self.name,
            text,
            data.dtype.name,
            data.shape,
            "" if self.layout.plain() else "   # " + repr(self.layout),
        )

    def parts(self):
        """The memory to hand over, and what turns it into the array: slices, order, shape."""
        layout, data = self.layout, self.data
        for axis, repeat in enumerate(layout.repeat):
            if repeat and data.shape[axis] > 1:
                data = np.take(data, [0], axis)
        data = np.transpose(data, layout.permutation)
        big = np.zeros([n * step for n, step in zip(data.shape, layout.steps)], data.dtype)
        big[tuple(slice(None, None, step) for step in layout.steps)] = data[
            tuple(slice(None, None, -1) if back else slice(None) for back in layout.reverse)
        ]
        # x[::-2] of an even length starts at the last element, which is a gap
        slices = tuple(
            slice((n - 1) // step * step if back and n else None, None, -step if back else step)
            for n, step, back in zip(big.shape, layout.steps, layout.reverse)
        )
        return big, slices, tuple(np.argsort(layout.permutation).tolist())

    def value(self):
        """The NumPy array with the same layout."""
        big, slices, order = self.parts()
        view = np.transpose(big[slices + (Ellipsis,)], order)
        return np.broadcast_to(view, self.data.shape) if view.shape != self.data.shape else view

    def run(self, world):
        library = world.library
        slot = world.slots.setdefault(self.name, C.c_void_p())
        if slot.value:
            library.release(slot)
        big, slices, order = self.parts()
        if self.layout.origin == "dlpack" and library.on_cpu:
            memory = np.zeros(big.nbytes + 64, np.uint8)
            memory[self.layout.offset : self.layout.offset + big.nbytes] = (
                big.reshape(-1).view(np.uint8) if big.size else []
            )
            view = np.transpose(big[slices + (Ellipsis,)], order)
            first = view.ctypes.data - big.ctypes.data if view.size else 0
            library.from_dlpack(memory, self.layout.offset + first, view, slot)
            shape = view.shape
        elif self.layout.origin == "strided" and not any(self.layout.reverse):
            view = np.transpose(big[slices + (Ellipsis,)], order)
            library.from_host(view, slot, view.strides)
            shape = view.shape
        else:
            library.from_host(big, slot)
            if any(s != slice(None, None, 1) for s in slices):
                library.check("getitem", slot, library.items(slices, None), C.byref(slot))
            if len(order) > 1:
                library.check("permute_dims", slot, library.argument("x", order, None), C.byref(slot))
            shape = library.shape(slot)
        if shape != self.data.shape:
            library.check("broadcast_to", slot, library.argument("s", self.data.shape, None), C.byref(slot))
        world.mirror[self.name] = self.value()


class Call:
    """outs = name(*args, **kw); with into: outs[...] = that."""

    def __init__(self, name, args, kw=None, outs=(), into=False):
        self.name, self.args, self.kw, self.outs, self.into = name, args, kw or {}, list(outs), into

    def __repr__(self):
        inside = ", ".join([repr(a) for a in self.args] + ["%s=%r" % item for item in self.kw.items()])
        if self.name in VIEW_FREE:
            return "%s(%s)" % (self.name, inside)
        outs = ", ".join(
            "NULL" if out is None else "into(%s)" % out if self.into else out for out in self.outs
        )
        return "%s = %s(%s)" % (outs, self.name, inside)

    def run(self, world):
        if self.name in WRITERS:
            return world.write(self)
        if self.name in VIEW_FREE:
            return world.assign_items(self)
        if self.name in ("format", "save"):
            return getattr(world, "run_" + self.name)(self)
        try:
            expected, error = world.expect(self)
        except reference_linalg.Unsure:
            return None
        return world.compare_call(self, expected, error)


class World:
    """The variables of one run on both sides."""

    def __init__(self, library):
        self.library = library
        self.slots, self.mirror = {}, {}

    def close(self):
        for slot in self.slots.values():
            self.library.release(slot)

    def expect(self, call):
        """The Values, or the exception."""
        old = self.mirror.get(call.outs[0]) if call.outs and call.outs[0] else None
        try:
            values = reference.evaluate(call.name, call.args, call.kw, self.mirror, old, len(call.outs))
            if call.into:
                values = [self.stored(value, self.mirror[out]) for value, out in zip(values, call.outs)]
            return values, None
        except (ValueError, TypeError, IndexError, OverflowError, ArithmeticError, KeyError) as error:
            if isinstance(error, KeyError) and not isinstance(error, IndexError):
                raise
            return None, error

    @staticmethod
    def stored(value, target):
        """What an array holds after a value was written into it."""
        if value.value.shape != target.shape:
            raise ValueError("shape of out")
        if not can_cast_same_kind(value.value.dtype.name, target.dtype.name):
            raise TypeError("cannot cast")
        if not target.flags.writeable:
            raise ValueError("read-only")
        name = target.dtype.name
        kept = cast(value.value, name)
        if value.mask is not None:
            kept = np.where(value.mask, kept, target)
        if value.error is None or name == value.value.dtype.name:
            return Value(kept, value.true, value.error, value.skip, value.zeros)
        true = (
            np.asarray(value.true) if value.mask is None else np.where(value.mask, value.true, wide(target))
        )
        if np.iscomplexobj(kept) and not np.iscomplexobj(true):
            true = true.astype(wide(kept).dtype)
        return Value(kept, true, more_error(value.error, ulp(np.abs(true), name)), value.skip)

    def compare_call(self, call, expected, error):
        free_order = call.kw.get("unstable") and call.name == "argsort" or call.kw.get("unsorted")
        x = self.mirror[call.args[0].name].copy() if free_order else None
        outs, held = [], []
        for out in call.outs:
            if out is None:
                outs.append(None)
                continue
            slot = self.slots.setdefault(out, C.c_void_p())
            held.append((out, slot.value))
            outs.append(
                slot if call.name in LISTS else self.library.into(slot) if call.into else C.byref(slot)
            )
        try:
            self.library.call(call.name, call.args, call.kw, self.slots, outs)
        except Failure as failure:
            self.judge_failure(call.name, failure, error)
            for out, before in held:
                if self.slots[out].value != before:
                    raise Mismatch("a failed call changed its out variable %s" % out)
                if before is None:
                    del self.slots[out]
                elif call.into:
                    self.accept_late(out, failure)
            return
        if error is not None:
            for out in call.outs:
                self.mirror.pop(out, None)
            raise Mismatch("succeeded, NumPy: %s: %s" % (type(error).__name__, error))
        if free_order:
            return self.compare_order(call, expected, x)
        results = {}
        for out, value in zip(call.outs, expected):
            if out is None:
                continue
            got = self.library.to_numpy(self.slots[out])
            text = difference(got, value)
            if text:
                raise Mismatch("%s: %s" % (out, text))
            results[out] = got
            if call.into:
                self.mirror[out][...] = got
            elif value.view:
                self.mirror[out] = value.value
                if self.library.writeable(self.slots[out]) != value.value.flags.writeable:
                    raise Mismatch("%s: writeable is %s" % (out, not value.value.flags.writeable))
            else:
                self.mirror[out] = got
        if call.name == "linalg_eigh" and all(call.outs) and not call.into:
            x = call.before if hasattr(call, "before") else self.mirror[call.args[0].name]
            text = reference_linalg.check_vectors(
                x, call.kw.get("upper", 0), *[results[out] for out in call.outs]
            )
            if text:
                raise Mismatch(text)

    def compare_order(self, call, expected, x):
        """Where equal elements, or all, may come in any order: the same values, and indices that lead to
        them."""
        axis = call.args[-1]
        got = [self.library.to_numpy(self.slots[out]) for out in call.outs]
        if got[-1].dtype != np.int64 or got[-1].shape != expected[-1].value.shape:
            raise Mismatch("indices are %s %s" % (got[-1].dtype, got[-1].shape))
        sort = (
            reference.ascending
            if call.kw.get("unsorted")
            else lambda values, axis: np.argsort(np.zeros(values.shape), axis=axis, kind="stable")
        )
        found, want = (np.take_along_axis(x, indices, axis) for indices in (got[-1], expected[-1].value))
        text = difference(
            np.take_along_axis(found, sort(found, axis), axis),
            Value(np.take_along_axis(want, sort(want, axis), axis), zeros=True),
        )
        if not text and len(got) == 2:
            text = difference(got[0], Value(found))
        ordered = np.sort(got[-1], axis=axis)
        if not text and (np.diff(ordered, axis=axis) == 0).any():
            text = "an index comes twice"
        if text:
            raise Mismatch(text)
        self.mirror.update(zip(call.outs, got))

    @staticmethod
    def judge_failure(function, failure, error):
        if "index arrays at once" in str(failure):  # see differences.py
            return
        if error is None:
            raise Mismatch("%s: %s; NumPy succeeds" % (failure.status, failure))
        if not status_fits(function, error, failure.status):
            raise Mismatch("%s: %s; NumPy: %s: %s" % (failure.status, failure, type(error).__name__, error))

    def accept_late(self, name, failure):
        """A device reports a bad index when the other items are written: what the variable holds then is
        unspecified, and becomes what is expected of it from now on."""
        if not self.library.on_cpu and failure.status == "GARRAY_ERR_INDEX" and self.mirror[name].flags.writeable:
            self.mirror[name][...] = self.library.to_numpy(self.slots[name])

    def assign_items(self, call):
        name, items, value = call.args[0].name, call.args[1], reference.lookup(self.mirror, call.args[2])
        target = self.mirror[name]
        before = target.copy()
        try:
            if isinstance(items, str):
                items = eval("np.s_[%s]" % items, {"np": np})
                items = items if isinstance(items, tuple) else (items,)
            else:
                items = tuple(reference.lookup(self.mirror, item) for item in items)
            if not any(isinstance(item, np.ndarray) or item is Ellipsis for item in items):
                items += (Ellipsis,)  # x[0] = an array of one element: see differences.py
            elif isinstance(value, np.ndarray):
                extra = max(value.ndim - target[items].ndim, 0)
                if value.shape[:extra] == (1,) * extra:
                    value = value.reshape(value.shape[extra:])
            if not target.flags.writeable:
                raise ValueError("read-only")
            with np.errstate(all="ignore"):
                shape = target[items].shape  # IndexError
                items = in_order(items)
                if isinstance(value, int) and target.dtype.kind in "iu":
                    np.array(value, target.dtype)  # OverflowError
                if isinstance(value, complex) and target.dtype.kind != "c":
                    raise TypeError("complex into real")
                value = cast(np.asarray(value), target.dtype.name)
                target[items] = np.broadcast_to(value, shape).copy() if value.ndim <= len(shape) else value
            error = None
        except (ValueError, TypeError, IndexError, OverflowError) as caught:
            error = caught
        try:
            self.library.call(call.name, call.args, call.kw, self.slots, [])
        except Failure as failure:
            self.judge_failure(call.name, failure, error)
            if error is None:  # meant to fail here
                target[...] = before
            return self.accept_late(name, failure)
        if error is not None:
            raise Mismatch("succeeded, NumPy: %s: %s" % (type(error).__name__, error))

    def write(self, call):
        """A call that changes its first argument."""
        target = self.mirror[call.args[0].name]
        args = [
            tuple(reference.lookup(self.mirror, item) for item in arg)
            if isinstance(arg, tuple)
            else reference.lookup(self.mirror, arg)
            for arg in call.args[1:]
        ]
        error = None
        kw = {key: reference.lookup(self.mirror, value) for key, value in call.kw.items()}
        after = target.copy()
        try:
            if not target.flags.writeable:
                raise ValueError("read-only")
            with np.errstate(all="ignore"):
                if call.name == "ufunc_at":
                    args[1] = in_order(args[1])
                WRITERS[call.name](after, *args, **kw)
        except (ValueError, TypeError, IndexError, OverflowError) as caught:
            error = caught
        try:
            self.library.call(call.name, call.args, call.kw, self.slots, [])
        except Failure as failure:
            self.judge_failure(call.name, failure, error)
            return self.accept_late(call.args[0].name, failure)
        if error is not None:
            raise Mismatch("succeeded, NumPy: %s: %s" % (type(error).__name__, error))
        target[...] = after

    def run_format(self, call):
        x = self.mirror[call.args[0].name]
        kw = dict(call.kw)
        as_repr = kw.pop("repr", 0)
        options = {
            key: bool(value) if key == "suppress" else value for key, value in kw.items() if key != "sign"
        }
        if kw.get("sign"):
            options["sign"] = chr(kw["sign"])
        with np.printoptions(**options):
            want = repr(x) if as_repr else str(x)
        got = self.library.format(self.slots[call.args[0].name], call.kw)
        if got != want:
            raise Mismatch("text\n%s\nexpected\n%s" % (got, want))

    def run_save(self, call):
        """Saved, read by NumPy; written by NumPy, loaded."""
        name, out = call.args[0].name, call.outs[0]
        x = self.mirror[name]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.npy")
            self.library.check("save", path.encode(), self.slots[name])
            got = np.load(path)
            if x.dtype.name == "bfloat16":
                got = got.view(x.dtype)
            text = difference(np.asarray(got), Value(x))
            if text:
                raise Mismatch("np.load: " + text)
            swapped = call.kw.get("swapped") and x.dtype.name != "bfloat16"
            np.save(path, x.astype(x.dtype.newbyteorder()) if swapped else x)
            slot = self.slots.setdefault(out, C.c_void_p())
            self.library.check("load", path.encode(), self.library.device, C.byref(slot))
            got = self.library.to_numpy(slot)
            text = difference(got, Value(x))
            if text:
                raise Mismatch("load: " + text)
            self.mirror[out] = got

    def compare_all(self):
        """Every variable, bit for bit: what a call must not touch, and what views see."""
        for name, want in self.mirror.items():
            got = self.library.to_numpy(self.slots[name])
            if got.dtype != want.dtype or got.shape != want.shape:
                raise Mismatch(
                    "variable %s is %s %s, expected %s %s"
                    % (name, got.dtype.name, got.shape, want.dtype.name, want.shape)
                )
            for g, w in zip(real_parts(got), real_parts(np.asarray(want))):
                if not np.all(same_part(g, w, True)):
                    raise Mismatch("variable %s is\n%r\nexpected\n%r" % (name, got, want))


def run(statements, library):
    """None, or the text of the first mismatch and the statement's number."""
    world = World(library)
    try:
        for number, statement in enumerate(statements):
            try:
                world_step(world, statement)
            except Mismatch as mismatch:
                return str(mismatch), number
        return None
    finally:
        world.close()


def world_step(world, statement):
    if isinstance(statement, Call) and statement.name == "linalg_eigh":
        statement.before = world.mirror[statement.args[0].name].copy()
    statement.run(world)
    world.compare_all()


def in_order(items):
    """Index arrays of one shape in row-major order, so that of places named twice the last one wins: NumPy
    goes through them as they lie in memory."""
    arrays = [item for item in items if isinstance(item, np.ndarray)]
    if any(item.dtype == bool for item in arrays) or not arrays:
        return items
    wide = iter([item.copy() for item in np.broadcast_arrays(*arrays)])
    return tuple(next(wide) if isinstance(item, np.ndarray) else item for item in items)


def names_of(statement):
    """The variables that a statement reads or writes."""
    found = set()

    def look(value):
        if isinstance(value, Ref):
            found.add(value.name)
        elif isinstance(value, (tuple, list)):
            for item in value:
                look(item)

    if isinstance(statement, Make):
        return {statement.name}
    look(statement.args)
    look(tuple(statement.kw.values()))
    return found | {out for out in statement.outs if out}


__all__ = [
    "Call",
    "Layout",
    "Make",
    "Mismatch",
    "Ref",
    "World",
    "names_of",
    "numpy_dtype",
    "run",
    "world_step",
]
