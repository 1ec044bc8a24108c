/* SPDX-License-Identifier: BSD-3-Clause
 * From elementwise plans to launches: which kernel, how each operand is fetched, and the grid. */
#include <string.h>
#include "core/op_result.h"
#include "cuda/cuda.h"
#include "cuda/dtype.h"
#include "cuda/elementwise.h"
#include "cuda/graph.h"
#include "cuda/tuning.h"

typedef const void *column(int op, int shape);
static column *const columns[] = {
    NULL,
#define GARRAY_DTYPE(value, name, ...) garray__cuda_kernel_##name,
#include "core/dtypes.def"
#undef GARRAY_DTYPE
};

static const struct operation {
    uint8_t arity, selects;
    char name[30];
} operations[GARRAY_OP_LIMIT] = {
#define GARRAY_UNARY(number, name, ...) [number] = {1, 0, #name},
#define GARRAY_BINARY(number, name, ...) [number] = {2, 0, #name},
#define GARRAY_TERNARY(number, name, ...) [number] = {3, 0, #name},
#define GARRAY_SELECT(number, name, ...) [number] = {3, 1, #name},
#include "core/ops.def"
};

static int input_dtype(const struct operation *operation, int dtype, int a)
{
    return operation->selects && a == 0 ? GARRAY__CUDA_bool : dtype;
}

/* The vector that a scalar fills. */
static void scalar_input(garray__ew_input *in, const garray_ew_operand *operand, int dtype)
{
    uint64_t bits[2] = {operand->bits[0], operand->bits[1]};
    const int size = garray__cuda_size(dtype);
    if (operand->dtype != dtype)
        garray__cuda_cast_bits(operand->dtype, operand->bits, dtype, bits);
    for (int i = 0; i < 16; i += size)
        memcpy((char *)in->bits + i, bits, (size_t)size);
    in->mode = GARRAY__EW_SCALAR;
    in->data = NULL;
    in->dtype = dtype;
    in->step = in->row = 0;
}

/* ---- contiguous ----------------------------------------------------------------------------------------------- */

/* False: an operand needs a cast, or the output's vectors cannot be aligned. */
static bool fits_contiguous(const struct operation *operation, const garray_ew_plan *plan, int out_dtype)
{
    const garray_ew_operand *out = &plan->operand[0];
    if (plan->layout != GARRAY_EW_CONTIGUOUS || out->dtype != out_dtype
        || (uintptr_t)out->data % (unsigned)garray__cuda_size(out_dtype) != 0)
        return false;
    for (int a = 0; a < operation->arity; a++)
        if (plan->operand[a + 1].data != NULL && plan->operand[a + 1].dtype != input_dtype(operation, plan->dtype, a))
            return false;
    return true;
}

/* The output's vectors and the grid; its address is that of an item. */
static void plan_output(garray__ew_flat *p, const garray_ew_plan *plan, int out_size, int vector)
{
    p->out = (char *)plan->operand[0].data;
    p->count = plan->count;
    p->shift = (int)((uintptr_t)p->out / (unsigned)out_size % (unsigned)vector);
}

static bool is_at_vectors(const garray_ew_operand *operand, int item, int shift, int vector)
{
    return ((uintptr_t)operand->data - (unsigned)(shift * item)) % (unsigned)(vector * item) == 0;
}

static garray_status launch_contiguous(const garray__queue *q, const garray_ew_plan *plan, const struct operation *operation,
                                       garray__ew_flat *p)
{
    const int size = garray__cuda_size(plan->dtype);
    const int64_t tile = (int64_t)GARRAY_CUDA_FLAT_BLOCK * GARRAY_CUDA_FLAT_VECTORS(size) * (16 / size);
    void *args[] = {p};
    return garray__cuda_launch_next(q, operation->name, columns[plan->dtype](plan->op, GARRAY__EW_CONTIGUOUS_KERNEL),
                                    (dim3){(unsigned)((p->count + p->shift + tile - 1) / tile), 1, 1},
                                    (dim3){GARRAY_CUDA_FLAT_BLOCK, 1, 1}, args, &p->next);
}

