/* SPDX-License-Identifier: BSD-3-Clause
 * Sums of three float64, some 2^-150 of their value exact: for the few arguments of lgamma and logaddexp whose result is
 * what large terms leave when they cancel.  Slow, and the same bits on every device. */
#ifndef GARRAY__FORMULA_TRIPLE_H
#define GARRAY__FORMULA_TRIPLE_H

#include "formula_wide.h"

typedef struct w_triple {
    double hi, mid, lo;
} w_triple;

GARRAY_FN w_triple t_make(double hi, double mid, double lo)
{
    /* Twice, since the first two may cancel. */
    c_pair low = w_sum(mid, lo), high = w_sum(hi, low.hi);
    w_triple r;

    low = w_sum(high.lo, low.lo);
    high = w_sum(high.hi, low.hi);
    low = w_sum(high.lo, low.lo);
    r.hi = high.hi;
    r.mid = low.hi;
    r.lo = low.lo;
    return r;
}

GARRAY_FN w_triple t_negative(w_triple a) { return t_make(-a.hi, -a.mid, -a.lo); }

GARRAY_LONG_FN w_triple t_add(w_triple a, w_triple b)
{
    const c_pair s = w_sum(a.hi, b.hi), t = w_sum(a.mid, b.mid), u = w_sum(t.hi, s.lo), low = w_sum(a.lo, b.lo);
    const c_pair rest = w_sum(t.lo, u.lo), all = w_sum(rest.hi, low.hi);

    return t_make(s.hi, u.hi, all.hi + ((all.lo + rest.lo) + low.lo));
}

GARRAY_LONG_FN w_triple t_multiply(w_triple a, w_triple b)
{
    const c_pair p = w_product(a.hi, b.hi), q = w_product(a.hi, b.mid), r = w_product(a.mid, b.hi);
    const c_pair s = w_sum(q.hi, r.hi), t = w_sum(s.hi, p.lo);
    const double outer = fma(a.hi, b.lo, fma(a.lo, b.hi, GARRAY_PRODUCT(a.mid * b.mid)));

    return t_make(p.hi, t.hi, ((s.lo + t.lo) + (q.lo + r.lo)) + outer);
}

GARRAY_LONG_FN w_triple t_divide(w_triple a, double d)
{
    double q[3];

    for (int i = 0; i < 3; i++) {
        q[i] = a.hi / d;
        const c_pair p = w_product(-q[i], d);
        a = t_add(a, t_make(p.hi, p.lo, 0));
    }
    return t_make(q[0], q[1], q[2]);
}

GARRAY_FN w_triple t_log_2(void) { return t_make(W_LN2, W_LN2_LOW, W_LN2_LOWEST); }

/* exp(x) - 1 of |x| <= 0.7 by its series. */
GARRAY_LONG_FN w_triple t_expm1(w_triple x)
{
    const w_triple one = t_make(1, 0, 0);
    w_triple sum = one;

    for (double n = 40; n > 1.5; n -= 1)
        sum = t_add(one, t_multiply(t_divide(x, n), sum));
    return t_multiply(x, sum);
}

/* exp(x) = m 2^k. */
GARRAY_LONG_FN w_triple t_exp(w_triple x, double *k)
{
    const double n = rint(x.hi * W_LOG2E);

    *k = n;
    return t_add(t_make(1, 0, 0), t_expm1(t_add(x, t_multiply(t_make(-n, 0, 0), t_log_2()))));
}

/* log(x) of 2^-900 < x < 2^900: a step of Newton's from the logarithm of a pair. */
GARRAY_LONG_FN w_triple t_log(w_triple x)
{
    const c_pair start = w_log(w_pair(x.hi, x.mid));
    const w_triple y = t_make(start.hi, start.lo, 0);
    double k;
    w_triple e = t_exp(t_negative(y), &k);
    const double power = e_power_of_two(k + E_ROUND);

    e.hi *= power;
    e.mid *= power;
    e.lo *= power;
    const w_triple d = t_add(t_multiply(x, e), t_make(-1, 0, 0));
    return t_add(y, t_add(d, t_make(GARRAY_PRODUCT(-0.5 * d.hi) * d.hi, 0, 0)));
}

