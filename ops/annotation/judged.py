"""What people say of the rows that were sent to them, as a dataset with its tables.

Belongs here: what the human evaluations of all systems share. Not here: which answers count (collected.py),
votes and agreement (agreement.py), a system's columns and tables (its human_evaluation.py).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import pyarrow as pa

from ops.annotation.agreement import against_the_others, pairwise
from ops.annotation.collected import aggregated, collected
from ops.annotation.questionnaire import Questionnaire
from ops.metrics.bootstrap import Floats, Interval, interval
from ops.outcome import Outcome, Outcomes, Row, Shape
from ops.parts import Parts

#: The file of the tables.
TABLE = "table.json"

#: Rows that were sent out, each with what its raters say, as `aggregated` gives them.
JudgedRows: TypeAlias = Sequence[tuple[Row, Row]]


def human_evaluation(
    shape: Shape,
    ratings: Parts,
    sent: pa.Table,
    questionnaires: Sequence[Questionnaire],
    rows: Callable[[JudgedRows], Iterable[Row]],
    tables: Callable[[Sequence[Row], pa.Table], Mapping[str, Any]],
) -> Outcomes:
    """Yield what people say of each rated row, and the tables; the units are the answers of filled sheets.

    Which count, and why others do not, is explained at `ops.annotation.collected.collected`. `rows` makes the
    kept rows; `tables` makes of these and the sound ratings what table.json has beside the `questions`,
    the `agreement` of each rater with the majority of all others, and that of `pairs` of raters.
    """
    answers = ratings.read()
    found = collected(answers, sent, questionnaires)
    kept = list(rows(list(aggregated(found.ratings, sent.to_pylist(), questionnaires))))
    content = {
        "questions": [question.described() for asked in questionnaires for question in asked.questions],
        "agreement": against_the_others(found.ratings).to_pylist(),
        "pairs": pairwise(found.ratings).to_pylist(),
        **tables(kept, found.ratings),
    }
    files = {TABLE: json.dumps(content, indent=1, sort_keys=True).encode()}
    yield Outcome.of(shape, answers["id"].to_pylist(), kept, found.dropped, found.rejected, files=files)


def mean_of_all(groups: Iterable[Sequence[float]], resamples: int, seed: int) -> dict[str, float | None]:
    """Return the mean of all numbers with its 95 % interval over groups, as fields of an Interval.

    It is not the mean of the groups' means: a group counts by how many numbers it has. Null without any.
    """
    sums = [(math.fsum(numbers), len(numbers)) for numbers in groups]
    found = interval(sums, resamples, seed, of_sums=_ratio) if sums else None
    return dict(found._asdict() if found else dict.fromkeys(Interval._fields))


def _ratio(sums: Floats) -> Floats:
    return sums[:, 0] / sums[:, 1]
