/* SPDX-License-Identifier: BSD-3-Clause
 * Random draws: their bits by an independent Philox, positions, bounds, and array bounds against numbers. */
#include "test.h"

/* ---- Philox4x32-10, from the paper ---- */
static void philox(const garray_rng *rng, uint64_t block, unsigned attempt, uint32_t word[4])
{
    uint32_t key[2] = { (uint32_t)rng->seed, (uint32_t)(rng->seed >> 32) };
    uint32_t c[4] = { (uint32_t)block, (uint32_t)(block >> 32), (uint32_t)rng->stream,
                      (uint32_t)(rng->stream >> 32) | attempt << 24 };
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xd2511f53 * c[0], b = (uint64_t)0xcd9e8d57 * c[2];
        uint32_t next[4] = { (uint32_t)(b >> 32) ^ c[1] ^ key[0], (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ key[1], (uint32_t)a };
        memcpy(c, next, sizeof c);
        key[0] += 0x9e3779b9;
        key[1] += 0xbb67ae85;
    }
    memcpy(word, c, sizeof c);
}

static uint32_t word32(const garray_rng *rng, int64_t i, unsigned attempt)
{
    uint32_t w[4];
    philox(rng, rng->position + (uint64_t)i / 4, attempt, w);
    return w[i % 4];
}

static uint64_t word64(const garray_rng *rng, int64_t i, unsigned attempt)
{
    uint32_t w[4];
    philox(rng, rng->position + (uint64_t)i / 2, attempt, w);
    return w[2 * (i % 2)] | (uint64_t)w[2 * (i % 2) + 1] << 32;
}

/* A place in the sequence whose blocks cross 2^32. */
static garray_rng start(void)
{
    garray_rng rng = GARRAY_RNG(0x123456789abcdef0);
    rng.stream = 0xa1b2c3d4e5f607;
    rng.position = 0xfffffffe;
    return rng;
}

enum { N = 1001 };

static void expect_moved(const garray_rng *rng, uint64_t blocks)
{
    garray_rng from = start();
    TEST_EXPECT(rng->position == from.position + blocks && rng->seed == from.seed && rng->stream == from.stream,
                "the position moved by %d blocks, expected %d", (int)(rng->position - from.position), (int)blocks);
}

Test(random, known_answers)
{
    garray_rng rng = GARRAY_RNG(0);
    garray_t *x = NULL;
    const uint32_t expected[] = { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 };    /* of Random123 */
    TEST_OK(garray_random_bits(&rng, GARRAY_SHAPE(4), GARRAY_DTYPE_DEFAULT, test_device(), &x));
    TEST_EQUAL(x, expected, 0);
    garray_release(x);
}

Test(random, bits)
{
    garray_t *x = NULL;
    uint32_t narrow[N];
    uint64_t wide[N];
    garray_rng rng = start(), from = start();
    for (int64_t i = 0; i < N; i++) {
        narrow[i] = word32(&from, i, 0);
        wide[i] = word64(&from, i, 0);
    }
    TEST_OK(garray_random_bits(&rng, GARRAY_SHAPE(N), GARRAY_UINT32, test_device(), &x));
    TEST_EQUAL(x, narrow, 0);
    expect_moved(&rng, (N + 3) / 4);
    rng = start();
    TEST_OK(garray_random_bits(&rng, GARRAY_SHAPE(7, 11, 13), GARRAY_UINT64, test_device(), &x));
    TEST_EQUAL(x, wide, 0);
    expect_moved(&rng, (N + 1) / 2);
    garray_release(x);
}

/* The largest number of dtype below high, where value, rounded, is not below. */
static void store_below(int dtype, void *element, double value, double high)
{
    uint64_t bits = 0;
    test_store(dtype, &bits, dtype == GARRAY_FLOAT64 ? value : (double)(float)value, 0);
    if (test_load(dtype, &bits) >= high)
        bits = test_load(dtype, &bits) > 0 ? bits - 1 : bits + 1;       /* the tests below have no 0 here */
    memcpy(element, &bits, garray_dtype_size((garray_dtype)dtype));
}

