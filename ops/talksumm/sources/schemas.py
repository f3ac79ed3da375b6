"""The columns of what TalkSumm alone reads: talks, and what people made by hand of talks and papers.

Belongs here: one `Shape` a dataset. Not here: what fills them.
"""

from __future__ import annotations

import pyarrow as pa

from ops.outcome import NAME, TIME, TITLE, TRANSCRIPT, Shape, columns, struct
from ops.parse.schemas import ENCODING, RECORD

_TEXT, _INT, _LONG, _REAL = pa.string(), pa.int32(), pa.int64(), pa.float64()

WORD = struct(
    ("text", _TEXT, "as spoken"),
    ("offset", _LONG, "first character in the transcript file"),
    ("start", _REAL, "seconds, where the transcript has times"),
    ("end", _REAL, "seconds"),
)

TALKS = Shape(
    unit=RECORD,
    kept=columns(
        ("document", _TEXT, "the name of the talk's transcript, without extension", NAME),
        ("title", _TEXT, "as the talk's metadata has it", TITLE),
        ("date", _TEXT, "as the talk's metadata has it", TIME),
        ("month", _TEXT, "of the talk, YYYY-MM", TIME),
        ("url", _TEXT, "where the talk is to be seen", NAME),
        ("words", pa.list_(WORD), "the transcript, word by word", TRANSCRIPT),
        ENCODING,
    ),
)

#: A run of a talk's words with the sentence of its paper that they describe, by hand.
GOLD_ALIGNMENTS = Shape(
    unit=RECORD,
    kept=columns(
        ("document", _TEXT, "the name of the talk's transcript, without extension", NAME),
        ("month", _TEXT, "of the talk, YYYY-MM", TIME),
        ("first_word", _INT, "of the run, as index of the transcript's words, from 0"),
        ("last_word", _INT, "of the run, included"),
        ("sentence", _TEXT, "how the sentence begins; null where the words describe none"),
        ENCODING,
    ),
)

#: A summary of a paper that a person wrote or chose.
HUMAN_SUMMARIES = Shape(
    unit=RECORD,
    kept=columns(
        (
            "document",
            _TEXT,
            "the paper's name in its source, as in the column document of sources/papers",
            NAME,
        ),
        ("month", _TEXT, "of the paper's publication, YYYY-MM", TIME),
        ("kind", _TEXT, '"human", "community", "abstract" or "gold"'),
        ("annotator", _TEXT, "who wrote it, where the file's name says so"),
        ("title", _TEXT, "the paper's, where the summary begins with it; no part of its sentences", TITLE),
        ("sentences", pa.list_(_TEXT), "in order"),
        ("words", _INT, "of all sentences, divided at white space"),
        ENCODING,
    ),
)
