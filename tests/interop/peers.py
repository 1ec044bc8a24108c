# SPDX-License-Identifier: BSD-3-Clause
"""The other libraries: how each makes an array, takes one, and shows what it has.

values() and make() speak NumPy. A peer that cannot take an array raises what it likes: that is told, not hidden."""

import contextlib
import importlib
import os

import numpy as np

try:
    import ml_dtypes

    BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
except ImportError:
    BFLOAT16 = None

LAYOUTS = ["contiguous", "transposed", "rows", "sliced", "negative"]


def laid_out(values, layout):
    """A C contiguous parent of the values, and the view of it that has them, for any library."""
    if layout == "transposed":
        return np.ascontiguousarray(values.T).reshape(values.shape[::-1]), transpose
    wide = values.shape[:-1] + (2 * values.shape[-1] + 1,) if values.ndim else ()
    if layout == "contiguous":
        return values, lambda a: a
    if layout == "negative":
        return np.ascontiguousarray(values[..., ::-1]), lambda a: a[..., ::-1]
    parent = np.zeros(wide, values.dtype)
    index = slice(None, -1, 2) if layout == "sliced" else slice(1, 1 + values.shape[-1])
    parent[..., index] = values
    return parent, lambda a: a[..., index]


def transpose(a):
    axes = tuple(range(a.ndim))[::-1]
    if hasattr(a, "permute"):
        return a.permute(axes)
    if hasattr(a, "transpose"):
        return a.transpose(axes)
    return a.__array_namespace__().permute_dims(a, axes)


class Peer:
    """What NumPy and CuPy share; xp is the library."""

    name = module = "numpy"
    devices = ("cpu",)
    layouts = LAYOUTS
    lacks = ("bfloat16",)  # dtypes that it does not have, or does not pass on
    refuses = ()  # layouts, and "readonly", that it need not take; "from negative": in this way alone
    aborts = ()  # layouts that are not offered, since they end the process or cannot be looked at
    mutable = True
    copies = True  # whether copy=True makes a copy
    aligned = 1  # memory that is aligned less may be copied
    interface = True  # whether it takes and shows the array interface
    waits = False  # whether it waits for the stream that the array interface names

    def __init__(self, device):
        self.device = device
        self.xp = importlib.import_module(self.module)

    version = property(lambda self: self.xp.__version__)

    def make(self, values):
        return self.xp.array(values)

    def from_dlpack(self, x, copy=None):
        return self.xp.from_dlpack(x) if copy is None else self.xp.from_dlpack(x, copy=copy)

    def from_interface(self, x):
        return self.xp.asarray(x)

    def pointer(self, a):
        return a.ctypes.data

    def values(self, a):
        return np.asarray(a)

    def is_writeable(self, a):
        """None if it has no such notion."""
        return a.flags.writeable

    def fill(self, a, value):
        a[...] = value

    def synchronize(self):
        """Waits for all that the peer does on a GPU."""

    # ---- for races ----

    def streams(self):
        """Pairs of a name and a context in which work goes to a stream of that kind."""
        return [("default stream", contextlib.nullcontext())]

    def ones(self, n):
        return self.xp.ones((n, n), self.xp.float32)

    def matmul(self, a, b):
        return self.xp.matmul(a, b)

    def differs(self, a, value):
        """How many elements are not the value; waits."""
        return int((a != value).sum())


class CuPy(Peer):
    name = module = "cupy"
    devices = ("cuda",)
    refuses = ("from negative",)  # 14.2: the tensor's strides are near 2^63, as if they had no sign
    waits = True

    def pointer(self, a):
        return a.data.ptr

    def values(self, a):
        return self.xp.asnumpy(a)

    def is_writeable(self, a):
        return None

    def synchronize(self):
        self.xp.cuda.Device().synchronize()

    def streams(self):
        return super().streams() + [("stream", self.xp.cuda.Stream(non_blocking=True))]


class Torch(Peer):
    name = module = "torch"
    devices = ("cpu", "cuda")
    layouts = ["contiguous", "transposed", "rows", "sliced"]
    lacks = ()
    refuses = ("readonly",)
    aborts = ("negative",)  # 2.11: an exception nobody catches; other versions refuse
    number = {1: "int8", 2: "int16", 4: "int32", 8: "int64"}
    interface = property(lambda self: self.device == "cuda")

    def make(self, values):
        values = values.copy()  # PyTorch warns of read-only ones
        if values.dtype.kind in "bc":
            return self.xp.from_numpy(values).to(self.device)
        bits = self.xp.from_numpy(values.view(self.number[values.itemsize])).to(self.device)
        return bits.view(getattr(self.xp, values.dtype.name))

    def from_interface(self, x):
        return self.xp.as_tensor(x, device=self.device)

    def pointer(self, a):
        return a.data_ptr()

    def values(self, a):
        a = a.cpu().contiguous()
        if a.dtype == self.xp.bfloat16:
            return a.view(self.xp.int16).numpy().view(BFLOAT16)
        return a.numpy()

    def is_writeable(self, a):
        return None

    def fill(self, a, value):
        a.fill_(value)

    def synchronize(self):
        if self.device == "cuda":
            self.xp.cuda.synchronize()

    def streams(self):
        if self.device == "cpu":
            return super().streams()
        return super().streams() + [("stream", self.xp.cuda.stream(self.xp.cuda.Stream()))]

    def ones(self, n):
        return self.xp.ones((n, n), dtype=self.xp.float32, device=self.device)


class Jax(Peer):
    name = module = "jax"
    devices = ("cpu", "cuda")
    layouts = ["contiguous"]
    lacks = ()
    refuses = ("transposed", "rows", "sliced", "negative", "readonly")
    mutable = False

    def __init__(self, device):
        os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
        super().__init__(device)
        self.xp.config.update("jax_enable_x64", True)
        self.jax, self.xp = self.xp, importlib.import_module("jax.numpy")
        self.interface = device == "cuda"
        self.on = self.jax.devices("gpu" if device == "cuda" else "cpu")[0]

    version = property(lambda self: self.jax.__version__)

    aligned = 64
    copies = False  # jax 0.10.2 on the CPU

    def make(self, values):
        return self.jax.device_put(values, self.on).block_until_ready()

    def from_dlpack(self, x, copy=None):
        return self.jax.dlpack.from_dlpack(x, copy=copy)

    from_interface = None  # it shows its own, and takes none

    def pointer(self, a):
        return a.unsafe_buffer_pointer()

    def is_writeable(self, a):
        return None


class Numba(Peer):
    name = module = "numba"
    devices = ("cuda",)
    lacks = ("bfloat16", "float16")
    waits = True

    def __init__(self, device):
        super().__init__(device)
        self.cuda = importlib.import_module("numba.cuda")

    def make(self, values):
        return self.cuda.to_device(values)

    from_dlpack = None

    def from_interface(self, x):
        return self.cuda.as_cuda_array(x)

    def pointer(self, a):
        return a.__cuda_array_interface__["data"][0]

    def values(self, a):
        return a.copy_to_host()

    def is_writeable(self, a):
        return None

    def synchronize(self):
        self.cuda.synchronize()

    mutable = False  # not without a kernel of its own
    layouts = ["contiguous"]
    refuses = ("readonly",)
    aborts = ("negative",)  # copy_to_host() cannot read it


PEERS = [Peer, Torch, CuPy, Jax, Numba]
