/* SPDX-License-Identifier: BSD-3-Clause
 * genfromtxt: tables in which numbers may be missing. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>
#include "core/elementwise.h"
#include "core/file.h"
#include "core/parse_number.h"
#include "core/result.h"
#include "core/text_table.h"
#include "garray/text.h"

struct reader {
    const garray_genfromtxt_opts *o;
    int dtype;
    const char *comments;
    int64_t max_rows;
    uint64_t filling[2];            /* an element */
    bool fills;                     /* there is one */
    garray__fields fields;
    garray__table *table;
    int64_t width;                  /* fields of the first line; 0 before */
    int64_t ninvalid, room;
    struct invalid {
        int64_t line, fields;       /* the line counted from the first one with data, as NumPy counts */
    } *invalid;
    int64_t overflow;               /* the first row with an integer out of range; -1 */
};

/* ---- numbers as Python reads them ---- */
/* The text of a field without white space around it, and without underscores between digits, as a copy that ends with 0
 * in a buffer; false if it is too long to be a number, or is none for its underscores. */
static bool copy_field(const garray__field *f, char *to, size_t room)
{
    const char *p = f->text, *end = p + f->length;
    while (p < end && garray__is_blank(*p))
        p++;
    while (p < end && garray__is_blank(end[-1]))
        end--;
    if (end - p > 1 && *p == '(' && end[-1] == ')') {
        for (p++, end--; p < end && garray__is_blank(*p); p++)
            continue;
        while (p < end && garray__is_blank(end[-1]))
            end--;
    }
    size_t n = 0;
    for (const char *first = p; p < end; p++) {
        if (*p == '_') {
            if (p == first || p + 1 == end || p[-1] < '0' || p[-1] > '9' || p[1] < '0' || p[1] > '9')
                return false;
            continue;
        }
        if (n + 2 >= room || !*p)
            return false;
        to[n++] = *p;
    }
    to[n] = 0;
    return true;
}

/* j alone is 1j: to have its digit, it is written out. */
static void complete_j(char *text)
{
    size_t n = strlen(text);
    if (n > 0 && text[n - 1] == 'J')
        text[n - 1] = 'j';
    if (n > 0 && text[n - 1] == 'j' && (n == 1 || text[n - 2] == '+' || text[n - 2] == '-')) {
        text[n - 1] = '1';
        text[n] = 'j';
        text[n + 1] = 0;
    }
}

/* An integer of any size by way of a double, as int(float(text)). */
static garray__parsed integer_of(double value, int dtype, void *item)
{
    if (isnan(value))
        return GARRAY__NO_NUMBER;
    value = trunc(value);
    int bits = 8 * garray__size_of(dtype);
    bool is_signed = garray__kind_of(dtype) == GARRAY__K_SINT;
    double most = ldexp(1, bits - is_signed);
    if (!(value < most && value >= (is_signed ? -most : 0)))
        return GARRAY__OUT_OF_RANGE;
    uint32_t word = (uint32_t)(int64_t)value;
    uint8_t v8 = (uint8_t)word;
    uint16_t v16 = (uint16_t)word;
    memcpy(item, bits == 8 ? (void *)&v8 : bits == 16 ? (void *)&v16 : (void *)&word, (size_t)bits / 8);
    return GARRAY__PARSED;
}

static garray__parsed convert(const garray__field *f, int dtype, void *item)
{
    char text[1200];
    const char *next = text;
    double value;
    garray__parsed result;
    if (dtype == GARRAY_BOOL) {
        bool is_true = f->length == 4 && strncasecmp(f->text, "true", 4) == 0;
        if (!is_true && !(f->length == 5 && strncasecmp(f->text, "false", 5) == 0))
            return GARRAY__NO_NUMBER;
        *(uint8_t *)item = is_true;
        return GARRAY__PARSED;
    }
    bool parenthesis = f->length > 0 && memchr(f->text, '(', f->length);
    if (!copy_field(f, text, sizeof text - 1) || (parenthesis && garray__kind_of(dtype) != GARRAY__K_COMPLEX))
        return GARRAY__NO_NUMBER;
    switch (garray__kind_of(dtype)) {
    case GARRAY__K_COMPLEX:
        complete_j(text);
        result = garray__parse_number(text, dtype, item, &next);
        break;
    case GARRAY__K_SINT:
    case GARRAY__K_UINT:
        if (garray__size_of(dtype) == 8) {
            result = garray__parse_number(text, dtype, item, &next);
            break;
        }
        if (!garray__parse_double(text, &value, &next) || *next)
            return GARRAY__NO_NUMBER;
        return integer_of(value, dtype, item);
    default:
        result = garray__parse_number(text, dtype, item, &next);
    }
    return result != GARRAY__NO_NUMBER && *next ? GARRAY__NO_NUMBER : result;
}

