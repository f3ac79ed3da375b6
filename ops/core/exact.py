"""Functions that have the same bits on every processor.

Belongs here: what NumPy and the C library compute by the instruction set that they find. Not here: sums,
whose order is the caller's.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

_LN_2 = 0.6931471805599453
_SQRT_HALF = 0.7071067811865476


def log(values: ArrayLike) -> NDArray[np.float64]:
    """Return the natural logarithms of finite numbers above 0, to 2 units in the last place.

    2 artanh((m - 1) / (m + 1)) + e ln 2 with m from 0.71 to 1.41, by additions, multiplications and divisions
    alone: these are exact by IEEE 754.
    """
    mantissa, exponent = np.frexp(np.asarray(values, np.float64))
    small = mantissa < _SQRT_HALF
    mantissa = np.where(small, 2 * mantissa, mantissa)
    exponent = np.where(small, exponent - 1, exponent)
    ratio = (mantissa - 1) / (mantissa + 1)
    square = ratio * ratio
    series = np.zeros_like(ratio)
    for odd in range(23, 0, -2):
        series = 1 / odd + square * series
    found: NDArray[np.float64] = 2 * ratio * series + exponent * _LN_2
    return found
