/* SPDX-License-Identifier: BSD-3-Clause
 * Expressions in C with one check: calls that return their result, and a scope that keeps the first error and owns what
 * the calls make. Not part of garray.h.
 *
 *     #include <garray/scope.h>
 *
 *     garray_status step(const garray_t *x, const garray_t *r, garray_t **w)      // w = w - 0.1 * (x.mT @ r)
 *     {
 *         GARRAY_SCOPE(s);
 *         return garray_scope_end(&s, S_sub(&s, *w, S_mul(&s, S_matmul(&s, GARRAY_MT(x), r), 0.1)), w);
 *     }
 *
 * S_sum(&s, ...) is garray_sum(...) without the place for its result, for each function whose results are arrays. It returns
 * an array that belongs to the scope: not to be released, valid until the scope ends, and good for any function of the
 * library. Once a call has failed the later ones do nothing and return NULL, and the end returns the first error, with its
 * message in garray_error_message(). The result is assigned only on success.
 *
 * What an expression makes stays until the scope ends: a long loop ends its scope in every round. A scope is used by one
 * thread at a time.
 *
 * Functions of several results take the places for them behind the scope's arguments, NULL for those not wanted, which
 * belong to the scope as well: S_linalg_eigh(&s, x, NULL, &w, &v), which returns w, or NULL where w is not wanted.
 * Functions that return no array, change one, or give as many as an argument says are called as always. */
#ifndef GARRAY_SCOPE_H
#define GARRAY_SCOPE_H

#include <garray/garray.h>

/* Begins as all zero, GARRAY_SCOPE_NEW. The fields are the library's, but for status, which may be read. */
typedef struct {
    garray_status status; /* the first error */
    int32_t count;        /* arrays it owns */
    int32_t room;         /* of `arrays` */
    int32_t reserved32;
    garray_t **arrays;    /* NULL: they are in `first` */
    garray_t *first[12];
    uint64_t reserved[2];
} garray_scope;

#ifdef __cplusplus
#define GARRAY_SCOPE_NEW (garray_scope())
#else
/* A scope that owns nothing yet. */
#define GARRAY_SCOPE_NEW ((garray_scope){ .count = 0 })
#endif

/* A local scope that is ended, if it has not been, where its block is left. */
#define GARRAY_SCOPE(name) __attribute__((cleanup(garray_scope_free))) garray_scope name = GARRAY_SCOPE_NEW

GARRAY_BEGIN

/* Ends a scope: *out = result, as every function assigns, if no call has failed; then releases what the scope owns. Returns
 * the first error. The result is an array of the scope or any other; out may be garray_into(). Without out it only ends.
 * INVALID for no result. The scope is as new and may go on. */
GARRAY_STATUS garray_scope_end(garray_scope *scope, garray_t *result, garray_t **out);

/* Ends a scope and forgets its error. */
GARRAY_API void garray_scope_free(garray_scope *scope);

/* n empty slots in a row for results, or NULL after an error, which lack of memory is too. The next call may move them. */
GARRAY_API garray_t **garray_scope_slots(garray_scope *scope, int n);

GARRAY_END

/* What a call made in its n slots becomes the scope's; or what went wrong. */
static inline void garray_scope_note(garray_scope *scope, garray_status status, int n)
{
    if (status == GARRAY_OK)
        scope->count += n;
    else
        scope->status = status;
}

/* The array in a slot, NULL after an error. */
static inline garray_t *garray_scope_slot(const garray_scope *scope, garray_t **slot, int i)
{
    return scope->status == GARRAY_OK && slot ? slot[i] : NULL;
}

#include <garray/scope_functions.h>

/* ---- short names ---- */

/* a - b */
#define S_sub(scope, a, b) S_subtract(scope, a, b)
/* a * b */
#define S_mul(scope, a, b) S_multiply(scope, a, b)
/* a / b */
#define S_div(scope, a, b) S_divide(scope, a, b)
/* -x */
#define S_neg(scope, x) S_negative(scope, x)

/* ---- numbers ---- */

/* The one element of x, cast to a dtype. */
static inline void garray_scope_item(garray_scope *scope, const garray_t *x, garray_dtype dtype, void *value)
{
    if (scope->status == GARRAY_OK)
        scope->status = (garray_item)(x, dtype, value);
}
#ifndef __cplusplus
/* The one element of x, cast to the type of *value, which stays as it is after an error: S_item(&s, S_sum(&s, x,
 * GARRAY_ALL_AXES, NULL), &total). Waits. */
#define S_item(scope, x, value) garray_scope_item(scope, x, GARRAY_DTYPE_OF(value), value)
#else
template <class T> void garray_scope_item(garray_scope *scope, const garray_t *x, T *value)
{
    if (scope->status == GARRAY_OK)
        scope->status = garray_item(x, value);
}
#define S_item(scope, x, value) garray_scope_item(scope, x, value)
#endif

#endif
