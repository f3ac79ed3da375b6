"""What ParaSCI makes of one corpus, for `silverloom convert`.

Belongs here: the formats that it reads, and the call. Not here: the steps (dataset/chain.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from silverloom.ops.core.parts import Parts
from silverloom.ops.core.steps import Sections, Steps
from silverloom.ops.parasci.dataset.chain import PARAMS, paraphrases_of_records
from silverloom.ops.parasci.sources import PASSAGE_FORMATS
from silverloom.ops.parse.papers import FORMATS as PAPER_FORMATS
from silverloom.ops.parse.scan import Records
from silverloom.ops.parse.source import AnyFormat

__all__ = ["FORMATS", "PARAMS", "rows"]

#: The formats by the name of their records in params.yaml.
FORMATS: Mapping[str, Mapping[str, AnyFormat]] = {"papers": PAPER_FORMATS, "passages": PASSAGE_FORMATS}


def rows(steps: Steps, records: Mapping[str, Records], params: Sections, strict: bool) -> Parts:
    """Return the rows of the dataset."""
    return paraphrases_of_records(steps, records.get("papers"), records.get("passages"), params, strict)
