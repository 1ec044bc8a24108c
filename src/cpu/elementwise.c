/* SPDX-License-Identifier: BSD-3-Clause
 * The elementwise entry: finds the loop, decides which casts stand before and after it, and drives it. */
#include <string.h>
#include "core/op_result.h"
#include "cpu/drive.h"

const garray__cpu_dtype *garray__cpu_dtypes[GARRAY_CPU_DTYPES];
const garray__cpu_moves *garray__cpu_move;

void garray__cpu_dtypes_init(void)
{
#define GARRAY_DTYPE(value, name, ...) garray__cpu_dtypes[value] = GARRAY_ISA_PICK(garray__cpu_dtype_##name);
#include "core/dtypes.def"
#undef GARRAY_DTYPE
    garray__cpu_move = GARRAY_ISA_PICK(garray__cpu_moves);
}

static bool is_half(int dtype)
{
    return dtype == GARRAY_FLOAT16 || dtype == GARRAY_BFLOAT16;
}

/* Which of the single values in mask the loop takes as they are. */
static unsigned taken(int op, int nop, bool single, unsigned mask)
{
    if (op == GARRAY_OP_where)
        return mask & 12;
    if (nop == 4)
        return (mask & 12) == 12 ? 12 : 0;
    if (nop == 3 && !single)
        return mask == 6 ? 4 : mask;
    return 0;
}

/* Nanoseconds per item on one core, roughly: decides about threads. */
static double cost_of(int dtype, bool single, int bytes)
{
    if (!single)
        return 0.03 + 0.01 * bytes;
    switch (dtype) {
    case GARRAY_FLOAT32:
        return 1;
    case GARRAY_COMPLEX64: case GARRAY_COMPLEX128:
        return 20;
    default:
        return 2;
    }
}

/* ---- entry --------------------------------------------------------------------------------------------- */
/* The commonest plan, without any preparation: contiguous, one dtype, small.  False: not that. */
static bool run_small(const garray_ew_plan *plan, garray__cpu_loop *loop, int result, double cost)
{
    if (plan->layout != GARRAY_EW_CONTIGUOUS || cost * (double)plan->count >= 5000
        || plan->operand[0].dtype != result)
        return false;
    char *p[GARRAY_EW_OPERANDS];
    unsigned single = 0;
    p[0] = plan->operand[0].data;
    for (int i = 1; i < plan->nop; i++) {
        const garray_ew_operand *o = &plan->operand[i];
        if (o->dtype != plan->dtype)
            return false;
        bool value = !o->data || o->strides[plan->ndim - 1] == 0;
        p[i] = o->data ? o->data : (char *)o->bits;
        single |= (unsigned)value << i;
    }
    if (single && taken(plan->op, plan->nop, false, single) != single)
        return false;
    loop(p, plan->count, single);
    return true;
}

garray_status garray__cpu_elementwise(const garray__queue *q, const garray_ew_plan *plan)
{
    const int op = plan->op, dtype = plan->dtype, row = GARRAY_CPU_ROW(op);
    if (op < 1 || op >= GARRAY_OP_LIMIT || row >= GARRAY_CPU_ROWS || dtype < 1 || dtype >= GARRAY_CPU_DTYPES)
        return garray__cpu_host->fail(GARRAY_ERR_INTERNAL, "elementwise: no operation %d of dtype %d", op,
                                      dtype);

    /* 16-bit floats have loops of their own only where float32's would not do. */
    const bool moves = op == GARRAY_OP_where;           /* and where needs only their bits */
    const int column =
        is_half(dtype) && !moves && !garray__cpu_dtypes[dtype]->loop[row] ? GARRAY_FLOAT32 : dtype;
    const garray__cpu_dtype *loops = garray__cpu_dtypes[moves && is_half(dtype) ? GARRAY_UINT16 : column];
    garray__cpu_loop *loop = loops->loop[row];
    if (!loop)
        return garray__cpu_host->fail(GARRAY_ERR_UNSUPPORTED, "elementwise: no operation %d of dtype %d", op,
                                      dtype);
    const bool single = loops->single[row];
    const int result = garray__stored_dtype(op, dtype), bytes = garray__cpu_itemsize(dtype) * plan->nop;
    const double cost = cost_of(column, single, bytes);
    if (column == dtype && !single && !moves && run_small(plan, loop, result, cost))
        return GARRAY_OK;

    garray__drive d;
    unsigned mask = 0;
    d.loop = loop;
    d.nop = plan->nop;
    d.cost = cost;
    /* A result in the compute dtype is rounded to a 16-bit float before it goes anywhere else. */
    const int made = result == dtype ? column : result;
    const int narrow = result == dtype && column != dtype ? dtype : 0;
    garray__drive_cast(&d.path[0], made, narrow, plan->operand[0].dtype);
    /* In a path storage comes first; the output's runs the other way. */
    int width = d.path[0].size;
    d.path[0].size = d.path[0].width;
    d.path[0].width = width;
    for (int i = 1; i < plan->nop; i++) {
        int from = plan->operand[i].dtype;
        if (i == 1 && moves)
            garray__drive_cast(&d.path[i], from, 0, GARRAY_BOOL);
        else        /* a dtype that the 16-bit float holds exactly goes straight to float32 */
            garray__drive_cast(
                &d.path[i], from,
                column == dtype || from == GARRAY_BOOL || from == GARRAY_INT8 || from == GARRAY_UINT8 ? 0
                                                                                                      : dtype,
                column);
        if (garray__drive_value(&d, plan, i))
            mask |= 1u << i;
    }
    d.scalars = taken(op, plan->nop, single, mask);
    d.spread = mask & ~d.scalars;
    d.allowed = 0;
    for (unsigned m = 0; m < 16; m += 2)
        if (taken(op, plan->nop, single, m) == m)
            d.allowed |= 1u << m;
    /* What is spread has no path: its value is in the loop's dtype. */
    for (int i = 1; i < plan->nop; i++)
        if (mask >> i & 1) {
            d.path[i].first = d.path[i].second = NULL;
            d.path[i].size = d.path[i].width;
            d.path[i].middle = 0;
        }
    garray__drive_run(&d, plan);
    return GARRAY_OK;
}
