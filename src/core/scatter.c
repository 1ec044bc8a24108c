/* SPDX-License-Identifier: BSD-3-Clause
 * Scatter: every value counts where index arrays name a place more than once. */
#include "core/array.h"
#include "core/elementwise.h"
#include "core/selection.h"

bool garray__can_combine(int op, int dtype)
{
    switch (op) {
    case GARRAY_OP_add:
    case GARRAY_OP_minimum:
    case GARRAY_OP_maximum: return true;
    case GARRAY_OP_multiply:
    case GARRAY_OP_bitwise_and:
    case GARRAY_OP_bitwise_or:
    case GARRAY_OP_bitwise_xor: return garray__kind_of(dtype) <= GARRAY__K_UINT;
    default: return false;
    }
}

/* Without index arrays no place comes twice. */
static garray_status combine_view(int op, garray_t *view, const garray_operand *values)
{
    garray_t *given = NULL;
    garray_status st = garray__assigned_value(view, values, view->ndim, &given);
    if (st == GARRAY_OK) {
        garray_operand in[2] = { garray_operand_array(view), garray_operand_array(given) };
        st = garray__elementwise(op, 2, in, view->dtype, garray_into(view));
    }
    garray_release(given);
    return st;
}

garray_status garray__combine(int op, garray_t *x, garray_indices items, const garray_operand *values)
{
    struct garray__selection s;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    garray_status st = garray__operand_check(values, "values");
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(x->flags & GARRAY__WRITEABLE, READONLY, "the array is read-only");
    st = garray__select_items(x, items, &s);
    if (st != GARRAY_OK)
        return st;
    st = s.narrays ? garray__assign_selection(GARRAY_INDEX_COMBINE, op, &s, values) : combine_view(op, s.view, values);
    garray_release(s.view);
    return st;
}

garray_status (garray_scatter_add)(garray_t *x, garray_indices items, garray_operand values)
{
    GARRAY_ENTER("garray_scatter_add");
    return garray__combine(GARRAY_OP_add, x, items, &values);
}

garray_status (garray_scatter_min)(garray_t *x, garray_indices items, garray_operand values)
{
    GARRAY_ENTER("garray_scatter_min");
    return garray__combine(GARRAY_OP_minimum, x, items, &values);
}

garray_status (garray_scatter_max)(garray_t *x, garray_indices items, garray_operand values)
{
    GARRAY_ENTER("garray_scatter_max");
    return garray__combine(GARRAY_OP_maximum, x, items, &values);
}
