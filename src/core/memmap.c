/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays that are .npy files: the memory of the array is the file, mapped. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "core/npy.h"
#include "core/result.h"
#include "garray/io.h"

struct mapping {
    void *data;
    size_t size;
};

static void unmap(void *ctx)
{
    struct mapping *m = ctx;
    (void)munmap(m->data, m->size);
    free(m);
}

/* The array in a file of `size` bytes, whose header is known. */
static garray_status map(int fd, const char *path, int64_t size, const garray__npy_header *h, int64_t offset, int mode,
                         garray_t **out)
{
    garray__device *cpu;
    garray__buffer *buffer = NULL;
    garray_t *view = NULL;
    int64_t shape[GARRAY_MAX_NDIM], strides[GARRAY_MAX_NDIM];
    bool writeable = mode != GARRAY_MEMMAP_READ;
    garray_status st = garray__device_get(GARRAY_CPU, &cpu);
    if (st != GARRAY_OK)
        return st;
    struct mapping *m = malloc(sizeof *m);
    GARRAY_REQUIRE(m, NOMEM, "no host memory for a mapping");
    m->size = (size_t)size;
    m->data = mmap(NULL, m->size, writeable ? PROT_READ | PROT_WRITE : PROT_READ,
                   mode == GARRAY_MEMMAP_COPY_ON_WRITE ? MAP_PRIVATE : MAP_SHARED, fd, 0);
    if (m->data == MAP_FAILED) {
        st = errno == ENOMEM ? garray__fail(GARRAY_ERR_NOMEM, "no memory to map '%s'", path)
                             : garray__fail_errno(errno, "cannot map", path);
        free(m);
        return st;
    }
    st = garray__buffer_wrap(cpu, m->data, m->size, unmap, m, &buffer);
    if (st != GARRAY_OK) {
        unmap(m);
        return st;
    }
    char *data = (char *)m->data + offset;
    for (int64_t i = 0; h->dtype == GARRAY_BOOL && i < h->count; i++)
        GARRAY__CHECK((unsigned char)data[i] <= 1, FORMAT, "'%s': an element is no bool: mapped ones must be 0 or 1", path);
    for (int i = 0; i < h->ndim; i++)
        shape[i] = h->shape[h->fortran ? h->ndim - 1 - i : i];
    garray__c_strides(h->ndim, shape, garray__size_of(h->dtype), strides);
    GARRAY__TRY(garray__view(buffer, data, h->dtype, h->ndim, shape, strides, writeable, &view));
    if (h->fortran)
        st = garray__reversed(view, writeable, out);
    else
        *out = garray_retain(view);
done:
    garray_release(view);
    garray__buffer_release(buffer);
    return st;
}