static garray_status run_contiguous(const garray__queue *q, const garray_ew_plan *plan,
                                    const struct operation *operation, int out_dtype)
{
    const int vector = 16 / garray__cuda_size(plan->dtype);
    garray__ew_flat p;

    plan_output(&p, plan, garray__cuda_size(out_dtype), vector);
    for (int a = 0; a < operation->arity; a++) {
        const garray_ew_operand *operand = &plan->operand[a + 1];
        const int dtype = input_dtype(operation, plan->dtype, a), item = garray__cuda_size(dtype);
        garray__ew_input *in = &p.in[a];
        if (operand->data == NULL) {
            scalar_input(in, operand, dtype);
            continue;
        }
        in->data = (const char *)operand->data;
        if (operand->strides[0] == 0 && plan->count > 1)
            in->mode = GARRAY__EW_SPLAT;
        else
            in->mode = is_at_vectors(operand, item, p.shift, vector) ? GARRAY__EW_ALIGNED : GARRAY__EW_SHIFTED;
    }
    return launch_contiguous(q, plan, operation, &p);
}

/* The axes that are longer than 1, with no more than `most` of them; -1: there are more. */
static int long_axes(const garray_ew_plan *plan, int *axes, int most)
{
    int n = 0;
    for (int d = 0; d < plan->ndim; d++) {
        if (plan->shape[d] == 1)
            continue;
        if (n == most)
            return -1;
        axes[n++] = d;
    }
    return n;
}

/* An operand lies item by item along two axes of which the second is `length` long. */
static bool lies_flat(const garray_ew_operand *operand, const int axes[2], int64_t length)
{
    const int64_t size = garray__cuda_size(operand->dtype);
    return operand->strides[axes[1]] == size && operand->strides[axes[0]] == size * length;
}

/* Arrays of whole vectors a row with row vectors and column vectors go the same way.  False: some operand is neither, or none is
 * such an array: a thread that fetches next to nothing should do more than one vector. */
static bool plan_whole_rows(garray__ew_flat *p, const garray_ew_plan *plan, const struct operation *operation, int out_dtype)
{
    const int vector = 16 / garray__cuda_size(plan->dtype);
    int axes[2] = {0, 0};

    if (plan->layout == GARRAY_EW_CONTIGUOUS || plan->operand[0].dtype != out_dtype || long_axes(plan, axes, 2) != 2
        || plan->count / vector >= INT32_MAX)
        return false;
    const int64_t length = plan->shape[axes[1]];
    if (length % vector != 0 || !lies_flat(&plan->operand[0], axes, length)
        || !is_at_vectors(&plan->operand[0], garray__cuda_size(out_dtype), 0, vector))
        return false;
    bool has_array = false;
    plan_output(p, plan, garray__cuda_size(out_dtype), vector);
    p->length = garray__divisor_of((uint32_t)(length / vector));
    for (int a = 0; a < operation->arity; a++) {
        const garray_ew_operand *operand = &plan->operand[a + 1];
        const int dtype = input_dtype(operation, plan->dtype, a), item = garray__cuda_size(dtype);
        const bool condition = operation->selects && a == 0;
        garray__ew_input *in = &p->in[a];
        if (operand->data == NULL) {
            scalar_input(in, operand, dtype);
            continue;
        }
        const bool at_vectors = is_at_vectors(operand, item, 0, vector);
        const int64_t row = operand->strides[axes[0]], step = operand->strides[axes[1]];
        in->data = (const char *)operand->data;
        in->row = 0;
        if (operand->dtype != dtype || (uintptr_t)in->data % (unsigned)item != 0) {
            return false;
        } else if (lies_flat(operand, axes, length)) {
            in->mode = at_vectors ? GARRAY__EW_ALIGNED : GARRAY__EW_SHIFTED;
            has_array = true;
        } else if (row == 0 && step == item && at_vectors && !condition) {
            in->mode = GARRAY__EW_ROW;
        } else if (step == 0 && row % item == 0 && row >= INT32_MIN && row <= INT32_MAX && !condition) {
            in->mode = GARRAY__EW_COLUMN;
            in->row = (int32_t)row;
        } else {
            return false;
        }
    }
    return has_array;
}

