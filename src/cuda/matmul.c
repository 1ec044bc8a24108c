/* SPDX-License-Identifier: BSD-3-Clause
 * Matrix products: cuBLAS for floats and complex numbers, own kernels for the rest.  A row-major product is the
 * column-major product of the operands in the other order, so nothing is transposed in memory. */
#include <cublas_v2.h>
#include <pthread.h>
#include <stdlib.h>
#include "core/half.h"
#include "cuda/blas.h"
#include "cuda/matmul.h"
#include "cuda/scratch.h"
#include "cuda/tuning.h"

#define EXACT_MATH (cublasMath_t)(CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)

enum {
    WORKSPACE = 32 << 20,               /* what cuBLAS recommends for Hopper; a fixed size gives fixed results */
    SEGMENTS = 2112,                    /* of long inner products; a constant, as in reduce.c */
    SEGMENT = 16384,
    LEAST_ROWS = 64,                    /* that a block sums across, where it could be several */
    LEAST_BYTES = 16384,                /* of a row that is cut */
    THREADS = GARRAY_CUDA_BLOCK,
};

static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", NULL};
static const char *const symbols[] = {
    "cublasCreate_v2", "cublasDestroy_v2", "cublasSetStream_v2", "cublasSetWorkspace_v2", "cublasSetMathMode",
    "cublasGetStatusString", "cublasGemmEx_64", "cublasGemmStridedBatchedEx_64",
    "cublasSgemv_v2_64", "cublasDgemv_v2_64", "cublasCgemv_v2_64", "cublasZgemv_v2_64",
    "cublasSgetrfBatched", "cublasDgetrfBatched", "cublasCgetrfBatched", "cublasZgetrfBatched",
    "cublasSgetrsBatched", "cublasDgetrsBatched", "cublasCgetrsBatched", "cublasZgetrsBatched",
    "cublasSgetriBatched", "cublasDgetriBatched", "cublasCgetriBatched", "cublasZgetriBatched",
    "cublasStrsmBatched", "cublasDtrsmBatched", "cublasCtrsmBatched", "cublasZtrsmBatched",
    "cublasStrsm_v2_64", "cublasDtrsm_v2_64", "cublasCtrsm_v2_64", "cublasZtrsm_v2_64", NULL,
};

garray__blas_functions garray__cuda_blas;
static garray__cuda_library library = {"cuBLAS", names, symbols, (void **)&garray__cuda_blas, 0};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

_Static_assert(sizeof garray__cuda_blas / sizeof(void *) == sizeof symbols / sizeof *symbols - 1, "one symbol a function");

garray_status garray__cuda_blas_error(const garray__queue *q, cublasStatus_t status, const char *what)
{
    const cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess)
        return garray__cuda_error(garray__cuda_device_of(q), e, what);
    if (status == CUBLAS_STATUS_ALLOC_FAILED)
        return garray__cuda_host->fail(GARRAY_ERR_DEVICE_NOMEM, "%s: cuBLAS ran out of memory", what);
    return garray__cuda_host->fail(GARRAY_ERR_INTERNAL, "%s: %s", what, garray__cuda_blas.status_string(status));
}

garray_status garray__cuda_blas_begin(const garray__queue *q, garray__blas_call *call)
{
    garray__cuda_device *dev = garray__cuda_device_of(q);
    call->q = q;
    call->workspace = NULL;
    GARRAY_CUDA_TRY(garray__cuda_library_open(&library));
    GARRAY_CUDA_TRY(garray__cuda_host->scratch(q, WORKSPACE, &call->workspace));
    pthread_mutex_lock(&lock);
    cublasStatus_t s = CUBLAS_STATUS_SUCCESS;
    if (!dev->blas) {
        cublasHandle_t handle = NULL;
        s = garray__cuda_blas.create(&handle);
        if (s == CUBLAS_STATUS_SUCCESS)
            s = garray__cuda_blas.set_math_mode(handle, EXACT_MATH);
        if (s == CUBLAS_STATUS_SUCCESS)
            dev->blas = handle;
        else if (handle)
            (void)garray__cuda_blas.destroy(handle);
    }
    call->handle = dev->blas;
    if (s == CUBLAS_STATUS_SUCCESS)
        s = garray__cuda_blas.set_stream(call->handle, garray__cuda_stream_of(q));
    if (s == CUBLAS_STATUS_SUCCESS)
        s = garray__cuda_blas.set_workspace(call->handle, call->workspace, WORKSPACE);
    if (s == CUBLAS_STATUS_SUCCESS)
        return GARRAY_OK;
    garray__cuda_blas_end(call);
    return garray__cuda_blas_error(q, s, "cuBLAS cannot start");
}

