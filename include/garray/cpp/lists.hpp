// SPDX-License-Identifier: BSD-3-Clause
// Functions that take or give lists of another form than in C, or fewer arguments.
#ifndef GARRAY_CPP_LISTS_HPP
#define GARRAY_CPP_LISTS_HPP

#include <garray/cpp/functions.inc>

namespace garray {

// 0, 1, ... before stop; the identity matrix.
inline array arange(const operand &stop, garray_dtype type = {}, ::garray::device where = cpu)
{
    return arange(0, stop, 1, type, where);
}
inline array eye(int64_t n, garray_dtype type = {}, ::garray::device where = cpu)
{
    return eye(n, n, 0, type, where);
}

// Rows of blocks: block({ { a, b }, { c } }).
inline array block(std::initializer_list<array_list> rows)
{
    const std::vector<garray_list> lists(rows.begin(), rows.end());
    array y;
    check(garray_block(static_cast<std::int64_t>(lists.size()), lists.data(), y.out()));
    return y;
}

// For each element the choice of the first condition that is true there.
inline array select(const array_list &conditions, const operand_list &choices, const operand &otherwise = 0)
{
    if (conditions.size() != choices.size())
        throw error(GARRAY_ERR_INVALID, "select: list of cases must be same length as list of conditions");
    array y;
    check(garray_select(conditions, choices.data(), otherwise, y.out()));
    return y;
}

// The shape that all of them broadcast to.
inline dims broadcast_shapes(std::initializer_list<dims> shapes)
{
    const std::vector<garray_shape> list(shapes.begin(), shapes.end());
    std::int64_t lengths[GARRAY_MAX_NDIM];
    garray_shape shape{};
    check(garray_broadcast_shapes(static_cast<int>(list.size()), list.data(), lengths, &shape));
    return shape;
}

// Any operation by its number, with options: where and dtype. One result.
inline array ufunc(garray_op op, const operand_list &operands, const garray_ufunc_opts &opts = {})
{
    array y;
    garray_t **const out = y.out();
    check(garray_ufunc(op, static_cast<int>(operands.size()), operands.data(), &opts, 1, &out));
    return y;
}

// Index arrays for a shape that broadcast to it, one per axis.
inline std::vector<array> indices_sparse(const dims &shape, garray_dtype type = {}, device where = cpu)
{
    detail::slots y(static_cast<std::int64_t>(shape.size()));
    check(garray_indices_sparse(shape, type, where, y.size(), y.out()));
    return y.take();
}

struct histogramdd_result {
    array hist;
    std::vector<array> edges;
};
// How many rows of a sample fall into each cell; bins for each column.
inline histogramdd_result histogramdd(const array &sample, const operand_list &bins, const garray_histogramdd_opts &opts = {})
{
    const int columns = sample.ndim() == 2 ? static_cast<int>(sample.shape(1)) : static_cast<int>(bins.size());
    detail::slots edges(columns);
    array hist;
    check(garray_histogramdd(sample.get(), static_cast<int>(bins.size()), bins.data(), &opts, hist.out(), edges.out()));
    return { std::move(hist), edges.take() };
}

namespace detail {

template <class F>
void save_named(F *save, const char *path, std::initializer_list<std::pair<const char *, array>> members)
{
    std::vector<const garray_t *> arrays;
    std::vector<const char *> names;
    for (const auto &member : members) {
        names.push_back(member.first);
        arrays.push_back(member.second.get());
    }
    check(save(path, garray_list{ static_cast<std::int64_t>(arrays.size()), arrays.data() }, names.data()));
}

} // namespace detail

// An archive of arrays under names: savez("run.npz", { { "x", x }, { "y", y } }).
inline void savez(text path, std::initializer_list<std::pair<const char *, array>> members)
{
    detail::save_named(garray_savez, path, members);
}
inline void savez_compressed(text path, std::initializer_list<std::pair<const char *, array>> members)
{
    detail::save_named(garray_savez_compressed, path, members);
}

} // namespace garray

#endif