/* ---- fields of a line ---- */
static garray_status split_widths(struct reader *r, char *line, size_t length)
{
    const garray_genfromtxt_opts *o = r->o;
    garray_status st = GARRAY_OK;
    size_t at = 0;
    for (int64_t i = 0; st == GARRAY_OK && (o->nwidths == 1 ? at < length : i < o->nwidths); i++) {
        size_t width = (size_t)o->widths[o->nwidths == 1 ? 0 : i], begin = at < length ? at : length;
        st = garray__fields_add(&r->fields, line + begin, width < length - begin ? width : length - begin);
        at += width;
    }
    return st;
}

static garray_status split(struct reader *r, char *line, size_t length)
{
    const char *delimiter = r->o->delimiter;
    r->fields.n = 0;
    if (*r->comments) {
        char *mark = memmem(line, length, r->comments, strlen(r->comments));
        length = mark ? (size_t)(mark - line) : length;
    }
    if (r->o->widths)
        return length ? split_widths(r, line, length) : GARRAY_OK;
    char *end = line + length;
    while (line < end && *line == ' ')
        line++;
    while (line < end && end[-1] == ' ')
        end--;
    garray_status st = GARRAY_OK;
    if (delimiter && line < end) {
        size_t n = strlen(delimiter);
        for (char *next; st == GARRAY_OK && (next = memmem(line, (size_t)(end - line), delimiter, n)); line = next + n)
            st = garray__fields_add(&r->fields, line, (size_t)(next - line));
        return st == GARRAY_OK ? garray__fields_add(&r->fields, line, (size_t)(end - line)) : st;
    }
    while (st == GARRAY_OK && line < end) {
        while (line < end && garray__is_blank(*line))
            line++;
        char *begin = line;
        while (line < end && !garray__is_blank(*line))
            line++;
        if (line > begin)
            st = garray__fields_add(&r->fields, begin, (size_t)(line - begin));
    }
    return st;
}

/* ---- rows ---- */
static garray_status note_invalid(struct reader *r, int64_t line)
{
    if (r->ninvalid == r->room) {
        int64_t room = r->room ? 2 * r->room : 16;
        struct invalid *invalid = realloc(r->invalid, sizeof *invalid * (size_t)room);
        GARRAY_REQUIRE(invalid, NOMEM, "no host memory for %" PRId64 " lines", room);
        r->invalid = invalid;
        r->room = room;
    }
    r->invalid[r->ninvalid++] = (struct invalid){ line, r->fields.n };
    return GARRAY_OK;
}

static garray_status read_row(struct reader *r, int64_t line)
{
    garray_axes use = r->o->usecols;
    int size = garray__size_of(r->dtype);
    char *row;
    int64_t n = r->fields.n;
    bool fits = use.n > 0 || n == r->width;
    for (int64_t i = 0; i < use.n; i++) {
        int64_t column = use.v[i] + (use.v[i] < 0 ? r->width : 0);
        fits &= column < n && column >= -n;
    }
    if (!fits)
        return note_invalid(r, line);
    r->table->columns = use.n ? use.n : r->width;
    garray_status st = garray__table_row(r->table, &row);
    if (st != GARRAY_OK)
        return st;
    for (int64_t i = 0; i < r->table->columns; i++) {
        int64_t column = use.n ? use.v[i] + (use.v[i] < 0 ? r->width : 0) : i;
        column += column < 0 ? n : 0;
        garray__parsed parsed = convert(&r->fields.field[column], r->dtype, row + i * size);
        if (parsed != GARRAY__PARSED)
            memcpy(row + i * size, r->filling, (size_t)size);
        if ((parsed == GARRAY__OUT_OF_RANGE || (parsed == GARRAY__NO_NUMBER && !r->fills)) && r->overflow < 0)
            r->overflow = r->table->rows - 1;
    }
    return GARRAY_OK;
}

/* Rows of other lengths are an error, but for those among the last skip_footer ones; then the footer goes. */
static garray_status finish(struct reader *r)
{
    garray__table *t = r->table;
    int64_t footer = r->o->skip_footer, last = t->rows + r->ninvalid - footer, counted = 0;
    for (int64_t i = 0; i < r->ninvalid; i++)
        counted += footer == 0 || r->invalid[i].line <= last;
    if (counted > 0 && !r->o->drop_invalid)
        return garray__fail(GARRAY_ERR_FORMAT, "Line #%" PRId64 " (got %" PRId64 " columns instead of %" PRId64 ")%s",
                            r->o->skip_header + r->invalid[0].line, r->invalid[0].fields,
                            r->o->usecols.n ? r->o->usecols.n : r->width, counted > 1 ? ", and other lines" : "");
    footer -= r->ninvalid - counted;
    t->rows = footer > t->rows ? 0 : footer > 0 ? t->rows - footer : t->rows;
    if (t->rows == 0)
        t->columns = 1;
    GARRAY_REQUIRE(r->overflow < 0 || r->overflow >= t->rows, INVALID, "an integer of row %" PRId64 " is out of bounds for %s",
                   r->overflow + 1, garray__name_of(r->dtype));
    return GARRAY_OK;
}

