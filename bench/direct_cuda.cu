/* SPDX-License-Identifier: BSD-3-Clause
 * The GPU's ceilings, without the library: copies, reading, filling, launches, cuBLAS, cuFFT and CUB called directly.
 * Lines and fields are those of garray-bench, lib is "direct". */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cufft.h>
#include <vector>

#define CHECK(call)                                                                        \
    do {                                                                                   \
        int status_ = (int)(call);                                                         \
        if (status_ != 0) {                                                                \
            std::fprintf(stderr, "direct-cuda: %s: error %d\n", #call, status_);           \
            std::exit(1);                                                                  \
        }                                                                                  \
    } while (0)

static cudaStream_t stream;
static cudaEvent_t begin_event, end_event;

__global__ void empty_kernel() {}

__global__ void hold_kernel(long long cycles)
{
    long long start = clock64();
    while (clock64() - start < cycles)
        ;
}

__global__ void random_kernel(unsigned *out, size_t n, unsigned mask, unsigned bits)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        unsigned x = (unsigned)i * 2654435761u + 12345u;
        x ^= x >> 16;
        x *= 2246822519u;
        x ^= x >> 13;
        x *= 3266489917u;
        x ^= x >> 16;
        out[i] = (x & mask) | bits;
    }
}

__global__ void read_kernel(const float4 *x, size_t n, float *sink)
{
    float s = 0;
    size_t step = (size_t)gridDim.x * blockDim.x;
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    for (; i + 3 * step < n; i += 4 * step) {
        float4 a = x[i], b = x[i + step], c = x[i + 2 * step], d = x[i + 3 * step];
        s += (a.x + a.y + a.z + a.w) + (b.x + b.y + b.z + b.w) + (c.x + c.y + c.z + c.w) + (d.x + d.y + d.z + d.w);
    }
    for (; i < n; i += step)
        s += x[i].x + x[i].y + x[i].z + x[i].w;
    if (s == 12345.678f)
        *sink = s;
}

template <class F> static void time_case(const char *name, size_t n, const char *dtype, double bytes, double flops,
                                         int inner, bool held, F step)
{
    std::vector<float> ms;
    step();
    step();
    CHECK(cudaStreamSynchronize(stream));
    for (int r = 0; r < 9; r++) {
        if (held)
            hold_kernel<<<1, 1, 0, stream>>>(4000000);
        CHECK(cudaEventRecord(begin_event, stream));
        for (int i = 0; i < inner; i++)
            step();
        CHECK(cudaEventRecord(end_event, stream));
        CHECK(cudaStreamSynchronize(stream));
        float t;
        CHECK(cudaEventElapsedTime(&t, begin_event, end_event));
        ms.push_back(t / inner);
    }
    std::sort(ms.begin(), ms.end());
    std::printf("{\"case\": \"%s\", \"lib\": \"direct\", \"device\": \"cuda\", \"n\": %zu, \"dtype\": \"%s\", \"ms\": %.6f, \"min_ms\": %.6f, "
                "\"call_ms\": %.6f, \"inner\": %d, \"bytes\": %.0f, \"flops\": %.0f}\n", name, n, dtype, ms[4], ms[0], ms[4], inner, bytes, flops);
    std::fflush(stdout);
}

template <class T> static T *memory(size_t n)
{
    T *p;
    CHECK(cudaMalloc(&p, n * sizeof(T)));
    return p;
}

static void gemm(cublasHandle_t handle, const char *name, const char *dtype, cudaDataType type,
                 cublasComputeType_t compute, size_t n,
                 size_t size, double flops, cublasOperation_t ta, cublasOperation_t tb, const void *alpha, const void *beta)
{
    unsigned *a = memory<unsigned>(n * n * size / 4 + 4), *b = memory<unsigned>(n * n * size / 4 + 4), *c = memory<unsigned>(n * n * size / 4 + 4);
    /* random bits that are numbers of [0.5, 2) or so in each format */
    bool half = size == 2;
    bool wide = type == CUDA_R_64F;
    unsigned mask = half ? 0x03ff03ffu : wide ? 0x3fefffffu : 0x3fffffffu, bits = half ? 0x3c003c00u : wide ? 0x3fe00000u : 0x3f000000u;
    if (type == CUDA_R_16BF)
        mask = 0x007f007fu, bits = 0x3f803f80u;
    random_kernel<<<1024, 256, 0, stream>>>(a, n * n * size / 4, mask, bits);
    random_kernel<<<1024, 256, 0, stream>>>(b, n * n * size / 4, mask, bits);
    double d = (double)n;
    time_case(name, n, dtype, 3.0 * size * d * d, flops * d * d * d, 4, true, [&] {
        CHECK(cublasGemmEx(handle, tb, ta, (int)n, (int)n, (int)n, alpha, b, type, (int)n, a, type, (int)n, beta, c,
                           type, (int)n, compute,
                           CUBLAS_GEMM_DEFAULT));
    });
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
}

