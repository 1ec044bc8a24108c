/* SPDX-License-Identifier: BSD-3-Clause
 * Random programs in public functions on two devices of the backend without a device (fake_backend.h).
 *
 * A program holds some arrays, each twice: on a fake device, where work runs late and in an order that only
 * streams and events restrict, and on the CPU, where each call is done when it returns.  Every step calls the same
 * function on both.  So work that did not wait for what it reads, or memory that was used again too early, shows
 * as a wrong value, and the seed shows it again.  Other steps make, wrap, change and free streams and events, use
 * lent memory on foreign streams, hand arrays out and take them back by DLPack, move them between devices, and
 * trim or limit the pool. */
#ifndef GARRAY_TESTS_PROGRAMS_H
#define GARRAY_TESTS_PROGRAMS_H

#include <garray/garray.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct program_opts {
    uint64_t seed;
    int64_t fail_at;        /* the call of the backend that fails, counted from 1; 0: none */
    bool for_ever;          /* and all later ones */
    bool sticky;            /* the failure is the loss of the device */
} program_opts;

/* Runs one program.  NULL, or what is wrong, with seed and step, until the next call; *calls (may be NULL) receives
 * how many calls of the backend could have failed. */
const char *program_run(const program_opts *opts, int64_t *calls);

/* ---- steps that compute (programs_steps.c) ---- */
enum { PROGRAM_SLOTS = 10, PROGRAM_DEVICES = 2 };

enum program_kind {
    PROGRAM_FULL, PROGRAM_ARANGE, PROGRAM_FROM_HOST, PROGRAM_DRAW, PROGRAM_ADD, PROGRAM_MULTIPLY, PROGRAM_NEGATIVE,
    PROGRAM_SCALAR, PROGRAM_WHERE, PROGRAM_ASTYPE, PROGRAM_COPY, PROGRAM_VIEW, PROGRAM_REVERSED, PROGRAM_RESHAPE,
    PROGRAM_BROADCAST, PROGRAM_CONCAT, PROGRAM_SUM, PROGRAM_ARGMAX, PROGRAM_SCAN, PROGRAM_SORT, PROGRAM_TAKE,
    PROGRAM_MASK, PROGRAM_ARGWHERE, PROGRAM_SEARCH, PROGRAM_BINCOUNT, PROGRAM_MATMUL, PROGRAM_SHARE, PROGRAM_INTO,
    PROGRAM_SETITEM, PROGRAM_SET_MASK, PROGRAM_PUT, PROGRAM_KINDS
};

typedef struct program_step {
    int kind, a, b, out;        /* slots */
    int dtype, device;
    int64_t n, k;
} program_step;

/* The arrays of one side, and where its creations go. */
typedef struct program_side {
    garray_t *slot[PROGRAM_SLOTS];
    bool fake;
} program_side;

const char *program_step_name(int kind);

/* Whether the step writes into the array of slot out instead of making a new one. */
bool program_step_writes(int kind);

garray_status program_step_run(const program_step *s, program_side *side);

#endif
