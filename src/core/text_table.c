/* SPDX-License-Identifier: BSD-3-Clause
 * What readers of tables share. */
#include <inttypes.h>
#include <stdlib.h>
#include "core/elementwise.h"
#include "core/text_table.h"

bool garray__next_line(garray__lines *lines, char **line, size_t *length)
{
    char *p = lines->at;
    if (p >= lines->end)
        return false;
    while (p < lines->end && *p != '\n' && *p != '\r')
        p++;
    *line = lines->at;
    *length = (size_t)(p - lines->at);
    p += p < lines->end && *p == '\r' && p[1] == '\n' ? 2 : 1;
    lines->at = p;
    return true;
}

garray_status garray__fields_add(garray__fields *f, char *text, size_t length)
{
    if (f->n == f->room) {
        int64_t room = f->room ? 2 * f->room : 64;
        garray__field *field = realloc(f->field, sizeof *field * (size_t)room);
        GARRAY_REQUIRE(field, NOMEM, "no host memory for a row of %" PRId64 " fields", room);
        f->field = field;
        f->room = room;
    }
    f->field[f->n++] = (garray__field){ text, length };
    return GARRAY_OK;
}

garray_status garray__table_row(garray__table *t, char **row)
{
    size_t size = (size_t)t->columns * (size_t)garray__size_of(t->dtype);
    if (t->rows == t->room) {
        int64_t room = t->room ? 2 * t->room : 64;
        char *items = realloc(t->items, (size_t)room * size + 1);
        GARRAY_REQUIRE(items, NOMEM, "no host memory for %" PRId64 " rows", room);
        t->items = items;
        t->room = room;
    }
    *row = t->items + (size_t)t->rows++ * size;
    return GARRAY_OK;
}

garray_status garray__table_array(const garray__table *t, int ndmin, bool unpack, garray_device device, garray_t **out)
{
    int64_t full[2] = { t->rows, t->columns }, shape[2];
    int ndim = 0;
    for (int i = 0; i < 2; i++)
        if (ndmin == 2 || full[i] != 1)
            shape[ndim++] = full[i];
    if (ndim < ndmin)
        shape[ndim++] = 1;
    garray_t *made = NULL, *turned = NULL;
    garray_status st = garray_from_host(t->items, (garray_dtype)t->dtype, GARRAY_DIMS(ndim, shape), NULL, device, &made);
    if (st != GARRAY_OK || !unpack || ndim < 2) {
        *out = made;
        return st;
    }
    int64_t strides[2] = { garray__strides(made)[1], garray__strides(made)[0] };
    st = garray__view(made->buffer, made->data, made->dtype, 2, (int64_t[]){ shape[1], shape[0] }, strides, true, &turned);
    garray_release(made);
    *out = turned;
    return st;
}

garray_status garray__check_table(garray_dtype *dtype, garray_axes usecols, int ndmin)
{
    *dtype = *dtype ? *dtype : GARRAY_FLOAT64;
    GARRAY_REQUIRE(garray__is_dtype(*dtype), DTYPE, "%d is not a dtype", (int)*dtype);
    GARRAY_REQUIRE(ndmin >= 0 && ndmin <= 2, INVALID, "Illegal value of ndmin keyword: %d", ndmin);
    GARRAY_REQUIRE(usecols.n > 0 || (usecols.n == 0 && !usecols.v), INVALID, "usecols has no columns");
    GARRAY_REQUIRE(usecols.n == 0 || usecols.v, INVALID, "usecols is NULL");
    return GARRAY_OK;
}

garray_status garray__max_rows(const garray_operand *value, int64_t *rows)
{
    uint64_t bits[2];
    *rows = -1;
    if (value->kind == GARRAY_OPERAND_NONE)
        return GARRAY_OK;
    GARRAY_TRY(garray__option_check(value, "max_rows", GARRAY__INTEGER));
    garray_status st = garray__scalar_bits(value, GARRAY_INT64, bits);
    *rows = (int64_t)bits[0];
    GARRAY_REQUIRE(st != GARRAY_OK || *rows >= 0, INVALID, "max_rows is negative");
    return st;
}
