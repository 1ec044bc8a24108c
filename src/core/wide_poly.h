/* SPDX-License-Identifier: BSD-3-Clause
 * The polynomials of special functions of float64 and their relative errors; made by tools/fit_elementary.py. */
#ifndef GARRAY_CORE_WIDE_POLY_H
#define GARRAY_CORE_WIDE_POLY_H

#define W_ROOT_PI_2 1.1283791670955126    /* 2 / sqrt(pi) */
#define W_ROOT_PI_2_LOW 1.533545961316588e-17
#define W_ERFC_0 1.2769783815525286    /* exp(x^2) erfc(x) (1 + 2 x) at x = 2 */
#define W_ERFC_0_LOW 8.964219101168592e-17
#define W_ERFC_1 -0.09276382658574601    /* its derivative by f */
#define W_ERFC_1_LOW -2.9875512150124486e-18
#define W_ERFINV_0 0.886226925452758    /* sqrt(pi) / 2 */
#define W_ERFINV_0_LOW -3.8332932499128993e-17
#define W_LGAMMA_0 0.42278433509846713    /* lgamma(2 + f) / f at 0 */
#define W_LGAMMA_0_LOW 4.942915152430645e-18
#define W_LGAMMA_1 0.3224670334241132    /* its derivative */
#define W_LGAMMA_1_LOW 1.520336175199238e-17
#define W_I0_0 0.4021765094450081    /* I0(x) exp(-x) sqrt(x) at x = 16 */
#define W_I0_0_LOW -2.5469137991304108e-17
#define W_HALF_LOG_2PI 0.9189385332046728    /* log(2 pi) / 2 */
#define W_HALF_LOG_2PI_LOW -3.8782941580672414e-17
#define W_HALF_LOG_2PI_LOWEST -1.323971596849807e-33
#define W_LN2 0.6931471805599453    /* log(2) */
#define W_LN2_LOW 2.3190468138462996e-17
#define W_LN2_LOWEST 5.707708438416212e-34
#define W_LOG2E 1.4426950408889634    /* 1 / log(2) */
#define W_LOG2E_LOW 2.0355273740931033e-17
#define W_PI 3.141592653589793    /* pi */
#define W_PI_LOW 1.2246467991473532e-16
#define W_LOG_PI 1.1447298858494002    /* log(pi) */
#define W_LOG_PI_LOW 1.0265951162707826e-17

/* (exp(f) - 1 - f - f^2 / 2) / f^3, |f| <= log(2) / 2: 2^-60.9 */
E_TABLE(exp_rest, 10) = {
    0.16666666666666669, 0.041666666666666664, 0.008333333333330062, 0.0013888888888886552,
    0.00019841269863053618, 2.4801587317144498e-05, 2.7557268459997064e-06, 2.755728296954995e-07,
    2.510038549551032e-08, 2.0911236630261545e-09
};
E_FN double e_poly_exp_rest(double f)
{
    double q = f * f;
    double even = E_K(exp_rest, 8);
    even = e_fma(even, q, E_K(exp_rest, 6));
    even = e_fma(even, q, E_K(exp_rest, 4));
    even = e_fma(even, q, E_K(exp_rest, 2));
    even = e_fma(even, q, E_K(exp_rest, 0));
    double odd = E_K(exp_rest, 9);
    odd = e_fma(odd, q, E_K(exp_rest, 7));
    odd = e_fma(odd, q, E_K(exp_rest, 5));
    odd = e_fma(odd, q, E_K(exp_rest, 3));
    odd = e_fma(odd, q, E_K(exp_rest, 1));
    return e_fma(odd, f, even);
}

/* (atanh(s) / s - 1 - u / 3) / u^2 in u = s^2, |s| <= 0.1716: 2^-80.8 */
E_TABLE(atanh_rest, 9) = {
    0.2, 0.14285714285714188, 0.11111111111145375, 0.09090909084612238, 0.07692308377959839,
    0.06666620141338121, 0.0588433944988186, 0.05211405879698452, 0.055070058730680216
};
E_FN double e_poly_atanh_rest(double u)
{
    double q = u * u;
    double even = E_K(atanh_rest, 8);
    even = e_fma(even, q, E_K(atanh_rest, 6));
    even = e_fma(even, q, E_K(atanh_rest, 4));
    even = e_fma(even, q, E_K(atanh_rest, 2));
    even = e_fma(even, q, E_K(atanh_rest, 0));
    double odd = E_K(atanh_rest, 7);
    odd = e_fma(odd, q, E_K(atanh_rest, 5));
    odd = e_fma(odd, q, E_K(atanh_rest, 3));
    odd = e_fma(odd, q, E_K(atanh_rest, 1));
    return e_fma(odd, u, even);
}

