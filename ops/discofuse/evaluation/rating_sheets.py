"""What people are asked about fusion examples and fusions: samples of both, and the sheets to fill in.

Belongs here: which rows raters see, what each is asked with, and what the gold answers are. Not here: the
questions (questionnaires.py), how a sheet is laid out (ops/annotation), what is read off filled ones
(human_evaluation.py).

Geva et al. (2019): of 500 examples of each domain, 5 raters tell whether the split text is understandable
(section 4.1) and how they would fuse it (4.2); of 1000 fusions of each domain they tell which of two texts
is the gold one, where these differ (5.3).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from ops.annotation.export import sent_files
from ops.annotation.rounds import RaterParams, Raters
from ops.core.sampling import drawn, sample
from ops.core.splits import Split
from ops.discofuse.evaluation.alignment import words
from ops.discofuse.evaluation.questionnaires import CLARITY, DECISIONS, DETECTION, QUESTIONNAIRES
from ops.discofuse.evaluation.senses import SENSE_NAMES, SENSES, Sense
from ops.discofuse.models.side_files import with_files
from ops.discofuse.schemas import EXAMPLES
from ops.identity import joint_licence, row_id
from ops.metrics.exact_match import exact_match
from ops.outcome import Outcome, Outcomes, Row, Shape, columns, drop, struct
from ops.parts import Parts

_TEXT, _BOOL = pa.string(), pa.bool_()

_OFFERED = "offered to the rater"
RATING_SHEETS = Shape(
    unit=EXAMPLES.kept,
    kept=columns(
        ("questionnaire", _TEXT, "discofuse_clarity, discofuse_decisions or discofuse_detection"),
        ("example_id", _TEXT, "row of discofuse/examples"),
        ("fusion_id", _TEXT, "row of discofuse/fusions; null but for detection"),
        ("domain", _TEXT, "of the example: the stratum that it was drawn from"),
        ("discourse_type", _TEXT, "of the example"),
        ("sentence_1", _TEXT, "the first independent sentence"),
        ("sentence_2", _TEXT, "the second"),
        *((name, _TEXT, f"connective {_OFFERED}; null but for decisions") for name in SENSE_NAMES),
        ("fusion_a", _TEXT, f"the fusion that is {_OFFERED} first; null but for detection"),
        ("fusion_b", _TEXT, f"the fusion that is {_OFFERED} second; null but for detection"),
        ("asked", _BOOL, "whether it is in the sheets: a fusion that is its gold text is not"),
        (
            "gold",
            pa.list_(struct(("question", _TEXT), ("value", _TEXT, "of its scale"))),
            "the gold answers, which raters do not see",
        ),
    ),
)

_ABOUT = """\
# Rate sentences and their fusions

