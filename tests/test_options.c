/* SPDX-License-Identifier: BSD-3-Clause
 * Options are for later versions to extend: a reserved word that is not 0 is an error in every function that takes
 * them, and touches nothing.  Each struct of options has a row here (tests/interface/check_headers looks). */
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>
#include "test.h"

static garray_t *x, *y, *w;     /* what each call reads (the identity matrix), and where its results go */
static garray_rng rng = { 1, 2, 3, 0 };
static struct DLManagedTensorVersioned *tensor;
static struct DLManagedTensor *old_tensor;
static char text[400];
static garray_t *flags, *bytes;
static bool answer;

static garray_status ufunc(const garray_ufunc_opts *o)
{
    const garray_operand in[2] = { garray_operand_array(x), garray_operand_int(1) };
    garray_t **slot = &y;
    return garray_ufunc(GARRAY_OP_add, 2, in, o, 1, &slot);
}

static garray_status reduceat(const garray_accumulate_opts *o)
{
    static const int64_t at[] = { 0, 2 };
    garray_t *index = NULL;
    garray_status status = garray_from_host(at, GARRAY_INT64, GARRAY_SHAPE(2), NULL, test_device(), &index);
    status = status == GARRAY_OK ? garray_ufunc_reduceat(GARRAY_OP_add, x, index, 0, o, &y) : status;
    garray_release(index);
    return status;
}

static garray_status search(const garray_search_opts *o)
{
    garray_t *row = NULL;
    garray_status status = garray_arange(0, 3, 1, GARRAY_FLOAT64, test_device(), &row);
    status = status == GARRAY_OK ? garray_searchsorted(row, 1, o, &y) : status;
    garray_release(row);
    return status;
}

/* A vector as a batch of one item with one channel. */
static garray_status of_batch(int axes, const garray_t *row, const garray_conv_opts *o)
{
    garray_t *batch = NULL;
    const int64_t shape[5] = { 1, 1, 3, 1, 1 };
    garray_status status = garray_reshape(row, GARRAY_DIMS(2 + axes, shape), &batch);
    if (status == GARRAY_OK)
        status = axes == 1   ? garray_conv1d(batch, batch, o, &y)
                 : axes == 2 ? garray_conv2d(batch, batch, o, &y)
                             : garray_conv3d(batch, batch, o, &y);
    garray_release(batch);
    return status;
}

/* Functions of vectors: number says which. */
static garray_status of_vector(int number, const void *o)
{
    garray_t *row = NULL;
    garray_status status = garray_arange(0, 3, 1, GARRAY_FLOAT64, test_device(), &row);
    if (status == GARRAY_OK)
        status = number == 0   ? garray_polyint(row, 1, o, &y)
                 : number == 1 ? garray_convolve(row, row, o, &y)
                 : number == 2 ? garray_correlate(row, row, o, &y)
                 : number == 3 ? garray_polyfit(row, row, 1, o, &y)
                 : number == 4 ? garray_polyfit_full(row, row, 1, o, &y, NULL, NULL, NULL)
                 : number == 5 ? garray_polyfit_cov(row, row, 1, true, o, &y, NULL)
                 : number == 6 ? garray_interp(row, row, row, o, &y)
                 : number == 7 ? garray_interp2d(row, row, row, row, x, o, &y)
                               : of_batch(number - 7, row, o);
    garray_release(row);
    return status;
}

static garray_status solve_by_factors(const garray_lu_solve_opts *o)
{
    garray_t *pivots = NULL;
    garray_status status = garray_arange(0, 3, 1, GARRAY_INT64, test_device(), &pivots);
    status = status == GARRAY_OK ? garray_linalg_lu_solve(x, pivots, x, o, &y) : status;
    garray_release(pivots);
    return status;
}

static garray_status histogram2d(const garray_histogramdd_opts *o)
{
    garray_t *flat = NULL;
    garray_status st = garray_ravel(x, &flat);
    if (st == GARRAY_OK)
        st = garray_histogram2d(flat, flat, 2, 2, o, &y, NULL, NULL);
    garray_release(flat);
    return st;
}

static garray_status histogramdd(const garray_histogramdd_opts *o)
{
    const garray_operand bins = garray_operand_int(2);
    return garray_histogramdd(x, 1, &bins, o, &y, NULL);
}

