/* SPDX-License-Identifier: BSD-3-Clause
 * Functions that put elements elsewhere, against NumPy's: tests/golden/rearrange.bin has where each element of a result
 * comes from, tools/make_golden_rearrange.py how it is written.  And what those functions refuse. */
#include "core/array.h"
#include "test.h"

enum function {
    ROLLAXIS, ATLEAST_1D, ATLEAST_2D, ATLEAST_3D, FLIPUD, FLIPLR, ROT90, SLIDING, FLATTEN, TILE, REPEAT, REPEAT_EACH, RESIZE,
    ROLL, DELETE, DELETE_RANGE, DELETE_ARRAY, DELETE_MASK, INSERT, INSERT_ARRAY, TRIM, PAD, HSTACK, VSTACK, DSTACK,
    COLUMN_STACK, APPEND, CONCAT_FLAT, BLOCK, SPLIT, ARRAY_SPLIT, SPLIT_AT, UNSTACK, BROADCAST_ARRAYS
};
enum { MOST = 4, MOST_OUT = 8, ALL = 99, NONE = 77, COMPUTED = 1000000 };

static const int dtypes[] = { GARRAY_INT64, GARRAY_UINT8, GARRAY_FLOAT16, GARRAY_COMPLEX128, GARRAY_FLOAT32, GARRAY_BOOL };

struct given {
    int function, nin, nout, np;
    const int64_t *p;               /* arguments */
    const int64_t *result;          /* per result: number of axes, shape, elements */
    garray_t *in[MOST];
    char *values[MOST];             /* what they hold */
};

static garray_axes one_axis(const int64_t *p, int32_t *room)
{
    *room = (int32_t)*p;
    return *p == ALL ? GARRAY_ALL_AXES : (garray_axes){ 1, room };
}

static garray_index range_of(const int64_t *p)
{
    int has = (p[0] != NONE) | (p[1] != NONE) << 1 | (p[2] != NONE) << 2;
    return garray_at_make(GARRAY_INDEX_SLICE, has, p[0], p[1], p[2]);
}

/* n numbers as an array of a dtype. */
static garray_t *vector(int dtype, int64_t n, const int64_t *numbers)
{
    garray_t *x = NULL;
    char *values = malloc((size_t)n * 8 + 1);
    for (int64_t i = 0; i < n; i++)
        test_store(dtype, values + (size_t)i * garray_dtype_size((garray_dtype)dtype), (double)numbers[i], 0);
    cr_assert_eq(garray_from_host(values, (garray_dtype)dtype, GARRAY_DIMS(1, &n), NULL, test_device(), &x), GARRAY_OK);
    free(values);
    return x;
}

static garray_status call_pad(const struct given *g, garray_t **out)
{
    const int64_t *p = g->p;
    garray_pad_opts opts = { .mode = (garray_pad_mode)p[0], .odd = (int32_t)p[1] };
    if (p[0] == GARRAY_PAD_LINEAR_RAMP)
        opts.values = GARRAY_VAL(7);
    opts.stat_length = GARRAY_DIMS(g->np - 3 - p[2], p + 3 + p[2]);
    return garray_pad(g->in[0], GARRAY_DIMS(p[2], p + 3), &opts, out);
}

