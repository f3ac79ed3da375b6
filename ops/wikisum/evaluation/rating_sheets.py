"""What people are asked about leads: a sample of articles, and the sheets to fill in.

Belongs here: which leads raters see, and on which side. Not here: the questions (questionnaires.py), how a
sheet is laid out (ops/annotation), what is read off filled ones (human_evaluation.py).

Liu et al. (2018), appendix A.3: 25 examples of each model, and 25 of each pair of models, by three raters.
Which lead of a pair is A is drawn by example; in the paper by example and rater.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa
from pydantic import Field

from ops.annotation.export import sent_files
from ops.annotation.rounds import RaterParams
from ops.core.sampling import drawn
from ops.evaluation.table import named
from ops.identity import joint_licence, row_id
from ops.outcome import TITLE, Outcome, Outcomes, Row, Shape, columns, drop
from ops.parts import Parts
from ops.wikisum.evaluation.questionnaires import PREFERENCE, QUALITY, QUESTIONNAIRES
from ops.wikisum.evaluation.scores import EVALUATION

_TEXT = pa.string()

RATING_SHEETS = Shape(
    unit=EVALUATION.kept,
    kept=columns(
        ("questionnaire", _TEXT, f"{QUALITY.name} of one lead, {PREFERENCE.name} of two"),
        ("article_id", _TEXT, "row of sources/articles"),
        ("title", _TEXT, "of the article", TITLE),
        ("system", _TEXT, "whose lead is rated; null of two"),
        ("system_a", _TEXT, "whose lead is A; null of one"),
        ("system_b", _TEXT, "whose lead is B; null of one"),
        ("text", _TEXT, "the lead that is rated; null of two"),
        ("text_a", _TEXT, "the lead that is A; null of one"),
        ("text_b", _TEXT, "the lead that is B; null of one"),
        ("target", _TEXT, "the lead of the article; null of one"),
    ),
)

_ABOUT = """\
# Rate leads of articles

Each text is meant to be the lead of an encyclopedia's article of the title beside it. All are in small
letters, with spaces round every sign: that is no fault of theirs. Rate each by itself, then compare two:"""
_LEAVE_EMPTY = "for instance texts in a language that you do not read."


class RatingSheetParams(RaterParams, section="wikisum.rating_sheets"):
    """Which leads are rated, and by whom.

    A system is named as the tests of table.json name it: "t_dmca (tf_idf-combined-500)".
    """

    articles: int = Field(25, ge=0, description="drawn, the same for every system")
    systems: tuple[str, ...] = Field((), description="whose leads are rated by themselves")
    pairs: tuple[tuple[str, str], ...] = Field((), description="systems whose leads are compared")


def rating_sheets(evaluation: Parts, params: RatingSheetParams) -> Outcomes:
    """Yield the leads that are rated, with the sheets; the units are the scored leads.

    Articles are drawn from those of which every named system has a lead. A unit is dropped as `other_system`
    or as `not_drawn`. Raises LookupError for a system that has no lead.
    """
    wanted = {*params.systems, *(name for pair in params.pairs for name in pair)}
    units = evaluation.read().to_pylist()
    leads: dict[str, dict[str, Row]] = {}
    for unit in units:
        leads.setdefault(unit["article_id"], {})[_name(unit)] = unit
    articles = _drawn(leads, wanted, params)
    kept = [row for article in articles for row in _rows(leads[article], params)]
    taken = {unit for row in kept for unit in row["source_ids"]}
    dropped = [
        drop(unit, "not_drawn" if _name(unit) in wanted else "other_system", detail=_name(unit))
        for unit in units
        if unit["id"] not in taken
    ]
    table = pa.Table.from_pylist(kept, RATING_SHEETS.kept)
    files = dict(sent_files(table, QUESTIONNAIRES, params, _ABOUT, _LEAVE_EMPTY))
    yield Outcome.of(RATING_SHEETS, [unit["id"] for unit in units], kept, dropped, files=files)


def _drawn(
    leads: Mapping[str, Mapping[str, Row]], wanted: set[str], params: RatingSheetParams
) -> Sequence[str]:
    """Return the articles, drawn from those that have a lead of all wanted systems."""
    known = {name for of_article in leads.values() for name in of_article}
    if known and (missing := sorted(wanted - known)):
        raise LookupError(
            f"wikisum.rating_sheets names {', '.join(missing)}, but wikisum/evaluation has "
            f"{', '.join(sorted(known))}"
        )
    shared = [article for article, of_article in leads.items() if wanted <= of_article.keys()]
    return sorted(shared, key=lambda article: drawn(params.seed, article))[: params.articles]


def _rows(leads: Mapping[str, Row], params: RatingSheetParams) -> Iterator[Row]:
    """Yield what is asked about the leads of one article."""
    for name in params.systems:
        yield _row(QUALITY.name, [leads[name]], name, system=name, text=leads[name]["prediction"])
    for first, second in params.pairs:
        pair = [first, second]
        if drawn(params.seed, "side", leads[first]["article_id"], first, second)[0] % 2:
            pair.reverse()
        sides = dict(zip("ab", pair, strict=True))
        yield _row(
            PREFERENCE.name,
            [leads[name] for name in pair],
            f"{first} against {second}",
            **{f"system_{side}": name for side, name in sides.items()},
            **{f"text_{side}": leads[name]["prediction"] for side, name in sides.items()},
            target=leads[first]["target"],
        )


def _row(questionnaire: str, leads: Sequence[Row], about: str, **shown: str) -> Row:
    return {
        **dict.fromkeys(RATING_SHEETS.kept.names),
        "id": row_id("rated", questionnaire, leads[0]["article_id"], about),
        "source_ids": [lead["id"] for lead in leads],
        "licence": joint_licence(lead["licence"] for lead in leads),
        "questionnaire": questionnaire,
        "article_id": leads[0]["article_id"],
        "title": leads[0]["title"],
        **shown,
    }


def _name(row: Row) -> str:
    return named(row["system"], row["model"])
