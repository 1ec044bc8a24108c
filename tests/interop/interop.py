# SPDX-License-Identifier: BSD-3-Clause
"""Every dtype and layout there and back between the library and its peers, without copies; run has the options.

An exchange must show the same address and the same values, and what one side writes the other one sees. A peer may refuse
what it has no notion of (peers.py says what); it is told then which. Nothing may be left in the end.

All peers are in one process, which is a child: where one of them ends it, that counts as its failure, and another child goes
on with the rest."""

import argparse
import collections
import ctypes as C
import faulthandler
import gc
import itertools
import os
import re
import subprocess
import sys

import numpy as np
from peers import LAYOUTS, PEERS, laid_out

parser = argparse.ArgumentParser()
parser.add_argument("library")
parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
parser.add_argument("--peers")
parser.add_argument("--rounds", type=int, default=100)
parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
options = parser.parse_args()
wanted = options.peers.split(",") if options.peers else [kind.name for kind in PEERS]
HANGS = 240  # seconds that a peer may take


def run_children():
    """Children, until all peers have had their turn; the sum of what they counted."""
    left, sums = list(wanted), [0, 0]
    while left:
        command = [sys.executable, __file__, *sys.argv[1:], "--child", "--peers", ",".join(left)]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        begun = []
        counted = None
        for line in child.stdout:
            if line.startswith("begins: "):
                begun.append(line.split()[1])
                continue
            print(line, end="", flush=True)
            counted = re.match(r"(\d+) passed, (\d+) failed", line) or counted
        child.wait()
        if counted:
            sums = [a + int(b) for a, b in zip(sums, counted.groups())]
            break
        print(f"FAILED: the process ended with {child.returncode}, in {begun[-1] if begun else 'its start'}")
        sums[1] += 1
        left = left[left.index(begun[-1]) + 1 :] if begun else []
    print(f"all: {sums[0]} passed, {sums[1]} failed")
    return 1 if sums[1] else 0


if not options.child:
    sys.exit(run_children())
os.environ.update(GARRAY_LIBRARY=os.path.abspath(options.library), GARRAY_DEVICE=options.device)

import garray  # noqa: E402
import race  # noqa: E402
from garray._binding import abi, device_of, interface, lib  # noqa: E402
from garray._dlpack import sweep  # noqa: E402

SHAPES = [(), (1,), (7,), (3, 4), (2, 3, 5), (0,), (3, 0, 2), (1, 5, 1), (300, 70)]
COMMON = ("bool", "int8", "int16", "int32", "int64", "uint8", "float32", "float64", "complex64", "complex128")
checks, failures = 0, 0


def expect(condition, *what):
    global checks, failures
    checks += 1
    if not condition:
        failures += 1
        print("FAILED:", *what, flush=True)


def values_of(dtype, shape):
    """Distinct small numbers, which every dtype has."""
    n = int(np.prod(shape, dtype=int))
    numbers = np.arange(n) % (2 if dtype == "bool" else 100)
    return numbers.astype(interface.numpy_dtype(dtype)).reshape(shape)


def pointer(x):
    """Of the first element of an array of ours."""
    found = C.c_void_p()
    lib.check("begin", x.slot(None), 1, None, C.byref(found))
    lib.check("end", x.slot(None), None)
    return found.value


