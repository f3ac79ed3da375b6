"""Human evaluation, for every system: collect what people answered about the rows that they rated.

Belongs here: the rows and sheets that are sent out, which answers count, the answers about each row and about
groups of rows, and the dataset and tables of both. Not here: the questions
(ops/<system>/evaluation/people.py), which rows are drawn and the layout of a paper's tables
(human_evaluation.py there), votes and agreement (agreement.py).
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import stdev
from typing import Any, NamedTuple, TypeAlias, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from silverloom.ops.core.identity import made_of, row_id
from silverloom.ops.core.outcome import (
    IDENTITY,
    Field,
    Outcome,
    Outcomes,
    Row,
    Shape,
    columns,
    drop,
    optional,
    struct,
)
from silverloom.ops.core.parts import Parts
from silverloom.ops.evaluation.agreement import against_the_others, majority, pairwise
from silverloom.ops.evaluation.answers import ANSWERS, RATINGS, validate
from silverloom.ops.evaluation.questionnaire import Question, Questionnaire
from silverloom.ops.evaluation.raters import RaterParams, reliability, replaced, second_round
from silverloom.ops.evaluation.sheets import rater_files, sent_files
from silverloom.ops.evaluation.table import TABLE, Bootstrap, ratio

_TEXT = pa.string()

#: One of the answers about a row.
ANSWER = struct(("rater", _TEXT), ("value", _TEXT, "of the question's scale"))

#: The summary of a row's answers.
VOTES = (
    optional("majority", _TEXT, "what most raters answered; null where two answers have the most votes"),
    ("votes", pa.int32(), "raters who gave the most frequent answer"),
    ("raters", pa.int32(), "who answered"),
    ("tie", pa.bool_(), "whether two answers have the most votes"),
)

#: The folder of the sheets for the second round.
SECOND_ROUND = "second_round"

#: Rows that were sent out, each with its raters' answers, as `aggregated` yields them.
JudgedRows: TypeAlias = Sequence[tuple[Row, Row]]

#: The params of a system's tables.
ParamsT = TypeVar("ParamsT", bound=Bootstrap)

_YES_NO = {"yes": 1.0, "no": 0.0}


@dataclass(frozen=True)
class People:
    """What a system asks people about its rows."""

    questionnaires: tuple[Questionnaire, ...]
    """In the order in which raters answer them."""
    sheets: Shape
    """The rows that are sent out."""
    judged: Shape
    """The rows with their answers. They repeat the columns that they share with the sheets."""
    about: str
    """Markdown: a heading, and what raters should know before the questions."""
    leave_empty: str
    """Markdown: what raters leave unanswered."""

    @property
    def questions(self) -> list[Question]:
        """The questions of all questionnaires."""
        return [question for several in self.questionnaires for question in several.questions]

    @property
    def names(self) -> list[str]:
        """The names of the questionnaires."""
        return [questionnaire.name for questionnaire in self.questionnaires]

    def sent(
        self, questionnaire: Questionnaire, units: Sequence[Row], about: Sequence[str], **shown: Any
    ) -> Row:
        """Return a row to be sent out, made from some units; its id is derived from `about`.

        Columns without a value are null.
        """
        return {
            **dict.fromkeys(self.sheets.kept.names),
            **made_of(
                row_id("rated", questionnaire.name, *about),
                [unit["id"] for unit in units],
                units[0]["licence"] if len(units) == 1 else [unit["licence"] for unit in units],
            ),
            "questionnaire": questionnaire.name,
            **shown,
        }

    def files(self, rows: Sequence[Row], params: RaterParams) -> dict[str, bytes]:
        """Return the files for all raters, given the rows to be sent out."""
        table = pa.Table.from_pylist(list(rows), self.sheets.kept)
        return dict(sent_files(table, self.questionnaires, params, self.about, self.leave_empty))


@dataclass(frozen=True)
class Collected:
    """Valid ratings (shape RATINGS), and the answers that do not count."""

    ratings: pa.Table
    dropped: list[Row]
    rejected: list[Row]


class Judged(NamedTuple):
    """The material for a system's tables."""

    rows: Sequence[Row]
    """Each rated row with its answers."""
    ratings: pa.Table
    """The ratings that count (shape RATINGS)."""
    drawn: pa.Table
    """The rows of the sheets, including those that were not sent to anyone."""
    asked: Any
    """The params of the sheets."""


