/* SPDX-License-Identifier: BSD-3-Clause
 * Random draws as a statistician sees them, with fixed seeds: Random123's known answers, moments, chi-square, bounds,
 * independent streams, and draws in parts that are the draw as a whole. */
#include "core/philox.h"
#include "test.h"

/* Draws at a time; GARRAY_TEST_DRAWS=100000000 in the environment makes that many in all. */
enum { N = 1 << 20 };

static int parts_to_draw(void)
{
    const char *draws = getenv("GARRAY_TEST_DRAWS");
    return draws && atoll(draws) > N ? (int)(atoll(draws) / N) : 1;
}

/* ---- known answers: examples/kat_vectors of Random123 ---- */

Test(random_values, philox)
{
    static const struct {
        uint32_t counter[4], key[2], expected[4];
    } table[] = {
        { { 0, 0, 0, 0 }, { 0, 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
        { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
          { 0xffffffff, 0xffffffff },
          { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
        { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
          { 0xa4093822, 0x299f31d0 },
          { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
    };
    for (size_t t = 0; t < 3; t++) {
        const uint32_t *c = table[t].counter, *k = table[t].key;
        uint64_t seed = k[0] | (uint64_t)k[1] << 32, block = c[0] | (uint64_t)c[1] << 32, stream = c[2] | (uint64_t)c[3] << 32;
        const garray__philox got = garray__philox_block(seed, stream, block, 0);
        TEST_EXPECT(memcmp(got.word, table[t].expected, 16) == 0, "row %zu: %08x %08x %08x %08x", t, got.word[0], got.word[1],
                    got.word[2], got.word[3]);
        if (stream >> 56)
            continue;
        garray_rng rng = { seed, stream, block, 0 };
        garray_t *x = NULL;
        if (TEST_OK(garray_random_bits(&rng, GARRAY_SHAPE(4), GARRAY_UINT32, test_device(), &x)))
            TEST_EQUAL(x, table[t].expected, 0);
        garray_release(x);
    }
}

/* ---- distributions ---- */

/* Chi-square of counts against n equally likely places, in standard deviations from what is expected. */
static double chi_square(const int64_t *counts, int places, double draws)
{
    double sum = 0, expected = draws / places;
    for (int i = 0; i < places; i++)
        sum += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
    return (sum - (places - 1)) / sqrt(2.0 * (places - 1));
}

/* A draw as doubles, from malloc. */
static double *draw(garray_t *x)
{
    GARRAY_AUTO garray_t *wide = NULL;
    double *values = malloc((size_t)garray_size(x) * sizeof *values);
    TEST_OK(garray_astype(x, GARRAY_FLOAT64, &wide));
    TEST_OK(garray_to_host(wide, values, NULL, (size_t)garray_size(x) * sizeof *values));
    return values;
}

/* Kolmogorov's and Smirnov's largest distance from the uniform distribution (at the places) times the root of n, of which
 * one in 10^5 is above 2.5. */
static void expect_level(const int64_t *counts, int places, double n)
{
    double below = 0, distance = 0;
    for (int i = 0; i < places; i++) {
        below += (double)counts[i] / n;
        distance = fmax(distance, fabs(below - (i + 1.0) / places));
    }
    TEST_EXPECT(distance * sqrt(n) < 2.5, "a distance of %g", distance);
}

static void expect_close(const char *what, double got, double expected, double deviation)
{
    TEST_EXPECT(fabs(got - expected) < 5 * deviation, "%s is %g, not %g: %.1f standard deviations", what, got, expected,
                (got - expected) / deviation);
}

Test(random_values, uniform)
{
    static const garray_dtype dtypes[] = { GARRAY_FLOAT32, GARRAY_FLOAT64, GARRAY_FLOAT16, GARRAY_BFLOAT16 };
    enum { PLACES = 128 };
    const int parts = parts_to_draw();
    const double n = (double)parts * N;
    for (size_t d = 0; d < 4; d++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            garray_rng rng = GARRAY_RNG(seed * 0x100000001);
            garray_t *x = NULL;
            int64_t counts[PLACES] = { 0 };
            double mean = 0, square = 0, lag = 0, least = 1, most = 0;
            test_context("%s, seed %d", garray_dtype_name(dtypes[d]), (int)seed);
            for (int part = 0; part < parts; part++) {
                if (!TEST_OK(garray_random_uniform(&rng, 0, 1, GARRAY_SHAPE(N), dtypes[d], test_device(), &x)))
                    break;
                double *v = draw(x), sums[3] = { 0 };
                for (int i = 0; i < N; i++) {
                    sums[0] += v[i];
                    sums[1] += (v[i] - 0.5) * (v[i] - 0.5);
                    sums[2] += i ? (v[i] - 0.5) * (v[i - 1] - 0.5) : 0;
                    least = fmin(least, v[i]);
                    most = fmax(most, v[i]);
                    counts[(int)(fmin(fmax(v[i], 0), 0.999999) * PLACES)]++;
                }
                mean += sums[0] / n;
                square += sums[1] / n;
                lag += sums[2] / n;
                free(v);
            }
            TEST_EXPECT(least >= 0 && most < 1, "the draws are from %g to %g", least, most);
            TEST_EXPECT(least < 0.01 && most > 0.99, "the draws are from %g to %g", least, most);
            /* a 16-bit float of k bits misses half a unit of 2^-k in the mean */
            double unit = dtypes[d] == GARRAY_FLOAT16 ? 0x1p-11 : dtypes[d] == GARRAY_BFLOAT16 ? 0x1p-8 : 0;
            expect_close("the mean", mean + unit / 2, 0.5, sqrt(1.0 / 12 / n));
            expect_close("the variance", square - unit * unit / 4, (1 - unit * unit) / 12, sqrt(1.0 / 180 / n));
            expect_close("the covariance of neighbours", lag, unit * unit / 4, 1.0 / 12 / sqrt(n));
            double chi = chi_square(counts, PLACES, n);
            TEST_EXPECT(fabs(chi) < 5, "chi-square is %.1f standard deviations off", chi);
            expect_level(counts, PLACES, n);
            garray_release(x);
        }
}

/* Below high for every dtype, however narrow the interval. */
Test(random_values, bounds)
{
    static const garray_dtype dtypes[] = { GARRAY_FLOAT32, GARRAY_FLOAT64, GARRAY_FLOAT16, GARRAY_BFLOAT16 };
    static const double bounds[][2] = {
        { 1, 1.0078125 }, { -1, 1 }, { 0, 1e-30 }, { 100, 200 }, { -2, -1.9921875 }, { -3e4, 3e4 }
    };
    for (size_t d = 0; d < 4; d++)
        for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; b++) {
            garray_rng rng = GARRAY_RNG(3);
            garray_t *x = NULL;
            char low[8], high[8];
            int outside = 0;
            /* the bounds as numbers of the dtype: zero for what it cannot hold */
            test_store(dtypes[d], low, bounds[b][0], 0);
            test_store(dtypes[d], high, bounds[b][1], 0);
            double a = test_load(dtypes[d], low), z = test_load(dtypes[d], high);
            test_context("%s from %g to %g", garray_dtype_name(dtypes[d]), a, z);
            if (a == z || !TEST_OK(garray_random_uniform(&rng, a, z, GARRAY_SHAPE(N / 4), dtypes[d], test_device(), &x)))
                continue;
            double *v = draw(x);
            for (int i = 0; i < N / 4; i++)
                outside += !(v[i] >= a && v[i] < z);
            TEST_EXPECT(outside == 0, "%d draws are outside", outside);
            free(v);
            garray_release(x);
        }
}

Test(random_values, normal)
{
    static const garray_dtype dtypes[] = { GARRAY_FLOAT32, GARRAY_FLOAT64, GARRAY_FLOAT16, GARRAY_BFLOAT16 };
    enum { PLACES = 64 };
    const int parts = parts_to_draw();
    const double n = (double)parts * N;
    for (size_t d = 0; d < 4; d++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            garray_rng rng = GARRAY_RNG(seed);
            garray_t *x = NULL;
            int64_t counts[PLACES] = { 0 };
            double m[5] = { 0 }, lag = 0;
            bool finite = true;
            test_context("%s, seed %d", garray_dtype_name(dtypes[d]), (int)seed);
            for (int part = 0; part < parts; part++) {
                if (!TEST_OK(garray_random_normal(&rng, 0, 1, GARRAY_SHAPE(N), dtypes[d], test_device(), &x)))
                    break;
                double *v = draw(x), sums[5] = { 0 };
                for (int i = 0; i < N; i++) {
                    double power = 1;
                    finite = finite && isfinite(v[i]);
                    for (int k = 1; k <= 4; k++)
                        sums[k] += power *= v[i];
                    sums[0] += i ? v[i] * v[i - 1] : 0;
                    counts[(int)fmin(0.5 * erfc(-v[i] * M_SQRT1_2) * PLACES, PLACES - 1)]++;
                }
                lag += sums[0] / n;
                for (int k = 1; k <= 4; k++)
                    m[k] += sums[k] / n;
                free(v);
            }
            TEST_EXPECT(finite, "a draw is not finite");
            expect_close("the mean", m[1], 0, 1 / sqrt(n));
            /* rounding to 8 bits widens a normal distribution a little */
            double loose = dtypes[d] == GARRAY_BFLOAT16 ? 3e-6 : 0;
            expect_close("the variance", m[2], 1, sqrt(2.0 / n) + loose);
            expect_close("the third moment", m[3], 0, sqrt(15.0 / n));
            expect_close("the fourth moment", m[4], 3, sqrt(96.0 / n) + 10 * loose);
            expect_close("the covariance of neighbours", lag, 0, 1 / sqrt(n));
            double chi = chi_square(counts, PLACES, n);
            TEST_EXPECT(dtypes[d] == GARRAY_BFLOAT16 || dtypes[d] == GARRAY_FLOAT16 || fabs(chi) < 5,
                        "chi-square is %.1f standard deviations off", chi);
            if (dtypes[d] != GARRAY_BFLOAT16 && dtypes[d] != GARRAY_FLOAT16)
                expect_level(counts, PLACES, n);
            /* loc + scale * z */
            double mean = 0, square = 0;
            if (TEST_OK(garray_random_normal(&rng, -3, 0.25, GARRAY_SHAPE(N), dtypes[d], test_device(), &x))) {
                double *v = draw(x);
                for (int i = 0; i < N; i++) {
                    mean += v[i] / N;
                    square += (v[i] + 3) * (v[i] + 3) / N;
                }
                expect_close("the mean", mean, -3, 0.25 / sqrt(N));
                expect_close("the variance", square, 0.0625, 0.0625 * sqrt(2.0 / N) + 1e-5 * (dtypes[d] == GARRAY_BFLOAT16));
                free(v);
            }
            garray_release(x);
        }
}

/* Every integer of a range equally often; none outside. The last ranges show the bias of a plain remainder or product:
 * a third of them would come twice as often. */
Test(random_values, integers)
{
    static const struct {
        garray_dtype dtype;
        int64_t low, high;
        int places;                     /* the range in as many equal parts */
    } table[] = {
        { GARRAY_INT64, 0, 6, 6 },
        { GARRAY_UINT8, 0, 256, 256 },
        { GARRAY_INT8, -128, 128, 64 },
        { GARRAY_BOOL, 0, 2, 2 },
        { GARRAY_INT16, -7, 100, 107 },
        { GARRAY_UINT32, 0, INT64_C(3) << 30, 96 },
        { GARRAY_INT64, -(INT64_C(3) << 61), INT64_C(3) << 60, 96 },
        { GARRAY_UINT64, 5, 5 + (INT64_C(1) << 33), 64 },
        { GARRAY_INT32, -1000, 1000, 40 },
    };
    const int parts = parts_to_draw();
    for (size_t t = 0; t < sizeof table / sizeof table[0]; t++) {
        garray_rng rng = GARRAY_RNG(t);
        garray_t *x = NULL;
        int64_t counts[256] = { 0 }, outside = 0;
        test_context("row %zu", t);
        double part = ((double)table[t].high - (double)table[t].low) / table[t].places;
        for (int k = 0; k < parts; k++) {
            if (!TEST_OK(garray_random_integers(&rng, table[t].low, table[t].high, GARRAY_SHAPE(N),
                                                GARRAY_KW(integers, .dtype = table[t].dtype), test_device(), &x)))
                break;
            TEST_OK(garray_astype(x, GARRAY_INT64, &x));
            int64_t *v = test_read(x);
            for (int i = 0; i < N; i++) {
                int place = (int)(((double)v[i] - (double)table[t].low) / part);
                outside += v[i] < table[t].low || v[i] >= table[t].high;
                counts[place < 0 ? 0 : place >= table[t].places ? table[t].places - 1 : place]++;
            }
            free(v);
        }
        TEST_EXPECT(outside == 0, "%d draws are outside", (int)outside);
        double chi = chi_square(counts, table[t].places, (double)parts * N);
        TEST_EXPECT(fabs(chi) < 5, "chi-square is %.1f standard deviations off", chi);
        expect_level(counts, table[t].places, (double)parts * N);
        garray_release(x);
    }
}

/* ---- streams and parts ---- */

Test(random_values, streams)
{
    garray_rng base = GARRAY_RNG(1);
    garray_t *x[4] = { NULL };
    double *v[4];
    for (int k = 0; k < 4; k++) {
        garray_rng rng = base;
        rng.stream = k == 1 ? 1 : k == 2 ? (UINT64_C(1) << 56) - 1 : 0;
        rng.seed = k == 3 ? 2 : 1;
        if (!TEST_OK(garray_random_uniform(&rng, -1, 1, GARRAY_SHAPE(N / 4), GARRAY_FLOAT64, test_device(), &x[k])))
            return;
        v[k] = draw(x[k]);
    }
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < a; b++) {
            double covariance = 0;
            int equal = 0;
            for (int i = 0; i < N / 4; i++) {
                covariance += v[a][i] * v[b][i] / (N / 4);
                equal += v[a][i] == v[b][i];
            }
            test_context("streams %d and %d", a, b);
            TEST_EXPECT(equal == 0, "%d draws are equal", equal);
            expect_close("the covariance", covariance, 0, 1.0 / 3 / sqrt(N / 4));
        }
    for (int k = 0; k < 4; k++) {
        free(v[k]);
        garray_release(x[k]);
    }
}

static garray_status draw_kind(int kind, garray_rng *rng, int64_t n, garray_t **out)
{
    switch (kind) {
    case 0: return garray_random_bits(rng, GARRAY_SHAPE(n), GARRAY_UINT32, test_device(), out);
    case 1: return garray_random_bits(rng, GARRAY_SHAPE(n), GARRAY_UINT64, test_device(), out);
    case 2: return garray_random_uniform(rng, 0, 1, GARRAY_SHAPE(n), GARRAY_FLOAT16, test_device(), out);
    case 3: return garray_random_uniform(rng, 0, 1, GARRAY_SHAPE(n), GARRAY_FLOAT64, test_device(), out);
    case 4: return garray_random_normal(rng, 0, 1, GARRAY_SHAPE(n), GARRAY_FLOAT32, test_device(), out);
    case 5: return garray_random_normal(rng, 0, 1, GARRAY_SHAPE(n), GARRAY_FLOAT64, test_device(), out);
    case 6: return garray_random_integers(rng, 0, INT64_C(3) << 30, GARRAY_SHAPE(n), NULL, test_device(), out);
    default: return garray_random_integers(rng, 0, INT64_C(3) << 61, GARRAY_SHAPE(n), NULL, test_device(), out);
    }
}

/* Parts of whole blocks, drawn one after the other and with any number of threads, are the draw as a whole; a part that
 * ends within a block leaves the rest of it unused. */
Test(random_values, parts)
{
    static const int64_t lengths[] = { 4, 40, 8, 100000, 12, 20000 };
    for (int kind = 0; kind < 8; kind++) {
        int64_t total = 0, done = 0;
        garray_rng rng = GARRAY_RNG(77), again = GARRAY_RNG(77);
        garray_t *whole = NULL, *part = NULL;
        test_context("kind %d", kind);
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
            total += lengths[i];
        if (!TEST_OK(draw_kind(kind, &rng, total, &whole)))
            continue;
        char *expected = test_read(whole);
        size_t item = garray_dtype_size(garray_dtype_of(whole));
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
            (void)TEST_OK(garray_set_num_threads((int)i % 3 + 1));
            if (TEST_OK(draw_kind(kind, &again, lengths[i], &part)))
                TEST_EQUAL(part, expected + (size_t)done * item, 0);
            done += lengths[i];
        }
        TEST_EXPECT(rng.position == again.position, "the positions differ");
        /* one element at a time uses a block each */
        garray_rng single = GARRAY_RNG(77);
        int64_t per_block = kind == 0 || kind == 2 || kind == 4 || kind == 6 ? 4 : 2;
        for (int64_t i = 0; i < 5; i++)
            if (TEST_OK(draw_kind(kind, &single, 1, &part)))
                TEST_EQUAL(part, expected + (size_t)(i * per_block) * item, 0);
        free(expected);
        garray_release(whole);
        garray_release(part);
    }
    (void)TEST_OK(garray_set_num_threads(0));
}
