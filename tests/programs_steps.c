/* SPDX-License-Identifier: BSD-3-Clause
 * The computing steps of random programs: one public function, or a few, on either side. */
#include <string.h>
#include "programs.h"

const char *program_step_name(int kind)
{
    static const char *const name[] = {
        "full", "arange", "from_host", "draw", "add", "multiply", "negative", "scalar", "where", "astype", "copy",
        "view", "reversed", "reshape", "broadcast", "concat", "sum", "argmax", "scan", "sort", "take", "mask",
        "argwhere", "search", "bincount", "matmul", "share", "into", "setitem", "set_mask", "put"
    };
    return kind < PROGRAM_KINDS ? name[kind] : "another step";
}

bool program_step_writes(int kind)
{
    return kind == PROGRAM_INTO || kind == PROGRAM_SETITEM || kind == PROGRAM_SET_MASK || kind == PROGRAM_PUT;
}

static bool is_whole(const garray_t *x)
{
    int dtype = (int)garray_dtype_of(x);
    return dtype != GARRAY_FLOAT32 && dtype != GARRAY_FLOAT64;
}

/* Host memory that is overwritten as soon as the call has returned. */
static garray_status from_host(const program_step *s, garray_device device, garray_t **out)
{
    int32_t values[64];
    const int64_t n = s->n < 64 ? s->n : 64, step[] = { s->k % 2 ? 4 : 0 };
    for (int i = 0; i < 64; i++)
        values[i] = (int32_t)(s->k + 3 * i);
    garray_status st = garray_from_host(values, GARRAY_INT32, GARRAY_SHAPE(n), step, device, out);
    memset(values, 0xee, sizeof values);
    return st;
}

/* Indices below the length of x. */
static garray_status places(const garray_t *x, const program_step *s, garray_t **out)
{
    int64_t at[6];
    const int64_t length = garray_len(x);
    for (int i = 0; i < 6; i++)
        at[i] = length ? (s->k * (i + 1) + i * 7) % length - (i & 1 ? length : 0) : 0;
    return garray_from_host(at, GARRAY_INT64, GARRAY_SHAPE(length ? 6 : 0), NULL, garray_device_of(x), out);
}

static garray_status combined(const program_step *s, const garray_t *a, const garray_t *b, garray_t **out)
{
    GARRAY_AUTO garray_t *t = NULL;
    switch (s->kind) {
    case PROGRAM_WHERE:
        GARRAY_TRY(garray_greater(a, s->k, &t));
        return garray_where(t, a, b, out);
    case PROGRAM_TAKE:
        GARRAY_TRY(places(a, s, &t));
        return garray_take(a, t, GARRAY_AXES(0), out);
    case PROGRAM_MASK:
        GARRAY_TRY(garray_greater(a, s->k, &t));
        return garray_getitem(a, GARRAY_AT(t), out);
    case PROGRAM_SEARCH:
        GARRAY_TRY(garray_sort(a, -1, NULL, &t));
        return garray_searchsorted(t, b, NULL, out);
    case PROGRAM_BINCOUNT:
        GARRAY_TRY(garray_astype(a, GARRAY_UINT8, &t));
        return garray_bincount(t, NULL, out);
    default:
        return garray_concat(GARRAY_LIST(a, b, a), 0, out);
    }
}

/* What changes an array that others may see. */
static garray_status written(const program_step *s, const garray_t *a, garray_t *x)
{
    GARRAY_AUTO garray_t *t = NULL;
    switch (s->kind) {
    case PROGRAM_INTO:
        return garray_add(a, s->k, garray_into(x));
    case PROGRAM_SETITEM:
        if (s->k & 1)
            return garray_setitem(x, GARRAY_AT(GARRAY_RANGE(s->k % 5, s->k % 5 + 9)), s->n);
        return garray_setitem(x, GARRAY_AT(GARRAY_REVERSED), a);
    case PROGRAM_SET_MASK:
        GARRAY_TRY(garray_less(x, s->k, &t));
        return garray_setitem(x, GARRAY_AT(t), s->n);
    default:
        GARRAY_TRY(places(x, s, &t));
        return garray_setitem(x, GARRAY_AT(t), s->k);
    }
}

garray_status program_step_run(const program_step *s, program_side *side)
{
    const garray_device device = side->fake ? GARRAY_CUDA(s->device) : GARRAY_CPU;
    const garray_t *a = side->slot[s->a], *b = side->slot[s->b];
    garray_t **out = &side->slot[s->out];
    garray_rng rng = GARRAY_RNG(s->k);
    switch (s->kind) {
    case PROGRAM_FULL:      return garray_full(GARRAY_SHAPE(s->n), s->k, (garray_dtype)s->dtype, device, out);
    case PROGRAM_ARANGE:    return garray_arange(s->k, s->k + s->n, 1, (garray_dtype)s->dtype, device, out);
    case PROGRAM_FROM_HOST: return from_host(s, device, out);
    case PROGRAM_DRAW:      return garray_random_integers(&rng, 0, 100, GARRAY_SHAPE(s->n), NULL, device, out);
    case PROGRAM_ADD:       return garray_add(a, b, out);
    case PROGRAM_MULTIPLY:  return garray_multiply(a, b, out);
    case PROGRAM_NEGATIVE:  return garray_negative(a, out);
    case PROGRAM_SCALAR:    return garray_subtract(s->k, a, out);
    case PROGRAM_ASTYPE:    return garray_astype(a, (garray_dtype)s->dtype, out);
    case PROGRAM_COPY:      return garray_copy(a, out);
    case PROGRAM_VIEW:      return garray_getitem(a, GARRAY_AT(GARRAY_STEP(s->k % 4, s->k % 4 + s->n, 1 + s->k % 3)), out);
    case PROGRAM_REVERSED:  return garray_getitem(a, GARRAY_AT(GARRAY_REVERSED), out);
    case PROGRAM_RESHAPE:   return garray_reshape(a, s->k & 1 ? GARRAY_SHAPE(-1) : GARRAY_SHAPE(2, -1), out);
    case PROGRAM_BROADCAST: return garray_broadcast_to(a, GARRAY_SHAPE(s->n), out);
    case PROGRAM_SUM:       return garray_sum(a, s->k & 1 ? GARRAY_AXES(0) : GARRAY_ALL_AXES, NULL, out);
    case PROGRAM_ARGMAX:    return garray_argmax(a, GARRAY_AXES(0), NULL, out);
    case PROGRAM_SCAN:      return garray_cumulative_sum(a, GARRAY_AXES(0), NULL, out);
    case PROGRAM_SORT:      return garray_sort(a, -1, NULL, out);
    case PROGRAM_ARGWHERE:  return garray_argwhere(a, out);
    case PROGRAM_MATMUL:    return is_whole(a) && is_whole(b) ? garray_matmul(a, b, out) : garray_minimum(a, b, out);
    case PROGRAM_SHARE:     return garray_asarray(a, NULL, out);
    default:
        return program_step_writes(s->kind) ? written(s, a, *out) : combined(s, a, b, out);
    }
}
