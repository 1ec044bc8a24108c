/* SPDX-License-Identifier: BSD-3-Clause
 * Archives, texts and bare bytes against NumPy's files; streams of the caller; files as memory. */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <signal.h>
#include <locale.h>
#include <unistd.h>
#include "files.h"

TestSuite(files, .init = test_make_directory, .fini = test_remove_directory);

/* Whether the library can pack and unpack. */
static bool has_zlib(void)
{
    return strstr(garray_build_info(), "zlib=yes") != NULL;
}

/* ---- NumPy's files ---- */
enum kind { SAVEZ, SAVEZ_COMPRESSED, SAVETXT, TOFILE, LOADTXT, GENFROMTXT, FROMSTRING };
static const char *const kinds[] = { "savez", "savez_compressed", "savetxt", "tofile", "loadtxt", "genfromtxt", "fromstring" };

/* A block as text; "" is NULL where the option shall not be given. */
static char *text_of(const test_block *b)
{
    char *text = calloc(1, (size_t)b->n + 1);
    memcpy(text, b->data, (size_t)b->n);
    return text;
}

static void check_values(const garray_t *x, int dtype, garray_shape shape, const void *values, size_t size)
{
    garray_shape got = garray_shape_of(x);
    TEST_EXPECT((int)garray_dtype_of(x) == dtype, "dtype is %s", garray_dtype_name(garray_dtype_of(x)));
    if (!TEST_EXPECT(got.n == shape.n && memcmp(got.v, shape.v, sizeof(int64_t) * (size_t)shape.n) == 0, "shape differs"))
        return;
    (void)size;
    TEST_EQUAL(x, values, 0);
}

static void archive(enum kind kind, const garray_t *x, int dtype, garray_shape shape, const void *values, const test_block *file)
{
    static const char *const names[] = { "the array" };
    size_t size = (size_t)garray_nbytes(x);
    char key[20];
    if (kind == SAVEZ_COMPRESSED && !has_zlib()) {
        TEST_STATUS(ERR_UNSUPPORTED, garray_savez_compressed(test_path("z.npz"), GARRAY_LIST(x), names));
        return;
    }
    if (kind == SAVEZ) {
        TEST_OK(garray_savez(test_path("x.npz"), GARRAY_LIST(x), names));
        test_expect_file(test_path("x.npz"), file->data, (size_t)file->n);
    } else {
        TEST_OK(garray_savez_compressed(test_path("x.npz"), GARRAY_LIST(x), names));
    }
    test_write_file(test_path("y.npz"), file->data, (size_t)file->n);
    for (int i = 0; i < 2; i++) {
        garray_npz *npz = NULL;
        garray_t *y = NULL;
        if (!TEST_OK(garray_npz_open(test_path(i ? "x.npz" : "y.npz"), NULL, &npz)))
            continue;
        TEST_EXPECT(garray_npz_count(npz) == 1, "%d members", (int)garray_npz_count(npz));
        TEST_OK(garray_npz_name(npz, 0, key, sizeof key, NULL));
        TEST_EXPECT(strcmp(key, "the array") == 0, "the key is '%s'", key);
        if (TEST_OK(garray_npz_get(npz, "the array", test_device(), &y)))
            check_values(y, dtype, shape, values, size);
        TEST_STATUS(ERR_INDEX, garray_npz_get(npz, "another", test_device(), &y));
        TEST_STATUS(ERR_INDEX, garray_npz_name(npz, 1, key, sizeof key, NULL));
        garray_release(y);
        garray_npz_close(npz);
    }
}

static void written(enum kind kind, const garray_t *x, const char *first, const char *second, const test_block *file)
{
    garray_savetxt_opts table = { 0 };
    garray_tofile_opts list = { 0 };
    table.fmt = *first ? first : NULL;
    table.delimiter = *second ? second : NULL;
    list.format = first;
    list.sep = second;
    if (kind == SAVETXT)
        TEST_OK(garray_savetxt(test_path("x.txt"), x, &table));
    else
        TEST_OK(garray_tofile(test_path("x.txt"), x, &list));
    test_expect_file(test_path("x.txt"), file->data, (size_t)file->n);
}

