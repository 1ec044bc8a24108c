/* SPDX-License-Identifier: BSD-3-Clause
 * Files of arrays: reading all of one, showing, comparing and converting them. */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tool.h"

/* ---- reading ---- */
static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

enum format format_of(const char *path, bool exists)
{
    char head[6] = "";
    FILE *f = exists ? fopen(path, "rb") : NULL;
    size_t n = f ? fread(head, 1, sizeof head, f) : 0;
    if (f)
        fclose(f);
    if (n == 6 && memcmp(head, "\x93NUMPY", 6) == 0)
        return FORMAT_NPY;
    if (n >= 4 && memcmp(head, "PK", 2) == 0)
        return FORMAT_NPZ;
    return ends_with(path, ".npy") ? FORMAT_NPY : ends_with(path, ".npz") ? FORMAT_NPZ : ends_with(path, ".csv") ? FORMAT_CSV
           : ends_with(path, ".txt") || ends_with(path, ".dat") ? FORMAT_TEXT : FORMAT_UNKNOWN;
}

static garray_dtype text_dtype = GARRAY_FLOAT64;
static int64_t text_skip;

static bool add_array(struct arrays *a, const char *key, garray_t *x)
{
    struct named *item = realloc(a->item, sizeof *item * (size_t)(a->n + 1));
    char *copy = key ? malloc(strlen(key) + 1) : NULL;
    if (item)
        a->item = item;
    if (!item || (key && !copy)) {
        free(copy);
        garray_release(x);
        complain("no memory");
        return false;
    }
    a->item[a->n++] = (struct named){ copy ? strcpy(copy, key) : NULL, x };
    return true;
}

void free_arrays(struct arrays *a)
{
    for (int64_t i = 0; i < a->n; i++) {
        free(a->item[i].key);
        garray_release(a->item[i].array);
    }
    free(a->item);
    *a = (struct arrays){ 0, NULL };
}

/* All members of an archive, or the one of a key. */
static bool read_archive(const char *path, const char *only, struct arrays *out)
{
    garray_npz *npz = NULL;
    bool good = garray_npz_open(path, NULL, &npz) == GARRAY_OK;
    if (!good)
        complain_library();
    int64_t n = good ? only ? 1 : garray_npz_count(npz) : 0;
    for (int64_t i = 0; i < n && good; i++) {
        size_t length = 0;
        garray_t *x = NULL;
        char *key = NULL;
        good = only || garray_npz_name(npz, i, NULL, 0, &length) == GARRAY_OK;
        key = good && !only ? malloc(length + 1) : NULL;
        good = good && (only || (key && garray_npz_name(npz, i, key, length + 1, NULL) == GARRAY_OK));
        good = good && garray_npz_get(npz, only ? only : key, GARRAY_CPU, &x) == GARRAY_OK;
        if (!good)
            complain_library();
        else
            good = add_array(out, only ? NULL : key, x);
        free(key);
    }
    garray_npz_close(npz);
    return good;
}

static bool read_file(const char *path, struct arrays *out)
{
    garray_t *x = NULL;
    garray_status st;
    switch (format_of(path, true)) {
    case FORMAT_NPZ:
        return read_archive(path, NULL, out);
    case FORMAT_CSV:
        st = garray_loadtxt(path, text_dtype, GARRAY_KW(loadtxt, .delimiter = ",", .skiprows = text_skip), GARRAY_CPU, &x);
        break;
    case FORMAT_TEXT:
        st = garray_loadtxt(path, text_dtype, GARRAY_KW(loadtxt, .skiprows = text_skip), GARRAY_CPU, &x);
        break;
    default:
        st = garray_load(path, GARRAY_CPU, &x);
    }
    if (st == GARRAY_OK)
        return add_array(out, NULL, x);
    complain_library();
    return false;
}

static void watch_file(const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0)
        watch((long long)st.st_size, path);
}

bool read_arrays(const char *path, struct arrays *out)
{
    *out = (struct arrays){ 0, NULL };
    const char *colon = strrchr(path, ':');
    bool good;
    if (colon && access(path, F_OK) != 0) {
        char *archive = malloc((size_t)(colon - path) + 1);
        if (!archive) {
            complain("no memory");
            return false;
        }
        memcpy(archive, path, (size_t)(colon - path));
        archive[colon - path] = 0;
        watch_file(archive);
        good = read_archive(archive, colon + 1, out);
        unwatch();
        free(archive);
    } else {
        watch_file(path);
        good = read_file(path, out);
        unwatch();
    }
    if (!good)
        free_arrays(out);
    return good;
}

void shape_text(const garray_t *x, char *text, size_t size)
{
    garray_shape s = garray_shape_of(x);
    size_t n = (size_t)snprintf(text, size, "(");
    for (int64_t i = 0; i < s.n && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, i ? ", %" PRId64 : "%" PRId64, s.v[i]);
    if (n < size)
        snprintf(text + n, size - n, s.n == 1 ? ",)" : ")");
}

