/* SPDX-License-Identifier: BSD-3-Clause
 * The polynomials of elementary.h and their relative errors; made by tools/fit_elementary.py. */
#ifndef GARRAY_CORE_ELEMENTARY_POLY_H
#define GARRAY_CORE_ELEMENTARY_POLY_H

/* (2^f - 1) / f, |f| <= 1/2; the error counts relative to 2^f: 2^-34.3 */
E_FN double e_poly_exp2(double f)
{
    double q = f * f;
    double even = 1.5196134368275322e-05;
    even = e_fma(even, q, 0.0013333935355197683);
    even = e_fma(even, q, 0.0555041036539304);
    even = e_fma(even, q, 0.6931471807047628);
    double odd = 0.0001546678151056378;
    odd = e_fma(odd, q, 0.009618038059680954);
    odd = e_fma(odd, q, 0.24022651067002523);
    return e_fma(odd, f, even);
}

/* (2^f - 1) / f, |f| <= 1/2; the error counts relative to 2^f - 1: 2^-37.7 */
E_FN double e_poly_exp2m1(double f)
{
    double q = f * f;
    double even = 1.530363019839829e-05;
    even = e_fma(even, q, 0.0013333478750793288);
    even = e_fma(even, q, 0.05550410906054311);
    even = e_fma(even, q, 0.6931471805568717);
    double odd = 1.3215476547489913e-06;
    odd = e_fma(odd, q, 0.0001540362967099165);
    odd = e_fma(odd, q, 0.009618128942329381);
    odd = e_fma(odd, q, 0.24022650696490103);
    return e_fma(odd, f, even);
}

/* log(1 + f) / f, sqrt(1/2) <= 1 + f <= sqrt(2): 2^-33.2 */
E_FN double e_poly_log(double f)
{
    double q = f * f;
    double even = 0.1073391063486278;
    even = e_fma(even, q, 0.1102114308232391);
    even = e_fma(even, q, 0.1428550394496023);
    even = e_fma(even, q, 0.20000113355285412);
    even = e_fma(even, q, 0.3333333151495422);
    even = e_fma(even, q, 1.0000000000349238);
    double odd = -0.059850530154184726;
    odd = e_fma(odd, q, -0.10881181511984815);
    odd = e_fma(odd, q, -0.12410588818930365);
    odd = e_fma(odd, q, -0.1667047903810834);
    odd = e_fma(odd, q, -0.24999933479850833);
    odd = e_fma(odd, q, -0.5000000033054667);
    return e_fma(odd, f, even);
}

/* the same to more digits, for pow: 2^-41.1 */
E_FN double e_poly_log_long(double f)
{
    double q = f * f;
    double even = 0.0437942292980673;
    even = e_fma(even, q, 0.0874221133126429);
    even = e_fma(even, q, 0.08951588570396533);
    even = e_fma(even, q, 0.11119829740721462);
    even = e_fma(even, q, 0.1428543529568313);
    even = e_fma(even, q, 0.2000000433230289);
    even = e_fma(even, q, 0.3333333330716796);
    even = e_fma(even, q, 1.0000000000002711);
    double odd = -0.0856178915197575;
    odd = e_fma(odd, q, -0.08291815302545699);
    odd = e_fma(odd, q, -0.09990066005668459);
    odd = e_fma(odd, q, -0.12500937343014493);
    odd = e_fma(odd, q, -0.1666663574073146);
    odd = e_fma(odd, q, -0.250000003935014);
    odd = e_fma(odd, q, -0.4999999999864772);
    return e_fma(odd, f, even);
}

/* (sin(r) - r) / r^3 in u = r^2, |r| <= pi/2: 2^-35.3 */
E_FN double e_poly_sin_half(double u)
{
    double p = -2.3888676660927337e-08;
    p = e_fma(p, u, 2.752537152807203e-06);
    p = e_fma(p, u, -0.00019840867965033356);
    p = e_fma(p, u, 0.008333331106784202);
    p = e_fma(p, u, -0.16666666626107973);
    return p;
}

/* (sin(r) - r) / r^3 in u = r^2, |r| <= pi/4: 2^-37.5 */
E_FN double e_poly_sin(double u)
{
    double p = 2.7181141200607435e-06;
    p = e_fma(p, u, -0.00019839311485753285);
    p = e_fma(p, u, 0.008333329302418683);
    p = e_fma(p, u, -0.1666666664077625);
    return p;
}

/* (cos(r) - 1) / r^2 in u = r^2, |r| <= pi/4: 2^-33.9 */
E_FN double e_poly_cos(double u)
{
    double p = 2.438348281535429e-05;
    p = e_fma(p, u, -0.0013886680751207627);
    p = e_fma(p, u, 0.0416666203287839);
    p = e_fma(p, u, -0.49999999694225344);
    return p;
}

/* (sinh(r) - r) / r^3 in u = r^2, |r| <= log(2)/2: 2^-37.5 */
E_FN double e_poly_sinh(double u)
{
    double p = 0.00019904884824337838;
    p = e_fma(p, u, 0.008333289081594067);
    p = e_fma(p, u, 0.16666666754077564);
    return p;
}

/* (cosh(r) - 1) / r^2 in u = r^2, |r| <= log(2)/2: 2^-34.3 */
E_FN double e_poly_cosh(double u)
{
    double p = 0.0013946028506637816;
    p = e_fma(p, u, 0.041666270446069284);
    p = e_fma(p, u, 0.500000007788407);
    return p;
}

/* (asin(t) - t) / t^3 in u = t^2, |t| <= 1/2: 2^-35.8 */
E_FN double e_poly_asin(double u)
{
    double q = u * u;
    double even = 0.03464632092460165;
    even = e_fma(even, q, 0.02460470935734741);
    even = e_fma(even, q, 0.04465997212004363);
    even = e_fma(even, q, 0.16666667180258365);
    double odd = 0.007509480544617731;
    odd = e_fma(odd, q, 0.030112525869187667);
    odd = e_fma(odd, q, 0.07499948897746314);
    return e_fma(odd, u, even);
}

/* (atan(t) - t) / t^3 in u = t^2, |t| <= tan(pi/8): 2^-35.4 */
E_FN double e_poly_atan(double u)
{
    double q = u * u;
    double even = -0.08476269071146669;
    even = e_fma(even, q, -0.14282007738669084);
    even = e_fma(even, q, -0.3333333249911447);
    double odd = 0.047440493332432686;
    odd = e_fma(odd, q, 0.11044691483191676);
    odd = e_fma(odd, q, 0.19999903907072197);
    return e_fma(odd, u, even);
}

/* (atanh(t) - t) / t^3 in u = t^2, |t| <= 0.2005: 2^-35.3 */
E_FN double e_poly_atanh(double u)
{
    double p = 0.12053575227103623;
    p = e_fma(p, u, 0.1425327972429256);
    p = e_fma(p, u, 0.2000043589256613);
    p = e_fma(p, u, 0.3333333151894919);
    return p;
}

/* m^(-1/3), 1 <= m <= 2: a start, 2^-16, for one step of third order: 2^-17.4 */
E_FN double e_poly_rcbrt(double m)
{
    double q = m * m;
    double even = 0.15607151768012253;
    even = e_fma(even, q, 1.243785600256968);
    even = e_fma(even, q, 1.7810577297270134);
    double odd = -0.017019022011754335;
    odd = e_fma(odd, q, -0.5978727662227156);
    odd = e_fma(odd, q, -1.5660288081145701);
    return e_fma(odd, m, even);
}

#endif