static void read_back(enum kind kind, int dtype, garray_shape shape, const void *values, size_t size, const char *delimiter,
                      const test_block *file)
{
    garray_t *x = NULL;
    garray_status st;
    char *words = text_of(file);
    test_write_file(test_path("x.txt"), file->data, (size_t)file->n);
    if (kind == LOADTXT) {
        garray_loadtxt_opts o = { 0 };
        o.delimiter = *delimiter ? delimiter : NULL;
        o.ndmin = shape.n == 2 ? 2 : 0;
        st = garray_loadtxt(test_path("x.txt"), (garray_dtype)dtype, &o, test_device(), &x);
    } else if (kind == GENFROMTXT) {
        garray_genfromtxt_opts o = { 0 };
        o.delimiter = *delimiter ? delimiter : NULL;
        st = garray_genfromtxt(test_path("x.txt"), (garray_dtype)dtype, &o, test_device(), &x);
    } else {
        garray_fromfile_opts o = { 0 };
        o.sep = delimiter;
        st = garray_fromfile(test_path("x.txt"), (garray_dtype)dtype, &o, test_device(), &x);
        if (TEST_STATUS(OK, st))
            check_values(x, dtype, shape, values, size);
        st = garray_fromstring(words, (garray_dtype)dtype, &o, test_device(), &x);
    }
    if (TEST_STATUS(OK, st))
        check_values(x, dtype, shape, values, size);
    garray_release(x);
    free(words);
}

static void against_numpy(void)
{
    const test_golden *g = test_golden_open("files");
    test_mark mark = test_memory();
    for (int32_t i = 0; i < g->ncases; i++) {
        const int32_t *c = g->cases + (size_t)i * (size_t)g->width;
        const test_block *data = &g->block[c[2]], *file = &g->block[c[7]];
        garray_shape shape = GARRAY_DIMS(g->block[c[3]].n, g->block[c[3]].data);
        size_t size = (size_t)data->n * garray_dtype_size((garray_dtype)c[1]);
        char *values = malloc(size + 1), *first = text_of(&g->block[c[5]]), *second = text_of(&g->block[c[6]]);
        memcpy(values, data->data, size);
        test_context("case %d, %s %s", (int)i, kinds[c[0]], garray_dtype_name((garray_dtype)c[1]));
        if (c[0] >= LOADTXT) {
            read_back((enum kind)c[0], c[1], shape, values, size, second, file);
        } else {
            garray_t *x = test_array(c[1], c[4] ? TEST_TRANSPOSED : TEST_CONTIGUOUS, shape, values);
            if (c[0] <= SAVEZ_COMPRESSED)
                archive((enum kind)c[0], x, c[1], shape, values, file);
            else
                written((enum kind)c[0], x, first, second, file);
            garray_release(x);
        }
        free(values);
        free(first);
        free(second);
    }
    TEST_NO_LEAK(mark);
}

Test(files, against_numpy)
{
    against_numpy();
}

/* A point is a point wherever the program's locale wants a comma. */
Test(files, any_locale)
{
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "C.UTF-8" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (setlocale(LC_ALL, names[i]))
            break;
    against_numpy();
}

/* Every dtype in every layout, several arrays in one archive, names given and not. */
Test(files, layouts)
{
    test_mark mark = test_memory();
    for (TEST_DTYPES(d))
        for (int layout = 0; layout < TEST_LAYOUTS; layout++) {
            char values[16 * 60];
            const char *const names[] = { "a", NULL, "../b" };
            const char *const keys[] = { "a", "arr_0", "../b" };
            garray_npz *npz = NULL;
            garray_t *y = NULL;
            test_context("%s, %s", garray_dtype_name((garray_dtype)d), test_layout_name(layout));
            test_random(d, 60, 3, values);
            garray_t *x = test_array(d, layout, GARRAY_SHAPE(3, 4, 5), values);
            TEST_OK(garray_savez(test_path("x"), GARRAY_LIST(x, x, x), names));
            if (TEST_OK(garray_npz_open(test_path("x"), NULL, &npz)))
                for (int i = 0; i < 3; i++)
                    if (TEST_OK(garray_npz_get(npz, keys[i], test_device(), &y)))
                        TEST_EQUAL(y, values, 0);
            garray_npz_close(npz);
            TEST_OK(garray_tofile(test_path("x"), x, NULL));
            if (TEST_OK(garray_fromfile(test_path("x"), (garray_dtype)d, NULL, test_device(), &y))
                && TEST_OK(garray_reshape(y, GARRAY_SHAPE(3, 4, 5), &y)))
                TEST_EQUAL(y, values, 0);
            char bytes[sizeof values];
            size_t size = (size_t)garray_nbytes(x);
            if (TEST_OK(garray_tobytes(x, 'F', bytes, sizeof bytes))
                && TEST_OK(garray_permute_dims(x, GARRAY_AXES(2, 1, 0), &y))) {
                char *expected = test_read(y);
                TEST_EXPECT(memcmp(bytes, expected, size) == 0, "column-major bytes differ");
                free(expected);
            }
            TEST_STATUS(ERR_INVALID, garray_tobytes(x, 'F', bytes, size - 1));
            garray_release(x);
            garray_release(y);
        }
    TEST_NO_LEAK(mark);
}

