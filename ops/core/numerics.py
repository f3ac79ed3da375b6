"""Logarithms with the same bits on every processor, and functions compiled to machine code.

Belongs here: functions whose last bits NumPy and the C library vary with the instruction set, and the numba
options of all compiled loops. Not here: sums, whose order is the caller's choice, and the loops themselves
(each system's kernels).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

_LN_2 = 0.6931471805599453
_SQRT_HALF = 0.7071067811865476


def log(values: ArrayLike) -> NDArray[np.float64]:
    """Return the natural logarithms of finite positive numbers, to 2 units in the last place.

    2 artanh((m - 1) / (m + 1)) + e ln 2 with m from 0.71 to 1.41. It uses only additions, multiplications and
    divisions, which IEEE 754 rounds correctly.
    """
    mantissa, exponent = np.frexp(np.asarray(values, np.float64))
    small = mantissa < _SQRT_HALF
    mantissa = np.where(small, 2 * mantissa, mantissa)
    exponent = np.where(small, exponent - 1, exponent)
    found: NDArray[np.float64] = _log(mantissa, exponent)
    return found


def log_of_one(value: float) -> float:
    """Return what `log` returns for one number; for a few numbers this is faster than an array of them."""
    mantissa, exponent = math.frexp(value)
    if mantissa < _SQRT_HALF:
        mantissa, exponent = 2 * mantissa, exponent - 1
    return float(_log(mantissa, exponent))


def _log(mantissa: Any, exponent: Any) -> Any:
    ratio = (mantissa - 1) / (mantissa + 1)
    square = ratio * ratio
    series = 0.0
    for odd in range(23, 0, -2):
        series = 1 / odd + square * series
    return 2 * ratio * series + exponent * _LN_2


_Function = TypeVar("_Function", bound=Callable[..., object])


def compiled(function: _Function) -> _Function:
    """Compile a function to machine code that runs without the GIL; numba caches it next to its file."""
    import numba  # takes a third of a second

    found: _Function = numba.njit(cache=True, nogil=True)(function)
    return found
