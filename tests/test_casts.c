/* SPDX-License-Identifier: BSD-3-Clause
 * Casts between all pairs of dtypes, by astype, into an array, by item, and from every layout. */
#include "test.h"

static const char *name_of(int dtype)
{
    return garray_dtype_name((garray_dtype)dtype);
}

Test(casts, against_numpy)
{
    const test_golden *golden = test_golden_open("casts");
    test_mark mark = test_memory();
    for (int i = 0; i < golden->ncases; i++) {
        const test_block *from = &golden->block[golden->cases[2 * i]],
                         *to = &golden->block[golden->cases[2 * i + 1]];
        size_t from_size = garray_dtype_size((garray_dtype)from->dtype),
               to_size = garray_dtype_size((garray_dtype)to->dtype);
        test_context("%s to %s", name_of(from->dtype), name_of(to->dtype));
        garray_t *x = NULL, *y = NULL;
        if (!TEST_OK(garray_from_host(from->data, (garray_dtype)from->dtype, GARRAY_SHAPE(from->n), NULL,
                                      test_device(), &x)))
            return;
        if (TEST_OK(garray_astype(x, (garray_dtype)to->dtype, &y))) {
            char *got = test_read(y);
            int64_t bad = test_differs(to->dtype, to->n, got, to->data, 0);
            if (bad >= 0)
                test_fail(__FILE__, __LINE__, "%s becomes %s, not %s",
                          test_text(from->dtype, (const char *)from->data + (size_t)bad * from_size),
                          test_text(to->dtype, got + (size_t)bad * to_size),
                          test_text(to->dtype, (const char *)to->data + (size_t)bad * to_size));
            free(got);
        }
        bool complex_to_real =
            from->dtype >= GARRAY_COMPLEX64 && to->dtype < GARRAY_COMPLEX64 && to->dtype != GARRAY_BOOL;
        for (int64_t k = 0; k < from->n; k++) {
            garray_t *element = NULL;
            char value[16] = { 0 };
            if (!TEST_OK(garray_getitem(x, GARRAY_AT(k), &element)))
                break;
            if (complex_to_real) {
                TEST_STATUS(ERR_DTYPE, (garray_item)(element, (garray_dtype)to->dtype, value));
                TEST_MESSAGE("garray_item", "complex");
            } else if (TEST_OK((garray_item)(element, (garray_dtype)to->dtype, value))) {
                const char *expected = (const char *)to->data + (size_t)k * to_size;
                TEST_EXPECT(test_ulps(to->dtype, value, expected) == 0, "item of %s is %s, not %s",
                            test_text(from->dtype, (const char *)from->data + (size_t)k * from_size),
                            test_text(to->dtype, value), test_text(to->dtype, expected));
            }
            garray_release(element);
        }
        garray_release(x);
        garray_release(y);
    }
    TEST_NO_LEAK(mark);
}

/* From each layout, into each layout, the bits of the contiguous cast. */
Test(casts, layouts)
{
    test_mark mark = test_memory();
    for (TEST_DTYPES(a))
        for (TEST_DTYPES(b))
            for (int layout = 0; layout < TEST_LAYOUTS; layout++) {
                garray_shape shape = test_shapes[(a * 7 + b * 3 + layout) % test_shape_count];
                char values[16 * TEST_SHAPE_MAX];
                test_context("%s %s to %s, %d axes", test_layout_name(layout), name_of(a), name_of(b),
                             (int)shape.n);
                test_random(a, test_count(shape), (uint64_t)(a * 100 + b), values);
                garray_t *x = test_array(a, layout, shape, values),
                         *plain = test_array(a, TEST_CONTIGUOUS, shape, values);
                garray_t *y = NULL, *expected = NULL, *copy = NULL;
                int other = (layout + a + b) % TEST_LAYOUTS;
                garray_t *view = test_array(b, test_layout_repeats(other) ? TEST_MIXED : other, shape, NULL);
                if (TEST_OK(garray_astype(plain, (garray_dtype)b, &expected)) &&
                    TEST_OK(garray_astype(x, (garray_dtype)b, &y))) {
                    char *bits = test_read(expected);
                    TEST_EQUAL(y, bits, 0);
                    if (garray_can_cast((garray_dtype)a, (garray_dtype)b, GARRAY_CAST_SAME_KIND)) {
                        if (TEST_OK(garray_copy(x, garray_into(view))))
                            TEST_EQUAL(view, bits, 0);
                    } else {
                        TEST_STATUS(ERR_DTYPE, garray_copy(x, garray_into(view)));
                    }
                    /* an assignment to a part casts whatever is lost */
                    if (garray_ndim(x) > 0 && TEST_OK(garray_setitem(view, GARRAY_AT(GARRAY_ELLIPSIS), x)))
                        TEST_EQUAL(view, bits, 0);
                    free(bits);
                }
                if (TEST_OK(garray_copy(x, &copy))) {
                    TEST_EQUAL(copy, values, 0);
                    TEST_EXPECT(garray_is_contiguous(copy) && garray_is_writeable(copy), "not a plain copy");
                }
                garray_t *arrays[] = { x, plain, y, expected, copy, view };
                for (int k = 0; k < 6; k++)
                    garray_release(arrays[k]);
            }
    TEST_NO_LEAK(mark);
}