/* ---- mixed ---------------------------------------------------------------------------------------------------- */

#define WIDEST_CAST 32          /* bytes that a thread's items of another dtype have at most */

/* How an input of whole rows of items, or of a contiguous plan, is fetched; false: the kernel has no way. */
static bool flat_input(garray__ew_input *in, const garray_ew_operand *operand, int dtype, int shift, int vector)
{
    const int item = garray__cuda_size(operand->dtype), bytes = vector * item;
    const bool aligned = ((uintptr_t)in->data - (unsigned)(shift * item)) % (unsigned)(bytes < 16 ? bytes : 16) == 0;
    in->step = item;
    if (operand->dtype == dtype)
        in->mode = aligned ? GARRAY__EW_ALIGNED : GARRAY__EW_SHIFTED;
    else
        in->mode = aligned && bytes <= WIDEST_CAST ? GARRAY__EW_CAST : GARRAY__EW_GATHER;
    return (uintptr_t)in->data % (unsigned)item == 0 || garray__cuda_kind(operand->dtype) == GARRAY__CUDA_KIND_COMPLEX;
}

/* False: the output's vectors are not aligned, or too long, or some input is neither flat nor of short rows. */
static bool plan_mixed(garray__ew_flat *p, const garray_ew_plan *plan, const struct operation *operation, int out_dtype)
{
    const garray_ew_operand *out = &plan->operand[0];
    const int size = garray__cuda_size(plan->dtype), vector = 16 / size, out_size = garray__cuda_size(out->dtype);
    const bool is_short = plan->layout != GARRAY_EW_CONTIGUOUS;
    int axes[2] = {0, 0};

    if ((uintptr_t)out->data % (unsigned)out_size != 0 || vector * out_size > WIDEST_CAST)
        return false;
    if (is_short) {
        if (long_axes(plan, axes, 2) != 2 || plan->shape[axes[1]] >= GARRAY_CUDA_ROW_VECTORS * vector
            || plan->count >= (int64_t)1 << 30 || !lies_flat(out, axes, plan->shape[axes[1]]))
            return false;
        p->length = garray__divisor_of((uint32_t)plan->shape[axes[1]]);
    } else if (plan->count > 1 && out->strides[0] != out_size) {
        return false;
    }
    plan_output(p, plan, out_size, vector);
    p->op = plan->op;
    p->out_dtype = out->dtype;
    p->out_size = out_size;
    p->out_mode = out->dtype == out_dtype ? GARRAY__EW_ALIGNED : GARRAY__EW_CAST;
    for (int a = 0; a < operation->arity; a++) {
        const garray_ew_operand *operand = &plan->operand[a + 1];
        const int dtype = input_dtype(operation, plan->dtype, a);
        garray__ew_input *in = &p->in[a];
        if (operand->data == NULL) {
            scalar_input(in, operand, dtype);
            continue;
        }
        in->data = (const char *)operand->data;
        in->dtype = operand->dtype;
        in->row = 0;
        if (is_short && !lies_flat(operand, axes, plan->shape[axes[1]])) {
            if (operand->dtype != dtype)
                return false;
            in->mode = GARRAY__EW_SHORT;
            in->row = (int32_t)operand->strides[axes[0]];
            in->step = (int32_t)operand->strides[axes[1]];
        } else if (!is_short && operand->strides[0] == 0 && plan->count > 1) {
            in->step = 0;
            in->mode = operand->dtype == dtype ? GARRAY__EW_SPLAT : GARRAY__EW_GATHER;
        } else if (!flat_input(in, operand, dtype, p->shift, vector)) {
            return false;
        }
    }
    return true;
}

