/* SPDX-License-Identifier: BSD-3-Clause
 * partition, argpartition, lexsort and searchsorted: against their definitions on every dtype and layout, and on long
 * rows that are selected from by sampling. */
#include "wide.h"

/* ---- the order, once more: a total one, -0 below 0, NaN last ---- */
static int compare_reals(double a, double b)
{
    if (isnan(a) || isnan(b))
        return !!isnan(a) - !!isnan(b);
    if (a == 0 && b == 0)
        return !!signbit(b) - !!signbit(a);
    return (a > b) - (a < b);
}

static int compare_total(int dtype, const char *a, const char *b)
{
    if (!test_is_inexact(dtype)) {
        test_wide p = test_load_wide(dtype, a), q = test_load_wide(dtype, b);
        return (p > q) - (p < q);
    }
    return compare_reals(test_load(dtype, a), test_load(dtype, b));
}

static bool is_complex(int dtype)
{
    return dtype >= GARRAY_COMPLEX64;
}

struct item {
    const char *value;
    int64_t place;
};
static int item_dtype;
static bool item_down;

static int compare_items(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int c = compare_total(item_dtype, x->value, y->value);
    bool nan = test_is_inexact(item_dtype)
               && (isnan(test_load(item_dtype, x->value)) || isnan(test_load(item_dtype, y->value)));
    c = item_down && !nan ? -c : c;
    return c ? c : (x->place > y->place) - (x->place < y->place);
}

/* The expected places of one line: sorted, then each group that the ranks leave is put back into its own order. */
static void expect_line(int dtype, bool down, const char *line, int64_t step, int64_t n, int nkth, const int64_t *kth,
                        int64_t *at)
{
    size_t size = garray_dtype_size((garray_dtype)dtype);
    struct item *items = malloc((size_t)(n + 1) * sizeof *items);
    for (int64_t i = 0; i < n; i++)
        items[i] = (struct item){ line + (size_t)(i * step) * size, i };
    item_dtype = dtype;
    item_down = down;
    qsort(items, (size_t)n, sizeof *items, compare_items);
    int64_t begin = 0;
    for (int64_t i = 0; i <= n; i++) {          /* a group ends where an item equal to a k-th one begins or ends */
        bool ends = i == n;
        for (int j = 0; j < nkth && !ends && i > 0; j++) {
            const char *key = items[kth[j]].value;
            ends = (compare_total(dtype, items[i].value, key) == 0) != (compare_total(dtype, items[i - 1].value, key) == 0);
        }
        if (!ends)
            continue;
        for (int64_t k = begin; k < i; k++)
            at[k] = items[k].place;
        for (int64_t k = begin + 1; k < i; k++) /* insertion by place */
            for (int64_t m = k; m > begin && at[m - 1] > at[m]; m--) {
                int64_t t = at[m];
                at[m] = at[m - 1];
                at[m - 1] = t;
            }
        begin = i;
    }
    free(items);
}

static void make_values(int dtype, int64_t n, int kind, char *values)
{
    size_t item = garray_dtype_size((garray_dtype)dtype);
    uint64_t state = (uint64_t)(n * 7 + dtype + kind);
    test_random(dtype, n, state, values);
    for (int64_t i = 0; i < n; i++) {
        uint64_t word = test_random_word(&state);
        if (kind == 1)
            test_store(dtype, values + (size_t)i * item,
                       (double)(word % 6) - (dtype >= GARRAY_FLOAT16 || test_is_signed(dtype) ? 3 : 0), 0);
        else if (test_is_inexact(dtype) && word % 16 < 5) {
            static const double special[] = { NAN, INFINITY, -INFINITY, 0.0, -0.0 };
            test_store(dtype, values + (size_t)i * item, special[word % 16], 0);
        }
    }
}

