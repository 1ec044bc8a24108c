/* SPDX-License-Identifier: BSD-3-Clause
 * A CUDA kernel of your own on the library's arrays, on a stream of your own, in memory from an allocator of your own; one
 * of the arrays is over memory that the program has already.
 *     nvcc -std=c++17 16_cuda.cu $(pkg-config --cflags --libs garray)
 * It computes after how many steps z -> z * z + c leaves a circle, for a plane of numbers c: the Mandelbrot set. */
#include <cuda_runtime.h>
#include <vector>
#include "picture.h"

enum { ROWS = 400, COLUMNS = 600, STEPS = 200 };

__host__ __device__ int32_t escape(double re, double im)
{
    double x = 0, y = 0;
    int32_t n = 0;
    for (; n < STEPS && x * x + y * y < 4; n++) {
        double t = x * x - y * y + re;
        y = 2 * x * y + im;
        x = t;
    }
    return n;
}

__global__ void escape_kernel(const double *re, const double *im, int32_t *out)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < ROWS * COLUMNS)
        out[i] = escape(re[i % COLUMNS], im[i / COLUMNS]);
}

/* Between begin and end the addresses are valid, and whatever is enqueued on the stream is in order with the library's
 * own work. The stream is the calling thread's current one here (NULL). */
static garray_status plane(garray_t *re, garray_t *im, garray_device device, garray_t **out)
{
    GARRAY_AUTO garray_t *n = NULL;
    void *re_ptr, *im_ptr, *n_ptr, *stream;
    GARRAY_TRY(garray_empty(GARRAY_SHAPE(ROWS, COLUMNS), GARRAY_INT32, device, &n));
    GARRAY_TRY(garray_begin(re, GARRAY_READ, NULL, &re_ptr));
    GARRAY_TRY(garray_begin(im, GARRAY_READ, NULL, &im_ptr));
    GARRAY_TRY(garray_begin(n, GARRAY_WRITE, NULL, &n_ptr));
    if (device.type == GARRAY_DEVICE_CUDA) {
        GARRAY_TRY(garray_stream_native(NULL, device, &stream));
        escape_kernel<<<(ROWS * COLUMNS + 255) / 256, 256, 0, (cudaStream_t)stream>>>(
            (const double *)re_ptr, (const double *)im_ptr, (int32_t *)n_ptr);
    } else {
        for (int i = 0; i < ROWS * COLUMNS; i++)
            ((int32_t *)n_ptr)[i] = escape(((const double *)re_ptr)[i % COLUMNS], ((const double *)im_ptr)[i / COLUMNS]);
    }
    GARRAY_TRY(garray_end(n, NULL));
    GARRAY_TRY(garray_end(im, NULL));
    GARRAY_TRY(garray_end(re, NULL));
    return garray_move(&n, out);
}

/* Memory that the program has already, on the CPU or on a GPU, as an array. */
struct samples {
    double *ptr;
    bool given_back;
};

static void give_back(void *ctx)
{
    static_cast<samples *>(ctx)->given_back = true; /* no array uses the memory any more, and no work on the device */
}

static garray_status wrap(samples *own, int64_t n, garray_device device, cudaStream_t stream, garray_t **out)
{
    garray_array_interface fields = {}; /* what Python's packages exchange as __cuda_array_interface__ */
    strcpy(fields.typestr, "<f8");
    fields.version = 3;
    fields.ndim = 1;
    fields.shape = &n;
    fields.data = own->ptr;
    fields.device = device;
    fields.has_stream = device.type == GARRAY_DEVICE_CUDA;
    fields.stream = stream; /* what is on it now comes before our work */
    return garray_from_array_interface(&fields, give_back, own, out);
}

/* CUDA's own pool as the library's allocator; RMM or PyTorch's would be called in the same way. */
static void *take(size_t size, garray_device device, void *stream, void *ctx)
{
    void *ptr = nullptr;
    ++*static_cast<int *>(ctx);
    return cudaSetDevice(device.index) == cudaSuccess &&
                   cudaMallocAsync(&ptr, size, static_cast<cudaStream_t>(stream)) == cudaSuccess ? ptr : nullptr;
}

