/* SPDX-License-Identifier: BSD-3-Clause
 * The header of .npy files: a strict reader of the one dictionary that NumPy writes, and its writer. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "core/npy.h"

#define BIG_ENDIAN_HOST (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

garray_status garray__npy_prefix(const unsigned char *bytes, size_t available, size_t *prefix, size_t *text)
{
    GARRAY_REQUIRE(available >= 10 && memcmp(bytes, GARRAY__NPY_MAGIC, 6) == 0, FORMAT,
                   "not a .npy file: the magic string is missing");
    int major = bytes[6], minor = bytes[7];
    GARRAY_REQUIRE(major >= 1 && major <= 3 && minor == 0, FORMAT, ".npy version %d.%d is not known", major, minor);
    *prefix = major == 1 ? 10 : 12;
    GARRAY_REQUIRE(available >= *prefix, FORMAT, "the file ends within the header");
    *text = bytes[8] | (size_t)bytes[9] << 8;
    if (major > 1) {
        *text |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
        GARRAY_REQUIRE(*text <= GARRAY__NPY_TEXT_MAX_LATER, FORMAT, "a header of %zu bytes; at most %d are read", *text,
                       GARRAY__NPY_TEXT_MAX_LATER);
    }
    return GARRAY_OK;
}

/* ---- the grammar ---- */
struct reader {
    const char *at, *end;
};

static void skip_space(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r'))
        r->at++;
}

/* Whether c comes next, behind white space; takes it if so. */
static bool take(struct reader *r, char c)
{
    skip_space(r);
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

/* A string in single or double quotes, without escapes. */
static bool take_string(struct reader *r, const char **string, size_t *length)
{
    skip_space(r);
    if (r->at == r->end || (*r->at != '\'' && *r->at != '"'))
        return false;
    char quote = *r->at++;
    *string = r->at;
    for (; r->at < r->end && *r->at != quote; r->at++)
        if (*r->at == '\\' || *r->at == '\n')
            return false;
    if (r->at == r->end)
        return false;
    *length = (size_t)(r->at - *string);
    r->at++;
    return true;
}

static bool take_word(struct reader *r, const char *word)
{
    size_t n = strlen(word);
    skip_space(r);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

static bool is_digit(const struct reader *r)
{
    return r->at < r->end && *r->at >= '0' && *r->at <= '9';
}

/* An integer >= 0 that fits int64; Python 2 wrote an L behind it. */
static garray_status take_length(struct reader *r, int64_t *value)
{
    skip_space(r);
    GARRAY_REQUIRE(r->at == r->end || *r->at != '-', FORMAT, "shape has a negative length");
    GARRAY_REQUIRE(is_digit(r), FORMAT, "shape is not a tuple of integers");
    bool zero = *r->at == '0';
    const char *start = r->at;
    *value = 0;
    for (; is_digit(r); r->at++)
        GARRAY_REQUIRE(!__builtin_mul_overflow(*value, (int64_t)10, value)
                       && !__builtin_add_overflow(*value, (int64_t)(*r->at - '0'), value),
                       FORMAT, "shape has a length past 2^63");
    GARRAY_REQUIRE(!zero || r->at - start == 1, FORMAT, "shape is not a tuple of integers");
    if (r->at < r->end && *r->at == 'L')
        r->at++;
    return GARRAY_OK;
}

static garray_status parse_shape(struct reader *r, garray__npy_header *h)
{
    GARRAY_REQUIRE(take(r, '('), FORMAT, "shape is not a tuple");
    bool comma = false;
    for (h->ndim = 0; !take(r, ')'); h->ndim++) {
        GARRAY_REQUIRE(h->ndim == 0 || comma, FORMAT, "shape is not a tuple of integers");
        GARRAY_REQUIRE(h->ndim < GARRAY_MAX_NDIM, FORMAT, "shape has more than %d axes", GARRAY_MAX_NDIM);
        garray_status st = take_length(r, &h->shape[h->ndim]);
        if (st != GARRAY_OK)
            return st;
        comma = take(r, ',');
    }
    GARRAY_REQUIRE(h->ndim != 1 || comma, FORMAT, "shape is not a tuple");        /* (3) is a number */
    return GARRAY_OK;
}

/* "<f8": byte order, kind and bytes. */
static garray_status parse_descr(struct reader *r, garray__npy_header *h)
{
    static const struct { char kind[3]; uint8_t length; int dtype; } types[] = {
        { "b1", 2, GARRAY_BOOL }, { "?", 1, GARRAY_BOOL }, { "i1", 2, GARRAY_INT8 }, { "i2", 2, GARRAY_INT16 },
        { "i4", 2, GARRAY_INT32 }, { "i8", 2, GARRAY_INT64 }, { "u1", 2, GARRAY_UINT8 }, { "u2", 2, GARRAY_UINT16 },
        { "u4", 2, GARRAY_UINT32 }, { "u8", 2, GARRAY_UINT64 }, { "f2", 2, GARRAY_FLOAT16 },
        { "V2", 2, GARRAY_BFLOAT16 },   /* as NumPy stores the bfloat16 of ml_dtypes */
        { "f4", 2, GARRAY_FLOAT32 }, { "f8", 2, GARRAY_FLOAT64 }, { "c8", 2, GARRAY_COMPLEX64 },
        { "c16", 3, GARRAY_COMPLEX128 },
    };
    const char *string;
    size_t length;
    skip_space(r);
    GARRAY_REQUIRE(r->at == r->end || (*r->at != '[' && *r->at != '('), DTYPE,
                   "the elements are records, which are of no dtype here");
    GARRAY_REQUIRE(take_string(r, &string, &length), FORMAT, "descr is not a string");
    char order = '=';
    const char *name = string;
    size_t n = length;
    if (n > 0 && strchr("<>|=", *name) && *name) {
        order = *name++;
        n--;
    }
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].length == n && memcmp(types[i].kind, name, n) == 0) {
            h->dtype = types[i].dtype;
            h->swapped = order == (BIG_ENDIAN_HOST ? '<' : '>');
            return GARRAY_OK;
        }
    bool printable = length > 0 && length <= 40;
    for (size_t i = 0; i < length && printable; i++)
        printable = string[i] >= ' ' && string[i] <= '~';
    GARRAY_REQUIRE(printable, FORMAT, "descr is not a dtype");
    return garray__fail(GARRAY_ERR_DTYPE, "the elements are of type '%.*s', which is no dtype here", (int)length, string);
}