/* (sin(t) / t - 1 + u / 6) / u^2 in u = t^2, |t| <= pi / 4: 2^-68.2 */
E_TABLE(sin_rest, 6) = {
    0.00833333333333333, -0.0001984126984126096, 2.755731921674647e-06, -2.505210548645569e-08,
    1.6058431312022872e-10, -7.581578317509215e-13
};
E_FN double e_poly_sin_rest(double u)
{
    double q = u * u;
    double even = E_K(sin_rest, 4);
    even = e_fma(even, q, E_K(sin_rest, 2));
    even = e_fma(even, q, E_K(sin_rest, 0));
    double odd = E_K(sin_rest, 5);
    odd = e_fma(odd, q, E_K(sin_rest, 3));
    odd = e_fma(odd, q, E_K(sin_rest, 1));
    return e_fma(odd, u, even);
}

/* (cos(t) - 1 + u / 2) / u^2 in u = t^2, |t| <= pi / 4: 2^-64.0 */
E_TABLE(cos_rest, 6) = {
    0.041666666666666595, -0.001388888888887304, 2.48015872888414e-05, -2.7557314176239496e-07,
    2.0875700415955667e-09, -1.1358513942846688e-11
};
E_FN double e_poly_cos_rest(double u)
{
    double q = u * u;
    double even = E_K(cos_rest, 4);
    even = e_fma(even, q, E_K(cos_rest, 2));
    even = e_fma(even, q, E_K(cos_rest, 0));
    double odd = E_K(cos_rest, 5);
    odd = e_fma(odd, q, E_K(cos_rest, 3));
    odd = e_fma(odd, q, E_K(cos_rest, 1));
    return e_fma(odd, u, even);
}

/* x (log(gamma(x)) - (x - 1/2) log(x) + x - log(2 pi) / 2) in u = 1 / x^2, 8 <= x; absolute: 2^-70.2 */
E_TABLE(stirling_long, 8) = {
    0.08333333333333333, -0.0027777777777774682, 0.0007936507933695221, -0.0005952379802430742,
    0.0008417257900043283, -0.0019144028381856578, 0.006184160660744945, -0.020447333367553503
};
E_FN double e_poly_stirling_long(double u)
{
    double q = u * u;
    double even = E_K(stirling_long, 6);
    even = e_fma(even, q, E_K(stirling_long, 4));
    even = e_fma(even, q, E_K(stirling_long, 2));
    even = e_fma(even, q, E_K(stirling_long, 0));
    double odd = E_K(stirling_long, 7);
    odd = e_fma(odd, q, E_K(stirling_long, 5));
    odd = e_fma(odd, q, E_K(stirling_long, 3));
    odd = e_fma(odd, q, E_K(stirling_long, 1));
    return e_fma(odd, u, even);
}

/* (lgamma(2 + f) / f - first terms) / f^2, |f| <= 1/2: 2^-62.6 */
E_TABLE(lgamma_rest, 19) = {
    -0.0673523010531981, 0.020580808427784553, -0.007385551028673987, 0.002890510330740571,
    -0.001192753911702803, 0.000509669524809911, -0.00022315475848565114, 9.945751065122528e-05,
    -4.4926235717146875e-05, 2.050724946786321e-05, -9.439505850617494e-06, 4.374496791290292e-06,
    -2.03903857417743e-06, 9.573840964373458e-07, -4.503207470713067e-07, 2.0407690966404926e-07,
    -9.660521794860497e-08, 6.287598644739682e-08, -2.99746352355179e-08
};
E_FN double e_poly_lgamma_rest(double f)
{
    double q = f * f;
    double even = E_K(lgamma_rest, 18);
    even = e_fma(even, q, E_K(lgamma_rest, 16));
    even = e_fma(even, q, E_K(lgamma_rest, 14));
    even = e_fma(even, q, E_K(lgamma_rest, 12));
    even = e_fma(even, q, E_K(lgamma_rest, 10));
    even = e_fma(even, q, E_K(lgamma_rest, 8));
    even = e_fma(even, q, E_K(lgamma_rest, 6));
    even = e_fma(even, q, E_K(lgamma_rest, 4));
    even = e_fma(even, q, E_K(lgamma_rest, 2));
    even = e_fma(even, q, E_K(lgamma_rest, 0));
    double odd = E_K(lgamma_rest, 17);
    odd = e_fma(odd, q, E_K(lgamma_rest, 15));
    odd = e_fma(odd, q, E_K(lgamma_rest, 13));
    odd = e_fma(odd, q, E_K(lgamma_rest, 11));
    odd = e_fma(odd, q, E_K(lgamma_rest, 9));
    odd = e_fma(odd, q, E_K(lgamma_rest, 7));
    odd = e_fma(odd, q, E_K(lgamma_rest, 5));
    odd = e_fma(odd, q, E_K(lgamma_rest, 3));
    odd = e_fma(odd, q, E_K(lgamma_rest, 1));
    return e_fma(odd, f, even);
}

