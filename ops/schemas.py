"""The columns of every dataset up to TalkSumm's training sets.

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

#: The nearest titles of each talk, best first: what pairs are chosen by, scored once.
MATCHES = Shape(
    unit=TALKS.kept,
    kept=columns(
        ("talk_id", _TEXT),
        ("talk_title", _TEXT),
        (
            "candidates",
            pa.list_(pa.struct([("title", _TEXT), ("score", _REAL), ("paper_ids", pa.list_(_TEXT))])),
        ),
    ),
)

SENTENCE_OF_PAIR = pa.struct(
    [
        pa.field("id", _TEXT),  # row_id("state", pair id, sentence id)
        pa.field("sentence_id", _TEXT),
        pa.field("position", _INT),
        pa.field("section_title", _TEXT),
        pa.field("role", _TEXT),
        pa.field("text", _TEXT),
    ]
)

#: A pair carries all that its alignment needs, so that a new month of papers leaves old months fresh.
PAIRS = Shape(
    unit=TALKS.kept,
    kept=columns(
        ("talk_id", _TEXT),
        ("paper_id", _TEXT),
        ("talk_title", _TEXT),
        ("paper_title", _TEXT),
        ("paper_month", _TEXT),
        ("score", _REAL),  # title similarity, 0..1
        ("words", pa.list_(WORD)),
        ("sentences", pa.list_(SENTENCE_OF_PAIR)),
    ),
)

_STATE = columns(
    ("pair_id", _TEXT),
    ("talk_id", _TEXT),
    ("paper_id", _TEXT),
    ("sentence_id", _TEXT),
    ("position", _INT),
    ("section_title", _TEXT),
    ("role", _TEXT),
    ("text", _TEXT),
)

ALIGNMENTS = Shape(
    unit=_STATE,
    kept=pa.schema(
        [
            *_STATE,
            pa.field("state", _INT),  # index among the pair's states, from 0
            pa.field("count", _INT),  # time steps (spoken words that stayed) in this state
            pa.field("seconds", _REAL),  # null where the transcript has no times
            # runs of the talk's words (indices into pairs.words, both ends included)
            pa.field("spans", pa.list_(pa.struct([("first", _INT), ("last", _INT)]))),
            pa.field("log_probability", _REAL),  # of the pair's most probable path
        ]
    ),
)

SUMMARIES = Shape(
    unit=ALIGNMENTS.kept,
    kept=columns(
        ("pair_id", _TEXT),
        ("talk_id", _TEXT),
        ("paper_id", _TEXT),
        ("paper_title", _TEXT),
        ("budget", _TEXT),  # its name in params.yaml
        ("sentence_ids", pa.list_(_TEXT)),
        ("positions", pa.list_(_INT)),
        ("counts", pa.list_(_INT)),
        ("text", _TEXT),
        ("words", _INT),
        ("paper_words", _INT),
    ),
)

TRAINING_SETS = Shape(
    unit=SUMMARIES.kept,
    kept=columns(
        ("set", _TEXT),  # the summaries' budget
        ("split", _TEXT),  # train or validation, by paper
        ("pair_id", _TEXT),
        ("paper_id", _TEXT),
        ("title", _TEXT),
        ("sentences", pa.list_(_TEXT)),  # the paper's states in order
        ("labels", pa.list_(_INT)),  # 1 where the sentence is in the summary
        ("summary", _TEXT),
    ),
)
