"""Keep a disk that is nearly full from damaging the modules that Python compiles.

Belongs here: one correction to Python, before anything else is imported. Not here: saying that a disk is full
(files/full_disk.py).

Python 3.11 does not notice that it wrote only a part of a compiled module. Every later process would end with
`EOFError: marshal data too short`, also when there is room again.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

#: Bytes that must be free: many times what all modules of the project take, compiled.
_ROOM = 64 << 20


def protect() -> None:
    """Let Python, here and in child processes, write no compiled module where there is hardly room for it."""
    if shutil.disk_usage(Path(__file__).parent).free < _ROOM:
        sys.dont_write_bytecode = True
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
