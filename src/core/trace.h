/* SPDX-License-Identifier: BSD-3-Clause
 * NVTX ranges: with GARRAY_NVTX=1 in the environment a profiler (Nsight Systems, or whatever NVTX_INJECTION64_PATH names)
 * sees a range per public call and, inside it, one per plan.  Off, a call costs two branches that are never taken. */
#ifndef GARRAY_CORE_TRACE_H
#define GARRAY_CORE_TRACE_H

#include <stdbool.h>

/* Set before main() and never changed. */
extern bool garray__traced;

/* The name is copied. */
void garray__trace_begin(const char *name) __attribute__((cold));

/* The same with the bytes that a plan must move at least. */
void garray__trace_begin_plan(const char *name, double bytes) __attribute__((cold));

void garray__trace_end(void) __attribute__((cold));

#endif
