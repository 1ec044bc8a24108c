/* SPDX-License-Identifier: BSD-3-Clause
 * Distributions with parameters: their bits by the shared formulas on the host, those of one uniform number against the C
 * library, all against SciPy's distribution functions by chi-square, arrays of parameters against numbers, and errors. */
#include "core/draw_inverse.h"
#include "core/draw_narrow.h"
#include "core/draw_rows.h"
#include "test.h"

/* GARRAY_TEST_DRAWS=100000000 in the environment draws as many of each distribution instead of N, LARGE at a time. */
enum { N = 1 << 17, LARGE = 1 << 22 };

/* Any distribution by its row; dtype for those of real numbers. */
static garray_status draw(int kind, garray_rng *rng, const garray_operand *p, garray_shape shape, garray_dtype dtype,
                          garray_t **out)
{
    const garray_device on = test_device();
    switch (kind) {
#define R0(name) case GARRAY_RANDOM_##name: return garray_random_##name(rng, shape, dtype, on, out);
#define R1(name) case GARRAY_RANDOM_##name: return (garray_random_##name)(rng, p[0], shape, dtype, on, out);
#define R2(name) case GARRAY_RANDOM_##name: return (garray_random_##name)(rng, p[0], p[1], shape, dtype, on, out);
#define R3(name) case GARRAY_RANDOM_##name: return (garray_random_##name)(rng, p[0], p[1], p[2], shape, dtype, on, out);
#define C1(name) case GARRAY_RANDOM_##name: return (garray_random_##name)(rng, p[0], shape, on, out);
#define C2(name) case GARRAY_RANDOM_##name: return (garray_random_##name)(rng, p[0], p[1], shape, on, out);
#define C3(name) case GARRAY_RANDOM_##name: return (garray_random_##name)(rng, p[0], p[1], p[2], shape, on, out);
    R0(standard_cauchy) R1(exponential) R2(laplace) R2(gumbel) R2(logistic) R1(pareto) R1(weibull) R1(power) R1(rayleigh)
    R3(triangular) R2(lognormal) R2(gamma) R2(beta) R1(chisquare) R2(f) R2(noncentral_chisquare) R3(noncentral_f)
    R1(standard_t) R2(vonmises) R2(wald)
    C1(geometric) C2(binomial) C2(negative_binomial) C1(poisson) C1(zipf) C3(hypergeometric) C1(logseries)
    default: return GARRAY_ERR_INTERNAL;
    }
}

enum { INVERSE = 1, PAIR, EVENT, ROW, REAL, COUNT };

static int family_of(int kind)
{
    switch (kind) {
#define GARRAY_DRAW(number, name, family, ...) case number: return family;
#include "core/draws.def"
#undef GARRAY_DRAW
    default: return 0;
    }
}

static bool is_count(int kind)
{
    switch (kind) {
#define GARRAY_DRAW(number, name, family, result, ...) case number: return result == COUNT;
#include "core/draws.def"
#undef GARRAY_DRAW
    default: return false;
    }
}

static const char *name_of(int kind)
{
    switch (kind) {
#define GARRAY_DRAW(number, name, ...) case number: return #name;
#include "core/draws.def"
#undef GARRAY_DRAW
    default: return "?";
    }
}

/* Element i by the shared formulas. */
static double model(int kind, const garray_rng *rng, int64_t i, const double *p)
{
    const garray__philox b = garray__philox_block(rng->seed, rng->stream, rng->position + (uint64_t)i / 2, 0);
    const uint64_t bits = garray__philox_half(b, (uint64_t)i);
    garray__source s = { rng->seed, rng->stream, rng->position + (uint64_t)i, 0, 0, NULL, NULL };
    double z[2];
    garray__normal_pair(garray__philox_half(b, 0), garray__philox_half(b, 1), &z[0], &z[1]);
    switch (kind) {
#define INVERSE(name) garray__draw_##name(bits, p[0], p[1], p[2])
#define PAIR(name) garray__draw_##name(z[i % 2], p[0], p[1], p[2])
#define EVENT(name) garray__draw_##name(&s, p[0], p[1], p[2])
#define ROW(name) 0
#define GARRAY_DRAW(number, name, family, ...) case number: return family(name);
#include "core/draws.def"
#undef GARRAY_DRAW
    default: return 0;
    }
}

