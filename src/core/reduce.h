/* SPDX-License-Identifier: BSD-3-Clause
 * What scans share with reductions. */
#ifndef GARRAY_CORE_REDUCE_H
#define GARRAY_CORE_REDUCE_H

#include "core/elementwise.h"

/* NumPy's dtype of a sum: bool and small integers become int64 or uint64. */
int garray__sum_dtype(int dtype);

#endif
