/* SPDX-License-Identifier: BSD-3-Clause
 * Out of memory: each call of a list is made again and again while the k-th allocation of the library fails,
 * once or from then on, until a run meets no failure.  A failed call gives NOMEM, leaves its result alone and
 * leaks nothing, and the same call works as soon as there is memory.  The linker sends the library's
 * allocations here (--wrap). */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/dlpack_abi.h"
#include "test.h"
#include <garray/scope.h>

/* ---- failing allocations ---- */

static long countdown;          /* the allocation that fails, counted from 1; 0: none */
static bool for_ever, failed;
static long live;               /* blocks from malloc() and its like that the library holds */

static bool fails(void)
{
    if (countdown == 0)
        return false;
    if (countdown > 1) {
        countdown--;
        return false;
    }
    if (!for_ever)
        countdown = 0;
    failed = true;
    errno = ENOMEM;
    return true;
}

static void *counted(void *p)
{
    live += p != NULL;
    return p;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *p);
void *__real_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                          void *argument);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *p);
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                          void *argument);

void *__wrap_malloc(size_t size) { return fails() ? NULL : counted(__real_malloc(size)); }
void *__wrap_calloc(size_t n, size_t size) { return fails() ? NULL : counted(__real_calloc(n, size)); }
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : counted(__real_aligned_alloc(alignment, size));
}
void *__wrap_realloc(void *old, size_t size)
{
    if (fails())
        return NULL;
    void *p = __real_realloc(old, size);
    live += p && !old;
    return p;
}
void __wrap_free(void *p)
{
    live -= p != NULL;
    __real_free(p);
}
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    return fails() ? MAP_FAILED : __real_mmap(address, size, protection, flags, fd, offset);
}
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                          void *argument)
{
    return fails() ? EAGAIN : __real_pthread_create(thread, attributes, start, argument);
}

/* ---- the calls ---- */

static garray_t *x, *y, *ints, *mask, *square, *turned, *out;
static garray_rng rng = { .seed = 5 };
static char path[64];

/* Each assigns to out or releases what it makes. */
#define CALL(name, ...) \
    static garray_status name(void) { return __VA_ARGS__; }
