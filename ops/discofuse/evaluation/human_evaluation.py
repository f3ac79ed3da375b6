"""The human evaluation of fusion examples and fusions: samples for people to rate, and the results.

Belongs here: which rows raters see and with which questions, their gold answers, and the paper's Tables 2 to
5 and 8. Not here: the questions (people.py), sheets, which answers count, votes and agreement
(ops/evaluation).

Geva et al. (2019): 5 raters say for 500 examples of each domain whether the split text is understandable
(section 4.1) and how they would fuse it (4.2); 100 examples are analysed for errors (4.1). For 1000 fusions
of each domain, where fusion and gold text differ, they say which of the two is the gold text (5.3).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from silverloom.ops.core.identity import made_of
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, drop
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.sampling import drawn, sample_each
from silverloom.ops.discofuse.evaluation.alignment import SENSES, Sense, words
from silverloom.ops.discofuse.evaluation.people import (
    CLARITY,
    DECISIONS,
    DETECTION,
    ERRORS,
    PEOPLE,
    RATING_SHEETS,
    HumanEvaluationParams,
    RatingSheetParams,
)
from silverloom.ops.evaluation.human_evaluation import Judged, JudgedRows, evaluate_ratings
from silverloom.ops.evaluation.questionnaire import Questionnaire
from silverloom.ops.evaluation.table import with_files
from silverloom.ops.metrics.fusion import exact_match

UNDERSTANDABLE, MERGE, ANAPHOR, CONNECTIVE, OBSCURITY, ERROR, HARM, HUMAN = (
    question.name for question in PEOPLE.questions
)
#: The answer for no connective.
NONE = "none"
#: The assumed accuracy of raters if a fusion equals its gold text, or if they are undecided.
CHANCE = 0.5

#: Connectives that are offered for a sense other than the gold one's: common ones of Tables 9 and 12.
_OFFERS: Mapping[Sense, Sequence[str]] = {
    "comparison": ("but", "however", "although"),
    "expansion": ("and", "for example", "moreover"),
    "contingency": ("because", "so", "therefore"),
    "temporal": ("then", "meanwhile", "finally"),
}


def rating_sheets(examples: Parts, fusions: Parts, params: RatingSheetParams) -> Outcomes:
    """Yield the rows to be rated, part by part, and the sheets with the last part; the units are the
    examples.

    An example is dropped as `other_split` or `not_drawn`, unless one of its fusions was drawn. An example
    whose connective has no coarse sense gets only the question about clarity.
    """
    asked, analysed = (_examples(examples, size, params) for size in (params.examples, params.errors))
    fused = _fusions(fusions, params)
    rows: list[Row] = []

    def parts() -> Outcomes:
        for part in examples:
            kept: list[Row] = []
            dropped: list[Row] = []
            for unit in part.to_pylist():
                name = unit["id"]
                questions = list(_asked(unit, name in asked, name in analysed, fused.get(name), params.seed))
                kept += questions
                if not questions:
                    reason = "not_drawn" if unit["split"] in params.splits else "other_split"
                    dropped.append(drop(unit, reason, detail=unit["split"]))
            rows.extend(kept)
            yield Outcome.of(RATING_SHEETS, part["id"].to_pylist(), kept, dropped)

    def files() -> dict[str, bytes]:
        return PEOPLE.files([row for row in rows if row["asked"]], params)

    yield from with_files(parts(), RATING_SHEETS, files)


def tables(judged: Judged, params: HumanEvaluationParams) -> dict[str, Any]:
    """Return the paper's tables; means are shares of examples with 95 % intervals over the examples.

    `clarity` (Table 2), by domain: rated examples, the counts `yes`, `no_majority` and `no`, and the share of
    yes. `decisions` (Table 5), by question: how often the majority is the gold answer (a tie counts as
    wrong), over `all` examples marked as understandable, and over those `with_connectives`, where both gold
    and majority add one. `detection` (Table 8), by domain: drawn fusions, those that are the `same` as their
    gold text, the `rated` ones among the others, and how often the majority finds the gold text (a tie counts
    half): where they `differ`, and in `total`, where the same ones count half. `errors` (section 4.1, Tables
    3 and 4), by domain: analysed examples, the shares without an error, with a harmless one and with a
    harmful one, how often each kind of error occurs, and why examples are unclear; ties count nowhere.
    """
    counted = [row for row in judged.rows if row["counted"]]
    fusions = judged.drawn.filter(judged.drawn["fusion_id"].is_valid()).to_pylist()
    return {
        "clarity": [
            _clarity(domain, of_domain, params)
            for domain, of_domain in _by_domain(_of(counted, UNDERSTANDABLE))
        ],
        "decisions": _decisions(counted, params),
        "detection": [
            _detection(domain, of_domain, _of(counted, HUMAN), params)
            for domain, of_domain in _by_domain(fusions)
        ],
        "errors": [
            _errors(domain, of_domain, params)
            for domain, of_domain in _by_domain(_of(counted, OBSCURITY, ERROR, HARM))
        ],
    }


def gold_decisions(example: Row) -> dict[str, str]:
    """Return the gold answers about fusing an example; `connective` is missing if it has no sense.

    An anaphor is any of the paper's "nominal or pronominal anaphors or cataphors", section 4.2.
    """
    kind, name = example["discourse_type"], _connective(example)
    referring = example["has_coref_type_pronoun"] or example["has_coref_type_nominal"]
    answers = {
        "merge": "single" if kind.startswith("SINGLE_") else "pair",
        "anaphor": "yes" if referring or kind == "SINGLE_CATAPHORA" else "no",
    }
    if not name:
        answers["connective"] = "none"
    elif name in SENSES:
        answers["connective"] = SENSES[name]
    return answers


def offers(example: Row, seed: int) -> dict[Sense, str]:
    """Return a connective for each sense: the gold one for its sense, the others drawn by seed and id."""
    name = _connective(example)
    return {
        sense: name
        if SENSES.get(name) == sense
        else min(several, key=lambda connective: drawn(seed, connective, example["id"]))
        for sense, several in _OFFERS.items()
    }


def _connective(example: Row) -> str:
    return " ".join(words(example["connective_string"]))


def _fusions(fusions: Parts, params: RatingSheetParams) -> dict[str, Row]:
    """Return the drawn fusions by the example that they belong to."""
    own_domain = (
        table.filter(pc.equal(table["model"], table["domain"]))
        for table in fusions.tables(["id", "domain", "model"])
    )
    ids = sample_each(own_domain, "domain", params.fusions, params.seed)
    rows = fusions.read(
        ["id", "licence", "example_id", "target", "prediction"], where=("id", ids)
    ).to_pylist()
    return {row["example_id"]: row for row in rows}


def _examples(examples: Parts, size: int, params: RatingSheetParams) -> set[str]:
    """Return the ids of the drawn examples of each domain; the draws use one order."""
    of_splits = (
        table.filter(pc.is_in(table["split"], pa.array(params.splits)))
        for table in examples.tables(["id", "domain", "split", "discourse_type"])
    )
    return set(sample_each(of_splits, "domain", size, params.seed, "discourse_type"))


def _of(rows: Iterable[Row], *questions: str) -> list[Row]:
    return [row for row in rows if row["question"] in questions]


def _by_domain(rows: Iterable[Row]) -> list[tuple[str, list[Row]]]:
    by_domain: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_domain[row["domain"]].append(row)
    return sorted(by_domain.items())


def _clarity(domain: str, rows: Sequence[Row], params: HumanEvaluationParams) -> dict[str, Any]:
    majorities = [row["majority"] for row in rows]
    return {
        "domain": domain,
        "examples": len(rows),
        **{
            name: majorities.count(value)
            for name, value in (("yes", "yes"), ("no_majority", None), ("no", "no"))
        },
        "share": params.around([float(value == "yes") for value in majorities]),
    }


def _decisions(rows: Sequence[Row], params: HumanEvaluationParams) -> list[dict[str, Any]]:
    added = {
        row["example_id"]
        for row in _of(rows, CONNECTIVE)
        if row["gold"] != NONE and row["majority"] not in (NONE, None)
    }
    summaries = []
    for question in (MERGE, ANAPHOR, CONNECTIVE):
        of_question = _of(rows, question)
        both = [row for row in of_question if row["example_id"] in added]
        summary: dict[str, Any] = {"question": question}
        for name, some in (("all", of_question), ("with_connectives", both)):
            agreed = [float(row["agrees"]) for row in some]
            summary[name] = {"examples": len(some), "agreement": params.around(agreed)}
        summaries.append(summary)
    return summaries


def _detection(
    domain: str, sent: Sequence[Row], rows: Sequence[Row], params: HumanEvaluationParams
) -> dict[str, Any]:
    of_domain = [row for row in rows if row["domain"] == domain]
    detected = params.around([CHANCE if row["tie"] else float(row["agrees"]) for row in of_domain])
    same = sum(not row["asked"] for row in sent)
    # Which fusions equal their gold text is known: these narrow the interval but do not enlarge the sample.
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


def _errors(domain: str, rows: Sequence[Row], params: HumanEvaluationParams) -> dict[str, Any]:
    def counts(question: str) -> dict[str, int]:
        given = [row["majority"] for row in _of(rows, question)]
        scale = next(asked.scale for asked in ERRORS.questions if asked.name == question)
        return {value: given.count(value) for value in scale.values}

    harm = [row["majority"] for row in _of(rows, HARM)]
    return {
        "domain": domain,
        "examples": len(harm),
        **{
            name: params.around([float(value == name) for value in harm])
            for name in ("no_error", "harmless", "harmful")
        },
        "kinds": counts(ERROR),
        "reasons": counts(OBSCURITY),
    }


def _said(judged: JudgedRows) -> Iterator[Row]:
    clear = {
        row["example_id"]
        for row, vote in judged
        if vote["question"] == UNDERSTANDABLE and vote["majority"] == "yes"
    }
    for row, vote in judged:
        gold: Mapping[str, str] = {answer["question"]: answer["value"] for answer in row["gold"]}
        answer = gold.get(vote["question"])
        decides = row["questionnaire"] == DECISIONS.name
        yield {
            "gold": answer,
            "agrees": None if answer is None else vote["majority"] == answer,
            "counted": not decides or row["example_id"] in clear,
        }


def _asked(example: Row, asked: bool, analysed: bool, fusion: Row | None, seed: int) -> Iterator[Row]:
    """Yield the rows to be rated about an example, in the order of the questionnaires."""
    if asked:
        yield _row(example, CLARITY, {})
        gold = gold_decisions(example)
        if "connective" in gold:
            yield _row(example, DECISIONS, gold, **offers(example, seed))
    if analysed:
        yield _row(example, ERRORS, {}, text=example["fused"])
    if fusion is not None:
        yield _told_apart(example, fusion, seed)


def _told_apart(example: Row, fusion: Row, seed: int) -> Row:
    """Return the row that asks which of two texts is gold; the seed decides which text comes first."""
    side = "ab"[drawn(seed, "gold", fusion["id"])[0] % 2]
    texts = {f"fusion_{name}": fusion["target" if name == side else "prediction"] for name in "ab"}
    row = _row(example, DETECTION, {"human": side}, **texts)
    return {
        **row,
        **made_of(row["id"], [example["id"], fusion["id"]], [example["licence"], fusion["licence"]]),
        "fusion_id": fusion["id"],
        "asked": not exact_match(fusion["prediction"], [fusion["target"]]),
    }


def _row(example: Row, questionnaire: Questionnaire, gold: Mapping[str, str], **shown: str) -> Row:
    return PEOPLE.sent(
        questionnaire,
        [example],
        [example["id"]],
        example_id=example["id"],
        domain=example["domain"],
        discourse_type=example["discourse_type"],
        sentence_1=example["incoherent_first_sentence"],
        sentence_2=example["incoherent_second_sentence"],
        **shown,
        asked=True,
        gold=[{"question": question, "value": value} for question, value in gold.items()],
    )


#: Yields the results for each rated row, and the tables, as `evaluate_ratings` does.
human_evaluation = partial(evaluate_ratings, PEOPLE, _said, tables)