static garray_status bincount(const garray_bincount_opts *o)
{
    garray_t *numbers = NULL;
    garray_status st = garray_arange(0, 3, 1, GARRAY_INT32, test_device(), &numbers);
    if (st == GARRAY_OK)
        st = garray_bincount(numbers, o, &y);
    garray_release(numbers);
    return st;
}

/* These need a vector, and indices. */
static garray_status vander(const garray_vander_opts *o)
{
    GARRAY_AUTO garray_t *line = NULL;
    GARRAY_TRY(garray_ravel(x, &line));
    return garray_vander(line, 2, o, &y);
}

static garray_status ravel_index(const garray_multi_index_opts *o)
{
    GARRAY_AUTO garray_t *index = NULL;
    GARRAY_TRY(garray_arange(0, 3, 1, GARRAY_INT64, test_device(), &index));
    return garray_ravel_multi_index(GARRAY_LIST(index, index), GARRAY_SHAPE(3, 3), o, &y);
}

static garray_status unravel_index(const garray_multi_index_opts *o)
{
    GARRAY_AUTO garray_t *index = NULL;
    garray_t *outs[2] = { NULL, NULL };
    GARRAY_TRY(garray_arange(0, 3, 1, GARRAY_INT64, test_device(), &index));
    garray_status st = garray_unravel_index(index, GARRAY_SHAPE(3, 3), o, 2, outs);
    garray_release(outs[0]);
    garray_release(outs[1]);
    return st;
}

static garray_status multivariate(const garray_multivariate_opts *o)
{
    GARRAY_AUTO garray_t *mean = NULL, *cov = NULL;
    garray_rng own = GARRAY_RNG(1);
    GARRAY_TRY(garray_zeros(GARRAY_SHAPE(2), GARRAY_FLOAT64, test_device(), &mean));
    GARRAY_TRY(garray_eye(2, 2, 0, GARRAY_FLOAT64, test_device(), &cov));
    return garray_random_multivariate_normal(&own, mean, cov, GARRAY_SHAPE(3), o, &y);
}

/* Files, read and written under one name. */
static char path[64];

static ptrdiff_t swallow(void *ctx, const void *data, size_t size)
{
    (void)ctx;
    (void)data;
    return (ptrdiff_t)size;
}

static garray_status npz_open(const garray_npz_opts *o)
{
    garray_npz *npz = NULL;
    GARRAY_TRY(garray_savez(path, GARRAY_LIST(x), NULL));
    garray_status st = garray_npz_open(path, o, &npz);
    garray_npz_close(npz);
    return st;
}

static garray_status open_memmap(const garray_memmap_opts *o)
{
    GARRAY_AUTO garray_t *mapped = NULL;
    GARRAY_TRY(garray_save(path, x));
    return garray_format_open_memmap(path, o, &mapped);
}