static garray_status run_mixed(const garray__queue *q, garray__ew_flat *p, const garray_ew_plan *plan,
                               const struct operation *operation)
{
    const int64_t tile = (int64_t)GARRAY_CUDA_FLAT_BLOCK * (16 / garray__cuda_size(plan->dtype));
    void *args[] = {p};
    return garray__cuda_launch(q, operation->name, columns[plan->dtype](plan->op, GARRAY__EW_MIXED_KERNEL),
                               (dim3){(unsigned)((p->count + p->shift + tile - 1) / tile), 1, 1},
                               (dim3){GARRAY_CUDA_FLAT_BLOCK, 1, 1}, 0, args);
}

/* ---- rows ------------------------------------------------------------------------------------------------------ */

/* Rows of one class have the same alignment: the smallest period of that. */
static uint32_t period_of(uint32_t period, int32_t row, int bytes)
{
    while ((int64_t)row * period % bytes != 0)
        period *= 2;
    return period;
}

/* A long single axis becomes several rows where its length allows, so that a thread has more than one vector in
 * flight; other strided plans stay as they are. */
static const garray_ew_plan *fold_axis(const garray_ew_plan *plan, garray_ew_plan *folded)
{
    const int64_t length = plan->shape[plan->ndim > 0 ? plan->ndim - 1 : 0];
    if (plan->ndim < 1 || length != plan->count || length < 65536 || length % 2 != 0)
        return plan;
    const int64_t rows = length % 16 == 0 ? 16 : length % 8 == 0 ? 8 : length % 4 == 0 ? 4 : 2;
    const int axis = plan->ndim - 1;
    *folded = *plan;
    folded->ndim = 2;
    folded->shape[0] = rows;
    folded->shape[1] = length / rows;
    for (int k = 0; k < plan->nop; k++) {
        const int64_t step = plan->operand[k].strides[axis];
        folded->operand[k].strides[0] = step * folded->shape[1];
        folded->operand[k].strides[1] = step;
    }
    return folded;
}

/* What only the sweep knows is fetched item by item. */
static void forgo_sweep(garray__ew_rows *p, const struct operation *operation)
{
    for (int a = 0; a < operation->arity; a++)
        if (p->in[a].mode == GARRAY__EW_SECOND)
            p->in[a].mode = GARRAY__EW_GATHER;
}

