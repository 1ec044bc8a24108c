/* SPDX-License-Identifier: BSD-3-Clause
 * The C side of exchange.py: a small library whose functions take and give DLPack tensors, as NumPy, PyTorch, CuPy, JAX and
 * others do. Nothing is copied on the way. */
#include <garray/garray.h>

#define EXPORT GARRAY_API
EXPORT garray_status exchange_ramp(const char *device_name, int64_t rows, int64_t columns, garray_t **out);
EXPORT garray_status exchange_standardize(void *tensor, int versioned, garray_t **out);
EXPORT garray_status exchange_give(const garray_t *x, int versioned, int has_stream, void *stream, void **tensor);
EXPORT garray_status exchange_stream(const char *device_name, void **stream);

/* 0, 1, 2 ... as float32: an array that is made here. */
garray_status exchange_ramp(const char *device_name, int64_t rows, int64_t columns, garray_t **out)
{
    GARRAY_AUTO garray_t *x = NULL;
    garray_device device;
    GARRAY_TRY(garray_device_parse(device_name, &device));
    GARRAY_TRY(garray_arange(0, (double)(rows * columns), 1, GARRAY_FLOAT32, device, &x));
    return garray_reshape(x, GARRAY_SHAPE(rows, columns), out);
}

/* A tensor as an array: on success it belongs to the array, which calls its deleter in the end. The producer has made it
 * ready for the stream that exchange_stream() names. */
static garray_status take(void *tensor, int versioned, garray_t **x)
{
    if (versioned)
        return garray_from_dlpack((struct DLManagedTensorVersioned *)tensor, NULL, x);
    return garray_from_dlpack_unversioned((struct DLManagedTensor *)tensor, NULL, x);
}

/* (x - mean) / std of each column, of a tensor that was made there. */
garray_status exchange_standardize(void *tensor, int versioned, garray_t **out)
{
    GARRAY_AUTO garray_t *x = NULL, *mean = NULL, *spread = NULL, *y = NULL;
    GARRAY_TRY(take(tensor, versioned, &x));
    GARRAY_TRY(garray_mean(x, GARRAY_AXES(0), GARRAY_KW(reduce, .keepdims = true), &mean));
    GARRAY_TRY(garray_std(x, GARRAY_AXES(0), GARRAY_KW(var, .keepdims = true), &spread));
    GARRAY_TRY(garray_subtract(x, mean, &y));
    return garray_divide(y, spread, out);
}

/* An array as a tensor, in the form that the other side knows. Its stream, where it names one, waits for our work; the
 * host does not. */
garray_status exchange_give(const garray_t *x, int versioned, int has_stream, void *stream, void **tensor)
{
    const garray_dlpack_opts *opts = GARRAY_KW(dlpack, .has_stream = has_stream, .stream = stream);
    struct DLManagedTensorVersioned *with_version;
    struct DLManagedTensor *without;
    if (versioned) {
        GARRAY_TRY(garray_to_dlpack(x, opts, &with_version));
        *tensor = with_version;
    } else {
        GARRAY_TRY(garray_to_dlpack_unversioned(x, opts, &without));
        *tensor = without;
    }
    return GARRAY_OK;
}

/* The stream on which we work: a producer makes its tensors ready for it. */
garray_status exchange_stream(const char *device_name, void **stream)
{
    garray_device device;
    GARRAY_TRY(garray_device_parse(device_name, &device));
    return garray_stream_native(NULL, device, stream);
}