/* Functions of one result. */
static garray_status call(const struct given *g, garray_t **out)
{
    static const char *const trims[] = { "fb", "f", "b" };
    garray_t *x = g->in[0], *more = NULL;
    const int64_t *p = g->p;
    garray_list all = GARRAY_ARRAYS(g->nin, g->in);
    garray_status st = GARRAY_OK;
    int32_t room, axes[8];
    switch (g->function) {
    case ROLLAXIS:     return garray_rollaxis(x, (int)p[0], (int)p[1], out);
    case ATLEAST_1D:   return garray_atleast_1d(x, out);
    case ATLEAST_2D:   return garray_atleast_2d(x, out);
    case ATLEAST_3D:   return garray_atleast_3d(x, out);
    case FLIPUD:       return garray_flipud(x, out);
    case FLIPLR:       return garray_fliplr(x, out);
    case ROT90:        return garray_rot90(x, p[0], GARRAY_AXES(p[1], p[2]), out);
    case FLATTEN:      return garray_flatten(x, out);
    case TILE:         return garray_tile(x, GARRAY_DIMS(g->np, p), out);
    case REPEAT:       return garray_repeat(x, p[0], one_axis(p + 1, &room), out);
    case RESIZE:       return garray_resize(x, GARRAY_DIMS(g->np, p), out);
    case SLIDING:
    case ROLL:
        for (int i = 0; i < g->np - 1 - p[0]; i++)
            axes[i] = (int32_t)p[1 + p[0] + i];
        garray_axes named = g->np == 1 + p[0] ? GARRAY_ALL_AXES : (garray_axes){ g->np - 1 - p[0], axes };
        return g->function == ROLL ? garray_roll(x, GARRAY_DIMS(p[0], p + 1), named, out)
                                   : garray_sliding_window_view(x, GARRAY_DIMS(p[0], p + 1), named, NULL, out);
    case DELETE:       return garray_delete(x, GARRAY_AT(p[0]), one_axis(p + 1, &room), out);
    case DELETE_RANGE: return garray_delete(x, GARRAY_AT(range_of(p + 1)), one_axis(p, &room), out);
    case INSERT:       return garray_insert(x, GARRAY_AT(p[0]), g->in[1], one_axis(p + 1, &room), out);
    case REPEAT_EACH:
    case DELETE_ARRAY:
    case DELETE_MASK:
    case INSERT_ARRAY:
        more = vector(g->function == DELETE_MASK ? GARRAY_BOOL : g->np % 2 ? GARRAY_INT64 : GARRAY_INT16, g->np - 1, p + 1);
        if (g->function == REPEAT_EACH)
            st = garray_repeat(x, more, one_axis(p, &room), out);
        else if (g->function == INSERT_ARRAY)
            st = garray_insert(x, GARRAY_AT(more), g->in[1], one_axis(p, &room), out);
        else
            st = garray_delete(x, GARRAY_AT(more), one_axis(p, &room), out);
        garray_release(more);
        return st;
    case TRIM:         return garray_trim_zeros(x, trims[p[0]], one_axis(p + 1, &room), out);
    case PAD:          return call_pad(g, out);
    case HSTACK:       return garray_hstack(all, out);
    case VSTACK:       return garray_vstack(all, out);
    case DSTACK:       return garray_dstack(all, out);
    case COLUMN_STACK: return garray_column_stack(all, out);
    case APPEND:       return garray_append(x, g->in[1], one_axis(p, &room), out);
    case CONCAT_FLAT:  return garray_concat(all, GARRAY_FLAT, out);
    case BLOCK: {
        garray_list rows[2] = { GARRAY_ARRAYS(p[0], g->in), GARRAY_ARRAYS(g->nin - p[0], g->in + p[0]) };
        return garray_block(g->nin > p[0] ? 2 : 1, rows, out);
    }
    default:           return GARRAY_ERR_INTERNAL;
    }
}

/* Functions whose results are a list. */
static garray_status call_list(const struct given *g, garray_t **outs)
{
    switch (g->function) {
    case SPLIT:       return garray_split(g->in[0], (int)g->p[0], g->nout, outs);
    case ARRAY_SPLIT: return garray_array_split(g->in[0], (int)g->p[0], g->nout, outs);
    case SPLIT_AT:    return garray_split_at(g->in[0], GARRAY_DIMS(g->np - 1, g->p + 1), (int)g->p[0], g->nout, outs);
    case UNSTACK:     return garray_unstack(g->in[0], (int)g->p[0], g->nout, outs);
    default:          return garray_broadcast_arrays(GARRAY_ARRAYS(g->nin, g->in), g->nout, outs);
    }
}

