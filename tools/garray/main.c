/* SPDX-License-Identifier: BSD-3-Clause
 * garray: what the library is and runs on, whether it computes rightly here, and what is in files of arrays. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tool.h"

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary, *help;
} commands[] = {
    { "info", command_info, "what the library was built with and what it runs on",
      "garray info [--json]\n"
      "\n"
      "Version and build, processor, level of the CPU's loops, threads, BLAS and its kernels; the driver, the CUDA module,\n"
      "GPUs and NVIDIA's libraries, or why there is none.\n"
      "\n"
      "  --json    one JSON object instead of lines\n" },
    { "selftest", command_selftest, "whether the library computes rightly on this machine",
      "garray selftest [--device DEVICE] [--verbose]\n"
      "\n"
      "Runs the kernels of every dtype and layout, BLAS, LAPACK and transforms against plain loops; on an x86-64 CPU\n"
      "once for each level of its loops. Exit code 1 if any result is wrong.\n"
      "\n"
      "  --device DEVICE    cpu (default), cuda, cuda:1, auto\n"
      "  --verbose          a line for every check\n" },
    { "bench", command_bench, "how fast the library is on this machine",
      "garray bench [OPTION ...]\n"
      "\n"
      "Runs garray-bench, which prints a JSON line for each workload; garray bench --help lists its options.\n" },
    { "show", command_show, "the arrays of a file",
      "garray show [OPTION ...] FILE ...\n"
      "\n"
      "Dtype, shape and values of .npy, .npz and text files; FILE.npz:KEY is one array of an archive.\n"
      "\n"
      "  --header           dtypes and shapes alone\n"
      "  --all              every element, however many there are\n"
      "  --precision N      digits behind the point (8)\n"
      "  --suppress         no exponents\n" },
    { "diff", command_diff, "whether two files have the same arrays",
      "garray diff [OPTION ...] FILE1 FILE2\n"
      "\n"
      "Compares keys, shapes, dtypes and elements. Exit code 0 if they agree, 1 if they differ, 2 in trouble.\n"
      "\n"
      "  --rtol R           elements may differ by R times those of FILE2 (0)\n"
      "  --atol A           and by A (0)\n"
      "  --equal-nan        NaN is equal to NaN\n"
      "  --any-dtype        dtypes may differ\n"
      "  --quiet            nothing is written\n" },
    { "convert", command_convert, "files of arrays to other formats and dtypes",
      "garray convert [OPTION ...] FROM TO\n"
      "\n"
      "Formats go by the names: .npy, .npz, .csv, and .txt with white space between numbers. FILE.npz:KEY is one array of\n"
      "an archive. TO gets its name when it is complete.\n"
      "\n"
      "  --dtype DTYPE      elements as float32, int8 ...; of text: what is read (float64)\n"
      "  --fortran          the first axis fastest, in .npy and .npz\n"
      "  --compress         a compressed .npz\n"
      "  --fmt FORMAT       of text: a % format (as many digits as each number needs)\n"
      "  --skip N           lines at the beginning of text that are skipped\n" },
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const char *current = NULL;

static void complain_text(const char *format, va_list args)
{
    unwatch();
    progress(0, 0, "");
    fprintf(stderr, "garray%s%s: ", current ? " " : "", current ? current : "");
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

int complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain_text(format, args);
    va_end(args);
    return TROUBLE;
}

int complain_usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    complain_text(format, args);
    va_end(args);
    fprintf(stderr, "garray%s%s --help tells more\n", current ? " " : "", current ? current : "");
    return TROUBLE;
}

int complain_library(void)
{
    return complain("%s", garray_error_message());
}

bool read_integer(const char *option, const char *text, long long least, long long *value)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    if (errno == 0 && end != text && !*end && *value >= least)
        return true;
    complain_usage("%s: '%s' is no integer of at least %lld", option, text, least);
    return false;
}

bool read_real(const char *option, const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end != text && !*end && *value >= 0)
        return true;
    complain_usage("%s: '%s' is no number of at least 0", option, text);
    return false;
}

bool read_dtype(const char *option, const char *text, garray_dtype *value)
{
    for (int d = GARRAY_BOOL; d <= GARRAY_COMPLEX128; d++)
        if (strcmp(text, garray_dtype_name((garray_dtype)d)) == 0) {
            *value = (garray_dtype)d;
            return true;
        }
    complain_usage("%s: '%s' is no dtype", option, text);
    return false;
}

static void usage(FILE *to)
{
    fputs("garray COMMAND [OPTION ...]\n\n", to);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(to, "  %-9s %s\n", commands[i].name, commands[i].summary);
    fputs("\n  --version\n  --help     of a command: garray COMMAND --help\n\n"
          "Exit codes: 0, done, or the answer is yes; 1, the answer is no; 2, wrong arguments or trouble.\n", to);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        usage(stderr);
        return TROUBLE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        usage(stdout);
        return YES;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("garray %s\n", garray_version());
        return YES;
    }
    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(argv[1], commands[i].name) != 0)
            continue;
        current = commands[i].name;
        /* garray-bench has a help of its own */
        for (int k = 2; k < argc && commands[i].run != command_bench; k++)
            if (strcmp(argv[k], "--help") == 0 || strcmp(argv[k], "-h") == 0) {
                fputs(commands[i].help, stdout);
                return YES;
            }
        int code = commands[i].run(argc - 1, argv + 1);
        progress(0, 0, "");
        if (fflush(stdout) != 0 || ferror(stdout)) {
            complain("cannot write to standard output: %s", strerror(errno));
            code = TROUBLE;
        }
        return code;
    }
    return complain_usage("'%s' is no command", argv[1]);
}
