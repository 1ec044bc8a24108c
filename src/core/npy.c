/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays from and to .npy files, and streams of the caller. */
#include <inttypes.h>
#include "core/npy.h"
#include "core/result.h"
#include "garray/io.h"

/* ---- files ---- */
garray_status garray_load(const char *path, garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_load");
    garray__device *target;
    garray__infile file = { 0 };
    garray_t *loaded = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(path, INVALID, "path is NULL");
    st = garray__device_get(device, &target);
    if (st == GARRAY_OK)
        st = garray__infile_open(&file, path);
    if (st != GARRAY_OK)
        return st;
    char magic[4] = "";
    if (file.size >= 4)
        st = garray__infile_read_at(&file, 0, magic, 4);
    file.at = 0;
    if (st == GARRAY_OK && memcmp(magic, "PK\3\4", 4) == 0)
        st = garray__fail(GARRAY_ERR_FORMAT, "this is an archive of arrays, which garray_npz_open() reads");
    if (st == GARRAY_OK)
        st = garray__npy_read(&file.source, file.size, target, &loaded);
    st = garray__name_file(st, path);
    garray__infile_close(&file);
    return st == GARRAY_OK ? garray__result_assign(out, loaded) : st;
}

garray_status garray_save(const char *path, const garray_t *x)
{
    GARRAY_ENTER("garray_save");
    GARRAY_REQUIRE(path && x, INVALID, "an argument is NULL");
    garray__outfile file;
    garray_status st = garray__outfile_open(&file, path);
    if (st != GARRAY_OK)
        return st;
    return garray__outfile_close(&file, garray__npy_write(&file.sink, x, 0));
}

/* ---- streams ---- */
struct caller_source {
    garray__source source;
    garray_read_fn read;
    void *ctx;
};

static garray_status caller_read(garray__source *source, void *to, size_t size, size_t *got)
{
    struct caller_source *s = (struct caller_source *)source;
    *got = 0;
    while (*got < size) {
        ptrdiff_t n = s->read(s->ctx, (char *)to + *got, size - *got);
        GARRAY_REQUIRE(n >= 0 && (size_t)n <= size - *got, IO, "reading failed");
        if (n == 0)
            break;
        *got += (size_t)n;
    }
    return GARRAY_OK;
}

struct caller_sink {
    garray__sink sink;
    garray_write_fn write;
    void *ctx;
};

static garray_status caller_write(garray__sink *sink, const void *from, size_t size)
{
    struct caller_sink *s = (struct caller_sink *)sink;
    for (size_t done = 0; done < size;) {
        ptrdiff_t n = s->write(s->ctx, (const char *)from + done, size - done);
        GARRAY_REQUIRE(n > 0 && (size_t)n <= size - done, IO, "writing failed");
        done += (size_t)n;
    }
    return GARRAY_OK;
}

garray_status garray_format_write_array(garray_write_fn write, void *ctx, const garray_t *x, const garray_npy_opts *opts)
{
    GARRAY_ENTER("garray_format_write_array");
    GARRAY_REQUIRE_OPTIONS(opts, reserved32);
    GARRAY_REQUIRE(write && x, INVALID, "an argument is NULL");
    int version = opts ? opts->version : 0;
    GARRAY_REQUIRE(version >= 0 && version <= 3, INVALID, "version is %d; .npy has the versions 1, 2 and 3", version);
    struct caller_sink sink = { { caller_write }, write, ctx };
    return garray__npy_write(&sink.sink, x, version);
}

garray_status garray_format_read_array(garray_read_fn read, void *ctx, garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_format_read_array");
    garray__device *target;
    garray_t *loaded = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(read, INVALID, "read is NULL");
    struct caller_source source = { { caller_read }, read, ctx };
    st = garray__device_get(device, &target);
    if (st == GARRAY_OK)
        st = garray__npy_read(&source.source, -1, target, &loaded);
    return st == GARRAY_OK ? garray__result_assign(out, loaded) : st;
}

garray_status garray_format_read_array_header(garray_read_fn read, void *ctx, garray_npy_info *info)
{
    GARRAY_ENTER("garray_format_read_array_header");
    GARRAY_REQUIRE(read && info, INVALID, "an argument is NULL");
    struct caller_source source = { { caller_read }, read, ctx };
    garray__npy_header header;
    int64_t offset = 0;
    garray_status st = garray__npy_read_header(&source.source, &header, &offset);
    if (st != GARRAY_OK)
        return st;
    memset(info, 0, sizeof *info);
    info->dtype = (garray_dtype)header.dtype;
    info->ndim = header.ndim;
    info->fortran_order = header.fortran;
    info->swapped = header.swapped;
    info->offset = offset;
    memcpy(info->shape, header.shape, sizeof(int64_t) * (size_t)header.ndim);
    return GARRAY_OK;
}
