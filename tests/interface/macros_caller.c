/* SPDX-License-Identifier: BSD-3-Clause
 * Every macro of operand.h with the kinds of argument that users give it, as C or as C++. */
#include <garray/garray.h>
#ifdef __cplusplus
#include <complex>
#endif

int main(void)
{
    GARRAY_AUTO garray_t *x = NULL, *y = NULL;
    const garray_t *c;
    const int64_t lengths[2] = { 8, 9 };
    int o = 5;
    float f = 1.5f;
    bool yes = true;
    int64_t n = 9;
    size_t size = 4;
    const unsigned long long big = ~0ull;

    GARRAY_CHECK(garray_zeros(GARRAY_SHAPE(3, size, n), GARRAY_INT8, GARRAY_CUDA(o), &x));
    GARRAY_CHECK(garray_zeros(GARRAY_DIMS(2, lengths), GARRAY_BOOL, GARRAY_CPU, &x));
    GARRAY_CHECK(garray_zeros(GARRAY_0D, GARRAY_BOOL, GARRAY_CPU, &x));
    c = x;

    GARRAY_CHECK(garray_add(x, 1, &y));
    GARRAY_CHECK(garray_add(c, f, &y));
    GARRAY_CHECK(garray_add(-1L, big, &y));
    GARRAY_CHECK(garray_add(yes, 2.5, &y));
    GARRAY_CHECK(garray_add(GARRAY_MT(x), GARRAY_MH(c), &y));
    GARRAY_CHECK(garray_add(GARRAY_MT(GARRAY_MT(x)), GARRAY_FALSE, &y));
    GARRAY_CHECK(garray_add(GARRAY_TRUE, GARRAY_COMPLEX(1, 2), &y));
    GARRAY_CHECK(garray_add((short)-3, (unsigned char)200, &y));
    GARRAY_CHECK(garray_add((uint32_t)7, GARRAY_INT8, &y));
    GARRAY_CHECK(garray_clip(x, GARRAY_NONE, 1, &y));

    GARRAY_CHECK(garray_sum(x, GARRAY_ALL_AXES, NULL, &y));
    GARRAY_CHECK(garray_sum(x, GARRAY_AXES(0, -1), GARRAY_KW(reduce, .keepdims = yes), &y));
    GARRAY_CHECK(garray_sum(x, GARRAY_AXES(o),
                            GARRAY_KW(reduce, .keepdims = true, .dtype = GARRAY_FLOAT32, .initial = GARRAY_VAL(o),
                                      .where = GARRAY_VAL(c)), &y));

    GARRAY_CHECK(garray_getitem(x, GARRAY_AT(0, -1, n, size, x, c), &y));
    GARRAY_CHECK(garray_getitem(x, GARRAY_AT(GARRAY_RANGE(1, n), GARRAY_STEP(o, -1, -2), GARRAY_FROM(2),
                                             GARRAY_TO(3), GARRAY_EVERY(2), GARRAY_REVERSED, GARRAY_ALL,
                                             GARRAY_NEWAXIS, GARRAY_ELLIPSIS), &y));
    GARRAY_CHECK(garray_getitem(x, GARRAY_AT(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), &y));

    garray_t *several[3] = { x, x, x };
    GARRAY_CHECK(garray_concat(GARRAY_LIST(x, c), 1, &y));
    GARRAY_CHECK(garray_concat(GARRAY_ARRAYS(3, several), -1, &y));

    bool b;
    int8_t i8;
    int32_t i32;
    long long i64;
    uint64_t u64;
    double f64;
    GARRAY_CHECK(garray_item(x, &b));
    GARRAY_CHECK(garray_item(x, &i8));
    GARRAY_CHECK(garray_item(x, &i32));
    GARRAY_CHECK(garray_item(x, &i64));
    GARRAY_CHECK(garray_item(x, &u64));
    GARRAY_CHECK(garray_item(x, &f));
    GARRAY_CHECK(garray_item(x, &f64));
#ifdef __cplusplus
    std::complex<float> c64(1, 2);
    std::complex<double> c128(1, 2);
#else
    float _Complex c64 = 1.0f;
    double _Complex c128 = 1.0;
    ((double *)&c128)[1] = 2.0;
#endif
    GARRAY_CHECK(garray_add(x, c128, &y));
    GARRAY_CHECK(garray_item(x, &c64));
    GARRAY_CHECK(garray_item(x, &c128));

    garray_rng rng = GARRAY_RNG(o);
    printf("rng %d %d\n", (int)rng.seed, (int)rng.position);
    return 0;
}