def same(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def live_blocks(device):
    lib.check("synchronize", device_of(device))
    info = abi.memory_info()
    lib.check("memory_stats", device_of(device), C.byref(info))
    return info.live_blocks


class Exchange:
    """All dtypes, layouts and shapes with one peer."""

    def __init__(self, peer):
        self.peer = peer
        self.refused = collections.defaultdict(set)

    def may_refuse(self, way, dtype, layout, failure):
        """A refusal that is not allowed is a failure."""
        self.refused[f"{way} {layout}"].add(dtype)
        allowed = {layout, f"{way} {layout}"} & set(self.peer.refuses) or dtype not in COMMON or dtype in self.peer.lacks
        expect(allowed, self.peer.name, way, dtype, layout, repr(failure))

    def ours(self, values, layout):
        parent, view = laid_out(values, layout)
        return view(garray.asarray(parent, device=self.peer.device))

    def check_shared(self, way, x, a, values, writes):
        """x, ours, and a, the peer's, are the same memory."""
        where = (self.peer.name, way, values.dtype, values.shape, x.shape)
        expect(tuple(a.shape) == values.shape, *where, "shape", tuple(a.shape))
        expect(same(lib.to_numpy(x.slot(None)), values), *where, "our values")
        expect(same(self.peer.values(a), values), *where, "the peer's values")
        if not values.size:
            return
        there = self.peer.pointer(a)
        expect(there == pointer(x) or pointer(x) % self.peer.aligned, *where, "not the same memory")
        if writes and self.peer.mutable:
            self.peer.fill(a, 1)
            self.peer.synchronize()
            expect(same(lib.to_numpy(x.slot(None)), np.ones_like(values)), *where, "what the peer wrote")
        if writes and self.peer.mutable:
            x[...] = 0
            expect(same(self.peer.values(a), np.zeros_like(values)), *where, "what we wrote")

    def out(self, way, take, dtype, layout, values):
        x = self.ours(values, layout)
        try:
            a = take(x)
        except Exception as failure:
            return self.may_refuse(way, dtype, layout, failure)
        self.check_shared(way, x, a, values, True)
        del x  # the peer's array keeps the memory
        expect(tuple(a.shape) == values.shape, self.peer.name, way, dtype, layout, "memory is gone")

    def back(self, way, take, dtype, layout, values):
        try:
            parent, view = laid_out(values, layout)
            a = view(self.peer.make(parent))
            self.peer.synchronize()
            x = take(a)
        except Exception as failure:
            return self.may_refuse(way, dtype, layout, failure)
        writes = garray_writes(x)
        self.check_shared(way, x, a, values, writes)
        expected = lib.to_numpy(x.slot(None))
        del a, parent
        expect(same(lib.to_numpy(x.slot(None)), expected), self.peer.name, way, dtype, layout, "memory is gone")

    def run(self):
        peer = self.peer
        ways = []
        if peer.from_dlpack:
            ways += [("to", self.out, peer.from_dlpack), ("from", self.back, garray.from_dlpack)]
        if peer.interface and peer.from_interface:
            ways.append(("interface to", self.out, peer.from_interface))
        if peer.interface:
            ways.append(("interface from", self.back, garray.from_array_interface))
        for (way, check, take), dtype, layout, shape in itertools.product(ways, interface.DTYPES, LAYOUTS, SHAPES):
            if interface.numpy_dtype(dtype) is None or (shape == () and layout != "contiguous"):
                continue
            if layout not in ("contiguous", "transposed") and shape not in SHAPES[2:7]:
                continue
            if check == self.back and layout not in peer.layouts:
                continue
            if dtype == "bfloat16" and way.startswith("interface"):
                continue
            if check == self.out and layout in peer.aborts:
                continue
            try:
                check(way, take, dtype, layout, values_of(dtype, shape))
            except Exception as failure:
                expect(False, peer.name, way, dtype, layout, shape, repr(failure))
        self.read_only()
        self.copies()
        alike = collections.defaultdict(list)
        for what, dtypes in self.refused.items():
            alike["all" if len(dtypes) >= len(interface.DTYPES) - 2 else " ".join(sorted(dtypes))].append(what)
        for dtypes, what in alike.items():
            print(f"  refused: {dtypes}: {', '.join(what)}")

    def read_only(self):
        """A broadcast view, which may not be written: the peer does not write it, or refuses it."""
        peer = self.peer
        x = garray.broadcast_to(garray.asarray([1.0, 2, 3], device=peer.device), (2, 3))
        ways = [("to", peer.from_dlpack), ("interface to", peer.interface and peer.from_interface)]
        for way, take in ways:
            if not take:
                continue
            try:
                a = take(x)
            except Exception as failure:
                self.may_refuse(way, "float64", "readonly", failure)
                continue
            expect(not peer.is_writeable(a), peer.name, way, "a read-only array has become writeable")
            expect(np.array_equal(peer.values(a), [[1, 2, 3]] * 2), peer.name, way, "read-only values")
        if peer.name == "numpy":
            values = np.arange(6.0)
            values.flags.writeable = False
            for way, take in ("from", garray.from_dlpack), ("interface from", garray.from_array_interface):
                y = take(values)
                expect(not garray_writes(y) and np.array_equal(lib.to_numpy(y.slot(None)), values), way, "read-only")

    def copies(self):
        peer = self.peer
        if not peer.from_dlpack:
            return
        x = garray.asarray([1.0, 2, 3], device=peer.device)
        ways = [("to", lambda: peer.from_dlpack(x, copy=True)), ("from", lambda: copied(peer))]
        for way, take in ways if peer.copies else ways[1:]:
            try:
                a = take()
            except Exception as failure:
                self.refused[f"{way} with copy=True"].add(repr(failure)[:60])
                continue
            there = peer.pointer(a) if way == "to" else pointer(a)
            expect(there != (pointer(x) if way == "to" else copied.source), peer.name, way, "copy=True did not copy")
        a = peer.make(np.arange(4.0))
        y = garray.from_dlpack(a, copy=False)
        expect(pointer(y) == peer.pointer(a), peer.name, "copy=False copied")


def copied(peer):
    a = peer.make(np.arange(4.0))
    copied.source = peer.pointer(a)
    copied.kept = a
    return garray.from_dlpack(a, copy=True)


def garray_writes(x):
    return lib.writeable(x.slot(None))


def streams_are_checked():
    """The standard's numbers of streams, as a producer must take them."""
    x = garray.asarray([1.0, 2, 3])
    if options.device == "cpu":
        good, bad = [None], [0, 1, 7]
    else:
        good, bad = [None, -1, 1, 2], [0]
    for stream in good:
        x.__dlpack__(stream=stream, max_version=(1, 1))
    for stream in bad:
        try:
            x.__dlpack__(stream=stream)
            expect(False, "stream", stream, "was taken")
        except ValueError:
            expect(True)


def to_host():
    """From a GPU to NumPy by way of dl_device, which copies."""
    for dtype in interface.DTYPES:
        values = values_of(dtype, (3, 4)) if dtype != "bfloat16" else None
        if values is not None:
            a = np.from_dlpack(garray.asarray(values), device="cpu")
            expect(same(a, values), "numpy", dtype, "through dl_device")


def other_memory(peer):
    """Memory that both a GPU and the host reach."""
    ways = {"from": garray.from_dlpack, "interface from": garray.from_array_interface}
    if peer.name == "torch" and peer.device == "cuda":
        a = peer.xp.arange(6.0, dtype=peer.xp.float64).pin_memory()
        x = garray.from_dlpack(a)
        expect(x.device == "cpu" and pointer(x) == a.data_ptr(), "torch, pinned memory")
        expect(np.array_equal(lib.to_numpy(x.slot(None)), np.arange(6.0)), "torch, pinned memory, values")
    elif peer.name == "cupy":
        with peer.xp.cuda.using_allocator(peer.xp.cuda.malloc_managed):
            a = peer.xp.arange(6.0)
        for way, take in ways.items():
            x = take(a)
            expect(x.device == "cuda:0" and pointer(x) == peer.pointer(a), "cupy, managed memory", way)
            expect(np.array_equal(lib.to_numpy(x.slot(None)), np.arange(6.0)), "cupy, managed memory, values", way)


def main():
    before = {device: live_blocks(device) for device in {"cpu", options.device}}
    absent = []
    streams_are_checked()
    for kind in PEERS:
        if kind.name not in wanted:
            continue
        device = options.device if options.device in kind.devices else "cpu" if kind.name == "numpy" else None
        if device is None:
            continue
        print("begins:", kind.name, flush=True)
        faulthandler.dump_traceback_later(HANGS, exit=True)
        try:
            peer = kind(device)
        except Exception as failure:  # a library that is broken counts as absent, and is named
            absent.append(f"{kind.name} ({failure})" if not isinstance(failure, ImportError) else kind.name)
            continue
        start = checks
        exchange = Exchange(peer)
        exchange.run()
        other_memory(peer)
        if options.device == "cuda" and kind.name == "numpy":
            to_host()
        for what, good, detail in race.races(peer, options.rounds if device == "cuda" else 2):
            expect(good, peer.name, what, detail)
        del exchange, peer
        print(f"{kind.name} {getattr(sys.modules[kind.module], '__version__', '')} on {device}: {checks - start} checks", flush=True)
    copied.kept = None
    gc.collect()
    sweep()
    for device, blocks in before.items():
        now = live_blocks(device)
        expect(now == blocks, "buffers left on", device, now - blocks)
    if absent:
        print("not installed:", ", ".join(absent))
    faulthandler.cancel_dump_traceback_later()
    print(f"{checks - failures} passed, {failures} failed", flush=True)
    return 1 if failures else 0


sys.exit(main())