/* ---- streams ---- */
struct pipe {
    char data[4096];
    size_t length, at, piece, fails;
};

static ptrdiff_t pipe_write(void *ctx, const void *data, size_t size)
{
    struct pipe *p = ctx;
    size_t n = size < p->piece ? size : p->piece;
    if (p->fails && p->length + n > p->fails)
        return -1;
    memcpy(p->data + p->length, data, n);
    p->length += n;
    return (ptrdiff_t)n;
}

static ptrdiff_t pipe_read(void *ctx, void *data, size_t size)
{
    struct pipe *p = ctx;
    size_t n = size < p->piece ? size : p->piece;
    if (p->fails && p->at + n > p->fails)
        return -1;
    n = n < p->length - p->at ? n : p->length - p->at;
    memcpy(data, p->data + p->at, n);
    p->at += n;
    return (ptrdiff_t)n;
}

Test(files, streams)
{
    test_mark mark = test_memory();
    garray_t *x = NULL, *y = NULL;
    const double expected[] = { 0, 1, 2, 3, 4, 5 };
    TEST_OK(garray_arange(0, 6, 1, GARRAY_FLOAT64, test_device(), &x));
    TEST_OK(garray_reshape(x, GARRAY_SHAPE(2, 3), &x));
    for (int version = 0; version <= 3; version++)
        for (size_t piece = 1; piece < 2000; piece = piece * 7 + 3) {
            struct pipe p = { .piece = piece };
            garray_npy_info info;
            test_context("version %d, pieces of %d", version, (int)piece);
            TEST_OK(garray_format_write_array(pipe_write, &p, x, GARRAY_KW(npy, .version = version)));
            TEST_OK(garray_format_write_array(pipe_write, &p, x, NULL));
            for (int i = 0; i < 2; i++)
                if (TEST_OK(garray_format_read_array(pipe_read, &p, test_device(), &y)))
                    TEST_EQUAL(y, expected, 0);
            TEST_EXPECT(p.at == p.length, "%d of %d bytes were read", (int)p.at, (int)p.length);
            TEST_STATUS(ERR_FORMAT, garray_format_read_array(pipe_read, &p, test_device(), &y));
            p.at = 0;
            if (TEST_OK(garray_format_read_array_header(pipe_read, &p, &info)))
                TEST_EXPECT(info.dtype == GARRAY_FLOAT64 && info.ndim == 2 && info.shape[0] == 2 && info.shape[1] == 3
                                && !info.fortran_order && !info.swapped && info.offset == (int64_t)p.at,
                            "the header is wrong");
            size_t length = p.length / 2;
            for (size_t cut = 0; cut < length; cut += 13) {
                p.at = 0;
                p.length = cut;
                TEST_STATUS(ERR_FORMAT, garray_format_read_array(pipe_read, &p, test_device(), &y));
                p.at = 0;
                p.length = length;
                p.fails = cut + 1;
                TEST_STATUS(ERR_IO, garray_format_read_array(pipe_read, &p, test_device(), &y));
                p.length = 0;
                if (cut + 1 < length)
                    TEST_STATUS(ERR_IO, garray_format_write_array(pipe_write, &p, x, NULL));
                p.length = length;
                p.fails = 0;
            }
        }
    /* a header that promises 2^40 bytes takes no memory for them */
    struct pipe p = { .piece = 100 };
    p.length = (size_t)snprintf(p.data, sizeof p.data, "%s", "\x93NUMPY\1");
    memcpy(p.data + 7, "\0\x46\0", 3);
    p.length = 10 + (size_t)snprintf(p.data + 10, 200, "%-69s\n",
                                     "{'descr': '<f8', 'fortran_order': False, 'shape': (137438953472,), }");
    TEST_STATUS(ERR_FORMAT, garray_format_read_array(pipe_read, &p, test_device(), &y));
    TEST_STATUS(ERR_INVALID, garray_format_write_array(pipe_write, &p, x, GARRAY_KW(npy, .version = 4)));
    TEST_STATUS(ERR_INVALID, garray_format_write_array(NULL, &p, x, NULL));
    TEST_STATUS(ERR_INVALID, garray_format_read_array(NULL, &p, test_device(), &y));
    garray_release(x);
    garray_release(y);
    TEST_NO_LEAK(mark);
}