/* (erf(x) / x - 2 / sqrt(pi)) / u in u = x^2, |x| <= 1/2: 2^-65.2 */
E_TABLE(erf_rest, 9) = {
    -0.37612638903183754, 0.11283791670954911, -0.026866170645012774, 0.0052239776222386585,
    -0.0008548326532855842, 0.00012055287538685744, -1.492305141169191e-05, 1.6372180038913581e-06,
    -1.462875992001988e-07
};
E_FN double e_poly_erf_rest(double u)
{
    double q = u * u;
    double even = E_K(erf_rest, 8);
    even = e_fma(even, q, E_K(erf_rest, 6));
    even = e_fma(even, q, E_K(erf_rest, 4));
    even = e_fma(even, q, E_K(erf_rest, 2));
    even = e_fma(even, q, E_K(erf_rest, 0));
    double odd = E_K(erf_rest, 7);
    odd = e_fma(odd, q, E_K(erf_rest, 5));
    odd = e_fma(odd, q, E_K(erf_rest, 3));
    odd = e_fma(odd, q, E_K(erf_rest, 1));
    return e_fma(odd, u, even);
}

/* (exp(x^2) erfc(x) (1 + 2 x) - first terms) / f^2 at f = (x - 2) / (x + 2), 1/2 <= x <= 27.5: 2^-59.7 */
E_TABLE(erfc_rest, 24) = {
    -0.1660303976152894, 0.16405128003344432, -0.05422000099203253, -0.008034015082559411,
    0.008722653875481389, 0.0012713389697317672, -0.0014568139420602123, -0.00045434089016829223,
    0.00020636715914829423, 0.00015103974008963023, -1.5096008620709738e-06, -3.6426805424908835e-05,
    -1.3492754248899547e-05, 3.724720593571542e-06, 5.2165313432758336e-06, 1.4675586461457302e-06,
    -6.57503359901002e-07, -7.802300137119282e-07, -3.5840635752074475e-07, 1.0882198508446401e-07,
    2.8650133870236355e-07, -3.882547197253341e-09, -9.88999971865463e-08, 2.4820536257911982e-08
};
E_FN double e_poly_erfc_rest(double f)
{
    double q = f * f;
    double even = E_K(erfc_rest, 22);
    even = e_fma(even, q, E_K(erfc_rest, 20));
    even = e_fma(even, q, E_K(erfc_rest, 18));
    even = e_fma(even, q, E_K(erfc_rest, 16));
    even = e_fma(even, q, E_K(erfc_rest, 14));
    even = e_fma(even, q, E_K(erfc_rest, 12));
    even = e_fma(even, q, E_K(erfc_rest, 10));
    even = e_fma(even, q, E_K(erfc_rest, 8));
    even = e_fma(even, q, E_K(erfc_rest, 6));
    even = e_fma(even, q, E_K(erfc_rest, 4));
    even = e_fma(even, q, E_K(erfc_rest, 2));
    even = e_fma(even, q, E_K(erfc_rest, 0));
    double odd = E_K(erfc_rest, 23);
    odd = e_fma(odd, q, E_K(erfc_rest, 21));
    odd = e_fma(odd, q, E_K(erfc_rest, 19));
    odd = e_fma(odd, q, E_K(erfc_rest, 17));
    odd = e_fma(odd, q, E_K(erfc_rest, 15));
    odd = e_fma(odd, q, E_K(erfc_rest, 13));
    odd = e_fma(odd, q, E_K(erfc_rest, 11));
    odd = e_fma(odd, q, E_K(erfc_rest, 9));
    odd = e_fma(odd, q, E_K(erfc_rest, 7));
    odd = e_fma(odd, q, E_K(erfc_rest, 5));
    odd = e_fma(odd, q, E_K(erfc_rest, 3));
    odd = e_fma(odd, q, E_K(erfc_rest, 1));
    return e_fma(odd, f, even);
}