void garray__cuda_blas_end(garray__blas_call *call)
{
    pthread_mutex_unlock(&lock);
    if (call->workspace)
        garray__cuda_host->scratch_free(call->q, call->workspace);
    call->workspace = NULL;
}

void garray__cuda_matmul_close(garray__cuda_device *dev)
{
    if (dev->blas)
        garray__cuda_blas.destroy(dev->blas);
    dev->blas = NULL;
}

/* ---- how cuBLAS sees an operand ------------------------------------------------------------------------------- */

typedef struct operand {
    const void *data;
    bool row_major, conj;
    int64_t ld;                         /* between rows if row_major, else between columns */
    int64_t batch[GARRAY_MAX_NDIM];
} operand;

static operand operand_of(const void *data, int64_t rows, int64_t columns, int64_t row, int64_t column, bool conj)
{
    operand x = {.data = data, .conj = conj};
    x.row_major = (column == 1 || columns == 1) && (rows == 1 || row >= columns);
    if (x.row_major)
        x.ld = rows == 1 ? columns : row;
    else
        x.ld = columns == 1 ? rows : column;
    return x;
}

/* As the product of the transposes takes it: a row-major operand is its own transpose there. */
static cublasOperation_t operation(const operand *x)
{
    return x->row_major ? CUBLAS_OP_N : x->conj ? CUBLAS_OP_C : CUBLAS_OP_T;
}