Test(partition, every_layout)
{
    test_mark mark = test_memory();
    for (int d = GARRAY_BOOL; !is_complex(d); d++)
        for (int layout = 0; layout < TEST_LAYOUTS; layout++)
            for (int s = 0; s < test_shape_count; s++)
                for (int axis = 0; axis < test_shapes[s].n; axis++) {
                    garray_shape shape = test_shapes[s];
                    int64_t size = test_count(shape), n = shape.v[axis], inner = 1;
                    for (int64_t i = axis + 1; i < shape.n; i++)
                        inner *= shape.v[i];
                    bool down = (d + layout + s) % 3 == 0;
                    size_t item = garray_dtype_size((garray_dtype)d);
                    char *values = malloc((size_t)size * 16 + 16), *wanted = malloc((size_t)size * 16 + 16);
                    int64_t *places = malloc((size_t)(size + 1) * sizeof *places), *at = malloc((size_t)(n + 1) * sizeof *at);
                    make_values(d, size, (s + layout) % 2, values);
                    test_context("%s, %s, shape %d, axis %d", garray_dtype_name((garray_dtype)d), test_layout_name(layout), s,
                                 axis);
                    garray_t *x = test_array(d, layout, shape, values), *y = NULL, *index = NULL;
                    int64_t kth[] = { n / 2, 0, -1 }, plain[] = { 0, n / 2, n - 1 };
                    int nkth = 1 + (s + d) % 3;
                    for (int64_t line = 0; size > 0 && line < size / n; line++) {
                        int64_t first = line / inner * n * inner + line % inner;
                        expect_line(d, down, values + (size_t)first * item, inner, n, nkth,
                                    nkth == 1 ? plain + 1 : plain, at);
                        for (int64_t i = 0; i < n; i++) {
                            places[first + i * inner] = at[i];
                            memcpy(wanted + (size_t)(first + i * inner) * item,
                                   values + (size_t)(first + at[i] * inner) * item, item);
                        }
                    }
                    const garray_sort_opts opts = { .descending = down };
                    if (TEST_OK(garray_partition(x, GARRAY_DIMS(nkth, kth), axis, &opts, &y)))
                        TEST_EQUAL(y, wanted, 0);
                    if (TEST_OK(garray_argpartition(x, GARRAY_DIMS(nkth, kth), axis - (int)shape.n, &opts, &index)))
                        TEST_EQUAL(index, places, 0);
                    garray_release(x);
                    garray_release(y);
                    garray_release(index);
                    free(values);
                    free(wanted);
                    free(places);
                    free(at);
                }
    TEST_NO_LEAK(mark);
}

/* Complex numbers, and many places, are sorted. */
Test(partition, sorted)
{
    enum { N = 40 };
    int64_t kth[N];
    for (int64_t i = 0; i < N; i++)
        kth[i] = i;
    for (TEST_DTYPES(d)) {
        garray_t *x = test_array(d, TEST_TRANSPOSED, GARRAY_SHAPE(3, N), NULL), *y = NULL, *z = NULL;
        test_context("%s", garray_dtype_name((garray_dtype)d));
        if (TEST_OK(garray_partition(x, GARRAY_DIMS(N, kth), 1, NULL, &y)) && TEST_OK(garray_sort(x, 1, NULL, &z))) {
            void *sorted = test_read(z);
            TEST_EQUAL(y, sorted, 0);
            free(sorted);
        }
        garray_release(x);
        garray_release(y);
        garray_release(z);
    }
}

/* Long rows: random, few different values, sorted, backwards, constant, and lengths about those where the method
 * changes. Places and values must fit each other, and the k-th must be what sorting gives. */
