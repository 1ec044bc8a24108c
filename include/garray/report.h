/* SPDX-License-Identifier: BSD-3-Clause
 * What a program did, and what limits it.
 *
 * GARRAY_REPORT=1 in the environment makes any program write a report to standard error when it ends,
 * GARRAY_REPORT=json one for machines, GARRAY_REPORT=<path> one into a file. It tells per operation: calls,
 * device time, bytes moved, share of the ceiling, transfers, waits, allocations; and in one sentence what
 * limits the program.
 *
 * GARRAY_SHADOW=cpu (or cuda, cuda:1) makes every operation run a second time, on that device, on copies of what
 * it reads. Where the results differ by more than the operation allows, the call fails with INTERNAL and names the
 * item, both values and the operation; when the program ends, a line on standard error tells how many were compared
 * and how long each device took. Integers, comparisons, casts, sorts, draws and the elementwise functions of float32
 * and 16-bit floats must agree to the bit; sums, products and functions of float64 and of complex numbers within a few
 * units of the last place. Solvers are not compared. Calls wait, and memory is needed three times. */
#ifndef GARRAY_REPORT_H
#define GARRAY_REPORT_H

#include <garray/status.h>

GARRAY_BEGIN

/* Starts to count, in all threads; INVALID when counting already. Counting makes calls slower, GPU calls
 * most. */
GARRAY_STATUS garray_report_begin(void);

typedef enum { /* forms of a report */
    GARRAY_REPORT_TEXT = 1, /* a table; the default */
    GARRAY_REPORT_JSON = 2,
    GARRAY_REPORT_FORMAT_MAX_ENUM = 0x7fffffff
} garray_report_format;

typedef struct {
    garray_report_format format;
    int32_t rows; /* at most so many operations, those with most time; 0: all */
    uint64_t reserved[4];
} garray_report_opts;

/* Receives the text, which ends with a newline and a zero and lives until fn returns. */
typedef void (*garray_report_fn)(void *ctx, const char *text, size_t length);

/* Waits for all devices, stops counting, and calls fn once with the report. INVALID unless begun. */
GARRAY_STATUS garray_report_end(const garray_report_opts *opts, garray_report_fn fn, void *ctx);

GARRAY_END

/* A garray_report_fn that writes to a FILE: garray_report_end(NULL, garray_report_to_file, stderr). */
static inline void garray_report_to_file(void *file, const char *text, size_t length)
{
    fwrite(text, 1, length, (FILE *)file);
}

#endif