static void open_given(const test_golden *golden, int i, int dtype, int layout, struct given *g)
{
    const int32_t *row = golden->cases + (size_t)i * (size_t)golden->width;
    const int64_t *shapes = golden->block[row[3]].data;
    size_t item = garray_dtype_size((garray_dtype)dtype);
    g->function = row[0];
    g->p = golden->block[row[1]].data;
    g->np = golden->block[row[1]].n;
    g->nin = row[2];
    g->nout = row[4];
    g->result = golden->block[row[5]].data;
    for (int k = 0; k < g->nin; k++) {
        garray_shape shape = GARRAY_DIMS(shapes[0], shapes + 1);
        int64_t n = test_count(shape);
        g->values[k] = malloc((size_t)n * item + 1);
        for (int64_t e = 0; e < n; e++) {
            int64_t number = g->function == TRIM ? g->p[2 + e] : (e + 10 * k) % (item == 1 ? 100 : 1000);     /* fits any dtype */
            test_store(dtype, g->values[k] + (size_t)e * item, (double)number, 0);
        }
        g->in[k] = test_array(dtype, (layout + 3 * k) % TEST_LAYOUTS, shape, g->values[k]);
        shapes += 1 + shapes[0];
    }
}

static void close_given(struct given *g)
{
    for (int k = 0; k < g->nin; k++) {
        garray_release(g->in[k]);
        free(g->values[k]);
    }
}

/* Compares one result; returns where the next one is described. */
static const int64_t *expect(const struct given *g, const int64_t *result, const garray_t *y, int dtype)
{
    garray_shape shape = GARRAY_DIMS(result[0], result + 1);
    const int64_t *places = result + 1 + result[0];
    int64_t n = test_count(shape);
    size_t item = garray_dtype_size((garray_dtype)dtype);
    char *expected = malloc((size_t)n * item + 1);
    bool same = garray_ndim(y) == shape.n && (int)garray_dtype_of(y) == dtype;
    for (int i = 0; i < (int)shape.n && same; i++)
        same = garray_shape_of(y).v[i] == shape.v[i];
    for (int64_t e = 0; e < n; e++) {
        int64_t from = places[e];
        if (from >= COMPUTED / 2)
            test_store(dtype, expected + (size_t)e * item, (double)(from - COMPUTED), 0);
        else if (from < 0)
            test_store(dtype, expected + (size_t)e * item, 0, 0);
        else
            memcpy(expected + (size_t)e * item, g->values[from / 1000] + (size_t)(from % 1000) * item, item);
    }
    if (TEST_EXPECT(same, "the shape or the dtype is wrong"))
        TEST_EQUAL(y, expected, 0);
    free(expected);
    return places + n;
}

/* Whether a case's computed values are those of these elements. */
static bool applies(const struct given *g, int dtype, int layout)
{
    bool computed = g->function == PAD && (g->p[1] || (g->p[0] >= GARRAY_PAD_LINEAR_RAMP && g->p[0] <= GARRAY_PAD_MINIMUM));
    return !(computed && (dtype != GARRAY_INT64 || test_layout_repeats(layout)))
           && !(g->function == TRIM && test_layout_repeats(layout));
}

static void check(const struct given *g, int dtype, bool view)
{
    garray_t *outs[MOST_OUT] = { NULL };
    const int64_t *result = g->result;
    if (g->function >= SPLIT) {
        outs[0] = garray_retain(g->in[0]);      /* a slot may hold an operand */
        if (TEST_OK(call_list(g, outs)))
            for (int k = 0; k < g->nout; k++)
                result = expect(g, result, outs[k], dtype);
    } else if (TEST_OK(call(g, &outs[0]))) {
        expect(g, result, outs[0], dtype);
        if (view)
            TEST_EXPECT(garray_size(outs[0]) == 0 || outs[0]->buffer == g->in[0]->buffer, "the result is a copy");
        /* into a view of the shape */
        garray_t *target = test_array(dtype, TEST_SLICED, garray_shape_of(outs[0]), NULL);
        if (TEST_OK(call(g, garray_into(target))))
            expect(g, result, target, dtype);
        garray_release(target);
        /* over its own operand */
        outs[1] = garray_retain(g->in[0]);
        if (TEST_OK(call(g, &outs[1])))
            expect(g, result, outs[1], dtype);
    }
    for (int k = 0; k < MOST_OUT; k++)
        garray_release(outs[k]);
}

