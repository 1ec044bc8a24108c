/* SPDX-License-Identifier: BSD-3-Clause
 * What the dtype being compiled is.  A file that is compiled once per dtype is given GARRAY_DT (its name),
 * GARRAY_KIND (one of the K_ numbers), GARRAY_WIDTH (bits of a stored real, or of one part of a complex) and,
 * for the two 16-bit floats, GARRAY_IS_BFLOAT16.  From these come the types ct, rt and uct, and the words of
 * the classes column of ops.def: each keeps its argument or drops it. */
#ifndef GARRAY__KINDS_H
#define GARRAY__KINDS_H

#include <stdint.h>

#include "complex.h"
#include "inline.h"

#define K_BOOL 1
#define K_SINT 2
#define K_UINT 3
#define K_FLOAT 4
#define K_COMPLEX 5

#if !defined(GARRAY_KIND) || !defined(GARRAY_WIDTH)
#error "GARRAY_KIND and GARRAY_WIDTH describe the dtype being compiled"
#endif
#if GARRAY_KIND < K_BOOL || GARRAY_KIND > K_COMPLEX
#error "GARRAY_KIND must be one of the K_ numbers"
#endif
#ifndef GARRAY_IS_BFLOAT16
#define GARRAY_IS_BFLOAT16 0
#endif

/* ct: what the dtype is computed in.  rt: the part type of a complex dtype, ct otherwise.
 * uct: the unsigned type of an integer's width. */
#if GARRAY_KIND == K_BOOL
typedef uint8_t ct;
typedef uint8_t rt;
typedef uint8_t uct;
#elif GARRAY_KIND == K_SINT || GARRAY_KIND == K_UINT
#if GARRAY_WIDTH == 8
typedef uint8_t uct;
typedef int8_t garray__signed;
#elif GARRAY_WIDTH == 16
typedef uint16_t uct;
typedef int16_t garray__signed;
#elif GARRAY_WIDTH == 32
typedef uint32_t uct;
typedef int32_t garray__signed;
#else
typedef uint64_t uct;
typedef int64_t garray__signed;
#endif
#if GARRAY_KIND == K_SINT
typedef garray__signed ct;
typedef garray__signed rt;
#else
typedef uct ct;
typedef uct rt;
#endif
#elif GARRAY_KIND == K_FLOAT
#if GARRAY_WIDTH == 64
typedef double ct;
typedef double rt;
#else
typedef float ct;
typedef float rt;
#endif
#elif GARRAY_WIDTH == 64
typedef garray__c128 ct;
typedef double rt;
#else
typedef garray__c64 ct;
typedef float rt;
#endif

#define GARRAY__KEEP(...) __VA_ARGS__
#define GARRAY__DROP(...)

#define WHEN_ANY GARRAY__KEEP

#if GARRAY_KIND == K_BOOL
#define WHEN_NUMBER GARRAY__DROP
#else
#define WHEN_NUMBER GARRAY__KEEP
#endif

#if GARRAY_KIND == K_COMPLEX
#define WHEN_REALS GARRAY__DROP
#else
#define WHEN_REALS GARRAY__KEEP
#endif

#if GARRAY_KIND == K_BOOL || GARRAY_KIND == K_COMPLEX
#define WHEN_REAL GARRAY__DROP
#else
#define WHEN_REAL GARRAY__KEEP
#endif

#if GARRAY_KIND == K_FLOAT || GARRAY_KIND == K_COMPLEX
#define WHEN_INEXACT GARRAY__KEEP
#define WHEN_BITS GARRAY__DROP
#else
#define WHEN_INEXACT GARRAY__DROP
#define WHEN_BITS GARRAY__KEEP
#endif

#if GARRAY_KIND == K_FLOAT
#define WHEN_FLOAT GARRAY__KEEP
#else
#define WHEN_FLOAT GARRAY__DROP
#endif

#if (GARRAY_KIND == K_FLOAT || GARRAY_KIND == K_COMPLEX) && GARRAY_WIDTH == 64
#define WHEN_DOUBLES GARRAY__KEEP
#else
#define WHEN_DOUBLES GARRAY__DROP
#endif

#if GARRAY_KIND == K_SINT || GARRAY_KIND == K_UINT
#define WHEN_INTEGER GARRAY__KEEP
#else
#define WHEN_INTEGER GARRAY__DROP
#endif

#if GARRAY_KIND == K_UINT && GARRAY_WIDTH == 64
#define WHEN_UINT64 GARRAY__KEEP
#else
#define WHEN_UINT64 GARRAY__DROP
#endif

#endif