static void fill_operands(garray_operand *in, const double *p)
{
    for (int i = 0; i < 3; i++)
        in[i] = garray_operand_double(p[i]);
}

/* How often values fall between places, as in the golden file; with many draws, counted where they are. */
static void count(const garray_t *x, const test_block *edges, double *counts)
{
    GARRAY_AUTO garray_t *edge = NULL, *place = NULL, *found = NULL;
    TEST_OK(garray_from_host(edges->data, GARRAY_FLOAT64, GARRAY_SHAPE(edges->n), NULL, test_device(), &edge));
    TEST_OK(garray_astype(x, GARRAY_FLOAT64, &place));
    TEST_OK(garray_searchsorted(edge, place, NULL, &place));
    if (!TEST_OK(garray_bincount(place, GARRAY_KW(bincount, .minlength = edges->n + 1), &found)))
        return;
    int64_t *more = test_read(found);
    for (int k = 0; k <= edges->n; k++)
        counts[k] += (double)more[k];
    free(more);
}

/* Chi-square, and Kolmogorov's and Smirnov's largest distance (at the places) times the root of n, of which one in 10^5 is
 * above 2.5. */
static void judge(const double *counts, const test_block *probabilities, double n)
{
    const double *p = probabilities->data;
    double sum = 0, below = 0, expected = 0, distance = 0;
    for (int k = 0; k < probabilities->n; k++) {
        sum += (counts[k] - p[k] * n) * (counts[k] - p[k] * n) / (p[k] * n);
        below += counts[k] / n;
        expected += p[k];
        distance = fmax(distance, fabs(below - expected));
    }
    const double chi = (sum - (probabilities->n - 1)) / sqrt(2.0 * (probabilities->n - 1));
    TEST_EXPECT(fabs(chi) < 5, "chi-square is %.1f standard deviations off", chi);
    TEST_EXPECT(distance * sqrt(n) < 2.5, "a distance of %g", distance);
}

static double *as_doubles(const garray_t *x)
{
    GARRAY_AUTO garray_t *wide = NULL;
    TEST_OK(garray_astype(x, GARRAY_FLOAT64, &wide));
    return test_read(wide);
}

Test(distributions, against_scipy)
{
    test_mark mark = test_memory();
    const test_golden *golden = test_golden_open("random");
    const char *draws = getenv("GARRAY_TEST_DRAWS");
    const int64_t wanted = draws && atoll(draws) > N ? atoll(draws) : N, part = wanted > LARGE ? LARGE : N, parts = wanted / part;
    for (int c = 0; c < golden->ncases; c++) {
        const int32_t *row = golden->cases + c * golden->width;
        const double *p = golden->block[row[1]].data;
        garray_rng rng = GARRAY_RNG((uint64_t)c + 1);
        garray_operand in[3];
        garray_t *x = NULL;
        double counts[64] = { 0 }, *v = NULL;
        fill_operands(in, p);
        test_context("%s(%g, %g, %g)", name_of(row[0]), p[0], p[1], p[2]);
        for (int64_t k = 0; k < parts; k++) {
            const uint64_t end = rng.position + (uint64_t)(family_of(row[0]) == EVENT ? part : part / 2);
            if (!TEST_OK(draw(row[0], &rng, in, GARRAY_SHAPE(part), GARRAY_DTYPE_DEFAULT, &x)))
                break;
            TEST_EXPECT(rng.position == end, "the position is %d", (int)rng.position);
            count(x, &golden->block[row[2]], counts);
        }
        judge(counts, &golden->block[row[3]], (double)part * (double)parts);
        rng.position = 0;
        if (TEST_OK(draw(row[0], &rng, in, GARRAY_SHAPE(N), GARRAY_DTYPE_DEFAULT, &x)))
            v = as_doubles(x);
        if (!v)
            continue;
        /* the bits */
        garray_rng from = GARRAY_RNG((uint64_t)c + 1);
        for (int64_t i = 0; i < N; i += 1 + i / 64) {
            const double expected = model(row[0], &from, i, p);
            TEST_EXPECT(v[i] == (is_count(row[0]) ? (double)d_count(expected) : expected), "element %d is %.17g, not %.17g",
                        (int)i, v[i], expected);
        }
        free(v);
        garray_release(x);
    }
    TEST_NO_LEAK(mark);
}

