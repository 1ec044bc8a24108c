/* SPDX-License-Identifier: BSD-3-Clause
 * Between random.c, which splits a plan, and random_tmpl.c, which draws. */
#ifndef GARRAY_CPU_RANDOM_H
#define GARRAY_CPU_RANDOM_H

#include "cpu/loops.h"

/* Draws elements [begin, end), begin a multiple of 512; narrow: 32 bits make one. */
typedef struct garray__cpu_drawer {
    void (*draw)(const garray_random_plan *p, bool narrow, int64_t begin, int64_t end);
} garray__cpu_drawer;
GARRAY_ISA_DECLARE(const garray__cpu_drawer, garray__cpu_drawer);

#endif
