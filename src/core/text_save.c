/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays as text files: savetxt, and the text form of tofile. */
#include <inttypes.h>
#include <stdlib.h>
#include "core/file.h"
#include "core/parse_number.h"
#include "core/rawfile.h"
#include "core/result.h"
#include "core/submit.h"
#include "core/text_format.h"
#include "garray/text.h"

#define FULL ((size_t)1 << 20)      /* so much text is written at a time */

static void add(garray__text *text, const char *word)
{
    garray__text_add(text, word, strlen(word));
}

/* The elements, row-major in host memory. */
static garray_status to_host(const garray_t *x, garray_t **out)
{
    garray_t *host = NULL;
    garray_status st = garray_to_device(x, GARRAY_CPU, &host);
    if (st == GARRAY_OK)
        st = garray__wait_buffer(host->buffer);
    if (st == GARRAY_OK)
        st = garray__contiguous(host, 0, out);
    garray_release(host);
    return st;
}

static garray_status flush(garray__text *text, garray__sink *sink, size_t least)
{
    GARRAY_REQUIRE(!text->failed, NOMEM, "no host memory for the text");
    if (text->length < least || text->length == 0)
        return GARRAY_OK;
    garray_status st = garray__write(sink, text->data, text->length);
    text->length = 0;
    return st;
}

/* ---- savetxt ---- */
/* Text that a format must not read as conversions. */
static void add_escaped(garray__text *text, const char *word)
{
    for (; *word; word++) {
        garray__text_add(text, word, 1);
        if (*word == '%')
            garray__text_add(text, "%", 1);
    }
}

/* The format of a whole row, as NumPy joins it. */
static garray_status row_text(const garray_savetxt_opts *o, int64_t columns, bool is_complex, garray__text *row)
{
    const char *one = o->fmt ? o->fmt : "%.18e", *delimiter = o->delimiter ? o->delimiter : " ";
    int64_t numbers = is_complex ? 2 * columns : columns;
    if (!o->fmts) {
        int64_t n = garray__count_conversions(one);
        GARRAY_REQUIRE(n >= 0, INVALID, "unsupported format: '%.200s'", one);
        GARRAY_REQUIRE(n == 1 || n == numbers, INVALID, "fmt has wrong number of %% formats:  %.200s", one);
        if (n != 1) {
            add(row, one);
            return GARRAY_OK;
        }
    }
    for (int64_t i = 0; i < columns; i++) {
        if (i > 0)
            add_escaped(row, delimiter);
        if (o->fmts) {
            GARRAY_REQUIRE(o->fmts[i], INVALID, "format %" PRId64 " is NULL", i);
            add(row, o->fmts[i]);
        } else if (is_complex) {
            add(row, " (");
            add(row, one);
            add(row, "+");
            add(row, one);
            add(row, "j)");
        } else {
            add(row, one);
        }
    }
    return GARRAY_OK;
}

/* Header and footer: every line behind the comment mark. */
static void add_comment(garray__text *text, const char *words, const char *mark, const char *newline)
{
    if (!words || !*words)
        return;
    add(text, mark);
    for (; *words; words++) {
        garray__text_add(text, words, 1);
        if (*words == '\n')
            add(text, mark);
    }
    add(text, newline);
}

/* NumPy's rows of complex numbers have - for every +-. */
static void drop_plus(garray__text *text, size_t start)
{
    size_t to = start;
    for (size_t i = start; i < text->length && !text->failed; i++)
        if (text->data[i] != '+' || i + 1 == text->length || text->data[i + 1] != '-')
            text->data[to++] = text->data[i];
    if (!text->failed)
        text->length = to;
}

static garray_status write_rows(const garray_t *x, int64_t rows, int64_t columns, const garray__row_format *f,
                                const char *newline, garray__text *text, garray__sink *sink)
{
    bool is_complex = garray__kind_of(x->dtype) == GARRAY__K_COMPLEX;
    int part = garray__real_of(x->dtype), dtype = is_complex ? part : x->dtype, size = garray__size_of(dtype);
    int64_t numbers = is_complex ? 2 * columns : columns;
    garray_status st = GARRAY_OK;
    for (int64_t i = 0; i < rows && st == GARRAY_OK; i++) {
        size_t start = text->length;
        for (int64_t j = 0; j < numbers && st == GARRAY_OK; j++) {
            const garray__conversion *c = &f->conversion[j];
            garray__text_add(text, f->text + c->literal, c->nliteral);
            st = garray__convert_number(c, dtype, x->data + (i * numbers + j) * size, text);
        }
        garray__text_add(text, f->text + f->tail, f->ntail);
        add(text, newline);
        if (is_complex)
            drop_plus(text, start);
        if (st == GARRAY_OK)
            st = flush(text, sink, FULL);
    }
    return st;
}

