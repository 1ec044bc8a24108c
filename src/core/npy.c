/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays to and from .npy files: sizes are checked against the file before memory is taken, and a file gets its name
 * only when it is complete. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "core/npy.h"
#include "core/result.h"
#include "core/submit.h"
#include "garray/io.h"

#define CHUNK ((size_t)1 << 24)     /* read, swapped and written at a time: it stays in the cache */

/* An IO error with the system's words for a code of errno. */
static garray_status fail_errno(int code, const char *what, const char *path)
{
    char words[128];
    const char *text = strerror_r(code, words, sizeof words);
    return garray__fail(GARRAY_ERR_IO, "%s '%s': %s", what, path, text);
}

/* Puts the path in front of the present message. */
static garray_status name_file(garray_status st, const char *path)
{
    if (st == GARRAY_ERR_FORMAT || st == GARRAY_ERR_DTYPE)
        return garray__fail(st, "'%s': %s", path, garray__error_detail());
    return st;
}

/* ---- reading ---- */
/* As many bytes as there are up to size; -1 and errno for a failure. */
static ssize_t read_bytes(int fd, char *to, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n = read(fd, to + done, size - done < CHUNK ? size - done : CHUNK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

static garray_status read_header(int fd, const char *path, garray__npy_header *header, int64_t *offset)
{
    unsigned char bytes[GARRAY__NPY_PREFIX];
    size_t prefix = 0, length = 0;
    ssize_t n = read_bytes(fd, (char *)bytes, sizeof bytes);
    if (n < 0)
        return fail_errno(errno, "cannot read", path);
    garray_status st = garray__npy_prefix(bytes, (size_t)n, &prefix, &length);
    if (st != GARRAY_OK)
        return st;
    char *text = malloc(length + sizeof bytes);
    GARRAY_REQUIRE(text, NOMEM, "no host memory for a header of %zu bytes", length);
    size_t have = (size_t)n - prefix;       /* of the text, read with the prefix */
    memcpy(text, bytes + prefix, have);
    if (length > have) {
        n = read_bytes(fd, text + have, length - have);
        if (n < 0)
            st = fail_errno(errno, "cannot read", path);
        else if ((size_t)n < length - have)
            st = garray__fail(GARRAY_ERR_FORMAT, "the header should have %zu bytes, the file ends after %zu", length,
                              have + (size_t)n);
    }
    if (st == GARRAY_OK)
        st = garray__npy_parse(text, length, header);
    free(text);
    *offset = (int64_t)(prefix + length);
    return st;
}

static void swap_bytes(char *data, size_t size, size_t width)
{
    for (char *p = data; p < data + size; p += width)
        for (size_t i = 0; i < width / 2; i++) {
            char c = p[i];
            p[i] = p[width - 1 - i];
            p[width - 1 - i] = c;
        }
}

/* The data, byte order and bools put right: a bool of a hostile file may be any byte. */
static garray_status read_data(int fd, const char *path, const garray__npy_header *header, char *data, size_t size)
{
    size_t width = (size_t)garray__size_of(header->dtype);
    if (garray__kind_of(header->dtype) == GARRAY__K_COMPLEX)
        width /= 2;
    for (size_t done = 0, part; done < size; done += part) {
        part = size - done < CHUNK ? size - done : CHUNK;
        ssize_t n = read_bytes(fd, data + done, part);
        if (n < 0)
            return fail_errno(errno, "cannot read", path);
        if ((size_t)n < part)
            return garray__fail(GARRAY_ERR_IO, "'%s' became shorter while it was read: %zu bytes of data instead of %zu",
                                path, done + (size_t)n, size);
        if (header->swapped && width > 1)
            swap_bytes(data + done, part, width);
        for (size_t i = 0; header->dtype == GARRAY_BOOL && i < part; i++)
            data[done + i] = data[done + i] != 0;
    }
    return GARRAY_OK;
}

/* The array of the axes in reverse order. */
static garray_status reversed(const garray_t *x, bool writeable, garray_t **out)
{
    int64_t shape[GARRAY_MAX_NDIM], strides[GARRAY_MAX_NDIM];
    for (int i = 0; i < x->ndim; i++) {
        shape[i] = x->shape[x->ndim - 1 - i];
        strides[i] = garray__strides(x)[x->ndim - 1 - i];
    }
    return garray__view(x->buffer, x->data, x->dtype, x->ndim, shape, strides, writeable, out);
}

static garray_status load(int fd, const char *path, garray_t **out)
{
    garray__npy_header header;
    struct stat info;
    garray__device *cpu;
    garray_t *data = NULL, *turned = NULL;
    int64_t offset = 0, shape[GARRAY_MAX_NDIM];
    garray_status st = GARRAY_OK;
    if (fstat(fd, &info) != 0)
        return fail_errno(errno, "cannot read", path);
    GARRAY_REQUIRE(!S_ISDIR(info.st_mode), IO, "cannot read '%s': it is a directory", path);
    GARRAY_REQUIRE(S_ISREG(info.st_mode), IO, "cannot read '%s': it is not a regular file", path);
    GARRAY__TRY(name_file(read_header(fd, path, &header, &offset), path));
    int64_t size = header.count * garray__size_of(header.dtype), there = (int64_t)info.st_size - offset;
    if (there < size) {
        char text[GARRAY__SHAPE_TEXT];
        return garray__fail(GARRAY_ERR_FORMAT,
                            "'%s': an array of shape %s and dtype %s has %" PRId64 " bytes, the file only %" PRId64, path,
                            garray__shape_text(header.ndim, header.shape, text), garray__name_of(header.dtype), size,
                            there < 0 ? 0 : there);
    }
    if (lseek(fd, (off_t)offset, SEEK_SET) < 0)     /* the prefix may have been read past a short header */
        return fail_errno(errno, "cannot read", path);
    GARRAY__TRY(garray__device_get(GARRAY_CPU, &cpu));
    for (int i = 0; i < header.ndim; i++)
        shape[i] = header.shape[header.fortran ? header.ndim - 1 - i : i];
    GARRAY__TRY(garray__new(header.dtype, header.ndim, shape, cpu, &data));
    GARRAY__TRY(read_data(fd, path, &header, data->data, (size_t)size));
    if (header.fortran && header.ndim > 1) {
        GARRAY__TRY(reversed(data, true, &turned));
        garray_release(data);
        data = NULL;
        if (turned->flags & GARRAY__CONTIGUOUS)
            data = garray_retain(turned);
        else
            GARRAY__TRY(garray__copy_as(turned, turned->dtype, &data));
    }
    *out = data;
    data = NULL;
done:
    garray_release(data);
    garray_release(turned);
    return st;
}

garray_status garray_load(const char *path, garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_load");
    garray__device *target;
    garray_t *host = NULL, *moved = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(path, INVALID, "path is NULL");
    st = garray__device_get(device, &target);
    if (st != GARRAY_OK)
        return st;
    /* a pipe must not make us wait here for its other end */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return fail_errno(errno, "cannot open", path);
    st = load(fd, path, &host);
    (void)close(fd);
    if (st == GARRAY_OK)
        st = garray_to_device(host, device, &moved);
    garray_release(host);
    return st == GARRAY_OK ? garray__result_assign(out, moved) : st;
}

/* ---- writing ---- */
static garray_status write_bytes(int fd, const char *path, const char *from, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = write(fd, from + done, size - done < CHUNK ? size - done : CHUNK);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return fail_errno(n < 0 ? errno : ENOSPC, "cannot write", path);
        done += (size_t)n;
    }
    return GARRAY_OK;
}

/* A new file in the directory of path, its name in aside. */
static int open_aside(const char *path, char *aside, size_t size)
{
    static _Atomic unsigned counter;
    const char *slash = strrchr(path, '/');
    int directory = slash ? (int)(slash - path) + 1 : 0;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    for (int attempt = 0; attempt < 100; attempt++) {
        unsigned long mark = (unsigned long)now.tv_nsec ^ (unsigned long)now.tv_sec << 30;
        int n = snprintf(aside, size, "%.*s.garray-%ld-%lx-%u.tmp", directory, path, (long)getpid(), mark,
                         atomic_fetch_add(&counter, 1));
        if (n < 0 || (size_t)n >= size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open(aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* Writes an array whose data is contiguous host memory (in the reversed order of its axes where fortran is set). */
static garray_status write_file(const char *path, const garray_t *data, bool fortran)
{
    char head[GARRAY__NPY_HEADER_ROOM];
    int64_t shape[GARRAY_MAX_NDIM];
    for (int i = 0; i < data->ndim; i++)
        shape[i] = data->shape[fortran ? data->ndim - 1 - i : i];
    size_t length = garray__npy_compose(data->dtype, data->ndim, shape, fortran, head);
    /* an existing file keeps its place (links are followed) and its permissions */
    struct stat info;
    bool exists = stat(path, &info) == 0;
    GARRAY_REQUIRE(!exists || S_ISREG(info.st_mode), IO, "cannot write '%s': it is not a regular file", path);
    if (exists && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
        return fail_errno(errno, "cannot write", path);
    char *real = exists ? realpath(path, NULL) : NULL;
    if (exists && !real)
        return fail_errno(errno, "cannot write", path);
    const char *target = real ? real : path;
    size_t room = strlen(target) + 80;
    char *aside = malloc(room);
    garray_status st = GARRAY_OK;
    int fd = -1;
    GARRAY__CHECK(aside, NOMEM, "no host memory for a path");
    fd = open_aside(target, aside, room);
    if (fd < 0) {
        st = fail_errno(errno, "cannot write", path);
        goto done;
    }
    st = write_bytes(fd, path, head, length);
    if (st == GARRAY_OK)
        st = write_bytes(fd, path, data->data, (size_t)data->size * (size_t)garray__size_of(data->dtype));
    if (st == GARRAY_OK && exists && fchmod(fd, info.st_mode & 0777) != 0)
        st = fail_errno(errno, "cannot write", path);
    if (close(fd) != 0 && st == GARRAY_OK)      /* some file systems find only now that they are full */
        st = fail_errno(errno, "cannot write", path);
    if (st == GARRAY_OK && rename(aside, target) != 0)
        st = fail_errno(errno, "cannot write", path);
    if (st != GARRAY_OK)
        (void)unlink(aside);
done:
    free(aside);
    free(real);
    return st;
}

garray_status garray_save(const char *path, const garray_t *x)
{
    GARRAY_ENTER("garray_save");
    GARRAY_REQUIRE(path && x, INVALID, "an argument is NULL");
    garray_status st = GARRAY_OK;
    garray_t *turned = NULL, *packed = NULL, *host = NULL;
    GARRAY__TRY(reversed(x, false, &turned));
    /* as NumPy does, Fortran order is kept */
    bool fortran = !(x->flags & GARRAY__CONTIGUOUS) && turned->flags & GARRAY__CONTIGUOUS;
    GARRAY__TRY(garray_to_device(fortran ? turned : x, GARRAY_CPU, &host));
    GARRAY__TRY(garray__wait_buffer(host->buffer));
    GARRAY__TRY(garray__contiguous(host, 0, &packed));
    st = write_file(path, packed, fortran);
done:
    garray_release(turned);
    garray_release(packed);
    garray_release(host);
    return st;
}
