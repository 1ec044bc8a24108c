/* SPDX-License-Identifier: BSD-3-Clause
 * The polynomials of elementary.h and their relative errors; made by tools/fit_elementary.py. */
#ifndef GARRAY_CORE_ELEMENTARY_POLY_H
#define GARRAY_CORE_ELEMENTARY_POLY_H

/* (2^f - 1) / f, |f| <= 1/2; the error counts relative to 2^f: 2^-34.3 */
E_TABLE(exp2, 7) = {
    0.6931471807047628, 0.24022651067002523, 0.0555041036539304, 0.009618038059680954, 0.0013333935355197683,
    0.0001546678151056378, 1.5196134368275322e-05
};
E_FN double e_poly_exp2(double f)
{
    double q = f * f;
    double even = E_K(exp2, 6);
    even = e_fma(even, q, E_K(exp2, 4));
    even = e_fma(even, q, E_K(exp2, 2));
    even = e_fma(even, q, E_K(exp2, 0));
    double odd = E_K(exp2, 5);
    odd = e_fma(odd, q, E_K(exp2, 3));
    odd = e_fma(odd, q, E_K(exp2, 1));
    return e_fma(odd, f, even);
}

/* (2^f - 1) / f, |f| <= 1/2; the error counts relative to 2^f - 1: 2^-37.7 */
E_TABLE(exp2m1, 8) = {
    0.6931471805568717, 0.24022650696490103, 0.05550410906054311, 0.009618128942329381, 0.0013333478750793288,
    0.0001540362967099165, 1.530363019839829e-05, 1.3215476547489913e-06
};
E_FN double e_poly_exp2m1(double f)
{
    double q = f * f;
    double even = E_K(exp2m1, 6);
    even = e_fma(even, q, E_K(exp2m1, 4));
    even = e_fma(even, q, E_K(exp2m1, 2));
    even = e_fma(even, q, E_K(exp2m1, 0));
    double odd = E_K(exp2m1, 7);
    odd = e_fma(odd, q, E_K(exp2m1, 5));
    odd = e_fma(odd, q, E_K(exp2m1, 3));
    odd = e_fma(odd, q, E_K(exp2m1, 1));
    return e_fma(odd, f, even);
}

/* log(1 + f) / f, sqrt(1/2) <= 1 + f <= sqrt(2): 2^-33.2 */
E_TABLE(log, 12) = {
    1.0000000000349238, -0.5000000033054667, 0.3333333151495422, -0.24999933479850833, 0.20000113355285412,
    -0.1667047903810834, 0.1428550394496023, -0.12410588818930365, 0.1102114308232391, -0.10881181511984815,
    0.1073391063486278, -0.059850530154184726
};
E_FN double e_poly_log(double f)
{
    double q = f * f;
    double even = E_K(log, 10);
    even = e_fma(even, q, E_K(log, 8));
    even = e_fma(even, q, E_K(log, 6));
    even = e_fma(even, q, E_K(log, 4));
    even = e_fma(even, q, E_K(log, 2));
    even = e_fma(even, q, E_K(log, 0));
    double odd = E_K(log, 11);
    odd = e_fma(odd, q, E_K(log, 9));
    odd = e_fma(odd, q, E_K(log, 7));
    odd = e_fma(odd, q, E_K(log, 5));
    odd = e_fma(odd, q, E_K(log, 3));
    odd = e_fma(odd, q, E_K(log, 1));
    return e_fma(odd, f, even);
}

/* the same to more digits, for pow: 2^-41.1 */
E_TABLE(log_long, 15) = {
    1.0000000000002711, -0.4999999999864772, 0.3333333330716796, -0.250000003935014, 0.2000000433230289,
    -0.1666663574073146, 0.1428543529568313, -0.12500937343014493, 0.11119829740721462, -0.09990066005668459,
    0.08951588570396533, -0.08291815302545699, 0.0874221133126429, -0.0856178915197575, 0.0437942292980673
};
E_FN double e_poly_log_long(double f)
{
    double q = f * f;
    double even = E_K(log_long, 14);
    even = e_fma(even, q, E_K(log_long, 12));
    even = e_fma(even, q, E_K(log_long, 10));
    even = e_fma(even, q, E_K(log_long, 8));
    even = e_fma(even, q, E_K(log_long, 6));
    even = e_fma(even, q, E_K(log_long, 4));
    even = e_fma(even, q, E_K(log_long, 2));
    even = e_fma(even, q, E_K(log_long, 0));
    double odd = E_K(log_long, 13);
    odd = e_fma(odd, q, E_K(log_long, 11));
    odd = e_fma(odd, q, E_K(log_long, 9));
    odd = e_fma(odd, q, E_K(log_long, 7));
    odd = e_fma(odd, q, E_K(log_long, 5));
    odd = e_fma(odd, q, E_K(log_long, 3));
    odd = e_fma(odd, q, E_K(log_long, 1));
    return e_fma(odd, f, even);
}

/* (sin(r) - r) / r^3 in u = r^2, |r| <= pi/2: 2^-35.3 */
E_TABLE(sin_half, 5) = {
    -0.16666666626107973, 0.008333331106784202, -0.00019840867965033356, 2.752537152807203e-06,
    -2.3888676660927337e-08
};
E_FN double e_poly_sin_half(double u)
{
    double p = E_K(sin_half, 4);
    p = e_fma(p, u, E_K(sin_half, 3));
    p = e_fma(p, u, E_K(sin_half, 2));
    p = e_fma(p, u, E_K(sin_half, 1));
    p = e_fma(p, u, E_K(sin_half, 0));
    return p;
}

