"""Candidates that pass the filters, with their split.

Belongs here: the filters, each with its reason. Not here: making candidates (candidates.py,
ops/discofuse/rules), down-sampling (balanced.py).

Geva et al. (2019), section 3.2, exclude examples with a sentence of six tokens or fewer, and those with
non-ASCII characters. 98 % of the documents are for training, and 1 % each for validation and test. Pairs that
no rule matched (controls) are most of what natural text gives, but about 1 % of the paper's examples: only
these COPY fuses exactly, and its Exact is 1.0 % on Wikipedia and 1.1 % on Sports (Table 6, Full).
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.database import database, insert
from silverloom.ops.core.identity import made_from, row_id
from silverloom.ops.core.joins import written_by_part
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, drop
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.sampling import SplitShares, place_of, split_of
from silverloom.ops.core.thresholds import above, at_least, at_most, scored
from silverloom.ops.discofuse.schemas import EXAMPLES, RELEASED_COLUMNS
from silverloom.ops.filters.contamination import ContaminationParams

_TEXTS = (
    *(field.name for field in RELEASED_COLUMNS if field.type == pa.string()),
    "fused_detokenised",
    "unfused_detokenised",
)
_SENTENCES = _TEXTS[:4]

#: Typographic characters, and their ASCII equivalents; U+0085 to U+0097 are Windows-1252 read as Latin-1.
_TYPOGRAPHY = str.maketrans(
    {
        "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u201b": "'", "\u2032": "'",
        "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u2033": '"',
        "\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-", "\u2015": "-",
        "\u2212": "-", "\u2026": "...", "\u00a0": " ",
        "\u0091": "'", "\u0092": "'", "\u0093": '"', "\u0094": '"', "\u0096": "-", "\u0097": "-",
        "\u0085": "...",
    }
)  # fmt: skip


class ExampleParams(SplitShares, section="discofuse.examples"):
    """Which candidates become examples, and which documents are held out from training."""

    validation: float = Field(
        0.15, ge=0, lt=1, description="share of documents", json_schema_extra={"paper": "0.01, of millions"}
    )
    test: float = Field(
        0.15, ge=0, lt=1, description="share of documents", json_schema_extra={"paper": "0.01, of millions"}
    )
    short_tokens: int = Field(
        6,
        ge=0,
        description="an original sentence of so many tokens or fewer is too short",
        json_schema_extra={"paper": "6"},
    )
    long_tokens: int | None = Field(
        None, ge=1, description="an original sentence of more tokens is too long; null: none is"
    )
    coreference: float = Field(
        0.5,
        ge=0,
        le=1,
        description="least score of the links that a candidate was made by; what discofuse.rules does not "
        "replace is no candidate, so that only a higher one than there takes something away",
    )
    covered: float = Field(
        0, ge=0, le=1, description="least share of the text's content words that the two sentences have"
    )
    supported: float = Field(
        0,
        ge=0,
        le=1,
        description="least share of the two sentences' content words that the text has as often; what a rule"
        " repeats lowers it",
    )
    disfluency: float | None = Field(
        None,
        ge=0,
        description="most bits of what the two sentences have and the text has not, by a model of"
        " sources.reference_texts, or of the documents without those; null: any number",
    )
    entailed: float | None = Field(
        None,
        description="least log-odds that the text entails the two sentences, and they the text, by"
        " discofuse.evidence.nli; null: any number",
    )
    holes: int = Field(
        0,
        ge=0,
        description="original sentences from which more was taken out that cannot be rendered"
        " give no example",
    )
    fold_typography: bool = Field(
        True,
        description="turn typographic quotes, dashes and dots into those of ASCII before the filter;"
        " false: the paper's filter, which drops them",
        json_schema_extra={"paper": "false"},
    )
    control: float = Field(
        0.01,
        ge=0,
        le=1,
        description="share of controls among the examples of a domain, on average; 1: keep all",
        json_schema_extra={"paper": "about 0.01"},
    )


class CleanParams(ContaminationParams, section="filters.contamination.discofuse"):
    """How much an example may share with a test set."""


#: The candidates of a partition, and whether each passes the filters that look at it alone.
_CANDIDATES = pa.schema(
    [
        ("part", pa.int32()),
        ("place", pa.int32()),
        ("id", pa.string()),
        ("sentences", pa.string()),
        ("certainty", pa.float64()),
        ("domain", pa.string()),
        ("control", pa.bool_()),
        ("passes", pa.bool_()),
    ]
)
_REPEATED = pa.schema([("repeats", pa.string())])

#: How many candidates pass all filters, by domain and whether they are controls.
_Passed: TypeAlias = Mapping[tuple[str, bool], int]


def examples(candidates: Parts, params: ExampleParams) -> Outcomes:
    """Yield the candidates of each part of `CANDIDATES.kept` with their split, or drop them.

    Reasons, in the order in which they apply: `short`, `long`, `holes`, `non_ascii`, `repeated`,
    `unsure_coreference`, `uncovered`, `unsupported`, `disfluent`, `not_entailed`, `capped_control`. If
    several candidates with the same four sentences pass the other filters, the one with the most certain
    coreference is kept (the first of several), and the others are `repeated`. The other examples of a domain
    decide how many controls stay; `score` is the number drawn for a control. A partition is judged as a
    whole, on disk, so that parts do not matter; a repetition in another partition is not found. Raises
    ValueError for a bound of a disfluency or of log-odds that are unknown.
    """
    with candidates.engine.scratch() as folder:
        repeated, passed = _of_partition(candidates, params, folder / "candidates")
        yield from candidates.map(examples_of, params, passed, beside=[repeated])


def examples_of(candidates: pa.Table, repeated: pa.Table, params: ExampleParams, passed: _Passed) -> Outcome:
    """Return the examples of one part, given which candidates are repeated, and how many pass."""
    units = candidates.to_pylist()
    kept: list[Row] = []
    dropped: list[Row] = []
    for unit, repeats in zip(units, repeated["repeats"].to_pylist(), strict=True):
        lost = _filtered(unit, params, repeats) or _of_share(unit, passed, params)
        if lost is not None:
            dropped.append(drop(unit, lost.reason, lost.score, lost.detail))
        else:
            kept.append(_row(unit, params))
    return Outcome.of(EXAMPLES, [unit["id"] for unit in units], kept, dropped)


def lengths(candidates: Parts, params: ExampleParams) -> Iterator[pa.Table]:
    """Yield the candidates with what `params.short_tokens` bounds: the tokens of the shortest sentence."""
    return _scored(candidates, params, {"short_tokens": -1}, _shortest)


def certainties(candidates: Parts, params: ExampleParams) -> Iterator[pa.Table]:
    """Yield the candidates with what `params.coreference` bounds: the least score of their links."""
    return _scored(candidates, params, {"coreference": -1.0}, _certainty)


def covered_shares(candidates: Parts, params: ExampleParams) -> Iterator[pa.Table]:
    """Yield the candidates with what `params.covered` bounds."""
    return _scored(candidates, params, {"covered": -1.0}, itemgetter("covered"))


def supported_shares(candidates: Parts, params: ExampleParams) -> Iterator[pa.Table]:
    """Yield the candidates with what `params.supported` bounds."""
    return _scored(candidates, params, {"supported": -1.0}, itemgetter("supported"))


def disfluency_bits(candidates: Parts, params: ExampleParams) -> Iterator[pa.Table]:
    """Yield the candidates with what `params.disfluency` bounds."""
    return _scored(candidates, params, {"disfluency": None}, itemgetter("disfluency"))


def log_odds_of_entailment(candidates: Parts, params: ExampleParams) -> Iterator[pa.Table]:
    """Yield the candidates with what `params.entailed` bounds: the lesser log-odds of the two ways."""
    return _scored(candidates, params, {"entailed": None}, _entailed)


class _Lost(NamedTuple):
    """The reason for dropping a candidate."""

    reason: str
    score: float | None = None
    detail: str | None = None


def _row(unit: Row, params: ExampleParams) -> Row:
    texts = _texts(unit, params)
    first, second, *unfused = (texts[name] for name in _SENTENCES)
    return {
        **unit,
        **texts,
        **made_from(unit, "example"),
        "split": split_of(unit["document_id"], params),
        "fused": f"{first} {second}".strip(),
        "unfused": " ".join(unfused),
        "control": _is_control(unit),
    }


def _scored(
    candidates: Parts,
    params: ExampleParams,
    without: Mapping[str, float | None],
    score: Callable[[Row], float],
) -> Iterator[pa.Table]:
    """Yield the candidates that pass all other bounds, with their scores; the cap on controls stays."""
    unbounded = params.model_copy(update=without)
    with candidates.engine.scratch() as folder:
        repeated, passed = _of_partition(candidates, params, folder / "candidates")
        for table, of_table in zip(candidates, repeated, strict=True):
            rows = zip(table.to_pylist(), of_table["repeats"].to_pylist(), strict=True)
            yield scored(
                (
                    unit["id"],
                    None
                    if _filtered(unit, unbounded, repeats) or _of_share(unit, passed, params)
                    else score(unit),
                    " ".join(unit[name] for name in _SENTENCES[:2]).strip(),
                )
                for unit, repeats in rows
            )


def _of_partition(candidates: Parts, params: ExampleParams, folder: Path) -> tuple[Parts, _Passed]:
    """Return the candidate that each one repeats, if any, part by part, and how many pass all filters."""
    with database(folder) as tables:
        insert(tables, "candidates", _CANDIDATES.empty_table())
        for number, part in enumerate(candidates):
            insert(tables, "candidates", _judged_alone(number, part.to_pylist(), params))
        tables.execute(
            """CREATE TABLE judged AS SELECT part, place, domain, control, passes,
                CASE WHEN first_value(passes) OVER surest THEN nullif(first_value(id) OVER surest, id) END
                    AS repeats
            FROM candidates
            WINDOW surest AS (PARTITION BY sentences ORDER BY passes DESC, certainty DESC, part, place)"""
        )
        passed = tables.sql(
            "SELECT domain, control, count(*) FROM judged WHERE passes AND repeats IS NULL GROUP BY ALL"
        ).fetchall()
        repeated = tables.sql("SELECT repeats, part AS __part FROM judged ORDER BY part, place")
        parts = written_by_part(repeated.to_arrow_reader(), len(candidates.parts), _REPEATED, folder)
        of_kind = Counter({(domain, control): count for domain, control, count in passed})
        return Parts(_REPEATED, tuple(parts), candidates.engine), of_kind


def _judged_alone(part: int, units: list[Row], params: ExampleParams) -> pa.Table:
    rows = [
        {
            "part": part,
            "place": place,
            "id": unit["id"],
            "sentences": row_id("sentences", *(_folded(unit[name], params) for name in _SENTENCES)),
            "certainty": _certainty(unit),
            "domain": unit["domain"],
            "control": _is_control(unit),
            "passes": _filtered(unit, params) is None,
        }
        for place, unit in enumerate(units)
    ]
    return pa.Table.from_pylist(rows, schema=_CANDIDATES)


def controls_kept(others: int, controls: int, cap: float) -> float:
    """Return the share of the controls to keep, 0 to 1, so that they are the share `cap` of all examples."""
    wanted = math.inf if cap == 1 else cap / (1 - cap) * others
    return 1.0 if wanted >= controls else wanted / controls


def _filtered(unit: Row, params: ExampleParams, repeats: str | None = None) -> _Lost | None:
    """Return why a candidate is dropped; `repeats` is the id of the one that is kept in its place."""
    return (
        _of_lengths(unit, params)
        or _of_signs(_texts(unit, params))
        or (_Lost("repeated", detail=f"as {repeats}") if repeats else None)
        or _of_links(unit, params)
        or _of_evidence(unit, params)
    )


def _of_lengths(unit: Row, params: ExampleParams) -> _Lost | None:
    if not above(_shortest(unit), params.short_tokens):
        return _Lost("short", _shortest(unit), "tokens of the shortest sentence")
    longest = max(unit["first_tokens"], unit["second_tokens"])
    if params.long_tokens is not None and not at_most(longest, params.long_tokens):
        return _Lost("long", longest, "tokens of the longest sentence")
    if not at_most(unit["holes"] or 0, params.holes):
        return _Lost("holes", unit["holes"])
    return None


def _of_signs(texts: Mapping[str, str]) -> _Lost | None:
    odd = next(
        (sign for text in texts.values() if not text.isascii() for sign in text if ord(sign) > 127), ""
    )
    if not odd:
        return None
    return _Lost("non_ascii", detail=f"U+{ord(odd):04X} {unicodedata.name(odd, 'without a name')}")


def _of_links(unit: Row, params: ExampleParams) -> _Lost | None:
    if at_least(_certainty(unit), params.coreference):
        return None
    links = ", ".join(f"{link['mention']} = {link['antecedent']}" for link in unit["links"])
    return _Lost("unsure_coreference", unit["coreference_score"], links)


def _of_share(unit: Row, passed: _Passed, params: ExampleParams) -> _Lost | None:
    if not _is_control(unit):
        return None
    domain, number = unit["domain"], place_of(params.seed, "control", unit["id"])
    if number < controls_kept(passed[domain, False], passed[domain, True], params.control):
        return None
    return _Lost("capped_control", number)


def _texts(unit: Row, params: ExampleParams) -> dict[str, str]:
    return {name: _folded(unit[name], params) for name in _TEXTS}


def _folded(text: str, params: ExampleParams) -> str:
    return text.translate(_TYPOGRAPHY) if params.fold_typography and not text.isascii() else text


def _of_evidence(unit: Row, params: ExampleParams) -> _Lost | None:
    if not at_least(unit["covered"], params.covered):
        return _Lost("uncovered", unit["covered"])
    if not at_least(unit["supported"], params.supported):
        return _Lost("unsupported", unit["supported"])
    for name, column, way_out in (
        ("disfluency", "disfluency", "name texts in sources.reference_texts"),
        ("entailed", "forward", "name a model in discofuse.evidence.nli"),
    ):
        if getattr(params, name) is not None and unit[column] is None:
            raise ValueError(
                f"discofuse.examples.{name} is {getattr(params, name)}, but candidate {unit['id']} has none:"
                f" {way_out} of params.yaml"
            )
    if params.disfluency is not None and not at_most(unit["disfluency"], params.disfluency):
        return _Lost("disfluent", unit["disfluency"])
    if params.entailed is not None and not at_least(_entailed(unit), params.entailed):
        return _Lost("not_entailed", _entailed(unit))
    return None


def _entailed(unit: Row) -> float:
    return float(min(unit["forward"], unit["backward"]))


def _is_control(unit: Row) -> bool:
    return bool(unit["discourse_type"] == "PAIR_NONE")


def _shortest(unit: Row) -> int:
    sizes = [unit["first_tokens"], *([unit["second_tokens"]] if unit["coherent_second_sentence"] else [])]
    return int(min(sizes))


def _certainty(unit: Row) -> float:
    return math.inf if unit["coreference_score"] is None else float(unit["coreference_score"])
