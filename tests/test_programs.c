/* SPDX-License-Identifier: BSD-3-Clause
 * Random programs of public calls (programs.h): streams, events, DLPack, memory lent, two devices; with and without
 * failing calls.  tools/soak runs as many more as one likes. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "programs.h"

#if defined(__has_feature)
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer) || HAS_FEATURE(thread_sanitizer)
enum { SLOWER = 20 };
#else
enum { SLOWER = 1 };
#endif

static void run(const program_opts *opts, int64_t *calls)
{
    const char *wrong = program_run(opts, calls);
    cr_assert(!wrong, "%s", wrong);
}

/* Seeds first, first + 1 ...; GARRAY_TEST_PROGRAMS in the environment multiplies their number. */
static void run_all(uint64_t first, int64_t count)
{
    const char *factor = getenv("GARRAY_TEST_PROGRAMS");
    count = (int64_t)((double)count / SLOWER * (factor && atof(factor) > 0 ? atof(factor) : 1));
    cr_assert_eq(garray_set_num_threads(1), GARRAY_OK);
    for (int64_t i = 0; i < count; i++)
        run(&(program_opts){ .seed = first + (uint64_t)i }, NULL);
}

Test(programs, first_half, .timeout = 300) { run_all(1, 30000); }
Test(programs, second_half, .timeout = 300) { run_all(1000001, 30000); }

/* Each program runs well first; then, of its calls of the backend, some k fails, in each of three ways. */
static void run_failing(uint64_t first, int64_t count)
{
    cr_assert_eq(garray_set_num_threads(1), GARRAY_OK);
    for (int64_t i = 0; i < count / SLOWER; i++) {
        program_opts opts = { .seed = first + (uint64_t)i };
        int64_t calls;
        run(&opts, &calls);
        const int64_t k[] = { 1, 2, 3, 5, 8, 13, 21, calls / 3, calls / 2, calls - 1, calls };
        for (size_t j = 0; j < sizeof k / sizeof *k; j++) {
            opts.fail_at = k[j] > 0 ? k[j] : 1;
            for (int way = 0; way < 3; way++) {
                if (way && j % 3 != (size_t)i % 3)
                    continue;
                opts.for_ever = way > 0;
                opts.sticky = way > 1;
                run(&opts, NULL);
            }
        }
    }
}

Test(programs, one_call_fails, .timeout = 300) { run_failing(2000001, 700); }
Test(programs, later_calls_fail_too, .timeout = 300) { run_failing(3000001, 700); }

/* Of a few programs, every call fails in turn. */
Test(programs, each_call_fails, .timeout = 300)
{
    cr_assert_eq(garray_set_num_threads(1), GARRAY_OK);
    for (uint64_t seed = 4000001; seed < 4000001 + 40 / SLOWER + 1; seed++) {
        program_opts opts = { .seed = seed };
        int64_t calls;
        run(&opts, &calls);
        for (opts.fail_at = 1; opts.fail_at <= calls; opts.fail_at++) {
            opts.for_ever = opts.sticky = false;
            run(&opts, NULL);
            opts.for_ever = true;
            run(&opts, NULL);
            opts.sticky = opts.fail_at % 2;
            run(&opts, NULL);
        }
    }
}
