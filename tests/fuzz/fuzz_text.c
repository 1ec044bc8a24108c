/* SPDX-License-Identifier: BSD-3-Clause
 * Any bytes as a table, a list of numbers, or a format: an error or an array, and what was read as float64 and written with
 * 17 digits is read as the same numbers.
 *
 * With libFuzzer: as fuzz_npy.c, with -dict=tests/fuzz/text.dict tests/fuzz/corpus/text.  The first byte says what is
 * done, the second has the dtype. */
#include <sys/mman.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "fuzz.h"

static int file = -1;
static char path[64], folder[] = "/tmp/garray-fuzz-XXXXXX", other_path[sizeof folder + 8];

static void clean_up(void)
{
    unlink(other_path);
    rmdir(folder);
}

static garray_status read_text(int way, garray_dtype dtype, const char *text, garray_t **out)
{
    static const int32_t widths[] = { 3, 1, 4 };
    const char *delimiter = way & 4 ? "," : NULL;
    switch (way & 3) {
    case 0:
        return garray_loadtxt(path, dtype, GARRAY_KW(loadtxt, .delimiter = delimiter, .quotechar = way & 8 ? '"' : 0,
                                                     .skiprows = way >> 4 & 1, .ndmin = 2), GARRAY_CPU, out);
    case 1:
        return garray_genfromtxt(path, dtype, GARRAY_KW(genfromtxt, .delimiter = delimiter, .drop_invalid = way >> 3 & 1,
                                                        .skip_footer = way >> 4 & 1, .ndmin = 2), GARRAY_CPU, out);
    case 2:
        return way & 8 ? garray_genfromtxt(path, dtype, GARRAY_KW(genfromtxt, .widths = widths, .nwidths = way & 4 ? 1 : 3,
                                                                  .usecols = GARRAY_AXES(-1, 0)), GARRAY_CPU, out)
                       : garray_fromfile(path, dtype, GARRAY_KW(fromfile, .sep = delimiter ? delimiter : " "), GARRAY_CPU, out);
    default:
        return garray_fromstring(text, dtype, GARRAY_KW(fromfile, .sep = delimiter), GARRAY_CPU, out);
    }
}

/* The bytes as a format; then the table, written and read again. */
static void write_text(const garray_t *x, const char *text)
{
    garray_t *y = NULL;
    bool same = false;
    garray_status st = garray_savetxt(other_path, x, GARRAY_KW(savetxt, .fmt = text));
    FUZZ_CHECK(st == GARRAY_OK || st == GARRAY_ERR_INVALID || st == GARRAY_ERR_DTYPE);
    if (garray_ndim(x) != 2 || garray_dtype_of(x) != GARRAY_FLOAT64 || garray_size(x) == 0)
        return;
    FUZZ_CHECK(garray_savetxt(other_path, x, GARRAY_KW(savetxt, .fmt = "%.16e")) == GARRAY_OK);
    FUZZ_CHECK(garray_loadtxt(other_path, GARRAY_FLOAT64, GARRAY_KW(loadtxt, .ndmin = 2), GARRAY_CPU, &y) == GARRAY_OK);
    FUZZ_CHECK(garray_array_equal(x, y, true, &same) == GARRAY_OK && same);
    garray_release(y);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    garray_t *x = NULL;
    if (size < 2 || size > 4096)
        return 0;
    if (file < 0) {
        FUZZ_CHECK((file = memfd_create("text", 0)) >= 0 && mkdtemp(folder));
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        snprintf(other_path, sizeof other_path, "%s/x", folder);
        FUZZ_CHECK(atexit(clean_up) == 0);
    }
    FUZZ_CHECK(ftruncate(file, 0) == 0 && pwrite(file, data + 2, size - 2, 0) == (ssize_t)size - 2);
    char *text = malloc(size);
    memcpy(text, data + 2, size - 2);
    text[size - 2] = 0;
    garray_status st = read_text(data[0], (garray_dtype)(1 + data[1] % GARRAY_COMPLEX128), text, &x);
    FUZZ_CHECK((st == GARRAY_OK) == (x != NULL));
    FUZZ_CHECK(st == GARRAY_OK || st == GARRAY_ERR_FORMAT || st == GARRAY_ERR_INVALID);
    FUZZ_CHECK((size_t)garray_size(x) <= size);
    if (x && garray_ndim(x) > 0 && garray_ndim(x) < 3 && strlen(text) < 400)
        write_text(x, text);
    garray_release(x);
    free(text);
    return 0;
}
