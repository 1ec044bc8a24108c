/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays as NumPy prints them: the options, which items are shown, brackets and lines.  Only items that are shown
 * leave the device. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/elementwise.h"
#include "core/format.h"
#include "core/submit.h"
#include "garray/io.h"

/* ---- text ---- */
void garray__text_add(garray__text *text, const char *bytes, size_t n)
{
    if (text->failed)
        return;
    if (text->capacity - text->length < n + 1) {
        size_t capacity = text->capacity < 512 ? 1024 : 2 * text->capacity;
        while (capacity - text->length < n + 1)
            capacity *= 2;
        char *data = realloc(text->data, capacity);
        if (!data) {
            text->failed = true;
            return;
        }
        text->data = data;
        text->capacity = capacity;
    }
    memcpy(text->data + text->length, bytes, n);
    text->length += n;
    text->data[text->length] = 0;
}

void garray__text_fill(garray__text *text, char c, size_t n)
{
    char block[64];
    memset(block, c, sizeof block);
    for (; n > sizeof block; n -= sizeof block)
        garray__text_add(text, block, sizeof block);
    garray__text_add(text, block, n);
}

static void add_word(garray__text *text, const char *word)
{
    garray__text_add(text, word, strlen(word));
}

static void drop_blanks(garray__text *text)
{
    while (!text->failed && text->length > 0 && text->data[text->length - 1] == ' ')
        text->data[--text->length] = 0;
}

/* ---- options ---- */
static garray_status integer_option(const garray_operand *o, const char *name, int64_t least, int64_t *value)
{
    switch (o->kind) {
    case GARRAY_OPERAND_NONE:
        return GARRAY_OK;
    case GARRAY_OPERAND_BOOL:
    case GARRAY_OPERAND_INT:
        *value = (int64_t)o->bits[0];
        break;
    case GARRAY_OPERAND_UINT:
        *value = o->bits[0] > INT64_MAX ? INT64_MAX : (int64_t)o->bits[0];
        break;
    default:
        return garray__option_check(o, name, GARRAY__INTEGER);
    }
    GARRAY_REQUIRE(*value >= least, INVALID, "%s is %" PRId64 "; it must be at least %" PRId64, name, *value, least);
    return GARRAY_OK;
}

static garray_status read_options(const garray_print_opts *opts, garray__print *print)
{
    *print = (garray__print){ .threshold = 1000, .edge = 3, .linewidth = 75, .precision = 8, .sign = '-' };
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    if (!opts)
        return GARRAY_OK;
    int64_t precision = print->precision;
    garray_status st = integer_option(&opts->precision, "precision", 0, &precision);
    if (st == GARRAY_OK && opts->threshold.kind == GARRAY_OPERAND_DOUBLE) {
        double threshold;           /* infinity is a threshold too */
        memcpy(&threshold, &opts->threshold.bits[0], 8);
        GARRAY_REQUIRE(!isnan(threshold), INVALID, "threshold must not be NaN");
        print->threshold = threshold >= 0x1p62 ? INT64_MAX : threshold < 0 ? -1 : (int64_t)threshold;
    } else if (st == GARRAY_OK) {
        st = integer_option(&opts->threshold, "threshold", INT64_MIN, &print->threshold);
    }
    if (st == GARRAY_OK)
        st = integer_option(&opts->edgeitems, "edgeitems", 0, &print->edge);
    if (st == GARRAY_OK)
        st = integer_option(&opts->linewidth, "linewidth", INT64_MIN, &print->linewidth);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(opts->sign == 0 || opts->sign == '+' || opts->sign == '-' || opts->sign == ' ', INVALID,
                   "sign must be '+', '-', ' ' or 0");
    print->precision = precision > 1000 ? 1000 : (int)precision;        /* no float has more digits to show */
    print->linewidth = print->linewidth > INT32_MAX ? INT32_MAX : print->linewidth < 0 ? 0 : print->linewidth;
    print->edge = print->edge > INT64_MAX / 2 ? INT64_MAX / 2 : print->edge;
    print->sign = opts->sign ? (char)opts->sign : '-';
    print->suppress = opts->suppress != 0;
    print->repr = opts->repr != 0;
    return GARRAY_OK;
}

/* ---- items ---- */
void garray__items_each(const garray__items *items, void (*visit)(void *ctx, const char *item), void *ctx)
{
    int64_t at[GARRAY_MAX_NDIM] = { 0 };
    int axis;
    do {
        int64_t offset = 0;
        for (axis = 0; axis < items->ndim; axis++)
            offset += garray__item_offset(items, axis, at[axis]);
        visit(ctx, items->data + offset);
        for (axis = items->ndim - 1; axis >= 0 && ++at[axis] == items->length[axis]; axis--)
            at[axis] = 0;
    } while (axis >= 0);
}