/* Those of one uniform number, by the C library's functions. */
Test(distributions, formulas)
{
    test_mark mark = test_memory();
    static const struct { int kind; double p[3]; } table[] = {
        { GARRAY_RANDOM_exponential, { 2.5 } }, { GARRAY_RANDOM_laplace, { 1, 3 } }, { GARRAY_RANDOM_gumbel, { -1, 2 } },
        { GARRAY_RANDOM_logistic, { 0, 1 } }, { GARRAY_RANDOM_standard_cauchy, { 0 } }, { GARRAY_RANDOM_pareto, { 0.01 } },
        { GARRAY_RANDOM_pareto, { 3 } }, { GARRAY_RANDOM_weibull, { 0.3 } }, { GARRAY_RANDOM_weibull, { 5 } },
        { GARRAY_RANDOM_power, { 0.02 } }, { GARRAY_RANDOM_power, { 7 } }, { GARRAY_RANDOM_rayleigh, { 2 } },
        { GARRAY_RANDOM_triangular, { -1, 0.5, 3 } }, { GARRAY_RANDOM_geometric, { 0.125 } },
    };
    for (size_t t = 0; t < sizeof table / sizeof table[0]; t++) {
        const double *p = table[t].p;
        garray_rng rng = GARRAY_RNG(9), from = rng;
        garray_operand in[3];
        garray_t *x = NULL;
        fill_operands(in, p);
        test_context("%s(%g, %g, %g)", name_of(table[t].kind), p[0], p[1], p[2]);
        if (!TEST_OK(draw(table[t].kind, &rng, in, GARRAY_SHAPE(4096), GARRAY_DTYPE_DEFAULT, &x)))
            continue;
        double *v = as_doubles(x);
        for (int64_t i = 0; i < 4096; i++) {
            const garray__philox b = garray__philox_block(from.seed, 0, (uint64_t)i / 2, 0);
            const uint64_t bits = garray__philox_half(b, (uint64_t)i);
            const long double u = (long double)(bits >> 11 | 1) * 0x1p-53L, e = -logl((long double)((bits >> 11) + 1) * 0x1p-53L);
            long double y = 0;
            switch (table[t].kind) {
            case GARRAY_RANDOM_exponential: y = p[0] * e; break;
            case GARRAY_RANDOM_laplace: y = p[0] + (u < 0.5L ? p[1] * logl(2 * u) : -p[1] * logl(2 - 2 * u)); break;
            case GARRAY_RANDOM_gumbel: y = p[0] - p[1] * logl(-logl(u)); break;
            case GARRAY_RANDOM_logistic: y = p[0] + p[1] * logl(u / (1 - u)); break;
            case GARRAY_RANDOM_standard_cauchy: y = 1 / tanl(3.14159265358979323846L * u); break;
            case GARRAY_RANDOM_pareto: y = expm1l(e / p[0]); break;
            case GARRAY_RANDOM_weibull: y = powl(-logl(u), 1.0L / p[0]); break;
            case GARRAY_RANDOM_power: y = expl(-e / p[0]); break;
            case GARRAY_RANDOM_rayleigh: y = p[0] * sqrtl(2 * e); break;
            case GARRAY_RANDOM_triangular:
                y = u <= (long double)((p[1] - p[0]) / (p[2] - p[0])) ? p[0] + sqrtl(u * (p[1] - p[0]) * (p[2] - p[0]))
                                                                     : p[2] - sqrtl((1 - u) * (p[2] - p[1]) * (p[2] - p[0]));
                break;
            default: y = fmaxl(1, ceill(e / -log1pl(-p[0]))); break;
            }
            const double expected = (double)y;
            const bool same = isinf(expected) ? v[i] == expected : fabs(v[i] - expected) <= 1e-13 * fabs(expected) + 4e-16;
            TEST_EXPECT(same, "element %d is %.17g, not %.17g", (int)i, v[i], expected);
        }
        free(v);
        garray_release(x);
    }
    TEST_NO_LEAK(mark);
}