CALL(zeros, garray_zeros(GARRAY_SHAPE(50, 70), GARRAY_FLOAT64, GARRAY_CPU, &out))
CALL(big_zeros, garray_zeros(GARRAY_SHAPE(1 << 20), GARRAY_FLOAT64, GARRAY_CPU, &out))
CALL(full, garray_full(GARRAY_SHAPE(6, 8), x, GARRAY_FLOAT32, GARRAY_CPU, &out))
CALL(arange, garray_arange(0, 10, 1, GARRAY_INT16, GARRAY_CPU, &out))
CALL(linspace, garray_linspace(0, 10, 11, NULL, GARRAY_CPU, &out))
CALL(eye, garray_eye(4, 4, 0, GARRAY_FLOAT32, GARRAY_CPU, &out))
CALL(from_host, garray_from_host(&(int){ 4 }, GARRAY_INT32, GARRAY_SHAPE(1), NULL, GARRAY_CPU, &out))
CALL(add, garray_add(x, y, &out))
CALL(add_mixed, garray_add(x, ints, &out))
CALL(less_mixed, garray_less(ints, GARRAY_MT(square), &out))
CALL(where, garray_where(ints, x, 0, &out))
CALL(clip, garray_clip(x, 0, y, &out))
CALL(conjugate, garray_add(GARRAY_MH(square), 1, &out))
CALL(copy, garray_copy(turned, &out))
CALL(astype, garray_astype(turned, GARRAY_INT8, &out))
CALL(reshape, garray_reshape(turned, GARRAY_SHAPE(-1), &out))
CALL(permute, garray_permute_dims(x, GARRAY_ALL_AXES, &out))
CALL(broadcast, garray_broadcast_to(x, GARRAY_SHAPE(3, 6, 8), &out))
CALL(concat, garray_concat(GARRAY_LIST(x, y, x), 0, &out))
CALL(stack, garray_stack(GARRAY_LIST(x, y), 1, &out))
CALL(getitem, garray_getitem(x, GARRAY_AT(GARRAY_RANGE(1, 3), GARRAY_REVERSED), &out))
CALL(getitem_mask, garray_getitem(x, GARRAY_AT(mask), &out))
CALL(getitem_array, garray_getitem(x, GARRAY_AT(GARRAY_ALL, ints), &out))
CALL(take, garray_take(x, ints, GARRAY_AXES(1), &out))
CALL(take_mode, garray_take_mode(x, ints, GARRAY_ALL_AXES, GARRAY_MODE_WRAP, &out))
CALL(choose, garray_choose(ints, 3, GARRAY_OPERANDS(1, 2.5, 3), GARRAY_MODE_CLIP, &out))
CALL(argwhere, garray_argwhere(x, &out))
CALL(ufunc_reduce, garray_ufunc_reduce(GARRAY_OP_hypot, x, GARRAY_AXES(0), NULL, &out))
CALL(ufunc_accumulate, garray_ufunc_accumulate(GARRAY_OP_divide, x, 0, NULL, &out))
CALL(ufunc_reduceat, garray_ufunc_reduceat(GARRAY_OP_multiply, x, ints, 1, NULL, &out))
CALL(ufunc_outer, garray_ufunc_outer(GARRAY_OP_add, x, ints, NULL, &out))
CALL(put, garray_put(y, ints, turned, GARRAY_MODE_WRAP))
CALL(place, garray_place(y, mask, x))
CALL(scatter_add, garray_scatter_add(y, GARRAY_AT(GARRAY_ALL, ints), 1))
CALL(ufunc_at, garray_ufunc_at(GARRAY_OP_divide, y, GARRAY_AT(GARRAY_ALL, ints), 2))
CALL(sum, garray_sum(x, GARRAY_AXES(0), NULL, &out))
CALL(sum_all, garray_sum(turned, GARRAY_ALL_AXES, NULL, &out))
CALL(mean, garray_mean(x, GARRAY_AXES(1), GARRAY_KW(reduce, .keepdims = true), &out))
CALL(var, garray_var(x, GARRAY_ALL_AXES, NULL, &out))
CALL(argmax, garray_argmax(x, GARRAY_AXES(0), NULL, &out))
CALL(cumulative, garray_cumulative_sum(x, GARRAY_AXES(0), NULL, &out))
CALL(sort, garray_sort(turned, 0, NULL, &out))
CALL(argsort, garray_argsort(x, 1, NULL, &out))
CALL(matmul, garray_matmul(square, GARRAY_MT(square), &out))
CALL(solve, garray_linalg_solve(square, square, &out))
CALL(cholesky, garray_linalg_cholesky(square, NULL, &out))
CALL(eigvalsh, garray_linalg_eigvalsh(square, NULL, &out))
CALL(uniform, garray_random_uniform(&rng, 0, 1, GARRAY_SHAPE(9), GARRAY_FLOAT32, GARRAY_CPU, &out))
CALL(normal, garray_random_normal(&rng, 0, 1, GARRAY_SHAPE(9), GARRAY_FLOAT64, GARRAY_CPU, &out))
CALL(integers, garray_random_integers(&rng, 0, 100, GARRAY_SHAPE(9), NULL, GARRAY_CPU, &out))
CALL(save, garray_save(path, turned))
CALL(load, garray_load(path, GARRAY_CPU, &out))
CALL(setitem, garray_setitem(y, GARRAY_AT(GARRAY_RANGE(0, 2)), turned))
CALL(setitem_mask, garray_setitem(y, GARRAY_AT(mask), 1))
CALL(into_other, garray_add(ints, 0.5, garray_into(ints)))   /* a DTYPE error, whatever memory there is */

