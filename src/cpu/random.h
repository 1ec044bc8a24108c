/* SPDX-License-Identifier: BSD-3-Clause
 * Between random.c, which splits a plan, and random_tmpl.c and draw_tmpl.c, which draw. */
#ifndef GARRAY_CPU_RANDOM_H
#define GARRAY_CPU_RANDOM_H

#include "cpu/loops.h"

/* Draws elements [begin, end), begin a multiple of 512; narrow: 32 bits make one. */
typedef struct garray__cpu_drawer {
    void (*draw)(const garray_random_plan *p, bool narrow, int64_t begin, int64_t end);
} garray__cpu_drawer;
GARRAY_ISA_DECLARE(const garray__cpu_drawer, garray__cpu_drawer);

/* The same by family (core/draws.def); rows counts rows. */
typedef struct garray__cpu_distributions {
    void (*inverse)(const garray_random_plan *p, int64_t begin, int64_t end);
    void (*events)(const garray_random_plan *p, int64_t begin, int64_t end);
    void (*rows)(const garray_random_plan *p, int64_t begin, int64_t end);
    void (*order)(const garray_random_plan *p, int64_t begin, int64_t end);
} garray__cpu_distributions;
GARRAY_ISA_DECLARE(const garray__cpu_distributions, garray__cpu_distributions);

#endif