Test(random, uniform)
{
    static const struct { int dtype, digits; } types[] = {
        { GARRAY_FLOAT16, 11 }, { GARRAY_BFLOAT16, 8 }, { GARRAY_FLOAT32, 24 }, { GARRAY_FLOAT64, 53 } };
    static const double bounds[][2] = { { 0, 1 }, { -1, 2.5 }, { 1, 1.0009765625 }, { -2, -1.99 }, { 1000, 1001 } };
    for (size_t t = 0; t < 4; t++)
        for (size_t b = 0; b < sizeof bounds / sizeof bounds[0]; b++) {
            double low = bounds[b][0], high = bounds[b][1];
            int dtype = types[t].dtype, wide = dtype == GARRAY_FLOAT64;
            garray_rng rng = start(), from = start();
            garray_t *x = NULL, *y = NULL, *lows = NULL, *highs = NULL;
            double expected[N];     /* room for any dtype */
            size_t size = garray_dtype_size((garray_dtype)dtype);
            test_context("%s of [%g, %g)", garray_dtype_name((garray_dtype)dtype), low, high);
            for (int64_t i = 0; i < N; i++) {
                double u = wide ? (double)(word64(&from, i, 0) >> 11) : (double)(word32(&from, i, 0) >> (32 - types[t].digits));
                double span = (high - low) * ldexp(u, -types[t].digits);
                store_below(dtype, (char *)expected + (size_t)i * size, low + span, high);
            }
            TEST_OK(garray_random_uniform(&rng, low, high, GARRAY_SHAPE(7, 11, 13), (garray_dtype)dtype, test_device(), &x));
            TEST_EQUAL(x, expected, 0);
            expect_moved(&rng, wide ? (N + 1) / 2 : (N + 3) / 4);
            /* the same from arrays */
            TEST_OK(garray_full(GARRAY_SHAPE(11, 1), low, GARRAY_FLOAT64, test_device(), &lows));
            TEST_OK(garray_full(GARRAY_SHAPE(7, 1, 13), high, GARRAY_FLOAT64, test_device(), &highs));
            rng = start();
            TEST_OK(garray_random_uniform(&rng, lows, highs, GARRAY_SHAPE(7, 11, 13), (garray_dtype)dtype, test_device(), &y));
            TEST_EQUAL(y, expected, 0);
            expect_moved(&rng, wide ? (N + 1) / 2 : (N + 3) / 4);
            rng = start();
            TEST_OK(garray_random_uniform(&rng, low, highs, GARRAY_SHAPE(7, 11, 13), (garray_dtype)dtype, test_device(), &y));
            TEST_EQUAL(y, expected, 0);
            rng = start();
            TEST_OK(garray_random_uniform(&rng, lows, high, GARRAY_SHAPE(7, 11, 13), (garray_dtype)dtype, test_device(),
                                          garray_into(y)));
            TEST_EQUAL(y, expected, 0);
            garray_release(x);
            garray_release(y);
            garray_release(lows);
            garray_release(highs);
        }
}

Test(random, nothing_between)
{
    garray_rng rng = start();
    garray_t *x = NULL, *low = NULL;
    const double expected[] = { 3, 3, 3 };
    TEST_OK(garray_random_uniform(&rng, 3, 3, GARRAY_SHAPE(3), GARRAY_FLOAT64, test_device(), &x));
    TEST_EQUAL(x, expected, 0);
    expect_moved(&rng, 2);
    TEST_OK(garray_full(GARRAY_0D, 3, GARRAY_FLOAT64, test_device(), &low));
    TEST_OK(garray_random_uniform(&rng, low, 3, GARRAY_SHAPE(3), GARRAY_FLOAT64, test_device(), &x));
    TEST_EQUAL(x, expected, 0);
    garray_release(x);
    garray_release(low);
}