static size_t item_size(int dtype)
{
    static const uint8_t sizes[] = {0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
    return sizes[dtype];
}

/* cuBLAS conjugates only what it transposes: otherwise a conjugated copy takes the operand's place. */
static garray_status resolve_conj(const garray__queue *q, const garray_matmul_plan *plan, operand *x, bool is_a,
                                  garray__scratch *scratch)
{
    if (!x->conj || !x->row_major)
        return GARRAY_OK;
    garray__axis axes[GARRAY_MAX_NDIM];
    garray__product_args p = {.a = x->data, .m = is_a ? plan->m : plan->k, .n = is_a ? plan->k : plan->n, .batch = 1,
                              .a_row = is_a ? plan->a_row : plan->b_row, .a_col = is_a ? plan->a_col : plan->b_col};
    int64_t stride = p.m * p.n, *batch = x->batch;
    for (int d = plan->nbatch - 1; d >= 0; d--) {       /* an axis that repeats the operand is not copied */
        const int64_t length = batch[d] == 0 ? 1 : plan->batch_shape[d];
        axes[d] = garray__axis_of(length, batch[d], 0, 0);
        p.batch *= length;
        batch[d] = batch[d] == 0 ? 0 : stride;
        stride *= length;
    }
    p.nbatch = plan->nbatch;
    GARRAY_CUDA_TRY(garray__scratch_take(scratch, (size_t)stride * item_size(plan->dtype), &p.c));
    void *far_axes;
    GARRAY_CUDA_TRY(garray__cuda_place_axes(q, axes, p.nbatch, p.axes, &far_axes));
    if (far_axes)
        scratch->area[scratch->count++] = far_axes;
    p.far_axes = far_axes;
    GARRAY_CUDA_TRY(garray__cuda_conj_copy(q, plan->dtype, &p));
    x->data = p.c;
    x->ld = p.n;
    x->conj = false;
    return GARRAY_OK;
}

/* ---- cuBLAS ---------------------------------------------------------------------------------------------------- */

typedef struct types {
    cudaDataType_t data;
    cublasComputeType_t compute;
    bool is_double, is_complex;
} types;

static types types_of(const garray_matmul_plan *plan)
{
    const cublasComputeType_t single = plan->tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    switch (plan->dtype) {
    case GARRAY_FLOAT16: return (types){CUDA_R_16F, plan->fast_half ? CUBLAS_COMPUTE_16F : CUBLAS_COMPUTE_32F, false, false};
    case GARRAY_BFLOAT16: return (types){CUDA_R_16BF, CUBLAS_COMPUTE_32F, false, false};
    case GARRAY_FLOAT32: return (types){CUDA_R_32F, single, false, false};
    case GARRAY_FLOAT64: return (types){CUDA_R_64F, CUBLAS_COMPUTE_64F, true, false};
    case GARRAY_COMPLEX64: return (types){CUDA_C_32F, single, false, true};
    default: return (types){CUDA_C_64F, CUBLAS_COMPUTE_64F, true, true};
    }
}

/* alpha or beta in cuBLAS's scale type. */
typedef union scale {
    uint16_t h;
    float f[2];
    double d[2];
} scale;

static scale scale_of(const types *t, const double value[2])
{
    scale s;
    if (t->compute == CUBLAS_COMPUTE_16F) {
        s.h = garray__double_to_half(value[0]);
        return s;
    }
    for (int i = 0; i < 2; i++) {
        if (t->is_double)
            s.d[i] = value[i];
        else
            s.f[i] = (float)value[i];
    }
    return s;
}

/* A matrix times a vector.  matrix: the operand that is not the vector; its rows are the `rows` results if by_row. */
static cublasStatus_t gemv(const garray__blas_call *call, const garray_matmul_plan *plan, const types *t,
                           const operand *matrix, const void *x, int64_t step_x, void *y, int64_t step_y, bool is_a)
{
    /* In column-major terms: a row-major a (m x k) is k x m and is used transposed; a row-major b (k x n) is n x k. */
    const int64_t rows = is_a ? plan->m : plan->k, columns = is_a ? plan->k : plan->n;
    const int64_t height = matrix->row_major ? columns : rows, width = matrix->row_major ? rows : columns;
    const bool transposed = is_a == matrix->row_major;
    const cublasOperation_t op = !transposed ? CUBLAS_OP_N : matrix->conj ? CUBLAS_OP_C : CUBLAS_OP_T;
    const scale alpha = scale_of(t, plan->alpha), beta = scale_of(t, plan->beta);
    const garray__blas_functions *f = &garray__cuda_blas;
    if (t->is_complex && t->is_double)
        return f->zgemv(call->handle, op, height, width, (const void *)&alpha, matrix->data, matrix->ld, x, step_x,
                        (const void *)&beta, y, step_y);
    if (t->is_complex)
        return f->cgemv(call->handle, op, height, width, (const void *)&alpha, matrix->data, matrix->ld, x, step_x,
                        (const void *)&beta, y, step_y);
    if (t->is_double)
        return f->dgemv(call->handle, op, height, width, alpha.d, matrix->data, matrix->ld, x, step_x, beta.d, y, step_y);
    return f->sgemv(call->handle, op, height, width, alpha.f, matrix->data, matrix->ld, x, step_x, beta.f, y, step_y);
}

static cublasStatus_t gemm(const garray__blas_call *call, const garray_matmul_plan *plan, const types *t, const operand *a,
                           const operand *b)
{
    const scale alpha = scale_of(t, plan->alpha), beta = scale_of(t, plan->beta);
    const size_t size = item_size(plan->dtype);
    const int64_t ldc = plan->m == 1 ? plan->n : plan->c_row;
    if (plan->nbatch == 0)
        return garray__cuda_blas.gemm_ex(call->handle, operation(b), operation(a), plan->n, plan->m, plan->k, &alpha, b->data,
                                         t->data, b->ld, a->data, t->data, a->ld, &beta, plan->c, t->data, ldc, t->compute,
                                         CUBLAS_GEMM_DEFAULT);
    /* The longest axis of the batch goes to cuBLAS, the others are walked. */
    int longest = 0;
    for (int d = 1; d < plan->nbatch; d++)
        if (plan->batch_shape[d] > plan->batch_shape[longest])
            longest = d;
    int64_t at[GARRAY_MAX_NDIM] = {0};
    for (;;) {
        int64_t ao = 0, bo = 0, co = 0;
        for (int d = 0; d < plan->nbatch; d++) {
            ao += at[d] * a->batch[d];
            bo += at[d] * b->batch[d];
            co += at[d] * plan->c_batch[d];
        }
        const cublasStatus_t s = garray__cuda_blas.gemm_strided_batched_ex(
            call->handle, operation(b), operation(a), plan->n, plan->m, plan->k, &alpha,
            (const char *)b->data + bo * (int64_t)size, t->data, b->ld, b->batch[longest],
            (const char *)a->data + ao * (int64_t)size, t->data, a->ld, a->batch[longest], &beta,
            (char *)plan->c + co * (int64_t)size, t->data, ldc, plan->c_batch[longest], plan->batch_shape[longest],
            t->compute, CUBLAS_GEMM_DEFAULT);
        if (s != CUBLAS_STATUS_SUCCESS)
            return s;
        int d = plan->nbatch - 1;
        for (; d >= 0; d--) {
            if (d == longest)
                continue;
            if (++at[d] < plan->batch_shape[d])
                break;
            at[d] = 0;
        }
        if (d < 0)
            return CUBLAS_STATUS_SUCCESS;
    }
}

/* One matrix b for a stack of a that is one tall matrix: no batch is needed. */
static void flatten(garray_matmul_plan *plan, const operand *a, const operand *b)
{
    if (plan->nbatch != 1 || b->batch[0] != 0 || !a->row_major || a->conj)
        return;
    const int64_t ldc = plan->m == 1 ? plan->c_batch[0] : plan->c_row;
    if (plan->m > 1 && (a->batch[0] != plan->m * a->ld || plan->c_batch[0] != plan->m * ldc))
        return;
    if (plan->m == 1 && (a->batch[0] < plan->k || ldc < plan->n))
        return;
    plan->m *= plan->batch_shape[0];
    plan->c_row = ldc;
    plan->nbatch = 0;
}

static garray_status blas_product(const garray__queue *q, const garray_matmul_plan *given)
{
    garray_matmul_plan plan = *given;
    const types t = types_of(&plan);
    operand a = operand_of(plan.a, plan.m, plan.k, plan.a_row, plan.a_col, plan.conj_a && t.is_complex);
    operand b = operand_of(plan.b, plan.k, plan.n, plan.b_row, plan.b_col, plan.conj_b && t.is_complex);
    memcpy(a.batch, plan.a_batch, sizeof a.batch);
    memcpy(b.batch, plan.b_batch, sizeof b.batch);
    const int64_t row_of_one = plan.m == 1 && plan.nbatch == 1 ? a.batch[0] : 0;
    flatten(&plan, &a, &b);
    if (row_of_one && plan.nbatch == 0)
        a.ld = row_of_one;

    /* Vectors of 16-bit floats, and those that are conjugated, go through gemm. */
    const bool plain = plan.nbatch == 0 && plan.dtype >= GARRAY_FLOAT32;
    const bool right = plain && plan.n == 1 && !b.conj && !(a.conj && !a.row_major);
    const bool left = plain && !right && plan.m == 1 && !a.conj && !(b.conj && b.row_major);
    garray__scratch scratch = {.q = q};
    garray__blas_call call;
    garray_status status = GARRAY_OK;
    if (!right && !left) {
        status = resolve_conj(q, &plan, &a, true, &scratch);
        if (status == GARRAY_OK)
            status = resolve_conj(q, &plan, &b, false, &scratch);
    }
    if (status == GARRAY_OK)
        status = garray__cuda_blas_begin(q, &call);
    if (status == GARRAY_OK) {
        cublasStatus_t s = CUBLAS_STATUS_SUCCESS;
        if (plan.fast_half)
            s = garray__cuda_blas.set_math_mode(call.handle, CUBLAS_DEFAULT_MATH);
        if (s != CUBLAS_STATUS_SUCCESS)
            ;
        else if (right)
            s = gemv(&call, &plan, &t, &a, b.data, plan.k == 1 ? 1 : plan.b_row, plan.c, plan.m == 1 ? 1 : plan.c_row, true);
        else if (left)
            s = gemv(&call, &plan, &t, &b, a.data, plan.k == 1 ? 1 : plan.a_col, plan.c, 1, false);
        else
            s = gemm(&call, &plan, &t, &a, &b);
        if (plan.fast_half)
            (void)garray__cuda_blas.set_math_mode(call.handle, EXACT_MATH);
        garray__cuda_blas_end(&call);
        if (s != CUBLAS_STATUS_SUCCESS)
            status = garray__cuda_blas_error(q, s, "matrix product");
    }
    garray__scratch_drop(&scratch);
    return status;
}

/* ---- own kernels ------------------------------------------------------------------------------------------------ */

static garray_status own_product(const garray__queue *q, const garray_matmul_plan *plan, bool inner)
{
    garray__axis axes[GARRAY_MAX_NDIM];
    garray__scratch scratch = {.q = q};
    void *far_axes;
    garray__product_args p = {
        .a = plan->a, .b = plan->b, .c = plan->c, .m = plan->m, .n = plan->n, .k = plan->k, .batch = plan->batch,
        .a_row = plan->a_row, .a_col = plan->a_col, .b_row = plan->b_row, .b_col = plan->b_col, .c_row = plan->c_row,
        .nbatch = plan->nbatch, .conj_a = plan->conj_a, .conj_b = plan->conj_b, .boolean = plan->dtype == GARRAY_BOOL,
        .alpha = {plan->alpha[0], plan->alpha[1]}, .beta = {plan->beta[0], plan->beta[1]}, .segments = 1,
        .segment = plan->k,
    };
    for (int d = 0; d < plan->nbatch; d++)
        axes[d] = garray__axis_of(plan->batch_shape[d], plan->a_batch[d], plan->b_batch[d], plan->c_batch[d]);
    GARRAY_CUDA_TRY(garray__cuda_place_axes(q, axes, p.nbatch, p.axes, &far_axes));
    if (far_axes)
        scratch.area[scratch.count++] = far_axes;
    p.far_axes = far_axes;
    garray_status status = GARRAY_OK;
    if (inner && p.batch < SEGMENTS / 2 && p.k >= 2 * SEGMENT) {
        const int64_t parts = p.k / SEGMENT < SEGMENTS / p.batch ? p.k / SEGMENT : SEGMENTS / p.batch;
        p.segment = ((p.k + parts - 1) / parts + 15) / 16 * 16;     /* whole vectors of any dtype */
        p.segments = (p.k + p.segment - 1) / p.segment;
        status = garray__scratch_take(&scratch, (size_t)(p.batch * p.segments) * 32, &p.partial);
    }
    if (status == GARRAY_OK)
        status = inner ? garray__cuda_inner_product(q, plan->dtype, &p) : garray__cuda_integer_product(q, plan->dtype, &p);
    garray__scratch_drop(&scratch);
    return status;
}

/* A matrix and a vector, or a vector and a matrix, of real floats; the matrix lies along its rows or its columns. */
static bool is_matvec(const garray_matmul_plan *plan)
{
    if (plan->dtype < GARRAY_FLOAT16 || plan->dtype > GARRAY_FLOAT64 || plan->k == 0)
        return false;
    return plan->n == 1 ? plan->a_col == 1 || plan->a_row == 1 : plan->m == 1 && (plan->b_row == 1 || plan->b_col == 1);
}

/* Threads and segments: by the sizes alone, enough blocks to fill a large processor. */
static void plan_matvec(garray__product_args *p, int64_t size, bool rows)
{
    const int64_t each = 16 / size;
    int64_t blocks, least;              /* without segments, and how short these may be */
    p->along = rows;
    if (rows) {
        p->lanes = p->k <= 32 * each ? 4 : p->k * size <= 4096 ? 32 : p->k * size <= 16384 ? 128 : 256;
        blocks = (p->m * (p->lanes < 128 ? p->lanes : 128) + THREADS - 1) / THREADS * p->batch;
        least = LEAST_BYTES / size;
    } else {
        p->lanes = p->m <= 8 * each ? 4 : 32;
        blocks = (p->m + p->lanes * each - 1) / (p->lanes * each) * p->batch;
        least = LEAST_ROWS * 32 / p->lanes;
    }
    const int64_t parts = blocks < SEGMENTS / 2 ? SEGMENTS / blocks : 1, most = p->k / least > 1 ? p->k / least : 1;
    const int64_t wanted = parts < most ? parts : most;
    p->segment = ((p->k + wanted - 1) / wanted + 15) / 16 * 16;
    p->segments = (p->k + p->segment - 1) / p->segment;
}

static garray_status matvec(const garray__queue *q, const garray_matmul_plan *plan)
{
    const bool right = plan->n == 1;
    garray__product_args p = {
        .a = right ? plan->a : plan->b, .b = right ? plan->b : plan->a, .c = plan->c, .m = right ? plan->m : plan->n, .n = 1,
        .k = plan->k, .batch = plan->batch, .b_row = right ? plan->b_row : plan->a_col, .c_row = right ? plan->c_row : 1,
        .nbatch = plan->nbatch, .alpha = {plan->alpha[0], plan->alpha[1]}, .beta = {plan->beta[0], plan->beta[1]}, .segments = 1,
        .segment = plan->k,
    };
    /* from one sum to the next, and from one of its items to the next */
    const int64_t next = right ? plan->a_row : plan->b_col, inner = right ? plan->a_col : plan->b_row;
    const bool rows = inner == 1;
    garray__axis axes[GARRAY_MAX_NDIM];
    garray__scratch scratch = {.q = q};
    void *far_axes;
    p.a_row = rows ? next : inner;
    for (int d = 0; d < plan->nbatch; d++)
        axes[d] = right ? garray__axis_of(plan->batch_shape[d], plan->a_batch[d], plan->b_batch[d], plan->c_batch[d])
                        : garray__axis_of(plan->batch_shape[d], plan->b_batch[d], plan->a_batch[d], plan->c_batch[d]);
    GARRAY_CUDA_TRY(garray__cuda_place_axes(q, axes, p.nbatch, p.axes, &far_axes));
    if (far_axes)
        scratch.area[scratch.count++] = far_axes;
    p.far_axes = far_axes;
    garray_status status = GARRAY_OK;
    plan_matvec(&p, (int64_t)item_size(plan->dtype), rows);
    if (p.segments > 1)
        status = garray__scratch_take(&scratch, (size_t)(p.batch * p.segments * p.m) * sizeof(double), &p.partial);
    if (status == GARRAY_OK)
        status = garray__cuda_matvec(q, plan->dtype, &p);
    garray__scratch_drop(&scratch);
    return status;
}

/* k = 0: c = beta * c, as the product of a column and a row of zeros. */
static garray_status scale_only(const garray__queue *q, const garray_matmul_plan *given)
{
    const size_t bytes = (size_t)(given->m + given->n) * item_size(given->dtype);
    garray_matmul_plan plan = *given;
    garray__scratch scratch = {.q = q};
    void *zeros;
    GARRAY_CUDA_TRY(garray__scratch_take(&scratch, bytes, &zeros));
    const cudaError_t e = cudaMemsetAsync(zeros, 0, bytes, garray__cuda_stream_of(q));
    garray_status status = e == cudaSuccess ? GARRAY_OK : garray__cuda_error(garray__cuda_device_of(q), e, "cudaMemsetAsync");
    plan.k = 1;
    plan.a = plan.b = zeros;
    plan.a_row = plan.a_col = plan.b_col = 1;
    plan.b_row = plan.n;
    memset(plan.a_batch, 0, sizeof plan.a_batch);
    memset(plan.b_batch, 0, sizeof plan.b_batch);
    if (status == GARRAY_OK)
        status = blas_product(q, &plan);
    garray__scratch_drop(&scratch);
    return status;
}

garray_status garray__cuda_matmul(const garray__queue *q, const garray_matmul_plan *plan)
{
    if (plan->m == 1 && plan->n == 1)
        return own_product(q, plan, true);
    if (plan->dtype <= GARRAY_UINT64)
        return own_product(q, plan, false);
    if (is_matvec(plan))
        return matvec(q, plan);
    return plan->k == 0 ? scale_only(q, plan) : blas_product(q, plan);
}
