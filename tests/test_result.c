/* SPDX-License-Identifier: BSD-3-Clause
 * What a result means: `=` as in Python.  The old array is released on success and stays on failure; its
 * memory is used again exactly when nobody else can see it; into() writes into an array and never makes
 * another one. */
#include "core/dlpack_abi.h"
#include "test.h"

/* The address of the first element, for comparison alone. */
static void *address(garray_t *x)
{
    void *p = NULL;
    if (TEST_OK(garray_begin(x, GARRAY_READ, NULL, &p)))
        TEST_OK(garray_end(x, NULL));
    return p;
}

static garray_t *filled(int64_t n, double value, garray_dtype dtype)
{
    garray_t *x = NULL;
    TEST_OK(garray_full(GARRAY_SHAPE(n), value, dtype, test_device(), &x));
    return x;
}

static double first(const garray_t *x)
{
    garray_t *element = NULL;
    double value = NAN;
    if (TEST_OK(garray_getitem(x, GARRAY_AT(0), &element)))
        TEST_OK(garray_item(element, &value));
    garray_release(element);
    return value;
}

enum { N = 1000 };

/* Memory is used again: one handle, one owner, same shape, dtype and device. */
Test(result, reuse)
{
    test_mark mark = test_memory();
    garray_t *x = filled(N, 2, GARRAY_FLOAT64), *y = filled(N, 5, GARRAY_FLOAT64);
    void *at_x = address(x), *at_y = address(y);
    TEST_OK(garray_add(x, 1, &x));
    TEST_EXPECT(address(x) == at_x && first(x) == 3, "x = x + 1 took new memory");
    TEST_OK(garray_multiply(x, y, &y));
    TEST_EXPECT(address(y) == at_y && first(y) == 15, "y = x * y took new memory");
    TEST_OK(garray_add(x, x, &y));
    TEST_EXPECT(address(y) == at_y && first(y) == 6, "y = x + x took new memory");
    TEST_OK(garray_exp(x, &x));
    TEST_EXPECT(address(x) == at_x, "x = exp(x) took new memory");
    TEST_OK(garray_zeros(GARRAY_SHAPE(N), GARRAY_FLOAT64, test_device(), &x));
    TEST_EXPECT(address(x) == at_x && first(x) == 0, "x = zeros took new memory");
    TEST_OK(garray_where(y, y, x, &x));
    TEST_EXPECT(address(x) == at_x && first(x) == 6, "x = where took new memory");
    TEST_OK(garray_copy(y, &x));
    TEST_EXPECT(address(x) == at_x, "x = copy(y) took new memory");

    /* another dtype or shape */
    garray_t *old = x;
    TEST_OK(garray_less(x, 1, &x));
    TEST_EXPECT(garray_dtype_of(x) == GARRAY_BOOL && x != old, "x = x < 1 is not a new array");
    TEST_OK(garray_zeros(GARRAY_SHAPE(N / 2), GARRAY_BOOL, test_device(), &x));
    TEST_EXPECT(garray_size(x) == N / 2, "the shape stayed");
    garray_release(x);
    garray_release(y);
    TEST_NO_LEAK(mark);
}

