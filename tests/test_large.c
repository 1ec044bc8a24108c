/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays of more than 2^31 and 2^32 elements, a byte each, through every family of functions.  What is expected follows
 * from how often each value occurs and from three places that are known, so nothing is computed twice.
 *
 * With GARRAY_TEST_LARGE set the arrays have 2^31 + 8 and 2^32 + 8 elements (some results 8 bytes each: 70 GB of memory);
 * otherwise the same checks run on small ones.  Arrays that repeat one element have the full sizes always. */
#include "test.h"

enum { PERIOD = 251, LOW = -125 };
enum { LEAST_AT = 5 };                  /* the place of -128, the only one */

static int64_t sizes[2] = { 100008, 200008 };
static int64_t n, next_at, most_at;     /* the places of 126 and of 127 */
static int64_t counts[256];             /* of each value + 128 */
static garray_t *x;

static bool is_large(void)
{
    return getenv("GARRAY_TEST_LARGE") != NULL;
}

static int value_at(int64_t i)
{
    return i == LEAST_AT ? -128 : i == next_at ? 126 : i == most_at ? 127 : (int)(i % PERIOD) + LOW;
}

static void set(int64_t i, int value)
{
    counts[value_at(i) + 128]++;
    counts[(int)(i % PERIOD) + LOW + 128]--;
    TEST_OK(garray_setitem(x, GARRAY_AT(i), value));
}

static int64_t count_of(int low, int high)      /* of values in [low, high] */
{
    int64_t total = 0;
    for (int v = low; v <= high; v++)
        total += counts[v + 128];
    return total;
}

static int64_t sum_of(int low, int high)
{
    int64_t total = 0;
    for (int v = low; v <= high; v++)
        total += v * counts[v + 128];
    return total;
}

static int64_t squares(void)
{
    int64_t total = 0;
    for (int v = -128; v < 128; v++)
        total += v * v * counts[v + 128];
    return total;
}

/* x of n elements, and its counts. */
static void begin(int64_t size)
{
    int8_t values[PERIOD];
    garray_t *period = NULL;
    for (int i = 0; i < PERIOD; i++)
        values[i] = (int8_t)(i + LOW);
    n = size;
    next_at = n / 2 + 1;
    most_at = n - 3;
    memset(counts, 0, sizeof counts);
    for (int i = 0; i < PERIOD; i++)
        counts[i + LOW + 128] = n / PERIOD + (i < n % PERIOD);
    TEST_OK(garray_from_host(values, GARRAY_INT8, GARRAY_SHAPE(PERIOD), NULL, test_device(), &period));
    TEST_OK(garray_resize(period, GARRAY_SHAPE(n), &x));
    garray_release(period);
    set(LEAST_AT, -128);
    set(next_at, 126);
    set(most_at, 127);
    test_context("%lld elements", (long long)n);
}

static int64_t integer(const garray_t *value)
{
    int64_t v = INT64_MIN;
    TEST_OK(garray_item(value, &v));
    return v;
}

