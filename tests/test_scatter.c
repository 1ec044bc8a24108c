/* SPDX-License-Identifier: BSD-3-Clause
 * scatter_add, scatter_min and scatter_max: every dtype and layout, repeated places, rows, several index arrays, masks, few
 * and very many values for a place, sums that need more than their dtype's precision, and indices out of range. */
#include "test.h"

enum { ADD, MIN, MAX, OPS };

static garray_status scatter(int op, garray_t *x, garray_indices items, const garray_t *values)
{
    return op == ADD ? garray_scatter_add(x, items, values)
           : op == MIN ? garray_scatter_min(x, items, values) : garray_scatter_max(x, items, values);
}

static const char *const names[] = { "add", "min", "max" };

/* Layouts whose elements all have places of their own. */
static int layout_of(int i)
{
    static const int layouts[] = { TEST_CONTIGUOUS, TEST_TRANSPOSED, TEST_NEGATIVE, TEST_SLICED, TEST_PADDED, TEST_MISALIGNED,
                                   TEST_MIXED };
    return layouts[i % 7];
}

/* What the elements of an array are, as exact numbers: halves, so that no sum rounds. */
typedef struct {
    double re, im;
} number;

static number pick(uint64_t *state, int dtype)
{
    uint64_t w = test_random_word(state);
    bool whole = dtype <= GARRAY_UINT64, sign = dtype > GARRAY_UINT64 || (dtype >= GARRAY_INT8 && dtype <= GARRAY_INT64);
    number n = { (double)(w % 5) - (sign ? 2 : 0), dtype >= GARRAY_COMPLEX64 ? (double)(w >> 8 & 3) : 0 };
    if (!whole)
        n.re = n.re / 2 + 0.25;             /* no zero */
    if (dtype == GARRAY_BOOL)
        n.re = n.re > 2;
    return n;
}

static void store(int dtype, void *element, number n)
{
    if (dtype >= GARRAY_INT8 && dtype <= GARRAY_UINT64) {
        int64_t i = (int64_t)n.re;          /* wraps */
        memcpy(element, &i, garray_dtype_size((garray_dtype)dtype));
    } else {
        test_store(dtype, element, n.re, n.im);
    }
}

static void combine(int op, int dtype, number *a, number b)
{
    if (op == ADD) {
        a->re = dtype == GARRAY_BOOL ? a->re != 0 || b.re != 0 : a->re + b.re;
        a->im += b.im;
    } else {
        bool below = b.re < a->re || (b.re == a->re && b.im < a->im);
        bool above = b.re > a->re || (b.re == a->re && b.im > a->im);
        if (op == MIN ? below : above)
            *a = b;
    }
}

/* An array of numbers in a layout. */
static garray_t *array_of(int dtype, int layout, garray_shape shape, const number *numbers)
{
    int64_t n = test_count(shape);
    size_t item = garray_dtype_size((garray_dtype)dtype);
    char *values = malloc((size_t)n * item + 1);
    for (int64_t i = 0; i < n; i++)
        store(dtype, values + (size_t)i * item, numbers[i]);
    garray_t *x = test_array(dtype, layout, shape, values);
    free(values);
    return x;
}

static void expect(const garray_t *x, int dtype, int64_t n, const number *numbers)
{
    size_t item = garray_dtype_size((garray_dtype)dtype);
    char *values = malloc((size_t)n * item + 1);
    for (int64_t i = 0; i < n; i++)
        store(dtype, values + (size_t)i * item, numbers[i]);
    TEST_EQUAL(x, values, 0);
    free(values);
}

static garray_t *indices_of(garray_shape shape, const int64_t *at)
{
    garray_t *x = NULL;
    TEST_OK(garray_from_host(at, GARRAY_INT64, shape, NULL, test_device(), &x));
    return x;
}