static garray_status save_text(const char *path, const garray_t *x, const garray_savetxt_opts *o)
{
    garray__text text = { 0 }, row = { 0 };
    garray__row_format format = { 0 };
    garray__outfile file;
    bool is_complex = garray__kind_of(x->dtype) == GARRAY__K_COMPLEX;
    const char *newline = o->newline ? o->newline : "\n", *mark = o->comments ? o->comments : "# ";
    int64_t rows = x->shape[0], columns = x->ndim == 2 ? x->shape[1] : 1;
    GARRAY_REQUIRE(!o->fmts || o->nfmts == columns, INVALID, "fmts has %" PRId64 " formats for %" PRId64 " columns",
                   (int64_t)o->nfmts, columns);
    garray_status st = row_text(o, columns, is_complex, &row);
    GARRAY__CHECK(st != GARRAY_OK || !row.failed, NOMEM, "no host memory for the format");
    if (st == GARRAY_OK)
        st = garray__row_format_open(&format, row.data ? row.data : "");
    GARRAY__CHECK(st != GARRAY_OK || format.n == (is_complex ? 2 * columns : columns), INVALID,
                  "%" PRId64 " formats for %" PRId64 " numbers of a row", format.n, is_complex ? 2 * columns : columns);
    if (st == GARRAY_OK)
        st = garray__outfile_open(&file, path);
    if (st != GARRAY_OK)
        goto done;
    locale_t old = uselocale(garray__c_locale());
    add_comment(&text, o->header, mark, newline);
    st = write_rows(x, rows, columns, &format, newline, &text, &file.sink);
    if (st == GARRAY_OK) {
        add_comment(&text, o->footer, mark, newline);
        st = flush(&text, &file.sink, 0);
    }
    uselocale(old);
    st = garray__outfile_close(&file, st);
done:
    garray__row_format_close(&format);
    free(row.data);
    free(text.data);
    return st;
}

garray_status garray_savetxt(const char *path, const garray_t *x, const garray_savetxt_opts *opts)
{
    GARRAY_ENTER("garray_savetxt");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    static const garray_savetxt_opts defaults;
    garray_t *host = NULL;
    GARRAY_REQUIRE(path && x, INVALID, "an argument is NULL");
    GARRAY_REQUIRE(x->ndim == 1 || x->ndim == 2, SHAPE, "Expected 1D or 2D array, got %dD array instead", x->ndim);
    garray_status st = to_host(x, &host);
    if (st == GARRAY_OK)
        st = save_text(path, host, opts ? opts : &defaults);
    garray_release(host);
    return st;
}

/* ---- tofile ---- */
static garray_status write_list(const garray_t *x, const char *sep, const garray__row_format *f, garray__sink *sink)
{
    garray__text text = { 0 };
    int size = garray__size_of(x->dtype);
    garray_status st = GARRAY_OK;
    for (int64_t i = 0; i < x->size && st == GARRAY_OK; i++) {
        const char *item = x->data + i * size;
        if (i > 0)
            add(&text, sep);
        if (!f) {
            char word[GARRAY__WORD];
            garray__text_add(&text, word, (size_t)garray__python_number(x->dtype, item, word));
        } else {
            garray__text_add(&text, f->text + f->conversion[0].literal, f->conversion[0].nliteral);
            st = garray__convert_number(&f->conversion[0], x->dtype, item, &text);
            garray__text_add(&text, f->text + f->tail, f->ntail);
        }
        if (st == GARRAY_OK)
            st = flush(&text, sink, FULL);
    }
    if (st == GARRAY_OK)
        st = flush(&text, sink, 0);
    free(text.data);
    return st;
}

static garray_status save_list(const char *path, const garray_t *x, const garray_tofile_opts *o)
{
    garray__row_format format = { 0 };
    garray__outfile file;
    garray_t *host = NULL;
    bool plain = !o->format || !*o->format || strcmp(o->format, "%s") == 0;
    GARRAY_REQUIRE(plain || garray__kind_of(x->dtype) != GARRAY__K_COMPLEX, DTYPE,
                   "complex numbers are written with the format %%s alone, not with '%.200s'", o->format);
    garray_status st = plain ? GARRAY_OK : garray__row_format_open(&format, o->format);
    if (st != GARRAY_OK)
        return st;
    GARRAY__CHECK(plain || format.n == 1, INVALID, "format must have one conversion: '%.200s'", o->format);
    GARRAY__TRY(to_host(x, &host));
    GARRAY__TRY(garray__outfile_open(&file, path));
    locale_t old = uselocale(garray__c_locale());
    st = write_list(host, o->sep, plain ? NULL : &format, &file.sink);
    uselocale(old);
    st = garray__outfile_close(&file, st);
done:
    garray__row_format_close(&format);
    garray_release(host);
    return st;
}

garray_status garray_tofile(const char *path, const garray_t *x, const garray_tofile_opts *opts)
{
    GARRAY_ENTER("garray_tofile");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    GARRAY_REQUIRE(path && x, INVALID, "an argument is NULL");
    if (!opts || !opts->sep || !*opts->sep)
        return garray__raw_write(path, x);
    return save_list(path, x, opts);
}