/* ---- files as memory ---- */
Test(files, mapped)
{
    test_mark mark = test_memory();
    garray_t *x = NULL, *y = NULL, *z = NULL;
    TEST_OK(garray_arange(0, 6, 1, GARRAY_FLOAT32, GARRAY_CPU, &x));
    TEST_OK(garray_reshape(x, GARRAY_SHAPE(2, 3), &x));
    TEST_OK(garray_save(test_path("x"), x));
    TEST_OK(garray_format_open_memmap(test_path("x"), NULL, &y));
    TEST_OK(garray_add(y, 1, garray_into(y)));
    TEST_OK(garray_memmap_flush(y));
    TEST_OK(garray_load(test_path("x"), test_device(), &z));
    TEST_EQUAL(z, ((const float[]){ 1, 2, 3, 4, 5, 6 }), 0);
    /* an assignment makes a new array and leaves the file alone */
    TEST_OK(garray_add(y, 1, &y));
    TEST_OK(garray_load(test_path("x"), test_device(), &z));
    TEST_EQUAL(z, ((const float[]){ 1, 2, 3, 4, 5, 6 }), 0);
    TEST_STATUS(ERR_INVALID, garray_memmap_flush(y));
    TEST_OK(garray_format_open_memmap(test_path("x"), GARRAY_KW(memmap, .mode = GARRAY_MEMMAP_READ), &y));
    TEST_STATUS(ERR_READONLY, garray_add(y, 1, garray_into(y)));
    TEST_STATUS(ERR_READONLY, garray_setflags(y, true));
    TEST_OK(garray_to_device(y, test_device(), &z));
    TEST_EQUAL(z, ((const float[]){ 1, 2, 3, 4, 5, 6 }), 0);
    TEST_OK(garray_format_open_memmap(test_path("x"), GARRAY_KW(memmap, .mode = GARRAY_MEMMAP_COPY_ON_WRITE), &y));
    TEST_OK(garray_multiply(y, 10, garray_into(y)));
    TEST_EQUAL(y, ((const float[]){ 10, 20, 30, 40, 50, 60 }), 0);
    TEST_OK(garray_load(test_path("x"), test_device(), &z));
    TEST_EQUAL(z, ((const float[]){ 1, 2, 3, 4, 5, 6 }), 0);
    /* a new one, while the old is still mapped */
    TEST_OK(garray_format_open_memmap(test_path("x"), GARRAY_KW(memmap, .mode = GARRAY_MEMMAP_CREATE, .dtype = GARRAY_INT16,
                                                                .shape = GARRAY_SHAPE(2, 2), .fortran_order = 1), &z));
    TEST_EXPECT(garray_isfortran(z), "not in Fortran order");
    TEST_OK(garray_setitem(z, GARRAY_AT(0, 1), 7));
    garray_release(z);
    z = NULL;
    TEST_OK(garray_load(test_path("x"), test_device(), &z));
    TEST_EQUAL(z, ((const int16_t[]){ 0, 7, 0, 0 }), 0);
    TEST_EQUAL(y, ((const float[]){ 10, 20, 30, 40, 50, 60 }), 0);
    /* what cannot be mapped */
    garray_t *before = y;
    static const char swapped[] = "\x93NUMPY\1\0\x46\0"
                                  "{'descr': '>f8', 'fortran_order': False, 'shape': (1,), }            \n12345678";
    test_write_file(test_path("s"), swapped, sizeof swapped - 1);
    TEST_STATUS(ERR_DTYPE, garray_format_open_memmap(test_path("s"), NULL, &y));
    static const char bools[] = "\x93NUMPY\1\0\x46\0{'descr': '|b1', 'fortran_order': False, 'shape': (1,), }            \n\2";
    test_write_file(test_path("s"), bools, sizeof bools - 1);
    TEST_STATUS(ERR_FORMAT, garray_format_open_memmap(test_path("s"), NULL, &y));
    test_write_file(test_path("s"), swapped, sizeof swapped - 2);
    TEST_STATUS(ERR_DTYPE, garray_format_open_memmap(test_path("s"), NULL, &y));
    test_write_file(test_path("s"), bools, sizeof bools - 2);
    TEST_STATUS(ERR_FORMAT, garray_format_open_memmap(test_path("s"), NULL, &y));
    TEST_STATUS(ERR_IO, garray_format_open_memmap(test_path("none"), NULL, &y));
    TEST_STATUS(ERR_IO, garray_format_open_memmap(test_directory(), NULL, &y));
    TEST_STATUS(ERR_INVALID, garray_format_open_memmap(test_path("x"), GARRAY_KW(memmap, .dtype = GARRAY_INT8), &y));
    TEST_STATUS(ERR_INVALID, garray_format_open_memmap(test_path("x"), NULL, garray_into(y)));
    TEST_STATUS(ERR_SHAPE, garray_format_open_memmap(test_path("n"), GARRAY_KW(memmap, .mode = GARRAY_MEMMAP_CREATE,
                                                                              .shape = GARRAY_SHAPE(-1)), &y));
    TEST_STATUS(ERR_IO, garray_format_open_memmap(test_path("n/n"), GARRAY_KW(memmap, .mode = GARRAY_MEMMAP_CREATE), &y));
    TEST_EXPECT(y == before && test_entries() == 2, "a failure left something behind");
    garray_release(x);
    garray_release(y);
    garray_release(z);
    TEST_NO_LEAK(mark);
}