Test(random, normal)
{
    garray_rng rng = start(), from = start();
    garray_t *x = NULL, *y = NULL, *loc = NULL, *scale = NULL;
    TEST_OK(garray_random_normal(&rng, 0, 1, GARRAY_SHAPE(N), GARRAY_FLOAT64, test_device(), &x));
    expect_moved(&rng, (N + 1) / 2);
    double *got = test_read(x);
    for (int64_t i = 0; i < N; i++) {
        double u = (double)((word64(&from, i & ~(int64_t)1, 0) >> 11) + 1) * 0x1p-53;
        double angle = (double)(word64(&from, i | 1, 0) >> 11) * 0x1p-53 * 6.283185307179586477;
        double z = sqrt(-2 * log(u)) * (i % 2 ? sin(angle) : cos(angle));
        TEST_EXPECT(fabs(got[i] - z) < 1e-14, "element %d is %.17g, not %.17g", (int)i, got[i], z);
    }
    free(got);
    /* arrays as numbers, in every dtype */
    static const garray_dtype types[] = { GARRAY_FLOAT16, GARRAY_BFLOAT16, GARRAY_FLOAT32, GARRAY_FLOAT64 };
    TEST_OK(garray_full(GARRAY_SHAPE(13), 2, GARRAY_INT16, test_device(), &loc));
    TEST_OK(garray_full(GARRAY_SHAPE(7, 11, 1), 3, GARRAY_FLOAT32, test_device(), &scale));
    for (size_t t = 0; t < 4; t++) {
        test_context("%s", garray_dtype_name(types[t]));
        rng = start();
        TEST_OK(garray_random_normal(&rng, 2, 3, GARRAY_SHAPE(7, 11, 13), types[t], test_device(), &x));
        expect_moved(&rng, types[t] == GARRAY_FLOAT64 ? (N + 1) / 2 : (N + 3) / 4);
        rng = start();
        TEST_OK(garray_random_normal(&rng, loc, scale, GARRAY_SHAPE(7, 11, 13), types[t], test_device(), &y));
        expect_moved(&rng, types[t] == GARRAY_FLOAT64 ? (N + 1) / 2 : (N + 3) / 4);
        void *expected = test_read(x);
        TEST_EQUAL(y, expected, 0);
        free(expected);
    }
    garray_release(x);
    garray_release(y);
    garray_release(loc);
    garray_release(scale);
}

/* high * low of the full product of two 64-bit numbers */
static void multiply(uint64_t a, uint64_t b, uint64_t *high, uint64_t *low)
{
    __extension__ unsigned __int128 p = (unsigned __int128)a * b;
    *high = (uint64_t)(p >> 64);
    *low = (uint64_t)p;
}

static uint64_t bounded(const garray_rng *rng, int64_t i, uint64_t range)
{
    for (unsigned attempt = 0;; attempt++) {
        uint64_t n = range + 1, high, low;
        if (range <= UINT32_MAX) {
            uint64_t m = word32(rng, i, attempt) * n;
            if ((uint32_t)m >= (UINT64_C(0x100000000) - n) % n)
                return m >> 32;
        } else if (n == 0) {
            return word64(rng, i, attempt);
        } else {
            multiply(word64(rng, i, attempt), n, &high, &low);
            if (low >= (0 - n) % n)
                return high;
        }
    }
}

Test(random, integers)
{
    static const struct {
        int dtype;
        int64_t low;
        uint64_t range;
    } table[] = {
        { GARRAY_INT64, -5, 104 }, { GARRAY_UINT8, 0, 255 }, { GARRAY_INT8, -128, 255 }, { GARRAY_BOOL, 0, 1 },
        { GARRAY_INT16, 7, 0 }, { GARRAY_INT32, INT32_MIN, UINT32_MAX }, { GARRAY_UINT32, 1, 0xbfffffff },
        { GARRAY_INT64, 0, UINT32_MAX }, { GARRAY_INT64, 0, UINT64_C(1) << 32 }, { GARRAY_UINT64, 0, UINT64_MAX },
        { GARRAY_INT64, INT64_MIN, UINT64_MAX }, { GARRAY_INT64, INT64_MIN / 2, UINT64_C(0xa000000000000000) },
        { GARRAY_UINT16, 100, 999 },
    };
    for (size_t r = 0; r < sizeof table / sizeof table[0]; r++) {
        garray_rng rng = start(), from = start();
        garray_t *x = NULL;
        uint64_t expected[N], range = table[r].range;
        size_t size = garray_dtype_size((garray_dtype)table[r].dtype);
        test_context("row %zu", r);
        for (int64_t i = 0; i < N; i++) {
            uint64_t v = (uint64_t)table[r].low + bounded(&from, i, range);
            memcpy((char *)expected + (size_t)i * size, &v, size);
        }
        garray_operand high = garray_operand_uint((uint64_t)table[r].low + range);
        if (table[r].dtype != GARRAY_UINT64)
            high.kind = GARRAY_OPERAND_INT;
        TEST_OK(garray_random_integers(&rng, table[r].low, high, GARRAY_SHAPE(N),
                                       GARRAY_KW(integers, .dtype = (garray_dtype)table[r].dtype, .endpoint = 1),
                                       test_device(), &x));
        TEST_EQUAL(x, expected, 0);
        expect_moved(&rng, range <= UINT32_MAX ? (N + 3) / 4 : (N + 1) / 2);
        garray_release(x);
    }
}