/* rank 1: `lines` transforms of n numbers each; rank 2: one of lines x n. */
static void fft(const char *name, const char *dtype, int rank, int n, int lines, bool real)
{
    const double items = (double)n * lines, half = (double)(n / 2 + 1) * lines;
    float *x = memory<float>((size_t)((real ? 1 : 2) * items)), *y = memory<float>((size_t)(2 * (real ? half : items)));
    random_kernel<<<1024, 256, 0, stream>>>((unsigned *)x, (size_t)((real ? 1 : 2) * items), 0x007fffffu, 0x3f800000u);
    int shape[2] = { rank == 2 ? lines : n, n };
    cufftHandle plan;
    CHECK(cufftPlanMany(&plan, rank, shape, nullptr, 1, n, nullptr, 1, real ? n / 2 + 1 : n, real ? CUFFT_R2C : CUFFT_C2C,
                        rank == 2 ? 1 : lines));
    CHECK(cufftSetStream(plan, stream));
    time_case(name, (size_t)items, dtype, real ? 4 * items + 8 * half : 16 * items, 0, 5, true, [&] {
        if (real)
            CHECK(cufftExecR2C(plan, x, (cufftComplex *)y));
        else
            CHECK(cufftExecC2C(plan, (cufftComplex *)x, (cufftComplex *)y, CUFFT_FORWARD));
    });
    CHECK(cufftDestroy(plan));
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
}

struct small {
    float *out;
    const float *a, *b;
    int n, product;
};

/* One of twenty kernels of which each waits for the one before. */
__global__ void small_kernel(small s)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;\n\tgriddepcontrol.launch_dependents;" ::: "memory");
#endif
    int i = threadIdx.x * 4;
    if (i + 4 > s.n)
        return;
    float4 x = *(const float4 *)(s.a + i), y = *(const float4 *)(s.b + i);
    *(float4 *)(s.out + i) = s.product ? make_float4(x.x * y.x, x.y * y.y, x.z * y.z, x.w * y.w)
                                       : make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

static void twenty(float *x, bool overlaps)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(256);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = overlaps ? 1 : 0;
    for (int i = 0; i < 20; i++)
        CHECK(cudaLaunchKernelEx(&config, small_kernel, small{ x, i ? x : x + 1000, x + 2000, 1000, i % 2 == 0 }));
}

