// SPDX-License-Identifier: BSD-3-Clause
// Small pieces of host memory into device memory, as arguments of kernels.
#include "cuda/graph.h"

namespace garray__cuda {

constexpr int WORDS = 480;              /* below the 4 KB that arguments may have */

struct piece {
    uint64_t *dst;
    int count;
    uint64_t word[WORDS];
};

__global__ void __launch_bounds__(WORDS) place(const __grid_constant__ piece p)
{
    if ((int)threadIdx.x < p.count)
        p.dst[threadIdx.x] = p.word[threadIdx.x];
}

} /* namespace garray__cuda */

garray_status garray__cuda_place(const garray__queue *q, void *dst, const void *src, size_t size)
{
    using namespace garray__cuda;
    piece p;
    for (size_t done = 0; done < size; done += sizeof p.word) {
        const size_t part = size - done < sizeof p.word ? size - done : sizeof p.word;
        p.dst = (uint64_t *)((char *)dst + done);
        p.count = (int)(part / sizeof *p.word);
        memcpy(p.word, (const char *)src + done, part);
        void *args[] = {&p};
        GARRAY_CUDA_TRY(garray__cuda_launch(q, "arguments of a plan", (const void *)place, dim3(1), dim3(WORDS), 0, args));
    }
    return GARRAY_OK;
}