/* And is not where somebody could see it. */
Test(result, no_reuse)
{
    test_mark mark = test_memory();
    garray_t *x = filled(N, 2, GARRAY_FLOAT32), *shared, *view = NULL;

    shared = garray_retain(x);
    TEST_OK(garray_add(x, 1, &x));
    TEST_EXPECT(address(x) != address(shared) && first(x) == 3 && first(shared) == 2,
                "another handle's owner sees the change");
    garray_release(shared);

    TEST_OK(garray_getitem(x, GARRAY_AT(GARRAY_RANGE(0, 10)), &view));
    void *old = address(x);
    TEST_OK(garray_add(x, 1, &x));
    TEST_EXPECT(address(x) != old && first(x) == 4 && first(view) == 3, "a view sees the change");

    /* the view is alone now, but does not hold all of its buffer's shape: its own memory may be used */
    TEST_OK(garray_add(view, 1, &view));
    TEST_EXPECT(first(view) == 4 && garray_len(view) == 10, "a view went wrong");
    garray_release(view);
    view = NULL;

    /* lent out */
    void *lent;
    if (TEST_OK(garray_begin(x, GARRAY_READ, NULL, &lent))) {
        garray_t *same = x;
        garray_retain(same);
        TEST_OK(garray_add(x, 1, &x));
        TEST_EXPECT(address(x) != lent, "lent memory was used again");
        TEST_OK(garray_end(same, NULL));
        garray_release(same);
    }

    /* exported */
    struct DLManagedTensorVersioned *tensor = NULL;
    if (TEST_OK(garray_to_dlpack(x, NULL, &tensor))) {
        old = address(x);
        TEST_OK(garray_add(x, 1, &x));
        TEST_EXPECT(address(x) != old, "exported memory was used again");
        tensor->deleter(tensor);
    }

    /* an operand that is a broadcast or reversed view of the result's memory */
    garray_t *turned = NULL;
    TEST_OK(garray_arange(GARRAY_NONE, 6, GARRAY_NONE, GARRAY_FLOAT64, test_device(), &x));
    TEST_OK(garray_flip(x, GARRAY_ALL_AXES, &turned));
    TEST_OK(garray_add(x, turned, &x));
    TEST_EQUAL(x, ((const double[]){ 5, 5, 5, 5, 5, 5 }), 0);
    garray_release(turned);
    garray_release(x);
    TEST_NO_LEAK(mark);
}

/* Every kind of function releases the old result: views, creation, dtype changes, transfers. */
Test(result, released)
{
    test_mark mark = test_memory();
    garray_t *x = filled(N, 1, GARRAY_FLOAT64), *out = filled(N, 9, GARRAY_INT8);
    for (int round = 0; round < 2; round++) {
        TEST_OK(garray_reshape(x, GARRAY_SHAPE(10, -1), &out));
        TEST_OK(garray_permute_dims(out, GARRAY_ALL_AXES, &out));
        TEST_OK(garray_getitem(out, GARRAY_AT(GARRAY_ELLIPSIS, 3), &out));
        TEST_OK(garray_expand_dims(out, GARRAY_AXES(0), &out));
        TEST_OK(garray_squeeze(out, GARRAY_ALL_AXES, &out));
        TEST_OK(garray_astype(out, GARRAY_INT32, &out));
        TEST_OK(garray_arange(GARRAY_NONE, 5, GARRAY_NONE, GARRAY_DTYPE_DEFAULT, test_device(), &out));
        TEST_OK(garray_linspace(0, 1, 7, NULL, test_device(), &out));
        TEST_OK(garray_eye(3, 3, 0, GARRAY_FLOAT32, test_device(), &out));
        TEST_OK(garray_from_host(&(int){ 7 }, GARRAY_INT32, GARRAY_0D, NULL, test_device(), &out));
        TEST_OK(garray_to_device(out, GARRAY_CPU, &out));
        TEST_OK(garray_to_device(out, test_device(), &out));
        TEST_OK(garray_broadcast_to(out, GARRAY_SHAPE(4, 4), &out));
        TEST_OK(garray_concat(GARRAY_LIST(out, out), 0, &out));
        TEST_EXPECT(garray_size(out) == 32, "the chain ends with %lld elements", (long long)garray_size(out));
    }
    garray_t *moved = NULL;
    TEST_OK(garray_move(&out, &moved));
    TEST_EXPECT(!out && moved, "move moved nothing");
    garray_t *target = filled(32, 0, GARRAY_INT32);
    TEST_OK(garray_reshape(moved, GARRAY_SHAPE(-1), &moved));
    TEST_OK(garray_move(&moved, garray_into(target)));
    TEST_EXPECT(!moved && first(target) == 7, "move into an array copied nothing");
    garray_release(x);
    garray_release(target);
    TEST_NO_LEAK(mark);
}