static void put_back(void *ptr, size_t, garray_device, void *stream, void *)
{
    cudaFreeAsync(ptr, static_cast<cudaStream_t>(stream));
}

int main(int argc, char **argv)
{
    static int taken; /* lives as long as the allocator is set */
    garray_device device;
    garray_stream *yours = nullptr;
    cudaStream_t stream = nullptr;

    if (argc > 1 && !strcmp(argv[1], "--help"))
        return printf("usage: %s [cpu|cuda|cuda:1|auto] [PICTURE.pgm]\nA kernel on arrays: the Mandelbrot set.\n", argv[0]) < 0;
    GARRAY_CHECK(garray_device_parse(argc > 1 ? argv[1] : "cpu", &device));
    if (device.type == GARRAY_DEVICE_CUDA) {
        garray_allocator own = {};
        own.kind = GARRAY_ALLOCATOR_USER;
        own.alloc = take;
        own.free = put_back;
        own.ctx = &taken;
        GARRAY_CHECK(garray_memory_set_allocator(device, &own));
        if (cudaSetDevice(device.index) != cudaSuccess || cudaStreamCreate(&stream) != cudaSuccess)
            return 1;
        GARRAY_CHECK(garray_stream_wrap(device, stream, &yours));
        GARRAY_CHECK(garray_stream_swap(yours, device, nullptr)); /* from now on all work goes there */
    }
    std::vector<double> x(COLUMNS), y(ROWS);
    for (int i = 0; i < COLUMNS; i++)
        x[i] = -2.25 + 3.0 * i / (COLUMNS - 1);
    samples own = { x.data(), false };
    if (yours && (cudaMalloc(reinterpret_cast<void **>(&own.ptr), COLUMNS * sizeof(double)) != cudaSuccess ||
                  cudaMemcpyAsync(own.ptr, x.data(), COLUMNS * sizeof(double), cudaMemcpyHostToDevice, stream) != cudaSuccess))
        return 1;
    {
        GARRAY_AUTO garray_t *re = nullptr, *im = nullptr, *n = nullptr;
        std::vector<int32_t> got(ROWS * COLUMNS);
        GARRAY_CHECK(wrap(&own, COLUMNS, device, stream, &re));
        GARRAY_CHECK(garray_linspace(-1.0, 1.0, ROWS, nullptr, device, &im));
        GARRAY_CHECK(plane(re, im, device, &n));
        GARRAY_CHECK(garray_to_host(n, got.data(), nullptr, got.size() * sizeof got[0]));

        /* The same computation here, of the same coordinates. */
        GARRAY_CHECK(garray_to_host(im, y.data(), nullptr, ROWS * sizeof y[0]));
        int inside = 0;
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            if (got[i] != escape(x[i % COLUMNS], y[i / COLUMNS]))
                return 1;
            inside += got[i] == STEPS;
        }
        /* The area of the set is 1.5066; each point stands for a cell of 3 by 2 over their number. */
        double area = 6.0 * inside / (ROWS * COLUMNS);
        printf("area of the Mandelbrot set: %.3f (1.507 is known)%s\n", area, taken ? ", in memory of our own" : "");
        if (area < 1.45 || area > 1.6)
            return 1;
        if (argc > 2) {
            GARRAY_CHECK(garray_log1p(n, &im)); /* so that the few steps far outside show */
            GARRAY_CHECK(save_picture(argv[2], im));
        }
    }
    if (yours) {
        GARRAY_CHECK(garray_stream_swap(nullptr, device, nullptr));
        garray_stream_free(yours); /* the library lets go of the stream before it is destroyed */
        GARRAY_CHECK(garray_synchronize(device)); /* memory that was lent goes back when nothing uses it any more */
        cudaStreamDestroy(stream);
        cudaFree(own.ptr);
    }
    if (!own.given_back)
        return 1;
    return device.type == GARRAY_DEVICE_CUDA && taken == 0;
}