static void plan_rows(garray__ew_rows *p, const garray_ew_plan *plan, const struct operation *operation, int out_dtype,
                      int multiprocessors)
{
    const int vector = 16 / garray__cuda_size(plan->dtype), out_size = garray__cuda_size(out_dtype);
    const int nop = operation->arity + 1;
    int axes[GARRAY_MAX_NDIM], n = 0;
    for (int d = 0; d < plan->ndim; d++)
        if (plan->shape[d] != 1)
            axes[n++] = d;

    const int inner = n > 0 ? axes[n - 1] : -1, next = n > 1 ? axes[n - 2] : -1;
    const uint32_t length = inner >= 0 ? (uint32_t)plan->shape[inner] : 1;
    const bool walked = length < (uint32_t)(GARRAY_CUDA_ROW_VECTORS * vector);
    const int outer = walked ? n : n > 2 ? n - 2 : 0;

    p->op = plan->op;
    p->out = (char *)plan->operand[0].data;
    p->out_dtype = plan->operand[0].dtype;
    p->walk.ndim = outer;
    uint64_t outer_count = 1;
    for (int d = 0; d < outer; d++) {
        p->walk.div[d] = garray__divisor_of((uint32_t)plan->shape[axes[d]]);
        outer_count *= (uint64_t)plan->shape[axes[d]];
        for (int k = 0; k < nop; k++)
            p->walk.stride[k][d] = (int32_t)plan->operand[k].strides[axes[d]];
    }
    p->out_step = !walked && inner >= 0 ? (int32_t)plan->operand[0].strides[inner] : 0;
    p->out_row = !walked && next >= 0 ? (int32_t)plan->operand[0].strides[next] : 0;
    const bool aligned = p->out_step == out_size && p->out_dtype == out_dtype && (uintptr_t)p->out % (unsigned)out_size == 0
                      && p->out_row % out_size == 0;
    p->out_mode = !walked && aligned ? GARRAY__EW_ALIGNED : GARRAY__EW_GATHER;
    bool outer_aligned = true;          /* the walk keeps the output's vectors where they are */
    for (int d = 0; d < outer; d++) {
        outer_aligned = outer_aligned && p->walk.stride[0][d] % (vector * out_size) == 0;
        if (!walked && p->walk.stride[0][d] % out_size != 0)
            p->out_mode = GARRAY__EW_GATHER;
    }

    bool second = false;
    uint32_t period = 1;
    if (p->out_mode == GARRAY__EW_ALIGNED)
        period = period_of(period, p->out_row, vector * out_size);
    for (int a = 0; a < operation->arity; a++) {
        const garray_ew_operand *operand = &plan->operand[a + 1];
        const int dtype = input_dtype(operation, plan->dtype, a), item = garray__cuda_size(dtype);
        garray__ew_input *in = &p->in[a];
        if (operand->data == NULL) {
            scalar_input(in, operand, dtype);
            continue;
        }
        in->data = (const char *)operand->data;
        in->dtype = operand->dtype;
        in->step = !walked && inner >= 0 ? (int32_t)operand->strides[inner] : 0;
        in->row = !walked && next >= 0 ? (int32_t)operand->strides[next] : 0;
        in->mode = GARRAY__EW_GATHER;
        if (walked || operand->dtype != dtype)
            continue;
        if (in->step == 0) {
            in->mode = GARRAY__EW_SPLAT;
        } else if (in->step == item) {
            in->mode = GARRAY__EW_ALIGNED;
            period = period_of(period, in->row, vector * item);
        } else if (in->step == 2 * item && item == 16 / vector && vector > 1) {
            const unsigned behind = (uintptr_t)in->data % 16;
            bool fits = (behind == 0 || behind == (unsigned)item) && in->row % 16 == 0;
            for (int d = 0; d < outer; d++)
                fits = fits && p->walk.stride[a + 1][d] % 16 == 0;
            in->mode = fits ? GARRAY__EW_SECOND : GARRAY__EW_GATHER;
            second = second || fits;
        }
    }

    if (walked) {
        p->length = (uint32_t)plan->count;
        p->rows = 1;
        p->period = 0;
        p->slab = 1;
        const uint32_t tile = (uint32_t)(GARRAY_CUDA_BLOCK * GARRAY_CUDA_VECTORS * vector);
        p->threads = (p->length + tile - 1) / tile * GARRAY_CUDA_BLOCK;
        return;
    }
    p->length = length;
    p->rows = next >= 0 ? (uint32_t)plan->shape[next] : 1;
    p->period = period < p->rows ? period : p->rows;
    const bool boundary = p->out_mode != GARRAY__EW_ALIGNED
                       || (outer_aligned && (uintptr_t)p->out % (unsigned)(vector * out_size) == 0
                           && p->out_row % (vector * out_size) == 0);
    if (!boundary)
        forgo_sweep(p, operation);
    const uint32_t spare = boundary ? 0 : (uint32_t)vector - 1;         /* the last chunk may begin so much later */
    const uint32_t chunks = (length + spare + (uint32_t)vector - 1) / (uint32_t)vector;
    const uint32_t per_class = (p->rows + p->period - 1) / p->period;
    const uint64_t most = (uint64_t)chunks * p->period * outer_count * per_class;
    uint64_t slab = most / ((uint64_t)multiprocessors * GARRAY_CUDA_ROWS_THREADS);
    slab = slab > GARRAY_CUDA_ROWS ? GARRAY_CUDA_ROWS : slab < GARRAY_CUDA_VECTORS ? GARRAY_CUDA_VECTORS : slab;
    if (second && boundary)             /* a row's vectors are two already */
        slab = 1;
    p->slab = slab < per_class ? (uint32_t)slab : per_class;
    const uint32_t slabs = (per_class + p->slab - 1) / p->slab;
    p->chunks = garray__divisor_of(chunks);
    p->classes = garray__divisor_of(p->period);
    p->slabs = garray__divisor_of(slabs);
    p->threads = (uint32_t)((uint64_t)chunks * p->period * slabs * outer_count);
}

