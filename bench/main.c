/* SPDX-License-Identifier: BSD-3-Clause
 * garray-bench: times the workloads and prints a JSON line for each. */
#include <getopt.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "bench.h"

static const char usage[] =
    "garray-bench: times the library's workloads, one JSON line each\n"
    "\n"
    "  --device cpu|cuda|cuda:N   where (default: cpu)\n"
    "  --threads N                threads of the CPU backend (default: the processors this process may use)\n"
    "  --bytes B                  size of one large float32 vector, as 128000000, 128M or 0.5G\n"
    "                             (default: 4 x the last-level cache on the CPU, 400M on a GPU)\n"
    "  --only TEXT[,TEXT]         only cases whose name contains one of these\n"
    "  --skip TEXT[,TEXT]         no cases whose name contains one of these\n"
    "  --family NAME[,NAME]       ceilings, elementwise, layout, reductions, indexing, sorting, products, linalg,\n"
    "                             random, small, transfers, sweep\n"
    "  --repeats N                samples per case at most (default: 9)\n"
    "  --budget SECONDS           time for one case (default: 4)\n"
    "  --list                     print the cases with their sizes and stop\n"
    "  --help\n"
    "\n"
    "Exit codes: 0; 1, a case failed; 2, wrong arguments or no such device.\n"
    "Fields: ms, median time of one call (on a GPU between device events, the queue filled beforehand); min_ms, the\n"
    "fastest sample; call_ms, median wall time of a call that is waited for; bytes and flops, what the case must move\n"
    "and compute at least.  Inputs are resident, results go to memory that is there, unless the name says alloc.\n";

struct options {
    garray_device device;
    struct sizes sizes;
    const char *device_text, *only, *skip, *family;
    int repeats, threads;
    int cases, done;                    /* of all cases: the bar's */
    double budget;
    bool list, count, failed;
};

static bool contains_one(const char *name, const char *texts, bool whole)
{
    while (*texts) {
        size_t n = strcspn(texts, ",");
        char text[64];
        snprintf(text, sizeof text, "%.*s", (int)n, texts);
        if (n && (whole ? strcmp(name, text) == 0 : strstr(name, text) != NULL))
            return true;
        texts += n + (texts[n] == ',');
    }
    return false;
}

static const char *current_family;

/* How far it is, on standard error where that is a terminal and the results go elsewhere. */
static void progress(const struct options *o, const char *name)
{
    enum { WIDTH = 30 };
    char bar[WIDTH + 1] = "";
    if (!isatty(STDERR_FILENO) || isatty(STDOUT_FILENO))
        return;
    for (int i = 0; i < WIDTH; i++)
        bar[i] = i < o->done * WIDTH / o->cases ? '#' : '.';
    if (*name)
        fprintf(stderr, "\r\033[K[%s] %d of %d, %.40s", bar, o->done + 1, o->cases, name);
    else
        fputs("\r\033[K", stderr);
}

static void print_text(const char *text)
{
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text >= ' ')
            putchar(*text);
}

