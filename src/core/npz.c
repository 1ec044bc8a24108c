/* SPDX-License-Identifier: BSD-3-Clause
 * Archives of arrays, .npz: .npy files in a zip archive. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "core/npy.h"
#include "core/result.h"
#include "core/zip.h"
#include "garray/io.h"

#define NAME_MAX_BYTES 4000         /* of names that are written; more are read */

struct garray_npz {
    garray__infile file;
    garray__zip zip;
    char *path;
    int64_t max_bytes;
};

/* ---- reading ---- */
garray_status garray_npz_open(const char *path, const garray_npz_opts *opts, garray_npz **out)
{
    GARRAY_ENTER("garray_npz_open");
    GARRAY_REQUIRE_OPTIONS(opts, reserved);
    GARRAY_REQUIRE(path && out, INVALID, "an argument is NULL");
    GARRAY_REQUIRE(!opts || opts->max_bytes >= 0, INVALID, "max_bytes is negative");
    garray_npz *npz = calloc(1, sizeof *npz);
    garray_status st = GARRAY_OK;
    GARRAY__CHECK(npz, NOMEM, "no host memory for an archive");
    npz->max_bytes = opts && opts->max_bytes ? opts->max_bytes : INT64_MAX;
    npz->path = malloc(strlen(path) + 1);
    GARRAY__CHECK(npz->path, NOMEM, "no host memory for a path");
    strcpy(npz->path, path);
    GARRAY__TRY(garray__infile_open(&npz->file, npz->path));
    GARRAY__TRY(garray__name_file(garray__zip_open(&npz->file, &npz->zip), path));
    *out = npz;
    npz = NULL;
done:
    garray_npz_close(npz);
    return st;
}

void garray_npz_close(garray_npz *npz)
{
    if (!npz)
        return;
    garray__zip_close(&npz->zip);
    garray__infile_close(&npz->file);
    free(npz->path);
    free(npz);
}

int64_t garray_npz_count(const garray_npz *npz)
{
    return npz ? npz->zip.n : 0;
}

/* The length of a member's key: its name without .npy. */
static size_t key_length(const char *name)
{
    size_t n = strlen(name);
    return n >= 4 && memcmp(name + n - 4, ".npy", 4) == 0 ? n - 4 : n;
}

garray_status garray_npz_name(const garray_npz *npz, int64_t i, char *buf, size_t size, size_t *length)
{
    GARRAY_ENTER("garray_npz_name");
    GARRAY_REQUIRE(npz, INVALID, "npz is NULL");
    GARRAY_REQUIRE(buf || size == 0, INVALID, "buf is NULL");
    GARRAY_REQUIRE(i >= 0 && i < npz->zip.n, INDEX, "member %" PRId64 " of an archive of %" PRId64, i, npz->zip.n);
    const char *name = npz->zip.member[i].name;
    size_t n = key_length(name), part = size == 0 ? 0 : n < size ? n : size - 1;
    if (size > 0) {
        memcpy(buf, name, part);
        buf[part] = 0;
    }
    if (length)
        *length = n;
    return GARRAY_OK;
}

/* The last member of a key, as Python finds it; before that, of a whole name. */
static const garray__zip_member *find(const garray_npz *npz, const char *name)
{
    size_t n = strlen(name);
    for (int64_t i = npz->zip.n - 1; i >= 0; i--)
        if (strcmp(npz->zip.member[i].name, name) == 0)
            return &npz->zip.member[i];
    for (int64_t i = npz->zip.n - 1; i >= 0; i--)
        if (key_length(npz->zip.member[i].name) == n && memcmp(npz->zip.member[i].name, name, n) == 0)
            return &npz->zip.member[i];
    return NULL;
}

static garray_status read_member(const garray_npz *npz, const garray__zip_member *m, garray__device *device, garray_t **out)
{
    garray__infile file = npz->file;        /* its own place, so that threads may read side by side */
    garray__zip_source source;
    GARRAY_REQUIRE(m->size <= npz->max_bytes, FORMAT, "%" PRId64 " bytes; at most %" PRId64 " are read", m->size, npz->max_bytes);
    garray_status st = garray__zip_source_open(&source, &file, m);
    if (st == GARRAY_OK)
        st = garray__npy_read(&source.source, m->size, device, out);
    if (st == GARRAY_OK) {
        st = garray__zip_source_finish(&source);
        if (st != GARRAY_OK)
            garray_release(*out);
    }
    garray__zip_source_close(&source);
    return st;
}