Test(scatter, dtypes_and_layouts)
{
    enum { M = 6, N = 5, K = 40 };
    test_mark mark = test_memory();
    uint64_t state = 5;
    for (TEST_DTYPES(d))
        for (int l = 0; l < 7; l++)
            for (int op = 0; op < OPS; op++) {
                number base[M * N], values[K * N];
                int64_t rows[K], columns[K];
                test_context("%s, %s, %s", names[op], garray_dtype_name((garray_dtype)d), test_layout_name(layout_of(l)));
                for (int i = 0; i < M * N; i++)
                    base[i] = pick(&state, d);
                for (int i = 0; i < K * N; i++)
                    values[i] = pick(&state, d);
                for (int i = 0; i < K; i++) {
                    rows[i] = (int64_t)(test_random_word(&state) % (2 * M)) - M;
                    columns[i] = (int64_t)(test_random_word(&state) % (2 * N)) - N;
                }
                garray_t *x = array_of(d, layout_of(l), GARRAY_SHAPE(M, N), base), *v = NULL, *all = NULL;
                garray_t *r = indices_of(GARRAY_SHAPE(K), rows), *c = indices_of(GARRAY_SHAPE(K), columns);
                /* single elements */
                v = array_of(d, layout_of(l + 1), GARRAY_SHAPE(K), values);
                for (int i = 0; i < K; i++)
                    combine(op, d, &base[(rows[i] + M) % M * N + (columns[i] + N) % N], values[i]);
                if (TEST_OK(scatter(op, x, GARRAY_AT(r, c), v)))
                    expect(x, d, M * N, base);
                /* rows */
                all = array_of(d, layout_of(l + 2), GARRAY_SHAPE(K, N), values);
                for (int i = 0; i < K * N; i++)
                    combine(op, d, &base[(rows[i / N] + M) % M * N + i % N], values[i]);
                if (TEST_OK(scatter(op, x, GARRAY_AT(r), all)))
                    expect(x, d, M * N, base);
                /* columns backwards, every other row */
                garray_release(all);
                all = array_of(d, layout_of(l + 3), GARRAY_SHAPE(M / 2, K), values);
                for (int i = 0; i < M / 2 * K; i++)
                    combine(op, d, &base[(M - 1 - i / K * 2) * N + (columns[i % K] + N) % N], values[i]);
                if (TEST_OK(scatter(op, x, GARRAY_AT(GARRAY_EVERY(-2), c), all)))
                    expect(x, d, M * N, base);
                /* no index array */
                for (int i = 0; i < N; i++)
                    combine(op, d, &base[2 * N + i], values[3]);
                garray_release(v);
                v = array_of(d, TEST_CONTIGUOUS, GARRAY_0D, &values[3]);
                if (TEST_OK(scatter(op, x, GARRAY_AT(2), v)))
                    expect(x, d, M * N, base);
                garray_release(x);
                garray_release(v);
                garray_release(all);
                garray_release(r);
                garray_release(c);
            }
    TEST_NO_LEAK(mark);
}

/* Many positions: among few items, and among so many that they are sorted by blocks first; spread out, and close together;
 * with one thread and with four. */
