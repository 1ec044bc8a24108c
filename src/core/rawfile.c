/* SPDX-License-Identifier: BSD-3-Clause
 * Elements as bare bytes, in the byte order of the machine: to memory, and from and to files without a header. */
#include <inttypes.h>
#include <stdlib.h>
#include "core/npy.h"
#include "core/rawfile.h"
#include "core/result.h"
#include "garray/text.h"

garray_status garray_tobytes(const garray_t *x, int order, void *data, size_t capacity)
{
    GARRAY_ENTER("garray_tobytes");
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(order == 0 || order == 'C' || order == 'F' || order == 'A', INVALID, "order must be 'C', 'F', 'A' or 0");
    if (order != 'F' && !(order == 'A' && garray_isfortran(x)))
        return garray_to_host(x, data, NULL, capacity);
    garray_t *turned = NULL;
    garray_status st = garray__reversed(x, false, &turned);
    if (st == GARRAY_OK)
        st = garray_to_host(turned, data, NULL, capacity);
    garray_release(turned);
    return st;
}

garray_status garray__raw_write(const char *path, const garray_t *x)
{
    garray__outfile file;
    garray_status st = garray__outfile_open(&file, path);
    if (st != GARRAY_OK)
        return st;
    return garray__outfile_close(&file, garray__write_elements(&file.sink, x));
}

garray_status garray__raw_read(const char *path, int dtype, int64_t count, int64_t offset, garray__device *device,
                               garray_t **out)
{
    garray__infile file;
    GARRAY_REQUIRE(offset >= 0, INVALID, "offset is negative");
    garray_status st = garray__infile_open(&file, path);
    if (st != GARRAY_OK)
        return st;
    garray__npy_header header = { .dtype = dtype, .ndim = 1 };
    int64_t there = file.size > offset ? (file.size - offset) / garray__size_of(dtype) : 0;
    header.count = header.shape[0] = count < 0 || count > there ? there : count;
    file.at = offset;
    if (offset > file.size)
        st = garray__fail(GARRAY_ERR_INVALID, "offset is %" PRId64 ", the file has %" PRId64 " bytes", offset, file.size);
    else
        st = garray__npy_read_data(&file.source, &header, device, out);
    garray__infile_close(&file);
    return st;
}
