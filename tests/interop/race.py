# SPDX-License-Identifier: BSD-3-Clause
"""Producers that are still computing, and consumers that begin at once, on other streams of a GPU.

Each round makes its matrix by a product that takes milliseconds, out of memory that held the last round's, and so a
consumer that does not wait sees wrong numbers. Nobody waits but for the result. On the CPU there is nothing to race."""

import ctypes as C

import garray
from garray._binding import abi, device_of, lib

SIDE = {"cpu": 64, "cuda": 4096}  # of the matrices; a product of two of ones is this everywhere, exactly


class OwnStream:
    """with OwnStream(): our work goes to a stream of its own."""

    def __init__(self, device):
        self.device, self.stream = device_of(device), C.c_void_p()
        lib.check("stream_new", self.device, C.byref(self.stream))

    def __enter__(self):
        self.old = C.c_void_p()
        lib.check("stream_swap", self.stream, self.device, C.byref(self.old))

    def __exit__(self, *_):
        lib.check("stream_swap", self.old, self.device, None)

    def free(self):
        lib.c.garray_stream_free(self.stream)


class LibraryStream:
    def __init__(self, device):
        pass

    def __enter__(self):
        pass

    def __exit__(self, *_):
        pass

    def free(self):
        pass


def differs(x, value):
    return int(garray.count_nonzero(garray.not_equal(x, float(value))))


def we_produce(peer, ones, theirs, take, stream, i):
    with stream:
        x = garray.add(garray.matmul(ones, ones), float(i))
        return peer.differs(take(x) * 2, 2 * (len(ones) + i))


def they_produce(peer, ones, theirs, take, stream, i):
    a = peer.matmul(theirs, theirs) + float(i)
    with stream:
        return differs(garray.multiply(take(a), 2.0), 2 * (len(ones) + i))


def we_let_go(peer, ones, theirs, take, stream, i):
    """The peer's work is queued when both sides drop the array; our next one takes its memory and overwrites it."""
    with stream:
        x = garray.add(garray.multiply(ones, 0.0), float(i))
        a = take(x)
        result = peer.matmul(peer.matmul(theirs, theirs), a)
        del a, x
        kept = [garray.full_like(ones, -1.0) for _ in range(2)]
        wrong = peer.differs(result, float(len(ones)) ** 2 * i)
        del kept
        return wrong


def they_let_go(peer, ones, theirs, take, stream, i):
    """The same the other way round."""
    a = theirs * 0 + float(i)
    with stream:
        result = garray.matmul(garray.matmul(ones, ones), take(a))
    del a
    kept = [theirs * 0 - 1 for _ in range(2)]
    with stream:
        wrong = differs(result, float(len(ones)) ** 2 * i)
    del kept
    return wrong


def races(peer, rounds):
    """(what, whether all is right, a detail) per race."""
    if not peer.from_dlpack:
        return
    lib.c.garray_set_strict(C.c_bool(False))
    n = SIDE[peer.device]
    ones = garray.ones((n, n), dtype=garray.float32, device=peer.device)
    ways = [
        ("we produce", we_produce, peer.from_dlpack),
        ("they produce", they_produce, garray.from_dlpack),
        ("they let go", they_let_go, garray.from_dlpack),
    ]
    if peer.waits:
        ways.append(("we produce, by the interface", we_produce, peer.from_interface))
        ways.append(("they produce, by the interface", they_produce, garray.from_array_interface))
    for name, context in peer.streams():
        # a stream of the consumer's own might be gone when it lets go: there it must wait first
        both = ways + [("we let go", we_let_go, peer.from_dlpack)] if name == "default stream" else ways
        for what, run, take in both:
            for kind in LibraryStream, OwnStream:
                stream = kind(peer.device)
                wrong, failure = 0, None
                try:
                    with context:
                        theirs = peer.ones(n)
                        for i in range(1, max(rounds // 2, 1) + 1):
                            wrong += run(peer, ones, theirs, take, stream, i) > 0
                except Exception as found:
                    failure = repr(found)
                stream.free()
                yield f"{what}, {name}, {kind.__name__}", not wrong and not failure, failure or f"{wrong} rounds are wrong"
    lib.c.garray_set_strict(C.c_bool(True))
