/* SPDX-License-Identifier: BSD-3-Clause
 * A directory of the test's own, for tests that write files: TestSuite(name, .init = test_make_directory, .fini =
 * test_remove_directory). */
#ifndef GARRAY_TESTS_FILES_H
#define GARRAY_TESTS_FILES_H

#include "test.h"

void test_make_directory(void);
void test_remove_directory(void);
const char *test_directory(void);

/* The path of a file in it; the last few answers stay valid. */
const char *test_path(const char *name);

/* How many names are in it. */
int test_entries(void);

void test_write_file(const char *path, const void *data, size_t size);

/* The bytes of a file, from malloc, with a 0 behind; NULL, and a failure, where it cannot be read. */
char *test_read_file(const char *path, size_t *size);

void test_expect_file(const char *path, const void *expected, size_t size);

#endif
