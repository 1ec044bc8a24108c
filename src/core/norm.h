/* SPDX-License-Identifier: BSD-3-Clause
 * Between norms and what rests on singular values. */
#ifndef GARRAY_CORE_NORM_H
#define GARRAY_CORE_NORM_H

#include "core/array.h"
#include "garray/operand.h"

/* An option that is a real number, or `missing` where it is not given; INVALID for anything else. */
garray_status garray__real_option(const garray_operand *o, const char *name, double missing, double *value);

#endif
