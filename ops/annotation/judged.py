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
import pyarrow.compute as pc

from ops.annotation.agreement import against_the_others, pairwise
from ops.annotation.collected import aggregated, collected
from ops.annotation.export import rater_files
from ops.annotation.questionnaire import Questionnaire
from ops.annotation.rounds import RaterParams, reliability, replaced, second_round
from ops.metrics.bootstrap import Floats, Interval, interval
from ops.outcome import Outcome, Outcomes, Row, Shape, drop
from ops.parts import Parts

#: The file of the tables.
TABLE = "table.json"

#: The folder of the sheets of a second round.
SECOND_ROUND = "second_round"

#: Rows that were sent out, each with what its raters say, as `aggregated` gives them.
JudgedRows: TypeAlias = Sequence[tuple[Row, Row]]


def human_evaluation(
    shape: Shape,
    ratings: Parts,
    sent: pa.Table,
    questionnaires: Sequence[Questionnaire],
    asked: RaterParams,
    rows: Callable[[JudgedRows], Iterable[Row]],
    tables: Callable[[Sequence[Row], pa.Table], Mapping[str, Any]],
) -> Outcomes:
    """Yield what people say of each rated row, and the tables; the units are the answers of filled sheets.

    Which count, and why others do not, is explained at `ops.annotation.collected.collected`. `rows` makes the
    kept rows; `tables` makes of these and the ratings that count what table.json has beside the `questions`,
    the `raters` with their reliability, the `agreement` of each rater with the majority of all others, and
    that of `pairs` of raters. What unreliable raters have rated is asked of another one: the sheets are in
    `second_round`, and once they are filled the former answers are dropped as `unreliable_rater`.
    """
    answers = ratings.read()
    found = collected(answers, sent, questionnaires)
    raters = reliability(found.ratings, questionnaires, asked.reliable)
    lost = _among(found.ratings, replaced(found.ratings, raters, asked.per_row))
    counted = found.ratings.filter(pc.invert(lost))
    given = {rating["source_ids"][0] for rating in found.ratings.filter(lost).to_pylist()}
    dropped = [
        drop(unit, "unreliable_rater", detail=f"{unit['file']}, {unit['place']}")
        for unit in answers.filter(_among(answers, given)).to_pylist()
    ]
    kept = list(rows(list(aggregated(counted, sent.to_pylist(), questionnaires))))
    content = {
        "questions": [question.described() for several in questionnaires for question in several.questions],
        "raters": raters,
        "agreement": against_the_others(found.ratings).to_pylist(),
        "pairs": pairwise(found.ratings).to_pylist(),
        **tables(kept, counted),
    }
    files = {TABLE: json.dumps(content, indent=1, sort_keys=True).encode()}
    again = second_round(found.ratings, raters, asked.per_row)
    for questionnaire in questionnaires:
        for name, sheet in rater_files(sent, questionnaire, again.get(questionnaire.name, {}), asked.seed):
            files[f"{SECOND_ROUND}/{name}"] = sheet
    yield Outcome.of(
        shape, answers["id"].to_pylist(), kept, [*found.dropped, *dropped], found.rejected, files=files
    )


def _among(table: pa.Table, ids: Iterable[str]) -> pa.ChunkedArray:
    return pc.is_in(table["id"], pa.array(sorted(ids), pa.string()))


def mean_of_all(groups: Iterable[Sequence[float]], resamples: int, seed: int) -> dict[str, float | None]:
    """Return the mean of all numbers with its 95 % interval over groups, as fields of an Interval.

    It is not the mean of the groups' means: a group counts by how many numbers it has. Null without any.
    """
    sums = [(math.fsum(numbers), len(numbers)) for numbers in groups]
    found = interval(sums, resamples, seed, of_sums=_ratio) if sums else None
    return dict(found._asdict() if found else dict.fromkeys(Interval._fields))


def _ratio(sums: Floats) -> Floats:
    return sums[:, 0] / sums[:, 1]
