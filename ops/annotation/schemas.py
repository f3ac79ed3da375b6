"""The columns of answers and ratings.

Belongs here: one `Shape` a step. Not here: what fills them.
"""

from __future__ import annotations

import pyarrow as pa

from ops.outcome import Shape, columns, struct
from ops.parse.schemas import RECORD

_TEXT = pa.string()

_ANSWER = columns(
    ("file", _TEXT, "the filled sheet: name of the source, then the file below its folder"),
    ("place", _TEXT, 'where in it: "line 3", "task 7"'),
    ("questionnaire", _TEXT, "its name"),
    ("rater", _TEXT, "who answered"),
    ("row_id", _TEXT, "the row that was rated"),
    ("question", _TEXT, "its name"),
    ("answer", _TEXT, "as given; null where there is none"),
    (
        "shown",
        pa.list_(struct(("column", _TEXT, "of the row"), ("text", _TEXT, "as it stands there"))),
        "what the sheet shows of the row",
    ),
)

#: What filled sheets say, before it is compared with what was asked.
ANSWERS = Shape(unit=RECORD, kept=_ANSWER)

#: Answers that are sound.
RATINGS = Shape(
    unit=_ANSWER,
    kept=columns(
        ("questionnaire", _TEXT, "its name"),
        ("rater", _TEXT, "who answered"),
        ("row_id", _TEXT, "the row that was rated"),
        ("question", _TEXT, "its name"),
        ("value", _TEXT, "of the question's scale"),
    ),
)

#: One answer among those that a row got.
ANSWER = struct(("rater", _TEXT), ("value", _TEXT, "of the question's scale"))

#: What the answers of a row come to.
VOTES = (
    ("majority", _TEXT, "what most raters answered; null where two answers have the most votes"),
    ("votes", pa.int32(), "raters who gave the most frequent answer"),
    ("raters", pa.int32(), "who answered"),
    ("tie", pa.bool_(), "whether two answers have the most votes"),
)