Test(partition, long_rows, .timeout = 300)
{
    static const struct {
        int64_t rows, n;
    } shapes[] = { { 3, 1024 }, { 3, 1025 }, { 5, 2048 }, { 5, 2049 }, { 2, 4100 }, { 70, 3000 }, { 1, 65536 }, { 1, 65537 },
                   { 3, 70001 }, { 17, 66000 }, { 1, 1000003 } };
    static const int dtypes[] = { GARRAY_FLOAT32, GARRAY_INT64, GARRAY_FLOAT64, GARRAY_UINT8, GARRAY_FLOAT16, GARRAY_INT32 };
    for (size_t k = 0; k < sizeof dtypes / sizeof dtypes[0]; k++)
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
            for (int kind = 0; kind < 5; kind++) {
                int d = dtypes[k];
                int64_t rows = shapes[s].rows, n = shapes[s].n, size = rows * n;
                size_t item = garray_dtype_size((garray_dtype)d);
                if (size > 300000 && (kind + (int)k + (int)s) % 3)
                    continue;
                test_context("%s, (%lld, %lld), kind %d", garray_dtype_name((garray_dtype)d), (long long)rows, (long long)n,
                             kind);
                char *values = malloc((size_t)size * item);
                if (kind < 2)
                    make_values(d, size, kind, values);
                else
                    for (int64_t i = 0; i < size; i++)
                        test_store(d, values + (size_t)i * item,
                                   kind == 2   ? (double)(i % n * 200 / n)
                                   : kind == 3 ? (double)((n - i % n) * 120 / n)
                                               : 7, 0);
                garray_t *x = NULL, *y = NULL, *index = NULL, *sorted = NULL;
                const int64_t kth[] = { n / 2 - 1, n / 2, n - 1 }, other[] = { 3, n / 7, n / 7 + 2, n - 30 };
                const int64_t *list = (kind + s) % 2 ? kth : other;
                int nkth = list == kth ? 3 : 4;
                TEST_OK(garray_from_host(values, (garray_dtype)d, GARRAY_SHAPE(rows, n), NULL, test_device(), &x));
                bool good = TEST_OK(garray_partition(x, GARRAY_DIMS(nkth, list), -1, NULL, &y))
                            && TEST_OK(garray_argpartition(x, GARRAY_DIMS(nkth, list), -1, NULL, &index))
                            && TEST_OK(garray_sort(x, -1, NULL, &sorted));
                if (good) {
                    char *parted = test_read(y), *full = test_read(sorted);
                    int64_t *at = test_read(index);
                    for (int64_t r = 0; r < rows && good; r++) {
                        int64_t first = r * n, low = 0;
                        for (int j = 0; j <= nkth && good; j++) {
                            int64_t end = j < nkth ? list[j] : n;
                            const char *high = j < nkth ? full + (size_t)(first + end) * item : NULL;
                            const char *below = j > 0 ? full + (size_t)(first + low) * item : NULL;
                            for (int64_t i = low; i < end && good; i++) {
                                const char *v = parted + (size_t)(first + i) * item;
                                double a = test_load(d, v);
                                good = (!high || isnan(test_load(d, high)) || a <= test_load(d, high))
                                       && (!below || isnan(a) || a >= test_load(d, below))
                                       && at[first + i] >= 0 && at[first + i] < n
                                       && !memcmp(v, values + (size_t)(first + at[first + i]) * item, item);
                                TEST_EXPECT(good, "row %lld, place %lld: %s", (long long)r, (long long)i, test_text(d, v));
                            }
                            low = end;
                        }
                        uint8_t *seen = calloc((size_t)n, 1);
                        for (int64_t i = 0; i < n && good; i++)
                            good = TEST_EXPECT(!seen[at[first + i]]++, "place %lld comes twice", (long long)at[first + i]);
                        free(seen);
                    }
                    free(parted);
                    free(full);
                    free(at);
                }
                garray_release(x);
                garray_release(y);
                garray_release(index);
                garray_release(sorted);
                free(values);
            }
}