/* Elements elsewhere, and arrays of a rule. */
#define MOVES(CALL) \
    CALL(hstack, garray_hstack(GARRAY_LIST(x, y), &out)) \
    CALL(concat_flat, garray_concat(GARRAY_LIST(x, turned), GARRAY_FLAT, &out)) \
    CALL(block, garray_block(2, (const garray_list[]){ GARRAY_LIST(x, x), GARRAY_LIST(y, y) }, &out)) \
    CALL(append, garray_append(turned, 1, GARRAY_ALL_AXES, &out)) \
    CALL(tile, garray_tile(x, GARRAY_SHAPE(2, 3), &out)) \
    CALL(repeat, garray_repeat(turned, 2, GARRAY_ALL_AXES, &out)) \
    CALL(resize, garray_resize(turned, GARRAY_SHAPE(100), &out)) \
    CALL(roll, garray_roll(x, GARRAY_SHAPE(1, 2), GARRAY_AXES(0, 1), &out)) \
    CALL(roll_flat, garray_roll(turned, GARRAY_SHAPE(5), GARRAY_ALL_AXES, &out)) \
    CALL(delete_range, garray_delete(x, GARRAY_AT(GARRAY_EVERY(2)), GARRAY_AXES(0), &out)) \
    CALL(insert, garray_insert(x, GARRAY_AT(2), 5, GARRAY_AXES(0), &out)) \
    CALL(insert_range, garray_insert(x, GARRAY_AT(GARRAY_RANGE(1, 3)), 5, GARRAY_AXES(0), &out)) \
    CALL(trim_zeros, garray_trim_zeros(x, NULL, GARRAY_ALL_AXES, &out)) \
    CALL(pad, garray_pad(x, GARRAY_SHAPE(2), GARRAY_KW(pad, .mode = GARRAY_PAD_REFLECT, .odd = 1), &out)) \
    CALL(pad_ramp, garray_pad(x, GARRAY_SHAPE(2), GARRAY_KW(pad, .mode = GARRAY_PAD_LINEAR_RAMP), &out)) \
    CALL(pad_mean, garray_pad(x, GARRAY_SHAPE(2), GARRAY_KW(pad, .mode = GARRAY_PAD_MEAN), &out)) \
    CALL(byteswap, garray_byteswap(turned, &out)) \
    CALL(tril, garray_tril(square, 1, &out)) \
    CALL(tri, garray_tri(5, 6, 0, GARRAY_INT8, GARRAY_CPU, &out)) \
    CALL(diagflat, garray_diagflat(turned, 1, &out)) \
    CALL(trace, garray_trace(square, 0, 0, 1, GARRAY_DTYPE_DEFAULT, &out)) \
    CALL(fill_diagonal, garray_fill_diagonal(y, square, NULL)) \
    CALL(triu_indices, garray_triu_indices(4, 4, 0, GARRAY_CPU, &out, NULL)) \
    CALL(indices_dense, garray_indices_dense(GARRAY_SHAPE(3, 4), GARRAY_INT16, GARRAY_CPU, &out)) \
    CALL(linspace_arrays, garray_linspace(x, y, 4, NULL, GARRAY_CPU, &out)) \
    CALL(geomspace, garray_geomspace(1, 100, 4, NULL, GARRAY_CPU, &out)) \
    CALL(asfortranarray, garray_asfortranarray(x, GARRAY_FLOAT16, &out)) \
    CALL(chkfinite, garray_asarray_chkfinite(square, GARRAY_DTYPE_DEFAULT, &out))
MOVES(CALL)

/* Thirty temporaries: more than a scope holds by itself. */
static garray_status scope(void)
{
    GARRAY_SCOPE(s);
    garray_t *sum = S_sum(&s, x, GARRAY_AXES(0), NULL);
    for (int i = 0; i < 15; i++)
        sum = S_add(&s, sum, S_mul(&s, sum, i));
    return garray_scope_end(&s, sum, &out);
}

/* Files; each beside the others, that of a reader written by the call before it. */
static const char *beside(const char *end)
{
    static char other[100];
    snprintf(other, sizeof other, "%s%s", path, end);
    return other;
}

static garray_status npz_get(void)
{
    garray_npz *npz = NULL;
    garray_status st = garray_npz_open(beside("z"), NULL, &npz);
    if (st == GARRAY_OK)
        st = garray_npz_get(npz, "arr_1", GARRAY_CPU, &out);
    garray_npz_close(npz);
    return st;
}

struct memory_file {
    char data[2000];
    size_t length, at;
};

static ptrdiff_t memory_write(void *ctx, const void *data, size_t size)
{
    struct memory_file *f = ctx;
    memcpy(f->data + f->length, data, size);
    f->length += size;
    return (ptrdiff_t)size;
}