Each row has two sentences that were made of one text. Whether they can be understood, how they should be
fused, and
which of two fused texts a person wrote is asked in sheets of their own:"""
_LEAVE_EMPTY = "and how to fuse what you do not understand."

#: What stands for its sense where the gold text has none of it: common ones of Tables 9 and 12.
_OFFERS: Mapping[Sense, Sequence[str]] = {
    "comparison": ("but", "however", "although"),
    "expansion": ("and", "for example", "moreover"),
    "contingency": ("because", "so", "therefore"),
    "temporal": ("then", "meanwhile", "finally"),
}


class RatingSheetParams(RaterParams, section="discofuse.rating_sheets"):
    """How much is rated, and by whom."""

    examples: int = Field(500, ge=0, description="of each domain, for clarity and fusion decisions")
    splits: tuple[Split, ...] = Field(
        ("validation",), min_length=1, description="that examples are drawn from"
    )
    fusions: int = Field(1000, ge=0, description="of each domain by its own model, for detection")
    raters: Raters = ("rater1", "rater2", "rater3", "rater4", "rater5")


def rating_sheets(examples: Parts, fusions: Parts, params: RatingSheetParams) -> Outcomes:
    """Yield the rows that are rated, part by part, the sheets with the last; the units are the examples.

    An example is dropped as `other_split` or as `not_drawn`, unless one of its fusions was drawn. An example
    with a connective of no coarse sense is asked for its clarity alone.
    """
    found = examples.read(["id", "domain", "split"])
    of_splits = found.filter(pc.is_in(found["split"], pa.array(params.splits)))
    asked = set(_drawn(of_splits, params.examples, params.seed))
    fused = _fusions(fusions, params)
    rows: list[Row] = []

    def parts() -> Outcomes:
        for part in examples:
            kept: list[Row] = []
            dropped: list[Row] = []
            for unit in part.to_pylist():
                questions = list(_rows(unit, unit["id"] in asked, fused.get(unit["id"]), params.seed))
                kept += questions
                if not questions:
                    reason = "not_drawn" if unit["split"] in params.splits else "other_split"
                    dropped.append(drop(unit, reason, detail=unit["split"]))
            rows.extend(kept)
            yield Outcome.of(RATING_SHEETS, part["id"].to_pylist(), kept, dropped)

    def files() -> dict[str, bytes]:
        table = pa.Table.from_pylist([row for row in rows if row["asked"]], RATING_SHEETS.kept)
        return dict(sent_files(table, QUESTIONNAIRES, params, _ABOUT, _LEAVE_EMPTY))

    yield from with_files(parts(), RATING_SHEETS, files)


def gold_decisions(example: Row) -> dict[str, str]:
    """Return the gold answers about fusing an example; `connective` is missing where it has no sense.

    An anaphor is one of the paper's "nominal or pronominal anaphors or cataphors", section 4.2.
    """
    kind, name = example["discourse_type"], _connective(example)
    referring = example["has_coref_type_pronoun"] or example["has_coref_type_nominal"]
    found = {
        "merge": "single" if kind.startswith("SINGLE_") else "pair",
        "anaphor": "yes" if referring or kind == "SINGLE_CATAPHORA" else "no",
    }
    if not name:
        found["connective"] = "none"
    elif name in SENSES:
        found["connective"] = SENSES[name]
    return found


def offers(example: Row, seed: int) -> dict[Sense, str]:
    """Return a connective for each sense, the gold one for its own; the others are drawn by seed and id."""
    name = _connective(example)
    return {
        sense: name
        if SENSES.get(name) == sense
        else min(several, key=lambda connective: drawn(seed, connective, example["id"]))
        for sense, several in _OFFERS.items()
    }


def _connective(example: Row) -> str:
    return " ".join(words(example["connective_string"]))


def _drawn(table: pa.Table, size: int, seed: int) -> Iterator[str]:
    """Yield the ids of so many rows of each domain."""
    for domain in sorted(set(table["domain"].to_pylist())):
        of_domain = table.filter(pc.equal(table["domain"], domain))
        yield from sample(of_domain, size, seed)["id"].to_pylist()


def _fusions(fusions: Parts, params: RatingSheetParams) -> dict[str, Row]:
    """Return the drawn fusions by the example that they are of."""
    found = fusions.read(["id", "domain", "model"])
    own_domain = found.filter(pc.equal(found["model"], found["domain"]))
    ids = list(_drawn(own_domain, params.fusions, params.seed))
    rows = fusions.read(
        ["id", "licence", "example_id", "target", "prediction"], where=("id", ids)
    ).to_pylist()
    return {row["example_id"]: row for row in rows}


def _rows(example: Row, asked: bool, fusion: Row | None, seed: int) -> Iterator[Row]:
    """Yield what is asked about an example, in the order of the questionnaires."""
    if asked:
        yield _row(example, CLARITY.name, {})
        gold = gold_decisions(example)
        if "connective" in gold:
            yield _row(example, DECISIONS.name, gold, **offers(example, seed))
    if fusion is not None:
        yield _detection(example, fusion, seed)


def _detection(example: Row, fusion: Row, seed: int) -> Row:
    """Return the row that asks which of two texts is gold; the seed decides which of them stands first."""
    side = "ab"[drawn(seed, "gold", fusion["id"])[0] % 2]
    texts = {f"fusion_{name}": fusion["target" if name == side else "prediction"] for name in "ab"}
    return {
        **_row(example, DETECTION.name, {"human": side}, **texts),
        "source_ids": [example["id"], fusion["id"]],
        "licence": joint_licence([example["licence"], fusion["licence"]]),
        "fusion_id": fusion["id"],
        "asked": not exact_match(fusion["prediction"], [fusion["target"]]),
    }


def _row(example: Row, questionnaire: str, gold: Mapping[str, str], **shown: str) -> Row:
    return {
        **dict.fromkeys(RATING_SHEETS.kept.names),
        "id": row_id("rated", questionnaire, example["id"]),
        "source_ids": [example["id"]],
        "licence": example["licence"],
        "questionnaire": questionnaire,
        "example_id": example["id"],
        "domain": example["domain"],
        "discourse_type": example["discourse_type"],
        "sentence_1": example["incoherent_first_sentence"],
        "sentence_2": example["incoherent_second_sentence"],
        **shown,
        "asked": True,
        "gold": [{"question": question, "value": value} for question, value in gold.items()],
    }
