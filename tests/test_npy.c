/* SPDX-License-Identifier: BSD-3-Clause
 * .npy files: NumPy's read, NumPy's bytes written, hostile ones refused, and nothing left behind by a failure. */
#include "files.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(npy, .init = test_make_directory, .fini = test_remove_directory);

/* ---- NumPy's files ---- */
Test(npy, against_numpy)
{
    const test_golden *g = test_golden_open("npy");
    test_mark mark = test_memory();
    for (int32_t i = 0; i < g->ncases; i++) {
        const int32_t *c = g->cases + (size_t)i * (size_t)g->width;
        const test_block *data = &g->block[c[1]], *file = &g->block[c[3]];
        garray_shape shape = GARRAY_DIMS(g->block[c[2]].n, g->block[c[2]].data);
        size_t size = (size_t)data->n * garray_dtype_size((garray_dtype)c[0]);
        char *values = malloc(size + 1);
        memcpy(values, data->data, size);
        test_context("case %d, %s", (int)i, garray_dtype_name((garray_dtype)c[0]));
        garray_t *x = NULL;
        test_write_file(test_path("x.npy"), file->data, (size_t)file->n);
        if (TEST_OK(garray_load(test_path("x.npy"), test_device(), &x))) {
            garray_shape got = garray_shape_of(x);
            TEST_EXPECT(got.n == shape.n && memcmp(got.v, shape.v, sizeof(int64_t) * (size_t)shape.n) == 0, "shape differs");
            TEST_EXPECT((int)garray_dtype_of(x) == c[0] && garray_is_contiguous(x) && garray_is_writeable(x),
                        "dtype, order or writeable is wrong");
            char *bytes = test_read(x);     /* as bits: NaN too */
            TEST_EXPECT(memcmp(bytes, data->data, size) == 0, "elements differ");
            free(bytes);
        }
        garray_release(x);
        if (c[4]) {
            x = test_array(c[0], c[4] == 2 ? TEST_TRANSPOSED : TEST_CONTIGUOUS, shape, values);
            TEST_OK(garray_save(test_path("y.npy"), x));
            test_expect_file(test_path("y.npy"), file->data, (size_t)file->n);
            garray_release(x);
        }
        free(values);
    }
    TEST_NO_LEAK(mark);
}

Test(npy, layouts)
{
    for (TEST_DTYPES(d))
        for (int layout = 0; layout < TEST_LAYOUTS; layout++) {
            char values[16 * 60];
            garray_t *back = NULL;
            test_context("%s, %s", garray_dtype_name((garray_dtype)d), test_layout_name(layout));
            test_random(d, 60, 3, values);
            garray_t *x = test_array(d, layout, GARRAY_SHAPE(3, 4, 5), values);
            TEST_OK(garray_save(test_path("x.npy"), x));
            if (TEST_OK(garray_load(test_path("x.npy"), test_device(), &back)))
                TEST_EQUAL(back, values, 0);
            garray_release(back);
            garray_release(x);
        }
    TEST_EXPECT(test_entries() == 1, "%d files, expected one", test_entries());
}

/* ---- hostile files ---- */
static size_t compose(char *file, int major, int minor, const char *text, size_t data)
{
    size_t n = strlen(text), prefix = major == 1 ? 10 : 12;
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (char)major;
    file[7] = (char)minor;
    for (size_t i = 8; i < prefix; i++)
        file[i] = (char)(n >> 8 * (i - 8));
    memcpy(file + prefix, text, n);
    memset(file + prefix + n, 1, data);
    return prefix + n + data;
}

#define HEAD(descr, order, shape) "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }\n"
#define OF_SHAPE(shape) HEAD("'<f8'", "False", shape)
#define OF_DESCR(descr) HEAD(descr, "False", "(2,)")

