/* SPDX-License-Identifier: BSD-3-Clause
 * The shadow finds a wrong item in the result of each kind of plan, and nothing in right ones. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "core/report.h"
#include "core/shadow.h"
#include "core/stream.h"
#include "garray/garray.h"

#define N 24

typedef struct job {
    garray__entry entry;
    void *plan;
    void *out;                  /* of the plan */
    size_t item;                /* bytes of an item */
} job;

static float x[N], y[N], wide[2 * N];
static double d[N];
static int64_t indices[N];
static uint8_t mask[N];

static void run(const job *j, bool wrong)
{
    garray__device *cpu;
    garray__shadow *shadow;
    cr_assert_eq(garray__device_get(GARRAY_CPU, &cpu), GARRAY_OK);
    const garray__queue *queue = garray__queue_current(cpu);
    const char *name = garray__plan_name(j->entry, j->plan);
    if (j->entry == GARRAY__SELECT_WRITE)
        cr_assert_eq(garray__call_backend(cpu->backend, GARRAY__SELECT_COUNT, queue, j->plan), GARRAY_OK);
    cr_assert_eq(garray__shadow_before(cpu, queue, j->entry, j->plan, &shadow), GARRAY_OK);
    cr_assert_not_null(shadow, "%s has no shadow", name);
    garray_status st = garray__call_backend(cpu->backend, j->entry, queue, j->plan);
    cr_assert_eq(st, GARRAY_OK, "%s: %s", name, garray_error_message());
    if (wrong)
        ((unsigned char *)j->out)[j->item - 1] ^= 0x20;     /* in the exponent of a float */
    st = garray__shadow_after(shadow, st);
    cr_assert_eq(st, wrong ? GARRAY_ERR_INTERNAL : GARRAY_OK, "%s, %s: %s", name, wrong ? "wrong" : "right", garray_error_message());
    if (wrong)
        cr_assert(strstr(garray_error_message(), "shadow: ") && strstr(garray_error_message(), name), "%s", garray_error_message());
}

/* Every kind that has a shadow, with strides both ways where it takes them. */
static void each(bool wrong)
{
    setenv("GARRAY_SHADOW", "cpu", 1);
    for (int i = 0; i < N; i++) {
        x[i] = (float)(i + 1) / 7;
        mask[i] = i % 3 != 1;
        indices[i] = i * 5 % N - (i % 2 ? N : 0);
    }
    garray_ew_plan add = { .op = GARRAY_OP_add, .dtype = GARRAY_FLOAT32, .nop = 3, .ndim = 1, .layout = GARRAY_EW_STRIDED, .count = N,
                           .shape = { N } };
    add.operand[0] = (garray_ew_operand){ .data = wide + 2 * N - 2, .dtype = GARRAY_FLOAT32, .strides = { -8 } };
    add.operand[1] = (garray_ew_operand){ .data = x, .dtype = GARRAY_FLOAT32, .strides = { 4 } };
    add.operand[2] = (garray_ew_operand){ .data = x + 3, .dtype = GARRAY_FLOAT32, .strides = { 0 } };
    garray_ew_plan cast = add;
    cast.op = 0;
    cast.nop = 2;
    cast.layout = GARRAY_EW_CONTIGUOUS;
    cast.operand[0] = (garray_ew_operand){ .data = d, .dtype = GARRAY_FLOAT64, .strides = { 8 } };
    garray_gen_plan arange = { .kind = GARRAY_GEN_ARANGE, .dtype = GARRAY_FLOAT32, .out = y, .count = N, .first = 1, .step = 0.5 };
    garray_reduce_plan sum = { .op = GARRAY_RED_SUM, .in_dtype = GARRAY_FLOAT32, .acc_dtype = GARRAY_FLOAT32, .nkeep = 1, .nred = 1,
                               .keep_count = 4, .red_count = 6, .in = x, .out = y, .keep_shape = { 4 }, .in_keep = { 4 },
                               .out_keep = { 4 }, .red_shape = { 6 }, .in_red = { 16 } };
    garray_scan_plan scan = { .op = GARRAY_RED_SUM, .dtype = GARRAY_FLOAT32, .in = x, .out = y, .outer = 1, .n = N, .inner = 1,
                              .in_strides = { 0, 4, 0 }, .out_strides = { 0, 4, 0 } };
    garray_sort_plan sort = { .kind = GARRAY_SORT_VALUES, .dtype = GARRAY_FLOAT32, .descending = 1, .in = x, .values = y, .rows = 2,
                              .n = N / 2 };
    garray_index_plan gather = { .kind = GARRAY_INDEX_GATHER, .itemsize = 4, .ndim = 1, .narrays = 1, .count = N, .base = x,
                                 .values = y, .shape = { N }, .value_strides = { 4 } };
    gather.array[0] = (garray_index_operand){ .data = indices, .dtype = GARRAY_INT64, .length = N, .step = 4, .strides = { 8 } };
    garray_index_plan scatter = gather;
    scatter.kind = GARRAY_INDEX_SCATTER;
    scatter.base = y;
    scatter.values = x;
    garray_select_plan rows = { .kind = GARRAY_SELECT_ROWS, .mask = mask, .n = N, .in = x, .row_bytes = 4, .out = { y }, .ndim = 1,
                                .shape = { N } };
    garray_matmul_plan product = { .dtype = GARRAY_FLOAT32, .m = 4, .n = 4, .k = 6, .batch = 1, .a = x, .b = x, .c = y, .a_row = 6,
                                   .a_col = 1, .b_row = 4, .b_col = 1, .c_row = 4, .alpha = { 1 } };
    garray_random_plan uniform = { .kind = GARRAY_RANDOM_UNIFORM, .dtype = GARRAY_FLOAT32, .seed = 1, .out = y, .count = N, .high = 1 };
    const job jobs[] = {
        { GARRAY__ELEMENTWISE, &add, wide + 2 * N - 2, 4 }, { GARRAY__CONVERT, &cast, d, 8 },
        { GARRAY__GENERATE, &arange, y, 4 },                { GARRAY__REDUCE, &sum, y, 4 },
        { GARRAY__SCAN, &scan, y, 4 },                      { GARRAY__SORT, &sort, y, 4 },
        { GARRAY__INDEX, &gather, y, 4 },                   { GARRAY__INDEX, &scatter, y, 4 },
        { GARRAY__SELECT_WRITE, &rows, y, 4 },              { GARRAY__MATMUL, &product, y, 4 },
        { GARRAY__RANDOM, &uniform, y, 4 },
    };
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        run(&jobs[i], wrong);
}

