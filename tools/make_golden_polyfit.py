#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes tests/golden/polyfit.bin: NumPy's values for poly, roots and polyfit.

    python3 -m pip install 'numpy>=2' ml_dtypes;  python3 tools/make_golden_polyfit.py
"""
import numpy as np

from golden import Golden

POLY, ROOTS, POLYFIT, FULL, COV = range(1, 6)


class Maker:
    """Cases: function, three operands (-1: none) and the columns of the first two, up to four results, a flag, and the bound
    as a power of ten, in units of 1e-16 of the largest item."""

    def __init__(self):
        self.golden = Golden(12)

    def case(self, function, operands, results, flag=0, bound=3):
        block = self.golden.block
        operands, results = (operands + [None] * 3)[:3], (results + [None] * 4)[:4]
        arrays = [-1 if x is None else block(np.asarray(x)) for x in operands + results]
        columns = [x.shape[1] if x is not None and x.ndim == 2 else 0 for x in operands[:2]]
        self.golden.case(function, *arrays[:3], *columns, *arrays[3:], flag, bound)


def main():
    make = Maker()
    rng = np.random.default_rng(31)
    for z in ([], [2.0], [1.0, -1, 3, 0.5], [1 + 2j, 1 - 2j, 3], [1 + 2j, 4j], np.arange(-3, 4)):
        z = np.array(z)
        make.case(POLY, [z], [np.atleast_1d(np.poly(z))])
        if z.dtype.kind != "i" and z.size:
            narrow = z.astype(np.complex64 if z.dtype.kind == "c" else np.float32)
            make.case(POLY, [narrow], [np.atleast_1d(np.poly(narrow))], bound=9)
    for n in (1, 2, 5):
        a = rng.normal(size=(n, n))
        make.case(POLY, [a + a.T], [np.poly(a + a.T)])
    for p in ([1.0, -6, 11, -6], [1, 0, 1], [0, 0, 2, 4, 0, 0, 0], [5.0], [0.0, 0], [], [3, 1 + 1j, -2j, 4], rng.normal(size=9)):
        p = np.array(p)
        r = np.roots(p)
        zeros = len(np.trim_zeros(p, "f")) - len(np.trim_zeros(p)) if np.any(p) else 0
        r = np.concatenate([np.sort_complex(r[:len(r) - zeros]), r[len(r) - zeros:]])
        r = r.real if np.isrealobj(np.roots(p)) else r
        make.case(ROOTS, [p], [r], bound=6)
        if p.dtype != int and p.dtype.kind != "i":
            narrow = p.astype(np.complex64 if p.dtype.kind == "c" else np.float32)
            make.case(ROOTS, [narrow], [r.astype(np.complex64 if np.iscomplexobj(r) else np.float32)], bound=12)
    for n, deg in ((12, 3), (40, 5), (4, 3), (9, 0)):
        x = np.linspace(-1, 2, n)
        for y in (np.sin(x) + rng.normal(size=n) / 8, rng.normal(size=(n, 3)), rng.normal(size=n) + 1j * rng.normal(size=n),
                  rng.integers(-9, 9, n)):
            for w in (None, rng.random(n) + 0.5):
                p, residuals, rank, s, _ = np.polyfit(x, y, deg, full=True, w=w)
                make.case(POLYFIT, [x, y, w], [p], deg, 5)
                make.case(FULL, [x, y, w], [p, residuals, np.int64(rank), s], deg, 5)
                if y.dtype.kind != "c":
                    make.case(COV, [x, y, w], [p, np.polyfit(x, y, deg, w=w, cov="unscaled")[1]], deg, 6)
                    if n > deg + 1:
                        make.case(COV, [x, y, w], [p, np.polyfit(x, y, deg, w=w, cov=True)[1]], deg + 100, 6)
        make.case(POLYFIT, [x.astype(np.float32), np.cos(x).astype(np.float32)],
                  [np.polyfit(x.astype(np.float32), np.cos(x).astype(np.float32), deg)], deg, 11)
    x = np.array([1.0, 1, 2, 2])
    p, residuals, rank, s, _ = np.polyfit(x, np.array([1.0, 2, 3, 4]), 2, full=True)
    make.case(FULL, [x, np.array([1.0, 2, 3, 4])], [p, residuals, np.int64(rank), s], 2, 5)
    make.golden.write("polyfit", "tools/make_golden_polyfit.py")


if __name__ == "__main__":
    main()