/* On failure *out stays, whatever is wrong. */
Test(result, failure_keeps)
{
    test_mark mark = test_memory();
    garray_t *x = filled(N, 1, GARRAY_FLOAT64), *y = filled(7, 1, GARRAY_FLOAT64),
             *out = filled(N, 9, GARRAY_FLOAT64);
    garray_t *old = out;
    TEST_STATUS(ERR_SHAPE, garray_add(x, y, &out));
    TEST_STATUS(ERR_DTYPE, garray_bitwise_and(x, x, &out));
    TEST_STATUS(ERR_INVALID, garray_add(1, 2, &out));
    TEST_STATUS(ERR_SHAPE, garray_reshape(x, GARRAY_SHAPE(3, -1), &out));
    TEST_STATUS(ERR_INDEX, garray_getitem(x, GARRAY_AT(N), &out));
    TEST_STATUS(ERR_AXIS, garray_flip(x, GARRAY_AXES(1), &out));
    TEST_EXPECT(out == old && first(out) == 9, "a failed call touched the result");
    garray_release(x);
    garray_release(y);
    garray_release(out);
    TEST_NO_LEAK(mark);
}

Test(result, into)
{
    test_mark mark = test_memory();
    garray_t *x = NULL, *rows = NULL, *column = NULL, *small = filled(3, 1, GARRAY_FLOAT64), *readonly = NULL;
    TEST_OK(garray_zeros(GARRAY_SHAPE(4, 5), GARRAY_FLOAT64, test_device(), &x));
    TEST_OK(garray_getitem(x, GARRAY_AT(GARRAY_RANGE(1, 3)), &rows));
    TEST_OK(garray_getitem(x, GARRAY_AT(GARRAY_ALL, 2), &column));
    void *before = address(x);
    TEST_OK(garray_add(rows, 1, garray_into(rows)));
    TEST_OK(garray_subtract(column, 10, garray_into(column)));
    TEST_EXPECT(address(x) == before, "into() made another buffer");
    TEST_EQUAL(x, ((const double[]){ 0, 0, -10, 0, 0, 1, 1, -9, 1, 1, 1, 1, -9, 1, 1, 0, 0, -10, 0, 0 }), 0);

    /* wrong shape, dtype, read-only, NULL: nothing is written */
    char *bits = test_read(x);
    TEST_STATUS(ERR_SHAPE, garray_add(rows, 1, garray_into(x)));
    TEST_MESSAGE("garray_add", "(2,5)", "(4,5)");
    TEST_STATUS(ERR_SHAPE, garray_add(small, 1, garray_into(column)));
    TEST_STATUS(ERR_DTYPE, garray_add(x, GARRAY_COMPLEX(0, 1), garray_into(x)));
    TEST_MESSAGE("garray_add", "complex128", "float64", "same_kind");
    TEST_OK(garray_broadcast_to(small, GARRAY_SHAPE(2, 3), &readonly));
    TEST_STATUS(ERR_READONLY, garray_add(readonly, 1, garray_into(readonly)));
    TEST_MESSAGE("garray_add", "read-only");
    TEST_STATUS(ERR_INVALID, garray_add(x, 1, garray_into(NULL)));
    TEST_STATUS(ERR_INVALID, garray_add(x, 1, NULL));
    TEST_EQUAL(x, bits, 0);
    TEST_EXPECT(first(small) == 1, "the array under a read-only view was written");
    free(bits);

    /* functions whose result is a view copy */
    garray_t *matrix = NULL;
    TEST_OK(garray_zeros(GARRAY_SHAPE(5, 4), GARRAY_FLOAT64, test_device(), &matrix));
    TEST_OK(garray_permute_dims(x, GARRAY_ALL_AXES, garray_into(matrix)));
    TEST_EQUAL(matrix, ((const double[]){ 0, 1, 1, 0, 0, 1, 1, 0, -10, -9, -9, -10, 0, 1, 1, 0, 0, 1, 1, 0 }),
               0);
    garray_t *arrays[] = { x, rows, column, small, readonly, matrix };
    for (int i = 0; i < 6; i++)
        garray_release(arrays[i]);
    TEST_NO_LEAK(mark);
}