/* Arrays of parameters, of any layout and dtype, give each element what the same numbers give it; so does every dtype. */
Test(distributions, arrays)
{
    test_mark mark = test_memory();
    static const struct { int kind; double p[2][3]; } table[] = {
        { GARRAY_RANDOM_exponential, { { 1 }, { 3 } } }, { GARRAY_RANDOM_laplace, { { 0, 1 }, { 2, 5 } } },
        { GARRAY_RANDOM_geometric, { { 0.5 }, { 0.125 } } }, { GARRAY_RANDOM_lognormal, { { 0, 1 }, { 1, 0.5 } } },
        { GARRAY_RANDOM_triangular, { { 0, 1, 2 }, { -4, 0, 1 } } }, { GARRAY_RANDOM_gamma, { { 2, 1 }, { 0.5, 3 } } },
        { GARRAY_RANDOM_beta, { { 1, 2 }, { 0.5, 0.25 } } }, { GARRAY_RANDOM_wald, { { 1, 1 }, { 2, 4 } } },
        { GARRAY_RANDOM_binomial, { { 10, 0.5 }, { 200, 0.25 } } }, { GARRAY_RANDOM_poisson, { { 3 }, { 40 } } },
        { GARRAY_RANDOM_hypergeometric, { { 20, 30, 15 }, { 4, 5, 6 } } }, { GARRAY_RANDOM_zipf, { { 2 }, { 3 } } },
        { GARRAY_RANDOM_noncentral_f, { { 1, 2, 3 }, { 4, 5, 0.5 } } },
    };
    enum { ROWS = 8, COLUMNS = 33 };
    static const garray_dtype dtypes[] = { GARRAY_FLOAT64, GARRAY_FLOAT32, GARRAY_FLOAT16, GARRAY_BFLOAT16 };
    for (size_t t = 0; t < sizeof table / sizeof table[0]; t++)
        for (int d = 0; d < (is_count(table[t].kind) ? 1 : 4); d++) {
            garray_t *x[2] = { NULL }, *y = NULL, *z = NULL, *param[3] = { NULL }, *choice = NULL;
            garray_operand in[3];
            const garray_shape shape = GARRAY_SHAPE(ROWS, COLUMNS);
            test_context("%s of %s", name_of(table[t].kind), garray_dtype_name(dtypes[d]));
            for (int k = 0; k < 2; k++) {
                garray_rng rng = GARRAY_RNG(5);
                fill_operands(in, table[t].p[k]);
                TEST_OK(draw(table[t].kind, &rng, in, shape, dtypes[d], &x[k]));
            }
            /* row r takes numbers of r % 2 */
            bool odd[ROWS];
            for (int r = 0; r < ROWS; r++)
                odd[r] = r % 2;
            TEST_OK(garray_from_host(odd, GARRAY_BOOL, GARRAY_SHAPE(ROWS, 1), NULL, test_device(), &choice));
            TEST_OK(garray_where(choice, x[1], x[0], &z));
            for (int i = 0; i < 3; i++) {
                TEST_OK(garray_where(choice, table[t].p[1][i], table[t].p[0][i], &param[i]));
                if (i == 1)     /* of full size, as columns */
                    TEST_OK(garray_where(garray_operand_array(choice), garray_operand_double(table[t].p[1][i]),
                                         garray_operand_double(table[t].p[0][i]), &param[i]));
                in[i] = garray_operand_array(param[i]);
            }
            garray_rng rng = GARRAY_RNG(5);
            if (TEST_OK(draw(table[t].kind, &rng, in, shape, dtypes[d], &y))) {
                void *expected = test_read(z);
                TEST_EQUAL(y, expected, 0);
                free(expected);
            }
            /* one item serves all, and aliasing is safe */
            rng = GARRAY_RNG(5);
            for (int i = 0; i < 3; i++) {
                TEST_OK(garray_full(GARRAY_SHAPE(1, 1), table[t].p[0][i], GARRAY_FLOAT64, test_device(), &param[i]));
                in[i] = garray_operand_array(param[i]);
            }
            if (TEST_OK(draw(table[t].kind, &rng, in, shape, dtypes[d], &y))) {
                void *expected = test_read(x[0]);
                TEST_EQUAL(y, expected, 0);
                free(expected);
            }
            for (int i = 0; i < 3; i++)
                garray_release(param[i]);
            garray_release(x[0]);
            garray_release(x[1]);
            garray_release(y);
            garray_release(z);
            garray_release(choice);
        }
    TEST_NO_LEAK(mark);
}

