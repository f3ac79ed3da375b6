"""The columns of the sources: papers, talks and sentences.

Belongs here: one `Shape` a dataset. Not here: what fills them.
"""

from __future__ import annotations

import pyarrow as pa

from ops.outcome import Shape, columns

_TEXT, _INT, _LONG, _REAL = pa.string(), pa.int32(), pa.int64(), pa.float64()

#: A record as it lies in its source; the unit of sources/papers and sources/talks.
RECORD = columns(("path", _TEXT), ("row", _LONG), ("content", pa.binary()))

SENTENCE_IN_PAPER = pa.struct(
    [
        pa.field("id", _TEXT),  # row_id("sentence", paper id, text as found, occurrence of that text)
        pa.field("position", _INT),  # in the paper, from 0
        pa.field("section", _INT),  # index into the paper's sections
        pa.field("start", _LONG),  # characters of the paper's `text`
        pa.field("end", _LONG),
        pa.field(
            "locator", _TEXT
        ),  # the place in the source's own terms: "S sid=12", "sections[3]", "line 40"
        pa.field("text", _TEXT),  # de-hyphenated, white space folded
    ]
)

PAPERS = Shape(
    unit=RECORD,
    kept=columns(
        ("document", _TEXT),
        ("title", _TEXT),
        ("month", _TEXT),
        ("text", _TEXT),  # of a plain-text source: the file, so that offsets are offsets into the file
        ("sections", pa.list_(pa.struct([("title", _TEXT), ("role", _TEXT)]))),
        ("sentences", pa.list_(SENTENCE_IN_PAPER)),
    ),
)

WORD = pa.struct(
    [
        pa.field("text", _TEXT),
        pa.field("offset", _LONG),  # characters of the transcript file
        pa.field("start", _REAL),  # seconds, where the transcript has times
        pa.field("end", _REAL),
    ]
)

TALKS = Shape(
    unit=RECORD,
    kept=columns(
        ("document", _TEXT),
        ("title", _TEXT),
        ("date", _TEXT),
        ("month", _TEXT),
        ("url", _TEXT),
        ("words", pa.list_(WORD)),
    ),
)

#: A run of a talk's words with the sentence of its paper that they describe, by hand.
GOLD_ALIGNMENTS = Shape(
    unit=RECORD,
    kept=columns(
        ("document", _TEXT),  # the name of the talk's transcript, without extension
        ("month", _TEXT),
        ("first_word", _INT),  # of the transcript's words, from 0, both ends included
        ("last_word", _INT),
        ("sentence", _TEXT),  # how the sentence begins; null where the words describe none
    ),
)

_SENTENCE = columns(
    ("paper_id", _TEXT),
    ("position", _INT),
    ("section", _INT),
    ("section_title", _TEXT),
    ("role", _TEXT),
    ("start", _LONG),
    ("end", _LONG),
    ("locator", _TEXT),
    ("text", _TEXT),
)

#: `cut` is what a footnote rule took out of the sentence, if it took something.
SENTENCES = Shape(unit=_SENTENCE, kept=pa.schema([*_SENTENCE, pa.field("cut", _TEXT)]))
