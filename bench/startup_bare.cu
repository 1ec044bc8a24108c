/* SPDX-License-Identifier: BSD-3-Clause
 * The same as startup.c in bare CUDA: the least that a process must take. */
#include <cstdio>

__global__ void fill(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }
__global__ void add(const float *x, float *y,
                    int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] + x[i]; }

int main()
{
    float *x, *y, value = 0;
    cudaStream_t stream;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) || cudaMalloc(&x, 4000) || cudaMalloc(&y, 4000))
        return 1;
    fill<<<4, 256, 0, stream>>>(x, 1000);
    add<<<4, 256, 0, stream>>>(x, y, 1000);
    if (cudaMemcpyAsync(&value, y + 7, 4, cudaMemcpyDeviceToHost, stream) || cudaStreamSynchronize(stream))
        return 1;
    return value != 2;
}
