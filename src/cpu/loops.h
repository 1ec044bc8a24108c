/* SPDX-License-Identifier: BSD-3-Clause
 * The tables that the templates export: per dtype its elementwise loops and casts, per level the moves of
 * items. Loops and casts take contiguous operands of any alignment; the walk (walk.h) makes operands so. */
#ifndef GARRAY_CPU_LOOPS_H
#define GARRAY_CPU_LOOPS_H

#include "cpu/cpu.h"

/* p[0] is the output, p[1..] the inputs, n items each; bit i of scalars says that p[i] is a single value.  An
 * input may be exactly the output. */
typedef void garray__cpu_loop(char *const *p, int64_t n, unsigned scalars);
typedef void garray__cpu_cast(void *to, const void *from, int64_t n);

enum { GARRAY_CPU_ROWS = 144, GARRAY_CPU_DTYPES = 16 };
/* Where an operation's row stands: public ones follow the 32 hidden ones, so that a number too large for the
 * tables does not compile. */
#define GARRAY_CPU_ROW(op) ((op) < 224 ? (op) + 32 : (op) - 224)

/* The loops of one compute dtype (16-bit floats have only those that must see their bits; the others run in
 * float32), and its casts to each dtype. */
typedef struct garray__cpu_dtype {
    garray__cpu_loop *const *loop;      /* GARRAY_CPU_ROWS */
    const uint8_t *single;              /* GARRAY_CPU_ROWS; costly: the loop takes no single values */
    garray__cpu_cast *const *cast;      /* GARRAY_CPU_DTYPES */
} garray__cpu_dtype;

#define GARRAY_DTYPE(value, name, ...) GARRAY_ISA_DECLARE(const garray__cpu_dtype, garray__cpu_dtype_##name);
#include "core/dtypes.def"
#undef GARRAY_DTYPE

extern const garray__cpu_dtype *garray__cpu_dtypes[GARRAY_CPU_DTYPES];      /* of this processor's level */
void garray__cpu_dtypes_init(void);

/* Moves of items of 1, 2, 4, 8 and 16 bytes: index with garray__cpu_width(). */
typedef struct garray__cpu_moves {
    /* A rows x cols tile into contiguous memory, and back; steps in bytes. */
    void (*gather[5])(void *to, const void *from, int64_t row_step, int64_t col_step, int64_t rows,
                      int64_t cols);
    void (*scatter[5])(void *to, const void *from, int64_t row_step, int64_t col_step, int64_t rows,
                       int64_t cols);
    void (*fill[5])(void *to, const void *value, int64_t n);
    /* memcpy past the caches; done() orders what it wrote before what follows. */
    void (*stream)(void *to, const void *from, int64_t bytes);
    void (*stream_done)(void);
} garray__cpu_moves;

GARRAY_ISA_DECLARE(const garray__cpu_moves, garray__cpu_moves);
extern const garray__cpu_moves *garray__cpu_move;

static inline int garray__cpu_width(int itemsize)
{
    return itemsize == 1 ? 0 : itemsize == 2 ? 1 : itemsize == 4 ? 2 : itemsize == 8 ? 3 : 4;
}

static inline int garray__cpu_itemsize(int dtype)
{
    static const uint8_t sizes[GARRAY_CPU_DTYPES] = {
#define GARRAY_DTYPE(value, name, kind, bytes, ...) [value] = bytes,
#include "core/dtypes.def"
#undef GARRAY_DTYPE
    };
    return sizes[dtype];
}

#endif
