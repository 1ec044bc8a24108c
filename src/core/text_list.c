/* SPDX-License-Identifier: BSD-3-Clause
 * Numbers in a row with a separator between them: fromstring and fromfile.  As in NumPy a blank in the separator stands
 * for any white space, also none, and there may be white space around the separator. */
#include <inttypes.h>
#include <stdlib.h>
#include "core/elementwise.h"
#include "core/file.h"
#include "core/parse_number.h"
#include "core/rawfile.h"
#include "core/result.h"
#include "garray/text.h"

/* ---- the separator ---- */
/* One blank for each run of them, and one at both ends. */
static char *clean_separator(const char *sep)
{
    char *clean = malloc(strlen(sep) + 3), *to = clean;
    if (!clean)
        return NULL;
    *to++ = ' ';
    for (; *sep; sep++) {
        bool blank = garray__is_blank(*sep);
        if (!blank)
            *to++ = *sep;
        else if (to[-1] != ' ')
            *to++ = ' ';
    }
    if (to[-1] != ' ')
        *to++ = ' ';
    *to = 0;
    return clean;
}

enum step { NEXT, END, UNMATCHED };

static enum step skip_separator(const char **text, const char *sep)
{
    const char *p = *text;
    for (;; p++) {
        if (!*p)
            return END;
        while (*sep == ' ' && !garray__is_blank(*p))
            sep++;
        if (!*sep) {
            enum step step = p != *text ? NEXT : UNMATCHED;
            *text = p;
            return step;
        }
        if (*sep == ' ')
            continue;
        if (*sep++ != *p)
            return UNMATCHED;
    }
}

/* ---- the numbers ---- */
static garray_status read_list(const char *text, int dtype, int64_t count, const char *clean, char **items, int64_t *n)
{
    size_t size = (size_t)garray__size_of(dtype), room = 0;
    enum step step = NEXT;
    *n = 0;
    while (garray__is_blank(*text))
        text++;
    if (!*text)
        return GARRAY_OK;
    while (step == NEXT && (count < 0 || *n < count)) {
        if ((size_t)*n == room) {
            room = room ? 2 * room : 64;
            char *more = realloc(*items, room * size);
            GARRAY_REQUIRE(more, NOMEM, "no host memory for %zu numbers", room);
            *items = more;
        }
        const char *next = text;
        garray__parsed parsed = garray__parse_number(text, dtype, *items + (size_t)*n * size, &next);
        int shown = parsed == GARRAY__OUT_OF_RANGE && next - text < 60 ? (int)(next - text) : 60;
        GARRAY_REQUIRE(parsed != GARRAY__OUT_OF_RANGE, FORMAT, "'%.*s' is out of bounds for %s", shown, text, garray__name_of(dtype));
        GARRAY_REQUIRE(parsed == GARRAY__PARSED, FORMAT,
                       "string or file could not be read to its end due to unmatched data: '%.20s'", text);
        ++*n;
        text = next;
        step = skip_separator(&text, clean);
    }
    GARRAY_REQUIRE(step != UNMATCHED || *n == count, FORMAT,
                   "string or file could not be read to its end due to unmatched data: '%.20s'", text);
    return GARRAY_OK;
}

static garray_status list(const char *text, int dtype, int64_t count, const char *sep, garray_device device, garray_t **out)
{
    char *items = NULL, *clean = clean_separator(sep);
    int64_t n;
    GARRAY_REQUIRE(clean, NOMEM, "no host memory for a separator");
    garray_status st = read_list(text, dtype, count, clean, &items, &n);
    if (st == GARRAY_OK)
        st = garray_from_host(items, (garray_dtype)dtype, GARRAY_SHAPE(n), NULL, device, out);
    free(items);
    free(clean);
    return st;
}

/* ---- public ---- */
/* What both functions check; count: -1 for all. */
static garray_status check(garray_dtype *dtype, const garray_fromfile_opts *o, garray_device device, garray_t **out,
                           int64_t *count)
{
    garray__device *target;
    uint64_t bits[2];
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    *dtype = *dtype ? *dtype : GARRAY_FLOAT64;
    *count = -1;
    GARRAY_REQUIRE(garray__is_dtype(*dtype), DTYPE, "%d is not a dtype", (int)*dtype);
    if (o && o->count.kind != GARRAY_OPERAND_NONE) {
        GARRAY_TRY(garray__option_check(&o->count, "count", GARRAY__INTEGER));
        st = garray__scalar_bits(&o->count, GARRAY_INT64, bits);
        if (st != GARRAY_OK)
            return st;
        *count = (int64_t)bits[0] < 0 ? -1 : (int64_t)bits[0];
    }
    return garray__device_get(device, &target);
}

garray_status garray_fromstring(const char *text, garray_dtype dtype, const garray_fromfile_opts *opts, garray_device device,
                                garray_t **out)
{
    GARRAY_ENTER("garray_fromstring");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    int64_t count;
    garray_status st = check(&dtype, opts, device, out, &count);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(text, INVALID, "text is NULL");
    GARRAY_REQUIRE(!opts || opts->offset == 0, INVALID, "'offset' argument only permitted for binary files");
    GARRAY_REQUIRE(!opts || !opts->sep || *opts->sep, INVALID, "sep is empty; garray_frombuffer() reads bytes");
    return list(text, (int)dtype, count, opts && opts->sep ? opts->sep : " ", device, out);
}

garray_status garray_fromfile(const char *path, garray_dtype dtype, const garray_fromfile_opts *opts, garray_device device,
                              garray_t **out)
{
    GARRAY_ENTER("garray_fromfile");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    garray__device *target;
    garray__infile file;
    garray_t *read = NULL;
    char *text = NULL;
    size_t length;
    int64_t count;
    garray_status st = check(&dtype, opts, device, out, &count);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(path, INVALID, "path is NULL");
    if (!opts || !opts->sep || !*opts->sep) {
        st = garray__device_get(device, &target);
        if (st == GARRAY_OK)
            st = garray__raw_read(path, (int)dtype, count, opts ? opts->offset : 0, target, &read);
        return st == GARRAY_OK ? garray__result_assign(out, read) : st;
    }
    GARRAY_REQUIRE(opts->offset == 0, INVALID, "'offset' argument only permitted for binary files");
    st = garray__infile_open(&file, path);
    if (st != GARRAY_OK)
        return st;
    st = garray__infile_text(&file, &text, &length);
    if (st == GARRAY_OK && strlen(text) < length)
        st = garray__fail(GARRAY_ERR_FORMAT, "the text has a zero byte");
    if (st == GARRAY_OK)
        st = list(text, (int)dtype, count, opts->sep, device, out);
    st = garray__name_file(st, path);
    free(text);
    garray__infile_close(&file);
    return st;
}
