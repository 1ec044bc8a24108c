/* SPDX-License-Identifier: BSD-3-Clause
 * The polynomials of special functions and their relative errors; made by tools/fit_elementary.py. */
#ifndef GARRAY_CORE_SPECIAL_POLY_H
#define GARRAY_CORE_SPECIAL_POLY_H

/* -log2(erfc(f)) / f, 0 <= f <= 4; the error counts relative to erf: 2^-35.4 */
E_FN double e_poly_erf(double f)
{
    double q = f * f;
    double even = 5.245387332317469e-08;
    even = e_fma(even, q, 7.5480997098716955e-06);
    even = e_fma(even, q, 5.874285446574667e-05);
    even = e_fma(even, q, -0.0008939302955955203);
    even = e_fma(even, q, -0.00030979987136670793);
    even = e_fma(even, q, 0.1482693686007993);
    even = e_fma(even, q, 1.6279070285745747);
    double odd = -9.627054444674766e-07;
    odd = e_fma(odd, q, -3.138708919185722e-05);
    odd = e_fma(odd, q, 8.621375110160575e-05);
    odd = e_fma(odd, q, 0.0024705699390227915);
    odd = e_fma(odd, q, -0.027594942167542495);
    odd = e_fma(odd, q, 0.9184481944823393);
    return e_fma(odd, f, even);
}

/* exp(x^2) erfc(x) (1 + 2 x) at f = (x - 2) / (x + 2), 0 <= x <= 10.2: 2^-38.0 */
E_FN double e_poly_erfc(double f)
{
    double q = f * f;
    double even = -7.443952313122334e-06;
    even = e_fma(even, q, -3.2706312530812566e-06);
    even = e_fma(even, q, 0.000205545361055956);
    even = e_fma(even, q, -0.0014561561100458736);
    even = e_fma(even, q, 0.008722493055782496);
    even = e_fma(even, q, -0.0542199846145011);
    even = e_fma(even, q, -0.1660303982014096);
    even = e_fma(even, q, 1.276978381555784);
    double odd = -2.735517219670594e-05;
    odd = e_fma(odd, q, 0.00014369088558217313);
    odd = e_fma(odd, q, -0.0004513666666724816);
    odd = e_fma(odd, q, 0.0012706878519020794);
    odd = e_fma(odd, q, -0.008033939966359737);
    odd = e_fma(odd, q, 0.1640512760561889);
    odd = e_fma(odd, q, -0.09276382652166978);
    return e_fma(odd, f, even);
}

/* x (log(gamma(x)) - (x - 1/2) log(x) + x - log(2 pi) / 2) in u = 1 / x^2, 3 <= x; absolute: 2^-45.6 */
E_FN double e_poly_stirling(double u)
{
    double q = u * u;
    double even = 0.0016770419586694199;
    even = e_fma(even, q, 0.0008043521828403139);
    even = e_fma(even, q, 0.0007936181990318507);
    even = e_fma(even, q, 0.08333333333244547);
    double odd = -0.00138215184825631;
    odd = e_fma(odd, q, -0.0005937248643618048);
    odd = e_fma(odd, q, -0.0027777774626799594);
    return e_fma(odd, u, even);
}

/* log(gamma(x)) / ((x - 1) (x - 2)) at f = x - 2, 1 <= x <= 3: 2^-37.4 */
E_FN double e_poly_lgamma(double f)
{
    double q = f * f;
    double even = 1.2472295024480137e-06;
    even = e_fma(even, q, -1.1996424244593297e-07);
    even = e_fma(even, q, 1.0374404064264287e-05);
    even = e_fma(even, q, 3.6821454589881145e-05);
    even = e_fma(even, q, 0.00018303873312246633);
    even = e_fma(even, q, 0.000915279503528692);
    even = e_fma(even, q, 0.004998650876639994);
    even = e_fma(even, q, 0.032965000250129446);
    even = e_fma(even, q, 0.4227843351007928);
    double odd = -6.349506187278745e-07;
    odd = e_fma(odd, q, 2.387467008894859e-07);
    odd = e_fma(odd, q, -5.172971047662282e-06);
    odd = e_fma(odd, q, -1.6742478689515367e-05);
    odd = e_fma(odd, q, -8.347275158598696e-05);
    odd = e_fma(odd, q, -0.0004056173020976114);
    odd = e_fma(odd, q, -0.0021081423948316733);
    odd = e_fma(odd, q, -0.012384191522207174);
    odd = e_fma(odd, q, -0.10031730168574719);
    return e_fma(odd, f, even);
}

