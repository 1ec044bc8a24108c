/* SPDX-License-Identifier: BSD-3-Clause
 * Expressions with one check (garray/scope.h): values, the first error, what is released when, more temporaries than the
 * scope has room for at first. */
#include "test.h"
#include <garray/scope.h>

static garray_t *vector(int n, const double *values)
{
    garray_t *x = NULL;
    TEST_OK(garray_from_host(values, GARRAY_FLOAT64, GARRAY_SHAPE(n), NULL, test_device(), &x));
    return x;
}

static garray_status leave_early(garray_t *x, bool fail)
{
    GARRAY_SCOPE(s);
    garray_t *y = S_add(&s, x, 1);
    if (fail)
        return GARRAY_ERR_INVALID;              /* y is released here as well */
    return garray_scope_end(&s, S_mul(&s, y, 2), garray_into(x));
}

Test(scope, expressions)
{
    const test_mark mark = test_memory();
    garray_scope s = GARRAY_SCOPE_NEW;
    const double numbers[] = { 1, 2, 3, 4, 5, 6 };
    garray_t *x = vector(6, numbers), *w = vector(2, numbers), *r = vector(3, numbers), *m = NULL, *y = NULL, *u = NULL;
    TEST_OK(garray_reshape(x, GARRAY_SHAPE(3, 2), &m));

    /* w - 0.1 * (m.mT @ r): m.mT @ r is 22, 28 */
    TEST_OK(garray_scope_end(&s, S_sub(&s, w, S_mul(&s, S_matmul(&s, GARRAY_MT(m), r), 0.5)), &w));
    TEST_EQUAL(w, ((const double[]){ -10, -12 }), 0);

    /* functions of arrays, of options, of lists; a view as result; numbers on either side */
    TEST_OK(garray_scope_end(&s, S_getitem(&s, S_concat(&s, GARRAY_LIST(S_div(&s, 12, r), S_neg(&s, r)), 0),
                                           GARRAY_AT(GARRAY_REVERSED)), &y));
    TEST_EQUAL(y, ((const double[]){ -3, -2, -1, 4, 6, 12 }), 0);
    double total = 0;
    S_item(&s, S_sum(&s, S_exp(&s, S_mul(&s, m, 0)), GARRAY_ALL_AXES, GARRAY_KW(reduce, .initial = GARRAY_VAL(4))), &total);
    TEST_OK(garray_scope_end(&s, NULL, NULL));
    TEST_EXPECT(total == 10, "sum is %g", total);

    /* several results */
    garray_t *q = NULL, *frac = NULL, *whole = NULL;
    garray_t *first = S_divmod(&s, r, 2, &q, NULL);
    TEST_EXPECT(first && first == q, "the first result is returned");
    first = S_modf(&s, S_div(&s, r, 2), NULL, &whole);
    TEST_EXPECT(!first && whole, "only the second is wanted");
    TEST_OK(garray_scope_end(&s, S_add(&s, q, whole), &y));
    TEST_EQUAL(y, ((const double[]){ 0, 2, 2 }), 0);

    /* an array of the caller's as result: another share; through garray_into() */
    TEST_OK(garray_scope_end(&s, x, &u));
    TEST_EXPECT(u == x, "the same array");
    TEST_OK(garray_scope_end(&s, S_add(&s, r, 1), garray_into(r)));
    TEST_EQUAL(r, ((const double[]){ 2, 3, 4 }), 0);
    TEST_OK(leave_early(r, false));
    TEST_EQUAL(r, ((const double[]){ 6, 8, 10 }), 0);
    TEST_STATUS(ERR_INVALID, leave_early(r, true));

    /* the first error is kept, with its message, and nothing is assigned */
    garray_t *before = y;
    TEST_STATUS(ERR_SHAPE, garray_scope_end(&s, S_sort(&s, S_add(&s, S_add(&s, x, r), 1), 7, NULL), &y));
    TEST_EXPECT(y == before, "y is another array after an error");
    S_add(&s, x, r);
    TEST_EXPECT(s.status == GARRAY_ERR_SHAPE, "the status is %d", s.status);
    TEST_MESSAGE("garray_add", "(6,)", "(3,)");
    total = -1;
    S_item(&s, x, &total);
    TEST_EXPECT(total == -1, "a value after an error");
    S_modf(&s, x, &frac, NULL);
    TEST_EXPECT(!frac, "an array after an error");
    TEST_STATUS(ERR_SHAPE, garray_scope_end(&s, NULL, NULL));
    TEST_STATUS(ERR_INVALID, garray_scope_end(&s, NULL, &y));   /* there is no result */
    TEST_STATUS(ERR_INVALID, garray_scope_end(NULL, NULL, NULL));
    TEST_STATUS(ERR_SHAPE, garray_scope_end(&s, S_add(&s, x, 1), garray_into(r)));

    /* more than the scope holds by itself: 1 + 2 + ... + 100 */
    garray_t *sum = S_mul(&s, r, 0);
    for (int i = 1; i <= 100; i++)
        sum = S_add(&s, sum, i);
    TEST_EXPECT(s.count == 101, "%d arrays", s.count);
    TEST_OK(garray_scope_end(&s, sum, &y));
    TEST_EQUAL(y, ((const double[]){ 5050, 5050, 5050 }), 0);
    garray_scope_free(NULL);
    garray_scope_free(&s);

    garray_release(x), garray_release(w), garray_release(r), garray_release(m), garray_release(y), garray_release(u);
    TEST_NO_LEAK(mark);
}
