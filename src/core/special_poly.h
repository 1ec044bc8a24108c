/* SPDX-License-Identifier: BSD-3-Clause
 * The polynomials of special functions and their relative errors; made by tools/fit_elementary.py. */
#ifndef GARRAY_CORE_SPECIAL_POLY_H
#define GARRAY_CORE_SPECIAL_POLY_H

/* -log2(erfc(f)) / f, 0 <= f <= 4; the error counts relative to erf: 2^-35.4 */
E_TABLE(erf, 13) = {
    1.6279070285745747, 0.9184481944823393, 0.1482693686007993, -0.027594942167542495,
    -0.00030979987136670793, 0.0024705699390227915, -0.0008939302955955203, 8.621375110160575e-05,
    5.874285446574667e-05, -3.138708919185722e-05, 7.5480997098716955e-06, -9.627054444674766e-07,
    5.245387332317469e-08
};
E_FN double e_poly_erf(double f)
{
    double q = f * f;
    double even = E_K(erf, 12);
    even = e_fma(even, q, E_K(erf, 10));
    even = e_fma(even, q, E_K(erf, 8));
    even = e_fma(even, q, E_K(erf, 6));
    even = e_fma(even, q, E_K(erf, 4));
    even = e_fma(even, q, E_K(erf, 2));
    even = e_fma(even, q, E_K(erf, 0));
    double odd = E_K(erf, 11);
    odd = e_fma(odd, q, E_K(erf, 9));
    odd = e_fma(odd, q, E_K(erf, 7));
    odd = e_fma(odd, q, E_K(erf, 5));
    odd = e_fma(odd, q, E_K(erf, 3));
    odd = e_fma(odd, q, E_K(erf, 1));
    return e_fma(odd, f, even);
}

/* exp(x^2) erfc(x) (1 + 2 x) at f = (x - 2) / (x + 2), 0 <= x <= 10.2: 2^-38.0 */
E_TABLE(erfc, 15) = {
    1.276978381555784, -0.09276382652166978, -0.1660303982014096, 0.1640512760561889, -0.0542199846145011,
    -0.008033939966359737, 0.008722493055782496, 0.0012706878519020794, -0.0014561561100458736,
    -0.0004513666666724816, 0.000205545361055956, 0.00014369088558217313, -3.2706312530812566e-06,
    -2.735517219670594e-05, -7.443952313122334e-06
};
E_FN double e_poly_erfc(double f)
{
    double q = f * f;
    double even = E_K(erfc, 14);
    even = e_fma(even, q, E_K(erfc, 12));
    even = e_fma(even, q, E_K(erfc, 10));
    even = e_fma(even, q, E_K(erfc, 8));
    even = e_fma(even, q, E_K(erfc, 6));
    even = e_fma(even, q, E_K(erfc, 4));
    even = e_fma(even, q, E_K(erfc, 2));
    even = e_fma(even, q, E_K(erfc, 0));
    double odd = E_K(erfc, 13);
    odd = e_fma(odd, q, E_K(erfc, 11));
    odd = e_fma(odd, q, E_K(erfc, 9));
    odd = e_fma(odd, q, E_K(erfc, 7));
    odd = e_fma(odd, q, E_K(erfc, 5));
    odd = e_fma(odd, q, E_K(erfc, 3));
    odd = e_fma(odd, q, E_K(erfc, 1));
    return e_fma(odd, f, even);
}

/* x (log(gamma(x)) - (x - 1/2) log(x) + x - log(2 pi) / 2) in u = 1 / x^2, 3 <= x; absolute: 2^-45.6 */
E_TABLE(stirling, 7) = {
    0.08333333333244547, -0.0027777774626799594, 0.0007936181990318507, -0.0005937248643618048,
    0.0008043521828403139, -0.00138215184825631, 0.0016770419586694199
};
E_FN double e_poly_stirling(double u)
{
    double q = u * u;
    double even = E_K(stirling, 6);
    even = e_fma(even, q, E_K(stirling, 4));
    even = e_fma(even, q, E_K(stirling, 2));
    even = e_fma(even, q, E_K(stirling, 0));
    double odd = E_K(stirling, 5);
    odd = e_fma(odd, q, E_K(stirling, 3));
    odd = e_fma(odd, q, E_K(stirling, 1));
    return e_fma(odd, u, even);
}

