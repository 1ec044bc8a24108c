/* SPDX-License-Identifier: BSD-3-Clause
 * As much of Criterion as the tests use, for builds in which it cannot run: its processes map memory where the thread
 * sanitizer keeps its own.  Each test is a forked child here, too. */
#ifndef GARRAY_TESTS_PLAIN_CRITERION_H
#define GARRAY_TESTS_PLAIN_CRITERION_H

#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct criterion_test_set {
    const char *suite, *name;
    void (*run)(void);
    void (*init)(void), (*fini)(void);
    double timeout;             /* left to whoever runs the program */
    struct criterion_test_set *next;
};

/* One of each in a program. */
__attribute__((weak)) struct criterion_test_set *criterion_tests;
__attribute__((weak)) int criterion_failures;
__attribute__((weak)) const char *criterion_filter;

#define Test(test_suite, test_name, ...)                                                                     \
    static void test_suite##_##test_name##_run(void);                                                        \
    static struct criterion_test_set test_suite##_##test_name##_test = {                                     \
        .suite = #test_suite, .name = #test_name, .run = test_suite##_##test_name##_run, __VA_ARGS__         \
    };                                                                                                       \
    __attribute__((constructor)) static void test_suite##_##test_name##_add(void)                            \
    {                                                                                                        \
        test_suite##_##test_name##_test.next = criterion_tests;                                              \
        criterion_tests = &test_suite##_##test_name##_test;                                                  \
    }                                                                                                        \
    static void test_suite##_##test_name##_run(void)

/* The message is optional. */
#define CRITERION_FAILED(text, ...)                                                                          \
    (fprintf(stderr, "%s:%d: %s ", __FILE__, __LINE__, text), fprintf(stderr, "" __VA_ARGS__), fputc('\n', stderr))
#define cr_expect(condition, ...)                                                                            \
    ((condition) ? (void)0 : (void)(criterion_failures++, CRITERION_FAILED(#condition, __VA_ARGS__)))
#define cr_assert(condition, ...) ((condition) ? (void)0 : (CRITERION_FAILED(#condition, __VA_ARGS__), exit(1)))
#define cr_assert_not(condition, ...) cr_assert(!(condition), __VA_ARGS__)
#define cr_assert_eq(a, b, ...) cr_assert((a) == (b), __VA_ARGS__)
#define cr_assert_neq(a, b, ...) cr_assert((a) != (b), __VA_ARGS__)
#define cr_assert_geq(a, b, ...) cr_assert((a) >= (b), __VA_ARGS__)
#define cr_assert_leq(a, b, ...) cr_assert((a) <= (b), __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...) cr_assert(strcmp(a, b) == 0, __VA_ARGS__)

static inline struct criterion_test_set *criterion_initialize(void)
{
    return criterion_tests;
}

/* --filter PATTERN, where a test is called suite/name. */
static inline int criterion_handle_args(int argc, char **argv, bool unknown)
{
    (void)unknown;
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "--filter") == 0)
            criterion_filter = argv[i + 1];
    return 1;
}

static inline int criterion_run_all_tests(const struct criterion_test_set *tests)
{
    int failed = 0, count = 0;
    for (const struct criterion_test_set *t = tests; t; t = t->next) {
        char name[200];
        int status = 0;
        snprintf(name, sizeof name, "%s/%s", t->suite, t->name);
        if (criterion_filter && fnmatch(criterion_filter, name, 0) != 0)
            continue;
        count++;
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            if (t->init)
                t->init();
            t->run();
            if (t->fini)
                t->fini();
            exit(criterion_failures != 0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
            fprintf(stderr, "%s failed, status %#x\n", name, (unsigned)status);
            failed++;
        }
    }
    printf("%d tests, %d failed\n", count, failed);
    return count > 0 && failed == 0;
}

static inline void criterion_finalize(struct criterion_test_set *tests)
{
    (void)tests;
}

#endif
