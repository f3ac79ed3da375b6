"""The human evaluation of leads: a sample of articles for raters, and their answers.

Belongs here: which leads raters see, and on which side; the paper's Tables 5 and 6: means by system with
Welch's t-test, and preferences by pair. Not here: the questions (people.py), sheets, votes and agreement
(ops/evaluation).

Liu et al. (2018), section 5.3 and appendix A.3: three raters rate 25 examples of each model, and 25 of each
pair of models. Here, the lead shown as A is drawn once per example; in the paper, per example and rater.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from silverloom.ops.core.outcome import Outcome, Outcomes, Row, drop, in_parts
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.sampling import drawn, sample_names
from silverloom.ops.evaluation.human_evaluation import Judged, JudgedRows, evaluate_ratings, numbers_of
from silverloom.ops.evaluation.questionnaire import Questionnaire
from silverloom.ops.evaluation.table import named, welch, with_files
from silverloom.ops.wikisum.evaluation.people import (
    PEOPLE,
    PREFERENCE,
    QUALITY,
    RATING_SHEETS,
    HumanEvaluationParams,
    RatingSheetParams,
)
from silverloom.ops.wikisum.evaluation.scores import EVALUATION

_DIGITS = 6


def rating_sheets(evaluation: Parts, params: RatingSheetParams) -> Outcomes:
    """Yield the leads to rate, with the sheets; the units are the scored leads.

    Draws articles for which every named system has a lead. Drops the other leads as `other_system` or
    `not_drawn`. Raises LookupError for a system without a lead.
    """
    wanted = {*params.systems, *(name for pair in params.pairs for name in pair)}
    articles = _articles(evaluation, wanted, params)
    leads: dict[str, dict[str, Row]] = {article: {} for article in articles}
    for unit in evaluation.read(where=("article_id", leads)).to_pylist():
        leads[unit["article_id"]][_name(unit)] = unit
    kept = [row for of_article in leads.values() for row in _asked(of_article, params)]
    taken = {unit for row in kept for unit in row["source_ids"]}

    def parts() -> Outcomes:
        yield Outcome.of(RATING_SHEETS, sorted(taken), kept)
        for part in evaluation:
            dropped = [
                drop(unit, "not_drawn" if _name(unit) in wanted else "other_system", detail=_name(unit))
                for unit in part.to_pylist()
                if unit["id"] not in taken
            ]
            yield Outcome.of(RATING_SHEETS, [unit["id"] for unit in dropped], [], dropped)

    yield from with_files(in_parts(parts()), RATING_SHEETS, lambda: PEOPLE.files(kept, params))


def tables(judged: Judged, params: HumanEvaluationParams) -> dict[str, Any]:
    """Return Tables 5 and 6; the score of a lead is the mean of its raters' answers.

    `quality` has a row per system, in the order of params: `articles`, and for each question `mean`, `low`
    and `high` (95 % interval over articles), `ratings`, and, for all systems but the first, `test` against
    the first: t, degrees, p and whether it is `significant`. `preference` has a row per pair: articles,
    ratings, how many prefer `first`, `second` and `neither`, and the `ratio` of second to first, null if no
    rating prefers the first.
    """
    return {
        "quality": list(_quality(judged.rows, judged.asked.systems, params)),
        "preference": [_preference(judged.rows, pair) for pair in judged.asked.pairs],
    }


def _quality(
    rows: Iterable[Row], systems: Sequence[str], params: HumanEvaluationParams
) -> Iterator[dict[str, Any]]:
    rated: dict[tuple[str | None, str], list[Row]] = defaultdict(list)
    for row in rows:
        rated[row["system"], row["question"]].append(row)
    questions = [question.name for question in QUALITY.questions]
    for name in systems:
        articles = {row["article_id"] for question in questions for row in rated[name, question]}
        scores = {
            question: _answered(leads, rated[systems[0], question] if name != systems[0] else None, params)
            for question in questions
            if (leads := rated[name, question])
        }
        yield {"system": name, "articles": len(articles), "scores": scores}


def _answered(
    leads: Sequence[Row], reference: Sequence[Row] | None, params: HumanEvaluationParams
) -> dict[str, Any]:
    """Return the mean answer about a system's leads, and its test against another system's leads."""
    means = [row["mean"] for row in leads]
    answers = {**params.around(means), "ratings": sum(row["raters"] for row in leads), "test": None}
    if reference is not None:
        test = welch(means, [row["mean"] for row in reference])
        significant = test.p is not None and test.p < params.significant
        answers["test"] = {**test._asdict(), "significant": significant}
    return answers


def _preference(rows: Iterable[Row], pair: tuple[str, str]) -> dict[str, Any]:
    first, second = pair
    own = [row for row in rows if {row["system_a"], row["system_b"]} == {first, second}]
    # A positive value prefers the lead of the second system.
    values = [
        int(answer["value"]) * (1 if row["system_b"] == second else -1)
        for row in own
        for answer in row["answers"]
    ]
    prefer_first, prefer_second = sum(value < 0 for value in values), sum(value > 0 for value in values)
    return {
        "first": first,
        "second": second,
        "articles": len(own),
        "ratings": len(values),
        "prefer_first": prefer_first,
        "prefer_second": prefer_second,
        "neither": len(values) - prefer_first - prefer_second,
        "ratio": round(prefer_second / prefer_first, _DIGITS) if prefer_first else None,
    }


def _said(judged: JudgedRows) -> Iterator[Row]:
    for _, vote in judged:
        yield {"mean": fmean(numbers_of(vote["answers"]))}


def _articles(evaluation: Parts, wanted: set[str], params: RatingSheetParams) -> Sequence[str]:
    """Return the drawn articles, from those for which all wanted systems have a lead."""
    known: set[str] = set()
    leads = [EVALUATION.kept.empty_table().select(["article_id"])]
    for table in evaluation.tables(["article_id", "system", "model"]):
        names = [_name(row) for row in table.to_pylist()]
        known.update(names)
        of_wanted = table.filter(pa.array([name in wanted for name in names], pa.bool_()))
        leads.append(of_wanted.select(["article_id"]))
    if known and (missing := sorted(wanted - known)):
        raise LookupError(
            f"wikisum.rating_sheets names {', '.join(missing)}, but wikisum/evaluation has "
            f"{', '.join(sorted(known))}"
        )
    counts = pc.value_counts(pa.concat_tables(leads)["article_id"])
    shared = counts.field("values").filter(pc.equal(counts.field("counts"), len(wanted)))
    return sample_names((article.as_py() for article in shared), params.articles, params.seed)


def _asked(leads: Mapping[str, Row], params: RatingSheetParams) -> Iterator[Row]:
    """Yield the questions about the leads of one article."""
    for name in params.systems:
        yield _row(QUALITY, [leads[name]], name, system=name, text=leads[name]["prediction"])
    for first, second in params.pairs:
        pair = [first, second]
        if drawn(params.seed, "side", leads[first]["article_id"], first, second)[0] % 2:
            pair.reverse()
        sides = dict(zip("ab", pair, strict=True))
        yield _row(
            PREFERENCE,
            [leads[name] for name in pair],
            f"{first} against {second}",
            **{f"system_{side}": name for side, name in sides.items()},
            **{f"text_{side}": leads[name]["prediction"] for side, name in sides.items()},
            target=leads[first]["target"],
        )


def _row(questionnaire: Questionnaire, leads: Sequence[Row], about: str, **shown: str) -> Row:
    article = {name: leads[0][name] for name in ("article_id", "title")}
    return PEOPLE.sent(questionnaire, leads, [leads[0]["article_id"], about], **article, **shown)


def _name(row: Row) -> str:
    return named(row["system"], row["model"])


#: Yields the raters' answers about each lead, and the tables, as `evaluate_ratings` does.
human_evaluation = partial(evaluate_ratings, PEOPLE, _said, tables)
