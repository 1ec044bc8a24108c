/* SPDX-License-Identifier: BSD-3-Clause
 * Between the files of the program that measures without the library. */
#ifndef GARRAY_BENCH_DIRECT_H
#define GARRAY_BENCH_DIRECT_H

#include <stddef.h>
#include <stdint.h>

enum { DIRECT_REPEATS = 15 };

double direct_now(void);                /* milliseconds */
double direct_uniform(void);            /* in [0, 1] */
void *direct_memory(size_t size);       /* zeros, on large pages; by mmap() */
/* A line of the results; sorts ms. */
void direct_print(const char *name, int64_t n, const char *dtype, double *ms, int count, double bytes, double flops);

/* All cases of LAPACK. */
void direct_lapack(void);

#endif