Test(scatter, many_positions)
{
    enum { K = 270000, MOST = 200000 };
    static const struct { int64_t m, n, reach; } cases[] = { { 10, 100, 1000 }, { 400, 500, 200000 }, { 1, 200000, 3000 } };
    test_mark mark = test_memory();
    uint64_t state = 6;
    number *base = malloc(MOST * sizeof *base), *values = malloc(K * sizeof *values);
    int64_t *rows = malloc(K * sizeof *rows), *columns = malloc(K * sizeof *columns);
    int turn = 0;
    const int threads = garray_num_threads();
    for (TEST_DTYPES(d))
        for (size_t k = 0; k < sizeof cases / sizeof cases[0] * OPS; k++, turn++) {
            const int64_t m = cases[k / OPS].m, n = cases[k / OPS].n;
            const int op = (int)(k % OPS), layout = layout_of(turn);
            test_context("%s, %s, %s, %lld items", names[op], garray_dtype_name((garray_dtype)d), test_layout_name(layout),
                         (long long)(m * n));
            for (int64_t i = 0; i < m * n; i++)
                base[i] = pick(&state, d);
            for (int64_t i = 0; i < K; i++) {
                const int64_t at = (int64_t)(test_random_word(&state) % (uint64_t)cases[k / OPS].reach);
                values[i] = pick(&state, d);
                rows[i] = at / n;
                columns[i] = i % 2 ? at % n : at % n - n;
            }
            garray_t *x = array_of(d, layout, GARRAY_SHAPE(m, n), base), *v = array_of(d, layout_of(turn + 1), GARRAY_SHAPE(K), values);
            garray_t *r = indices_of(GARRAY_SHAPE(K), rows), *c = indices_of(GARRAY_SHAPE(K), columns);
            for (int64_t i = 0; i < K; i++)
                combine(op, d, &base[rows[i] * n + (columns[i] + n) % n], values[i]);
            TEST_OK(garray_set_num_threads(turn % 2 ? 4 : 1));
            if (TEST_OK(scatter(op, x, GARRAY_AT(r, c), v)))
                expect(x, d, m * n, base);
            garray_release(x);
            garray_release(v);
            garray_release(r);
            garray_release(c);
        }
    free(base);
    free(values);
    free(rows);
    free(columns);
    TEST_OK(garray_set_num_threads(threads));
    TEST_NO_LEAK(mark);
}

/* Many values for few places, few for many, one for each; whole rows of them; the same bits again. */
Test(scatter, sizes)
{
    static const struct { int64_t places, values, row; } sizes[] = {
        { 1, 5000, 1 }, { 3, 70000, 1 }, { 1000, 100000, 1 }, { 400000, 20, 1 }, { 200000, 200000, 1 }, { 7, 4000, 33 },
        { 60000, 3, 9 }, { 17, 16, 1 }, { 17, 17, 1 },
    };
    static const int dtypes[] = { GARRAY_INT8, GARRAY_INT32, GARRAY_UINT64, GARRAY_FLOAT16, GARRAY_FLOAT32, GARRAY_FLOAT64,
                                  GARRAY_COMPLEX64 };
    test_mark mark = test_memory();
    uint64_t state = 7;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++)
            for (int op = 0; op < OPS; op++) {
                int d = dtypes[k];
                int64_t places = sizes[s].places, count = sizes[s].values, row = sizes[s].row;
                test_context("%s, %s, %d values of %d for %d places", names[op], garray_dtype_name((garray_dtype)d), (int)count,
                             (int)row, (int)places);
                number *base = malloc((size_t)(places * row) * sizeof *base), *values = malloc((size_t)(count * row) * sizeof *values);
                int64_t *at = malloc((size_t)count * sizeof *at);
                for (int64_t i = 0; i < places * row; i++)
                    base[i] = pick(&state, d);
                for (int64_t i = 0; i < count * row; i++)
                    values[i] = pick(&state, d);
                for (int64_t i = 0; i < count; i++)
                    at[i] = (int64_t)(test_random_word(&state) % (uint64_t)places);
                garray_shape shape = row > 1 ? GARRAY_SHAPE(places, row) : GARRAY_SHAPE(places);
                garray_t *x = array_of(d, TEST_CONTIGUOUS, shape, base), *index = indices_of(GARRAY_SHAPE(count), at);
                garray_t *v = array_of(d, TEST_CONTIGUOUS, row > 1 ? GARRAY_SHAPE(count, row) : GARRAY_SHAPE(count), values);
                for (int64_t i = 0; i < count * row; i++)
                    combine(op, d, &base[at[i / row] * row + i % row], values[i]);
                if (TEST_OK(scatter(op, x, GARRAY_AT(index), v)))
                    expect(x, d, places * row, base);
                garray_release(x);
                garray_release(v);
                garray_release(index);
                free(base);
                free(values);
                free(at);
            }
    TEST_NO_LEAK(mark);
}

