"""Functions compiled to machine code by numba.

Belongs here: the options of all compiled loops. Not here: the loops themselves (each system's kernels).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_Function = TypeVar("_Function", bound=Callable[..., object])


def compiled(function: _Function) -> _Function:
    """Compile a function to machine code that runs without the GIL; numba caches it next to its file."""
    import numba  # takes a third of a second

    compiled_function: _Function = numba.njit(cache=True, nogil=True)(function)
    return compiled_function
