# SPDX-License-Identifier: BSD-3-Clause
"""The array API standard's namespace over libgarray, for tests: marshalling only, every rule lives in C."""

import math

from . import _creation, _dtypes, _elementwise, _manipulation, _reductions, _sets
from . import fft, linalg
from ._array import Array
from ._creation import *  # noqa: F403
from ._creation import from_array_interface
from ._dtypes import BY_NAME, can_cast, finfo, iinfo, isdtype, result_type
from ._elementwise import *  # noqa: F403
from ._info import __array_namespace_info__
from ._manipulation import *  # noqa: F403
from ._reductions import *  # noqa: F403
from ._sets import *  # noqa: F403

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")
__array_api_version__ = VERSIONS[-1]
__version__ = "0"
e, inf, nan, newaxis, pi = math.e, math.inf, math.nan, None, math.pi
globals().update(BY_NAME)

__all__ = ["Array", "__array_api_version__", "__array_namespace_info__", "fft", "from_array_interface", "linalg"]
__all__ += ["can_cast", "finfo", "iinfo", "isdtype", "result_type"]
__all__ += ["e", "inf", "nan", "newaxis", "pi", *_dtypes.STANDARD]
for part in (_creation, _elementwise, _manipulation, _reductions, _sets):
    __all__ += part.__all__