/* Long rows that begin between two vectors, both ways: what is left of each rank, sorted, is what sorting has there. */
Test(partition, long_views, .timeout = 120)
{
    static const int dtypes[] = { GARRAY_FLOAT32, GARRAY_FLOAT64, GARRAY_INT32, GARRAY_INT64, GARRAY_UINT32, GARRAY_UINT64,
                                  GARRAY_INT16, GARRAY_BFLOAT16, GARRAY_INT8 };
    enum { N = 150007 };
    char *values = malloc((size_t)(N + 1) * 8);
    for (size_t k = 0; k < sizeof dtypes / sizeof dtypes[0]; k++)
        for (int down = 0; down < 2; down++)
            for (int kind = 0; kind < 2; kind++) {
                int d = dtypes[k];
                size_t item = garray_dtype_size((garray_dtype)d);
                const int64_t kth[] = { 17, N / 3, N / 3 + 1, N - 100 };
                const garray_sort_opts opts = { .descending = down };
                garray_t *x = NULL, *y = NULL, *z = NULL, *part = NULL;
                test_context("%s, kind %d%s", garray_dtype_name((garray_dtype)d), kind, down ? ", descending" : "");
                make_values(d, N + 1, kind, values);
                TEST_OK(garray_from_host(values, (garray_dtype)d, GARRAY_SHAPE(N + 1), NULL, test_device(), &x));
                TEST_OK(garray_getitem(x, GARRAY_AT(GARRAY_RANGE(1, N + 1)), &x));
                if (TEST_OK(garray_sort(x, 0, &opts, &z)) && TEST_OK(garray_partition(x, GARRAY_DIMS(4, kth), 0, &opts, &y))) {
                    char *sorted = test_read(z);
                    for (int j = 0; j <= 4; j++) {
                        int64_t begin = j > 0 ? kth[j - 1] : 0, end = j < 4 ? kth[j] : N;
                        TEST_OK(garray_getitem(y, GARRAY_AT(GARRAY_RANGE(begin, end)), &part));
                        TEST_OK(garray_sort(part, 0, &opts, &part));
                        char *got = test_read(part);
                        for (int64_t i = begin; i < end; i++) {
                            double a = test_load(d, got + (size_t)(i - begin) * item), b = test_load(d, sorted + (size_t)i * item);
                            if (!TEST_EXPECT(a == b || isnan(b), "place %lld", (long long)i))
                                break;
                        }
                        free(got);
                    }
                    free(sorted);
                }
                garray_release(x);
                garray_release(y);
                garray_release(z);
                garray_release(part);
            }
    free(values);
}