static const struct {
    int major, minor;
    const char *text;
    size_t data;
    garray_status status;
} headers[] = {
    { 1, 0, OF_SHAPE("(2,)"), 16, GARRAY_OK },
    { 2, 0, OF_SHAPE("(2,)"), 16, GARRAY_OK },
    { 1, 0, OF_SHAPE("(2,)"), 20, GARRAY_OK },
    { 1, 0, OF_SHAPE("()"), 8, GARRAY_OK },
    { 1, 0, OF_SHAPE("(0,3)"), 0, GARRAY_OK },
    { 1, 0, OF_SHAPE("( 2 , )"), 16, GARRAY_OK },
    { 1, 0, OF_SHAPE("(2L,)"), 16, GARRAY_OK },
    { 1, 0, "{\"shape\": (2,), \"descr\": \"<f8\", \"fortran_order\": True}", 16, GARRAY_OK },
    { 1, 0, OF_DESCR("'=f8'"), 16, GARRAY_OK },
    { 1, 0, OF_DESCR("'|b1'"), 2, GARRAY_OK },
    { 1, 0, OF_SHAPE("(2,)"), 15, GARRAY_ERR_FORMAT },
    { 1, 0, OF_SHAPE("(2,)"), 0, GARRAY_ERR_FORMAT },
    { 4, 0, OF_SHAPE("(2,)"), 16, GARRAY_ERR_FORMAT },
    { 0, 0, OF_SHAPE("(2,)"), 16, GARRAY_ERR_FORMAT },
    { 1, 1, OF_SHAPE("(2,)"), 16, GARRAY_ERR_FORMAT },
    { 1, 0, OF_SHAPE("(-2,)"), 16, GARRAY_ERR_FORMAT },
    { 1, 0, OF_SHAPE("(2)"), 16, GARRAY_ERR_FORMAT },
    { 1, 0, OF_SHAPE("2"), 16, GARRAY_ERR_FORMAT },
    { 1, 0, OF_SHAPE("[2]"), 16, GARRAY_ERR_FORMAT },
    { 1, 0, OF_SHAPE("(,)"), 16, GARRAY_ERR_FORMAT },
    { 1, 0, OF_SHAPE("(2,,)"), 16, GARRAY_ERR_FORMAT },
    { 1, 0, OF_SHAPE("(1 2)"), 16, GARRAY_ERR_FORMAT },
    { 1, 0, OF_SHAPE("((2,),)"), 16, GARRAY_ERR_FORMAT },
    { 1, 0, OF_SHAPE("(True,)"), 16, GARRAY_ERR_FORMAT },
    { 1, 0, OF_SHAPE("(2.0,)"), 16, GARRAY_ERR_FORMAT },
    { 1, 0, OF_SHAPE("(02,)"), 16, GARRAY_ERR_FORMAT },
    { 1, 0, OF_SHAPE("(0x2,)"), 16, GARRAY_ERR_FORMAT },
    { 1, 0, OF_SHAPE("(9223372036854775808,)"), 16, GARRAY_ERR_FORMAT },
    { 1, 0, OF_SHAPE("(9223372036854775807,)"), 16, GARRAY_ERR_FORMAT },
    { 1, 0, OF_SHAPE("(4611686018427387904,4)"), 16, GARRAY_ERR_FORMAT },
    { 1, 0, OF_SHAPE("(4294967296,4294967296)"), 16, GARRAY_ERR_FORMAT },
    { 1, 0, OF_SHAPE("(9223372036854775807,9223372036854775807,0)"), 0, GARRAY_ERR_FORMAT },
    { 1, 0, OF_SHAPE("(1000000000000,)"), 16, GARRAY_ERR_FORMAT },
    { 1, 0, OF_DESCR("'|O'"), 16, GARRAY_ERR_DTYPE },
    { 1, 0, OF_DESCR("'<U5'"), 40, GARRAY_ERR_DTYPE },
    { 1, 0, OF_DESCR("'<f16'"), 32, GARRAY_ERR_DTYPE },
    { 1, 0, OF_DESCR("'<M8[ns]'"), 16, GARRAY_ERR_DTYPE },
    { 1, 0, OF_DESCR("[('a', '<f8')]"), 16, GARRAY_ERR_DTYPE },
    { 1, 0, OF_DESCR("('<f8', (2,))"), 32, GARRAY_ERR_DTYPE },
    { 1, 0, OF_DESCR("''"), 16, GARRAY_ERR_FORMAT },
    { 1, 0, OF_DESCR("'\\x3cf8'"), 16, GARRAY_ERR_FORMAT },
    { 1, 0, OF_DESCR("'\x01'"), 16, GARRAY_ERR_FORMAT },
    { 1, 0, OF_DESCR("<f8"), 16, GARRAY_ERR_FORMAT },
    { 1, 0, HEAD("'<f8'", "0", "(2,)"), 16, GARRAY_ERR_FORMAT },
    { 1, 0, HEAD("'<f8'", "'False'", "(2,)"), 16, GARRAY_ERR_FORMAT },
    { 1, 0, "{'descr': '<f8', 'shape': (2,), }", 16, GARRAY_ERR_FORMAT },
    { 1, 0, "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2,)}", 16, GARRAY_ERR_FORMAT },
    { 1, 0, "{'descr': '<f8', 'extra': 1, 'fortran_order': False, 'shape': (2,)}", 16, GARRAY_ERR_FORMAT },
    { 1, 0, "{'descr': '<f8' 'fortran_order': False, 'shape': (2,)}", 16, GARRAY_ERR_FORMAT },
    { 1, 0, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)", 16, GARRAY_ERR_FORMAT },
    { 1, 0, "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)} x", 16, GARRAY_ERR_FORMAT },
    { 1, 0, "{'descr", 0, GARRAY_ERR_FORMAT },
    { 1, 0, "", 16, GARRAY_ERR_FORMAT },
};

