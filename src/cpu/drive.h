/* SPDX-License-Identifier: BSD-3-Clause
 * The driver under elementwise and convert: brings each tile's operands into the shape that loops want
 * (contiguous, in the loop's dtype), runs the loop, and brings the result to where it belongs. */
#ifndef GARRAY_CPU_DRIVE_H
#define GARRAY_CPU_DRIVE_H

#include "cpu/loops.h"
#include "cpu/walk.h"

/* How one operand travels between its storage and the loop. */
typedef struct garray__path {
    int size, width;                    /* bytes of an item in storage and in the loop */
    int middle;                         /* bytes of an item between the two casts */
    garray__cpu_cast *first, *second;   /* NULL: not wanted; first alone if there is one */
    bool fixed;                         /* the same items in each tile: gathered once */
} garray__path;

typedef struct garray__drive {
    garray__walk walk;
    garray__cpu_loop *loop;             /* NULL: the result is operand 1 */
    int nop;
    unsigned scalars;                   /* operands that the loop takes as single values */
    unsigned spread;                    /* single values that fill a buffer instead */
    unsigned row_single;                /* operands that are one value per tile, and taken as such */
    uint32_t allowed;                   /* bit m: the loop takes the operands of mask m as single values */
    bool by_row;                        /* tiles are given to the loop row by row */
    bool stream;                        /* the output is written past the caches */
    double cost;                        /* nanoseconds per item */
    garray__path path[GARRAY_EW_OPERANDS];
    uint64_t value[GARRAY_EW_OPERANDS][2];      /* single values, in the loop's dtype */
} garray__drive;

/* Sets path i for a cast from one dtype to another, by way of a third (0: directly). */
void garray__drive_cast(garray__path *path, int from, int by, int to);
/* Reads a single value (scalars and operands whose strides are all 0) through its path; false if it is
 * none. */
bool garray__drive_value(garray__drive *d, const garray_ew_plan *plan, int i);
void garray__drive_run(garray__drive *d, const garray_ew_plan *plan);

#endif