Test(partition, into_flat_and_errors)
{
    test_mark mark = test_memory();
    garray_device device = test_device();
    garray_t *x = NULL, *y = NULL, *scalar = NULL, *part = NULL;
    const int32_t values[] = { 3, 1, 2, 9, 8, 7 }, parted[] = { 1, 3, 2, 7, 9, 8 }, flat[] = { 3, 1, 2, 7, 9, 8 };
    TEST_OK(garray_from_host(values, GARRAY_INT32, GARRAY_SHAPE(2, 3), NULL, device, &x));
    TEST_OK(garray_partition(x, GARRAY_KTH(0), -1, NULL, &y));
    TEST_EQUAL(y, parted, 0);
    TEST_OK(garray_partition(x, GARRAY_KTH(-3), 0, GARRAY_KW(sort, .flat = true), &y));
    TEST_EQUAL(y, flat, 0);
    TEST_OK(garray_argsort(x, 0, GARRAY_KW(sort, .flat = true), &y));
    TEST_EQUAL(y, ((const int64_t[]){ 1, 2, 0, 5, 4, 3 }), 0);
    TEST_OK(garray_sort(x, 7, GARRAY_KW(sort, .flat = true, .descending = true), &y));
    TEST_EQUAL(y, ((const int32_t[]){ 9, 8, 7, 3, 2, 1 }), 0);
    TEST_OK(garray_partition(x, GARRAY_KTH(0), -1, NULL, garray_into(x)));
    TEST_EQUAL(x, parted, 0);
    TEST_OK(garray_getitem(x, GARRAY_AT(GARRAY_ALL, 0), &part));
    TEST_OK(garray_partition(part, GARRAY_KTH(1), 0, GARRAY_KW(sort, .descending = true), garray_into(part)));
    TEST_EQUAL(x, ((const int32_t[]){ 7, 3, 2, 1, 9, 8 }), 0);
    garray_release(y);
    y = NULL;
    TEST_OK(garray_zeros(GARRAY_0D, GARRAY_INT32, device, &scalar));
    TEST_STATUS(ERR_INDEX, garray_partition(x, GARRAY_KTH(3), -1, NULL, &y));
    TEST_MESSAGE("garray_partition", "kth(=3) out of bounds (3)");
    TEST_STATUS(ERR_INDEX, garray_argpartition(x, GARRAY_KTH(0, -4), -1, NULL, &y));
    TEST_STATUS(ERR_AXIS, garray_partition(x, GARRAY_KTH(0), 2, NULL, &y));
    TEST_STATUS(ERR_AXIS, garray_partition(scalar, GARRAY_KTH(0), -1, NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_partition(NULL, GARRAY_KTH(0), -1, NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_partition(x, GARRAY_DIMS(2, NULL), -1, NULL, &y));
    TEST_EXPECT(!y, "out was changed");
    garray_release(x);
    garray_release(scalar);
    garray_release(part);
    TEST_NO_LEAK(mark);
}

/* ---- searchsorted ---- */

/* Every value against every length of a sorted vector of it: bounds by a plain walk. */
Test(search, every_dtype)
{
    test_mark mark = test_memory();
    static const int64_t lengths[] = { 0, 1, 2, 3, 31, 257, 5000 };
    for (TEST_DTYPES(d))
        for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++)
            for (int few = 0; few < 2; few++) {
                int64_t n = lengths[l], m = 1000;
                size_t item = garray_dtype_size((garray_dtype)d);
                char *values = malloc((size_t)(n + 1) * item), *sought = malloc((size_t)m * item);
                make_values(d, n, few, values);
                make_values(d, m, few, sought);
                test_context("%s, %lld items%s", garray_dtype_name((garray_dtype)d), (long long)n, few ? ", few values" : "");
                garray_t *a = NULL, *order = NULL, *v = NULL, *left = NULL, *right = NULL, *joint = NULL;
                TEST_OK(garray_from_host(values, (garray_dtype)d, GARRAY_SHAPE(n), NULL, test_device(), &a));
                v = test_array(d, TEST_TRANSPOSED, GARRAY_SHAPE(10, m / 10), sought);
                if (TEST_OK(garray_argsort(a, -1, NULL, &order))
                    && TEST_OK(garray_searchsorted(a, v, GARRAY_KW(search, .sorter = order), &left))
                    && TEST_OK(garray_searchsorted(a, v, GARRAY_KW(search, .sorter = order, .right = true), &right))
                    && TEST_OK(garray_sort(a, -1, NULL, &a))) {
                    TEST_EXPECT(garray_shape_of(left).n == 2 && garray_shape_of(left).v[0] == 10, "the shape is not that of v");
                    /* each value alone: sorting the vector with it in front puts it at its left bound, behind at its right one */
                    int64_t *lefts = test_read(left), *rights = test_read(right);
                    for (int64_t i = 0; i < m; i += n > 1000 ? 97 : 13) {
                        garray_t *one = NULL, *places = NULL;
                        int64_t *at;
                        TEST_OK(garray_from_host(sought + (size_t)i * item, (garray_dtype)d, GARRAY_SHAPE(1), NULL, test_device(),
                                                 &one));
                        for (int side = 0; side < 2; side++) {
                            TEST_OK(garray_concat(side ? GARRAY_LIST(a, one) : GARRAY_LIST(one, a), 0, &joint));
                            TEST_OK(garray_argsort(joint, 0, NULL, &places));
                            at = test_read(places);
                            int64_t where = 0;
                            while (at[where] != (side ? n : 0))
                                where++;
                            TEST_EXPECT(where == (side ? rights : lefts)[i], "%s: %lld, not %lld", side ? "right" : "left",
                                        (long long)(side ? rights : lefts)[i], (long long)where);
                            free(at);
                        }
                        garray_release(one);
                        garray_release(places);
                    }
                    free(lefts);
                    free(rights);
                }
                garray_release(a);
                garray_release(v);
                garray_release(order);
                garray_release(left);
                garray_release(right);
                garray_release(joint);
                free(values);
                free(sought);
            }
    TEST_NO_LEAK(mark);
}

Test(search, numbers_and_errors)
{
    test_mark mark = test_memory();
    garray_device device = test_device();
    garray_t *a = NULL, *f = NULL, *y = NULL, *table = NULL, *sorter = NULL;
    int64_t at;
    TEST_OK(garray_from_host((const int8_t[]){ -3, 1, 1, 5 }, GARRAY_INT8, GARRAY_SHAPE(4), NULL, device, &a));
    static const struct {
        double v;
        int64_t left, right;
    } cases[] = { { 1, 1, 3 }, { 1000, 4, 4 }, { -1000, 0, 0 }, { 0.5, 1, 1 }, { 5, 3, 4 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        test_context("%g", cases[i].v);
        if (cases[i].v == (int)cases[i].v && TEST_OK(garray_searchsorted(a, (int)cases[i].v, NULL, &y))
            && TEST_OK(garray_item(y, &at)))
            TEST_EXPECT(at == cases[i].left && garray_shape_of(y).n == 0, "left is %lld", (long long)at);
        if (TEST_OK(garray_searchsorted(a, cases[i].v, GARRAY_KW(search, .right = true), &y)) && TEST_OK(garray_item(y, &at)))
            TEST_EXPECT(at == cases[i].right, "right is %lld", (long long)at);
    }
    /* a double is not rounded to float */
    TEST_OK(garray_from_host((const float[]){ 0.1f, 0.2f }, GARRAY_FLOAT32, GARRAY_SHAPE(2), NULL, device, &f));
    if (TEST_OK(garray_searchsorted(f, 0.1, NULL, &y)) && TEST_OK(garray_item(y, &at)))
        TEST_EXPECT(at == 0, "0.1 is below 0.1f");
    if (TEST_OK(garray_searchsorted(f, 0.1 + 1e-12, NULL, &y)) && TEST_OK(garray_item(y, &at)))
        TEST_EXPECT(at == 0, "and this too");
    TEST_OK(garray_searchsorted(f, a, NULL, &y));
    TEST_EQUAL(y, ((const int64_t[]){ 0, 2, 2, 2 }), 0);
    TEST_STATUS(ERR_SHAPE, garray_searchsorted(a, f, NULL, garray_into(y)));
    garray_release(y);
    y = NULL;
    TEST_OK(garray_zeros(GARRAY_SHAPE(2, 2), GARRAY_INT8, device, &table));
    TEST_OK(garray_from_host((const int64_t[]){ 0, 1, 2, 9 }, GARRAY_INT64, GARRAY_SHAPE(4), NULL, device, &sorter));
    TEST_STATUS(ERR_SHAPE, garray_searchsorted(table, 1, NULL, &y));
    TEST_STATUS(ERR_SHAPE, garray_searchsorted(f, 1, GARRAY_KW(search, .sorter = sorter), &y));
    TEST_STATUS(ERR_DTYPE, garray_searchsorted(f, 1, GARRAY_KW(search, .sorter = f), &y));
    TEST_STATUS(ERR_INVALID, garray_searchsorted(NULL, 1, NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_searchsorted(f, GARRAY_NONE, NULL, &y));
    TEST_EXPECT(!y, "out was changed");
    if (!test_on_gpu())
        TEST_STATUS(ERR_INDEX, garray_searchsorted(a, 1, GARRAY_KW(search, .sorter = sorter), &y));
    garray_release(a);
    garray_release(f);
    garray_release(table);
    garray_release(sorter);
    TEST_NO_LEAK(mark);
}

/* ---- lexsort, sort_complex ---- */

Test(sort, lexsort)
{
    test_mark mark = test_memory();
    garray_device device = test_device();
    garray_t *a = NULL, *b = NULL, *both = NULL, *y = NULL, *scalar = NULL;
    const int32_t surname[] = { 2, 1, 1, 2, 0, 1 };
    const double name[] = { 1, 3, NAN, 0, 5, 3 };
    TEST_OK(garray_from_host(surname, GARRAY_INT32, GARRAY_SHAPE(6), NULL, device, &a));
    TEST_OK(garray_from_host(name, GARRAY_FLOAT64, GARRAY_SHAPE(6), NULL, device, &b));
    TEST_OK(garray_lexsort(GARRAY_LIST(b, a), -1, &y));
    TEST_EQUAL(y, ((const int64_t[]){ 4, 1, 5, 2, 3, 0 }), 0);
    TEST_OK(garray_lexsort(GARRAY_LIST(a, b), 0, &y));
    TEST_EQUAL(y, ((const int64_t[]){ 3, 0, 1, 5, 4, 2 }), 0);
    TEST_OK(garray_stack(GARRAY_LIST(b, a), 0, &both));
    TEST_OK(garray_lexsort(GARRAY_LIST(both), -1, &y));
    TEST_EQUAL(y, ((const int64_t[]){ 4, 1, 5, 2, 3, 0 }), 0);
    TEST_OK(garray_lexsort(GARRAY_LIST(both, both), 0, &y));
    TEST_EQUAL(y, ((const int64_t[]){ 0, 1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 0 }), 0);
    TEST_OK(garray_zeros(GARRAY_0D, GARRAY_INT32, device, &scalar));
    TEST_OK(garray_lexsort(GARRAY_LIST(scalar, scalar), -1, &y));
    TEST_EQUAL(y, ((const int64_t[]){ 0 }), 0);
    garray_release(y);
    y = NULL;
    TEST_STATUS(ERR_SHAPE, garray_lexsort(GARRAY_LIST(a, both), -1, &y));
    TEST_STATUS(ERR_AXIS, garray_lexsort(GARRAY_LIST(a, b), 1, &y));
    TEST_STATUS(ERR_AXIS, garray_lexsort(GARRAY_LIST(scalar, scalar), 1, &y));
    TEST_STATUS(ERR_INVALID, garray_lexsort(GARRAY_ARRAYS(0, NULL), -1, &y));
    TEST_STATUS(ERR_INVALID, garray_lexsort(GARRAY_LIST(scalar), -1, &y));
    TEST_EXPECT(!y, "out was changed");
    TEST_OK(garray_sort_complex(b, &y));
    TEST_EXPECT(garray_dtype_of(y) == GARRAY_COMPLEX128, "the dtype is wrong");
    TEST_EQUAL(y, ((const double[]){ 0, 0, 1, 0, 3, 0, 3, 0, 5, 0, NAN, 0 }), 0);
    TEST_OK(garray_astype(a, GARRAY_UINT8, &a));
    TEST_OK(garray_sort_complex(a, &a));
    TEST_EXPECT(garray_dtype_of(a) == GARRAY_COMPLEX64, "the dtype is wrong");
    TEST_EQUAL(a, ((const float[]){ 0, 0, 1, 0, 1, 0, 1, 0, 2, 0, 2, 0 }), 0);
    garray_release(a);
    garray_release(b);
    garray_release(both);
    garray_release(y);
    garray_release(scalar);
    TEST_NO_LEAK(mark);
}