/* log(gamma(x)) / ((x - 1) (x - 2)) at f = x - 2, 1 <= x <= 3: 2^-37.4 */
E_TABLE(lgamma, 18) = {
    0.4227843351007928, -0.10031730168574719, 0.032965000250129446, -0.012384191522207174,
    0.004998650876639994, -0.0021081423948316733, 0.000915279503528692, -0.0004056173020976114,
    0.00018303873312246633, -8.347275158598696e-05, 3.6821454589881145e-05, -1.6742478689515367e-05,
    1.0374404064264287e-05, -5.172971047662282e-06, -1.1996424244593297e-07, 2.387467008894859e-07,
    1.2472295024480137e-06, -6.349506187278745e-07
};
E_FN double e_poly_lgamma(double f)
{
    double q = f * f;
    double even = E_K(lgamma, 16);
    even = e_fma(even, q, E_K(lgamma, 14));
    even = e_fma(even, q, E_K(lgamma, 12));
    even = e_fma(even, q, E_K(lgamma, 10));
    even = e_fma(even, q, E_K(lgamma, 8));
    even = e_fma(even, q, E_K(lgamma, 6));
    even = e_fma(even, q, E_K(lgamma, 4));
    even = e_fma(even, q, E_K(lgamma, 2));
    even = e_fma(even, q, E_K(lgamma, 0));
    double odd = E_K(lgamma, 17);
    odd = e_fma(odd, q, E_K(lgamma, 15));
    odd = e_fma(odd, q, E_K(lgamma, 13));
    odd = e_fma(odd, q, E_K(lgamma, 11));
    odd = e_fma(odd, q, E_K(lgamma, 9));
    odd = e_fma(odd, q, E_K(lgamma, 7));
    odd = e_fma(odd, q, E_K(lgamma, 5));
    odd = e_fma(odd, q, E_K(lgamma, 3));
    odd = e_fma(odd, q, E_K(lgamma, 1));
    return e_fma(odd, f, even);
}

/* gamma(x) at f = x - 5/2, 2 <= x <= 3: 2^-56.9 */
E_TABLE(gamma, 17) = {
    1.329340388179137, 0.9347345216260858, 0.654558577981334, 0.2538712468410861, 0.10967323400241041,
    0.028360780598076552, 0.010392403417256453, 0.0016074004024916743, 0.0007544742783649319,
    3.942892376882768e-06, 6.132852985520402e-05, -1.2810042047456728e-05, 7.262013008578025e-06,
    -2.5243422533646405e-06, 1.0559803956194977e-06, -5.054169044765617e-07, 2.1545475240132142e-07
};
E_FN double e_poly_gamma(double f)
{
    double q = f * f;
    double even = E_K(gamma, 16);
    even = e_fma(even, q, E_K(gamma, 14));
    even = e_fma(even, q, E_K(gamma, 12));
    even = e_fma(even, q, E_K(gamma, 10));
    even = e_fma(even, q, E_K(gamma, 8));
    even = e_fma(even, q, E_K(gamma, 6));
    even = e_fma(even, q, E_K(gamma, 4));
    even = e_fma(even, q, E_K(gamma, 2));
    even = e_fma(even, q, E_K(gamma, 0));
    double odd = E_K(gamma, 15);
    odd = e_fma(odd, q, E_K(gamma, 13));
    odd = e_fma(odd, q, E_K(gamma, 11));
    odd = e_fma(odd, q, E_K(gamma, 9));
    odd = e_fma(odd, q, E_K(gamma, 7));
    odd = e_fma(odd, q, E_K(gamma, 5));
    odd = e_fma(odd, q, E_K(gamma, 3));
    odd = e_fma(odd, q, E_K(gamma, 1));
    return e_fma(odd, f, even);
}

