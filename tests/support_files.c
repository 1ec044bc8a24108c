/* SPDX-License-Identifier: BSD-3-Clause
 * A directory of the test's own. */
#include <dirent.h>
#include <stdio.h>
#include <unistd.h>
#include "files.h"

static char directory[128];

const char *test_directory(void)
{
    return directory;
}

const char *test_path(const char *name)
{
    static char path[4][512];
    static unsigned turn;
    char *p = path[turn++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", directory, name);
    return p;
}

void test_make_directory(void)
{
    const char *base = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/garray-test-XXXXXX", base && strlen(base) < 80 ? base : P_tmpdir);
    cr_assert(mkdtemp(directory));
}

int test_entries(void)
{
    DIR *d = opendir(directory);
    int n = 0;
    cr_assert(d);
    for (struct dirent *e; (e = readdir(d));)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(d);
    return n;
}

void test_remove_directory(void)
{
    DIR *d = opendir(directory);
    for (struct dirent *e; d && (e = readdir(d));)
        (void)unlink(test_path(e->d_name));
    if (d)
        closedir(d);
    rmdir(directory);
}

void test_write_file(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    cr_assert(f);
    cr_assert(fwrite(data, 1, size, f) == size);
    fclose(f);
}

char *test_read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (!TEST_EXPECT(f, "%s is not there", path))
        return NULL;
    cr_assert(fseek(f, 0, SEEK_END) == 0);
    long end = ftell(f);
    cr_assert(end >= 0 && fseek(f, 0, SEEK_SET) == 0);
    char *data = calloc((size_t)end + 1, 1);
    *size = fread(data, 1, (size_t)end, f);
    fclose(f);
    return data;
}

void test_expect_file(const char *path, const void *expected, size_t size)
{
    size_t n = 0;
    char *data = test_read_file(path, &n);
    if (data)
        TEST_EXPECT(n == size && memcmp(data, expected, size) == 0, "the file's bytes differ (%zu, expected %zu)", n, size);
    free(data);
}
