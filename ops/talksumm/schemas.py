"""The columns of TalkSumm's datasets.

Belongs here: one `Shape` a dataset. Not here: what fills them.
"""

from __future__ import annotations

import pyarrow as pa

from ops.outcome import Shape, columns
from ops.parse.schemas import GOLD_ALIGNMENTS, TALKS, WORD

_TEXT, _INT, _REAL = pa.string(), pa.int32(), pa.float64()

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
        ("similarity", _REAL),  # of the titles, 0..1
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

TUNING = Shape(
    unit=GOLD_ALIGNMENTS.kept,
    kept=columns(
        ("lambda", _REAL),
        ("gamma", _REAL),
        ("delta", _REAL),
        ("epsilon", _REAL),
        ("accuracy", _REAL),  # share of the scored words that are put in exactly the right sentence
        ("low", _REAL),  # of its 95 % interval
        ("high", _REAL),
        ("within_two", _REAL),  # share of the scored words that are at most two sentences off
        ("words", _INT),  # scored words (time steps) of all talks
        ("current", pa.bool_()),  # whether this is the point that params.yaml has
        (
            "talks",
            pa.list_(pa.struct([("talk_id", _TEXT), ("title", _TEXT), ("words", _INT), ("correct", _INT)])),
        ),
    ),
)