/* (erfinv(a) / a - sqrt(pi) / 2) / u in u = a^2, |a| <= 0.53: 2^-62.5 */
E_TABLE(erfinv_rest, 15) = {
    0.23201366653465463, 0.12755617530554333, 0.08655212924849377, 0.06495961729833326, 0.05173129908464505,
    0.04283629585396679, 0.03647316131880106, 0.0316017868056354, 0.02873990651094715, 0.020216916519629948,
    0.04462127788232831, -0.05101095392900418, 0.17780701648943598, -0.2032831686084472, 0.17152775530481915
};
E_FN double e_poly_erfinv_rest(double u)
{
    double q = u * u;
    double even = E_K(erfinv_rest, 14);
    even = e_fma(even, q, E_K(erfinv_rest, 12));
    even = e_fma(even, q, E_K(erfinv_rest, 10));
    even = e_fma(even, q, E_K(erfinv_rest, 8));
    even = e_fma(even, q, E_K(erfinv_rest, 6));
    even = e_fma(even, q, E_K(erfinv_rest, 4));
    even = e_fma(even, q, E_K(erfinv_rest, 2));
    even = e_fma(even, q, E_K(erfinv_rest, 0));
    double odd = E_K(erfinv_rest, 13);
    odd = e_fma(odd, q, E_K(erfinv_rest, 11));
    odd = e_fma(odd, q, E_K(erfinv_rest, 9));
    odd = e_fma(odd, q, E_K(erfinv_rest, 7));
    odd = e_fma(odd, q, E_K(erfinv_rest, 5));
    odd = e_fma(odd, q, E_K(erfinv_rest, 3));
    odd = e_fma(odd, q, E_K(erfinv_rest, 1));
    return e_fma(odd, u, even);
}

/* (I0(x) exp(-x) sqrt(x) - first term) / f at f = 16 / x - 1, 8 <= x <= 720: 2^-57.1 */
E_TABLE(i0_rest, 25) = {
    0.0033605519836678965, 0.00013621607439235847, 1.1143033787001095e-05, 1.4838475444357298e-06,
    2.9735998883163624e-07, 8.872261661716383e-08, 3.932386600616106e-08, 2.1544130368262767e-08,
    7.571443735771665e-09, -6.722256203733755e-09, -1.349629834459172e-08, -5.501090423669677e-09,
    7.849464919354973e-09, 7.670897799900439e-09, -4.182401731659888e-09, -6.353924281859249e-09,
    2.5621111247127097e-09, 4.0782304442606495e-09, -1.6425887972583984e-09, -1.925982341111887e-09,
    8.563615020603784e-10, 5.806621313498921e-10, -2.87435692766546e-10, -8.221583523253044e-11,
    4.461428281047359e-11
};
E_FN double e_poly_i0_rest(double f)
{
    double q = f * f;
    double even = E_K(i0_rest, 24);
    even = e_fma(even, q, E_K(i0_rest, 22));
    even = e_fma(even, q, E_K(i0_rest, 20));
    even = e_fma(even, q, E_K(i0_rest, 18));
    even = e_fma(even, q, E_K(i0_rest, 16));
    even = e_fma(even, q, E_K(i0_rest, 14));
    even = e_fma(even, q, E_K(i0_rest, 12));
    even = e_fma(even, q, E_K(i0_rest, 10));
    even = e_fma(even, q, E_K(i0_rest, 8));
    even = e_fma(even, q, E_K(i0_rest, 6));
    even = e_fma(even, q, E_K(i0_rest, 4));
    even = e_fma(even, q, E_K(i0_rest, 2));
    even = e_fma(even, q, E_K(i0_rest, 0));
    double odd = E_K(i0_rest, 23);
    odd = e_fma(odd, q, E_K(i0_rest, 21));
    odd = e_fma(odd, q, E_K(i0_rest, 19));
    odd = e_fma(odd, q, E_K(i0_rest, 17));
    odd = e_fma(odd, q, E_K(i0_rest, 15));
    odd = e_fma(odd, q, E_K(i0_rest, 13));
    odd = e_fma(odd, q, E_K(i0_rest, 11));
    odd = e_fma(odd, q, E_K(i0_rest, 9));
    odd = e_fma(odd, q, E_K(i0_rest, 7));
    odd = e_fma(odd, q, E_K(i0_rest, 5));
    odd = e_fma(odd, q, E_K(i0_rest, 3));
    odd = e_fma(odd, q, E_K(i0_rest, 1));
    return e_fma(odd, f, even);
}

#endif