/* ---- faults of the disk ---- */
Test(files, no_room)
{
    garray_t *x = NULL;
    signal(SIGXFSZ, SIG_IGN);
    TEST_OK(garray_ones(GARRAY_SHAPE(300, 20), GARRAY_FLOAT64, test_device(), &x));
    for (int way = 0; way < 5; way++)
        for (rlim_t room = 0; room < 40000; room = room * 3 + 50) {
            struct rlimit limit, less;
            garray_t *mapped = NULL;
            garray_status st = GARRAY_OK;
            cr_assert(getrlimit(RLIMIT_FSIZE, &limit) == 0);
            less = limit;
            less.rlim_cur = room;
            cr_assert(setrlimit(RLIMIT_FSIZE, &less) == 0);
            switch (way) {
            case 0: st = garray_savez(test_path("x"), GARRAY_LIST(x), NULL); break;
            case 1:
                st = room < 150 && has_zlib() ? garray_savez_compressed(test_path("x"), GARRAY_LIST(x), NULL) : GARRAY_ERR_IO;
                break;
            case 2: st = garray_savetxt(test_path("x"), x, NULL); break;
            case 3: st = garray_tofile(test_path("x"), x, NULL); break;
            default:
                st = garray_format_open_memmap(test_path("x"), GARRAY_KW(memmap, .mode = GARRAY_MEMMAP_CREATE,
                                                                        .shape = GARRAY_SHAPE(300, 20)), &mapped);
            }
            cr_assert(setrlimit(RLIMIT_FSIZE, &limit) == 0);
            test_context("way %d, room for %d bytes", way, (int)room);
            TEST_EXPECT(st == GARRAY_ERR_IO && !mapped, "%s", garray_status_name(st));
            TEST_EXPECT(test_entries() == 0, "the failure left a file behind");
        }
    TEST_STATUS(ERR_IO, garray_savez("/dev/null", GARRAY_LIST(x), NULL));
    TEST_STATUS(ERR_IO, garray_savetxt(test_path("no/x"), x, NULL));
    TEST_STATUS(ERR_IO, garray_tofile(test_directory(), x, NULL));
    garray_release(x);
}

/* ---- hostile archives ---- */
static garray_status open_and_read(const char *path, const garray_npz_opts *opts)
{
    garray_npz *npz = NULL;
    garray_t *x = NULL;
    char key[100];
    garray_status st = garray_npz_open(path, opts, &npz);
    for (int64_t i = 0; i < garray_npz_count(npz) && st == GARRAY_OK; i++) {
        st = garray_npz_name(npz, i, key, sizeof key, NULL);
        if (st == GARRAY_OK)
            st = garray_npz_get(npz, key, test_device(), &x);
    }
    garray_release(x);
    garray_npz_close(npz);
    return st;
}

/* A bit of each byte changed, and the archive cut everywhere: an error, or the arrays, never more. */
Test(files, damaged_archives)
{
    test_mark mark = test_memory();
    garray_t *x = NULL, *y = NULL;
    size_t size;
    TEST_OK(garray_arange(0, 9, 1, GARRAY_INT32, test_device(), &x));
    TEST_OK(garray_zeros(GARRAY_SHAPE(5000), GARRAY_FLOAT32, test_device(), &y));
    for (int way = 0; way < 1 + has_zlib(); way++) {
        TEST_OK(way ? garray_savez_compressed(test_path("x"), GARRAY_LIST(x, y), NULL)
                    : garray_savez(test_path("x"), GARRAY_LIST(x, x), NULL));
        char *bytes = test_read_file(test_path("x"), &size);
        for (size_t cut = 0; cut < size; cut += test_on_gpu() ? 7 : 1) {
            test_context("way %d, %d of %d bytes", way, (int)cut, (int)size);
            test_write_file(test_path("y"), bytes, cut);
            TEST_STATUS(ERR_FORMAT, open_and_read(test_path("y"), NULL));
        }
        for (size_t at = 0; at < size; at += test_on_gpu() ? 7 : 1)
            for (int bit = (int)(at * 3 % 8); bit < 8; bit += 8) {
                test_context("way %d, byte %d, bit %d", way, (int)at, bit);
                bytes[at] ^= (char)(1 << bit);
                test_write_file(test_path("y"), bytes, size);
                garray_status st = open_and_read(test_path("y"), NULL);
                TEST_EXPECT(st == GARRAY_OK || st == GARRAY_ERR_FORMAT || st == GARRAY_ERR_DTYPE
                                || st == GARRAY_ERR_UNSUPPORTED, "%s", garray_error_message());
                bytes[at] ^= (char)(1 << bit);
            }
        free(bytes);
    }
    garray_release(x);
    garray_release(y);
    TEST_NO_LEAK(mark);
}

