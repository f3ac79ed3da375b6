"""The columns of what DiscoFuse alone reads: prose, and sentences that people split in two.

Belongs here: one `Shape` a dataset. Not here: what fills them.
"""

from __future__ import annotations

import pyarrow as pa

from ops.outcome import NAME, TEXT, TIME, TITLE, Shape, columns
from ops.parse.schemas import ENCODING, RECORD

_TEXT = pa.string()

#: A document of running text, whatever it is about.
PROSE = Shape(
    unit=RECORD,
    kept=columns(
        ("document", _TEXT, "the document's name in its source", NAME),
        ("title", _TEXT, "as the source has it; no part of the text", TITLE),
        ("month", _TEXT, "of publication, YYYY-MM or YYYY", TIME),
        ("domain", _TEXT, "of the source in params.yaml; empty where it has none"),
        ("text", _TEXT, "paragraphs, each one line, with a blank line between two", TEXT),
        ENCODING,
    ),
)

#: A sentence, and two that say the same.
FUSION_PAIRS = Shape(
    unit=RECORD,
    kept=columns(
        ("document", _TEXT, "file and line", NAME),
        ("month", _TEXT, "that params.yaml gives the source, YYYY-MM or YYYY", TIME),
        ("split", _TEXT, "by the file's name: train, validation or test"),
        ("fused", _TEXT, "the sentence, space-tokenised"),
        ("first", _TEXT, "the first of the two that it was split into"),
        ("second", _TEXT, "the second"),
        ENCODING,
    ),
)
