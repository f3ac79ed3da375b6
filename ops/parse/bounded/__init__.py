"""Run a parser of untrusted bytes in a child process with limits on time and memory.

Belongs here: what callers need. Not here: the parsers, and the handling of refused records
(ops/parse/records.py).
"""

from __future__ import annotations

from silverloom.ops.parse.bounded.bounds import Bounds
from silverloom.ops.parse.bounded.child import BoundedChild, BoundedFormat, child_of

__all__ = ["BoundedChild", "BoundedFormat", "Bounds", "child_of"]
