/* SPDX-License-Identifier: BSD-3-Clause
 * The polynomials of the CPU's float64 loops and their relative errors; made by tools/fit_elementary.py. */
#ifndef GARRAY_CPU_VECMATH_POLY_H
#define GARRAY_CPU_VECMATH_POLY_H

/* (2 atanh(s) / s - 2) / u in u = s^2, |s| <= 0.1716: 2^-59.5 */
E_TABLE(log_rest, 7) = {
    0.6666666666666734, 0.39999999999413993, 0.2857142874259595, 0.22222198546254504, 0.18183566001979037,
    0.1531400089957796, 0.14796511628659476
};
E_FN double e_poly_log_rest(double u)
{
    double q = u * u;
    double even = E_K(log_rest, 6);
    even = e_fma(even, q, E_K(log_rest, 4));
    even = e_fma(even, q, E_K(log_rest, 2));
    even = e_fma(even, q, E_K(log_rest, 0));
    double odd = E_K(log_rest, 5);
    odd = e_fma(odd, q, E_K(log_rest, 3));
    odd = e_fma(odd, q, E_K(log_rest, 1));
    return e_fma(odd, u, even);
}

#endif