static ptrdiff_t memory_read(void *ctx, void *data, size_t size)
{
    struct memory_file *f = ctx;
    size_t n = size < f->length - f->at ? size : f->length - f->at;
    memcpy(data, f->data + f->at, n);
    f->at += n;
    return (ptrdiff_t)n;
}

static garray_status by_callback(void)
{
    struct memory_file file = { .length = 0 };
    garray_status st = garray_format_write_array(memory_write, &file, turned, NULL);
    return st == GARRAY_OK ? garray_format_read_array(memory_read, &file, GARRAY_CPU, &out) : st;
}

#define FILES(CALL) \
    CALL(savez, (strstr(garray_build_info(), "zlib=yes") ? garray_savez_compressed : garray_savez)(beside("z"), \
                                                                                              GARRAY_LIST(x, turned), NULL)) \
    CALL(savetxt, garray_savetxt(beside("t"), turned, GARRAY_KW(savetxt, .fmt = "%g"))) \
    CALL(loadtxt, garray_loadtxt(beside("t"), GARRAY_FLOAT64, NULL, GARRAY_CPU, &out)) \
    CALL(genfromtxt, garray_genfromtxt(beside("t"), GARRAY_FLOAT32, NULL, GARRAY_CPU, &out)) \
    CALL(fromstring, garray_fromstring("1, 2", GARRAY_FLOAT32, GARRAY_KW(fromfile, .sep = ","), GARRAY_CPU, &out)) \
    CALL(tofile, garray_tofile(beside("t"), turned, GARRAY_KW(tofile, .sep = " ", .format = "%.2f"))) \
    CALL(fromfile, garray_fromfile(beside("t"), GARRAY_FLOAT32, GARRAY_KW(fromfile, .sep = " "), GARRAY_CPU, &out)) \
    CALL(create_memmap, garray_format_open_memmap(beside("m"), GARRAY_KW(memmap, .mode = GARRAY_MEMMAP_CREATE, \
                                                                        .shape = GARRAY_SHAPE(3)), &out)) \
    CALL(open_memmap, garray_format_open_memmap(beside("m"), GARRAY_KW(memmap, .mode = GARRAY_MEMMAP_READ), &out))
FILES(CALL)

static garray_status take_apart(void)
{
    garray_t *parts[3] = { NULL };
    garray_status st = garray_array_split(x, 0, 3, parts);
    if (st == GARRAY_OK)
        st = garray_broadcast_arrays(GARRAY_LIST(x, y), 2, parts);
    for (int i = 0; i < 3; i++)
        garray_release(parts[i]);
    return st;
}

static garray_status repeat_each(void)
{
    garray_t *counts = NULL;
    garray_status st = garray_arange(0, garray_len(x), 1, GARRAY_INT32, GARRAY_CPU, &counts);
    if (st == GARRAY_OK)
        st = garray_repeat(x, counts, GARRAY_AXES(0), &out);
    garray_release(counts);
    return st;
}

static garray_status edit(void)
{
    garray_t *places = NULL, *shorter = NULL;
    garray_status st = garray_arange(0, 3, 1, GARRAY_INT32, GARRAY_CPU, &places);
    if (st == GARRAY_OK)
        st = garray_delete(x, GARRAY_AT(places), GARRAY_AXES(0), &shorter);
    if (st == GARRAY_OK)
        st = garray_insert(shorter, GARRAY_AT(places), 0, GARRAY_AXES(1), &out);
    garray_release(places);
    garray_release(shorter);
    return st;
}

static garray_status unravel(void)
{
    garray_t *index = NULL, *at[2] = { NULL };
    garray_status st = garray_arange(0, 12, 1, GARRAY_INT32, GARRAY_CPU, &index);
    if (st == GARRAY_OK)
        st = garray_unravel_index(index, GARRAY_SHAPE(3, 4), NULL, 2, at);
    if (st == GARRAY_OK)
        st = garray_ravel_multi_index(GARRAY_ARRAYS(2, at), GARRAY_SHAPE(3, 4), NULL, &out);
    garray_release(index);
    garray_release(at[0]);
    garray_release(at[1]);
    return st;
}