/* Draws in parts are the draw as a whole, and their result may be their parameter. */
Test(distributions, parts)
{
    test_mark mark = test_memory();
    garray_rng rng = GARRAY_RNG(3);
    garray_t *all = NULL, *part = NULL, *lam = NULL;
    TEST_OK(garray_random_poisson(&rng, 20, GARRAY_SHAPE(1000), test_device(), &all));
    int64_t *expected = test_read(all);
    rng = GARRAY_RNG(3);
    for (int64_t i = 0; i < 1000; i += 125)
        if (TEST_OK(garray_random_poisson(&rng, 20, GARRAY_SHAPE(125), test_device(), &part)))
            TEST_EQUAL(part, expected + i, 0);
    TEST_OK(garray_full(GARRAY_SHAPE(1000), 20, GARRAY_INT64, test_device(), &lam));
    rng = GARRAY_RNG(3);
    TEST_OK(garray_random_poisson(&rng, lam, GARRAY_SHAPE(1000), test_device(), &lam));
    TEST_EQUAL(lam, expected, 0);
    rng = GARRAY_RNG(3);
    TEST_OK(garray_random_poisson(&rng, 20, GARRAY_SHAPE(1000), test_device(), garray_into(lam)));
    TEST_EQUAL(lam, expected, 0);
    rng = GARRAY_RNG(3);
    TEST_OK(garray_random_poisson(&rng, 20, GARRAY_SHAPE(0, 4), test_device(), &part));
    TEST_EXPECT(rng.position == 0, "an empty draw moved");
    free(expected);
    garray_release(all);
    garray_release(part);
    garray_release(lam);
    TEST_NO_LEAK(mark);
}

/* -log((word + tail) 2^-32). */
static double minus_log(uint32_t word, double tail)
{
    return word < 0x80000000u ? -log((word + tail) * 0x1p-32) : -log1p(-((double)~word + 1 - tail) * 0x1p-32);
}

