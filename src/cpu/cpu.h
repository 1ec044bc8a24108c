/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of the CPU backend share: the host table, the thread pool, the instruction set levels,
 * and the entries that backend.c puts into the backend table. */
#ifndef GARRAY_CPU_CPU_H
#define GARRAY_CPU_CPU_H

#include "core/backend.h"

/* Error text, log and scratch memory: return garray__cpu_host->fail(GARRAY_ERR_..., "..."). */
extern const garray_host *garray__cpu_host;

/* ---- threads ------------------------------------------------------------------------------------------- */
/* Runs block(ctx, begin, end) once for each block [k * grain, min((k + 1) * grain, n)).  The split is
 * fixed, so whatever is computed per block does not depend on the number of threads.  Blocks are begun in
 * order and run at once; the call returns when all are done.  cost is the estimated time of the whole in
 * nanoseconds on one thread: below about 5 us, within another parallel call, or while another thread of the
 * program uses the pool, all blocks run on the calling thread in order.  Cannot fail: without threads it
 * runs serially. */
typedef void garray__cpu_block(void *ctx, int64_t begin, int64_t end);
void garray__cpu_parallel(int64_t n, int64_t grain, double cost, garray__cpu_block *block, void *ctx);

int garray__cpu_threads(void);                          /* at most so many threads work at once */
garray_status garray__cpu_set_threads(int count);       /* 0: GARRAY_NUM_THREADS, else the affinity mask */
bool garray__cpu_parallel_now(void);                    /* is this thread inside a parallel call? */

/* ---- instruction sets ---------------------------------------------------------------------------------- */
/* Files named *_tmpl.c are compiled once per level with -DGARRAY_ISA=v2 (v3, v4; base on other processors),
 * and what they export is named by GARRAY_ISA_NAME: garray__cpu_foo_v3.  GARRAY_ISA_DECLARE(type, foo)
 * declares the objects foo_v2, foo_v3, foo_v4 and GARRAY_ISA_PICK(foo) is a pointer to that of this
 * processor.  Those compiled per dtype also get -DGARRAY_DT_ISA=float32_v3, for names that GARRAY_DT would
 * spoil (stdbool.h makes bool a macro): GARRAY_CAT(garray__cpu_foo, GARRAY_DT_ISA). */
#if defined(__x86_64__)
enum { GARRAY_ISA_V2, GARRAY_ISA_V3, GARRAY_ISA_V4, GARRAY_ISA_COUNT };
#define GARRAY_ISA_DECLARE(type, name) extern type name##_v2, name##_v3, name##_v4
/* The build compiles the levels GARRAY_ISA_LOWEST to GARRAY_ISA_HIGHEST (their numbers; Meson's options cpu_lowest and
 * cpu_level); GARRAY_ISA_ONLY is the name of a single one. */
#if defined(GARRAY_ISA)
/* a level's own file picks no levels */
#elif defined(GARRAY_ISA_ONLY)
#define GARRAY_ISA_PICK(name) (&GARRAY_CAT(name, GARRAY_ISA_ONLY))
#elif GARRAY_ISA_HIGHEST >= 4 && GARRAY_ISA_LOWEST >= 3
#define GARRAY_ISA_PICK(name) (garray__cpu_level == GARRAY_ISA_V4 ? &name##_v4 : &name##_v3)
#elif GARRAY_ISA_HIGHEST >= 4
#define GARRAY_ISA_PICK(name)                                                                                \
    (garray__cpu_level == GARRAY_ISA_V4   ? &name##_v4                                                       \
     : garray__cpu_level == GARRAY_ISA_V3 ? &name##_v3                                                       \
                                          : &name##_v2)
#else
#define GARRAY_ISA_PICK(name) (garray__cpu_level == GARRAY_ISA_V3 ? &name##_v3 : &name##_v2)
#endif
#else
enum { GARRAY_ISA_BASE, GARRAY_ISA_COUNT };
#define GARRAY_ISA_DECLARE(type, name) extern type name##_base
#define GARRAY_ISA_PICK(name) (&name##_base)
#endif

#define GARRAY_CAT_(a, b) a##_##b
#define GARRAY_CAT(a, b) GARRAY_CAT_(a, b)
#ifdef GARRAY_ISA
#define GARRAY_ISA_NAME(name) GARRAY_CAT(name, GARRAY_ISA)
#endif

extern int garray__cpu_level;           /* GARRAY_ISA_...; set once by garray__cpu_backend_open */
extern int64_t garray__cpu_stream_size; /* an output of so many bytes or more is written past the caches */
bool garray__cpu_isa_init(void);         /* false: the processor has none of the levels */
const char *garray__cpu_isa_name(void); /* "x86-64-v3"; "baseline" */

/* ---- entries of the backend table ---------------------------------------------------------------------- */
#define GARRAY_ENTRY(number, name, plan_type) garray_status garray__cpu_##name(const garray__queue *q, plan_type *plan);
#include "core/entries.def"
void garray__cpu_select_drop(const garray__queue *q, garray_select_plan *plan);

extern const garray_backend garray__cpu_backend;
const garray_backend *garray__cpu_backend_open(const garray_host *host);

#endif