/* log(1 + v) of |v| < 1/8, as a pair. */
GARRAY_LONG_FN c_pair t_log1p(w_triple v)
{
    const c_pair square = w_product(v.hi, v.hi);
    double series = 0;

    for (double n = 24; n > 2.5; n -= 1)
        series = 1 / n - GARRAY_PRODUCT(v.hi * series);
    series = GARRAY_PRODUCT(square.hi * v.hi) * series - fma(v.hi, v.mid, 0.5 * square.lo);
    return c_pair_add(w_pair(v.hi, v.mid), w_sum(-0.5 * square.hi, series));
}

/* log(exp(a) + exp(b)), or of powers of 2, where that is near 0 (so a and b are below 0):
 * log(1 + v), v = (exp(larger) - 1) + exp(smaller). */
GARRAY_LONG_FN double t_logaddexp(double a, double b, int binary)
{
    const double larger = a > b ? a : b, smaller = a > b ? b : a, whole = binary ? rint(smaller) : 0;
    const double raise = larger > -0x1p-400 ? 600 : 0;
    const w_triple factor = binary ? t_log_2() : t_make(1, 0, 0);
    const w_triple top = t_multiply(t_make(raise > 0 ? larger * 0x1p600 : larger, 0, 0), factor);
    double k;
    w_triple e = t_exp(t_multiply(t_make(smaller - whole, 0, 0), factor), &k);
    const double shift = k + whole + raise;

    e.hi = w_scale(e.hi, shift);
    e.mid = w_scale(e.mid, shift);
    e.lo = w_scale(e.lo, shift);
    const w_triple v = t_add(raise > 0 ? top : t_expm1(top), e);
    c_pair y = raise > 0 ? w_pair(v.hi, v.mid) : t_log1p(v);
    if (binary)
        y = c_pair_multiply(y, w_pair(W_LOG2E, W_LOG2E_LOW));
    return raise > 0 ? y.hi * 0x1p-600 : y.hi;
}

/* B(2n) / (2n (2n - 1)) */
GARRAY_FN w_triple t_stirling_term(int n)
{
    const double over = n == 0 ? 1 : n == 1 ? -1 : n == 2 ? 1 : n == 3 ? -1 : n == 4 ? 1 : n == 5 ? -691 : n == 6 ? 1
                        : n == 7 ? -3617 : n == 8 ? 43867 : n == 9 ? -174611 : n == 10 ? 77683 : n == 11 ? -236364091
                        : n == 12 ? 657931 : n == 13 ? -3392780147.0 : 1723168255201.0;
    const double under = n == 0 ? 12 : n == 1 ? 360 : n == 2 ? 1260 : n == 3 ? 1680 : n == 4 ? 1188 : n == 5 ? 360360
                         : n == 6 ? 156 : n == 7 ? 122400 : n == 8 ? 244188 : n == 9 ? 125400 : n == 10 ? 5796
                         : n == 11 ? 1506960 : n == 12 ? 300 : n == 13 ? 93960 : 2492028;

    return t_divide(t_make(over, 0, 0), under);
}

/* log|gamma(a)| of -40 < a < 0: Stirling's series at a + shift >= 40, less the logarithm of the factors between. */
GARRAY_LONG_FN double t_lgamma(double a)
{
    const double shift = 40 - floor(a);
    const c_pair sum = w_sum(a, shift);
    const w_triple w = t_make(sum.hi, sum.lo, 0), logarithm = t_log(w);
    w_triple product = t_make(1, 0, 0), inverse = t_make(1 / w.hi, 0, 0), series = t_make(0, 0, 0), square;
    w_triple y = t_add(t_multiply(t_add(w, t_make(-0.5, 0, 0)), logarithm), t_negative(w));

    for (double i = 0; i < shift; i += 1) {
        const c_pair factor = w_sum(a, i);
        product = t_multiply(product, t_make(factor.hi, factor.lo, 0));
    }
    /* 1 / w by Newton's steps. */
    for (int i = 0; i < 2; i++) {
        const w_triple rest = t_add(t_make(1, 0, 0), t_negative(t_multiply(w, inverse)));
        inverse = t_add(inverse, t_multiply(inverse, rest));
    }
    square = t_multiply(inverse, inverse);
    for (int n = 14; n >= 0; n--)
        series = t_add(t_multiply(series, square), t_stirling_term(n));
    y = t_add(y, t_add(t_multiply(series, inverse), t_make(W_HALF_LOG_2PI, W_HALF_LOG_2PI_LOW, W_HALF_LOG_2PI_LOWEST)));
    if (product.hi < 0)
        product = t_negative(product);
    return t_add(y, t_negative(t_log(product))).hi;
}

#endif