/* 2^24 + 1 + 1 + ... in float32, and large numbers that cancel: one rounding, and the same bits each time. */
Test(scatter, precision)
{
    enum { N = 3001 };
    test_mark mark = test_memory();
    float *values = malloc(N * sizeof *values), want[2] = { 16777216.0f + (N - 1) / 2, 0 }, first[2];
    double *wide = malloc(N * sizeof *wide), exact[2] = { 0x1p60 + (N - 1) / 2 * 0x1p-1, 0 };
    int64_t *at = malloc(N * sizeof *at);
    for (int i = 0; i < N; i++) {
        values[i] = i == 0 ? 0 : i % 2 ? 1.0f : i % 4 ? 1e30f : -1e30f;
        wide[i] = i == 0 ? 0x1p60 : i % 2 ? 0.5 : i % 4 ? 1e70 : -1e70;
        at[i] = i % 2 || i == 0 ? 0 : 1;
    }
    garray_t *index = indices_of(GARRAY_SHAPE(N), at), *v = NULL, *x = NULL, *start = NULL;
    TEST_OK(garray_from_host(values, GARRAY_FLOAT32, GARRAY_SHAPE(N), NULL, test_device(), &v));
    TEST_OK(garray_zeros(GARRAY_SHAPE(2), GARRAY_FLOAT32, test_device(), &x));
    TEST_OK(garray_setitem(x, GARRAY_AT(0), 16777216.0));
    if (TEST_OK(garray_scatter_add(x, GARRAY_AT(index), v)))
        TEST_EQUAL(x, want, 0);
    TEST_OK(garray_from_host(wide, GARRAY_FLOAT64, GARRAY_SHAPE(N), NULL, test_device(), &v));
    TEST_OK(garray_zeros(GARRAY_SHAPE(2), GARRAY_FLOAT64, test_device(), &x));
    if (TEST_OK(garray_scatter_add(x, GARRAY_AT(index), v)))
        TEST_EQUAL(x, exact, 0);
    for (int round = 0; round < 3; round++) {       /* random numbers */
        test_random(GARRAY_FLOAT32, N, 3, values);
        TEST_OK(garray_from_host(values, GARRAY_FLOAT32, GARRAY_SHAPE(N), NULL, test_device(), &v));
        TEST_OK(garray_zeros(GARRAY_SHAPE(2), GARRAY_FLOAT32, test_device(), &x));
        TEST_OK(garray_scatter_add(x, GARRAY_AT(index), v));
        if (round > 0)
            TEST_EQUAL(x, first, 0);
        else
            TEST_OK(garray_to_host(x, first, NULL, sizeof first));
    }
    garray_release(index);
    garray_release(v);
    garray_release(x);
    garray_release(start);
    free(values);
    free(wide);
    free(at);
    TEST_NO_LEAK(mark);
}

/* NaN wins in extrema and stays in sums; infinities; zeros of either sign. */
Test(scatter, special_values)
{
    static const double values[] = { INFINITY, -INFINITY, NAN, -0.0, 0.0, INFINITY, 1 };
    static const int64_t at[] = { 0, 0, 1, 2, 3, 4, 4 };
    static const double start[] = { 1, 2, -0.0, -0.0, 3 };
    static const double want[OPS][5] = { { NAN, NAN, -0.0, 0.0, INFINITY }, { -INFINITY, NAN, -0.0, -0.0, 1 },
                                         { INFINITY, NAN, -0.0, 0.0, INFINITY } };
    test_mark mark = test_memory();
    garray_t *index = indices_of(GARRAY_SHAPE(7), at), *v = NULL, *x = NULL;
    for (int d = GARRAY_FLOAT16; d <= GARRAY_FLOAT64; d++)
        for (int op = 0; op < OPS; op++) {
            char room[5 * 8];
            test_context("%s, %s", names[op], garray_dtype_name((garray_dtype)d));
            TEST_OK(garray_from_host(values, GARRAY_FLOAT64, GARRAY_SHAPE(7), NULL, test_device(), &v));
            TEST_OK(garray_astype(v, (garray_dtype)d, &v));
            TEST_OK(garray_from_host(start, GARRAY_FLOAT64, GARRAY_SHAPE(5), NULL, test_device(), &x));
            TEST_OK(garray_astype(x, (garray_dtype)d, &x));
            for (int i = 0; i < 5; i++)
                test_store(d, room + (size_t)i * garray_dtype_size((garray_dtype)d), want[op][i], 0);
            if (TEST_OK(scatter(op, x, GARRAY_AT(index), v)))
                TEST_EQUAL(x, room, 0);
        }
    garray_release(index);
    garray_release(v);
    garray_release(x);
    TEST_NO_LEAK(mark);
}

