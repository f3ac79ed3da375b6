"""Run a parser of untrusted bytes where it can hurt nobody: in a child with bounds.

Belongs here: what a caller needs. Not here: the parsers, and what becomes of a refusal
(ops/parse/records.py).
"""

from __future__ import annotations

from ops.parse.bounded.bounds import Bounds
from ops.parse.bounded.child import BoundedChild, BoundedFormat, child_of, parsed_next

__all__ = ["BoundedChild", "BoundedFormat", "Bounds", "child_of", "parsed_next"]
