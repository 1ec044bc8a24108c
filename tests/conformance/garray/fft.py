# SPDX-License-Identifier: BSD-3-Clause
"""The fft extension."""

from ._array import one
from ._dtypes import name_of

NORMS = ("backward", "ortho", "forward")


def norm_of(norm):
    if norm not in NORMS:
        raise ValueError(f"norm is {norm!r}")
    return NORMS.index(norm) + 1


def along_axis(name):
    def function(x, /, *, n=None, axis=-1, norm="backward"):
        return one("fft_" + name, x, axis, n=n, norm=norm_of(norm))

    return function


def along_axes(name):
    def function(x, /, *, s=None, axes=None, norm="backward"):
        s, axes = (None if v is None else tuple(v) for v in (s, axes))
        return one("fft_" + name, x, s, axes, norm=norm_of(norm))

    return function


def shift(name):
    def function(x, /, *, axes=None):
        return one("fft_" + name, x, tuple(axes) if isinstance(axes, list) else axes)

    return function


def frequencies(name):
    def function(n, /, *, d=1.0, dtype=None, device=None):
        return one("fft_" + name, n, d, name_of(dtype), device=device)

    return function


ONE = "fft ifft rfft irfft hfft ihfft".split()
SEVERAL = "fftn ifftn rfftn irfftn".split()
for names, make in (
    (ONE, along_axis),
    (SEVERAL, along_axes),
    (("fftshift", "ifftshift"), shift),
    (("fftfreq", "rfftfreq"), frequencies),
):
    globals().update({name: make(name) for name in names})

__all__ = [*ONE, *SEVERAL, "fftshift", "ifftshift", "fftfreq", "rfftfreq"]
