"""What DiscoFuse makes of one corpus, for `silverloom convert`.

Belongs here: the formats that it reads, and the call. Not here: the steps (dataset/chain.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from silverloom.ops.core.parts import Parts
from silverloom.ops.core.steps import Sections, Steps
from silverloom.ops.discofuse.dataset.chain import PARAMS, examples_of_records
from silverloom.ops.discofuse.sources import PROSE_FORMATS
from silverloom.ops.parse.scan import Records
from silverloom.ops.parse.source import AnyFormat

__all__ = ["FORMATS", "PARAMS", "rows"]

#: The formats by the name of their records in params.yaml.
FORMATS: Mapping[str, Mapping[str, AnyFormat]] = {"prose": PROSE_FORMATS}


def rows(steps: Steps, records: Mapping[str, Records], params: Sections, strict: bool) -> Parts:
    """Return the rows of the dataset."""
    return examples_of_records(steps, records["prose"], params, strict)
