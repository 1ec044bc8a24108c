/* SPDX-License-Identifier: BSD-3-Clause
 * Any bytes as a .npz archive: an error, or members that have names and are read or refused, no larger than they may be.
 *
 * With libFuzzer: as fuzz_npy.c, with -dict=tests/fuzz/npz.dict tests/fuzz/corpus/npz, and -lz. */
#include <sys/mman.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "fuzz.h"

enum { LIMIT = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int file = -1;
    char path[64], key[64];
    garray_npz *npz = NULL;
    if (file < 0)
        file = memfd_create("npz", 0);
    FUZZ_CHECK(file >= 0 && ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    garray_status st = garray_npz_open(path, GARRAY_KW(npz, .max_bytes = LIMIT), &npz);
    FUZZ_CHECK((st == GARRAY_OK) == (npz != NULL) && (st == GARRAY_OK || st == GARRAY_ERR_FORMAT));
    int64_t n = garray_npz_count(npz);
    FUZZ_CHECK(n >= 0 && (size_t)n <= size / 76);       /* two headers each */
    for (int64_t i = 0; i < n && i < 20; i++) {
        garray_t *x = NULL;
        size_t length = 0;
        FUZZ_CHECK(garray_npz_name(npz, i, key, sizeof key, &length) == GARRAY_OK && length <= size);
        if (length >= sizeof key)
            continue;
        st = garray_npz_get(npz, key, GARRAY_CPU, &x);
        FUZZ_CHECK((st == GARRAY_OK) == (x != NULL));
        FUZZ_CHECK(st == GARRAY_OK || st == GARRAY_ERR_FORMAT || st == GARRAY_ERR_DTYPE || st == GARRAY_ERR_UNSUPPORTED);
        FUZZ_CHECK(garray_nbytes(x) <= LIMIT);
        garray_release(x);
    }
    garray_npz_close(npz);
    return 0;
}