/* ---- show ---- */
int command_show(int argc, char **argv)
{
    static const struct option options[] = { { "header", no_argument, NULL, 'h' }, { "all", no_argument, NULL, 'a' },
        { "precision", required_argument, NULL, 'p' }, { "suppress", no_argument, NULL, 's' }, { NULL, 0, NULL, 0 } };
    garray_print_opts print = { 0 };
    bool header = false;
    long long number;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;)
        switch (c) {
        case 'h': header = true; break;
        case 'a': print.threshold = garray_operand_int(INT64_MAX); break;
        case 's': print.suppress = 1; break;
        case 'p':
            if (!read_integer("--precision", optarg, 0, &number))
                return TROUBLE;
            print.precision = garray_operand_int(number);
            break;
        default: return TROUBLE;
        }
    if (optind == argc)
        return complain_usage("no file is given");
    for (; optind < argc; optind++) {
        struct arrays a;
        if (!read_arrays(argv[optind], &a))
            return TROUBLE;
        for (int64_t i = 0; i < a.n; i++) {
            char shape[400];
            const garray_t *x = a.item[i].array;
            shape_text(x, shape, sizeof shape);
            printf("%s%s%s: %s %s\n", argv[optind], a.item[i].key ? ":" : "", a.item[i].key ? a.item[i].key : "",
                   garray_dtype_name(garray_dtype_of(x)), shape);
            if (!header && garray_print(x, &print) != GARRAY_OK) {
                free_arrays(&a);
                return complain_library();
            }
        }
        free_arrays(&a);
    }
    return YES;
}

/* ---- diff ---- */
struct tolerance {
    double rtol, atol;
    bool equal_nan, any_dtype, quiet;
};

static garray_status item_double(const garray_t *x, double *value)
{
    return (garray_item)(x, GARRAY_FLOAT64, value);
}

/* The elements' differences, and where the greatest is. */
static garray_status describe(const garray_t *a, const garray_t *b, const garray_t *same, int64_t n)
{
    GARRAY_AUTO garray_t *wrong = NULL, *count = NULL, *place = NULL, *x = NULL, *y = NULL, *distance = NULL;
    double differing = 0, most = 0;
    char first[600] = "";
    garray_dtype wide = garray_dtype_of(a) >= GARRAY_COMPLEX64 || garray_dtype_of(b) >= GARRAY_COMPLEX64 ? GARRAY_COMPLEX128
                                                                                                        : GARRAY_FLOAT64;
    GARRAY_TRY(garray_logical_not(same, &wrong));
    GARRAY_TRY(garray_count_nonzero(wrong, GARRAY_ALL_AXES, NULL, &count));
    GARRAY_TRY(item_double(count, &differing));
    GARRAY_TRY(garray_astype(a, wide, &x));
    GARRAY_TRY(garray_astype(b, wide, &y));
    GARRAY_TRY(garray_subtract(x, y, &distance));
    GARRAY_TRY(garray_abs(distance, &distance));
    GARRAY_TRY(garray_where(wrong, distance, 0, &distance));
    GARRAY_TRY(garray_nan_to_num(distance, GARRAY_KW(nan_to_num, .nan = GARRAY_VAL(INFINITY), .posinf = GARRAY_VAL(INFINITY)),
                                 &distance));
    GARRAY_TRY(garray_max(distance, GARRAY_ALL_AXES, NULL, &count));
    GARRAY_TRY(item_double(count, &most));
    GARRAY_TRY(garray_ravel(wrong, &wrong));
    GARRAY_TRY(garray_argmax(wrong, GARRAY_ALL_AXES, NULL, &place));
    int64_t at = 0;
    GARRAY_TRY((garray_item)(place, GARRAY_INT64, &at));
    garray_shape s = garray_shape_of(a);
    int64_t rest = at, index[GARRAY_MAX_NDIM];
    for (int64_t i = s.n - 1; i >= 0; i--) {
        index[i] = rest % s.v[i];
        rest /= s.v[i];
    }
    size_t length = 0;
    for (int64_t i = 0; i < s.n && length < sizeof first; i++)
        length += (size_t)snprintf(first + length, sizeof first - length, i ? ", %" PRId64 : "%" PRId64, index[i]);
    GARRAY_TRY(garray_ravel(a, &x));
    GARRAY_TRY(garray_getitem(x, GARRAY_AT(at), &x));
    GARRAY_TRY(garray_ravel(b, &y));
    GARRAY_TRY(garray_getitem(y, GARRAY_AT(at), &y));
    char left[128], right[128];
    GARRAY_TRY(garray_format(x, NULL, left, sizeof left, NULL));
    GARRAY_TRY(garray_format(y, NULL, right, sizeof right, NULL));
    printf("%.0f of %" PRId64 " elements differ, by %g at most; the first at [%s]: %s, %s\n", differing, n, most, first, left,
           right);
    return GARRAY_OK;
}