def evaluate_ratings(
    people: People,
    said: Callable[[JudgedRows], Iterable[Row]],
    tables: Callable[[Judged, ParamsT], Mapping[str, Any]],
    ratings: Parts,
    rating_sheets: Parts,
    asked: RaterParams,
    params: ParamsT,
    judgements: Parts | None = None,
) -> Outcomes:
    """Yield each rated row with its answers, and the tables; the units are the answers of filled sheets.

    `collected` explains which answers count. `said` returns a system's own columns for each judged row.
    `tables` returns the system's part of table.json, which also has the `questions`, the `raters` with their
    reliability, the `agreement` of each rater with the majority of all others, and that of `pairs` of raters.
    If the sheets have a column `asked`, only the rows where it is true were sent out. Another rater is asked
    about the rows of unreliable raters: the sheets for this are in `second_round`. Once they are filled, the
    former answers are dropped as `unreliable_rater`.

    The answers of a model (`judgements`) never count among those of people. They are under `judge` in
    table.json, in the same tables, with the model's agreement with people; `judge` is null if no model was
    asked.
    """
    answers, drawn = ratings.read(), rating_sheets.read()
    sent = drawn.filter(drawn["asked"]) if "asked" in drawn.column_names else drawn
    collected_answers = collected(answers, sent, people.questionnaires)
    raters = reliability(collected_answers.ratings, people.questionnaires, asked.reliable)
    lost = _among(collected_answers.ratings, replaced(collected_answers.ratings, raters, asked.per_row))
    counted = collected_answers.ratings.filter(pc.invert(lost))
    given = {rating["source_ids"][0] for rating in collected_answers.ratings.filter(lost).to_pylist()}
    dropped = [
        drop(unit, "unreliable_rater", detail=f"{unit['file']}, {unit['place']}")
        for unit in answers.filter(_among(answers, given)).to_pylist()
    ]
    kept = _judged(people, said, counted, sent)
    content = {
        "questions": [question.described() for question in people.questions],
        "raters": raters,
        "agreement": against_the_others(collected_answers.ratings).to_pylist(),
        "pairs": pairwise(collected_answers.ratings).to_pylist(),
        "judge": None,
        **tables(Judged(kept, counted, drawn, asked), params),
    }
    if judgements is not None and (by_model := judgements.read([*RATINGS.kept.names, "model"])).num_rows:
        rows = _judged(people, said, by_model.select(RATINGS.kept.names), sent)
        content["judge"] = {
            **_beside(people, collected_answers.ratings, by_model),
            **tables(Judged(rows, by_model.select(RATINGS.kept.names), drawn, asked), params),
        }
    files = {TABLE: json.dumps(content, indent=1, sort_keys=True).encode()}
    again = second_round(collected_answers.ratings, raters, asked.per_row)
    for questionnaire in people.questionnaires:
        for name, sheet in rater_files(sent, questionnaire, again.get(questionnaire.name, {}), asked.seed):
            files[f"{SECOND_ROUND}/{name}"] = sheet
    yield Outcome.of(
        people.judged,
        answers["id"].to_pylist(),
        kept,
        [*collected_answers.dropped, *dropped],
        collected_answers.rejected,
        files=files,
    )


def _judged(
    people: People, said: Callable[[JudgedRows], Iterable[Row]], ratings: pa.Table, sent: pa.Table
) -> list[Row]:
    """Return each rated row with its ratings and the system's own columns."""
    judged = list(aggregated(ratings, sent.to_pylist(), people.questionnaires))
    shared = [name for name in people.sheets.kept.names if name in people.judged.kept.names]
    about = [name for name in shared if name not in (*IDENTITY.names, "questionnaire")]
    return [
        {**vote, **{name: row[name] for name in about}, **own}
        for (row, vote), own in zip(judged, said(judged), strict=True)
    ]


def _beside(people: People, ratings: pa.Table, by_model: pa.Table) -> dict[str, Any]:
    """Return which model judged, its mean answers next to those of people, and its agreement with them.

    `compared` has the mean and number of all ratings of people and of the judge, by question; the mean is
    null unless answers are numbers or yes and no. `agreement` is the judge's agreement with the majority of
    people, in the form of the agreement among people; `pairs` is that with each person. Raises ValueError if
    a person has the judge's name.
    """
    (judge,) = set(by_model["rater"].to_pylist())
    if judge in ratings["rater"].to_pylist():
        raise ValueError(f"judge.rater: {judge!r} is the name of a person who rated, give another")
    both = pa.concat_tables([ratings, by_model.select(ratings.column_names)])
    compared = []
    for question in people.questions:
        sides = [_given(table, question) for table in (ratings, by_model)]
        means = [round(math.fsum(numbers) / len(numbers), 6) if numbers else None for numbers, _ in sides]
        counts = [count for _, count in sides]
        compared.append(
            {
                "question": question.name,
                **dict(zip(("people", "judge"), means, strict=True)),
                **dict(zip(("people_ratings", "judge_ratings"), counts, strict=True)),
            }
        )
    return {
        "rater": judge,
        "model": ", ".join(sorted(set(by_model["model"].to_pylist()))),
        "compared": compared,
        "agreement": [row for row in against_the_others(both).to_pylist() if row["rater"] == judge],
        "pairs": [row for row in pairwise(both).to_pylist() if judge in (row["rater"], row["other"])],
    }


def _given(ratings: pa.Table, question: Question) -> tuple[list[float], int]:
    """Return the ratings of a question as numbers (empty if its scale is not numeric), and their count."""
    rows = ratings.filter(pc.equal(ratings["question"], question.name)).select(["value"]).to_pylist()
    numbers = question.scale.numeric or set(question.scale.values) == set(_YES_NO)
    return numbers_of(rows) if numbers else [], len(rows)


