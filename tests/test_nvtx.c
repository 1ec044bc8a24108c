/* SPDX-License-Identifier: BSD-3-Clause
 * NVTX ranges as a tool sees them (nvtx_tool.c): one per outermost public call, with its plans inside, and none without
 * GARRAY_NVTX. */
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>
#include "test.h"

/* The calls whose ranges are looked at, each between two lines of dashes. */
int test_child(void)
{
    garray_t *x = NULL, *y = NULL;
    garray_stream *stream = NULL;
    bool equal = false;
    if (garray_ones(GARRAY_SHAPE(250, 4), GARRAY_FLOAT32, test_device(), &x) != GARRAY_OK ||
        garray_stream_new(test_device(), &stream) != GARRAY_OK)
        return 1;
    if (write(1, "--\n", 3) != 3 || garray_add(x, x, &y) != GARRAY_OK)
        return 2;
    if (write(1, "--\n", 3) != 3 || garray_array_equal(x, y, false, &equal) != GARRAY_OK || equal)
        return 3;
    if (write(1, "--\n", 3) != 3 || garray_reshape(x, GARRAY_SHAPE(7), &y) != GARRAY_ERR_SHAPE)
        return 4;
    if (write(1, "--\n", 3) != 3)
        return 5;
    garray_release(x);
    garray_release(y);
    garray_stream_free(stream);
    return 0;
}

static int count(const char *text, const char *word)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        n++;
    return n;
}

/* What the child wrote; garray_nvtx is its variable GARRAY_NVTX. */
static char *traced(const char *garray_nvtx)
{
    char program[PATH_MAX] = "", tool[PATH_MAX + 64], ours[64];
    int status = -1;
    cr_assert(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
    snprintf(tool, sizeof tool, "NVTX_INJECTION64_PATH=%s/nvtx_tool.so", dirname(program));
    snprintf(ours, sizeof ours, "GARRAY_NVTX=%s", garray_nvtx);
    char *text = test_run_child((const char *const[]){ tool, ours, NULL }, &status);
    cr_assert(status == 0, "the child ended with %d; it wrote:\n%s", status, text);
    return text;
}

Test(nvtx, ranges)
{
    char *text = traced("1"), *part[6] = { text };
    for (int i = 1; i < 6; i++) {
        part[i] = i < 5 ? strstr(part[i - 1], "--\n") : NULL;
        if (part[i]) {
            *part[i] = 0;
            part[i] += 3;
        }
        cr_assert(part[i] || i == 5, "%d parts", i);
    }
    TEST_EXPECT(strstr(part[0], "push garray_ones -1\n"), "no range of the first call: %s", part[0]);
    /* 2 x 4000 bytes read, the same array twice, and 4000 written: at least one read */
    TEST_EXPECT(strncmp(part[1], "push garray_add -1\npush add ", 28) == 0 && count(part[1], "push") == 2 &&
                    count(part[1], "pop\n") == 2, "ranges of add: %s", part[1]);
    int bytes = atoi(strstr(part[1], "push add ") ? strstr(part[1], "push add ") + 9 : "0");
    TEST_EXPECT(bytes >= 8000 && bytes <= 12000, "add moves %d bytes", bytes);
    TEST_EXPECT(strncmp(part[2], "push garray_array_equal -1\n", 27) == 0 && count(part[2], "push garray_") == 1 &&
                    count(part[2], "push") > 2 && count(part[2], "push") == count(part[2], "pop\n"),
                "ranges of array_equal: %s", part[2]);
    TEST_EXPECT(strcmp(part[3], "push garray_reshape -1\npop\n") == 0, "ranges of a call that failed: %s", part[3]);
    TEST_EXPECT(test_on_gpu() ? count(part[0], "stream garray cuda:0 stream ") >= 2 : !strstr(part[0], "stream "), "names of streams: %s", part[0]);
    free(text);
}

Test(nvtx, off)
{
    for (int i = 0; i < 2; i++) {
        char *text = traced(i ? "0" : "");
        TEST_EXPECT(strcmp(text, "--\n--\n--\n--\n") == 0, "GARRAY_NVTX=%s: %s", i ? "0" : "", text);
        free(text);
    }
}