Test(npy, headers)
{
    test_mark mark = test_memory();
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        char file[512];
        garray_t *x = NULL;
        test_context("row %zu: %s", i, headers[i].text);
        size_t size = compose(file, headers[i].major, headers[i].minor, headers[i].text, headers[i].data);
        test_write_file(test_path("x.npy"), file, size);
        garray_status st = garray_load(test_path("x.npy"), test_device(), &x);
        TEST_EXPECT(st == headers[i].status && (st == GARRAY_OK) == (x != NULL), "%s: %s", garray_status_name(st),
                    garray_error_message());
        if (st != GARRAY_OK)
            TEST_MESSAGE("garray_load: ", "x.npy");
        garray_release(x);
        for (size_t cut = 0; st == GARRAY_OK && i < 2 && cut < size; cut++) {       /* every shorter file too */
            x = NULL;
            test_write_file(test_path("x.npy"), file, cut);
            TEST_STATUS(ERR_FORMAT, garray_load(test_path("x.npy"), test_device(), &x));
        }
    }
    TEST_NO_LEAK(mark);
}

/* Long headers: as long as version 1 can say, at most 10,000 bytes in later ones; nesting is no recursion. */
Test(npy, long_headers)
{
    static char text[70000], file[70100];
    static const struct {
        int major;
        char fill;
        size_t length;
        garray_status status;
    } table[] = {
        { 1, ' ', 65535, GARRAY_OK },         { 2, ' ', 10000, GARRAY_OK },         { 2, ' ', 10001, GARRAY_ERR_FORMAT },
        { 1, '{', 65535, GARRAY_ERR_FORMAT }, { 1, '(', 65535, GARRAY_ERR_FORMAT }, { 3, '(', 10000, GARRAY_ERR_FORMAT },
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        garray_t *x = NULL;
        test_context("row %zu", i);
        const char *start = table[i].fill == '(' ? "{'descr': '<f8', 'fortran_order': False, 'shape': "
                            : table[i].fill == ' ' ? OF_SHAPE("(2,)") : "";
        memset(text, table[i].fill, table[i].length);
        memcpy(text, start, strlen(start));
        text[table[i].length] = 0;
        test_write_file(test_path("x.npy"), file, compose(file, table[i].major, 0, text, 16));
        TEST_EXPECT(garray_load(test_path("x.npy"), test_device(), &x) == table[i].status, "%s", garray_error_message());
        garray_release(x);
    }
    /* a length field that lies */
    test_write_file(test_path("x.npy"), "\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14);
    garray_t *x = NULL;
    TEST_STATUS(ERR_FORMAT, garray_load(test_path("x.npy"), test_device(), &x));
}

Test(npy, bools_become_0_or_1)
{
    char file[512];
    garray_t *x = NULL;
    size_t size = compose(file, 1, 0, HEAD("'|b1'", "False", "(3,)"), 3);
    file[size - 1] = (char)0xff;
    file[size - 2] = 0;
    test_write_file(test_path("x.npy"), file, size);
    if (TEST_OK(garray_load(test_path("x.npy"), test_device(), &x)))
        TEST_EQUAL(x, "\1\0\1", 0);
    garray_release(x);
}

/* ---- places ---- */
Test(npy, places)
{
    garray_t *x = NULL, *y = NULL;
    char name[300];
    struct stat info;
    TEST_OK(garray_ones(GARRAY_SHAPE(2, 3), GARRAY_FLOAT32, test_device(), &x));
    TEST_STATUS(ERR_IO, garray_load(test_path("none.npy"), test_device(), &y));
    TEST_MESSAGE("garray_load: ", "none.npy", strerror(ENOENT));
    TEST_STATUS(ERR_IO, garray_load(test_directory(), test_device(), &y));
    TEST_MESSAGE("directory");
    TEST_STATUS(ERR_INVALID, garray_load(NULL, test_device(), &y));
    TEST_STATUS(ERR_INVALID, garray_load(test_path("x.npy"), test_device(), NULL));
    TEST_STATUS(ERR_IO, garray_load("/dev/zero", test_device(), &y));
    cr_assert(mkfifo(test_path("pipe"), 0600) == 0);
    TEST_STATUS(ERR_IO, garray_load(test_path("pipe"), test_device(), &y));
    TEST_STATUS(ERR_IO, garray_save(test_path("pipe"), x));
    TEST_STATUS(ERR_IO, garray_save("/dev/null", x));
    TEST_STATUS(ERR_IO, garray_save(test_directory(), x));
    TEST_STATUS(ERR_IO, garray_save(test_path("none/x.npy"), x));
    TEST_MESSAGE("garray_save: ", "none/x.npy", strerror(ENOENT));
    TEST_STATUS(ERR_IO, garray_save("", x));
    TEST_STATUS(ERR_INVALID, garray_save(test_path("x.npy"), NULL));
    TEST_STATUS(ERR_INVALID, garray_save(NULL, x));
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = 0;
    TEST_STATUS(ERR_IO, garray_save(test_path(name), x));
    cr_assert(unlink(test_path("pipe")) == 0);
    TEST_EXPECT(test_entries() == 0, "a failure left a file behind");
    /* a link stays one, and a file keeps its permissions */
    TEST_OK(garray_save(test_path("x.npy"), x));
    cr_assert(chmod(test_path("x.npy"), 0640) == 0);
    cr_assert(symlink("x.npy", test_path("link.npy")) == 0);
    TEST_OK(garray_save(test_path("link.npy"), x));
    TEST_EXPECT(lstat(test_path("link.npy"), &info) == 0 && S_ISLNK(info.st_mode), "the link is gone");
    TEST_EXPECT(stat(test_path("x.npy"), &info) == 0 && (info.st_mode & 0777) == 0640, "permissions are %o",
                (unsigned)info.st_mode);
    TEST_OK(garray_load(test_path("link.npy"), test_device(), &y));
    TEST_EXPECT(test_entries() == 2, "%d files, expected two", test_entries());
    garray_release(x);
    garray_release(y);
}

/* The old file stays when there is no room for the new one. */
Test(npy, no_room)
{
    garray_t *x = NULL, *small = NULL, *y = NULL;
    signal(SIGXFSZ, SIG_IGN);
    TEST_OK(garray_ones(GARRAY_SHAPE(1 << 16), GARRAY_FLOAT64, test_device(), &x));
    TEST_OK(garray_ones(GARRAY_SHAPE(5), GARRAY_FLOAT64, test_device(), &small));
    TEST_OK(garray_save(test_path("x.npy"), small));
    for (rlim_t room = 0; room < 300000; room = room * 3 + 50) {
        struct rlimit limit, less;
        cr_assert(getrlimit(RLIMIT_FSIZE, &limit) == 0);
        less = limit;
        less.rlim_cur = room;
        cr_assert(setrlimit(RLIMIT_FSIZE, &less) == 0);
        garray_status st = garray_save(test_path("x.npy"), x);
        cr_assert(setrlimit(RLIMIT_FSIZE, &limit) == 0);
        test_context("room for %d bytes", (int)room);
        TEST_STATUS(ERR_IO, st);
        TEST_MESSAGE("x.npy", strerror(EFBIG));
        TEST_EXPECT(test_entries() == 1, "the failure left a file behind");
    }
    if (TEST_OK(garray_load(test_path("x.npy"), test_device(), &y)))
        TEST_EXPECT(garray_size(y) == 5, "the old file was lost");
    garray_release(x);
    garray_release(small);
    garray_release(y);
}

/* A failed load leaves *out alone; a good one may go into an array. */
Test(npy, results)
{
    garray_t *x = NULL, *y = NULL;
    TEST_OK(garray_ones(GARRAY_SHAPE(2, 2), GARRAY_FLOAT32, test_device(), &x));
    TEST_OK(garray_zeros(GARRAY_SHAPE(2, 2), GARRAY_FLOAT64, test_device(), &y));
    garray_t *before = y;
    TEST_STATUS(ERR_IO, garray_load(test_path("none.npy"), test_device(), &y));
    TEST_EXPECT(y == before, "out was changed");
    TEST_OK(garray_save(test_path("x.npy"), x));
    TEST_OK(garray_load(test_path("x.npy"), test_device(), garray_into(y)));
    TEST_EQUAL(y, ((const double[]){ 1, 1, 1, 1 }), 0);
    garray_release(x);
    garray_release(y);
}