Test(shadow, right_results)
{
    each(false);
}

Test(shadow, wrong_results)
{
    each(true);
}

/* An index out of range is for the device itself to report: the shadow says nothing. */
Test(shadow, wrong_index)
{
    static const int64_t far = 99;
    garray__device *cpu;
    garray__shadow *shadow;
    setenv("GARRAY_SHADOW", "cpu", 1);
    cr_assert_eq(garray__device_get(GARRAY_CPU, &cpu), GARRAY_OK);
    garray_index_plan gather = { .kind = GARRAY_INDEX_GATHER, .itemsize = 4, .ndim = 1, .narrays = 1, .count = 1, .base = x,
                                 .values = y, .shape = { 1 }, .value_strides = { 4 } };
    gather.array[0] = (garray_index_operand){ .data = &far, .dtype = GARRAY_INT64, .length = N, .step = 4, .strides = { 8 } };
    cr_assert_eq(garray__shadow_before(cpu, garray__queue_current(cpu), GARRAY__INDEX, &gather, &shadow), GARRAY_OK);
    cr_assert_eq(garray__shadow_after(shadow, GARRAY_OK), GARRAY_OK, "%s", garray_error_message());
}

/* A difference of one ulp is none where functions may round differently, and one where they may not. */
Test(shadow, tolerances)
{
    garray_ew_plan plan = { .op = GARRAY_OP_exp, .dtype = GARRAY_FLOAT64, .nop = 2 };
    cr_assert_gt(garray__plan_tolerance(GARRAY__ELEMENTWISE, &plan, (double[4]){ 0 }).ulps, 0);
    plan.dtype = GARRAY_FLOAT32;
    cr_assert_eq(garray__plan_tolerance(GARRAY__ELEMENTWISE, &plan, (double[4]){ 0 }).ulps, 0);
    plan.op = GARRAY_OP_add;
    plan.dtype = GARRAY_FLOAT64;
    cr_assert_eq(garray__plan_tolerance(GARRAY__ELEMENTWISE, &plan, (double[4]){ 0 }).ulps, 0);
}