static garray_status open_existing(const char *path, int mode, garray_t **out)
{
    garray__infile file;
    garray__npy_header header;
    int64_t offset = 0;
    garray_status st = garray__infile_open(&file, path);
    if (st != GARRAY_OK)
        return st;
    int fd = -1;
    GARRAY__TRY(garray__name_file(garray__npy_read_header(&file.source, &header, &offset), path));
    GARRAY__CHECK(!header.swapped || garray__part_of(header.dtype) == 1, DTYPE,
                  "'%s': numbers in the other byte order cannot be mapped; garray_load() reads them", path);
    int64_t size = header.count * garray__size_of(header.dtype);
    GARRAY__CHECK(file.size - offset >= size, FORMAT, "'%s': the array has %" PRId64 " bytes, the file only %" PRId64, path, size,
                  file.size - offset);
    fd = open(path, (mode == GARRAY_MEMMAP_READ_WRITE ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        st = garray__fail_errno(errno, "cannot open", path);
    else
        st = map(fd, path, offset + size, &header, offset, mode, out);
done:
    if (fd >= 0)
        (void)close(fd);
    garray__infile_close(&file);
    return st;
}

/* A new file of zeros.  Its blocks are taken from the disk at once: a disk that is full must not be found by a write to
 * memory. */
static garray_status create(const char *path, const garray_memmap_opts *o, garray_t **out)
{
    garray__npy_header h = { .dtype = o->dtype ? (int)o->dtype : GARRAY_FLOAT64, .fortran = o->fortran_order != 0 };
    garray__outfile file;
    char head[GARRAY__NPY_HEADER_ROOM];
    GARRAY_REQUIRE(garray__is_dtype(h.dtype), DTYPE, "%d is not a dtype", (int)o->dtype);
    GARRAY_REQUIRE(o->shape.n >= 0 && o->shape.n <= GARRAY_MAX_NDIM && (o->shape.v || o->shape.n == 0), SHAPE,
                   "%" PRId64 " axes; at most %d are allowed", o->shape.n, GARRAY_MAX_NDIM);
    GARRAY_REQUIRE(o->version >= 0 && o->version <= 3, INVALID, "version is %d; .npy has the versions 1, 2 and 3", o->version);
    h.ndim = (int)o->shape.n;
    garray_status st = garray__count(h.ndim, o->shape.v, garray__size_of(h.dtype), &h.count);
    if (st != GARRAY_OK)
        return st;
    if (h.ndim > 0)
        memcpy(h.shape, o->shape.v, sizeof(int64_t) * (size_t)h.ndim);
    size_t length = garray__npy_compose(o->version, h.dtype, h.ndim, h.shape, h.fortran, head);
    int64_t size = (int64_t)length + h.count * garray__size_of(h.dtype);
    garray_t *made = NULL;
    st = garray__outfile_open(&file, path);
    if (st != GARRAY_OK)
        return st;
    st = garray__write(&file.sink, head, length);
    int code = st == GARRAY_OK ? posix_fallocate(file.fd, 0, (off_t)size) : 0;
    if (code != 0)
        st = garray__fail_errno(code, "cannot write", path);
    if (st == GARRAY_OK)
        st = map(file.fd, path, size, &h, (int64_t)length, GARRAY_MEMMAP_CREATE, &made);
    st = garray__outfile_close(&file, st);
    if (st == GARRAY_OK)
        *out = made;
    else
        garray_release(made);
    return st;
}

garray_status garray_format_open_memmap(const char *path, const garray_memmap_opts *opts, garray_t **out)
{
    GARRAY_ENTER("garray_format_open_memmap");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    static const garray_memmap_opts defaults;
    const garray_memmap_opts *o = opts ? opts : &defaults;
    garray_t *mapped = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(path, INVALID, "path is NULL");
    GARRAY_REQUIRE(!garray__into(out), INVALID, "the result refers to the file: garray_into() cannot take it");
    switch (o->mode) {
    case GARRAY_MEMMAP_CREATE:
        st = create(path, o, &mapped);
        break;
    case GARRAY_MEMMAP_READ_WRITE:
    case GARRAY_MEMMAP_READ:
    case GARRAY_MEMMAP_COPY_ON_WRITE:
        GARRAY_REQUIRE(!o->dtype && o->shape.n == 0 && !o->fortran_order && !o->version, INVALID,
                       "dtype, shape, order and version are those of the file; they are given where one is made");
        st = open_existing(path, (int)o->mode, &mapped);
        break;
    default:
        return garray__fail(GARRAY_ERR_INVALID, "mode is %d, which is no garray_memmap_mode", (int)o->mode);
    }
    return st == GARRAY_OK ? garray__result_assign(out, mapped) : st;
}

garray_status garray_memmap_flush(const garray_t *x)
{
    GARRAY_ENTER("garray_memmap_flush");
    GARRAY_REQUIRE(x, INVALID, "x is NULL");
    GARRAY_REQUIRE(x->buffer->foreign && x->buffer->foreign_free == unmap, INVALID, "the array is no mapped file");
    const struct mapping *m = x->buffer->foreign_ctx;
    if (msync(m->data, m->size, MS_SYNC) != 0)
        return garray__fail_errno(errno, "cannot write", "a mapped file");
    return GARRAY_OK;
}
