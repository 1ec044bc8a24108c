/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays in every layout, made as views of a buffer that the host fills, and read back without the library's
 * help. */
#include "core/array.h"
#include "test.h"

static const char *const layout_names[TEST_LAYOUTS] = { "contiguous", "transposed", "negative",
                                                        "broadcast",  "repeated",   "sliced",
                                                        "padded",     "misaligned", "mixed" };

const char *test_layout_name(int layout)
{
    return layout_names[layout];
}

bool test_layout_repeats(int layout)
{
    return layout == TEST_BROADCAST || layout == TEST_REPEATED;
}

const garray_shape test_shapes[] = {
    { 0, NULL },
    { 1, (const int64_t[]){ 0 } },
    { 1, (const int64_t[]){ 1 } },
    { 1, (const int64_t[]){ 131 } },
    { 2, (const int64_t[]){ 3, 0 } },
    { 2, (const int64_t[]){ 7, 33 } },
    { 2, (const int64_t[]){ 65, 1 } },
    { 3, (const int64_t[]){ 2, 5, 19 } },
    { 4, (const int64_t[]){ 3, 1, 4, 5 } },
};
const int test_shape_count = sizeof test_shapes / sizeof test_shapes[0];

int64_t test_count(garray_shape shape)
{
    int64_t n = 1;
    for (int64_t i = 0; i < shape.n; i++)
        n *= shape.v[i];
    return n;
}

/* Strides, offset of the first element and size of the buffer, in bytes. */
struct place {
    int64_t strides[GARRAY_MAX_NDIM], offset, size;
};

static struct place place_of(int layout, garray_shape shape, int64_t item)
{
    struct place p = { .offset = 64 };
    bool transposed = layout == TEST_TRANSPOSED || layout == TEST_MIXED;
    int64_t n = shape.n, step = layout == TEST_SLICED ? 2 * item : layout == TEST_MIXED ? 3 * item : item;
    for (int64_t k = 0; k < n; k++) {
        int64_t axis = transposed ? k : n - 1 - k;
        bool repeats = (layout == TEST_BROADCAST && axis == 0) || (layout == TEST_REPEATED && axis == n - 1);
        bool backwards = layout == TEST_NEGATIVE || (layout == TEST_MIXED && axis == n - 1);
        int64_t reach = (shape.v[axis] - 1) * step;
        p.strides[axis] = repeats ? 0 : backwards ? -step : step;
        if (backwards && reach > 0)
            p.offset += reach;
        if (!repeats && shape.v[axis] > 0)
            step = step * shape.v[axis] + (layout == TEST_SLICED || layout == TEST_PADDED ? 3 * item : 0);
    }
    p.offset += layout == TEST_MISALIGNED;
    p.size = step + 192;
    return p;
}

/* Element i of the row-major order as a distance in bytes. */
static int64_t distance(int64_t i, int64_t ndim, const int64_t *shape, const int64_t *strides)
{
    int64_t bytes = 0;
    for (int64_t axis = ndim - 1; axis >= 0; axis--) {
        bytes += i % shape[axis] * strides[axis];
        i /= shape[axis];
    }
    return bytes;
}

/* Values that share a place become that of the first of them. */
static void merge_repeated(const struct place *p, garray_shape shape, size_t item, char *values)
{
    int64_t own[GARRAY_MAX_NDIM], step = 1;     /* strides in `values`, 0 where the layout repeats */
    for (int64_t axis = shape.n - 1; axis >= 0; axis--) {
        own[axis] = p->strides[axis] ? step : 0;
        step *= shape.v[axis];
    }
    for (int64_t i = 0; i < step; i++)
        memmove(values + (size_t)i * item, values + (size_t)distance(i, shape.n, shape.v, own) * item, item);
}

garray_t *test_array(int dtype, int layout, garray_shape shape, void *values)
{
    static uint64_t seed = 1;
    size_t item = garray_dtype_size((garray_dtype)dtype);
    int64_t n = test_count(shape);
    struct place p = place_of(layout, shape, (int64_t)item);
    char *own = values ? NULL : malloc((size_t)n * item + 1), *image = malloc((size_t)p.size);
    if (own)
        test_random(dtype, n, seed, values = own);
    if (test_layout_repeats(layout))
        merge_repeated(&p, shape, item, values);
    test_random(GARRAY_UINT8, p.size, seed++, image);
    for (int64_t i = 0; i < n; i++)
        memcpy(image + p.offset + distance(i, shape.n, shape.v, p.strides), (char *)values + (size_t)i * item,
               item);

    garray_t *bytes = NULL, *x = NULL;
    garray_status st =
        garray_from_host(image, GARRAY_UINT8, GARRAY_SHAPE(p.size), NULL, test_device(), &bytes);
    if (st == GARRAY_OK)
        st = garray__view(bytes->buffer, bytes->data + p.offset, dtype, (int)shape.n, shape.v, p.strides,
                          !test_layout_repeats(layout), &x);
    if (st != GARRAY_OK)
        cr_assert(false, "no test array: %s", garray_error_message());
    garray_release(bytes);
    free(own);
    free(image);
    return x;
}

/* The bytes from address low on. */
static void *read_bytes(const garray_t *x, char *low, int64_t size)
{
    garray_t *bytes = NULL;
    int64_t one = 1;
    char *host = malloc((size_t)size + 1);
    garray_status st = garray__view(x->buffer, low, GARRAY_UINT8, 1, &size, &one, false, &bytes);
    if (st == GARRAY_OK)
        st = garray_to_host(bytes, host, NULL, (size_t)size);
    if (st != GARRAY_OK)
        cr_assert(false, "cannot read an array: %s", garray_error_message());
    garray_release(bytes);
    return host;
}

void *test_read(const garray_t *x)
{
    char *low, *high;
    size_t item = garray_dtype_size((garray_dtype)x->dtype);
    garray__extent(x, &low, &high);
    char *all = read_bytes(x, low, high - low), *values = malloc((size_t)x->size * item + 1);
    for (int64_t i = 0; i < x->size; i++)
        memcpy(values + (size_t)i * item,
               all + (x->data - low) + distance(i, x->ndim, x->shape, garray__strides(x)), item);
    free(all);
    return values;
}

unsigned char *test_snapshot(const garray_t *x, size_t *size)
{
    *size = x->buffer->size;
    return read_bytes(x, x->buffer->data, (int64_t)x->buffer->size);
}

void test_erase(const garray_t *x, unsigned char *snapshot)
{
    int64_t offset = x->data - (char *)x->buffer->data;
    for (int64_t i = 0; i < x->size; i++)
        memset(snapshot + offset + distance(i, x->ndim, x->shape, garray__strides(x)), 0,
               garray_dtype_size((garray_dtype)x->dtype));
}
