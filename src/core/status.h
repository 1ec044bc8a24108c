/* SPDX-License-Identifier: BSD-3-Clause
 * Failure inside the library: this thread's error text, the name of the public call it belongs to, and the
 * macros that pass a status on.
 *
 *     garray_status garray_foo(const garray_t *x, garray_t **out)
 *     {
 *         GARRAY_ENTER("garray_foo");                   first in every public function that can fail
 *         garray_status st = GARRAY_OK;
 *         garray_t *tmp = NULL;
 *         GARRAY_REQUIRE(x, INVALID, "x is NULL");      before the first acquisition
 *         GARRAY__TRY(garray__contiguous(x, &tmp));
 *         ...
 *     done:
 *         garray_release(tmp);
 *         return st;
 *     }
 *
 * A text reads "garray_foo: x is NULL": the prefix is the outermost public call of this thread, whatever
 * helper failed, so texts given to garray__fail() do not name a function.  A public function that calls
 * another one therefore keeps its own name in front. */
#ifndef GARRAY_CORE_STATUS_H
#define GARRAY_CORE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "core/trace.h"
#include "garray/status.h"

/* All thread-local data of the library is small enough for the static block, also when it is opened at run
 * time. */
#define GARRAY__THREAD _Thread_local __attribute__((tls_model("initial-exec")))

#define GARRAY__LIKELY(x) __builtin_expect(!!(x), 1)
#define GARRAY__UNLIKELY(x) __builtin_expect(!!(x), 0)

/* The outermost public call of this thread, NULL outside; a string that lives as long as the call. */
extern GARRAY__THREAD const char *garray__call_name;

static inline const char *garray__enter(const char *name)
{
    const char *outer = garray__call_name;
    if (!outer) {
        garray__call_name = name;
        if (GARRAY__UNLIKELY(garray__traced))
            garray__trace_begin(name);
    }
    return outer;
}

static inline void garray__leave(const char **outer)
{
    if (GARRAY__UNLIKELY(garray__traced) && !*outer)
        garray__trace_end();
    garray__call_name = *outer;
}

/* Costs a load, a compare and two stores of a thread-local pointer (below 1 ns). */
#define GARRAY_ENTER(name)                                                                                   \
    __attribute__((cleanup(garray__leave), unused)) const char *garray__outer = garray__enter(name)

/* Sets this thread's error text (printf format) and returns status.  Allocates nothing, takes no lock. */
garray_status garray__fail(garray_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* As garray__fail, but the whole text is given: no name is put in front. */
garray_status garray__fail_text(garray_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* GARRAY__QUIETLY: until the end of the scope failures leave the error text alone.  For what is tried and may fail
 * without the caller's notice, above all while memory is given back behind a call that has failed. */
extern GARRAY__THREAD bool garray__quiet;

static inline void garray__unquiet(const bool *outer)
{
    garray__quiet = *outer;
}

#define GARRAY__QUIETLY                                                                                      \
    __attribute__((cleanup(garray__unquiet), unused)) const bool garray__was_quiet = garray__quiet;          \
    garray__quiet = true

/* The part of this thread's error text behind the name of the call. */
const char *garray__error_detail(void);

/* Drops the text of a failure that has been dealt with. */
void garray__clear_error(void);

#define GARRAY_REQUIRE(condition, STATUS, ...)                                                               \
    do {                                                                                                     \
        if (GARRAY__UNLIKELY(!(condition)))                                                                  \
            return garray__fail(GARRAY_ERR_##STATUS, __VA_ARGS__);                                           \
    } while (0)

/* What every function does with its options first: all that lies behind `first`, the first reserved word of the
 * struct, is 0.  NULL are the defaults. */
#define GARRAY_REQUIRE_OPTIONS(opts, first)                                                                  \
    GARRAY_REQUIRE(!(opts) || garray__zero_from(opts, offsetof(__typeof__(*(opts)), first), sizeof *(opts)), \
                   INVALID,                                                                                  \
                   "a reserved word of the options is not 0: they must begin as {0}, as with GARRAY_KW()")

static inline bool garray__zero_from(const void *object, size_t begin, size_t size)
{
    uint32_t bits = 0, word;
    for (size_t at = begin; at < size; at += sizeof word) {
        memcpy(&word, (const char *)object + at, sizeof word);
        bits |= word;
    }
    return bits == 0;
}

/* In a function with `garray_status st` and the label done. */
#define GARRAY__TRY(expression)                                                                              \
    do {                                                                                                     \
        st = (expression);                                                                                   \
        if (GARRAY__UNLIKELY(st != GARRAY_OK))                                                               \
            goto done;                                                                                       \
    } while (0)

/* As GARRAY_REQUIRE, but behind the first acquisition: sets st and jumps to done. */
#define GARRAY__CHECK(condition, STATUS, ...)                                                                \
    do {                                                                                                     \
        if (GARRAY__UNLIKELY(!(condition))) {                                                                \
            st = garray__fail(GARRAY_ERR_##STATUS, __VA_ARGS__);                                             \
            goto done;                                                                                       \
        }                                                                                                    \
    } while (0)

/* For the fork handlers of the device registry. */
void garray__log_lock(void);
void garray__log_unlock(void);

/* Hands a line to the user's log callback, if there is one.  Never called with a lock held. */
void garray__log(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