/* YES where they agree. */
static int compare(const char *key, const garray_t *a, const garray_t *b, const struct tolerance *t)
{
    GARRAY_AUTO garray_t *same = NULL;
    garray_shape s = garray_shape_of(a), z = garray_shape_of(b);
    char label[200] = "";
    if (key)
        snprintf(label, sizeof label, "%.190s: ", key);
    if (s.n != z.n || (s.n && memcmp(s.v, z.v, sizeof *s.v * (size_t)s.n) != 0)) {
        char left[400], right[400];
        shape_text(a, left, sizeof left);
        shape_text(b, right, sizeof right);
        if (!t->quiet)
            printf("%sshapes differ: %s, %s\n", label, left, right);
        return NO;
    }
    if (!t->any_dtype && garray_dtype_of(a) != garray_dtype_of(b)) {
        if (!t->quiet)
            printf("%sdtypes differ: %s, %s\n", label, garray_dtype_name(garray_dtype_of(a)),
                   garray_dtype_name(garray_dtype_of(b)));
        return NO;
    }
    if (garray_size(a) == 0)
        return YES;
    bool all = false;
    garray_status st = GARRAY_OK;
    if (t->rtol == 0 && t->atol == 0) {
        GARRAY_AUTO garray_t *x = NULL, *y = NULL;
        st = garray_equal(a, b, &same);
        if (st == GARRAY_OK && t->equal_nan) {
            st = garray_isnan(a, &x);
            if (st == GARRAY_OK)
                st = garray_isnan(b, &y);
            if (st == GARRAY_OK)
                st = garray_logical_and(x, y, &x);
            if (st == GARRAY_OK)
                st = garray_logical_or(same, x, &same);
        }
    } else {
        st = garray_isclose(a, b, GARRAY_KW(close, .rtol = GARRAY_VAL(t->rtol), .atol = GARRAY_VAL(t->atol),
                                            .equal_nan = t->equal_nan), &same);
    }
    if (st == GARRAY_OK) {
        GARRAY_AUTO garray_t *every = NULL;
        st = garray_all(same, GARRAY_ALL_AXES, NULL, &every);
        if (st == GARRAY_OK)
            st = garray_item(every, &all);
    }
    if (st == GARRAY_OK && !all && !t->quiet) {
        fputs(label, stdout);
        st = describe(a, b, same, garray_size(a));
    }
    return st != GARRAY_OK ? complain_library() : all ? YES : NO;
}

static const struct named *find(const struct arrays *a, const char *key)
{
    for (int64_t i = 0; i < a->n; i++)
        if ((!key && !a->item[i].key) || (key && a->item[i].key && strcmp(key, a->item[i].key) == 0))
            return &a->item[i];
    return NULL;
}

static int compare_all(const struct arrays *a, const struct arrays *b, const struct tolerance *t, char *const *names)
{
    int result = YES;
    if (a->n == 1 && b->n == 1)             /* whatever their keys are */
        return compare(NULL, a->item[0].array, b->item[0].array, t);
    for (int64_t i = 0; i < a->n && result != TROUBLE; i++) {
        const char *key = a->item[i].key ? a->item[i].key : "";
        const struct named *other = find(b, a->item[i].key);
        progress(i, a->n, key);
        if (!other && !t->quiet)
            printf("%s: only in %s\n", key, names[0]);
        int one = other ? compare(a->item[i].key, a->item[i].array, other->array, t) : NO;
        result = one > result ? one : result;
    }
    for (int64_t i = 0; i < b->n && result != TROUBLE; i++)
        if (!find(a, b->item[i].key)) {
            if (!t->quiet)
                printf("%s: only in %s\n", b->item[i].key ? b->item[i].key : "", names[1]);
            result = NO;
        }
    return result;
}

int command_diff(int argc, char **argv)
{
    static const struct option options[] = { { "rtol", required_argument, NULL, 'r' }, { "atol", required_argument, NULL, 'a' },
        { "equal-nan", no_argument, NULL, 'n' }, { "any-dtype", no_argument, NULL, 'd' }, { "quiet", no_argument, NULL, 'q' },
        { NULL, 0, NULL, 0 } };
    struct tolerance t = { 0 };
    struct arrays a, b;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;)
        switch (c) {
        case 'r':
        case 'a':
            if (!read_real(c == 'r' ? "--rtol" : "--atol", optarg, c == 'r' ? &t.rtol : &t.atol))
                return TROUBLE;
            break;
        case 'n': t.equal_nan = true; break;
        case 'd': t.any_dtype = true; break;
        case 'q': t.quiet = true; break;
        default: return TROUBLE;
        }
    if (argc - optind != 2)
        return complain_usage("two files are compared, %d are given", argc - optind);
    if (!read_arrays(argv[optind], &a))
        return TROUBLE;
    int result = TROUBLE;
    if (read_arrays(argv[optind + 1], &b)) {
        result = compare_all(&a, &b, &t, argv + optind);
        free_arrays(&b);
    }
    free_arrays(&a);
    return result;
}