/* An index out of range: at once on the CPU, where nothing is written; at the next wait on a GPU, where the others are. */
Test(scatter, out_of_range)
{
    static const int64_t at[] = { 1, 4, 2, -5, 1 };
    static const double untouched[] = { 0, 0, 0, 0 }, rest[] = { 0, 2, 1, 0 };
    static const int dtypes[] = { GARRAY_FLOAT64, GARRAY_INT32, GARRAY_INT8 };
    test_mark mark = test_memory();
    garray_t *index = indices_of(GARRAY_SHAPE(5), at), *x = NULL, *y = NULL, *view = NULL;
    for (int k = 0; k < 3; k++) {
        TEST_OK(garray_zeros(GARRAY_SHAPE(4), (garray_dtype)dtypes[k], test_device(), &x));
        garray_status st = garray_scatter_add(x, GARRAY_AT(index), 1);
        if (test_on_gpu() && TEST_OK(st))
            st = garray_synchronize(test_device());
        if (TEST_EXPECT(st == GARRAY_ERR_INDEX, "gives %s", garray_status_name(st)))
            TEST_MESSAGE("garray_scatter_add: ", "is out of bounds for axis 0 with size 4");
        TEST_OK(garray_astype(x, GARRAY_FLOAT64, &y));
        TEST_EQUAL(y, test_on_gpu() ? rest : untouched, 0);
    }
    TEST_STATUS(ERR_INDEX, garray_scatter_add(x, GARRAY_AT(y), 1));
    /* more index arrays than a plan holds */
    static const int64_t good[] = { 1, 0, 1 }, bad[] = { 1, 5, 1 };
    double cube[32] = { 0 };
    garray_t *g = indices_of(GARRAY_SHAPE(3), good), *b = indices_of(GARRAY_SHAPE(3), bad);
    TEST_OK(garray_zeros(GARRAY_SHAPE(2, 2, 2, 2, 2), GARRAY_FLOAT64, test_device(), &y));
    garray_status st = garray_scatter_add(y, GARRAY_AT(g, g, b, g, g), 1);
    if (test_on_gpu() && TEST_OK(st))
        st = garray_synchronize(test_device());
    if (TEST_EXPECT(st == GARRAY_ERR_INDEX, "gives %s", garray_status_name(st)))
        TEST_MESSAGE("index 5 is out of bounds for axis 2 with size 2");
    cube[31] = test_on_gpu() ? 2 : 0;
    TEST_EQUAL(y, cube, 0);
    cube[0] = 1;
    cube[31] += 2;
    if (TEST_OK(garray_scatter_add(y, GARRAY_AT(g, g, g, g, g), 1)))
        TEST_EQUAL(y, cube, 0);
    garray_release(g);
    garray_release(b);
    TEST_OK(garray_broadcast_to(x, GARRAY_SHAPE(2, 4), &view));
    TEST_STATUS(ERR_READONLY, garray_scatter_add(view, GARRAY_AT(0), 1));
    garray_release(index);
    garray_release(x);
    garray_release(y);
    garray_release(view);
    TEST_NO_LEAK(mark);
}