/* float32 exponentials and normals, as the text of both devices has them. */
Test(distributions, narrow)
{
    test_mark mark = test_memory();
    garray_rng rng = GARRAY_RNG(11);
    garray_t *x = NULL, *y = NULL;
    TEST_OK(garray_random_exponential(&rng, 1, GARRAY_SHAPE(N), GARRAY_FLOAT32, test_device(), &x));
    TEST_EXPECT(rng.position == N / 4, "the position is %d", (int)rng.position);
    rng = GARRAY_RNG(11);
    TEST_OK(garray_random_normal(&rng, 0, 1, GARRAY_SHAPE(N), GARRAY_FLOAT32, test_device(), &y));
    float *e = test_read(x), *z = test_read(y);
    for (int64_t i = 0; i < N; i += 2) {
        const garray__philox b = garray__philox_block(11, 0, (uint64_t)i / 4, 0);
        float first, second;
        const uint32_t w = garray__philox_word(b, (uint64_t)i), angle = garray__philox_word(b, (uint64_t)i + 1);
        garray__narrow_normal(w, angle, &first, &second);
        TEST_EXPECT(z[i] == first && z[i + 1] == second, "normals %d", (int)i);
        TEST_EXPECT(e[i] == garray__narrow_draw(w), "exponential %d", (int)i);
        /* and in the C library's terms */
        const double exact = minus_log(w, 0.5), r = sqrt(2 * minus_log(w, ((angle & 0x7fffff) | 1) * 0x1p-23));
        TEST_EXPECT(fabs(e[i] - exact) < 4e-7 * exact, "exponential %d is %.9g, not %.9g", (int)i, (double)e[i], exact);
        /* an angle of an eighth turn at most, which two bits reflect */
        const double turn = ((double)(int32_t)(angle << 2) + 2) * 0x1p-34 * 6.283185307179586;
        const double across = angle >> 31 ? -r * cos(turn) : r * cos(turn), up = r * sin(turn);
        const double one = angle >> 30 & 1 ? up : across, two = angle >> 30 & 1 ? across : up;
        TEST_EXPECT(fabs(z[i] - one) < 5e-7 * r && fabs(z[i + 1] - two) < 5e-7 * r,
                    "normals %d are %.9g and %.9g, not %.9g and %.9g", (int)i, (double)z[i], (double)z[i + 1], one, two);
    }
    free(e);
    free(z);
    garray_release(x);
    garray_release(y);
    TEST_NO_LEAK(mark);
}

