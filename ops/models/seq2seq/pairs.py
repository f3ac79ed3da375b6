"""Texts with the texts that they are to become.

Belongs here: pairs as tasks of training take them. Not here: cutting them into pieces (pieces.py).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Pairs:
    """N pairs: what each is called, its source and its target."""

    names: Sequence[str]
    sources: Sequence[str]
    targets: Sequence[str]

    def __len__(self) -> int:
        return len(self.names)

    def digest(self) -> str:
        """Return what identifies their content."""
        content = json.dumps([list(self.names), list(self.sources), list(self.targets)])
        return hashlib.sha256(content.encode()).hexdigest()