static garray_status meshgrid(void)
{
    garray_t *line = NULL, *grid[2] = { NULL };
    garray_status st = garray_ravel(x, &line);
    if (st == GARRAY_OK)
        st = garray_meshgrid(GARRAY_LIST(line, line), NULL, 2, grid);
    garray_release(line);
    garray_release(grid[0]);
    garray_release(grid[1]);
    return st;
}

static garray_status overlap(void)
{
    garray_t *a = NULL, *b = NULL;
    garray_status st = garray_getitem(y, GARRAY_AT(GARRAY_RANGE(0, 5)), &a);
    if (st == GARRAY_OK)
        st = garray_getitem(y, GARRAY_AT(GARRAY_RANGE(1, 6)), &b);
    if (st == GARRAY_OK)
        st = garray_copy(a, garray_into(b));
    garray_release(a);
    garray_release(b);
    return st;
}

static garray_status ufunc_where(void)
{
    garray_ufunc_opts opts = { .where = garray_operand_array(mask) };
    garray_operand in[2] = { garray_operand_array(x), garray_operand_array(y) };
    garray_t **slot = &out;
    return garray_ufunc(GARRAY_OP_add, 2, in, &opts, 1, &slot);
}

static garray_status nonzero(void)
{
    garray_t *at[2] = { NULL };
    garray_status st = garray_nonzero(mask, 2, at);
    garray_release(at[0]);
    garray_release(at[1]);
    return st;
}

static garray_status top_k(void)
{
    garray_t *values = NULL, *at = NULL;
    garray_status st = garray_top_k(x, 2, 1, NULL, &values, &at);
    garray_release(values);
    garray_release(at);
    return st;
}

static garray_status eigh(void)
{
    garray_t *values = NULL, *vectors = NULL;
    garray_status st = garray_linalg_eigh(square, NULL, &values, &vectors);
    garray_release(values);
    garray_release(vectors);
    return st;
}

static garray_status format(void)
{
    char text[200];
    return garray_format(turned, NULL, text, sizeof text, NULL);
}

static garray_status array_interface(void)
{
    garray_array_interface fields;
    garray_t *back = NULL;
    garray_status st = garray_to_array_interface(x, &fields);
    if (st == GARRAY_OK)
        st = garray_from_array_interface(&fields, NULL, NULL, &back);
    garray_release(back);
    return st;
}

static garray_status dlpack(void)
{
    struct DLManagedTensorVersioned *tensor = NULL;
    garray_t *back = NULL;
    garray_status st = garray_to_dlpack(x, NULL, &tensor);
    if (st != GARRAY_OK)
        return st;
    st = garray_from_dlpack(tensor, NULL, &back);
    if (st != GARRAY_OK)
        tensor->deleter(tensor);
    garray_release(back);
    return st;
}

static garray_status streams(void)
{
    garray_stream *stream = NULL;
    garray_event *event = NULL;
    garray_status st = garray_stream_new(GARRAY_CPU, &stream);
    if (st == GARRAY_OK)
        st = garray_event_new(GARRAY_CPU, &event);
    if (st == GARRAY_OK)
        st = garray_event_record(event, stream);
    garray_event_free(event);
    garray_stream_free(stream);
    return st;
}

/* Captured, launched and freed. */
static garray_status graph(void)
{
    garray_graph *g = NULL;
    garray_t *a = NULL, *b = NULL;
    GARRAY_TRY(garray_capture_begin(GARRAY_CPU));
    garray_status st = garray_multiply(x, garray_graph_parameter(0, 2.0), &a);
    if (st == GARRAY_OK)
        st = garray_random_uniform(&rng, 0, 1, GARRAY_SHAPE(8), GARRAY_FLOAT64, GARRAY_CPU, &b);
    if (st == GARRAY_OK)
        st = garray_add(a, b, &a);
    if (st == GARRAY_OK)
        st = garray_add(a, y, &out);
    const garray_status end = garray_capture_end(st == GARRAY_OK ? &g : NULL);
    if (st == GARRAY_OK)
        st = end;
    if (st == GARRAY_OK)
        st = garray_graph_set(g, 0, 3.0);
    if (st == GARRAY_OK)
        st = garray_graph_launch(g, NULL);
    garray_graph_free(g);
    garray_release(a);
    garray_release(b);
    if (st != GARRAY_OK) {
        garray_release(out);
        out = NULL;
    }
    return st;
}