static void one_case(struct bench_case *c, void *ctx)
{
    struct options *o = ctx;
    struct timing t;
    if (*o->only && !contains_one(c->name, o->only, false))
        return;
    if (contains_one(c->name, o->skip, false))
        return;
    if (o->count) {
        o->cases++;
        return;
    }
    printf("{\"case\": \"%s\", \"lib\": \"garray\", \"family\": \"%s\", \"device\": \"%s\", \"n\": %" PRId64 ", \"dtype\": \"%s\"",
           c->name, current_family, o->device_text, c->n, garray_dtype_name(c->dtype));
    if (o->list) {
        printf(", \"bytes\": %.0f, \"flops\": %.0f, \"inner\": %d}\n", c->bytes, c->flops, c->inner);
        return;
    }
    progress(o, c->name);
    o->done++;
    c->device = o->device;
    c->rng = (garray_rng)GARRAY_RNG(12345);
    garray_status st = c->threads ? garray_set_num_threads(c->threads) : GARRAY_OK;
    if (st == GARRAY_OK && c->setup)
        st = c->setup(c);
    if (st == GARRAY_OK)
        st = bench_measure(c, o->repeats, o->budget, &t);
    if (st == GARRAY_OK) {
        printf(", \"ms\": %.6f, \"min_ms\": %.6f, \"call_ms\": %.6f, \"inner\": %d, \"bytes\": %.0f, \"flops\": %.0f",
               t.ms, t.min_ms,
               t.call_ms, t.inner, c->bytes, c->flops);
        if (t.samples == 1)
            printf(", \"note\": \"one sample\"");
    } else {
        o->failed = true;
        printf(", \"error\": \"%s: ", garray_status_name(st));
        print_text(garray_error_message());
        printf("\"");
    }
    printf("}\n");
    fflush(stdout);
    garray_release(c->a);
    garray_release(c->b);
    garray_release(c->c);
    garray_release(c->d);
    garray_release(c->out);
    garray_release(c->out2);
    garray_release(c->out3);
    if (c->host && c->drop)
        c->drop(c->host);
    free(c->host);
    if (c->threads && garray_set_num_threads(o->threads) != GARRAY_OK)
        o->failed = true;
    if (garray_memory_trim(o->device) != GARRAY_OK)
        o->failed = true;
}

static bool parse_bytes(const char *text, int64_t *bytes)
{
    char *end;
    double value = strtod(text, &end);
    double unit = *end == 'K' || *end == 'k' ? 1e3 : *end == 'M' || *end == 'm' ? 1e6 : *end == 'G' || *end == 'g' ? 1e9 : 1;
    *bytes = (int64_t)(value * unit);
    return end != text && (!*end || !end[1]) && value > 0;
}

static bool parse_number(const char *option, const char *text, double least, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end != text && !*end && *value >= least && *value <= 1e6)
        return true;
    fprintf(stderr, "garray-bench: %s: '%s' is no number of at least %g\n", option, text, least);
    return false;
}

/* The last-level cache of processor 0, 64 MB if the system does not tell. */
static int64_t cache_bytes(void)
{
    int64_t best = 0;
    for (int i = 0; i < 8; i++) {
        char path[96], text[32];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        FILE *f = fopen(path, "r");
        if (!f)
            break;
        if (fgets(text, sizeof text, f)) {
            int64_t size = strtoll(text, NULL, 10) * (strchr(text, 'M') ? 1 << 20 : 1 << 10);
            best = size > best ? size : best;
        }
        fclose(f);
    }
    return best ? best : 64 << 20;
}

static void print_header(const struct options *o, int64_t cache)
{
    char name[256], date[16], cpu[256] = "";
    time_t now = time(NULL);
    const struct sizes *s = &o->sizes;
    strftime(date, sizeof date, "%Y-%m-%d", localtime(&now));
    if (garray_device_name(o->device, name, sizeof name) != GARRAY_OK || garray_device_name(GARRAY_CPU, cpu,
                                                                                            sizeof cpu) != GARRAY_OK)
        name[0] = 0;
    printf("{\"header\": true, \"lib\": \"garray\", \"device\": \"%s\", \"versions\": {\"garray\": \"%s\"}, \"threads\": %d, \"cpu\": \"",
           o->device_text, garray_version(), garray_num_threads());
    print_text(cpu);
    printf("\", \"cache_bytes\": %" PRId64 ", \"gpu\": ", cache);
    if (s->gpu) {
        printf("\"");
        print_text(name);
        printf("\"");
    } else {
        printf("null");
    }
    printf(", \"bytes\": %" PRId64 ", \"sizes\": {\"N\": %" PRId64 ", \"R\": %" PRId64 ", \"Q\": %" PRId64 ", \"sort\": %" PRId64
           ", \"matmul\": %" PRId64 ", \"linalg\": %" PRId64 "}, \"date\": \"%s\"}\n", 4 * s->N, s->N, s->R, s->Q, s->sort, s->matmul,
           s->linalg, date);
    fflush(stdout);
}

