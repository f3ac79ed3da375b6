"""What people say of fusion examples and fusions: the paper's Tables 2, 5 and 8.

Belongs here: ratings of each row beside the gold answers, and the tables. Not here: what people are asked
(rating_sheets.py), which answers count, votes and agreement (ops/annotation).

Geva et al. (2019), sections 4.1, 4.2 and 5.3.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from pydantic import Field

from ops.annotation import judged
from ops.annotation.judged import JudgedRows
from ops.annotation.schemas import ANSWER, ANSWERS, VOTES
from ops.discofuse.evaluation.questionnaires import DECISIONS, QUESTIONNAIRES
from ops.discofuse.evaluation.rating_sheets import RatingSheetParams
from ops.metrics.bootstrap import Interval, interval
from ops.outcome import Outcomes, Row, Shape, columns
from ops.params import Params
from ops.parts import Parts

_TEXT, _BOOL = pa.string(), pa.bool_()

HUMAN_EVALUATION = Shape(
    unit=ANSWERS.kept,
    kept=columns(
        ("row_id", _TEXT, "row of discofuse/rating_sheets"),
        ("questionnaire", _TEXT, "its name"),
        ("question", _TEXT, "understandable; merge, anaphor, connective; human"),
        ("example_id", _TEXT, "row of discofuse/examples"),
        ("fusion_id", _TEXT, "row of discofuse/fusions; null but for detection"),
        ("domain", _TEXT, "of the example"),
        *VOTES,
        ("gold", _TEXT, "the answer that the gold text gives; null where it gives none"),
        ("agrees", _BOOL, "whether the majority is the gold answer; null where there is none"),
        ("counted", _BOOL, "whether it is in the tables: decisions are where the text is understandable"),
        ("answers", pa.list_(ANSWER), "by rater"),
    ),
)

UNDERSTANDABLE, MERGE, ANAPHOR, CONNECTIVE, HUMAN = (
    question.name for questionnaire in QUESTIONNAIRES for question in questionnaire.questions
)
#: What no connective is called among the answers.
NONE = "none"
#: What is assumed of raters where a fusion is its gold text, or where they are undecided.
CHANCE = 0.5


class HumanEvaluationParams(Params, section="discofuse.human_evaluation"):
    """The bootstrap behind the 95 % intervals, over examples."""

    resamples: int = Field(1000, ge=1, description="draws behind each interval")
    seed: int = Field(0, ge=0)


def human_evaluation(
    ratings: Parts, rating_sheets: Parts, asked: RatingSheetParams, params: HumanEvaluationParams
) -> Outcomes:
    """Yield what people say of each rated row, and the tables, as `ops.annotation.judged` does."""
    drawn = rating_sheets.read()
    sent = drawn.filter(drawn["asked"])

    def of_rows(rows: Sequence[Row], _: pa.Table) -> dict[str, Any]:
        return tables(rows, drawn.to_pylist(), params)

    return judged.human_evaluation(HUMAN_EVALUATION, ratings, sent, QUESTIONNAIRES, asked, _rows, of_rows)


def tables(rows: Sequence[Row], sent: Sequence[Row], params: HumanEvaluationParams) -> dict[str, Any]:
    """Return the tables of the paper; means are shares of examples with 95 % intervals over these.

    `clarity` (Table 2), by domain: rated examples, the counts `yes`, `no_majority` and `no`, and the share
    of yes. `decisions` (Table 5), by question: how often the majority is the gold answer, a tie counting as
    not, over `all` examples marked as understandable and over those `with_connectives`, where gold and
    majority both add one. `detection` (Table 8), by domain: fusions that were drawn, those that are the
    `same` as their gold text, `rated` ones among the others, and how often the majority finds the gold text,
    a tie counting half: where they `differ`, and in `total`, the same ones counting half.
    """
    counted = [row for row in rows if row["counted"]]
    return {
        "clarity": [
            _clarity(domain, of_domain, params)
            for domain, of_domain in _by_domain(_of(counted, UNDERSTANDABLE))
        ],
        "decisions": _decisions(counted, params),
        "detection": [
            _detection(domain, of_domain, _of(counted, HUMAN), params)
            for domain, of_domain in _by_domain(row for row in sent if row["fusion_id"] is not None)
        ],
    }


def _of(rows: Iterable[Row], question: str) -> list[Row]:
    return [row for row in rows if row["question"] == question]


def _by_domain(rows: Iterable[Row]) -> list[tuple[str, list[Row]]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["domain"]].append(row)
    return sorted(found.items())


def _around(scores: Sequence[float], params: HumanEvaluationParams) -> dict[str, float | None]:
    found = interval(scores, params.resamples, params.seed) if scores else None
    return dict(found._asdict() if found else dict.fromkeys(Interval._fields))


def _clarity(domain: str, rows: Sequence[Row], params: HumanEvaluationParams) -> dict[str, Any]:
    majorities = [row["majority"] for row in rows]
    return {
        "domain": domain,
        "examples": len(rows),
        **{
            name: majorities.count(value)
            for name, value in (("yes", "yes"), ("no_majority", None), ("no", "no"))
        },
        "share": _around([float(value == "yes") for value in majorities], params),
    }


def _decisions(rows: Sequence[Row], params: HumanEvaluationParams) -> list[dict[str, Any]]:
    added = {
        row["example_id"]
        for row in _of(rows, CONNECTIVE)
        if row["gold"] != NONE and row["majority"] not in (NONE, None)
    }
    found = []
    for question in (MERGE, ANAPHOR, CONNECTIVE):
        of_question = _of(rows, question)
        both = [row for row in of_question if row["example_id"] in added]
        summary: dict[str, Any] = {"question": question}
        for name, some in (("all", of_question), ("with_connectives", both)):
            agreed = [float(row["agrees"]) for row in some]
            summary[name] = {"examples": len(some), "agreement": _around(agreed, params)}
        found.append(summary)
    return found


def _detection(
    domain: str, sent: Sequence[Row], rows: Sequence[Row], params: HumanEvaluationParams
) -> dict[str, Any]:
    of_domain = [row for row in rows if row["domain"] == domain]
    detected = _around([CHANCE if row["tie"] else float(row["agrees"]) for row in of_domain], params)
    same = sum(not row["asked"] for row in sent)
    # Which fusions are their gold text is known: they make the interval narrower, not the sample larger.
    share = same / len(sent)
    return {
        "domain": domain,
        "fusions": len(sent),
        "same": same,
        "rated": len(of_domain),
        "differ": detected,
        "total": {
            end: None
            if value is None and same < len(sent)
            else round(share * CHANCE + (1 - share) * (value or 0), 6)
            for end, value in detected.items()
        },
    }


def _rows(judged_rows: JudgedRows) -> Iterator[Row]:
    clear = {
        row["example_id"]
        for row, vote in judged_rows
        if vote["question"] == UNDERSTANDABLE and vote["majority"] == "yes"
    }
    for row, vote in judged_rows:
        gold: Mapping[str, str] = {answer["question"]: answer["value"] for answer in row["gold"]}
        answer = gold.get(vote["question"])
        decides = row["questionnaire"] == DECISIONS.name
        yield {
            **vote,
            **{name: row[name] for name in ("example_id", "fusion_id", "domain")},
            "gold": answer,
            "agrees": None if answer is None else vote["majority"] == answer,
            "counted": not decides or row["example_id"] in clear,
        }