static bool parse_bool(struct reader *r, bool *value)
{
    *value = take_word(r, "True");
    return *value || take_word(r, "False");
}

garray_status garray__npy_parse(const char *text, size_t length, garray__npy_header *h)
{
    enum { DESCR = 1, ORDER = 2, SHAPE = 4, ALL = 7 };
    struct reader r = { text, text + length };
    int seen = 0;
    bool comma = true;
    memset(h, 0, sizeof *h);
    GARRAY_REQUIRE(take(&r, '{'), FORMAT, "the header is not a dictionary");
    while (!take(&r, '}')) {
        const char *key;
        size_t n;
        GARRAY_REQUIRE(comma && take_string(&r, &key, &n) && take(&r, ':'), FORMAT, "the header is not a dictionary");
        int which = n == 5 && memcmp(key, "descr", 5) == 0 ? DESCR : n == 13 && memcmp(key, "fortran_order", 13) == 0 ? ORDER
                    : n == 5 && memcmp(key, "shape", 5) == 0 ? SHAPE : 0;
        GARRAY_REQUIRE(which && !(seen & which), FORMAT,
                       "the header must have the keys descr, fortran_order and shape, each once, and no other");
        seen |= which;
        garray_status st = GARRAY_OK;
        if (which == DESCR)
            st = parse_descr(&r, h);
        else if (which == SHAPE)
            st = parse_shape(&r, h);
        else if (!parse_bool(&r, &h->fortran))
            st = garray__fail(GARRAY_ERR_FORMAT, "fortran_order is not a bool");
        if (st != GARRAY_OK)
            return st;
        comma = take(&r, ',');
    }
    GARRAY_REQUIRE(seen == ALL, FORMAT, "the header must have the keys descr, fortran_order and shape");
    skip_space(&r);
    GARRAY_REQUIRE(r.at == r.end, FORMAT, "the header has text behind the dictionary");
    if (garray__count(h->ndim, h->shape, garray__size_of(h->dtype), &h->count) != GARRAY_OK) {
        char shape[GARRAY__SHAPE_TEXT];
        return garray__fail(GARRAY_ERR_FORMAT, "array of shape %s is too big",
                            garray__shape_text(h->ndim, h->shape, shape));
    }
    return GARRAY_OK;
}

/* ---- writing ---- */
static const char *descr_of(int dtype)
{
    static const char *const names[GARRAY__DTYPES] = {
        [GARRAY_BOOL] = "|b1", [GARRAY_INT8] = "|i1", [GARRAY_UINT8] = "|u1",
#define ORDERED(dtype, name) [dtype] = BIG_ENDIAN_HOST ? ">" name : "<" name
        ORDERED(GARRAY_INT16, "i2"), ORDERED(GARRAY_INT32, "i4"), ORDERED(GARRAY_INT64, "i8"),
        ORDERED(GARRAY_UINT16, "u2"), ORDERED(GARRAY_UINT32, "u4"), ORDERED(GARRAY_UINT64, "u8"),
        ORDERED(GARRAY_FLOAT16, "f2"), ORDERED(GARRAY_BFLOAT16, "V2"), ORDERED(GARRAY_FLOAT32, "f4"),
        ORDERED(GARRAY_FLOAT64, "f8"), ORDERED(GARRAY_COMPLEX64, "c8"), ORDERED(GARRAY_COMPLEX128, "c16"),
#undef ORDERED
    };
    return names[dtype];
}

size_t garray__npy_compose(int version, int dtype, int ndim, const int64_t *shape, bool fortran, char *out)
{
    const size_t prefix = version > 1 ? 12 : 10;
    char *text = out + prefix, number[32];
    size_t room = GARRAY__NPY_HEADER_ROOM - prefix, n;
    n = (size_t)snprintf(text, room, "{'descr': '%s', 'fortran_order': %s, 'shape': (", descr_of(dtype),
                         fortran ? "True" : "False");
    for (int i = 0; i < ndim; i++)
        n += (size_t)snprintf(text + n, room - n, i ? ", %" PRId64 : "%" PRId64, shape[i]);
    n += (size_t)snprintf(text + n, room - n, ndim == 1 ? ",), }" : "), }");
    /* room for the growing axis to become 21 digits long, then up to a multiple of 64 */
    size_t total = n + 1;
    if (ndim > 0)
        total += 21 - (size_t)snprintf(number, sizeof number, "%" PRId64, shape[fortran ? ndim - 1 : 0]);
    total += 64 - (prefix + total) % 64;
    memset(text + n, ' ', total - 1 - n);
    text[total - 1] = '\n';
    memcpy(out, GARRAY__NPY_MAGIC, 6);
    out[6] = (char)(version > 1 ? version : 1);
    out[7] = 0;
    for (size_t i = 8; i < prefix; i++)
        out[i] = (char)(total >> 8 * (i - 8));
    return prefix + total;
}
