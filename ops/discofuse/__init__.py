"""DiscoFuse (Geva et al., NAACL 2019): sentences split by rules over parses and coreference.

Belongs here: the steps of this system. Not here: parsing and coreference themselves (ops/models,
ops/coreference).

`annotator` and `fusion_examples` are public; spaCy is imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from silverloom.ops.discofuse.dataset.pipeline import annotator
    from silverloom.ops.discofuse.dataset.unfuse import fusion_examples

__all__ = ["annotator", "fusion_examples"]

_PUBLIC = {
    "annotator": "silverloom.ops.discofuse.dataset.pipeline",
    "fusion_examples": "silverloom.ops.discofuse.dataset.unfuse",
}


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