/* A loop allocates in its first round only. */
Test(result, loops)
{
    garray_t *x = filled(N, 0.5, GARRAY_FLOAT64), *t = NULL, *u = NULL, *mask = NULL, *part = NULL;
    garray_memory_info info;
    int64_t allocations = 0, driver = 0;
    for (int round = 0; round < 6; round++) {
        TEST_OK(garray_multiply(x, x, &t));
        TEST_OK(garray_add(t, 1, &t));
        TEST_OK(garray_sqrt(t, &u));
        TEST_OK(garray_less(u, t, &mask));
        TEST_OK(garray_where(mask, t, u, &t));
        TEST_OK(garray_getitem(t, GARRAY_AT(GARRAY_EVERY(2)), &part));
        TEST_OK(garray_add(part, 1, garray_into(part)));
        garray_release(part);
        part = NULL;
        TEST_OK(garray_divide(t, 3, &x));
        TEST_OK(garray_memory_stats(test_device(), &info));
        if (round == 1) {
            allocations = info.allocations;
            driver = info.driver_allocations;
        }
        TEST_EXPECT(round < 2 || info.allocations == allocations, "round %d allocated %lld buffers", round,
                    (long long)(info.allocations - allocations));
        TEST_EXPECT(round < 2 || info.driver_allocations == driver, "round %d asked the device for memory",
                    round);
        allocations = info.allocations;
    }
    garray_t *arrays[] = { x, t, u, mask };
    for (int i = 0; i < 4; i++)
        garray_release(arrays[i]);
}

/* Statistics are exact. */
Test(result, statistics)
{
    garray_memory_info before, after;
    garray_t *x[20] = { NULL };
    TEST_OK(garray_memory_stats(test_device(), &before));
    TEST_OK(garray_memory_reset_peak(test_device()));
    for (int i = 0; i < 20; i++)
        TEST_OK(garray_empty(GARRAY_SHAPE(1000 * (i + 1)), GARRAY_INT8, test_device(), &x[i]));
    TEST_OK(garray_memory_stats(test_device(), &after));
    TEST_EXPECT(after.live_blocks == before.live_blocks + 20, "%lld blocks",
                (long long)(after.live_blocks - before.live_blocks));
    TEST_EXPECT(after.allocations == before.allocations + 20, "%lld allocations",
                (long long)(after.allocations - before.allocations));
    TEST_EXPECT(after.live_bytes >= before.live_bytes + 210000, "%lld bytes",
                (long long)(after.live_bytes - before.live_bytes));
    TEST_EXPECT(after.peak_bytes == after.live_bytes, "the peak is %lld", (long long)after.peak_bytes);
    int64_t peak = after.peak_bytes;
    for (int i = 0; i < 20; i++)
        garray_release(x[i]);
    TEST_OK(garray_memory_stats(test_device(), &after));
    TEST_EXPECT(after.live_bytes == before.live_bytes && after.live_blocks == before.live_blocks,
                "memory is still live");
    TEST_EXPECT(after.frees == before.frees + 20, "%lld frees", (long long)(after.frees - before.frees));
    TEST_EXPECT(after.peak_bytes == peak, "the peak fell");
    TEST_OK(garray_memory_trim(test_device()));
    TEST_OK(garray_memory_stats(test_device(), &after));
    TEST_EXPECT(after.cached_bytes == 0, "%lld bytes are still cached", (long long)after.cached_bytes);
    TEST_EXPECT(after.driver_allocations - after.driver_frees <= 1 || after.live_blocks > 0,
                "not given back");

    /* a limit */
    TEST_OK(garray_memory_set_limit(test_device(), 1 << 20));
    garray_t *big = NULL;
    if (test_on_gpu())
        TEST_STATUS(ERR_DEVICE_NOMEM, garray_empty(GARRAY_SHAPE(1 << 22), GARRAY_INT8, test_device(), &big));
    else
        TEST_STATUS(ERR_NOMEM, garray_empty(GARRAY_SHAPE(1 << 22), GARRAY_INT8, test_device(), &big));
    TEST_MESSAGE("garray_empty", "4194304");
    TEST_EXPECT(!big, "a failed call gave a result");
    TEST_OK(garray_memory_set_limit(test_device(), 0));
    TEST_OK(garray_empty(GARRAY_SHAPE(1 << 22), GARRAY_INT8, test_device(), &big));
    garray_release(big);
}
