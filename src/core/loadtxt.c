/* SPDX-License-Identifier: BSD-3-Clause
 * loadtxt: tables in which every field is a number. */
#include <inttypes.h>
#include <stdlib.h>
#include "core/file.h"
#include "core/parse_number.h"
#include "core/result.h"
#include "core/text_table.h"
#include "garray/text.h"

struct reader {
    int dtype;
    const char *comments;
    size_t ncomments;
    char delimiter, quote;          /* 0: white space; none */
    int64_t max_rows;
    garray_axes usecols;
};

/* ---- fields of a line ---- */
static bool ends(const struct reader *r, const char *p, const char *end)
{
    return p == end || (r->ncomments && (size_t)(end - p) >= r->ncomments && memcmp(p, r->comments, r->ncomments) == 0);
}

/* The field at p, which it moves to what is behind.  A quoted one loses its quotes in place. */
static void take_field(const struct reader *r, char **p, const char *end, garray__field *field)
{
    field->text = *p;
    char *to = *p;
    if (r->quote && *p < end && **p == r->quote) {
        for (++*p; *p < end; ++*p) {
            if (**p == r->quote && !(*p + 1 < end && (*p)[1] == r->quote))
                break;
            *p += **p == r->quote;
            *to++ = **p;
        }
        *p += *p < end;
    }
    for (; !ends(r, *p, end) && (r->delimiter ? **p != r->delimiter : !garray__is_blank(**p)); ++*p)
        *to++ = **p;
    field->length = (size_t)(to - field->text);
}

static garray_status split(const struct reader *r, char *line, size_t length, garray__fields *fields)
{
    char *p = line;
    const char *end = line + length;
    garray_status st = GARRAY_OK;
    garray__field field;
    fields->n = 0;
    while (st == GARRAY_OK) {
        while (!r->delimiter && p < end && garray__is_blank(*p))
            p++;
        if (ends(r, p, end) && (!r->delimiter || fields->n == 0))
            break;
        take_field(r, &p, end, &field);
        st = garray__fields_add(fields, field.text, field.length);
        if (!r->delimiter)
            continue;
        if (ends(r, p, end))
            break;
        p++;                        /* the delimiter */
        if (ends(r, p, end) && st == GARRAY_OK) {
            st = garray__fields_add(fields, p, 0);
            break;
        }
    }
    return st;
}

/* ---- rows ---- */
static garray_status read_row(const struct reader *r, const garray__fields *fields, garray__table *table)
{
    char *row;
    int size = garray__size_of(r->dtype);
    int64_t n = r->usecols.n ? r->usecols.n : fields->n;
    if (table->rows == 0)
        table->columns = n;
    GARRAY_REQUIRE(n == table->columns, FORMAT,
                   "the number of columns changed from %" PRId64 " to %" PRId64 " at row %" PRId64
                   "; use `usecols` to select a subset and avoid this error", table->columns, n, table->rows + 1);
    garray_status st = garray__table_row(table, &row);
    for (int64_t i = 0; i < n && st == GARRAY_OK; i++) {
        int64_t column = r->usecols.n ? r->usecols.v[i] : i;
        column += column < 0 ? fields->n : 0;
        GARRAY_REQUIRE(column >= 0 && column < fields->n, FORMAT, "invalid column index %d at row %" PRId64 " with %" PRId64
                       " columns", r->usecols.v[i], table->rows, fields->n);
        const garray__field *f = &fields->field[column];
        if (garray__parse_field(f->text, f->length, r->dtype, row + i * size) != GARRAY__PARSED)
            return garray__fail(GARRAY_ERR_FORMAT,
                                "could not convert string '%.*s' to %s at row %" PRId64 ", column %" PRId64 ".",
                                (int)(f->length < 100 ? f->length : 100), f->text, garray__name_of(r->dtype), table->rows - 1,
                                column + 1);
    }
    return st;
}

static garray_status read_table(const struct reader *r, garray__lines lines, int64_t skip, garray__table *table)
{
    garray__fields fields = { 0 };
    garray_status st = GARRAY_OK;
    char *line;
    size_t length;
    while (skip > 0 && garray__next_line(&lines, &line, &length))
        skip--;
    while (st == GARRAY_OK && (r->max_rows < 0 || table->rows < r->max_rows) && garray__next_line(&lines, &line, &length)) {
        st = split(r, line, length, &fields);
        if (st == GARRAY_OK && fields.n > 0)
            st = read_row(r, &fields, table);
    }
    free(fields.field);
    return st;
}

/* ---- public ---- */
static garray_status read_options(const garray_loadtxt_opts *o, int dtype, struct reader *r)
{
    *r = (struct reader){ .dtype = dtype, .comments = "#", .max_rows = -1 };
    if (o) {
        garray_status st = garray__max_rows(&o->max_rows, &r->max_rows);
        if (st != GARRAY_OK)
            return st;
        r->comments = o->comments ? o->comments : "#";
        GARRAY_REQUIRE(!o->delimiter || strlen(o->delimiter) == 1, INVALID, "delimiter must be a single character, not '%.40s'",
                       o->delimiter);
        GARRAY_REQUIRE(!o->delimiter || !strchr("\r\n", *o->delimiter), INVALID, "delimiter must not be the end of a line");
        GARRAY_REQUIRE(o->quotechar >= 0 && o->quotechar < 128, INVALID, "quotechar must be a single character");
        GARRAY_REQUIRE(o->skiprows >= 0, INVALID, "skiprows is negative");
        r->delimiter = o->delimiter ? *o->delimiter : 0;
        r->quote = (char)o->quotechar;
        r->usecols = o->usecols;
    }
    r->ncomments = strlen(r->comments);
    return GARRAY_OK;
}

garray_status garray_loadtxt(const char *path, garray_dtype dtype, const garray_loadtxt_opts *opts, garray_device device,
                             garray_t **out)
{
    GARRAY_ENTER("garray_loadtxt");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    garray__device *target;
    garray__infile file = { 0 };
    struct reader reader;
    char *text = NULL;
    size_t length = 0;
    garray_t *made = NULL;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = garray__check_table(&dtype, opts ? opts->usecols : GARRAY_ALL_AXES, opts ? opts->ndmin : 0);
    if (st == GARRAY_OK)
        st = read_options(opts, (int)dtype, &reader);
    if (st == GARRAY_OK)
        st = garray__device_get(device, &target);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(path, INVALID, "path is NULL");
    garray__table table = { .dtype = (int)dtype, .columns = reader.usecols.n ? reader.usecols.n : 1 };
    GARRAY__TRY(garray__infile_open(&file, path));
    GARRAY__TRY(garray__infile_text(&file, &text, &length));
    GARRAY__TRY(garray__name_file(read_table(&reader, (garray__lines){ text, text + length }, opts ? opts->skiprows : 0, &table),
                                  path));
    GARRAY__TRY(garray__table_array(&table, opts ? opts->ndmin : 0, opts && opts->unpack, device, &made));
    st = garray__result_assign(out, made);
done:
    free(table.items);
    free(text);
    garray__infile_close(&file);
    return st;
}
