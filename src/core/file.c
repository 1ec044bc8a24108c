/* SPDX-License-Identifier: BSD-3-Clause
 * Files of the system: regular ones are read, and a written one gets its name only when it is complete. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "core/file.h"

garray_status garray__fail_errno(int code, const char *what, const char *path)
{
    char words[128];
    const char *text = strerror_r(code, words, sizeof words);
    return garray__fail(GARRAY_ERR_IO, "%s '%s': %s", what, path, text);
}

garray_status garray__name_file(garray_status st, const char *path)
{
    if (st == GARRAY_ERR_FORMAT || st == GARRAY_ERR_DTYPE)
        return garray__fail(st, "'%s': %s", path, garray__error_detail());
    return st;
}

/* ---- reading ---- */
static garray_status infile_read(garray__source *source, void *to, size_t size, size_t *got)
{
    garray__infile *file = (garray__infile *)source;
    *got = 0;
    while (*got < size) {
        size_t part = size - *got < GARRAY__FILE_CHUNK ? size - *got : GARRAY__FILE_CHUNK;
        ssize_t n = pread(file->fd, (char *)to + *got, part, (off_t)file->at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return garray__fail_errno(errno, "cannot read", file->path);
        GARRAY_REQUIRE(n > 0 || file->at >= file->size, IO,
                       "'%s' became shorter while it was read: it ends after %" PRId64 " bytes instead of %" PRId64, file->path,
                       file->at, file->size);
        if (n == 0)
            break;
        *got += (size_t)n;
        file->at += n;
    }
    return GARRAY_OK;
}

garray_status garray__infile_open(garray__infile *file, const char *path)
{
    struct stat info;
    /* a pipe must not make us wait here for its other end */
    *file = (garray__infile){ { infile_read }, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), path, 0, 0 };
    if (file->fd < 0) {
        file->source.read = NULL;
        return garray__fail_errno(errno, "cannot open", path);
    }
    garray_status st = GARRAY_OK;
    if (fstat(file->fd, &info) != 0)
        st = garray__fail_errno(errno, "cannot read", path);
    else if (S_ISDIR(info.st_mode))
        st = garray__fail(GARRAY_ERR_IO, "cannot read '%s': it is a directory", path);
    else if (!S_ISREG(info.st_mode))
        st = garray__fail(GARRAY_ERR_IO, "cannot read '%s': it is not a regular file", path);
    else
        file->size = (int64_t)info.st_size;
    if (st != GARRAY_OK)
        garray__infile_close(file);
    return st;
}

void garray__infile_close(garray__infile *file)
{
    if (file->source.read)
        (void)close(file->fd);
    file->source.read = NULL;
}

garray_status garray__infile_read_at(garray__infile *file, int64_t at, void *to, size_t size)
{
    size_t got;
    file->at = at;
    garray_status st = infile_read(&file->source, to, size, &got);
    GARRAY_REQUIRE(st != GARRAY_OK || got == size, FORMAT, "the file ends where %zu bytes more are needed", size - got);
    return st;
}

garray_status garray__infile_text(garray__infile *file, char **text, size_t *length)
{
    size_t size = file->at < file->size ? (size_t)(file->size - file->at) : 0;
    char *data = malloc(size + 1);
    GARRAY_REQUIRE(data, NOMEM, "no host memory for the %zu bytes of '%s'", size, file->path);
    garray_status st = infile_read(&file->source, data, size, length);
    if (st != GARRAY_OK) {
        free(data);
        return st;
    }
    data[*length] = 0;
    *text = data;
    return GARRAY_OK;
}

/* ---- writing ---- */
static garray_status write_all(garray__outfile *file, int64_t at, const char *from, size_t size)
{
    for (size_t done = 0; done < size;) {
        size_t part = size - done < GARRAY__FILE_CHUNK ? size - done : GARRAY__FILE_CHUNK;
        ssize_t n = pwrite(file->fd, from + done, part, (off_t)at + (off_t)done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return garray__fail_errno(n < 0 ? errno : ENOSPC, "cannot write", file->path);
        done += (size_t)n;
    }
    return GARRAY_OK;
}

static garray_status outfile_write(garray__sink *sink, const void *from, size_t size)
{
    garray__outfile *file = (garray__outfile *)sink;
    garray_status st = write_all(file, file->length, from, size);
    file->length += (int64_t)size;
    return st;
}

garray_status garray__outfile_write_at(garray__outfile *file, int64_t at, const void *from, size_t size)
{
    return write_all(file, at, from, size);
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
        int fd = open(aside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

garray_status garray__outfile_open(garray__outfile *file, const char *path)
{
    struct stat info;
    *file = (garray__outfile){ .sink = { outfile_write }, .fd = -1, .path = path };
    file->exists = stat(path, &info) == 0;
    GARRAY_REQUIRE(!file->exists || S_ISREG(info.st_mode), IO, "cannot write '%s': it is not a regular file", path);
    if (file->exists && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
        return garray__fail_errno(errno, "cannot write", path);
    file->mode = file->exists ? info.st_mode & 0777 : 0;
    file->real = file->exists ? realpath(path, NULL) : NULL;
    if (file->exists && !file->real)
        return garray__fail_errno(errno, "cannot write", path);
    const char *target = file->real ? file->real : path;
    size_t room = strlen(target) + 80;
    file->aside = malloc(room);
    garray_status st = GARRAY_OK;
    if (!file->aside)
        st = garray__fail(GARRAY_ERR_NOMEM, "no host memory for a path");
    else if ((file->fd = open_aside(target, file->aside, room)) < 0)
        st = garray__fail_errno(errno, "cannot write", path);
    if (st != GARRAY_OK) {
        free(file->aside);
        free(file->real);
    }
    return st;
}

garray_status garray__outfile_close(garray__outfile *file, garray_status st)
{
    if (st == GARRAY_OK && file->exists && fchmod(file->fd, file->mode) != 0)
        st = garray__fail_errno(errno, "cannot write", file->path);
    if (close(file->fd) != 0 && st == GARRAY_OK)        /* some file systems find only now that they are full */
        st = garray__fail_errno(errno, "cannot write", file->path);
    if (st == GARRAY_OK && rename(file->aside, file->real ? file->real : file->path) != 0)
        st = garray__fail_errno(errno, "cannot write", file->path);
    if (st != GARRAY_OK)
        (void)unlink(file->aside);
    free(file->aside);
    free(file->real);
    return st;
}