static garray_status read_table(struct reader *r, garray__lines lines)
{
    garray_status st = GARRAY_OK;
    char *line;
    size_t length;
    int64_t number = 0;
    for (int64_t skip = r->o->skip_header; skip > 0 && garray__next_line(&lines, &line, &length);)
        skip--;
    while (st == GARRAY_OK && (r->max_rows < 0 || r->table->rows < r->max_rows) && garray__next_line(&lines, &line, &length)) {
        st = split(r, line, length);
        if (r->width == 0)
            r->width = r->fields.n;
        number += r->width > 0;
        if (st == GARRAY_OK && r->fields.n > 0)
            st = read_row(r, number);
    }
    return st == GARRAY_OK ? finish(r) : st;
}

/* ---- public ---- */
static garray_status default_filling(int dtype, uint64_t filling[2])
{
    garray_operand value = garray_operand_double((double)NAN);
    filling[0] = filling[1] = 0;
    switch (garray__kind_of(dtype)) {
    case GARRAY__K_BOOL: return GARRAY_OK;
    case GARRAY__K_SINT: value = garray_operand_int(-1); break;
    default: break;
    }
    return garray__scalar_bits(&value, dtype, filling);
}

static garray_status read_options(struct reader *r)
{
    const garray_genfromtxt_opts *o = r->o;
    r->comments = o->comments ? o->comments : "#";
    garray_status st = garray__max_rows(&o->max_rows, &r->max_rows);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(!o->delimiter || *o->delimiter, INVALID, "delimiter is empty");
    GARRAY_REQUIRE(!o->delimiter || !o->widths, INVALID, "delimiter and widths cannot both be given");
    GARRAY_REQUIRE(!o->widths || o->nwidths > 0, INVALID, "widths has no numbers");
    for (int64_t i = 0; o->widths && i < o->nwidths; i++)
        GARRAY_REQUIRE(o->widths[i] > 0, INVALID, "a width is %d", o->widths[i]);
    GARRAY_REQUIRE(o->skip_header >= 0 && o->skip_footer >= 0, INVALID, "skip_header or skip_footer is negative");
    GARRAY_REQUIRE(o->skip_footer == 0 || r->max_rows < 0, INVALID, "skip_footer and max_rows cannot both be given");
    /* NumPy's -1 does not fit unsigned integers */
    r->fills = garray__kind_of(r->dtype) != GARRAY__K_UINT || o->filling_value.kind != GARRAY_OPERAND_NONE;
    if (!r->fills)
        return GARRAY_OK;
    if (o->filling_value.kind == GARRAY_OPERAND_NONE)
        return default_filling(r->dtype, r->filling);
    GARRAY_TRY(garray__option_check(&o->filling_value, "filling_value", GARRAY__NUMBER));
    return garray__scalar_bits(&o->filling_value, r->dtype, r->filling);
}

garray_status garray_genfromtxt(const char *path, garray_dtype dtype, const garray_genfromtxt_opts *opts, garray_device device,
                                garray_t **out)
{
    GARRAY_ENTER("garray_genfromtxt");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    static const garray_genfromtxt_opts defaults;
    garray__device *target;
    garray__infile file = { 0 };
    garray__table table = { 0 };
    struct reader reader = { .o = opts ? opts : &defaults, .table = &table, .overflow = -1 };
    char *text = NULL;
    size_t length = 0;
    garray_t *made = NULL;
    garray_status st = garray__result_check(out);
    if (st == GARRAY_OK)
        st = garray__check_table(&dtype, reader.o->usecols, reader.o->ndmin);
    reader.dtype = table.dtype = (int)dtype;
    table.columns = 1;
    if (st == GARRAY_OK)
        st = read_options(&reader);
    if (st == GARRAY_OK)
        st = garray__device_get(device, &target);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(path, INVALID, "path is NULL");
    GARRAY__TRY(garray__infile_open(&file, path));
    GARRAY__TRY(garray__infile_text(&file, &text, &length));
    GARRAY__TRY(garray__name_file(read_table(&reader, (garray__lines){ text, text + length }), path));
    GARRAY__TRY(garray__table_array(&table, reader.o->ndmin, reader.o->unpack, device, &made));
    st = garray__result_assign(out, made);
done:
    free(reader.fields.field);
    free(reader.invalid);
    free(table.items);
    free(text);
    garray__infile_close(&file);
    return st;
}