static void put32(char *bytes, size_t at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[at + (size_t)i] = (char)(value >> 8 * i);
}

static size_t find(const char *bytes, size_t size, const char *mark)
{
    char *p = memmem(bytes, size, mark, 4);
    cr_assert(p);
    return (size_t)(p - bytes);
}

/* Members that claim what is not so. */
Test(files, hostile_members)
{
    garray_t *x = NULL;
    size_t size;
    if (!has_zlib())
        cr_skip_test("no zlib");
    TEST_OK(garray_zeros(GARRAY_SHAPE(100000), GARRAY_FLOAT64, test_device(), &x));
    TEST_OK(garray_savez_compressed(test_path("x"), GARRAY_LIST(x), NULL));
    /* what unpacks to more than is wanted */
    TEST_STATUS(ERR_FORMAT, open_and_read(test_path("x"), GARRAY_KW(npz, .max_bytes = 800000)));
    TEST_OK(open_and_read(test_path("x"), GARRAY_KW(npz, .max_bytes = 800128)));
    TEST_STATUS(ERR_INVALID, open_and_read(test_path("x"), GARRAY_KW(npz, .max_bytes = -1)));
    char *bytes = test_read_file(test_path("x"), &size);
    size_t entry = find(bytes, size, "PK\1\2");
    struct {
        const char *what, *message;
        size_t at;
        uint32_t value;
    } changes[] = {
        { "a size that no compression reaches", "cannot be unpacked", entry + 24, 0x7fffffff },
        { "one byte more than there is", "directory says", entry + 24, 800129 },
        { "one byte less", "", entry + 24, 800127 },
        { "packed bytes behind the end", "not within", entry + 20, 0x7fffffff },
        { "another checksum", "checksum", entry + 16, 12345 },
        { "encrypted", "encrypted", entry + 8, 8u << 16 | 1 },
        { "an unknown method", "method 12", entry + 8, 12u << 16 },
        { "stored, but shorter", "stored member", entry + 8, 0 },
        { "a header elsewhere", "header", entry + 42, 2 },
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        char old[4];
        test_context("%s", changes[i].what);
        memcpy(old, bytes + changes[i].at, 4);
        put32(bytes, changes[i].at, changes[i].value);
        test_write_file(test_path("y"), bytes, size);
        if (TEST_STATUS(ERR_FORMAT, open_and_read(test_path("y"), NULL)))
            TEST_MESSAGE("garray_npz_", changes[i].message);
        memcpy(bytes + changes[i].at, old, 4);
    }
    free(bytes);
    garray_release(x);
}