Test(rearrange, against_numpy)
{
    const test_golden *golden = test_golden_open("rearrange");
    test_mark mark = test_memory();
    for (int i = 0; i < golden->ncases; i++)
        for (int layout = 0; layout < TEST_LAYOUTS; layout++) {
            struct given g;
            int dtype = dtypes[(size_t)(i + layout) % (sizeof dtypes / sizeof dtypes[0])];
            const int32_t *row = golden->cases + (size_t)i * (size_t)golden->width;
            dtype = row[0] == PAD && layout % 2 ? GARRAY_INT64 : dtype;
            test_context("case %d, function %d, %s, %s", i, (int)row[0], garray_dtype_name((garray_dtype)dtype),
                         test_layout_name(layout));
            open_given(golden, i, dtype, layout, &g);
            if (applies(&g, dtype, layout))
                check(&g, dtype, row[6] && !(layout && row[0] == FLATTEN));
            close_given(&g);
        }
    TEST_NO_LEAK(mark);
}

Test(rearrange, strides_and_dtypes)
{
    test_mark mark = test_memory();
    int32_t v[12] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
    garray_t *x = NULL, *y = NULL, *z = NULL;
    TEST_OK(garray_from_host(v, GARRAY_INT32, GARRAY_SHAPE(3, 4), NULL, test_device(), &x));
    int32_t diagonal[3] = { 0, 5, 10 };
    if (TEST_OK(garray_as_strided(x, GARRAY_SHAPE(3), (const int64_t[]){ 20 }, NULL, &y)))
        TEST_EQUAL(y, diagonal, 0);
    TEST_STATUS(ERR_INVALID, garray_as_strided(x, GARRAY_SHAPE(4), (const int64_t[]){ 16 }, NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_as_strided(x, GARRAY_SHAPE(2), (const int64_t[]){ -4 }, NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_as_strided(x, GARRAY_SHAPE(2, 3), (const int64_t[]){ INT64_MAX, INT64_MIN }, NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_as_strided(x, GARRAY_SHAPE(2), NULL, NULL, &y));
    TEST_EQUAL(y, diagonal, 0);
    if (TEST_OK(garray_as_strided(x, GARRAY_SHAPE(2), (const int64_t[]){ 4 }, GARRAY_KW(strided, .readonly = 1), &y)))
        TEST_EXPECT(!garray_is_writeable(y), "the view is writeable");
    /* bytes of a little-endian machine, which both devices are */
    int16_t halves[8] = { 0, 0, 1, 0, 2, 0, 3, 0 };
    if (TEST_OK(garray_getitem(x, GARRAY_AT(0), &y)) && TEST_OK(garray_view(y, GARRAY_INT16, &z))) {
        TEST_EQUAL(z, halves, 0);
        TEST_EXPECT(z->buffer == x->buffer, "the view is a copy");
        if (TEST_OK(garray_view(z, GARRAY_INT32, &z)))
            TEST_EQUAL(z, v, 0);
    }
    if (TEST_OK(garray_view(x, GARRAY_COMPLEX64, &z)))
        TEST_EXPECT(garray_shape_of(z).v[1] == 2, "the length is wrong");
    if (TEST_OK(garray_permute_dims(x, GARRAY_ALL_AXES, &y))) {
        TEST_STATUS(ERR_SHAPE, garray_view(y, GARRAY_INT16, &z));
        TEST_OK(garray_view(y, GARRAY_FLOAT32, &z));
    }
    TEST_STATUS(ERR_DTYPE, garray_view(x, GARRAY_BOOL, &z));
    if (TEST_OK(garray_getitem(x, GARRAY_AT(GARRAY_ALL, GARRAY_TO(3)), &y)))
        TEST_STATUS(ERR_SHAPE, garray_view(y, GARRAY_INT64, &z));
    /* windows written through */
    if (TEST_OK(garray_sliding_window_view(x, GARRAY_SHAPE(2), GARRAY_AXES(1), GARRAY_KW(window, .writeable = 1), &y)))
        TEST_EXPECT(garray_is_writeable(y), "the windows are read-only");
    garray_release(x);
    garray_release(y);
    garray_release(z);
    TEST_NO_LEAK(mark);
}

/* A complex view may begin in the middle of what would be a complex number: x[1:].view(complex). */
Test(rearrange, complex_at_odd_places)
{
    enum { N = 6000 };
    test_mark mark = test_memory();
    for (int dtype = GARRAY_COMPLEX64; dtype <= GARRAY_COMPLEX128; dtype++) {
        garray_t *x = NULL, *y = NULL, *z = NULL, *turned = NULL;
        bool same = false;
        test_context("%s", garray_dtype_name((garray_dtype)dtype));
        TEST_OK(garray_arange(0, 2 * N + 1, 1, dtype == GARRAY_COMPLEX64 ? GARRAY_FLOAT32 : GARRAY_FLOAT64, test_device(), &x));
        TEST_OK(garray_getitem(x, GARRAY_AT(GARRAY_FROM(1)), &y));
        TEST_OK(garray_view(y, (garray_dtype)dtype, &y));
        TEST_EXPECT(y->buffer == x->buffer && garray_size(y) == N, "not a view");
        /* 1 + 3 + ... and 2 + 4 + ... */
        const double total[2] = { (double)N * N, (double)N * (N + 1) };
        if (TEST_OK(garray_astype(y, GARRAY_COMPLEX128, &z)) && TEST_OK(garray_sum(z, GARRAY_ALL_AXES, NULL, &z)))
            TEST_EQUAL(z, total, 0);
        if (TEST_OK(garray_sum(y, GARRAY_ALL_AXES, NULL, &z)) && TEST_OK(garray_astype(z, GARRAY_COMPLEX128, &z)))
            TEST_EQUAL(z, total, 0);
        if (TEST_OK(garray_reshape(y, GARRAY_SHAPE(N / 4, 4), &z)) && TEST_OK(garray_sum(z, GARRAY_AXES(0), NULL, &z))
            && TEST_OK(garray_sum(z, GARRAY_ALL_AXES, NULL, &z)) && TEST_OK(garray_astype(z, GARRAY_COMPLEX128, &z)))
            TEST_EQUAL(z, total, 0);
        if (TEST_OK(garray_flip(y, GARRAY_ALL_AXES, &turned)) && TEST_OK(garray_sort(turned, -1, NULL, &z))
            && TEST_OK(garray_array_equal(z, y, false, &same)))
            TEST_EXPECT(same, "sorted wrongly");
        if (TEST_OK(garray_sort(y, -1, NULL, &z)) && TEST_OK(garray_array_equal(z, y, false, &same)))
            TEST_EXPECT(same, "sorted wrongly");
        garray_release(x);
        garray_release(y);
        garray_release(z);
        garray_release(turned);
    }
    TEST_NO_LEAK(mark);
}

Test(rearrange, byteswap)
{
    test_mark mark = test_memory();
    for (TEST_DTYPES(dtype))
        for (int layout = 0; layout < TEST_LAYOUTS; layout++) {
            size_t item = garray_dtype_size((garray_dtype)dtype), part = dtype >= GARRAY_COMPLEX64 ? item / 2 : item;
            unsigned char values[60 * 16], swapped[60 * 16];
            test_random(dtype, 60, 3, values);
            garray_t *x = test_array(dtype, layout, GARRAY_SHAPE(3, 4, 5), values), *y = NULL;
            for (size_t i = 0; i < 60 * item; i++)
                swapped[i / part * part + part - 1 - i % part] = values[i];
            test_context("%s, %s", garray_dtype_name((garray_dtype)dtype), test_layout_name(layout));
            if (TEST_OK(garray_byteswap(x, &y))) {
                unsigned char *got = test_read(y);
                TEST_EXPECT(memcmp(got, swapped, 60 * item) == 0, "the bytes are wrong");
                free(got);
            }
            if (TEST_OK(garray_byteswap(y, garray_into(y))))
                TEST_EQUAL(y, values, 0);
            garray_release(x);
            garray_release(y);
        }
    TEST_NO_LEAK(mark);
}

Test(rearrange, numbers_and_dtypes)
{
    test_mark mark = test_memory();
    garray_t *x = NULL, *y = NULL, *m = NULL;
    float f[3] = { 1, 2, 3 }, appended[4] = { 1, 2, 3, 2.5f }, inserted[4] = { 1, 7, 2, 3 };
    TEST_OK(garray_from_host(f, GARRAY_FLOAT32, GARRAY_SHAPE(3), NULL, test_device(), &x));
    TEST_STATUS(ERR_SHAPE, garray_append(x, 2.5, GARRAY_AXES(0), &y));
    if (TEST_OK(garray_append(x, 2.5, GARRAY_ALL_AXES, &y)))
        TEST_EQUAL(y, appended, 0);
    if (TEST_OK(garray_insert(x, GARRAY_AT(1), 7, GARRAY_AXES(0), &y)))
        TEST_EQUAL(y, inserted, 0);
    /* promotion, and constants per side */
    TEST_OK(garray_arange(10, 13, 1, GARRAY_INT64, test_device(), &m));
    double joined[6] = { 1, 2, 3, 10, 11, 12 };
    if (TEST_OK(garray_hstack(GARRAY_LIST(x, m), &y)))
        TEST_EQUAL(y, joined, 0);
    int64_t padded[6] = { 4, 10, 11, 12, 9, 9 }, sides[2] = { 4, 9 };
    garray_t *values = vector(GARRAY_INT64, 2, sides);
    if (TEST_OK(garray_pad(m, GARRAY_SHAPE(1, 2), GARRAY_KW(pad, .values = GARRAY_VAL(values)), &y)))
        TEST_EQUAL(y, padded, 0);
    float ramp[7] = { 0, 0.5f, 1, 2, 3, 1.5f, 0 };
    if (TEST_OK(garray_pad(x, GARRAY_SHAPE(2), GARRAY_KW(pad, .mode = GARRAY_PAD_LINEAR_RAMP), &y)))
        TEST_EQUAL(y, ramp, 0);
    garray_release(values);
    garray_release(x);
    garray_release(y);
    garray_release(m);
    TEST_NO_LEAK(mark);
}

Test(rearrange, refused)
{
    test_mark mark = test_memory();
    garray_t *x = NULL, *y = NULL, *m = NULL, *outs[3] = { NULL };
    int64_t counts[3] = { 1, -1, 2 };
    TEST_OK(garray_arange(0, 6, 1, GARRAY_INT64, test_device(), &x));
    TEST_STATUS(ERR_INVALID, garray_repeat(x, -1, GARRAY_AXES(0), &y));
    garray_t *c = vector(GARRAY_INT64, 3, counts), *three = NULL;
    TEST_STATUS(ERR_SHAPE, garray_repeat(x, c, GARRAY_AXES(0), &y));
    TEST_OK(garray_arange(0, 3, 1, GARRAY_INT64, test_device(), &three));
    TEST_STATUS(ERR_INVALID, garray_repeat(three, c, GARRAY_AXES(0), &y));
    int64_t huge[3] = { INT64_MAX, INT64_MAX, 3 };
    TEST_OK(garray_from_host(huge, GARRAY_INT64, GARRAY_SHAPE(3), NULL, test_device(), &c));
    TEST_STATUS(ERR_SHAPE, garray_repeat(three, c, GARRAY_AXES(0), &y));
    TEST_OK(garray_astype(c, GARRAY_FLOAT32, &m));
    TEST_STATUS(ERR_DTYPE, garray_repeat(three, m, GARRAY_AXES(0), &y));
    TEST_STATUS(ERR_SHAPE, garray_tile(x, GARRAY_SHAPE(INT64_MAX), &y));
    TEST_STATUS(ERR_SHAPE, garray_tile(x, GARRAY_SHAPE(-1), &y));
    TEST_STATUS(ERR_AXIS, garray_roll(x, GARRAY_SHAPE(1), GARRAY_AXES(1), &y));
    TEST_STATUS(ERR_SHAPE, garray_roll(x, GARRAY_SHAPE(1, 2), GARRAY_AXES(0, 0, 0), &y));
    TEST_STATUS(ERR_INDEX, garray_delete(x, GARRAY_AT(6), GARRAY_AXES(0), &y));
    TEST_STATUS(ERR_INDEX, garray_delete(x, GARRAY_AT(GARRAY_NEWAXIS), GARRAY_AXES(0), &y));
    TEST_STATUS(ERR_INVALID, garray_delete(x, GARRAY_AT(1, 2), GARRAY_AXES(0), &y));
    TEST_STATUS(ERR_INDEX, garray_insert(x, GARRAY_AT(7), 1, GARRAY_AXES(0), &y));
    TEST_STATUS(ERR_SHAPE, garray_insert(x, GARRAY_AT(GARRAY_RANGE(0, 2)), three, GARRAY_AXES(0), &y));
    TEST_STATUS(ERR_INVALID, garray_pad(x, GARRAY_SHAPE(-1), NULL, &y));
    TEST_STATUS(ERR_SHAPE, garray_pad(x, GARRAY_SHAPE(1, 1, 1), NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_pad(x, GARRAY_SHAPE(1), GARRAY_KW(pad, .mode = (garray_pad_mode)99), &y));
    TEST_STATUS(ERR_SHAPE, garray_split(x, 0, 4, outs));
    TEST_STATUS(ERR_INVALID, garray_unstack(x, 0, 3, outs));
    TEST_STATUS(ERR_INVALID, garray_split_at(x, GARRAY_SHAPE(2), 0, 3, outs));
    TEST_STATUS(ERR_SHAPE, garray_vsplit(x, 2, outs));
    TEST_STATUS(ERR_SHAPE, garray_fliplr(x, &y));
    TEST_STATUS(ERR_AXIS, garray_rot90(x, 1, GARRAY_AXES(0, -1), &y));
    const garray_t *const pair[2] = { x, NULL };
    TEST_STATUS(ERR_INVALID, garray_hstack(GARRAY_ARRAYS(2, pair), &y));
    TEST_STATUS(ERR_INVALID, garray_trim_zeros(x, "fx", GARRAY_ALL_AXES, &y));
    TEST_EXPECT(!y && !outs[0] && !outs[1] && !outs[2], "a failed call left a result");
    garray_release(x);
    garray_release(m);
    garray_release(c);
    garray_release(three);
    TEST_NO_LEAK(mark);
}

/* What is found wrong late leaves the result's old array as it was. */
Test(rearrange, pad_keeps_on_failure)
{
    const double three[3] = { 1, 2, 3 }, five[5] = { 9, 9, 9, 9, 9 };
    garray_t *x = NULL, *y = NULL;
    TEST_OK(garray_from_host(three, GARRAY_FLOAT64, GARRAY_SHAPE(3), NULL, test_device(), &x));
    TEST_OK(garray_from_host(five, GARRAY_FLOAT64, GARRAY_SHAPE(5), NULL, test_device(), &y));
    TEST_STATUS(ERR_INVALID, garray_pad(x, GARRAY_SHAPE(1), GARRAY_KW(pad, .mode = GARRAY_PAD_MAXIMUM, .stat_length = GARRAY_SHAPE(0)),
                                        &y));
    TEST_EQUAL(y, five, 0);
    TEST_STATUS(ERR_INVALID, garray_pad(x, GARRAY_SHAPE(1), GARRAY_KW(pad, .mode = GARRAY_PAD_MAXIMUM, .stat_length = GARRAY_SHAPE(0)),
                                        garray_into(y)));
    TEST_EQUAL(y, five, 0);
    garray_release(x);
    garray_release(y);
}