/* The corners of x, whose shape items->length is, as one array in host memory. */
static garray_status gather_corners(const garray_t *x, const garray__items *items, garray_t **host)
{
    garray_status st = GARRAY_OK;
    garray_t *corners = NULL, *from = NULL, *to = NULL;
    int64_t length[GARRAY_MAX_NDIM];
    int cut[GARRAY_MAX_NDIM], ncut = 0;
    memcpy(length, items->length, sizeof length);
    for (int i = 0; i < x->ndim; i++)
        if (items->cut[i]) {
            cut[ncut++] = i;
            length[i] = items->edge;
        }
    GARRAY__TRY(garray__new(x->dtype, x->ndim, items->length, garray__device_of(x), &corners));
    /* one block for each choice of the first or the last places of every cut axis */
    for (uint64_t choice = 0; choice >> ncut == 0; choice++) {
        char *source = x->data, *target = corners->data;
        for (int i = 0; i < ncut; i++)
            if (choice >> i & 1) {
                source += (x->shape[cut[i]] - items->edge) * garray__strides(x)[cut[i]];
                target += items->edge * garray__strides(corners)[cut[i]];
            }
        GARRAY__TRY(garray__view(x->buffer, source, x->dtype, x->ndim, length, garray__strides(x), false, &from));
        GARRAY__TRY(garray__view(corners->buffer, target, x->dtype, x->ndim, length, garray__strides(corners), true, &to));
        GARRAY__TRY(garray__assign(to, from));
        garray_release(from);
        garray_release(to);
        from = to = NULL;
    }
    st = garray_to_device(corners, GARRAY_CPU, host);
done:
    garray_release(corners);
    garray_release(from);
    garray_release(to);
    return st;
}

/* Fills in items; *host (to be released) is what they lie in. */
static garray_status open_items(const garray_t *x, const garray__print *print, garray__items *items, garray_t **host)
{
    garray_status st = GARRAY_OK;
    bool summary = x->size > print->threshold, any_cut = false;
    items->dtype = x->dtype;
    items->ndim = x->ndim;
    items->edge = print->edge;
    for (int i = 0; i < x->ndim; i++) {
        items->cut[i] = summary && x->shape[i] > 2 * print->edge;
        /* without edge items NumPy shows the last one, fitted to all */
        bool shortened = items->cut[i] && print->edge > 0;
        items->length[i] = shortened ? 2 * print->edge : x->shape[i];
        items->gap[i] = x->shape[i] - items->length[i];
        any_cut |= shortened;
    }
    if (!garray__device_is_async(garray__device_of(x)))
        *host = garray__share(x);
    else
        st = any_cut ? gather_corners(x, items, host) : garray_to_device(x, GARRAY_CPU, host);
    if (st == GARRAY_OK)
        st = garray__wait_buffer((*host)->buffer);
    if (st != GARRAY_OK)
        return st;
    items->data = (*host)->data;
    for (int i = 0; i < x->ndim; i++) {
        items->stride[i] = garray__strides(*host)[i];
        items->gap[i] = (*host)->shape[i] == x->shape[i] ? items->gap[i] * items->stride[i] : 0;
    }
    return st;
}

/* ---- brackets and lines ---- */
struct layout {
    const garray__items *items;
    const garray__column *column;
    garray__text *text;
    int64_t edge;
    bool repr;
};

/* A word at the end of the line, or in a new one if it does not fit there; returns the length of the line. */
static int64_t extend(const struct layout *l, const char *word, int n, int64_t line, int64_t indent, int64_t width)
{
    if (line + n > width && line > indent) {
        drop_blanks(l->text);
        garray__text_add(l->text, "\n", 1);
        garray__text_fill(l->text, ' ', (size_t)indent);
        line = indent;
    }
    garray__text_add(l->text, word, (size_t)n);
    return line + n;
}

static void write_row(const struct layout *l, int axis, const char *data, int64_t indent, int64_t width)
{
    const garray__items *items = l->items;
    int64_t length = items->length[axis], line = indent, first = items->cut[axis] && l->edge == 0 ? length - 1 : 0;
    const char *separator = l->repr ? ", " : " ";
    int gap = l->repr ? 2 : 1;
    char word[GARRAY__WORD];
    for (int64_t i = first; i < length; i++) {
        if (items->cut[axis] && (i == l->edge || first > 0)) {
            line = extend(l, "...", 3, line, indent, width);
            line += gap;
            add_word(l->text, separator);
        }
        int n = garray__column_write(l->column, data + garray__item_offset(items, axis, i), word);
        line = extend(l, word, n, line, indent, width);
        if (i < length - 1) {
            line += gap;
            add_word(l->text, separator);
        }
    }
}

static void write_axis(const struct layout *l, int axis, const char *data, int64_t indent, int64_t width)
{
    const garray__items *items = l->items;
    int left = items->ndim - axis;
    garray__text_add(l->text, "[", 1);
    if (left == 1) {
        write_row(l, axis, data, indent, width - 1);
    } else {
        int64_t length = items->length[axis], first = items->cut[axis] && l->edge == 0 ? length - 1 : 0;
        for (int64_t i = first; i < length; i++) {
            if (i > first)
                garray__text_fill(l->text, ' ', (size_t)indent);
            if (items->cut[axis] && (i == l->edge || first > 0)) {
                add_word(l->text, l->repr ? "...," : "...");
                garray__text_fill(l->text, '\n', (size_t)left - 1);
                garray__text_fill(l->text, ' ', (size_t)indent);
            }
            write_axis(l, axis + 1, data + garray__item_offset(items, axis, i), indent + 1, width - 1);
            if (i < length - 1) {
                add_word(l->text, l->repr ? "," : "");
                garray__text_fill(l->text, '\n', (size_t)left - 1);
            }
        }
    }
    garray__text_add(l->text, "]", 1);
}