garray_status garray_npz_get(const garray_npz *npz, const char *name, garray_device device, garray_t **out)
{
    GARRAY_ENTER("garray_npz_get");
    garray__device *target;
    garray_t *loaded = NULL;
    garray_status st = garray__result_check(out);
    if (st != GARRAY_OK)
        return st;
    GARRAY_REQUIRE(npz && name, INVALID, "an argument is NULL");
    const garray__zip_member *m = find(npz, name);
    GARRAY_REQUIRE(m, INDEX, "'%.200s' is not in the archive '%s'", name, npz->path);
    st = garray__device_get(device, &target);
    if (st != GARRAY_OK)
        return st;
    st = read_member(npz, m, target, &loaded);
    if (st == GARRAY_ERR_FORMAT || st == GARRAY_ERR_DTYPE)
        st = garray__fail(st, "'%.200s' in '%s': %s", m->name, npz->path, garray__error_detail());
    return st == GARRAY_OK ? garray__result_assign(out, loaded) : st;
}

/* ---- writing ---- */
/* The names of the members: those given, and arr_0, arr_1 ... for the others. */
static garray_status make_names(int64_t n, const char *const *names, char **member)
{
    int64_t unnamed = 0;
    for (int64_t i = 0; i < n; i++) {
        const char *name = names ? names[i] : NULL;
        char number[40];
        if (!name)
            snprintf(number, sizeof number, "arr_%" PRId64, unnamed++);
        name = name ? name : number;
        size_t length = strlen(name);
        GARRAY_REQUIRE(length <= NAME_MAX_BYTES, INVALID, "a name has %zu bytes; at most %d are possible", length,
                       NAME_MAX_BYTES);
        member[i] = malloc(length + 5);
        GARRAY_REQUIRE(member[i], NOMEM, "no host memory for a name");
        memcpy(member[i], name, length);
        memcpy(member[i] + length, ".npy", 5);
        for (int64_t k = 0; k < i; k++)
            GARRAY_REQUIRE(strcmp(member[k], member[i]) != 0, INVALID, "two arrays have the name '%.200s'", name);
    }
    return GARRAY_OK;
}

static garray_status write_archive(const char *path, garray_list arrays, char *const *member, bool compressed)
{
    garray__outfile file;
    garray__zip_writer writer = { .file = &file, .compressed = compressed };
    garray_status st = garray__outfile_open(&file, path);
    if (st != GARRAY_OK)
        return st;
    for (int64_t i = 0; i < arrays.n && st == GARRAY_OK; i++) {
        st = garray__zip_begin(&writer, member[i]);
        if (st == GARRAY_OK)
            st = garray__npy_write(&writer.sink, arrays.v[i], 0);
        if (st == GARRAY_OK)
            st = garray__zip_end(&writer);
    }
    if (st == GARRAY_OK)
        st = garray__zip_finish(&writer);
    garray__zip_writer_close(&writer);
    return garray__outfile_close(&file, st);
}

static garray_status savez(const char *path, garray_list arrays, const char *const *names, bool compressed)
{
    GARRAY_REQUIRE(path, INVALID, "path is NULL");
    GARRAY_REQUIRE(arrays.n >= 0 && (arrays.v || arrays.n == 0), INVALID, "the list of arrays is NULL");
    for (int64_t i = 0; i < arrays.n; i++)
        GARRAY_REQUIRE(arrays.v[i], INVALID, "array %" PRId64 " is NULL", i);
    char **member = calloc((size_t)arrays.n + 1, sizeof *member);
    GARRAY_REQUIRE(member, NOMEM, "no host memory for %" PRId64 " names", arrays.n);
    garray_status st = make_names(arrays.n, names, member);
    if (st == GARRAY_OK)
        st = write_archive(path, arrays, member, compressed);
    for (int64_t i = 0; i < arrays.n; i++)
        free(member[i]);
    free(member);
    return st;
}

garray_status garray_savez(const char *path, garray_list arrays, const char *const *names)
{
    GARRAY_ENTER("garray_savez");
    return savez(path, arrays, names, false);
}

garray_status garray_savez_compressed(const char *path, garray_list arrays, const char *const *names)
{
    GARRAY_ENTER("garray_savez_compressed");
    return savez(path, arrays, names, true);
}
