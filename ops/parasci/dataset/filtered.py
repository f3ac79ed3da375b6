"""The fine filter: pairs that pass the thresholds of a method that found them.

Belongs here: thresholds by origin on the predicted consistency and on lengths, and the limit for near copies.
Not here: the scores (scored.py, scorer.py), which of these pairs are drawn, and their splits
(paraphrases.py), what other thresholds would keep (threshold_scores.py).

Dong et al. (2021), 4.2: definitions need a BERTScore above 0.6 and a PLR below 2, all others 0.7 and 1.
[ours] A threshold on well-formedness excludes garbled text. The predicted consistency
replaces BERTScore's F1; with a weight for F1 alone it equals F1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.identity import made_from
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, drop
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.thresholds import at_least, at_most, below
from silverloom.ops.parasci.schemas import FILTERED

#: The origins of pairs within papers: of whole sentences, and with a part that PDBERT finds.
INTRA_ORIGIN, PARTS_ORIGIN = "intra", "partial"


class _Lost(NamedTuple):
    """Why a pair does not pass: the score that misses its threshold."""

    reason: str


class Limits(Params):
    """The thresholds for pairs of one method."""

    consistency: float = Field(3.5, description="the predicted rating is at least this")
    length_rate: float = Field(1.0, gt=0, description="PLR must be below")


class FilterParams(Params, section="parasci.filtered"):
    """Thresholds by origin, and the limit for near copies."""

    origins: Mapping[str, Limits] = Field(
        {
            INTRA_ORIGIN: Limits(consistency=3.44),
            PARTS_ORIGIN: Limits(consistency=3.88),
            "definitions": Limits(consistency=3.0, length_rate=2.0),
            "citations": Limits(consistency=3.51),
        },
        description="by ratings (benchmarks/parasci_ratings.py), for the weights of parasci.scorer",
        json_schema_extra={"paper": "BERTScore 0.7 and length rate 1; 0.6 and 2 of definitions"},
    )
    well_formed: float = Field(
        0.8,
        ge=0,
        le=1,
        description="least probability that the worse of the two sentences is whole, without garbled words",
        json_schema_extra={"paper": "0"},
    )
    self_bleu: float = Field(
        65,
        gt=0,
        le=100,
        description="Self-BLEU of a pair is not above it: a near copy teaches to copy",
        json_schema_extra={"paper": "100"},
    )


def filtered(scored: Parts, params: FilterParams) -> Outcomes:
    """Yield the pairs that pass the thresholds of a method that found them.

    Reasons: `consistency`; `length_rate` (the pair passes `consistency` by at least one method); `self_bleu`
    (the pair passes both); `well_formed` (and is no near copy). `surplus` is by how much a pair exceeds the
    threshold on consistency. Raises ValueError for a method without thresholds.
    """
    return scored.map(filtered_of, params)


def filtered_of(scored: pa.Table, params: FilterParams) -> Outcome:
    """Return the pairs of one part that pass, and drop the others."""
    units = scored.to_pylist()
    kept: list[Row] = []
    dropped: list[Row] = []
    for unit in units:
        judged = _judged(unit, params)
        if isinstance(judged, _Lost):
            dropped.append(drop(unit, judged.reason, unit[judged.reason]))
            continue
        least = limits_of(params, judged).consistency
        kept.append(
            {
                **unit,
                **made_from(unit, "filtered"),
                "origin": judged,
                "surplus": round(unit["consistency"] - least, 2),
            }
        )
    return Outcome.of(FILTERED, [unit["id"] for unit in units], kept, dropped)


def passes(unit: Mapping[str, float], params: FilterParams, origin: str) -> bool:
    """Return whether a pair's `consistency` and `length_rate` pass the thresholds of a method."""
    return _lost(unit, limits_of(params, origin)) is None


def limits_of(params: FilterParams, origin: str) -> Limits:
    """Return the thresholds of an origin. Raises ValueError for an origin without thresholds."""
    if origin not in params.origins:
        raise ValueError(f"parasci.filtered.origins in params.yaml has no thresholds of {origin!r}")
    return params.origins[origin]


def _judged(unit: Row, params: FilterParams) -> str | _Lost:
    """Return the first method whose thresholds a pair passes, or why it passes none."""
    origin: str | None = next(
        (name for name in unit["origins"] if not _lost(unit, limits_of(params, name))), None
    )
    if origin is None:
        reasons = [_lost(unit, limits_of(params, name)) for name in unit["origins"]]
        return _Lost("length_rate" if "length_rate" in reasons else "consistency")
    if not at_most(unit["self_bleu"], params.self_bleu):
        return _Lost("self_bleu")
    return origin if at_least(unit["well_formed"], params.well_formed) else _Lost("well_formed")


def _lost(unit: Mapping[str, Any], limits: Limits) -> str | None:
    if not at_least(unit["consistency"], limits.consistency):
        return "consistency"
    return None if below(unit["length_rate"], limits.length_rate) else "length_rate"