#define EXPECT_INTEGER(value, expected) \
    do { \
        int64_t got_ = integer(value), want_ = (expected); \
        TEST_EXPECT(got_ == want_, #value " is %lld, not %lld (" #expected ")", (long long)got_, (long long)want_); \
    } while (0)

static int64_t total(const garray_t *y)
{
    garray_t *sum = NULL;
    if (!TEST_OK(garray_sum(y, GARRAY_ALL_AXES, GARRAY_KW(reduce, .dtype = GARRAY_INT64), &sum)))
        return INT64_MIN;
    int64_t v = integer(sum);
    garray_release(sum);
    return v;
}

#define EXPECT_TOTAL(y, expected) \
    do { \
        int64_t got_ = total(y), want_ = (expected); \
        TEST_EXPECT(got_ == want_, "the sum of " #y " is %lld, not %lld", (long long)got_, (long long)want_); \
    } while (0)

/* y[at], of a vector. */
static void expect_item(const garray_t *y, int64_t at, int64_t expected)
{
    garray_t *item = NULL;
    if (TEST_OK(garray_getitem(y, GARRAY_AT(at), &item))) {
        int64_t v = integer(item);
        TEST_EXPECT(v == expected, "element %lld is %lld, not %lld", (long long)at, (long long)v, (long long)expected);
    }
    garray_release(item);
}

/* Places where counting in 32 bits goes wrong, and the known ones. */
static int places(int64_t *place)
{
    const int64_t some[] = { 0, 1, LEAST_AT, INT32_MAX - 1LL, INT32_MAX, 1LL << 31, (1LL << 31) + 1, UINT32_MAX,
                             1LL << 32, (1LL << 32) + 1, n / 2, next_at, most_at, n - 1 };
    int count = 0;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        if (some[i] < n)
            place[count++] = some[i];
    return count;
}

#define EACH_SIZE \
    if (is_large()) \
        sizes[0] = (1LL << 31) + 8, sizes[1] = (1LL << 32) + 8; \
    for (int size_ = 0; size_ < 2; size_++, garray_release(x), x = NULL) \
        if (begin(sizes[size_]), true)

Test(large, elementwise_and_reductions, .timeout = 600)
{
    garray_t *y = NULL, *z = NULL;
    int64_t place[16];
    EACH_SIZE {
        int count = places(place);
        for (int i = 0; i < count; i++)
            expect_item(x, place[i], value_at(place[i]));
        EXPECT_TOTAL(x, sum_of(-128, 127));
        if (TEST_OK(garray_negative(x, &y)))
            for (int i = 0; i < count; i++)
                expect_item(y, place[i], (int8_t)-value_at(place[i]));
        if (TEST_OK(garray_greater(x, 100, &y)))
            EXPECT_TOTAL(y, count_of(101, 127));
        if (TEST_OK(garray_where(y, x, 0, &z)))
            EXPECT_TOTAL(z, sum_of(101, 127));
        if (TEST_OK(garray_add(x, x, garray_into(z))))
            for (int i = 0; i < count; i++)
                expect_item(z, place[i], (int8_t)(2 * value_at(place[i])));
        if (TEST_OK(garray_clip(x, -3, 4, garray_into(z))))
            EXPECT_TOTAL(z, -3 * count_of(-128, -3) + sum_of(-2, 3) + 4 * count_of(4, 127));
        if (TEST_OK(garray_astype(x, GARRAY_INT16, &y)))
            EXPECT_TOTAL(y, sum_of(-128, 127));
        if (TEST_OK(garray_astype(y, GARRAY_INT8, &y)) && TEST_OK(garray_equal(x, y, &z)))
            EXPECT_TOTAL(z, n);
        if (TEST_OK(garray_count_nonzero(x, GARRAY_ALL_AXES, NULL, &y)))
            EXPECT_INTEGER(y, n - counts[128]);
        if (TEST_OK(garray_max(x, GARRAY_ALL_AXES, NULL, &y)))
            EXPECT_INTEGER(y, 127);
        if (TEST_OK(garray_argmax(x, GARRAY_ALL_AXES, NULL, &y)))
            EXPECT_INTEGER(y, most_at);
        if (TEST_OK(garray_argmin(x, GARRAY_ALL_AXES, NULL, &y)))
            EXPECT_INTEGER(y, LEAST_AT);
        if (TEST_OK(garray_mean(x, GARRAY_ALL_AXES, NULL, &y))) {
            double mean = 0, want = (double)sum_of(-128, 127) / (double)n;
            TEST_OK(garray_item(y, &mean));
            TEST_EXPECT(fabs(mean - want) <= 1e-12, "the mean is %.17g, not %.17g", mean, want);
        }
        if (TEST_OK(garray_all(x, GARRAY_ALL_AXES, NULL, &y)))
            EXPECT_INTEGER(y, 0);
        if (TEST_OK(garray_vecdot(x, x, -1, &y)))       /* in int8, as NumPy */
            EXPECT_INTEGER(y, (int8_t)squares());
        /* along either axis of two */
        if (TEST_OK(garray_reshape(x, GARRAY_SHAPE(8, n / 8), &z))) {
            if (TEST_OK(garray_argmax(z, GARRAY_AXES(1), NULL, &y)))
                expect_item(y, 7, most_at - 7 * (n / 8));
            if (TEST_OK(garray_max(z, GARRAY_AXES(0), NULL, &y)))
                expect_item(y, most_at % (n / 8), 127);
            if (TEST_OK(garray_sum(z, GARRAY_AXES(1), NULL, &y)))
                EXPECT_TOTAL(y, sum_of(-128, 127));
        }
        garray_release(y);
        garray_release(z);
        y = z = NULL;
    }
}

Test(large, moves, .timeout = 600)
{
    garray_t *y = NULL, *z = NULL;
    int64_t place[16];
    EACH_SIZE {
        int count = places(place);
        if (TEST_OK(garray_flip(x, GARRAY_ALL_AXES, &y)) && TEST_OK(garray_copy(y, &y)))
            for (int i = 0; i < count; i++)
                expect_item(y, n - 1 - place[i], value_at(place[i]));
        if (TEST_OK(garray_getitem_text(x, "1::2", &y)) && TEST_OK(garray_copy(y, &y)))
            for (int i = 0; i < count; i++)
                if (place[i] % 2)
                    expect_item(y, place[i] / 2, value_at(place[i]));
        if (TEST_OK(garray_reshape(x, GARRAY_SHAPE(n / 8, 8), &y)) && TEST_OK(garray_permute_dims(y, GARRAY_AXES(1, 0), &y))
            && TEST_OK(garray_copy(y, &y)) && TEST_OK(garray_reshape(y, GARRAY_SHAPE(n), &y)))
            for (int i = 0; i < count; i++)
                expect_item(y, place[i] % 8 * (n / 8) + place[i] / 8, value_at(place[i]));
        if (TEST_OK(garray_roll(x, GARRAY_SHAPE(7), GARRAY_ALL_AXES, &y)))
            for (int i = 0; i < count; i++)
                expect_item(y, (place[i] + 7) % n, value_at(place[i]));
        if (TEST_OK(garray_concat(GARRAY_LIST(x, x), 0, &y)))
            for (int i = 0; i < count; i++)
                expect_item(y, n + place[i], value_at(place[i]));
        if (TEST_OK(garray_repeat(x, 2, GARRAY_ALL_AXES, &y)))
            for (int i = 0; i < count; i++)
                expect_item(y, 2 * place[i] + 1, value_at(place[i]));
        if (TEST_OK(garray_pad(x, GARRAY_SHAPE(3), NULL, &y)))
            for (int i = 0; i < count; i++)
                expect_item(y, place[i] + 3, value_at(place[i]));
        if (TEST_OK(garray_stack(GARRAY_LIST(x, x), 1, &y)) && TEST_OK(garray_reshape(y, GARRAY_SHAPE(2 * n), &y)))
            for (int i = 0; i < count; i++)
                expect_item(y, 2 * place[i], value_at(place[i]));
        if (TEST_OK(garray_greater(x, 0, &y)) && TEST_OK(garray_packbits(y, GARRAY_ALL_AXES, NULL, &z)))
            for (int i = 0; i < count; i++) {
                int64_t first = place[i] / 8 * 8;
                int byte = 0;
                for (int k = 0; k < 8; k++)
                    byte |= (value_at(first + k) > 0) << (7 - k);
                expect_item(z, place[i] / 8, byte);
            }
        if (TEST_OK(garray_full(GARRAY_SHAPE(n + 9), 3, GARRAY_INT8, test_device(), &y))
            && TEST_OK(garray_setitem(y, GARRAY_AT(GARRAY_FROM(9)), x))) {
            expect_item(y, 8, 3);
            for (int i = 0; i < count; i++)
                expect_item(y, place[i] + 9, value_at(place[i]));
        }
        garray_release(y);
        garray_release(z);
        y = z = NULL;
    }
}

Test(large, indexing, .timeout = 600)
{
    garray_t *y = NULL, *z = NULL, *at = NULL;
    int64_t place[16];
    EACH_SIZE {
        int count = places(place);
        int8_t values[16], turned[16];
        for (int i = 0; i < count; i++) {
            values[i] = (int8_t)value_at(place[i]);
            turned[i] = (int8_t)(i + 1);
        }
        TEST_OK(garray_from_host(place, GARRAY_INT64, GARRAY_SHAPE(count), NULL, test_device(), &at));
        if (TEST_OK(garray_take(x, at, GARRAY_ALL_AXES, &y)))
            TEST_EQUAL(y, values, 0);
        if (TEST_OK(garray_getitem(x, GARRAY_AT(at), &y)))
            TEST_EQUAL(y, values, 0);
        /* an index array as long as x, most of it from its far end */
        if (TEST_OK(garray_greater(x, 125, &y)) && TEST_OK(garray_flatnonzero(y, &z))) {
            const int64_t both[2] = { next_at, most_at };
            TEST_EQUAL(z, both, 0);
        }
        if (TEST_OK(garray_getitem(x, GARRAY_AT(y), &z))) {
            const int8_t both[2] = { 126, 127 };
            TEST_EQUAL(z, both, 0);
        }
        if (TEST_OK(garray_less(x, 126, &y)) && TEST_OK(garray_getitem(x, GARRAY_AT(y), &z))) {
            TEST_EXPECT(garray_size(z) == n - 2, "%lld are selected, not %lld", (long long)garray_size(z), (long long)n - 2);
            EXPECT_TOTAL(z, sum_of(-128, 125));
            expect_item(z, n - 3, value_at(n - 1));
        }
        if (TEST_OK(garray_copy(x, &y))) {
            TEST_OK(garray_from_host(turned, GARRAY_INT8, GARRAY_SHAPE(count), NULL, test_device(), &z));
            if (TEST_OK(garray_setitem(y, GARRAY_AT(at), z)) && TEST_OK(garray_take(y, at, GARRAY_ALL_AXES, &z)))
                TEST_EQUAL(z, turned, 0);
            if (TEST_OK(garray_copy(x, &y)) && TEST_OK(garray_scatter_add(y, GARRAY_AT(at), 1)))
                EXPECT_TOTAL(y, sum_of(-128, 127) + count - 256);       /* 127 + 1 is -128 */
            if (TEST_OK(garray_greater(x, 100, &z)) && TEST_OK(garray_putmask(y, z, 0)))
                for (int i = 0; i < count; i++)
                    if (value_at(place[i]) > 100)
                        expect_item(y, place[i], 0);
        }
        garray_release(y);
        garray_release(z);
        garray_release(at);
        y = z = at = NULL;
    }
}

Test(large, scans_and_statistics, .timeout = 600)
{
    garray_t *y = NULL, *z = NULL;
    EACH_SIZE {
        if (TEST_OK(garray_cumulative_sum(x, GARRAY_AXES(0), GARRAY_KW(cumulative, .dtype = GARRAY_INT64), &y))) {
            expect_item(y, n - 1, sum_of(-128, 127));
            expect_item(y, most_at, sum_of(-128, 127) - value_at(n - 1) - value_at(n - 2));
        }
        garray_release(y);
        y = NULL;
        if (TEST_OK(garray_cummax(x, GARRAY_AXES(0), NULL, &y))) {
            expect_item(y, next_at - 1, 125);
            expect_item(y, most_at - 1, 126);
            expect_item(y, n - 1, 127);
        }
        if (TEST_OK(garray_diff(x, 1, 0, NULL, &y)))
            expect_item(y, most_at - 1, (int8_t)(127 - value_at(most_at - 1)));
        if (TEST_OK(garray_histogram(x, 256, GARRAY_KW(histogram, .low = garray_operand_int(-128), .high = garray_operand_int(128)), &y, NULL)))
            TEST_EQUAL(y, counts, 0);
        if (TEST_OK(garray_view(x, GARRAY_UINT8, &z)) && TEST_OK(garray_bincount(z, NULL, &y))) {
            int64_t turned[256];
            for (int v = 0; v < 256; v++)
                turned[v] = counts[(int8_t)v + 128];
            TEST_EQUAL(y, turned, 0);
        }
        if (TEST_OK(garray_median(x, GARRAY_ALL_AXES, NULL, &y))) {
            int64_t below = 0;
            int lower = -129, upper;
            while (below <= (n - 1) / 2)
                below += counts[++lower + 128];
            for (upper = lower; below <= n / 2;)
                below += counts[++upper + 128];
            double got = 0;
            TEST_OK(garray_item(y, &got));
            TEST_EXPECT(got == (lower + upper) / 2.0, "the median is %g, not %g", got, (lower + upper) / 2.0);
        }
        garray_release(y);
        garray_release(z);
        y = z = NULL;
    }
}

Test(large, sorts_and_sets, .timeout = 600)
{
    garray_t *y = NULL, *z = NULL, *w = NULL;
    EACH_SIZE {
        if (TEST_OK(garray_sort(x, 0, NULL, &y))) {
            int64_t first = 0;
            for (int v = -128; v < 128; v++)
                if (counts[v + 128]) {
                    expect_item(y, first, v);
                    first += counts[v + 128];
                    expect_item(y, first - 1, v);
                }
            if (TEST_OK(garray_searchsorted(y, 126, NULL, &z)))
                EXPECT_INTEGER(z, n - 2);
            if (TEST_OK(garray_searchsorted(y, -125, NULL, &z)))
                EXPECT_INTEGER(z, 1);
        }
        if (TEST_OK(garray_unique_counts(x, &y, &z))) {
            int8_t values[256];
            int64_t many[256];
            int kinds = 0;
            for (int v = -128; v < 128; v++)
                if (counts[v + 128]) {
                    values[kinds] = (int8_t)v;
                    many[kinds++] = counts[v + 128];
                }
            TEST_EXPECT(garray_size(y) == kinds, "%lld values, not %d", (long long)garray_size(y), kinds);
            if (garray_size(y) == kinds) {
                TEST_EQUAL(y, values, 0);
                TEST_EQUAL(z, many, 0);
            }
        }
        if (TEST_OK(garray_top_k(x, 3, 0, NULL, &y, &z))) {
            const int8_t values[3] = { 127, 126, 125 };
            TEST_EQUAL(y, values, 0);
            expect_item(z, 0, most_at);
            expect_item(z, 1, next_at);
        }
        if (TEST_OK(garray_partition(x, GARRAY_SHAPE(n - 2), 0, NULL, &y))) {
            expect_item(y, n - 2, 126);
            expect_item(y, n - 1, 127);
        }
        if (TEST_OK(garray_isin(x, y, NULL, &z)))
            EXPECT_TOTAL(z, n);
        garray_release(y);
        garray_release(z);
        y = z = NULL;
        if (n < 1LL << 32 && TEST_OK(garray_argsort(x, 0, NULL, &w))) {
            expect_item(w, 0, LEAST_AT);
            expect_item(w, n - 1, most_at);
            expect_item(w, n - 2, next_at);
        }
        garray_release(w);
        w = NULL;
    }
}

Test(large, draws_and_transfers, .timeout = 600)
{
    garray_t *y = NULL, *z = NULL;
    EACH_SIZE {
        garray_rng rng = GARRAY_RNG(7);
        if (TEST_OK(garray_random_integers(&rng, 0, 100, GARRAY_SHAPE(n), GARRAY_KW(integers, .dtype = GARRAY_INT8), test_device(), &y))
            && TEST_OK(garray_bincount(y, NULL, &z))) {
            EXPECT_TOTAL(z, n);
            TEST_EXPECT(garray_size(z) == 100, "%lld values", (long long)garray_size(z));
        }
        int8_t *bytes = malloc((size_t)n);
        if (bytes && TEST_OK(garray_to_host(x, bytes, NULL, (size_t)n))) {
            int64_t wrong = 0;
            for (int64_t i = 0; i < n; i++)
                wrong += bytes[i] != value_at(i);
            TEST_EXPECT(wrong == 0, "%lld bytes differ on the host", (long long)wrong);
            if (TEST_OK(garray_from_host(bytes, GARRAY_INT8, GARRAY_SHAPE(n), NULL, test_device(), &y))
                && TEST_OK(garray_equal(x, y, &z)))
                EXPECT_TOTAL(z, n);
        }
        free(bytes);
        garray_release(y);
        garray_release(z);
        y = z = NULL;
    }
}

/* One element, 2^32 + 8 times: no memory, the full size. */
Test(large, repeated, .timeout = 600)
{
    const int64_t many = (1LL << 32) + 8;
    garray_t *one = NULL, *wide = NULL, *y = NULL;
    TEST_OK(garray_full(GARRAY_SHAPE(), 3, GARRAY_INT8, test_device(), &one));
    if (TEST_OK(garray_broadcast_to(one, GARRAY_SHAPE(many), &wide))) {
        TEST_EXPECT(garray_size(wide) == many, "%lld elements", (long long)garray_size(wide));
        EXPECT_TOTAL(wide, 3 * many);
        if (TEST_OK(garray_count_nonzero(wide, GARRAY_ALL_AXES, NULL, &y)))
            EXPECT_INTEGER(y, many);
        if (TEST_OK(garray_argmax(wide, GARRAY_ALL_AXES, NULL, &y)))
            EXPECT_INTEGER(y, 0);
        if (TEST_OK(garray_all(wide, GARRAY_ALL_AXES, NULL, &y)))
            EXPECT_INTEGER(y, 1);
        if (TEST_OK(garray_max(wide, GARRAY_ALL_AXES, NULL, &y)))
            EXPECT_INTEGER(y, 3);
        expect_item(wide, many - 1, 3);
        const int64_t last = many - 1;
        garray_t *at = NULL;
        TEST_OK(garray_from_host(&last, GARRAY_INT64, GARRAY_SHAPE(1), NULL, test_device(), &at));
        if (TEST_OK(garray_take(wide, at, GARRAY_ALL_AXES, &y)))
            expect_item(y, 0, 3);
        garray_release(at);
    }
    if (TEST_OK(garray_broadcast_to(one, GARRAY_SHAPE(2, many / 2), &wide)) && TEST_OK(garray_sum(wide, GARRAY_AXES(1), NULL, &y)))
        expect_item(y, 1, 3 * (many / 2));
    garray_release(one);
    garray_release(wide);
    garray_release(y);
}