/* Bounds that are arrays: a block for each element, and its attempts. */
Test(random, integer_arrays)
{
    static const int64_t lows[3] = { -5, 0, -100 }, highs[4] = { 1, 7, 120, 28000 };
    static const double wide_low[3] = { -0x1p53, 0, -0x1.8p52 };
    for (int t = 0; t < 3; t++) {
        const int dtype = t == 0 ? GARRAY_INT64 : t == 1 ? GARRAY_INT16 : GARRAY_INT64, closed = t == 1;
        garray_rng rng = start(), from = start();
        garray_t *low = NULL, *high = NULL, *x = NULL;
        double expected[12];    /* room for any dtype */
        test_context("row %d", t);
        TEST_OK(garray_from_host(lows, GARRAY_INT64, GARRAY_SHAPE(3, 1), NULL, test_device(), &low));
        if (t == 2) {
            TEST_OK(garray_from_host(wide_low, GARRAY_FLOAT64, GARRAY_SHAPE(3, 1), NULL, test_device(), &low));
            TEST_OK(garray_astype(low, GARRAY_INT64, &low));
        }
        TEST_OK(garray_from_host(highs, GARRAY_INT64, GARRAY_SHAPE(4), NULL, test_device(), &high));
        for (int64_t i = 0; i < 12; i++) {
            const int64_t first = t == 2 ? (int64_t)wide_low[i / 4] : lows[i / 4];
            const uint64_t n = (uint64_t)(highs[i % 4] - first) + (uint64_t)closed;
            uint64_t value = 0, rest = 0;
            for (unsigned attempt = 0;; attempt++) {
                uint32_t w[4];
                philox(&from, from.position + (uint64_t)i, attempt, w);
                multiply(w[0] | (uint64_t)w[1] << 32, n, &value, &rest);
                if (rest >= (0 - n) % n)
                    break;
            }
            value += (uint64_t)first;
            memcpy((char *)expected + (size_t)i * garray_dtype_size((garray_dtype)dtype), &value, t == 1 ? 2 : 8);
        }
        const garray_integers_opts opts = { .dtype = (garray_dtype)dtype, .endpoint = closed };
        if (TEST_OK(garray_random_integers(&rng, low, high, GARRAY_SHAPE(3, 4), &opts, test_device(), &x)))
            TEST_EQUAL(x, expected, 0);
        expect_moved(&rng, 12);
        /* an array and a number */
        rng = start();
        if (TEST_OK(garray_random_integers(&rng, low, 28000, GARRAY_SHAPE(3, 1), &opts, test_device(), &x)))
            TEST_EXPECT(garray_size(x) == 3, "the size is wrong");
        rng = start();
        garray_status st = garray_random_integers(&rng, low, -200, GARRAY_SHAPE(3, 4), t == 2 ? NULL : &opts, test_device(), &x);
        if (test_on_gpu() && st == GARRAY_OK)
            st = garray_synchronize(test_device());
        TEST_EXPECT(st == GARRAY_ERR_INVALID, "status %d", (int)st);
        TEST_MESSAGE("garray_random_integers: ", "low >= high");
        garray_release(low);
        garray_release(high);
        garray_release(x);
    }
}

/* A later position goes on where an earlier draw ended; a failure moves nothing. */
Test(random, positions)
{
    garray_rng rng = start();
    garray_t *all = NULL, *part = NULL;
    TEST_OK(garray_random_uniform(&rng, 0, 1, GARRAY_SHAPE(100), GARRAY_FLOAT32, test_device(), &all));
    char *expected = test_read(all);
    rng = start();
    for (size_t i = 0; i < 5; i++) {
        TEST_OK(garray_random_uniform(&rng, 0, 1, GARRAY_SHAPE(20), GARRAY_FLOAT32, test_device(), &part));
        TEST_EQUAL(part, expected + 80 * i, 0);
    }
    rng = start();
    TEST_OK(garray_random_normal(&rng, 0, 1, GARRAY_SHAPE(3, 0), GARRAY_FLOAT64, test_device(), &part));
    expect_moved(&rng, 0);
    TEST_STATUS(ERR_SHAPE, garray_random_normal(&rng, 0, 1, GARRAY_SHAPE(2), GARRAY_FLOAT64, test_device(), garray_into(all)));
    expect_moved(&rng, 0);
    free(expected);
    garray_release(all);
    garray_release(part);
}

