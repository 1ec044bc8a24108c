/* SPDX-License-Identifier: BSD-3-Clause
 * What every test is made of.  Tests are device-blind: the device is that of GARRAY_TEST_DEVICE ("cpu" where
 * it is not set).  Criterion gives each test a process of its own, and on a GPU each process costs a context:
 * so write few tests, each walking a table, and say where in the table it is:
 *
 *     Test(reduce, against_numpy)
 *     {
 *         for (...) {
 *             test_context("%s, %s, %s", op, garray_dtype_name(dtype), test_layout_name(layout));
 *             garray_t *x = test_array(dtype, layout, shape, values), *y = NULL;
 *             if (TEST_OK(garray_sum(x, GARRAY_ALL_AXES, NULL, &y)))
 *                 TEST_EQUAL(y, expected, 0);
 *             garray_release(x);
 *             garray_release(y);
 *         }
 *     }
 *
 * A failed expectation is reported with the context and the table goes on; main() and Criterion do the rest.
 * In the environment: GARRAY_TEST_DATA is the directory of the golden files (else that of the sources, else
 * "golden" beside the program). */
#ifndef GARRAY_TESTS_TEST_H
#define GARRAY_TESTS_TEST_H

#include <criterion/criterion.h>
#include <garray/garray.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- where and on what ---- */

/* The device under test, open. */
garray_device test_device(void);
bool test_on_gpu(void);

/* for (TEST_DTYPES(d)): all dtypes in the order of their numbers. */
#define TEST_DTYPES(d) int d = GARRAY_BOOL; d <= GARRAY_COMPLEX128; d++
enum { TEST_DTYPE_COUNT = GARRAY_COMPLEX128 };

/* How the elements of an array lie in memory.  Shapes without axes or with a length of 0 go with each of
 * them. */
enum test_layout {
    TEST_CONTIGUOUS,
    TEST_TRANSPOSED,        /* first axis fastest */
    TEST_NEGATIVE,          /* every axis backwards */
    TEST_BROADCAST,         /* step 0 along the first axis */
    TEST_REPEATED,          /* step 0 along the last axis */
    TEST_SLICED,            /* every second element of longer rows */
    TEST_PADDED,            /* rows without gaps, apart from each other */
    TEST_MISALIGNED,        /* one byte off */
    TEST_MIXED,             /* transposed, last axis backwards and every third element */
    TEST_LAYOUTS
};
const char *test_layout_name(int layout);

/* Whether two elements share their place, so that the values must agree and nothing may be written. */
bool test_layout_repeats(int layout);

/* Shapes to try each layout with, 0-d and empty ones among them. */
extern const garray_shape test_shapes[];
extern const int test_shape_count;
enum { TEST_SHAPE_MAX = 4000 };     /* at most so many elements */

int64_t test_count(garray_shape shape);

/* ---- arrays from and to host memory ---- */

/* An array with values (row-major, without gaps; NULL: random) in a layout, a view in a larger buffer of
 * random bytes on the test device.  Values that the layout cannot tell apart are those at index 0: `values`
 * is changed accordingly, so that it holds what the array holds. */
garray_t *test_array(int dtype, int layout, garray_shape shape, void *values);

/* Writes the elements row-major to memory from malloc.  Reads the buffer as bytes and follows the strides
 * itself, so that no kernel of the library has a part in it. */
void *test_read(const garray_t *x);

/* The whole buffer under x (which test_array() made, or a view of that), as bytes from malloc; *size of them.
 * To see that nothing beside a view was written: compare after test_erase(). */
unsigned char *test_snapshot(const garray_t *x, size_t *size);
/* Sets the elements of x in a snapshot to 0. */
void test_erase(const garray_t *x, unsigned char *snapshot);

/* Deterministic random values: bits of any kind for integers, numbers from -8 to 8 with the dtype's full
 * precision for floats; the same seed gives the same values. */
void test_random(int dtype, int64_t n, uint64_t seed, void *values);
uint64_t test_random_word(uint64_t *state);

/* value as an element of a dtype (rounded, for integers exact within 53 bits), and back. */
void test_store(int dtype, void *element, double re, double im);
double test_load(int dtype, const void *element);
void test_load_complex(int dtype, const void *element, double *re, double *im);

/* ---- comparing ---- */

/* How far two elements are apart: 0 for equal bits and for two NaN, else in units in the last place of the
 * expected one (of complex numbers: of its modulus, the worse part); INFINITY where one is NaN, an infinity
 * is missing, or zeros differ in sign.  Integers and bools: 0 or INFINITY. */
double test_ulps(int dtype, const void *got, const void *expected);

/* The first of n elements further apart than ulps, or -1. */
int64_t test_differs(int dtype, int64_t n, const void *got, const void *expected, double ulps);

/* An element as text, in a buffer of its own for each of the last few calls. */
const char *test_text(int dtype, const void *element);

/* ---- reporting ---- */

/* Where in the table we are, for the messages that follow. */
void test_context(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One failure; the first 20 of a test are shown. */
void test_fail(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));

bool test_check_status(const char *file, int line, const char *call, garray_status got,
                       garray_status expected);
bool test_check_equal(const char *file, int line, const garray_t *x, const void *expected, double ulps);
bool test_check_message(const char *file, int line, const char *const *parts);

/* These are true where the expectation holds. */
#define TEST_EXPECT(condition, ...) \
    (test_holds(condition) ? true : (test_fail(__FILE__, __LINE__, __VA_ARGS__), false))
/* Keeps compilers from warning of constant conditions. */
static inline bool test_holds(bool condition)
{
    return condition;
}
#define TEST_STATUS(expected, ...) \
    test_check_status(__FILE__, __LINE__, #__VA_ARGS__, (__VA_ARGS__), GARRAY_##expected)
#define TEST_OK(...) TEST_STATUS(OK, __VA_ARGS__)
/* The elements of x, row-major, within ulps of expected ones of its dtype. */
#define TEST_EQUAL(x, expected, ulps) test_check_equal(__FILE__, __LINE__, x, expected, ulps)
/* The last error's message has all these parts. */
#define TEST_MESSAGE(...) test_check_message(__FILE__, __LINE__, (const char *const[]){ __VA_ARGS__, NULL })

/* ---- leaks ---- */

/* Buffers alive on the test device and the CPU now. */
typedef struct test_mark {
    int64_t blocks, bytes;
} test_mark;
test_mark test_memory(void);
/* Whether as much is alive as at the mark. */
bool test_check_memory(const char *file, int line, test_mark mark);
#define TEST_NO_LEAK(mark) test_check_memory(__FILE__, __LINE__, mark)

/* ---- golden files ----
 * What tools/make_golden.py writes (tools/golden.py has the format): numbered blocks of elements, and cases,
 * rows of integers that refer to them. */
typedef struct test_block {
    int32_t dtype;
    int32_t n;
    const void *data;
} test_block;

typedef struct test_golden {
    const char *made_with;      /* versions of what computed the values */
    int32_t nblocks, ncases, width;
    const test_block *block;
    const int32_t *cases;       /* ncases rows of width numbers */
} test_golden;

/* Reads NAME.bin; ends the test when it cannot. */
const test_golden *test_golden_open(const char *name);

/* ---- other processes ----
 * A test program may define test_child(): what it does when it is started by test_run_child(), instead of its
 * tests. */
int test_child(void) __attribute__((weak));

/* Runs this program's test_child() with more variables ("NAME=value", up to a NULL) in its environment;
 * returns what it wrote to standard output, from malloc.  *status is its exit code, or 256 + the signal that
 * ended it. */
char *test_run_child(const char *const *variables, int *status);

#endif