#define AS_TEXT(name) \
    static garray_status name(const garray_##name##_opts *o) \
    { \
        GARRAY_AUTO garray_t *read = NULL; \
        GARRAY_TRY(garray_savetxt(path, x, NULL)); \
        return garray_##name(path, GARRAY_FLOAT64, o, test_device(), &read); \
    }
AS_TEXT(loadtxt)
AS_TEXT(genfromtxt)
AS_TEXT(fromfile)

static void receive(void *ctx, const char *report, size_t length)
{
    (void)ctx;
    TEST_EXPECT(report && length > 0, "no report");
}

/* ROW(function, family, first reserved word, call with options o) */
#define ROWS(ROW) \
    ROW(sum, reduce, reserved, garray_sum(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(prod, reduce, reserved, garray_prod(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(min, reduce, reserved, garray_min(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(max, reduce, reserved, garray_max(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(mean, reduce, reserved, garray_mean(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(any, reduce, reserved, garray_any(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(all, reduce, reserved, garray_all(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(count_nonzero, reduce, reserved, garray_count_nonzero(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(var, var, reserved, garray_var(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(std, var, reserved, garray_std(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(argmin, arg, reserved32, garray_argmin(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(argmax, arg, reserved32, garray_argmax(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(cumulative_sum, cumulative, reserved, garray_cumulative_sum(x, GARRAY_AXES(0), o, &y)) \
    ROW(cumulative_prod, cumulative, reserved, garray_cumulative_prod(x, GARRAY_AXES(0), o, &y)) \
    ROW(cummax, cumulative, reserved, garray_cummax(x, GARRAY_AXES(0), o, &y)) \
    ROW(cummin, cumulative, reserved, garray_cummin(x, GARRAY_AXES(0), o, &y)) \
    ROW(ptp, reduce, reserved, garray_ptp(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(cumsum, cumulative, reserved, garray_cumsum(x, GARRAY_AXES(0), o, &y)) \
    ROW(cumprod, cumulative, reserved, garray_cumprod(x, GARRAY_AXES(0), o, &y)) \
    ROW(nansum, reduce, reserved, garray_nansum(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(nanprod, reduce, reserved, garray_nanprod(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(nanmin, reduce, reserved, garray_nanmin(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(nanmax, reduce, reserved, garray_nanmax(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(nanmean, reduce, reserved, garray_nanmean(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(nanvar, var, reserved, garray_nanvar(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(nanstd, var, reserved, garray_nanstd(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(nanargmin, arg, reserved32, garray_nanargmin(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(nanargmax, arg, reserved32, garray_nanargmax(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(nancumsum, cumulative, reserved, garray_nancumsum(x, GARRAY_AXES(0), o, &y)) \
    ROW(nancumprod, cumulative, reserved, garray_nancumprod(x, GARRAY_AXES(0), o, &y)) \
    ROW(average, average, reserved32, garray_average(x, GARRAY_ALL_AXES, o, &y, &w)) \
    ROW(median, median, reserved32, garray_median(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(nanmedian, median, reserved32, garray_nanmedian(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(quantile, quantile, reserved, garray_quantile(x, 0.5, GARRAY_ALL_AXES, o, &y)) \
    ROW(percentile, quantile, reserved, garray_percentile(x, 50, GARRAY_ALL_AXES, o, &y)) \
    ROW(nanquantile, quantile, reserved, garray_nanquantile(x, 0.5, GARRAY_ALL_AXES, o, &y)) \
    ROW(nanpercentile, quantile, reserved, garray_nanpercentile(x, 50, GARRAY_ALL_AXES, o, &y)) \
    ROW(cov, cov, reserved32, garray_cov(x, o, &y)) \
    ROW(corrcoef, cov, reserved32, garray_corrcoef(x, o, &y)) \
    ROW(histogram, histogram, reserved, garray_histogram(x, 2, o, &y, &w)) \
    ROW(histogram_bin_edges, histogram, reserved, garray_histogram_bin_edges(x, 2, o, &w)) \
    ROW(histogram2d, histogramdd, reserved32, histogram2d(o)) \
    ROW(histogramdd, histogramdd, reserved32, histogramdd(o)) \
    ROW(digitize, digitize, reserved32, garray_digitize(x, w, o, &y)) \
    ROW(bincount, bincount, reserved, bincount(o)) \
    ROW(diff, diff, reserved, garray_diff(x, 1, 0, o, &y)) \
    ROW(ediff1d, ediff1d, reserved, garray_ediff1d(x, o, &y)) \
    ROW(gradient, gradient, reserved, garray_gradient(x, GARRAY_AXES(0), o, 1, &y)) \
    ROW(trapezoid, trapezoid, reserved, garray_trapezoid(x, 0, o, &y)) \
    ROW(fft_fft, fft, reserved32, garray_fft_fft(x, 0, o, &y)) \
    ROW(fft_ifft, fft, reserved32, garray_fft_ifft(x, 0, o, &y)) \
    ROW(fft_rfft, fft, reserved32, garray_fft_rfft(x, 0, o, &y)) \
    ROW(fft_irfft, fft, reserved32, garray_fft_irfft(x, 0, o, &y)) \
    ROW(fft_hfft, fft, reserved32, garray_fft_hfft(x, 0, o, &y)) \
    ROW(fft_ihfft, fft, reserved32, garray_fft_ihfft(x, 0, o, &y)) \
    ROW(fft_fftn, fft, reserved32, garray_fft_fftn(x, GARRAY_0D, GARRAY_ALL_AXES, o, &y)) \
    ROW(fft_ifftn, fft, reserved32, garray_fft_ifftn(x, GARRAY_0D, GARRAY_ALL_AXES, o, &y)) \
    ROW(fft_rfftn, fft, reserved32, garray_fft_rfftn(x, GARRAY_0D, GARRAY_ALL_AXES, o, &y)) \
    ROW(fft_irfftn, fft, reserved32, garray_fft_irfftn(x, GARRAY_0D, GARRAY_ALL_AXES, o, &y)) \
    ROW(fft_fft2, fft, reserved32, garray_fft_fft2(x, GARRAY_0D, GARRAY_ALL_AXES, o, &y)) \
    ROW(fft_ifft2, fft, reserved32, garray_fft_ifft2(x, GARRAY_0D, GARRAY_ALL_AXES, o, &y)) \
    ROW(fft_rfft2, fft, reserved32, garray_fft_rfft2(x, GARRAY_0D, GARRAY_ALL_AXES, o, &y)) \
    ROW(fft_irfft2, fft, reserved32, garray_fft_irfft2(x, GARRAY_0D, GARRAY_ALL_AXES, o, &y)) \
    ROW(gaussian_filter, image, reserved32, garray_gaussian_filter(x, 1, (const double[]){ 1 }, o, &y)) \
    ROW(sobel, image, reserved32, garray_sobel(x, 0, o, &y)) \
    ROW(maximum_filter, image, reserved32, garray_maximum_filter(x, GARRAY_SHAPE(3), o, &y)) \
    ROW(minimum_filter, image, reserved32, garray_minimum_filter(x, GARRAY_SHAPE(3), o, &y)) \
    ROW(dilation, image, reserved32, garray_dilation(x, x, o, &y)) \
    ROW(erosion, image, reserved32, garray_erosion(x, x, o, &y)) \
    ROW(interp2d, interp2d, reserved, of_vector(7, o)) \
    ROW(conv1d, conv, reserved, of_vector(8, o)) \
    ROW(conv2d, conv, reserved, of_vector(9, o)) \
    ROW(conv3d, conv, reserved, of_vector(10, o)) \
    ROW(polyint, polyint, reserved, of_vector(0, o)) \
    ROW(convolve, convolve, reserved32, of_vector(1, o)) \
    ROW(correlate, convolve, reserved32, of_vector(2, o)) \
    ROW(interp, interp, reserved, of_vector(6, o)) \
    ROW(polyfit, polyfit, reserved, of_vector(3, o)) \
    ROW(polyfit_full, polyfit, reserved, of_vector(4, o)) \
    ROW(polyfit_cov, polyfit, reserved, of_vector(5, o)) \
    ROW(signal_convolve, convolve, reserved32, garray_signal_convolve(x, x, o, &y)) \
    ROW(signal_correlate, convolve, reserved32, garray_signal_correlate(x, x, o, &y)) \
    ROW(signal_fftconvolve, convolve, reserved32, garray_signal_fftconvolve(x, x, GARRAY_ALL_AXES, o, &y)) \
    ROW(signal_convolve2d, convolve, reserved32, garray_signal_convolve2d(x, x, o, &y)) \
    ROW(signal_correlate2d, convolve, reserved32, garray_signal_correlate2d(x, x, o, &y)) \
    ROW(sort, sort, reserved32, garray_sort(x, 0, o, &y)) \
    ROW(argsort, sort, reserved32, garray_argsort(x, 0, o, &y)) \
    ROW(partition, sort, reserved32, garray_partition(x, GARRAY_KTH(0), 0, o, &y)) \
    ROW(argpartition, sort, reserved32, garray_argpartition(x, GARRAY_KTH(0), 0, o, &y)) \
    ROW(searchsorted, search, reserved32, search(o)) \
    ROW(unique, unique, reserved32, garray_unique(x, GARRAY_ALL_AXES, o, &y, NULL, NULL, NULL)) \
    ROW(isin, set, reserved, garray_isin(x, 1, o, &y)) \
    ROW(intersect1d, set, reserved, garray_intersect1d(x, x, o, &y, NULL, NULL)) \
    ROW(setdiff1d, set, reserved, garray_setdiff1d(x, x, o, &y)) \
    ROW(setxor1d, set, reserved, garray_setxor1d(x, x, o, &y)) \
    ROW(top_k, topk, reserved, garray_top_k(x, 1, 0, o, &y, &w)) \
    ROW(linalg_cholesky, cholesky, reserved32, garray_linalg_cholesky(x, o, &y)) \
    ROW(gemm, gemm, reserved, garray_gemm(x, x, x, o, &y)) \
    ROW(linalg_vector_norm, norm, reserved, garray_linalg_vector_norm(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(linalg_matrix_norm, norm, reserved, garray_linalg_matrix_norm(x, o, &y)) \
    ROW(linalg_norm, norm, reserved, garray_linalg_norm(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(linalg_cond, norm, reserved, garray_linalg_cond(x, o, &y)) \
    ROW(linalg_matrix_rank, rank, reserved32, garray_linalg_matrix_rank(x, o, &y)) \
    ROW(linalg_pinv, rank, reserved32, garray_linalg_pinv(x, o, &y)) \
    ROW(linalg_lstsq, lstsq, reserved, garray_linalg_lstsq(x, x, o, &y, NULL, NULL, NULL)) \
    ROW(linalg_cho_solve, cholesky, reserved32, garray_linalg_cho_solve(x, x, o, &y)) \
    ROW(linalg_lu, lu, reserved, garray_linalg_lu(x, o, &w, &y, NULL)) \
    ROW(linalg_lu_solve, lu_solve, reserved32, solve_by_factors(o)) \
    ROW(linalg_solve_triangular, triangular, reserved32, garray_linalg_solve_triangular(x, x, o, &y)) \
    ROW(linalg_eigh, eigh, reserved32, garray_linalg_eigh(x, o, &w, &y)) \
    ROW(linalg_eigvalsh, eigh, reserved32, garray_linalg_eigvalsh(x, o, &y)) \
    ROW(linalg_svd, svd, reserved32, garray_linalg_svd(x, o, &w, &y, NULL)) \
    ROW(linalg_qr, qr, reserved32, garray_linalg_qr(x, o, &w, &y)) \
    ROW(linspace, linspace, reserved32, garray_linspace(0, 1, 5, o, test_device(), &y)) \
    ROW(geomspace, linspace, reserved32, garray_geomspace(1, 2, 5, o, test_device(), &y)) \
    ROW(logspace, logspace, reserved32, garray_logspace(1, 2, 5, o, test_device(), &y)) \
    ROW(vander, vander, reserved32, vander(o)) \
    ROW(asarray, asarray, reserved, garray_asarray(x, o, &y)) \
    ROW(array, array, reserved, garray_array(x, o, &y)) \
    ROW(frombuffer, frombuffer, reserved32, garray_frombuffer(text, 16, GARRAY_INT8, o, NULL, NULL, &w)) \
    ROW(fill_diagonal, fill_diagonal, reserved32, garray_fill_diagonal(x, 1, o)) \
    ROW(meshgrid, meshgrid, reserved32, garray_meshgrid(GARRAY_ARRAYS(0, NULL), o, 0, NULL)) \
    ROW(ravel_multi_index, multi_index, reserved32, ravel_index(o)) \
    ROW(unravel_index, multi_index, reserved32, unravel_index(o)) \
    ROW(as_strided, strided, reserved32, garray_as_strided(x, GARRAY_SHAPE(2, 2), NULL, o, &y)) \
    ROW(sliding_window_view, window, reserved32, garray_sliding_window_view(x, GARRAY_SHAPE(2), GARRAY_AXES(0), o, &y)) \
    ROW(pad, pad, reserved, garray_pad(x, GARRAY_SHAPE(1), o, &y)) \
    ROW(random_choice, choice, reserved, garray_random_choice(&rng, 3, GARRAY_SHAPE(2), o, test_device(), &y)) \
    ROW(random_multivariate_normal, multivariate, reserved, multivariate(o)) \
    ROW(random_integers, integers, reserved, garray_random_integers(&rng, 0, 9, GARRAY_SHAPE(4), o, test_device(), &y)) \
    ROW(format, print, reserved32, garray_format(x, o, text, sizeof text, NULL)) \
    ROW(print, print, reserved32, garray_print(x, o)) \
    ROW(npz_open, npz, reserved, npz_open(o)) \
    ROW(format_write_array, npy, reserved32, garray_format_write_array(swallow, NULL, x, o)) \
    ROW(format_open_memmap, memmap, reserved, open_memmap(o)) \
    ROW(savetxt, savetxt, reserved, garray_savetxt(path, x, o)) \
    ROW(loadtxt, loadtxt, reserved32, loadtxt(o)) \
    ROW(genfromtxt, genfromtxt, reserved32, genfromtxt(o)) \
    ROW(fromfile, fromfile, reserved, fromfile(o)) \
    ROW(fromstring, fromfile, reserved, garray_fromstring("1 2", GARRAY_FLOAT64, o, test_device(), &y)) \
    ROW(tofile, tofile, reserved, garray_tofile(path, x, o)) \
    ROW(format_float_positional, format_float, reserved, garray_format_float_positional(1, o, text, sizeof text, NULL)) \
    ROW(format_float_scientific, format_float, reserved, garray_format_float_scientific(1, o, text, sizeof text, NULL)) \
    ROW(to_dlpack, dlpack, reserved, garray_to_dlpack(x, o, &tensor)) \
    ROW(from_dlpack, dlpack, reserved, garray_from_dlpack(tensor, o, &y)) \
    ROW(to_dlpack_unversioned, dlpack, reserved, garray_to_dlpack_unversioned(x, o, &old_tensor)) \
    ROW(from_dlpack_unversioned, dlpack, reserved, garray_from_dlpack_unversioned(old_tensor, o, &y)) \
    ROW(report_end, report, reserved, garray_report_end(o, receive, NULL)) \
    ROW(isclose, close, reserved32, garray_isclose(x, 1, o, &y)) \
    ROW(allclose, close, reserved32, garray_allclose(x, 1, o, &answer)) \
    ROW(nan_to_num, nan_to_num, reserved, garray_nan_to_num(x, o, &y)) \
    ROW(real_if_close, real_if_close, reserved, garray_real_if_close(x, o, &y)) \
    ROW(unwrap, unwrap, reserved, garray_unwrap(x, 0, o, &y)) \
    ROW(logsumexp, logsumexp, reserved32, garray_logsumexp(x, GARRAY_ALL_AXES, o, &y)) \
    ROW(packbits, bits, reserved32, garray_packbits(flags, GARRAY_ALL_AXES, o, &y)) \
    ROW(unpackbits, bits, reserved32, garray_unpackbits(bytes, GARRAY_ALL_AXES, o, &y)) \
    ROW(ufunc_reduce, reduce, reserved, garray_ufunc_reduce(GARRAY_OP_add, x, GARRAY_ALL_AXES, o, &y)) \
    ROW(ufunc_accumulate, accumulate, reserved32, garray_ufunc_accumulate(GARRAY_OP_add, x, 0, o, &y)) \
    ROW(ufunc_reduceat, accumulate, reserved32, reduceat(o)) \
    ROW(ufunc_outer, ufunc, reserved32, garray_ufunc_outer(GARRAY_OP_add, x, x, o, &y)) \
    ROW(copyto, copyto, reserved32, garray_copyto(x, 1, o)) \
    ROW(ufunc, ufunc, reserved32, ufunc(o))

#define CALL(function, family, first, call) \
    _Static_assert(offsetof(garray_##family##_opts, reserved) + sizeof(((garray_##family##_opts *)0)->reserved) == \
                   sizeof(garray_##family##_opts), "the reserved words come last"); \
    static garray_status call_##function(const void *opts) \
    { \
        const garray_##family##_opts *o = opts; \
        return call; \
    }
ROWS(CALL)

static const struct {
    const char *name;
    size_t first, size;     /* the reserved words are the bytes between */
    garray_status (*call)(const void *opts);
} rows[] = {
#define ENTRY(function, family, first, call) \
    { "garray_" #function, offsetof(garray_##family##_opts, first), sizeof(garray_##family##_opts), call_##function },
    ROWS(ENTRY)
};

/* What the calls work on. */
static void open_arguments(void)
{
    snprintf(path, sizeof path, "%s/garray-options-%ld", P_tmpdir, (long)getpid());
    TEST_OK(garray_eye(3, 3, 0, GARRAY_FLOAT64, test_device(), &x));
    TEST_OK(garray_zeros(GARRAY_SHAPE(9), GARRAY_BOOL, test_device(), &flags));
    TEST_OK(garray_zeros(GARRAY_SHAPE(9), GARRAY_UINT8, test_device(), &bytes));
}
static void close_arguments(void)
{
    garray_t **const all[] = { &x, &y, &w, &flags, &bytes };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        garray_release(*all[i]);
        *all[i] = NULL;
    }
    unlink(path);
}

Test(options, reserved_words)
{
    test_mark mark = test_memory();
    open_arguments();
    TEST_OK(garray_report_begin());
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        uint32_t opts[128] = { 0 };
        cr_assert(rows[row].size <= sizeof opts);
        garray_t *before[2] = { y, w };
        for (size_t at = rows[row].first / 4; at < rows[row].size / 4; at++) {
            test_context("%s, byte %d", rows[row].name, (int)at * 4);
            opts[at] = 1u << (at % 32);
            if (TEST_STATUS(ERR_INVALID, rows[row].call(opts)))
                TEST_MESSAGE(rows[row].name, ": a reserved word");
            TEST_EXPECT(y == before[0] && w == before[1], "a result was touched");
            opts[at] = 0;
        }
        test_context("%s, all options 0", rows[row].name);
        TEST_OK(rows[row].call(opts));
    }
    TEST_EXPECT(rng.position == 5 && rng.seed == 1 && rng.stream == 2, "position %d", (int)rng.position);
    close_arguments();
    TEST_NO_LEAK(mark);
}

/* ROW(function, family, an option that is an operand) */
#define OPERANDS(ROW) \
    ROW(sum, reduce, initial) \
    ROW(sum, reduce, where) \
    ROW(prod, reduce, initial) \
    ROW(prod, reduce, where) \
    ROW(min, reduce, initial) \
    ROW(min, reduce, where) \
    ROW(max, reduce, initial) \
    ROW(max, reduce, where) \
    ROW(mean, reduce, where) \
    ROW(any, reduce, where) \
    ROW(all, reduce, where) \
    ROW(count_nonzero, reduce, where) \
    ROW(var, var, correction) \
    ROW(var, var, where) \
    ROW(std, var, correction) \
    ROW(std, var, where) \
    ROW(nansum, reduce, initial) \
    ROW(nansum, reduce, where) \
    ROW(nanprod, reduce, initial) \
    ROW(nanprod, reduce, where) \
    ROW(nanmin, reduce, initial) \
    ROW(nanmin, reduce, where) \
    ROW(nanmax, reduce, initial) \
    ROW(nanmax, reduce, where) \
    ROW(nanmean, reduce, where) \
    ROW(nanvar, var, correction) \
    ROW(nanvar, var, where) \
    ROW(nanstd, var, correction) \
    ROW(nanstd, var, where) \
    ROW(average, average, weights) \
    ROW(quantile, quantile, weights) \
    ROW(percentile, quantile, weights) \
    ROW(nanquantile, quantile, weights) \
    ROW(cov, cov, y) \
    ROW(cov, cov, ddof) \
    ROW(cov, cov, fweights) \
    ROW(cov, cov, aweights) \
    ROW(corrcoef, cov, y) \
    ROW(histogram, histogram, weights) \
    ROW(histogram2d, histogramdd, weights) \
    ROW(histogramdd, histogramdd, weights) \
    ROW(bincount, bincount, weights) \
    ROW(diff, diff, prepend) \
    ROW(diff, diff, append) \
    ROW(ediff1d, ediff1d, to_begin) \
    ROW(ediff1d, ediff1d, to_end) \
    ROW(trapezoid, trapezoid, x) \
    ROW(trapezoid, trapezoid, dx) \
    ROW(fft_fft, fft, n) \
    ROW(fft_irfft, fft, n) \
    ROW(fft_hfft, fft, n) \
    ROW(interp2d, interp2d, fill) \
    ROW(polyint, polyint, k) \
    ROW(interp, interp, left) \
    ROW(interp, interp, right) \
    ROW(interp, interp, period) \
    ROW(polyfit, polyfit, rcond) \
    ROW(polyfit_full, polyfit, rcond) \
    ROW(polyfit_cov, polyfit, rcond) \
    ROW(gemm, gemm, alpha) \
    ROW(gemm, gemm, beta) \
    ROW(linalg_vector_norm, norm, ord) \
    ROW(linalg_matrix_norm, norm, ord) \
    ROW(linalg_norm, norm, ord) \
    ROW(linalg_cond, norm, ord) \
    ROW(linalg_matrix_rank, rank, tol) \
    ROW(linalg_matrix_rank, rank, rtol) \
    ROW(linalg_pinv, rank, rtol) \
    ROW(linalg_lstsq, lstsq, rcond) \
    ROW(logspace, logspace, base) \
    ROW(frombuffer, frombuffer, count) \
    ROW(pad, pad, values) \
    ROW(random_multivariate_normal, multivariate, tol) \
    ROW(format, print, precision) \
    ROW(format, print, threshold) \
    ROW(format, print, edgeitems) \
    ROW(format, print, linewidth) \
    ROW(print, print, precision) \
    ROW(print, print, threshold) \
    ROW(print, print, edgeitems) \
    ROW(print, print, linewidth) \
    ROW(loadtxt, loadtxt, max_rows) \
    ROW(genfromtxt, genfromtxt, max_rows) \
    ROW(genfromtxt, genfromtxt, filling_value) \
    ROW(fromfile, fromfile, count) \
    ROW(fromstring, fromfile, count) \
    ROW(format_float_positional, format_float, precision) \
    ROW(format_float_positional, format_float, min_digits) \
    ROW(format_float_positional, format_float, pad_left) \
    ROW(format_float_positional, format_float, pad_right) \
    ROW(format_float_scientific, format_float, precision) \
    ROW(format_float_scientific, format_float, min_digits) \
    ROW(format_float_scientific, format_float, pad_left) \
    ROW(format_float_scientific, format_float, exp_digits) \
    ROW(nan_to_num, nan_to_num, nan) \
    ROW(nan_to_num, nan_to_num, posinf) \
    ROW(nan_to_num, nan_to_num, neginf) \
    ROW(real_if_close, real_if_close, tol) \
    ROW(unwrap, unwrap, discont) \
    ROW(unwrap, unwrap, period) \
    ROW(unpackbits, bits, count) \
    ROW(ufunc_reduce, reduce, initial) \
    ROW(ufunc_reduce, reduce, where) \
    ROW(ufunc_outer, ufunc, where) \
    ROW(copyto, copyto, where) \
    ROW(isclose, close, rtol) \
    ROW(isclose, close, atol) \
    ROW(allclose, close, rtol) \
    ROW(histogram, histogram, low) \
    ROW(ufunc, ufunc, where)

static const struct {
    const char *name;
    size_t field;
    garray_status (*call)(const void *opts);
} operands[] = {
#define OPERAND(function, family, option) \
    { "garray_" #function ", " #option, offsetof(garray_##family##_opts, option), call_##function },
    OPERANDS(OPERAND)
};

/* `.initial = 3` in place of `.initial = GARRAY_VAL(3)` compiles in C, and must not pass for anything else. */
Test(options, numbers_that_are_no_operands)
{
    test_mark mark = test_memory();
    open_arguments();
    TEST_OK(garray_ones(GARRAY_SHAPE(3), GARRAY_FLOAT64, test_device(), &w));
    for (size_t row = 0; row < sizeof operands / sizeof operands[0]; row++)
        for (int32_t number = -1; number <= 7; number++) {
            uint32_t opts[128] = { 0 };
            garray_t *before[2] = { y, w };
            opts[operands[row].field / 4] = (uint32_t)number;
            if (!number)
                continue;
            test_context("%s = %d", operands[row].name, number);
            if (TEST_STATUS(ERR_INVALID, operands[row].call(opts)))
                TEST_MESSAGE("is no operand: GARRAY_VAL() makes one");
            TEST_EXPECT(y == before[0] && w == before[1], "a result was touched");
        }
    close_arguments();
    TEST_NO_LEAK(mark);
}
