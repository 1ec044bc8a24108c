/* SPDX-License-Identifier: BSD-3-Clause
 * Any bytes as a .npy file: an error, or an array that survives being printed and whose header can be written anew.
 *
 * With libFuzzer: clang -fsanitize=fuzzer,address,undefined -Iinclude -Isrc tests/fuzz/fuzz_npy.c (the library's
 * sources, instrumented alike), run with -dict=tests/fuzz/npy.dict tests/fuzz/corpus/npy.  With replay.c instead it
 * is a plain program that runs saved inputs. */
#include <sys/mman.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/npy.h"
#include "fuzz.h"

static void check_header(const uint8_t *data, size_t size)
{
    garray__npy_header h, again;
    size_t prefix, text;
    char composed[GARRAY__NPY_HEADER_ROOM];
    if (garray__npy_prefix(data, size, &prefix, &text) != GARRAY_OK || text > size - prefix)
        return;
    char *copy = malloc(text + 1);      /* of exactly that size, so that reading past it shows */
    memcpy(copy, data + prefix, text);
    garray_status st = garray__npy_parse(copy, text, &h);
    free(copy);
    if (st != GARRAY_OK)
        return;
    size_t length = garray__npy_compose(1, h.dtype, h.ndim, h.shape, h.fortran, composed);
    FUZZ_CHECK(length % 64 == 0 && length <= sizeof composed);
    FUZZ_CHECK(garray__npy_parse(composed + 10, length - 10, &again) == GARRAY_OK);
    FUZZ_CHECK(again.dtype == h.dtype && again.ndim == h.ndim && again.fortran == h.fortran && again.count == h.count
               && memcmp(again.shape, h.shape, sizeof(int64_t) * (size_t)h.ndim) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int file = -1;
    char path[64], text[256];
    garray_t *x = NULL;
    check_header(data, size);
    if (file < 0)
        file = memfd_create("npy", 0);
    FUZZ_CHECK(file >= 0 && ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    garray_status st = garray_load(path, GARRAY_CPU, &x);
    FUZZ_CHECK((st == GARRAY_OK) == (x != NULL));
    FUZZ_CHECK(st == GARRAY_OK || st == GARRAY_ERR_FORMAT || st == GARRAY_ERR_DTYPE);
    if (x)
        FUZZ_CHECK((size_t)garray_nbytes(x) < size && garray_format(x, NULL, text, sizeof text, NULL) == GARRAY_OK);
    garray_release(x);
    return 0;
}
