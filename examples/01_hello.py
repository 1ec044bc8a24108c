#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""01_hello.c in NumPy."""
import sys

try:
    import numpy as np
except ImportError:
    sys.exit(77)

table = np.arange(12.0).reshape(4, -1)
z = (table - table.mean(0, keepdims=True)) / table.std(0, ddof=1, keepdims=True)
print(z)

sys.exit(int(abs((z * z).sum() - 9) > 1e-12))