Test(distributions, errors)
{
    test_mark mark = test_memory();
    static const struct { int kind; double p[3]; const char *text; } table[] = {
        { GARRAY_RANDOM_exponential, { -1 }, "scale < 0" },
        { GARRAY_RANDOM_gamma, { -1, 1 }, "shape < 0" },
        { GARRAY_RANDOM_gamma, { 1, -1 }, "scale < 0" },
        { GARRAY_RANDOM_beta, { 0, 1 }, "a <= 0" },
        { GARRAY_RANDOM_f, { 1, 0 }, "dfden <= 0" },
        { GARRAY_RANDOM_noncentral_f, { 1, 1, -1 }, "nonc < 0" },
        { GARRAY_RANDOM_standard_t, { 0 }, "df <= 0" },
        { GARRAY_RANDOM_vonmises, { 0, -1 }, "kappa < 0" },
        { GARRAY_RANDOM_pareto, { 0 }, "a <= 0" },
        { GARRAY_RANDOM_weibull, { -1 }, "a < 0" },
        { GARRAY_RANDOM_lognormal, { 0, -1 }, "sigma < 0" },
        { GARRAY_RANDOM_wald, { 0, 1 }, "mean <= 0" },
        { GARRAY_RANDOM_triangular, { 2, 1, 3 }, "left > mode" },
        { GARRAY_RANDOM_triangular, { 1, 4, 3 }, "mode > right" },
        { GARRAY_RANDOM_triangular, { 1, 1, 1 }, "left == right" },
        { GARRAY_RANDOM_binomial, { -1, 0.5 }, "n < 0" },
        { GARRAY_RANDOM_binomial, { NAN, 0.5 }, "no whole number" },
        { GARRAY_RANDOM_binomial, { 2.5, 0.5 }, "no whole number" },
        { GARRAY_RANDOM_binomial, { INFINITY, 0.5 }, "no whole number" },
        { GARRAY_RANDOM_hypergeometric, { 2, 3, 0.5 }, "nsample is no whole number" },
        { GARRAY_RANDOM_hypergeometric, { NAN, 3, 1 }, "ngood is no whole number" },
        { GARRAY_RANDOM_binomial, { 5, 1.5 }, "p < 0, p > 1 or p is NaN" },
        { GARRAY_RANDOM_binomial, { 5, NAN }, "p < 0, p > 1 or p is NaN" },
        { GARRAY_RANDOM_negative_binomial, { 1e18, 1e-5 }, "n too large or p too small" },
        { GARRAY_RANDOM_negative_binomial, { 5, 0 }, "p <= 0, p > 1" },
        { GARRAY_RANDOM_poisson, { -1 }, "lam < 0 or lam is NaN" },
        { GARRAY_RANDOM_poisson, { 1e20 }, "lam value too large" },
        { GARRAY_RANDOM_zipf, { 1 }, "a <= 1 or a is NaN" },
        { GARRAY_RANDOM_geometric, { 0 }, "p <= 0, p > 1" },
        { GARRAY_RANDOM_hypergeometric, { 1, 1, 3 }, "ngood + nbad < nsample" },
        { GARRAY_RANDOM_hypergeometric, { 1e10, 1, 3 }, "both ngood and nbad must be less than 1000000000" },
        { GARRAY_RANDOM_logseries, { 1 }, "p < 0, p >= 1 or p is NaN" },
    };
    for (size_t t = 0; t < sizeof table / sizeof table[0]; t++) {
        garray_rng rng = GARRAY_RNG(0);
        garray_operand in[3];
        garray_t *x = NULL, *bad[3] = { NULL };
        char name[64];
        fill_operands(in, table[t].p);
        test_context("row %zu, %s", t, name_of(table[t].kind));
        snprintf(name, sizeof name, "garray_random_%s: ", name_of(table[t].kind));
        TEST_STATUS(ERR_INVALID, draw(table[t].kind, &rng, in, GARRAY_SHAPE(4), GARRAY_DTYPE_DEFAULT, &x));
        TEST_MESSAGE(name, table[t].text);
        TEST_EXPECT(x == NULL && rng.position == 0, "something was changed");
        /* as an array: on a GPU at the next wait */
        for (int i = 0; i < 3; i++) {
            TEST_OK(garray_full(GARRAY_SHAPE(4), table[t].p[i], GARRAY_FLOAT64, test_device(), &bad[i]));
            in[i] = garray_operand_array(bad[i]);
        }
        if (test_on_gpu()) {
            TEST_OK(draw(table[t].kind, &rng, in, GARRAY_SHAPE(4), GARRAY_DTYPE_DEFAULT, &x));
            TEST_STATUS(ERR_INVALID, garray_synchronize(test_device()));
            TEST_MESSAGE("earlier: ", table[t].text);
        } else {
            TEST_STATUS(ERR_INVALID, draw(table[t].kind, &rng, in, GARRAY_SHAPE(4), GARRAY_DTYPE_DEFAULT, &x));
            TEST_MESSAGE(name, table[t].text);
            TEST_EXPECT(x == NULL && rng.position == 0, "something was changed");
        }
        for (int i = 0; i < 3; i++)
            garray_release(bad[i]);
        garray_release(x);
    }
    garray_rng rng = GARRAY_RNG(0);
    garray_t *x = NULL, *complex = NULL, *three = NULL;
    TEST_OK(garray_zeros(GARRAY_SHAPE(4), GARRAY_COMPLEX64, test_device(), &complex));
    TEST_OK(garray_zeros(GARRAY_SHAPE(3), GARRAY_FLOAT64, test_device(), &three));
    TEST_STATUS(ERR_DTYPE, garray_random_gamma(&rng, 1, complex, GARRAY_SHAPE(4), GARRAY_FLOAT64, test_device(), &x));
    TEST_STATUS(ERR_SHAPE, garray_random_gamma(&rng, three, 1, GARRAY_SHAPE(4), GARRAY_FLOAT64, test_device(), &x));
    TEST_STATUS(ERR_DTYPE, garray_random_gamma(&rng, 1, 1, GARRAY_SHAPE(4), GARRAY_INT64, test_device(), &x));
    TEST_STATUS(ERR_INVALID, garray_random_gamma(&rng, GARRAY_NONE, 1, GARRAY_SHAPE(4), GARRAY_FLOAT64, test_device(), &x));
    TEST_STATUS(ERR_INVALID, garray_random_gamma(NULL, 1, 1, GARRAY_SHAPE(4), GARRAY_FLOAT64, test_device(), &x));
    garray_release(complex);
    garray_release(three);
    TEST_NO_LEAK(mark);
}