/* The sweep takes rows of items or of every second one, row vectors and column vectors, all of the compute dtype. */
static bool can_sweep(const garray__ew_rows *p, const struct operation *operation)
{
    bool fits = p->period != 0 && p->out_mode == GARRAY__EW_ALIGNED;
    for (int a = 0; a < operation->arity; a++)
        fits = fits && p->in[a].mode != GARRAY__EW_GATHER;
    return fits;
}

static garray_status run_rows(const garray__queue *q, const garray_ew_plan *plan, const struct operation *operation,
                              int out_dtype)
{
    garray__ew_rows p;
    garray_ew_plan folded;
    void *args[] = {&p};
    plan_rows(&p, fold_axis(plan, &folded), operation, out_dtype, garray__cuda_device_of(q)->multiprocessors);
    const void *kernel = NULL;
    if (can_sweep(&p, operation))
        kernel = columns[plan->dtype](plan->op, GARRAY__EW_SWEEP_KERNEL);
    if (kernel == NULL) {
        forgo_sweep(&p, operation);
        kernel = columns[plan->dtype](plan->op, GARRAY__EW_ROWS_KERNEL);
    }
    const unsigned blocks = (p.threads + GARRAY_CUDA_BLOCK - 1) / GARRAY_CUDA_BLOCK;
    return garray__cuda_launch(q, operation->name, kernel, (dim3){blocks, 1, 1},
                               (dim3){GARRAY_CUDA_BLOCK, 1, 1}, 0, args);
}

/* Other contiguous operands go through the kernel for rows, whose offsets have 32 bits. */
static garray_status run_pieces(const garray__queue *q, const garray_ew_plan *plan, const struct operation *operation,
                                int out_dtype)
{
    const int64_t most = (int64_t)1 << 26;      /* items, of up to 16 bytes */
    if (plan->count <= most)
        return run_rows(q, plan, operation, out_dtype);
    garray_ew_plan piece = *plan;
    for (int64_t first = 0; first < plan->count; first += most) {
        piece.count = piece.shape[0] = plan->count - first < most ? plan->count - first : most;
        for (int k = 0; k < plan->nop; k++)
            if (plan->operand[k].data != NULL)
                piece.operand[k].data = (char *)plan->operand[k].data + first * plan->operand[k].strides[0];
        GARRAY_CUDA_TRY(run_rows(q, &piece, operation, out_dtype));
    }
    return GARRAY_OK;
}