/* (sin(r) - r) / r^3 in u = r^2, |r| <= pi/4: 2^-37.5 */
E_TABLE(sin, 4) = {
    -0.1666666664077625, 0.008333329302418683, -0.00019839311485753285, 2.7181141200607435e-06
};
E_FN double e_poly_sin(double u)
{
    double p = E_K(sin, 3);
    p = e_fma(p, u, E_K(sin, 2));
    p = e_fma(p, u, E_K(sin, 1));
    p = e_fma(p, u, E_K(sin, 0));
    return p;
}

/* (cos(r) - 1) / r^2 in u = r^2, |r| <= pi/4: 2^-33.9 */
E_TABLE(cos, 4) = {
    -0.49999999694225344, 0.0416666203287839, -0.0013886680751207627, 2.438348281535429e-05
};
E_FN double e_poly_cos(double u)
{
    double p = E_K(cos, 3);
    p = e_fma(p, u, E_K(cos, 2));
    p = e_fma(p, u, E_K(cos, 1));
    p = e_fma(p, u, E_K(cos, 0));
    return p;
}

/* (sinh(r) - r) / r^3 in u = r^2, |r| <= log(2)/2: 2^-37.5 */
E_TABLE(sinh, 3) = {
    0.16666666754077564, 0.008333289081594067, 0.00019904884824337838
};
E_FN double e_poly_sinh(double u)
{
    double p = E_K(sinh, 2);
    p = e_fma(p, u, E_K(sinh, 1));
    p = e_fma(p, u, E_K(sinh, 0));
    return p;
}

/* (cosh(r) - 1) / r^2 in u = r^2, |r| <= log(2)/2: 2^-34.3 */
E_TABLE(cosh, 3) = {
    0.500000007788407, 0.041666270446069284, 0.0013946028506637816
};
E_FN double e_poly_cosh(double u)
{
    double p = E_K(cosh, 2);
    p = e_fma(p, u, E_K(cosh, 1));
    p = e_fma(p, u, E_K(cosh, 0));
    return p;
}

/* (asin(t) - t) / t^3 in u = t^2, |t| <= 1/2: 2^-35.8 */
E_TABLE(asin, 7) = {
    0.16666667180258365, 0.07499948897746314, 0.04465997212004363, 0.030112525869187667, 0.02460470935734741,
    0.007509480544617731, 0.03464632092460165
};
E_FN double e_poly_asin(double u)
{
    double q = u * u;
    double even = E_K(asin, 6);
    even = e_fma(even, q, E_K(asin, 4));
    even = e_fma(even, q, E_K(asin, 2));
    even = e_fma(even, q, E_K(asin, 0));
    double odd = E_K(asin, 5);
    odd = e_fma(odd, q, E_K(asin, 3));
    odd = e_fma(odd, q, E_K(asin, 1));
    return e_fma(odd, u, even);
}

/* (atan(t) - t) / t^3 in u = t^2, |t| <= tan(pi/8): 2^-35.4 */
E_TABLE(atan, 6) = {
    -0.3333333249911447, 0.19999903907072197, -0.14282007738669084, 0.11044691483191676, -0.08476269071146669,
    0.047440493332432686
};
E_FN double e_poly_atan(double u)
{
    double q = u * u;
    double even = E_K(atan, 4);
    even = e_fma(even, q, E_K(atan, 2));
    even = e_fma(even, q, E_K(atan, 0));
    double odd = E_K(atan, 5);
    odd = e_fma(odd, q, E_K(atan, 3));
    odd = e_fma(odd, q, E_K(atan, 1));
    return e_fma(odd, u, even);
}

/* (atanh(t) - t) / t^3 in u = t^2, |t| <= 0.2005: 2^-35.3 */
E_TABLE(atanh, 4) = {
    0.3333333151894919, 0.2000043589256613, 0.1425327972429256, 0.12053575227103623
};
E_FN double e_poly_atanh(double u)
{
    double p = E_K(atanh, 3);
    p = e_fma(p, u, E_K(atanh, 2));
    p = e_fma(p, u, E_K(atanh, 1));
    p = e_fma(p, u, E_K(atanh, 0));
    return p;
}

/* m^(-1/3), 1 <= m <= 2: a start, 2^-16, for one step of third order: 2^-17.4 */
E_TABLE(rcbrt, 6) = {
    1.7810577297270134, -1.5660288081145701, 1.243785600256968, -0.5978727662227156, 0.15607151768012253,
    -0.017019022011754335
};
E_FN double e_poly_rcbrt(double m)
{
    double q = m * m;
    double even = E_K(rcbrt, 4);
    even = e_fma(even, q, E_K(rcbrt, 2));
    even = e_fma(even, q, E_K(rcbrt, 0));
    double odd = E_K(rcbrt, 5);
    odd = e_fma(odd, q, E_K(rcbrt, 3));
    odd = e_fma(odd, q, E_K(rcbrt, 1));
    return e_fma(odd, m, even);
}

#endif
