"""What people are asked about paraphrase pairs: a sample of each origin, and the sheets to fill in.

Belongs here: which pairs raters see, and how. Not here: the questions (questionnaires.py), how a sheet is
laid out (ops/annotation), what is read off filled ones (human_evaluation.py).

Dong et al. (2021), sections 5 and 6: three people rate every pair; phenomena are counted in 100 pairs of each
dataset. Raters see two sentences in an order drawn by the seed, and neither scores nor origin.
"""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from ops.annotation.export import sent_files
from ops.annotation.rounds import RaterParams
from ops.core.sampling import drawn, sample
from ops.identity import row_id
from ops.outcome import Outcome, Outcomes, Row, Shape, columns, drop
from ops.parasci.evaluation.questionnaires import EXAMPLES, PAIRS, PHENOMENA, QUESTIONNAIRES
from ops.parasci.schemas import PARAPHRASES
from ops.parts import Parts

_TEXT = pa.string()

RATING_SHEETS = Shape(
    unit=PARAPHRASES.kept,
    kept=columns(
        ("questionnaire", _TEXT, "parasci_pairs or parasci_phenomena"),
        ("paraphrase_id", _TEXT, "row of parasci/paraphrases"),
        ("origin", _TEXT, "of the pair: the stratum that it was drawn from; raters do not see it"),
        ("sentence_1", _TEXT, "one sentence of the pair; the seed decides which"),
        ("sentence_2", _TEXT, "the other one"),
    ),
)

_EXAMPLES = "\n".join(f"| {value} | {first} | {second} |" for value, first, second in EXAMPLES)
_ABOUT = f"""\
# Rate pairs of scientific sentences

Each row has two sentences. How far they mean the same and how much their wording differs is asked in one
sheet, what kinds of change there are in the other. A pair of each value of consistency, by the authors of the
scale (Dong et al. 2021):

| consistency | sentence 1 | sentence 2 |
|---|---|---|
{_EXAMPLES}

The questions:"""
_LEAVE_EMPTY = "such as a sentence that cannot be understood."


class RatingSheetParams(RaterParams, section="parasci.rating_sheets"):
    """How many pairs are rated, and by whom."""

    pairs: int = Field(100, ge=0, description="of each origin, for consistency and variation (Table 4)")
    phenomena: int = Field(100, ge=0, description="of each origin, for phenomena (Table 5)")


def rating_sheets(paraphrases: Parts, params: RatingSheetParams) -> Outcomes:
    """Yield the rows that are rated, part by part, and the sheets; the units are the pairs.

    A pair is dropped as `not_drawn`. The smaller of the two samples of an origin is a part of the larger one.
    """
    known = paraphrases.read(["id", "origin"])
    asked = {
        questionnaire.name: _drawn(known, size, params.seed)
        for questionnaire, size in ((PAIRS, params.pairs), (PHENOMENA, params.phenomena))
    }
    rows: list[Row] = []
    for part in paraphrases:
        units = part.to_pylist()
        kept = [
            _row(unit, name, params.seed)
            for unit in units
            for name, ids in asked.items()
            if unit["id"] in ids
        ]
        taken = {row["paraphrase_id"] for row in kept}
        dropped = [drop(unit, "not_drawn") for unit in units if unit["id"] not in taken]
        rows += kept
        yield Outcome.of(RATING_SHEETS, part["id"].to_pylist(), kept, dropped)
    table = pa.Table.from_pylist(rows, RATING_SHEETS.kept)
    files = dict(sent_files(table, QUESTIONNAIRES, params, _ABOUT, _LEAVE_EMPTY))
    yield Outcome.of(RATING_SHEETS, [], [], files=files)


def _drawn(table: pa.Table, size: int, seed: int) -> set[str]:
    """Return the ids of so many pairs of each origin: what one origin has changes no other's."""
    origins = set(table["origin"].to_pylist())
    samples = (sample(table.filter(pc.equal(table["origin"], origin)), size, seed) for origin in origins)
    return {name for drawn_rows in samples for name in drawn_rows["id"].to_pylist()}


def _row(pair: Mapping[str, str], questionnaire: str, seed: int) -> Row:
    sides = ("first", "second") if drawn(seed, "order", pair["id"])[0] % 2 else ("second", "first")
    return {
        "id": row_id("rated", questionnaire, pair["id"]),
        "source_ids": [pair["id"]],
        "licence": pair["licence"],
        "questionnaire": questionnaire,
        "paraphrase_id": pair["id"],
        "origin": pair["origin"],
        "sentence_1": pair[sides[0]],
        "sentence_2": pair[sides[1]],
    }