garray_status garray__cuda_run_elementwise(const garray__queue *q, const garray_ew_plan *plan)
{
    const struct operation *operation = &operations[plan->op & (GARRAY_OP_LIMIT - 1)];
    const int out_dtype = garray__stored_dtype(plan->op & (GARRAY_OP_LIMIT - 1), plan->dtype);
    if (operation->arity == 0 || columns[plan->dtype](plan->op, GARRAY__EW_CONTIGUOUS_KERNEL) == NULL)
        return garray__cuda_host->fail(GARRAY_ERR_UNSUPPORTED, "operation %d has no CUDA kernel for dtype %d", (int)plan->op,
                                       (int)plan->dtype);
    if (fits_contiguous(operation, plan, out_dtype))
        return run_contiguous(q, plan, operation, out_dtype);
    garray__ew_flat flat;
    if (plan_whole_rows(&flat, plan, operation, out_dtype))
        return launch_contiguous(q, plan, operation, &flat);
    if (plan_mixed(&flat, plan, operation, out_dtype))
        return run_mixed(q, &flat, plan, operation);
    if (plan->layout == GARRAY_EW_CONTIGUOUS && plan->ndim == 1)
        return run_pieces(q, plan, operation, out_dtype);
    return run_rows(q, plan, operation, out_dtype);
}

/* ---- turned inputs ------------------------------------------------------------------------------------------------ */

#define LEAST_TURNED ((int64_t)1 << 20)         /* bytes of an input for which a copy of its own pays */
#define LEAST_AXIS 16

/* An input whose items follow each other along another axis than the inner one. */
static bool is_turned(const garray_ew_plan *plan, const garray_ew_operand *operand)
{
    const int64_t size = garray__cuda_size(operand->dtype);
    int inner = -1;
    bool turned = false;
    if (operand->data == NULL || plan->count * size < LEAST_TURNED)
        return false;
    for (int d = 0; d < plan->ndim; d++) {
        if (plan->shape[d] == 1)
            continue;
        if (operand->strides[d] == 0)
            return false;
        turned = turned || (operand->strides[d] == size && plan->shape[d] >= LEAST_AXIS);
        inner = d;
    }
    return turned && plan->shape[inner] >= LEAST_AXIS && operand->strides[inner] != size;
}

/* Read across its items such an input costs its size many times over, a transposing copy twice: the copy's rows are
 * then read as they lie.  Without memory for it the input is read where it is. */
static garray_status run_turned(const garray__queue *q, const garray_ew_plan *plan)
{
    void *scratch[GARRAY_EW_OPERANDS] = {NULL};
    garray_ew_plan straight = *plan;
    garray_status st = GARRAY_OK;
    for (int k = 1; k < plan->nop && st == GARRAY_OK; k++) {
        if (!is_turned(plan, &plan->operand[k]))
            continue;
        garray_ew_operand *operand = &straight.operand[k];
        int64_t step = garray__cuda_size(operand->dtype);
        if (garray__cuda_host->scratch(q, (size_t)plan->count * (size_t)step, &scratch[k]) != GARRAY_OK) {
            scratch[k] = NULL;
            continue;
        }
        garray_ew_plan copy = *plan;
        copy.op = 0;
        copy.dtype = operand->dtype;
        copy.nop = 2;
        copy.operand[1] = *operand;
        operand->data = scratch[k];
        for (int d = plan->ndim - 1; d >= 0; d--) {
            operand->strides[d] = step;
            step *= plan->shape[d];
        }
        copy.operand[0] = *operand;
        st = garray__cuda_convert(q, &copy);
    }
    if (st == GARRAY_OK)
        st = garray__cuda_run_elementwise(q, &straight);
    for (int k = 1; k < plan->nop; k++)
        if (scratch[k] != NULL)
            garray__cuda_host->scratch_free(q, scratch[k]);
    return st;
}

garray_status garray__cuda_elementwise(const garray__queue *q, const garray_ew_plan *plan)
{
    if (!garray__cuda_is_aligned(plan))
        return garray__cuda_run_unaligned(q, plan, garray__cuda_run_elementwise);
    if (plan->layout != GARRAY_EW_CONTIGUOUS)
        for (int k = 1; k < plan->nop; k++)
            if (is_turned(plan, &plan->operand[k]))
                return run_turned(q, plan);
    return garray__cuda_run_elementwise(q, plan);
}