static garray_status report(void)
{
    garray_status st = garray_report_begin();
    if (st != GARRAY_OK)
        return st;
    FILE *sink = fopen("/dev/null", "w");
    st = garray_add(x, y, &out);
    garray_status end = garray_report_end(NULL, garray_report_to_file, sink);
    if (end != GARRAY_OK) {     /* still counting: end it with memory */
        long left = countdown;
        countdown = 0;
        TEST_OK(garray_report_end(NULL, garray_report_to_file, sink));
        countdown = left;
    }
    fclose(sink);
    if (st != GARRAY_OK || end != GARRAY_OK) {
        garray_release(out);
        out = NULL;
    }
    return st != GARRAY_OK ? st : end;
}

static const struct {
    const char *name;
    garray_status (*call)(void);
    int status;                 /* with memory */
} calls[] = {
#define ROW(name) { #name, name, GARRAY_OK }
    ROW(zeros),
    ROW(big_zeros),
    ROW(full),
    ROW(arange),
    ROW(linspace),
    ROW(eye),
    ROW(from_host),
    ROW(add),
    ROW(add_mixed),
    ROW(less_mixed),
    ROW(where),
    ROW(clip),
    ROW(conjugate),
    ROW(copy),
    ROW(astype),
    ROW(reshape),
    ROW(permute),
    ROW(broadcast),
    ROW(concat),
    ROW(stack),
#define ENTRY(name, ...) ROW(name),
    MOVES(ENTRY)
    FILES(ENTRY)
    ROW(take_apart),
    ROW(repeat_each),
    ROW(scope),
    ROW(edit),
    ROW(unravel),
    ROW(meshgrid),
    ROW(getitem),
    ROW(getitem_mask),
    ROW(getitem_array),
    ROW(take), ROW(take_mode), ROW(choose), ROW(argwhere), ROW(ufunc_reduce), ROW(ufunc_accumulate),
    ROW(ufunc_reduceat), ROW(ufunc_outer), ROW(put), ROW(place), ROW(scatter_add), ROW(ufunc_at),
    ROW(sum),
    ROW(sum_all),
    ROW(mean),
    ROW(var),
    ROW(argmax),
    ROW(cumulative),
    ROW(sort),
    ROW(argsort),
    ROW(matmul),
    ROW(solve),
    ROW(cholesky),
    ROW(eigvalsh),
    ROW(uniform),
    ROW(normal),
    ROW(integers),
    ROW(save),
    ROW(load), ROW(npz_get), ROW(by_callback),
    ROW(setitem),
    ROW(setitem_mask),
    ROW(overlap),
    ROW(ufunc_where),
    ROW(nonzero),
    ROW(top_k),
    ROW(eigh),
    ROW(format),
    ROW(dlpack), ROW(array_interface),
    ROW(streams),
    ROW(report),
    ROW(graph),
    { "into_other", into_other, GARRAY_ERR_DTYPE },
#undef ROW
};

/* ---- the loop ---- */

static void make_operands(void)
{
    double matrix[64];
    for (int i = 0; i < 64; i++)
        matrix[i] = i / 8 == i % 8 ? 9 : 1.0 / (1 + i / 8 + i % 8);     /* symmetric, positive definite */
    snprintf(path, sizeof path, "/tmp/garray-oom-%d.npy", (int)getpid());
    TEST_OK(garray_full(GARRAY_SHAPE(6, 8), 1.5, GARRAY_FLOAT64, GARRAY_CPU, &x));
    TEST_OK(garray_copy(x, &y));
    TEST_OK(garray_arange(0, 8, 1, GARRAY_UINT64, GARRAY_CPU, &ints));
    TEST_OK(garray_greater(x, 1, &mask));
    TEST_OK(garray_from_host(matrix, GARRAY_FLOAT64, GARRAY_SHAPE(8, 8), NULL, GARRAY_CPU, &square));
    TEST_OK(garray_getitem(square, GARRAY_AT(GARRAY_RANGE(0, 8), GARRAY_EVERY(1)), &turned));
    TEST_OK(garray_permute_dims(turned, GARRAY_ALL_AXES, &turned));
    TEST_OK(garray_getitem(turned, GARRAY_AT(GARRAY_ALL, 3), &turned));
    TEST_OK(garray_save(path, turned));
}