/* (sin(pi r) / r - pi) / r^2 in u = r^2, |r| <= 1/2: 2^-61.7 */
E_TABLE(sinpi, 8) = {
    -5.167712780049969, 2.550164039877303, -0.5992645293189611, 0.08214588657282776, -0.007370430500690439,
    0.0004662997821442711, -2.1903396579632957e-05, 7.696695490304411e-07
};
E_FN double e_poly_sinpi(double u)
{
    double q = u * u;
    double even = E_K(sinpi, 6);
    even = e_fma(even, q, E_K(sinpi, 4));
    even = e_fma(even, q, E_K(sinpi, 2));
    even = e_fma(even, q, E_K(sinpi, 0));
    double odd = E_K(sinpi, 7);
    odd = e_fma(odd, q, E_K(sinpi, 5));
    odd = e_fma(odd, q, E_K(sinpi, 3));
    odd = e_fma(odd, q, E_K(sinpi, 1));
    return e_fma(odd, u, even);
}

/* (I0(x) - 1) / u in u = x^2 / 4, 0 <= x <= 8: 2^-59.9 */
E_TABLE(i0, 15) = {
    1.0, 0.2499999999999997, 0.027777777777778744, 0.0017361111111096018, 6.944444444579502e-05,
    1.9290123449168513e-06, 3.93675991792431e-08, 6.151186571200392e-10, 7.594072539355113e-12,
    7.59386874014654e-14, 6.277917962264351e-16, 4.345729576352393e-18, 2.639289480504252e-20,
    1.1281535834470926e-22, 9.190396666895555e-25
};
E_FN double e_poly_i0(double u)
{
    double q = u * u;
    double even = E_K(i0, 14);
    even = e_fma(even, q, E_K(i0, 12));
    even = e_fma(even, q, E_K(i0, 10));
    even = e_fma(even, q, E_K(i0, 8));
    even = e_fma(even, q, E_K(i0, 6));
    even = e_fma(even, q, E_K(i0, 4));
    even = e_fma(even, q, E_K(i0, 2));
    even = e_fma(even, q, E_K(i0, 0));
    double odd = E_K(i0, 13);
    odd = e_fma(odd, q, E_K(i0, 11));
    odd = e_fma(odd, q, E_K(i0, 9));
    odd = e_fma(odd, q, E_K(i0, 7));
    odd = e_fma(odd, q, E_K(i0, 5));
    odd = e_fma(odd, q, E_K(i0, 3));
    odd = e_fma(odd, q, E_K(i0, 1));
    return e_fma(odd, u, even);
}

/* I0(x) exp(-x) sqrt(x) at f = 1 / x, 8 <= x <= 93: 2^-33.9 */
E_TABLE(i0_tail, 9) = {
    0.39894227836822893, 0.04986824681772305, 0.02801003829051035, 0.031036258705102546,
    -0.0009466866295550682, 0.7544907689231187, -5.176943530724331, 22.3821200293429, -24.488718446470582
};
E_FN double e_poly_i0_tail(double f)
{
    double q = f * f;
    double even = E_K(i0_tail, 8);
    even = e_fma(even, q, E_K(i0_tail, 6));
    even = e_fma(even, q, E_K(i0_tail, 4));
    even = e_fma(even, q, E_K(i0_tail, 2));
    even = e_fma(even, q, E_K(i0_tail, 0));
    double odd = E_K(i0_tail, 7);
    odd = e_fma(odd, q, E_K(i0_tail, 5));
    odd = e_fma(odd, q, E_K(i0_tail, 3));
    odd = e_fma(odd, q, E_K(i0_tail, 1));
    return e_fma(odd, f, even);
}

#endif