static garray_status write_items(const garray_t *x, const garray__print *print, garray__text *text)
{
    if (x->size == 0) {
        add_word(text, "[]");
        return GARRAY_OK;
    }
    garray_t *host = NULL;
    garray__items items;
    garray_status st = open_items(x, print, &items, &host);
    if (st == GARRAY_OK && x->ndim == 0) {
        char word[GARRAY__WORD];
        int n;
        if (print->repr) {
            garray__column column;
            garray__column_fit(&column, &items, print);
            n = garray__column_write(&column, items.data, word);
        } else {
            n = garray__scalar_write(x->dtype, items.data, word);
        }
        garray__text_add(text, word, (size_t)n);
    } else if (st == GARRAY_OK) {
        garray__column column;
        garray__column_fit(&column, &items, print);
        struct layout l = { &items, &column, text, print->edge, print->repr };
        /* behind "array(", before ")" */
        write_axis(&l, 0, items.data, print->repr ? 7 : 1, print->linewidth - (print->repr ? 1 : 0));
    }
    garray_release(host);
    return st;
}

/* repr's ", shape=(...), dtype=...": what the items do not tell. */
static void write_extras(const garray_t *x, const garray__print *print, garray__text *text)
{
    garray__text extras = { 0 };
    bool implied = x->dtype == GARRAY_BOOL || x->dtype == GARRAY_INT64 || x->dtype == GARRAY_FLOAT64
                   || x->dtype == GARRAY_COMPLEX128;
    if ((x->size == 0 && x->ndim != 1) || x->size > print->threshold) {
        char number[32];
        add_word(&extras, "shape=(");
        for (int i = 0; i < x->ndim; i++) {
            snprintf(number, sizeof number, i ? ", %" PRId64 : "%" PRId64, x->shape[i]);
            add_word(&extras, number);
        }
        add_word(&extras, x->ndim == 1 ? ",)" : ")");
    }
    if (!implied || x->size == 0) {
        add_word(&extras, extras.length ? ", dtype=" : "dtype=");
        add_word(&extras, garray__name_of(x->dtype));
    }
    if (extras.length) {
        garray__text_add(text, ",", 1);
        size_t line = text->length;
        while (line > 0 && text->data && text->data[line - 1] != '\n')
            line--;
        bool fits = (int64_t)(text->length - line + extras.length + 2) <= print->linewidth;
        add_word(text, fits ? " " : "\n      ");
        garray__text_add(text, extras.data, extras.length);
    }
    text->failed |= extras.failed;
    free(extras.data);
}

static garray_status write_array(const garray_t *x, const garray_print_opts *opts, garray__text *text)
{
    garray__print print;
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    garray_status st = read_options(opts, &print);
    if (st != GARRAY_OK)
        return st;
    if (print.repr)
        add_word(text, "array(");
    st = write_items(x, &print, text);
    if (st == GARRAY_OK && print.repr) {
        write_extras(x, &print, text);
        add_word(text, ")");
    }
    if (st == GARRAY_OK && text->failed)
        st = garray__fail(GARRAY_ERR_NOMEM, "no host memory for the text");
    return st;
}

/* ---- public ---- */

garray_status garray_format(const garray_t *x, const garray_print_opts *opts, char *buf, size_t size, size_t *length)
{
    GARRAY_ENTER("garray_format");
    GARRAY_REQUIRE(buf || size == 0, INVALID, "buf is NULL");
    garray__text text = { 0 };
    garray_status st = write_array(x, opts, &text);
    if (st == GARRAY_OK) {
        if (size > 0) {
            size_t n = text.length < size ? text.length : size - 1;
            memcpy(buf, text.data, n);
            buf[n] = 0;
        }
        if (length)
            *length = text.length;
    }
    free(text.data);
    return st;
}

garray_status garray_print(const garray_t *x, const garray_print_opts *opts)
{
    GARRAY_ENTER("garray_print");
    garray__text text = { 0 };
    garray_status st = write_array(x, opts, &text);
    if (st == GARRAY_OK) {
        garray__text_add(&text, "\n", 1);
        if (text.failed)
            st = garray__fail(GARRAY_ERR_NOMEM, "no host memory for the text");
        /* flushed, so that a full disk is found here and not by nobody */
        else if (fwrite(text.data, 1, text.length, stdout) != text.length || fflush(stdout) != 0)
            st = garray__fail(GARRAY_ERR_IO, "writing to standard output failed");
    }
    free(text.data);
    return st;
}