Test(files, hostile_archives)
{
    garray_t *x = NULL, *out = NULL;
    garray_npz *npz = NULL;
    size_t size;
    TEST_OK(garray_zeros(GARRAY_SHAPE(1000), GARRAY_FLOAT64, test_device(), &x));
    /* two entries for one member's bytes */
    TEST_OK(garray_savez(test_path("x"), GARRAY_LIST(x, x), NULL));
    char *bytes = test_read_file(test_path("x"), &size);
    size_t entry = find(bytes, size, "PK\1\2");
    size_t second = entry + 4 + find(bytes + entry + 4, size - entry - 4, "PK\1\2");
    put32(bytes, second + 42, 0);
    test_write_file(test_path("y"), bytes, size);
    TEST_STATUS(ERR_FORMAT, garray_npz_open(test_path("y"), NULL, &npz));
    TEST_MESSAGE("overlaps");
    free(bytes);
    TEST_STATUS(ERR_FORMAT, garray_load(test_path("x"), test_device(), &out));
    TEST_MESSAGE("garray_npz_open");
    test_write_file(test_path("y"), "PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);
    TEST_OK(open_and_read(test_path("y"), NULL));       /* an empty archive */
    TEST_STATUS(ERR_IO, garray_npz_open(test_path("none"), NULL, &npz));
    const char *const same[] = { "a", "a" };
    TEST_STATUS(ERR_INVALID, garray_savez(test_path("z"), GARRAY_LIST(x, x), same));
    TEST_STATUS(ERR_INVALID, garray_savez(NULL, GARRAY_LIST(x), NULL));
    TEST_EXPECT(!npz && !out && garray_npz_count(NULL) == 0, "a failure left a result");
    garray_npz_close(NULL);
    garray_release(x);
}

/* ---- texts that are no tables ---- */
Test(files, refused_texts)
{
    static const struct {
        const char *text, *message;
        int dtype;
    } table[] = {
        { "1 x\n", "could not convert string 'x' to float64 at row 0, column 2.", GARRAY_FLOAT64 },
        { "1 2\n3\n", "the number of columns changed from 2 to 1 at row 2", GARRAY_FLOAT64 },
        { "1\n300\n", "could not convert string '300' to int8 at row 1, column 1.", GARRAY_INT8 },
        { "-1", "could not convert string '-1' to uint64", GARRAY_UINT64 },
        { "1.0", "could not convert string '1.0' to int64", GARRAY_INT64 },
        { "0x10", "could not convert", GARRAY_FLOAT64 },
        { "1+2", "could not convert", GARRAY_COMPLEX128 },
        { "True", "could not convert", GARRAY_BOOL },
    };
    garray_t *x = NULL;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        test_context("'%s'", table[i].text);
        test_write_file(test_path("x"), table[i].text, strlen(table[i].text));
        if (TEST_STATUS(ERR_FORMAT, garray_loadtxt(test_path("x"), (garray_dtype)table[i].dtype, NULL, test_device(), &x)))
            TEST_MESSAGE("garray_loadtxt: ", table[i].message);
    }
    test_write_file(test_path("x"), "1 2 3\n4 5 6\n", 12);
    TEST_STATUS(ERR_FORMAT, garray_loadtxt(test_path("x"), GARRAY_INT8, GARRAY_KW(loadtxt, .usecols = GARRAY_AXES(3)),
                                           test_device(), &x));
    TEST_MESSAGE("invalid column index 3 at row 1 with 3 columns");
    TEST_STATUS(ERR_INVALID, garray_loadtxt(test_path("x"), GARRAY_INT8, GARRAY_KW(loadtxt, .delimiter = ", "), test_device(),
                                            &x));
    TEST_STATUS(ERR_INVALID, garray_loadtxt(test_path("x"), GARRAY_INT8, GARRAY_KW(loadtxt, .ndmin = 3), test_device(), &x));
    TEST_STATUS(ERR_FORMAT, garray_fromstring("1 2 x", GARRAY_FLOAT64, NULL, test_device(), &x));
    TEST_STATUS(ERR_FORMAT, garray_fromstring("1 200", GARRAY_INT8, NULL, test_device(), &x));
    TEST_STATUS(ERR_INVALID, garray_fromstring("1", GARRAY_INT8, GARRAY_KW(fromfile, .sep = ""), test_device(), &x));
    test_write_file(test_path("x"), "1 2\n3\n", 6);
    TEST_STATUS(ERR_FORMAT, garray_genfromtxt(test_path("x"), GARRAY_FLOAT64, NULL, test_device(), &x));
    TEST_STATUS(ERR_IO, garray_genfromtxt(test_path("none"), GARRAY_FLOAT64, NULL, test_device(), &x));
    TEST_EXPECT(!x, "a failure made a result");
    const int32_t widths[] = { 2, 3 };
    test_write_file(test_path("x"), "12345\n 1 x7\n", 12);
    if (TEST_OK(garray_genfromtxt(test_path("x"), GARRAY_INT32, GARRAY_KW(genfromtxt, .widths = widths, .nwidths = 2,
                                                                         .filling_value = GARRAY_VAL(-9)), test_device(), &x)))
        TEST_EQUAL(x, ((const int32_t[]){ 12, 345, 1, -9 }), 0);
    garray_release(x);
    x = NULL;
    TEST_OK(garray_ones(GARRAY_SHAPE(2, 2, 2), GARRAY_FLOAT64, test_device(), &x));
    TEST_STATUS(ERR_SHAPE, garray_savetxt(test_path("y"), x, NULL));
    TEST_MESSAGE("Expected 1D or 2D array, got 3D array instead");
    TEST_OK(garray_reshape(x, GARRAY_SHAPE(4, 2), &x));
    TEST_STATUS(ERR_INVALID, garray_savetxt(test_path("y"), x, GARRAY_KW(savetxt, .fmt = "%g %g %g")));
    TEST_STATUS(ERR_INVALID, garray_savetxt(test_path("y"), x, GARRAY_KW(savetxt, .fmt = "%n")));
    TEST_STATUS(ERR_INVALID, garray_savetxt(test_path("y"), x, GARRAY_KW(savetxt, .fmt = "%2000g")));
    TEST_STATUS(ERR_DTYPE, garray_savetxt(test_path("y"), x, GARRAY_KW(savetxt, .fmt = "%x")));
    TEST_OK(garray_divide(x, 0, &x));
    TEST_STATUS(ERR_INVALID, garray_savetxt(test_path("y"), x, GARRAY_KW(savetxt, .fmt = "%d")));
    TEST_EXPECT(test_entries() == 1, "a failure left a file behind");
    garray_release(x);
}

