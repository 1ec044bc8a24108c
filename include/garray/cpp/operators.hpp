// SPDX-License-Identifier: BSD-3-Clause
// The operators of arrays, parts and numbers; one of the two must be no number.
#ifndef GARRAY_CPP_OPERATORS_HPP
#define GARRAY_CPP_OPERATORS_HPP

#include <garray/cpp/part.hpp>

namespace garray {

#define GARRAY__OPERATOR(symbol, name) \
    inline array operator symbol(const operand &a, const operand &b) \
    { \
        array y = operand::slot(a, b); \
        check(::garray_##name(a, b, y.out())); \
        return y; \
    }
#define GARRAY__IN_PLACE(symbol, name) \
    array &array::operator symbol(const operand &b) \
    { \
        check(::garray_##name(p_, b, garray_into(p_))); \
        return *this; \
    }

GARRAY__OPERATOR(+, add)
GARRAY__OPERATOR(-, subtract)
GARRAY__OPERATOR(*, multiply)
GARRAY__OPERATOR(/, divide)
GARRAY__OPERATOR(%, remainder)
GARRAY__OPERATOR(&, bitwise_and)
GARRAY__OPERATOR(|, bitwise_or)
GARRAY__OPERATOR(^, bitwise_xor)
GARRAY__OPERATOR(<<, bitwise_left_shift)
GARRAY__OPERATOR(>>, bitwise_right_shift)
// Of elements: an array of bools. A condition asks for all(x == y), or any().
GARRAY__OPERATOR(==, equal)
GARRAY__OPERATOR(!=, not_equal)
GARRAY__OPERATOR(<, less)
GARRAY__OPERATOR(<=, less_equal)
GARRAY__OPERATOR(>, greater)
GARRAY__OPERATOR(>=, greater_equal)

GARRAY__IN_PLACE(+=, add)
GARRAY__IN_PLACE(-=, subtract)
GARRAY__IN_PLACE(*=, multiply)
GARRAY__IN_PLACE(/=, divide)
GARRAY__IN_PLACE(%=, remainder)
GARRAY__IN_PLACE(&=, bitwise_and)
GARRAY__IN_PLACE(|=, bitwise_or)
GARRAY__IN_PLACE(^=, bitwise_xor)
GARRAY__IN_PLACE(<<=, bitwise_left_shift)
GARRAY__IN_PLACE(>>=, bitwise_right_shift)

#undef GARRAY__OPERATOR

#define GARRAY__OPERATOR(symbol, name) \
    inline array operator symbol(const operand &x) \
    { \
        array y = operand::slot(x); \
        check(::garray_##name(x, y.out())); \
        return y; \
    }

GARRAY__OPERATOR(-, negative)
GARRAY__OPERATOR(+, positive)
GARRAY__OPERATOR(~, bitwise_invert)

#undef GARRAY__OPERATOR
#undef GARRAY__IN_PLACE

} // namespace garray

#endif