static const struct {
    const char *name;
    void (*cases)(const struct sizes *, bench_emit *, void *);
} families[] = {
    { "ceilings", bench_ceilings }, { "elementwise", bench_elementwise }, { "layout", bench_layout }, { "reductions",
                                                                                                        bench_reductions },
    { "indexing", bench_indexing }, { "sorting", bench_sorting }, { "products", bench_products }, { "linalg", bench_linalg },
    { "fft", bench_fft },
    { "signal", bench_signal },
    { "random", bench_random }, { "small", bench_small }, { "transfers", bench_transfers }, { "sweep", bench_sweep },
};

int main(int argc, char **argv)
{
    enum { DEVICE = 1, THREADS, BYTES, ONLY, SKIP, FAMILY, REPEATS, BUDGET, LIST, HELP };
    static const struct option table[] = {
        { "device", required_argument, NULL, DEVICE }, { "threads", required_argument, NULL, THREADS },
        { "bytes", required_argument, NULL, BYTES }, { "only", required_argument, NULL, ONLY }, { "skip",
                                                                                                  required_argument, NULL, SKIP },
        { "family", required_argument, NULL, FAMILY }, { "repeats", required_argument, NULL, REPEATS },
        { "budget", required_argument, NULL, BUDGET }, { "list", no_argument, NULL, LIST }, { "help", no_argument, NULL, HELP },
        { NULL, 0, NULL, 0 },
    };
    struct options o = { .device_text = "cpu", .only = "", .skip = "", .family = "", .repeats = 9, .budget = 4 };
    int64_t bytes = 0;
    double number;
    for (int c; (c = getopt_long(argc, argv, "", table, NULL)) != -1;) {
        switch (c) {
        case DEVICE: o.device_text = optarg; break;
        case THREADS:
            if (!parse_number("--threads", optarg, 0, &number))
                return 2;
            o.threads = (int)number;
            break;
        case BYTES:
            if (!parse_bytes(optarg, &bytes)) {
                fprintf(stderr, "garray-bench: '%s' is not a size\n", optarg);
                return 2;
            }
            break;
        case ONLY: o.only = optarg; break;
        case SKIP: o.skip = optarg; break;
        case FAMILY: o.family = optarg; break;
        case REPEATS:
            if (!parse_number("--repeats", optarg, 1, &number))
                return 2;
            o.repeats = (int)number;
            break;
        case BUDGET:
            if (!parse_number("--budget", optarg, 0, &o.budget))
                return 2;
            break;
        case LIST: o.list = true; break;
        case HELP: fputs(usage, stdout); return 0;
        default: return 2;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "garray-bench: '%s' is not expected\n", argv[optind]);
        return 2;
    }
    if (o.list) {
        o.device.type = strncmp(o.device_text, "cuda", 4) == 0 ? GARRAY_DEVICE_CUDA : GARRAY_DEVICE_CPU;
    } else {
        if (garray_device_parse(o.device_text, &o.device) != GARRAY_OK || garray_set_num_threads(o.threads) != GARRAY_OK) {
            fprintf(stderr, "garray-bench: %s\n", garray_error_message());
            return 2;
        }
    }
    bool gpu = o.device.type == GARRAY_DEVICE_CUDA;
    int64_t cache = cache_bytes(), free_memory = (int64_t)sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);
    if (!bytes)
        bytes = gpu ? 400000000 : 4 * cache < free_memory / 16 ? 4 * cache : free_memory / 16;
    o.sizes = bench_sizes(gpu, bytes);
    if (gpu)
        o.device_text = "cuda";
    if (!o.list)
        print_header(&o, cache);
    for (int counts = !o.list; counts >= 0; counts--) {
        o.count = counts;
        for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
            current_family = families[i].name;
            if (!*o.family || contains_one(current_family, o.family, true))
                families[i].cases(&o.sizes, one_case, &o);
        }
    }
    progress(&o, "");
    return o.failed;
}