Test(random, errors)
{
    garray_rng rng = start(), end = GARRAY_RNG(1), wide = GARRAY_RNG(1);
    garray_t *x = NULL, *three = NULL, *complex = NULL;
    garray_device device = test_device();
    const garray_integers_opts bytes = { .dtype = GARRAY_UINT8 }, reals = { .dtype = GARRAY_FLOAT32 };
    end.position = UINT64_MAX;
    wide.stream = UINT64_C(1) << 56;
    TEST_OK(garray_zeros(GARRAY_SHAPE(3), GARRAY_FLOAT64, device, &three));
    TEST_OK(garray_zeros(GARRAY_SHAPE(4), GARRAY_COMPLEX64, device, &complex));
    TEST_STATUS(ERR_INVALID, garray_random_bits(NULL, GARRAY_SHAPE(4), GARRAY_UINT32, device, &x));
    TEST_STATUS(ERR_INVALID, garray_random_bits(&rng, GARRAY_SHAPE(4), GARRAY_UINT32, device, NULL));
    TEST_STATUS(ERR_DTYPE, garray_random_bits(&rng, GARRAY_SHAPE(4), GARRAY_INT32, device, &x));
    TEST_STATUS(ERR_SHAPE, garray_random_bits(&rng, GARRAY_SHAPE(-1), GARRAY_UINT32, device, &x));
    TEST_STATUS(ERR_INVALID, garray_random_bits(&end, GARRAY_SHAPE(5), GARRAY_UINT32, device, &x));
    TEST_STATUS(ERR_INVALID, garray_random_bits(&wide, GARRAY_SHAPE(4), GARRAY_UINT32, device, &x));
    TEST_STATUS(ERR_DTYPE, garray_random_uniform(&rng, 0, 1, GARRAY_SHAPE(4), GARRAY_INT32, device, &x));
    TEST_STATUS(ERR_INVALID, garray_random_uniform(&rng, 1, 0, GARRAY_SHAPE(4), GARRAY_FLOAT32, device, &x));
    TEST_STATUS(ERR_INVALID, garray_random_uniform(&rng, -INFINITY, 0, GARRAY_SHAPE(4), GARRAY_FLOAT32, device, &x));
    TEST_STATUS(ERR_INVALID, garray_random_uniform(&rng, NAN, 0, GARRAY_SHAPE(4), GARRAY_FLOAT32, device, &x));
    TEST_STATUS(ERR_INVALID, garray_random_uniform(&rng, GARRAY_NONE, 0, GARRAY_SHAPE(4), GARRAY_FLOAT32, device, &x));
    TEST_STATUS(ERR_SHAPE, garray_random_uniform(&rng, three, 1, GARRAY_SHAPE(4), GARRAY_FLOAT32, device, &x));
    TEST_MESSAGE("garray_random_uniform: ", "(3,)", "(4,)");
    TEST_STATUS(ERR_DTYPE, garray_random_uniform(&rng, complex, 1, GARRAY_SHAPE(4), GARRAY_FLOAT32, device, &x));
    TEST_STATUS(ERR_INVALID, garray_random_normal(&rng, 0, -1, GARRAY_SHAPE(4), GARRAY_FLOAT32, device, &x));
    TEST_STATUS(ERR_INVALID, garray_random_integers(&rng, 0, 257, GARRAY_SHAPE(4), &bytes, device, &x));
    TEST_MESSAGE("garray_random_integers: ", "high is out of bounds for uint8");
    TEST_STATUS(ERR_INVALID, garray_random_integers(&rng, -1, 2, GARRAY_SHAPE(4), &bytes, device, &x));
    TEST_STATUS(ERR_INVALID, garray_random_integers(&rng, 5, 5, GARRAY_SHAPE(4), &bytes, device, &x));
    TEST_STATUS(ERR_INVALID, garray_random_integers(&rng, 0.5, 5, GARRAY_SHAPE(4), &bytes, device, &x));
    TEST_STATUS(ERR_DTYPE, garray_random_integers(&rng, three, 5, GARRAY_SHAPE(4), &bytes, device, &x));
    TEST_STATUS(ERR_INVALID, garray_random_integers(&rng, 0.5, three, GARRAY_SHAPE(4), &bytes, device, &x));
    TEST_STATUS(ERR_DTYPE, garray_random_integers(&rng, 0, 5, GARRAY_SHAPE(4), &reals, device, &x));
    TEST_EXPECT(x == NULL, "out was changed");
    expect_moved(&rng, 0);
    garray_release(three);
    garray_release(complex);
}