static void trim(void)
{
    TEST_OK(garray_memory_trim(GARRAY_CPU));
}

Test(oom, every_allocation)
{
    long faults = 0, start = live;
    make_operands();
    TEST_OK(garray_set_num_threads(1));
    for (size_t c = 0; c < sizeof calls / sizeof calls[0]; c++)
        for (int mode = 0; mode < 2; mode++) {
            /* once with memory: what is opened once is open then */
            for_ever = mode;
            test_context("%s", calls[c].name);
            if (!TEST_EXPECT((int)calls[c].call() == calls[c].status, "with memory: %s",
                             garray_error_message()))
                break;
            garray_release(out);
            out = NULL;
            trim();
            for (long k = 1; k < 1000; k++) {
                test_context("%s, allocation %ld fails%s", calls[c].name, k, mode ? " and all after it" : "");
                test_mark mark = test_memory();
                long before = live;
                failed = false;
                countdown = k;
                garray_status st = calls[c].call();
                countdown = 0;
                bool met = failed;
                if (st == GARRAY_ERR_NOMEM && calls[c].status == GARRAY_OK) {
                    TEST_EXPECT(met, "NOMEM without a failure");
                    TEST_EXPECT(!out, "a failed call gave a result");
                    TEST_EXPECT(strstr(garray_error_message(), "memory"), "the message is \"%s\"",
                                garray_error_message());
                    TEST_EXPECT(strncmp(garray_error_message(), "garray_", 7) == 0 ||
                                    strncmp(garray_error_message(), "add", 3) == 0,
                                "the message is \"%s\"", garray_error_message());
                } else {
                    TEST_EXPECT((int)st == calls[c].status, "%s: %s", garray_status_name(st),
                                garray_error_message());
                }
                garray_release(out);
                out = NULL;
                TEST_NO_LEAK(mark);
                trim();
                TEST_EXPECT(live <= before, "%ld blocks of host memory were left", live - before);
                TEST_EXPECT((int)calls[c].call() == calls[c].status, "not usable afterwards: %s",
                            garray_error_message());
                garray_release(out);
                out = NULL;
                trim();
                faults += met;
                if (!met)
                    break;
            }
        }
    remove(path);
    remove(beside("z"));
    remove(beside("t"));
    remove(beside("m"));
    garray_t *arrays[] = { x, y, ints, mask, square, turned };
    for (int i = 0; i < 6; i++)
        garray_release(arrays[i]);
    trim();
    test_context("all");
    /* the device and its pool, a stream and a thread's record stay; nothing that grows with the calls */
    TEST_EXPECT(live - start < 16, "%ld blocks of host memory are left", live - start);
    TEST_EXPECT(faults > 150, "%ld faults only", faults);
}

/* The first call of a process, which opens the device. */
Test(oom, opening)
{
    long k = 1;
    bool met = true;
    for (; met && k < 200; k++) {
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            garray_t *first = NULL;
            countdown = k;
            garray_status st = garray_zeros(GARRAY_SHAPE(100, 100), GARRAY_FLOAT32, GARRAY_CPU, &first);
            countdown = 0;
            bool good = st == GARRAY_OK ||
                        (st == GARRAY_ERR_NOMEM && !first && strstr(garray_error_message(), "memory"));
            good = good &&
                   garray_zeros(GARRAY_SHAPE(100, 100), GARRAY_FLOAT32, GARRAY_CPU, &first) == GARRAY_OK &&
                   garray_add(first, 1, &first) == GARRAY_OK;
            garray_release(first);
            _exit(!good ? 1 : failed ? 2 : 3);
        }
        int status = 0;
        waitpid(child, &status, 0);
        TEST_EXPECT(WIFEXITED(status) && WEXITSTATUS(status) >= 2,
                    "allocation %ld of the first call: status %x", k, (unsigned)status);
        met = WIFEXITED(status) && WEXITSTATUS(status) == 2;
    }
    TEST_EXPECT(k > 4, "the first call makes %ld allocations only", k - 2);
}