/* gamma(x) at f = x - 5/2, 2 <= x <= 3: 2^-56.9 */
E_FN double e_poly_gamma(double f)
{
    double q = f * f;
    double even = 2.1545475240132142e-07;
    even = e_fma(even, q, 1.0559803956194977e-06);
    even = e_fma(even, q, 7.262013008578025e-06);
    even = e_fma(even, q, 6.132852985520402e-05);
    even = e_fma(even, q, 0.0007544742783649319);
    even = e_fma(even, q, 0.010392403417256453);
    even = e_fma(even, q, 0.10967323400241041);
    even = e_fma(even, q, 0.654558577981334);
    even = e_fma(even, q, 1.329340388179137);
    double odd = -5.054169044765617e-07;
    odd = e_fma(odd, q, -2.5243422533646405e-06);
    odd = e_fma(odd, q, -1.2810042047456728e-05);
    odd = e_fma(odd, q, 3.942892376882768e-06);
    odd = e_fma(odd, q, 0.0016074004024916743);
    odd = e_fma(odd, q, 0.028360780598076552);
    odd = e_fma(odd, q, 0.2538712468410861);
    odd = e_fma(odd, q, 0.9347345216260858);
    return e_fma(odd, f, even);
}

/* (sin(pi r) / r - pi) / r^2 in u = r^2, |r| <= 1/2: 2^-61.7 */
E_FN double e_poly_sinpi(double u)
{
    double q = u * u;
    double even = -2.1903396579632957e-05;
    even = e_fma(even, q, -0.007370430500690439);
    even = e_fma(even, q, -0.5992645293189611);
    even = e_fma(even, q, -5.167712780049969);
    double odd = 7.696695490304411e-07;
    odd = e_fma(odd, q, 0.0004662997821442711);
    odd = e_fma(odd, q, 0.08214588657282776);
    odd = e_fma(odd, q, 2.550164039877303);
    return e_fma(odd, u, even);
}

/* (I0(x) - 1) / u in u = x^2 / 4, 0 <= x <= 8: 2^-59.9 */
E_FN double e_poly_i0(double u)
{
    double q = u * u;
    double even = 9.190396666895555e-25;
    even = e_fma(even, q, 2.639289480504252e-20);
    even = e_fma(even, q, 6.277917962264351e-16);
    even = e_fma(even, q, 7.594072539355113e-12);
    even = e_fma(even, q, 3.93675991792431e-08);
    even = e_fma(even, q, 6.944444444579502e-05);
    even = e_fma(even, q, 0.027777777777778744);
    even = e_fma(even, q, 1.0);
    double odd = 1.1281535834470926e-22;
    odd = e_fma(odd, q, 4.345729576352393e-18);
    odd = e_fma(odd, q, 7.59386874014654e-14);
    odd = e_fma(odd, q, 6.151186571200392e-10);
    odd = e_fma(odd, q, 1.9290123449168513e-06);
    odd = e_fma(odd, q, 0.0017361111111096018);
    odd = e_fma(odd, q, 0.2499999999999997);
    return e_fma(odd, u, even);
}

/* I0(x) exp(-x) sqrt(x) at f = 1 / x, 8 <= x <= 93: 2^-33.9 */
E_FN double e_poly_i0_tail(double f)
{
    double q = f * f;
    double even = -24.488718446470582;
    even = e_fma(even, q, -5.176943530724331);
    even = e_fma(even, q, -0.0009466866295550682);
    even = e_fma(even, q, 0.02801003829051035);
    even = e_fma(even, q, 0.39894227836822893);
    double odd = 22.3821200293429;
    odd = e_fma(odd, q, 0.7544907689231187);
    odd = e_fma(odd, q, 0.031036258705102546);
    odd = e_fma(odd, q, 0.04986824681772305);
    return e_fma(odd, f, even);
}

/* I0(x) exp(-x) sqrt(x) at f = 1 / x, 8 <= x <= 720: 2^-55.2 */
E_FN double e_poly_i0_tail_long(double f)
{
    double q = f * f;
    double even = 2.725542620131899e+16;
    even = e_fma(even, q, 2.2777679005613204e+16);
    even = e_fma(even, q, 2250341962445173.0);
    even = e_fma(even, q, 59972128361915.53);
    even = e_fma(even, q, 543889270934.8781);
    even = e_fma(even, q, 1802886225.353645);
    even = e_fma(even, q, 2113861.4179123123);
    even = e_fma(even, q, 711.5420499437481);
    even = e_fma(even, q, 0.22528393119758833);
    even = e_fma(even, q, 0.044730872369929744);
    even = e_fma(even, q, 0.028050628813868935);
    even = e_fma(even, q, 0.39894228040143237);
    double odd = -3.667770097438869e+16;
    odd = e_fma(odd, q, -8655369307133150.0);
    odd = e_fma(odd, q, -424213102620305.7);
    odd = e_fma(odd, q, -6489498994066.961);
    odd = e_fma(odd, q, -35495295434.39055);
    odd = e_fma(odd, q, -70774182.50160293);
    odd = e_fma(odd, q, -46567.799942075224);
    odd = e_fma(odd, q, -5.4504401288467115);
    odd = e_fma(odd, q, 0.09145255209401114);
    odd = e_fma(odd, q, 0.029219481416291354);
    odd = e_fma(odd, q, 0.04986778505067761);
    return e_fma(odd, f, even);
}

#endif
