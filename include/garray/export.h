/* SPDX-License-Identifier: BSD-3-Clause
 * How public names are declared: visibility, C linkage, compiler attributes. */
#ifndef GARRAY_EXPORT_H
#define GARRAY_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define GARRAY_API __attribute__((visibility("default"))) /* exported */
#define GARRAY_MUST_USE __attribute__((warn_unused_result)) /* a result that must be used */
#define GARRAY_PRINTF(format, first) __attribute__((format(printf, format, first))) /* arguments as printf has them */
#else
#define GARRAY_API
#define GARRAY_MUST_USE
#define GARRAY_PRINTF(format, first)
#endif

#ifdef __cplusplus
#define GARRAY_BEGIN extern "C" {
#define GARRAY_END }
#else
#define GARRAY_BEGIN /* declarations with C linkage follow, */
#define GARRAY_END /* and end here */
#endif

/* The largest number of axes. */
#define GARRAY_MAX_NDIM 64

/* An array: shape, dtype, byte strides and a share of a buffer on one device. Shape, strides and dtype of a
 * handle never change; `const garray_t *` says that the call leaves the handle alone. */
typedef struct garray_t garray_t;

#endif
