#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Distributions as SciPy has them: tests/golden/random.bin, for tests/test_distributions.c.

A case is the number of a row of src/core/draws.def, a block of its three parameters, a block of ascending places and
one of probabilities: that of being at most the first place, between it and the second, ..., above the last.  Needs
SciPy.
"""
import pathlib
import re

import numpy as np
import scipy
from scipy import stats

from golden import Golden

ROWS = pathlib.Path(__file__).resolve().parent.parent / "src/core/draws.def"
NUMBER = {name: int(number) for number, name in re.findall(r"^GARRAY_DRAW\( *(\d+), (\w+)", ROWS.read_text(), re.M)}

LAWS = {
    "exponential": lambda scale: stats.expon(scale=scale),
    "laplace": lambda loc, scale: stats.laplace(loc, scale),
    "gumbel": lambda loc, scale: stats.gumbel_r(loc, scale),
    "logistic": lambda loc, scale: stats.logistic(loc, scale),
    "standard_cauchy": lambda: stats.cauchy(),
    "pareto": lambda a: stats.lomax(a),
    "weibull": lambda a: stats.weibull_min(a),
    "power": lambda a: stats.powerlaw(a),
    "rayleigh": lambda scale: stats.rayleigh(scale=scale),
    "triangular": lambda left, mode, right: stats.triang((mode - left) / (right - left), left, right - left),
    "geometric": lambda p: stats.geom(p),
    "lognormal": lambda mean, sigma: stats.lognorm(sigma, scale=np.exp(mean)),
    "gamma": lambda a, scale: stats.gamma(a, scale=scale),
    "beta": lambda a, b: stats.beta(a, b),
    "chisquare": lambda df: stats.chi2(df),
    "f": lambda dfnum, dfden: stats.f(dfnum, dfden),
    "noncentral_chisquare": lambda df, nonc: stats.ncx2(df, nonc),
    "noncentral_f": lambda dfnum, dfden, nonc: stats.ncf(dfnum, dfden, nonc),
    "standard_t": lambda df: stats.t(df),
    "vonmises": lambda mu, kappa: stats.vonmises(kappa, mu),
    "wald": lambda mean, scale: stats.invgauss(mean / scale, scale=scale),
    "binomial": lambda n, p: stats.binom(n, p),
    "negative_binomial": lambda n, p: stats.nbinom(n, p),
    "poisson": lambda lam: stats.poisson(lam),
    "zipf": lambda a: stats.zipf(a),
    "hypergeometric": lambda good, bad, sample: stats.hypergeom(good + bad, good, sample),
    "logseries": lambda p: stats.logser(p),
}

PARAMETERS = {
    "exponential": [(1,), (2.5,)],
    "laplace": [(0, 1), (-3, 0.5)],
    "gumbel": [(0, 1), (2, 3)],
    "logistic": [(0, 1), (1, 0.25)],
    "standard_cauchy": [()],
    "pareto": [(1,), (3.5,)],
    "weibull": [(1,), (0.5,), (4,)],
    "power": [(1,), (0.3,), (5,)],
    "rayleigh": [(1,), (3,)],
    "triangular": [(-1, 0, 2), (0, 0, 1), (0, 1, 1)],
    "geometric": [(0.5,), (0.05,), (0.001,), (0.9,)],
    "lognormal": [(0, 1), (1, 0.25)],
    "gamma": [(1, 1), (0.3, 2), (0.02, 1), (2.5, 1), (30, 0.5), (1e4, 1)],
    "beta": [(1, 1), (0.5, 0.5), (0.05, 0.1), (2, 5), (100, 30)],
    "chisquare": [(1,), (2,), (7.5,)],
    "f": [(1, 1), (5, 10)],
    "noncentral_chisquare": [(0.5, 1), (1, 3), (4, 2), (10, 30)],
    "noncentral_f": [(3, 20, 1), (0.5, 9, 2)],
    "standard_t": [(1,), (3,), (50,)],
    "vonmises": [(0, 1e-6), (0, 0.5), (0, 4), (0, 200), (0, 1e7)],
    "wald": [(1, 1), (3, 0.5), (0.2, 10)],
    "binomial": [(10, 0.5), (1, 0.3), (40, 0.2), (50, 0.19), (30, 0.7), (100, 0.5), (1000, 0.01), (1000, 0.99),
                 (10**6, 0.3), (10**9, 0.5)],
    "negative_binomial": [(1, 0.5), (0.5, 0.2), (20, 0.1), (50, 0.9)],
    "poisson": [(0.1,), (1,), (9.5,), (10,), (12.5,), (50,), (1000,), (1e6,), (1e10,)],
    "zipf": [(1.5,), (2,), (4,)],
    "hypergeometric": [(10, 20, 5), (10, 20, 15), (100, 50, 40), (50, 100, 120), (5000, 20000, 3000), (3, 1000, 500)],
    "logseries": [(0.1,), (0.6,), (0.99,)],
}


def places(law, discrete, count):
    edges = np.asarray(law.ppf(np.arange(1, count) / count), dtype=float)
    edges = np.unique(edges[np.isfinite(edges)])
    while True:
        probabilities = np.diff(np.concatenate([[0.0], law.cdf(edges), [1.0]]))
        rare = np.flatnonzero(probabilities < 2e-4)
        if not len(rare):
            return edges, probabilities
        edges = np.delete(edges, min(rare[0], len(edges) - 1))


def main():
    golden = Golden(4)
    for name, rows in PARAMETERS.items():
        for row in rows:
            law = LAWS[name](*row)
            edges, probabilities = places(law, None, 64)
            assert len(edges) and abs(probabilities.sum() - 1) < 1e-9, (name, row)
            numbers = np.array([*row, *[0] * (3 - len(row))], dtype=float)
            golden.case(NUMBER[name], golden.block(numbers), golden.block(edges), golden.block(probabilities))
    golden.write("random", "make_golden_random.py", scipy=scipy.__version__)


if __name__ == "__main__":
    main()
