/* SPDX-License-Identifier: BSD-3-Clause
 * Between the parts of the garray command. */
#ifndef GARRAY_TOOL_H
#define GARRAY_TOOL_H

#include <garray/garray.h>
#include <stdbool.h>

/* Exit codes: the answer is yes (or the work is done), the answer is no, there is no answer. */
enum { YES = 0, NO = 1, TROUBLE = 2 };

/* The subcommands; argv[0] is their name. */
int command_info(int argc, char **argv);
int command_selftest(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_show(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_convert(int argc, char **argv);

/* "garray show: text" to standard error; returns TROUBLE. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same with what the library said last. */
int complain_library(void);
/* The same, and where help is: for wrong arguments. */
int complain_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A number of an option; false, with a complaint, for anything else. */
bool read_integer(const char *option, const char *text, long long least, long long *value);
bool read_real(const char *option, const char *text, double *value);
/* A dtype by its name. */
bool read_dtype(const char *option, const char *text, garray_dtype *value);

/* How far long work is, on standard error where that is a terminal: done of all, and what is being done.  all 0 wipes it. */
void progress(long long done, long long all, const char *what);
/* The same for what runs until unwatch() and reads and writes so many bytes, or about so many. */
void watch(long long bytes, const char *what);
void unwatch(void);

/* ---- files of arrays (arrays.c) ---- */
enum format { FORMAT_UNKNOWN, FORMAT_NPY, FORMAT_NPZ, FORMAT_TEXT, FORMAT_CSV };

/* By the end of the name; files that exist by their first bytes too. */
enum format format_of(const char *path, bool exists);

struct arrays {
    int64_t n;
    struct named {
        char *key;                  /* NULL where the file has no keys */
        garray_t *array;
    } *item;
};

/* Reads all arrays of a file, or one of an archive ("FILE.npz:KEY", where no file has that name).  False after a
 * complaint. */
bool read_arrays(const char *path, struct arrays *out);
void free_arrays(struct arrays *arrays);

/* "(3, 4)" */
void shape_text(const garray_t *x, char *text, size_t size);

#endif
