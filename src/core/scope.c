/* SPDX-License-Identifier: BSD-3-Clause
 * The arrays that an expression makes on its way (garray/scope.h): a list of them that grows, and its end. */
#include <stdlib.h>
#include "core/status.h"
#include "garray/scope.h"

enum { FIRST = sizeof((garray_scope *)0)->first / sizeof(garray_t *) };

garray_t **garray_scope_slots(garray_scope *scope, int n)
{
    GARRAY_ENTER("garray_scope");
    if (!scope || scope->status != GARRAY_OK)
        return NULL;
    int32_t room = scope->arrays ? scope->room : FIRST;
    if (scope->count + n > room) {
        room = 2 * room + n;
        garray_t **grown = realloc(scope->arrays, (size_t)room * sizeof(garray_t *));
        if (!grown) {
            scope->status = garray__fail(GARRAY_ERR_NOMEM, "no memory for a list of %d arrays", room);
            return NULL;
        }
        if (!scope->arrays)
            memcpy(grown, scope->first, sizeof scope->first);
        scope->arrays = grown;
        scope->room = room;
    }
    garray_t **slots = (scope->arrays ? scope->arrays : scope->first) + scope->count;
    memset(slots, 0, (size_t)n * sizeof(garray_t *));
    return slots;
}

void garray_scope_free(garray_scope *scope)
{
    if (!scope)
        return;
    garray_t **arrays = scope->arrays ? scope->arrays : scope->first;
    /* the last ones first: views before what they are of */
    for (int32_t i = scope->count - 1; i >= 0; i--)
        garray_release(arrays[i]);
    free(scope->arrays);
    memset(scope, 0, sizeof *scope);
}

garray_status garray_scope_end(garray_scope *scope, garray_t *result, garray_t **out)
{
    GARRAY_ENTER("garray_scope_end");
    GARRAY_REQUIRE(scope, INVALID, "scope is NULL");
    garray_status st = scope->status;
    if (st == GARRAY_OK && out) {
        garray_t *share = garray_retain(result);
        st = garray_move(&share, out);
        garray_release(share);
    }
    garray_scope_free(scope);
    return st;
}
