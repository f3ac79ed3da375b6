"""How inner loops are compiled.

Belongs here: the options of numba that hold for all of them. Not here: the loops (the kernels of their
systems). Imported when first needed: numba takes a third of a second.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numba

_Function = TypeVar("_Function", bound=Callable[..., object])


def compiled(function: _Function) -> _Function:
    """Return a function as machine code, which is kept beside its file; it runs without the GIL."""
    found: _Function = numba.njit(cache=True, nogil=True)(function)
    return found
