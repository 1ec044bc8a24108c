/* SPDX-License-Identifier: BSD-3-Clause
 * Status codes, the error text, and the two macros that pass a status on. */
#ifndef GARRAY_STATUS_H
#define GARRAY_STATUS_H

#include <garray/export.h>
#include <stdio.h>

/* Every code: name, number (fixed for ever), text. Comments write SHAPE for GARRAY_ERR_SHAPE. INVALID to
 * MIXED_DEVICES, UNSUPPORTED and READONLY are mistakes of the caller and leave everything untouched.
 * NO_DEVICE means that the device cannot be used here (go on with the CPU), DEVICE_LOST that it was usable
 * and is not any more. NOMEM is host memory, DEVICE_NOMEM device memory or the limit set for it. */
#define GARRAY_STATUS_LIST(X) \
    X(OK, 0, "success") \
    X(ERR_INVALID, 1, "invalid argument") \
    X(ERR_SHAPE, 2, "shapes do not fit") \
    X(ERR_DTYPE, 3, "dtype not allowed here") \
    X(ERR_AXIS, 4, "axis out of range or repeated") \
    X(ERR_INDEX, 5, "index out of range or malformed") \
    X(ERR_MIXED_DEVICES, 6, "arrays of different devices in one call") \
    X(ERR_NO_DEVICE, 7, "device not available") \
    X(ERR_DEVICE_LOST, 8, "device failed") \
    X(ERR_NOMEM, 9, "out of memory") \
    X(ERR_DEVICE_NOMEM, 10, "out of device memory") \
    X(ERR_UNSUPPORTED, 11, "not supported here") \
    X(ERR_READONLY, 12, "array is read-only") \
    X(ERR_IO, 13, "input or output failed") \
    X(ERR_FORMAT, 14, "malformed data") \
    X(ERR_SINGULAR, 15, "matrix is singular or not positive definite") \
    X(ERR_NOCONVERGE, 16, "iteration did not converge") \
    X(ERR_FORKED, 17, "device of the parent process used in a forked child") \
    X(ERR_INTERNAL, 18, "internal error")

typedef enum /* how a call ended */
#ifdef __cplusplus
[[nodiscard]]
#endif
{
#define GARRAY__ENUMERATOR(name, number, text) GARRAY_##name = number,
    GARRAY_STATUS_LIST(GARRAY__ENUMERATOR)
#undef GARRAY__ENUMERATOR
    GARRAY_STATUS_MAX_ENUM = 0x7fffffff /* makes the enum 32 bits wide */
} garray_status;

/* The head of every function that can fail: exported, and its result must be used. */
#define GARRAY_STATUS GARRAY_API GARRAY_MUST_USE garray_status

GARRAY_BEGIN

/* The message of this thread's last failed call, in NumPy's terms: "garray_add: shapes (3,4) and (5,) do not
 * broadcast". Valid until this thread's next failure; "" before the first. A success leaves it as it was.
 * A fault that a device reports late names its call: "earlier: garray_take: index 9 out of bounds ...". */
GARRAY_API const char *garray_error_message(void);

/* The name of a status, "GARRAY_ERR_SHAPE"; "GARRAY_ERR_?" for a number that is none. */
GARRAY_API const char *garray_status_name(garray_status status);

/* What a status means in a few words, "shapes do not fit". */
GARRAY_API const char *garray_status_text(garray_status status);

GARRAY_END

/* In a function that returns garray_status: return at once unless the call succeeds. */
#define GARRAY_TRY(...) \
    do { \
        garray_status garray_st_ = (__VA_ARGS__); \
        if (garray_st_ != GARRAY_OK) \
            return garray_st_; \
    } while (0)

/* In main, or another function that returns int: unless the call succeeds, write file, line and message to
 * stderr and return 1. */
#define GARRAY_CHECK(...) \
    do { \
        if ((__VA_ARGS__) != GARRAY_OK) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, garray_error_message()); \
            return 1; \
        } \
    } while (0)

#endif
