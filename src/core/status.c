/* SPDX-License-Identifier: BSD-3-Clause
 * The error text of each thread, names of statuses, and the user's log callback. */
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "core/status.h"
#include "core/thread.h"

GARRAY__THREAD const char *garray__call_name;
GARRAY__THREAD bool garray__quiet;

/* The text lies in the thread's record; where there is no memory for one, a short text in this buffer. */
static GARRAY__THREAD char short_text[160];
static GARRAY__THREAD char *text;
static GARRAY__THREAD uint32_t detail;  /* where the text behind the call's name begins */

static char *text_buffer(size_t *size)
{
    garray__thread *self = garray__self ? garray__self : garray__thread_new();
    *size = self ? sizeof self->text : sizeof short_text;
    return self ? self->text : short_text;
}

static void set_text(const char *name, const char *format, va_list args)
{
    /* Arguments may point into the present text (a backend's words quoted by core): compose aside. */
    char composed[GARRAY__TEXT_SIZE];
    size_t head = 0, size;
    if (garray__quiet)
        return;
    if (name) {
        size_t length = strlen(name);
        head = length < 200 ? length : 200;
        memcpy(composed, name, head);
        memcpy(composed + head, ": ", 2);
        head += 2;
    }
    vsnprintf(composed + head, sizeof composed - head, format, args);
    char *to = text_buffer(&size);
    snprintf(to, size, "%s", composed);
    text = to;
    detail = (uint32_t)head;
}

garray_status garray__fail(garray_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_text(garray__call_name, format, args);
    va_end(args);
    return status;
}

garray_status garray__fail_text(garray_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set_text(NULL, format, args);
    va_end(args);
    return status;
}

const char *garray__error_detail(void)
{
    return text ? text + (detail < strlen(text) ? detail : 0) : "";
}

void garray__clear_error(void)
{
    if (text && !garray__quiet)
        text[0] = 0;
    detail = 0;
}

const char *garray_error_message(void)
{
    return text ? text : "";
}

/* Called by a thread that gives its record back. */
void garray__text_forget(const garray__thread *self)
{
    if (text == self->text)
        text = NULL;
}

const char *garray_status_name(garray_status status)
{
    switch (status) {
#define NAME(name, number, words) \
    case GARRAY_##name:           \
        return "GARRAY_" #name;
        GARRAY_STATUS_LIST(NAME)
#undef NAME
    default:
        return "GARRAY_ERR_?";
    }
}

const char *garray_status_text(garray_status status)
{
    switch (status) {
#define TEXT(name, number, words) \
    case GARRAY_##name:           \
        return words;
        GARRAY_STATUS_LIST(TEXT)
#undef TEXT
    default:
        return "unknown status";
    }
}

/* ---- log ---- */
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static garray_log_fn log_fn;
static void *log_ctx;
static _Atomic bool log_wanted;

void garray_set_log(garray_log_fn fn, void *ctx)
{
    pthread_mutex_lock(&log_lock);
    log_fn = fn;
    log_ctx = ctx;
    atomic_store(&log_wanted, fn != NULL);
    pthread_mutex_unlock(&log_lock);
}

void garray__log_lock(void)
{
    pthread_mutex_lock(&log_lock);
}

void garray__log_unlock(void)
{
    pthread_mutex_unlock(&log_lock);
}

void garray__log(int level, const char *format, ...)
{
    if (!atomic_load_explicit(&log_wanted, memory_order_relaxed))
        return;
    char line[GARRAY__TEXT_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    pthread_mutex_lock(&log_lock);
    garray_log_fn fn = log_fn;
    void *ctx = log_ctx;
    pthread_mutex_unlock(&log_lock);
    if (fn)
        fn(ctx, (garray_log_level)level, line);
}
