"""Combine ratings, and measure how far raters agree.

Belongs here: majority votes, means, shares, Cohen's kappa. Not here: intervals (ops/metrics).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import fmean, stdev

import pyarrow as pa

from silverloom.ops.evaluation.questionnaire import Questionnaire

MAJORITY = pa.schema(
    [
        ("question", pa.string()),
        ("row_id", pa.string()),
        ("value", pa.string()),  # null where two values have the most votes
        ("votes", pa.int32()),
        ("raters", pa.int32()),
        ("tie", pa.bool_()),
    ]
)
MEANS = pa.schema(
    [
        ("question", pa.string()),
        ("value", pa.string()),  # null: the question as a whole
        ("ratings", pa.int32()),
        ("share", pa.float64()),
        ("mean", pa.float64()),
        ("deviation", pa.float64()),
    ]
)
AGREEMENT = pa.schema(
    [
        ("question", pa.string()),
        ("rater", pa.string()),
        ("other", pa.string()),  # null: the majority of all others
        ("rows", pa.int32()),
        ("left_out", pa.int32()),  # the rater's rows that the other side did not rate or is tied on
        ("observed", pa.float64()),
        ("kappa", pa.float64()),
    ]
)


def cohen_kappa(one: Sequence[str], other: Sequence[str]) -> float | None:
    """Return Cohen's kappa (1960) of two raters over the same items, (p_o - p_e) / (1 - p_e).

    Returns None where kappa is undefined: no items, or both raters give the same value to every item. Raises
    ValueError if the lengths differ.
    """
    if len(one) != len(other):
        raise ValueError(f"{len(one)} and {len(other)} ratings: kappa is of the same items")
    first, second = Counter(one), Counter(other)
    # Whole numbers, multiplied by n^2, so that a chance agreement of exactly 1 is recognised.
    whole = len(one) ** 2
    agreed = len(one) * sum(a == b for a, b in zip(one, other, strict=True))
    chance = sum(count * second[value] for value, count in first.items())
    return (agreed - chance) / (whole - chance) if whole > chance else None


def majority(ratings: pa.Table) -> pa.Table:
    """Return the most frequent value of every rated row and question; null if there is a tie (MAJORITY)."""
    majorities = []
    for question, rows in _by_question(ratings).items():
        for row, by_rater in rows.items():
            value, votes = _most(list(by_rater.values()))
            counts = {"votes": votes, "raters": len(by_rater), "tie": value is None}
            majorities.append({"question": question, "row_id": row, "value": value, **counts})
    return pa.Table.from_pylist(majorities, MAJORITY)


def means(ratings: pa.Table, questionnaire: Questionnaire) -> pa.Table:
    """Return the mean, standard deviation and share of each value for every question (MEANS).

    All ratings count alike, whoever gave them. The deviation is the sample deviation (n - 1), null for fewer
    than two ratings. Mean and deviation are null for scales that are not numeric. Raises KeyError for a
    question that the questionnaire does not have.
    """
    statistics = []
    for name, rows in _by_question(ratings).items():
        question = questionnaire.question(name)
        if question is None:
            raise KeyError(f"the questionnaire {questionnaire.name} has no question {name!r}")
        values = [value for by_rater in rows.values() for value in by_rater.values()]
        numbers = [int(value) for value in values] if question.scale.numeric else []
        whole = {"question": name, "value": None, "ratings": len(values), "share": 1.0}
        deviation = stdev(numbers) if len(numbers) > 1 else None
        statistics.append({**whole, "mean": fmean(numbers) if numbers else None, "deviation": deviation})
        for value in question.scale.values:
            count = values.count(value)
            share = {"ratings": count, "share": count / len(values), "mean": None, "deviation": None}
            statistics.append({"question": name, "value": value, **share})
    return pa.Table.from_pylist(statistics, MEANS)


def against_the_others(ratings: pa.Table) -> pa.Table:
    """Return the agreement of every rater with the majority of all other raters, by question (AGREEMENT).

    Rows that no other rater rated, or on which the others are tied, are left out and counted.
    """
    agreements = []
    for question, rows in _by_question(ratings).items():
        for rater in sorted({rater for by_rater in rows.values() for rater in by_rater}):
            own = {row: by_rater[rater] for row, by_rater in rows.items() if rater in by_rater}
            others = {}
            for row in own:
                value, _ = _most([value for name, value in rows[row].items() if name != rater])
                if value is not None:
                    others[row] = value
            agreements.append(_agreement(question, rater, None, own, others))
    return pa.Table.from_pylist(agreements, AGREEMENT)


def pairwise(ratings: pa.Table) -> pa.Table:
    """Return the agreement of every pair of raters on the rows that both rated, by question (AGREEMENT)."""
    agreements = []
    for question, rows in _by_question(ratings).items():
        raters = sorted({rater for by_rater in rows.values() for rater in by_rater})
        for first, second in combinations(raters, 2):
            sides = [
                {row: by_rater[rater] for row, by_rater in rows.items() if rater in by_rater}
                for rater in (first, second)
            ]
            agreements.append(_agreement(question, first, second, *sides))
    return pa.Table.from_pylist(agreements, AGREEMENT)


def _agreement(
    question: str, rater: str, other: str | None, own: Mapping[str, str], others: Mapping[str, str]
) -> dict[str, object]:
    both = [row for row in own if row in others]
    one, two = [own[row] for row in both], [others[row] for row in both]
    observed = math.fsum(a == b for a, b in zip(one, two, strict=True)) / len(both) if both else None
    counts = {"rows": len(both), "left_out": len(own) - len(both)}
    kappa = cohen_kappa(one, two)
    return {
        "question": question,
        "rater": rater,
        "other": other,
        **counts,
        "observed": observed,
        "kappa": kappa,
    }


def _by_question(ratings: pa.Table) -> dict[str, dict[str, dict[str, str]]]:
    """Return the values by question, row and rater, all sorted."""
    by_question: dict[str, dict[str, dict[str, str]]] = {}
    columns = ("question", "row_id", "rater", "value")
    for question, row, rater, value in sorted(
        zip(*(ratings[name].to_pylist() for name in columns), strict=True)
    ):
        by_rater = by_question.setdefault(question, {}).setdefault(row, {})
        if rater in by_rater:
            raise ValueError(
                f"{rater} rates row {row!r}, question {question!r} twice: validate the answers first"
            )
        by_rater[rater] = value
    return by_question


def _most(values: Sequence[str]) -> tuple[str | None, int]:
    """Return the most frequent value and its votes; the value is None if there is a tie."""
    best = Counter(values).most_common(2)
    if not best:
        return None, 0
    tied = len(best) > 1 and best[0][1] == best[1][1]
    return None if tied else best[0][0], best[0][1]