/* What parameters at the edge give. */
Test(distributions, edges)
{
    test_mark mark = test_memory();
    static const struct { int kind; double p[3], expected; } table[] = {
        { GARRAY_RANDOM_exponential, { 0 }, 0 }, { GARRAY_RANDOM_gamma, { 0, 1 }, 0 }, { GARRAY_RANDOM_gamma, { 2, 0 }, 0 },
        { GARRAY_RANDOM_weibull, { 0 }, 0 }, { GARRAY_RANDOM_laplace, { 3, 0 }, 3 }, { GARRAY_RANDOM_binomial, { 0, 0.5 }, 0 },
        { GARRAY_RANDOM_binomial, { 7, 0 }, 0 }, { GARRAY_RANDOM_binomial, { 7, 1 }, 7 }, { GARRAY_RANDOM_poisson, { 0 }, 0 },
        { GARRAY_RANDOM_negative_binomial, { 3, 1 }, 0 }, { GARRAY_RANDOM_geometric, { 1 }, 1 },
        { GARRAY_RANDOM_logseries, { 0 }, 1 }, { GARRAY_RANDOM_zipf, { 2000 }, 1 },
        { GARRAY_RANDOM_hypergeometric, { 0, 5, 3 }, 0 }, { GARRAY_RANDOM_hypergeometric, { 5, 0, 3 }, 3 },
        { GARRAY_RANDOM_hypergeometric, { 50, 20, 70 }, 50 }, { GARRAY_RANDOM_hypergeometric, { 50, 20, 0 }, 0 },
        { GARRAY_RANDOM_exponential, { NAN }, NAN }, { GARRAY_RANDOM_gamma, { NAN, 1 }, NAN },
        { GARRAY_RANDOM_exponential, { INFINITY }, INFINITY }, { GARRAY_RANDOM_vonmises, { 0, NAN }, NAN },
        { GARRAY_RANDOM_wald, { 1, NAN }, NAN }, { GARRAY_RANDOM_wald, { NAN, 1 }, NAN },
        { GARRAY_RANDOM_noncentral_chisquare, { 3, NAN }, NAN }, { GARRAY_RANDOM_lognormal, { 2, 0 }, 7.389056098930650227 },
    };
    for (size_t t = 0; t < sizeof table / sizeof table[0]; t++) {
        garray_rng rng = GARRAY_RNG(1);
        garray_operand in[3];
        garray_t *x = NULL;
        fill_operands(in, table[t].p);
        test_context("%s(%g, %g, %g)", name_of(table[t].kind), table[t].p[0], table[t].p[1], table[t].p[2]);
        if (!TEST_OK(draw(table[t].kind, &rng, in, GARRAY_SHAPE(100), GARRAY_DTYPE_DEFAULT, &x)))
            continue;
        double *v = as_doubles(x), y = table[t].expected;
        for (int i = 0; i < 100; i++)
            TEST_EXPECT(isnan(y) ? isnan(v[i]) : v[i] == y || fabs(v[i] - y) < 1e-15 * fabs(y), "%d is %.17g", i, v[i]);
        free(v);
        garray_release(x);
    }
    TEST_NO_LEAK(mark);
}