/* ---- convert ---- */
struct conversion {
    garray_dtype dtype;
    bool fortran, compress;
    const char *fmt;
};

static int write_arrays(const char *path, const struct arrays *a, const struct conversion *c)
{
    enum format format = format_of(path, false);
    garray_status st;
    if (format == FORMAT_NPZ) {
        const garray_t **list = malloc(sizeof(garray_t *) * (size_t)(a->n + 1));
        const char **names = malloc(sizeof *names * (size_t)(a->n + 1));
        st = GARRAY_ERR_NOMEM;
        for (int64_t i = 0; list && names && i < a->n; i++) {
            list[i] = a->item[i].array;
            names[i] = a->item[i].key;
        }
        if (list && names)
            st = c->compress ? garray_savez_compressed(path, GARRAY_ARRAYS(a->n, list), names)
                             : garray_savez(path, GARRAY_ARRAYS(a->n, list), names);
        free(list);
        free(names);
        return st == GARRAY_OK ? YES : complain_library();
    }
    if (a->n != 1)
        return complain("%" PRId64 " arrays cannot go into one %s: FILE.npz:KEY names one of an archive", a->n, path);
    if (format == FORMAT_UNKNOWN)
        return complain("the name of '%s' tells no format: .npy, .npz, .csv or .txt", path);
    const garray_t *x = a->item[0].array;
    if (format == FORMAT_NPY) {
        st = garray_save(path, x);
    } else {
        GARRAY_AUTO garray_t *line = NULL;
        st = garray_atleast_1d(x, &line);
        if (st == GARRAY_OK)
            st = garray_savetxt(path, line, GARRAY_KW(savetxt, .fmt = c->fmt ? c->fmt : "%s",
                                                     .delimiter = format == FORMAT_CSV ? "," : " "));
    }
    return st == GARRAY_OK ? YES : complain_library();
}

static garray_status change(garray_t **x, const struct conversion *c)
{
    if (c->dtype && garray_dtype_of(*x) != c->dtype)
        GARRAY_TRY(garray_astype(*x, c->dtype, x));
    if (c->fortran)
        GARRAY_TRY(garray_asarray(*x, GARRAY_KW(asarray, .order = 'F'), x));
    return GARRAY_OK;
}

int command_convert(int argc, char **argv)
{
    static const struct option options[] = { { "dtype", required_argument, NULL, 'd' }, { "fortran", no_argument, NULL, 'f' },
        { "compress", no_argument, NULL, 'c' }, { "fmt", required_argument, NULL, 'm' }, { "skip", required_argument, NULL, 's' },
        { NULL, 0, NULL, 0 } };
    struct conversion conversion = { 0 };
    struct arrays a;
    long long number;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;)
        switch (c) {
        case 'd':
            if (!read_dtype("--dtype", optarg, &conversion.dtype))
                return TROUBLE;
            text_dtype = conversion.dtype;
            break;
        case 'f': conversion.fortran = true; break;
        case 'c': conversion.compress = true; break;
        case 'm': conversion.fmt = optarg; break;
        case 's':
            if (!read_integer("--skip", optarg, 0, &number))
                return TROUBLE;
            text_skip = number;
            break;
        default: return TROUBLE;
        }
    if (argc - optind != 2)
        return complain_usage("FROM and TO are needed, %d names are given", argc - optind);
    if (!read_arrays(argv[optind], &a))
        return TROUBLE;
    int result = YES;
    for (int64_t i = 0; i < a.n && result == YES; i++) {
        if (a.n > 1)
            progress(i, a.n, a.item[i].key ? a.item[i].key : "");
        if (change(&a.item[i].array, &conversion) != GARRAY_OK)
            result = complain_library();
    }
    progress(0, 0, "");
    long long bytes = 0;
    bool text = format_of(argv[optind + 1], false) == FORMAT_TEXT || format_of(argv[optind + 1], false) == FORMAT_CSV;
    for (int64_t i = 0; i < a.n; i++)   /* a number is some 20 characters */
        bytes += garray_size(a.item[i].array) * (text ? 20 : (long long)garray_dtype_size(garray_dtype_of(a.item[i].array)));
    watch(bytes, argv[optind + 1]);
    if (result == YES)
        result = write_arrays(argv[optind + 1], &a, &conversion);
    unwatch();
    free_arrays(&a);
    return result;
}