def judged_shape(sheets: str, question: str, about: Sequence[Field], said: Sequence[Field]) -> Shape:
    """Return the shape of judged rows; `about` are columns that they repeat from the dataset `sheets`."""
    return Shape(
        unit=ANSWERS.kept,
        kept=columns(
            ("row_id", _TEXT, f"row of {sheets}"),
            ("questionnaire", _TEXT, "its name"),
            ("question", _TEXT, question),
            *about,
            *VOTES,
            *said,
            ("answers", pa.list_(ANSWER), "by rater"),
        ),
    )


def answered(groups: Sequence[Sequence[Row]], draws: Bootstrap) -> dict[str, Any]:
    """Return the summary of all answers to a question about rows in groups.

    It has `raters` and `ratings` (counts), the mean of all ratings (for yes/no questions the share of yes)
    with its 95 % interval over groups, and `deviation`, the standard deviation of all ratings (n - 1). This
    is not the mean of the groups' means: a group weighs as much as its number of ratings. Fields are null
    without ratings.
    """
    numbers = [[number for row in rows for number in numbers_of(row["answers"])] for rows in groups]
    given = [number for several in numbers for number in several]
    sums = [(math.fsum(several), len(several)) for several in numbers]
    return {
        "raters": len({answer["rater"] for rows in groups for row in rows for answer in row["answers"]}),
        "ratings": len(given),
        **draws.around(sums, ratio),
        "deviation": stdev(given) if len(given) > 1 else None,
    }


def numbers_of(answers: Iterable[Mapping[str, str]]) -> list[float]:
    """Return answers as numbers: 1 for yes, 0 for no."""
    values = [answer["value"] for answer in answers]
    return [_YES_NO[value] if value in _YES_NO else float(value) for value in values]


def collected(answers: pa.Table, sent: pa.Table, questionnaires: Sequence[Questionnaire]) -> Collected:
    """Return the answers that count, after comparing them with the rows that were sent out.

    Answers to a questionnaire that is not among these are dropped as `other_questionnaire` (one source may
    hold the sheets of all systems), empty ones as `no_answer`. `validate` (answers.py) rejects invalid ones.
    `sent` has the columns `id`, `licence`, `questionnaire` and those that each questionnaire shows.
    """
    known = pa.array(sorted(questionnaire.name for questionnaire in questionnaires))
    ours = pc.is_in(answers["questionnaire"], known)
    counted = pc.and_(ours, pc.is_valid(answers["answer"]))
    dropped = [
        drop(
            unit,
            "no_answer" if asked_here else "other_questionnaire",
            detail=f"{unit['file']}, {unit['place']}",
        )
        for unit, asked_here in zip(
            answers.filter(pc.invert(counted)).to_pylist(),
            ours.filter(pc.invert(counted)).to_pylist(),
            strict=True,
        )
    ]
    given = answers.filter(counted)
    checked = [
        validate(
            given.filter(pc.equal(given["questionnaire"], questionnaire.name)),
            sent.filter(pc.equal(sent["questionnaire"], questionnaire.name)),
            questionnaire,
        )
        for questionnaire in questionnaires
    ]
    ratings = pa.concat_tables([RATINGS.kept.empty_table(), *(outcome.kept for outcome in checked)])
    return Collected(ratings, dropped, [unit for outcome in checked for unit in outcome.rejected.to_pylist()])


def aggregated(
    ratings: pa.Table, sent: Sequence[Row], questionnaires: Sequence[Questionnaire]
) -> Iterator[tuple[Row, Row]]:
    """Yield each rated row with the summary of its answers, one per question, in the order of `sent`.

    The summary has id, source_ids, licence, row_id, questionnaire, question, majority (null for a tie),
    votes, raters, tie, and answers (rater, value), ordered by rater.
    """
    named = {questionnaire.name: questionnaire for questionnaire in questionnaires}
    given: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for rating in ratings.to_pylist():
        given[rating["row_id"], rating["question"]].append(rating)
    votes = {(vote["row_id"], vote["question"]): vote for vote in majority(ratings).to_pylist()}
    for row in sent:
        for question in named[row["questionnaire"]].questions:
            if several := given.get((row["id"], question.name)):
                ordered = sorted(several, key=lambda rating: str(rating["rater"]))
                yield row, _said(row, ordered, votes[row["id"], question.name])


def _among(table: pa.Table, ids: Iterable[str]) -> pa.ChunkedArray:
    return pc.is_in(table["id"], pa.array(sorted(ids), pa.string()))


def _said(row: Row, ratings: Sequence[Row], vote: Row) -> Row:
    return {
        **made_of(
            row_id("judged", row["id"], vote["question"]),
            [row["id"], *(rating["source_ids"][0] for rating in ratings)],
            [row["licence"], *(rating["licence"] for rating in ratings)],
        ),
        "row_id": row["id"],
        "questionnaire": row["questionnaire"],
        "question": vote["question"],
        "majority": vote["value"],
        **{name: vote[name] for name in ("votes", "raters", "tie")},
        "answers": [{"rater": rating["rater"], "value": rating["value"]} for rating in ratings],
    }