/* The floor of small_calls20_1000_f32 and small_graph20_1000_f32: the least kernel that does the work of a node. */
static void launches()
{
    int major = 0, device = 0;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    float *x = memory<float>(3000);
    random_kernel<<<1, 256, 0, stream>>>((unsigned *)x, 3000, 0x007fffffu, 0x3f000000u);
    time_case("small_calls20_1000_f32", 1000, "float32", 0, 0, 100, false, [&] { twenty(x, false); });
    cudaGraph_t recorded;
    cudaGraphExec_t graph;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    twenty(x, major >= 9);
    CHECK(cudaStreamEndCapture(stream, &recorded));
    CHECK(cudaGraphInstantiate(&graph, recorded, 0));
    CHECK(cudaGraphUpload(graph, stream));
    time_case("small_graph20_1000_f32", 1000, "float32", 0, 0, 100, false, [&] { CHECK(cudaGraphLaunch(graph, stream)); });
    CHECK(cudaGraphExecDestroy(graph));
    CHECK(cudaGraphDestroy(recorded));
    CHECK(cudaFree(x));
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        std::fprintf(stderr,
                     "usage: direct-cuda BYTES\nTimes copies, reads, fills, launches, cuBLAS, cuFFT and CUB without the library, for vectors of BYTES bytes.\n");
        return 2;
    }
    size_t n = (size_t)std::atof(argv[1]) / 4 / 256 * 256;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&begin_event));
    CHECK(cudaEventCreate(&end_event));
    double d = (double)n;
    {
        float *x = memory<float>(2 * n), *y = memory<float>(2 * n);
        random_kernel<<<1024, 256, 0, stream>>>((unsigned *)x, 2 * n, 0x007fffffu, 0x3f800000u);
        time_case("copy_f32", n, "float32", 8 * d, 0, 20, true,
                  [&] { CHECK(cudaMemcpyAsync(y, x, 4 * n, cudaMemcpyDeviceToDevice, stream)); });
        time_case("copy_d2d_f32", 2 * n, "float32", 16 * d, 0, 10, true,
                  [&] { CHECK(cudaMemcpyAsync(y, x, 8 * n, cudaMemcpyDeviceToDevice, stream)); });
        time_case("fill_f32", n, "float32", 4 * d, 0, 20, true, [&] { CHECK(cudaMemsetAsync(y, 0, 4 * n, stream)); });
        time_case("ceiling_read", n, "float32", 4 * d, 0, 20, true,
                  [&] { read_kernel<<<132 * 16, 256, 0, stream>>>((const float4 *)x, n / 4, y); });
        time_case("ceiling_empty_launch", 1, "float32", 0, 0, 2000, false, [&] { empty_kernel<<<1, 32, 0, stream>>>(); });
        size_t size = 0;
        CHECK(cub::DeviceScan::InclusiveSum(nullptr, size, x, y, n, stream));
        void *scratch = memory<char>(size);
        time_case("cumsum_f32", n, "float32", 8 * d, 0, 10, true,
                  [&] { CHECK(cub::DeviceScan::InclusiveSum(scratch, size, x, y, n, stream)); });
        CHECK(cudaFree(scratch));
        unsigned char *flags = memory<unsigned char>(n);
        random_kernel<<<1024, 256, 0, stream>>>((unsigned *)flags, n / 4, 0x01010101u, 0);
        size_t *count = memory<size_t>(1);
        size = 0;
        CHECK(cub::DeviceSelect::Flagged(nullptr, size, x, flags, y, count, n, stream));
        scratch = memory<char>(size);
        time_case("boolmask_f32", n, "float32", 7 * d, 0, 10, true,
                  [&] { CHECK(cub::DeviceSelect::Flagged(scratch, size, x, flags, y, count, n, stream)); });
        CHECK(cudaFree(scratch));
        CHECK(cudaFree(flags));
        size = 0;
        size_t items = std::min<size_t>(n, 100000000);
        CHECK(cub::DeviceRadixSort::SortKeys(nullptr, size, x, y, items, 0, 32, stream));
        scratch = memory<char>(size);
        time_case("sort_f32", items, "float32", 8.0 * (double)items, 0, 4, true,
                  [&] { CHECK(cub::DeviceRadixSort::SortKeys(scratch, size, x, y, items, 0, 32, stream)); });
        CHECK(cudaFree(scratch));
        CHECK(cudaFree(x));
        CHECK(cudaFree(y));
        long long *k = memory<long long>(items), *l = memory<long long>(items);
        random_kernel<<<1024, 256, 0, stream>>>((unsigned *)k, 2 * items, 0x3fffffffu, 0);
        size = 0;
        CHECK(cub::DeviceRadixSort::SortKeys(nullptr, size, k, l, items, 0, 64, stream));
        scratch = memory<char>(size);
        time_case("sort_i64", items, "int64", 16.0 * (double)items, 0, 4, true,
                  [&] { CHECK(cub::DeviceRadixSort::SortKeys(scratch, size, k, l, items, 0, 64, stream)); });
        CHECK(cudaFree(scratch));
        CHECK(cudaFree(k));
        CHECK(cudaFree(l));
    }
    launches();
    fft("fft_1m_batch_c64", "complex64", 1, 1 << 20, 64, false);
    fft("fft_1024_batch_c64", "complex64", 1, 1024, 1 << 16, false);
    fft("fft_1000_batch_c64", "complex64", 1, 1000, 1 << 16, false);
    fft("rfft_1m_batch_f32", "float32", 1, 1 << 20, 64, true);
    fft("fft2_c64", "complex64", 2, 4096, 4096, false);
    cublasHandle_t handle;
    CHECK(cublasCreate(&handle));
    CHECK(cublasSetStream(handle, stream));
    CHECK(cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH));
    const float one = 1, zero = 0;
    const double one64 = 1, zero64 = 0;
    const float cone[2] = { 1, 0 }, czero[2] = { 0, 0 };
    const cublasOperation_t N = CUBLAS_OP_N, T = CUBLAS_OP_T;
    gemm(handle, "matmul_f32", "float32", CUDA_R_32F, CUBLAS_COMPUTE_32F, 8192, 4, 2, N, N, &one, &zero);
    gemm(handle, "matmul_f64", "float64", CUDA_R_64F, CUBLAS_COMPUTE_64F, 8192, 8, 2, N, N, &one64, &zero64);
    gemm(handle, "matmul_f16", "float16", CUDA_R_16F, CUBLAS_COMPUTE_32F, 8192, 2, 2, N, N, &one, &zero);
    gemm(handle, "matmul_bf16", "bfloat16", CUDA_R_16BF, CUBLAS_COMPUTE_32F, 8192, 2, 2, N, N, &one, &zero);
    gemm(handle, "matmul_c64", "complex64", CUDA_C_32F, CUBLAS_COMPUTE_32F, 4096, 8, 8, N, N, cone, czero);
    gemm(handle, "matmul_odd_f32", "float32", CUDA_R_32F, CUBLAS_COMPUTE_32F, 8191, 4, 2, N, N, &one, &zero);
    gemm(handle, "matmul_at_b_f32", "float32", CUDA_R_32F, CUBLAS_COMPUTE_32F, 8192, 4, 2, T, N, &one, &zero);
    gemm(handle, "matmul_a_bt_f32", "float32", CUDA_R_32F, CUBLAS_COMPUTE_32F, 8192, 4, 2, N, T, &one, &zero);
    return 0;
}