/* ---- single numbers: what numpy.format_float_...() gives ---- */
Test(files, single_numbers)
{
    char text[64];
    size_t length;
    garray_t *x = NULL;
    TEST_OK(garray_full(GARRAY_0D, 0.1, GARRAY_FLOAT32, test_device(), &x));
    TEST_OK(garray_format_float_positional(x, NULL, text, sizeof text, &length));
    TEST_EXPECT(strcmp(text, "0.1") == 0 && length == 3, "'%s'", text);
    TEST_OK(garray_format_float_positional(x, GARRAY_KW(format_float, .exact = 1, .precision = GARRAY_VAL(20)), text, sizeof text,
                                           NULL));
    TEST_EXPECT(strcmp(text, "0.10000000149011611938") == 0, "'%s'", text);
    TEST_OK(garray_format_float_scientific(-1234.5, GARRAY_KW(format_float, .precision = GARRAY_VAL(1),
                                                              .exp_digits = GARRAY_VAL(3)), text, sizeof text, NULL));
    TEST_EXPECT(strcmp(text, "-1.2e+003") == 0, "'%s'", text);
    TEST_OK(garray_format_float_positional(3, GARRAY_KW(format_float, .trim = '-', .sign = 1), text, 2, &length));
    TEST_EXPECT(strcmp(text, "+") == 0 && length == 2, "'%s'", text);
    TEST_STATUS(ERR_DTYPE, garray_format_float_positional(GARRAY_COMPLEX(1, 2), NULL, text, sizeof text, NULL));
    TEST_STATUS(ERR_INVALID, garray_format_float_positional(1.5, GARRAY_KW(format_float, .exact = 1), text, sizeof text, NULL));
    TEST_MESSAGE("in non-unique mode `precision` must be supplied");
    TEST_STATUS(ERR_INVALID, garray_format_float_positional(1.5, GARRAY_KW(format_float, .trim = 'x'), text, sizeof text, NULL));
    TEST_STATUS(ERR_INVALID, garray_format_float_scientific(1.5, GARRAY_KW(format_float, .exp_digits = GARRAY_VAL(6)), text,
                                                            sizeof text, NULL));
    TEST_OK(garray_ones(GARRAY_SHAPE(2), GARRAY_FLOAT64, test_device(), &x));
    TEST_STATUS(ERR_SHAPE, garray_format_float_positional(x, NULL, text, sizeof text, NULL));
    garray_release(x);
}

/* Numbers of any size, near ties too, are read and written as the C library does it. */
Test(files, numbers)
{
    enum { N = 20000, ROOM = 100 };
    char *text = malloc((size_t)N * ROOM + 1), *at = text;
    double *expected = malloc(sizeof(double) * N);
    uint64_t state = 11;
    garray_t *x = NULL;
    for (int i = 0; i < N; i++) {
        uint64_t bits = test_random_word(&state), more = test_random_word(&state);
        double value;
        char *begin = at;
        memcpy(&value, &bits, 8);
        if (i % 3 == 0 || !isfinite(value))
            at += sprintf(at, "%llu%s%llue%d", (unsigned long long)(bits >> more % 64), i % 2 ? "." : "",
                          (unsigned long long)(more >> bits % 64), (int)(more % 700) - 370);
        else if (i % 3 == 1)
            at += sprintf(at, "%.*e", (int)(more % 25), value);
        else                        /* half way between two neighbours, cut or not */
            at += sprintf(at, "%.*Le", (int)(15 + more % 60), ((long double)value + (long double)nextafter(value, INFINITY)) / 2);
        expected[i] = strtod(begin, NULL);
        *at++ = i % 100 == 99 ? '\n' : ' ';
    }
    *at = 0;
    if (TEST_OK(garray_fromstring(text, GARRAY_FLOAT64, NULL, test_device(), &x)))
        TEST_EQUAL(x, expected, 0);
    for (int digits = 0; digits < 20; digits++) {
        char format[16];
        at = text;
        for (int i = 0; i < 1000; i++)
            at += sprintf(at, "%.*e\n", digits, expected[i]);
        snprintf(format, sizeof format, "%%.%de", digits);
        test_context("%s", format);
        TEST_OK(garray_from_host(expected, GARRAY_FLOAT64, GARRAY_SHAPE(1000), NULL, test_device(), &x));
        TEST_OK(garray_savetxt(test_path("x"), x, GARRAY_KW(savetxt, .fmt = format)));
        test_expect_file(test_path("x"), text, (size_t)(at - text));
    }
    garray_release(x);
    free(text);
    free(expected);
}
