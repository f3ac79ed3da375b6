"""The human evaluation of paraphrase pairs: a sample of each origin for people to rate, and their ratings.

Belongs here: which pairs raters see, and the paper's consistency and Tables 4 and 5 from their answers. Not
here: the questions (people.py), sheets, votes and agreement (ops/evaluation), the paper's numbers (next to
the page).

Dong et al. (2021), sections 5 and 6: three people rate every pair; phenomena are counted in 100 pairs of each
dataset, ours and others. Raters see two sentences in an order drawn by the seed, and neither scores nor
origin. Scores are
means over all raters and pairs. Agreement is the average Cohen's kappa of each rater against the majority of
the others.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean
from typing import Any, TypeAlias

from silverloom.ops.core.outcome import Outcome, Outcomes, Row, drop, in_blocks
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.sampling import drawn, sample_each
from silverloom.ops.evaluation.agreement import against_the_others
from silverloom.ops.evaluation.human_evaluation import (
    Judged,
    JudgedRows,
    answered,
    evaluate_ratings,
    numbers_of,
)
from silverloom.ops.evaluation.questionnaire import Question, Questionnaire
from silverloom.ops.parasci.dataset.release import released_form, source_of
from silverloom.ops.parasci.evaluation.people import (
    EXTERNAL,
    PAIRS,
    PEOPLE,
    PHENOMENA,
    RATING_SHEETS,
    HumanEvaluationParams,
    RatingSheetParams,
)

#: The name for all origins together.
ALL = "all"


def rating_sheets(paraphrases: Parts, paraphrase_pairs: Parts, params: RatingSheetParams) -> Outcomes:
    """Yield the rows to be rated, part by part, and the sheets; the units are our pairs.

    Pairs of `params.corpora` are drawn from `paraphrase_pairs` and rated among ours. These may be lower-case
    tokens, so that all sentences are then shown in the released form. Reason: `not_drawn`. The smaller of the
    two samples of an origin or corpus is a subset of the larger one. Raises ValueError for a corpus without
    pairs.
    """
    rows: list[Row] = []
    ours = _samples(paraphrases, "origin", params)
    for part in paraphrases:
        units = part.to_pylist()
        kept = [row for unit in units for row in _rows(unit, unit["origin"], source_of(unit), ours, params)]
        taken = {row["paraphrase_id"] for row in kept}
        dropped = [drop(unit, "not_drawn") for unit in units if unit["id"] not in taken]
        rows += kept
        yield Outcome.of(RATING_SHEETS, part["id"].to_pylist(), kept, dropped)
    for kept in in_blocks(_of_corpora(paraphrase_pairs, params)):
        rows += kept
        yield Outcome.of(RATING_SHEETS, [], kept)
    yield Outcome.of(RATING_SHEETS, [], [], files=PEOPLE.files(rows, params))


#: The ids of the pairs that each questionnaire is about.
_Samples: TypeAlias = Sequence[tuple[Questionnaire, set[str]]]


def _samples(
    pairs: Parts, column: str, params: RatingSheetParams, having: Mapping[str, object] | None = None
) -> _Samples:
    """Return the pairs that are drawn from each value of a column, among those `having` some values."""
    return [
        (
            questionnaire,
            set(sample_each(pairs.tables(["id", column], having), column, size, params.seed)),
        )
        for questionnaire, size in ((PAIRS, params.pairs), (PHENOMENA, params.phenomena))
    ]


def _of_corpora(paraphrase_pairs: Parts, params: RatingSheetParams) -> Iterator[Row]:
    """Yield the rows of the pairs that are drawn from each corpus."""
    for corpus in params.corpora:
        having = {"corpus": corpus}
        there = False
        samples = _samples(paraphrase_pairs, "corpus", params, having)
        for pair in paraphrase_pairs.rows(["id", "licence", "first", "second"], having):
            there = True
            yield from _rows(pair, EXTERNAL, corpus, samples, params)
        if not there:
            raise ValueError(
                f"parasci.rating_sheets.corpora in params.yaml names {corpus!r}, "
                "but sources.paraphrase_pairs has no pairs of it"
            )


def tables(judged: Judged, params: HumanEvaluationParams) -> dict[str, Any]:
    """Return the results of all ratings, by question.

    Each of `questions` has its name, wording and scale, the average `kappa` of raters against the majority of
    the others, the number of `raters` in that average, and `scores` for all our pairs, by origin, by source
    if they have several ("source acl"), and for each corpus of others ("external quora"): the numbers of
    rated pairs, raters and ratings, the mean over all ratings with its 95 % interval over pairs, the standard
    deviation (n - 1), and the number of ratings by value.
    """
    agreement = against_the_others(judged.ratings).to_pylist()
    questions = [_question(question, judged.rows, agreement, params) for question in PEOPLE.questions]
    return {"questions": questions}


def _question(
    question: Question, rows: Sequence[Row], agreement: Iterable[Row], params: HumanEvaluationParams
) -> dict[str, Any]:
    groups = _groups([row for row in rows if row["question"] == question.name])
    names = [ALL, *sorted(groups.keys() - {ALL})]
    kappas = [row["kappa"] for row in agreement if row["question"] == question.name]
    known = [kappa for kappa in kappas if kappa is not None]
    return {
        **question.described(),
        "kappa": round(fmean(known), 6) if known else None,
        "raters": len(known),
        "scores": [_score(name, groups[name], question.scale.values, params) for name in names],
    }


def _groups(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the rated pairs of each group: ours, by origin and, if there are several, by source; others."""
    ours = [row for row in rows if row["origin"] != EXTERNAL]
    several = len({row["corpus"] for row in ours}) > 1
    groups: dict[str, list[Row]] = defaultdict(list, {ALL: ours})
    for row in rows:
        origin, corpus = row["origin"], row["corpus"]
        groups[f"{EXTERNAL} {corpus}" if origin == EXTERNAL else origin].append(row)
        if several and corpus and origin != EXTERNAL:
            groups[f"source {corpus}"].append(row)
    return groups


def _score(
    name: str, rows: Sequence[Row], values: Iterable[str], params: HumanEvaluationParams
) -> dict[str, Any]:
    answers = answered([[row] for row in rows], params)
    given = Counter(answer["value"] for row in rows for answer in row["answers"])
    deviation = answers["deviation"]
    return {
        "origin": name,
        "rated": len(rows),
        **answers,
        "deviation": None if deviation is None else round(deviation, 6),
        "values": {value: given[value] for value in values},
    }


def _said(judged: JudgedRows) -> Iterator[Row]:
    for _, vote in judged:
        mean = fmean(numbers_of(vote["answers"]))
        yield {"mean": mean, "consistency": mean if vote["question"] == "consistency" else None}


def _rows(
    pair: Row, origin: str, corpus: str | None, samples: _Samples, params: RatingSheetParams
) -> Iterator[Row]:
    """Yield the row of a pair for each questionnaire that is about it."""
    sides = ["first", "second"] if drawn(params.seed, "order", pair["id"])[0] % 2 else ["second", "first"]
    texts = [released_form(pair[side]) if params.corpora else pair[side] for side in sides]
    for questionnaire, ids in samples:
        if pair["id"] in ids:
            yield PEOPLE.sent(
                questionnaire,
                [pair],
                [pair["id"]],
                paraphrase_id=pair["id"],
                origin=origin,
                corpus=corpus,
                sentence_1=texts[0],
                sentence_2=texts[1],
            )


#: Yields the ratings of each rated row, and the tables, as `evaluate_ratings` does.
human_evaluation = partial(evaluate_ratings, PEOPLE, _said, tables)
