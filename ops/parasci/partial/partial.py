"""Pairs of a short sentence and a part of a longer sentence, found by PDBERT.

Belongs here: which pairs are searched for a part (similar pairs that are not similar as a whole), searching
them, and useless findings. Not here: the model (pdbert.py), thresholds on the scores of the findings
(dataset/filtered.py).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.identity import made_from
from silverloom.ops.core.loaded import Loaded
from silverloom.ops.core.outcome import TEXT, Outcome, Outcomes, Row, Shape, drop, extended
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.models.encoder import Embed, embedder
from silverloom.ops.parasci.candidates.pairs import cosines_of, length_rate, looked_up, stored_embeddings
from silverloom.ops.parasci.partial.pdbert import has_model, trained
from silverloom.ops.parasci.partial.pseudo import without_end
from silverloom.ops.parasci.schemas import CANDIDATES, KNOWN_OF_SENTENCE
from silverloom.ops.parasci.well_formed import well_formed


class SeenParams(Params):
    """Which pairs within a paper are searched."""

    floor: float = Field(0.6, ge=-1, le=1, description="least cosine of their sentences")
    ceiling: float = Field(0.79, ge=-1, le=1, description="from this cosine on they are alike as a whole")
    length_rate: float = Field(0.5, ge=0, description="least PLR: sentences of like length have no part")
    most: int = Field(2, ge=1, description="pairs of a sentence; the most alike ones")


class Seen(NamedTuple):
    """A pair of parasci/intra, with its shorter and its longer sentence."""

    row: Row
    short: str
    long: str


if TYPE_CHECKING:
    from silverloom.ops.parasci.spans.model import SpanModel
    from silverloom.ops.parasci.spans.spans import FoundSpan


PARTIAL = Shape(
    unit=CANDIDATES.kept,
    kept=extended(
        CANDIDATES.kept,
        ("whole", pa.string(), "the long sentence, of which the second one is a part", TEXT),
        ("start", pa.int32(), "character of the long sentence where the part begins"),
        ("end", pa.int32(), "behind the part"),
        ("confidence", pa.float64(), "probability of this start times that of this end, four decimals"),
    ),
)


class PartialParams(SeenParams, section="parasci.partial"):
    """Which pairs PDBERT sees."""


def by_length(row: Row) -> Seen:
    """Return a pair with its shorter sentence first; for equal lengths, keep the order of the row."""
    first, second = row["first"], row["second"]
    swapped = len(first.split()) > len(second.split())
    return Seen(row, second, first) if swapped else Seen(row, first, second)


def seen(rows: Sequence[Row], params: SeenParams) -> tuple[list[Seen], dict[str, tuple[str, float | None]]]:
    """Return the pairs to search, in the order of the rows, and the reason and score of all others, by id.

    Reasons: `cosine`, `equal_lengths`, `not_chosen` (one of its sentences is already in `most` pairs that are
    more similar).
    """
    lost: dict[str, tuple[str, float | None]] = {}
    fitting = []
    for row in rows:
        if not params.floor <= row["cosine"] < params.ceiling:
            lost[row["id"]] = "cosine", row["cosine"]
        elif (
            rate := length_rate(*(len(row[side].split()) for side in ("first", "second")))
        ) < params.length_rate:
            lost[row["id"]] = "equal_lengths", rate
        else:
            fitting.append(row)
    taken: Counter[str] = Counter()
    for row in sorted(fitting, key=lambda row: (-row["cosine"], row["id"])):
        if max(taken[row["first_id"]], taken[row["second_id"]]) < params.most:
            taken.update([row["first_id"], row["second_id"]])
        else:
            lost[row["id"]] = "not_chosen", row["cosine"]
    return [by_length(row) for row in fitting if row["id"] not in lost], lost


def partial(
    intra: Parts,
    sentences: Parts,
    pdbert: Artifact,
    params: PartialParams,
    encoder: str,
    strict: bool,
) -> Outcomes:
    """Yield pairs of a short sentence and the part that PDBERT finds for it in a long one; units are pairs.

    `cosine` compares the short sentence and the part. Reasons: those of `seen`, `no_model` (it is not
    enabled, or had no training data), `long` (more tokens than the model reads), `no_word` (the span has only
    signs), `whole` (the span is the whole sentence, which the paper excludes), `known` (the pair is in
    parasci/intra, or was found before, in the same paper). Holds a part in memory: about 2 KB a pair, and
    1.5 KB an embedding.
    """
    searched = has_model(pdbert)
    short = (
        {pair.short for pair in seen(table.to_pylist(), params)[0]} if searched else set() for table in intra
    )
    model = Loaded(trained, (pdbert, strict))
    with intra.engine.scratch() as folder:
        embeddings = stored_embeddings(sentences, short, folder / "embeddings")
        yield from intra.map(partial_of, model, params, encoder, strict, beside=[embeddings])


def partial_of(
    intra: pa.Table,
    embeddings: pa.Table,
    model: Loaded[SpanModel | None],
    params: PartialParams,
    encoder: str,
    strict: bool,
) -> Outcome:
    """Return PDBERT's findings for the pairs of one part, given the embeddings of their short sentences."""
    rows = intra.to_pylist()
    pairs, lost = seen(rows, params)
    known: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for row in rows:
        known[row["key"]].add(_pair(row["first"], row["second"]))
    kept, more = _searched(model.model, pairs, known)
    lost |= more
    embed = looked_up(embeddings, {row["first"] for row in kept}, embedder(encoder, strict))
    kept = _compared(kept, embed)
    dropped = [drop(row, *lost[row["id"]]) for row in rows if row["id"] in lost]
    return Outcome.of(PARTIAL, [row["id"] for row in rows], kept, dropped)


def is_whole(sentence: str, span: tuple[int, int]) -> bool:
    """Return whether a span is the whole sentence, apart from punctuation at its ends."""
    outside = sentence[: span[0]] + sentence[span[1] :]
    return not any(sign.isalnum() for sign in outside)


def _compared(rows: Sequence[Row], embed: Embed) -> list[Row]:
    """Return the rows with the cosines of their two texts."""
    texts = list(dict.fromkeys(row[side] for row in rows for side in ("first", "second")))
    places = {text: place for place, text in enumerate(texts)}
    several = [[places[row[side]] for row in rows] for side in ("first", "second")]
    if not rows:
        return []
    embeddings = embed(texts)
    cosines = cosines_of(*(embeddings[its] for its in several))
    return [{**row, "cosine": round(float(cosine), 6)} for row, cosine in zip(rows, cosines, strict=True)]


def _searched(
    model: SpanModel | None, pairs: Sequence[Seen], known: Mapping[str, set[tuple[str, str]]]
) -> tuple[list[Row], dict[str, tuple[str, float | None]]]:
    """Return the rows of the findings, and the reason and score of each pair without one, by id.

    `known` has the pairs of each paper, and gets those that are found.
    """
    if model is None:
        return [], {pair.row["id"]: ("no_model", None) for pair in pairs}
    tokens = model.tokens([pair.short for pair in pairs], [pair.long for pair in pairs])
    readable = [number for number, its in enumerate(tokens) if len(its) <= model.longest]
    spans = dict(zip(readable, model.predict([tokens[number] for number in readable]), strict=True))
    kept: list[Row] = []
    lost: dict[str, tuple[str, float | None]] = {}
    for number, (pair, its) in enumerate(zip(pairs, tokens, strict=True)):
        span = spans.get(number)
        if number not in spans:
            lost[pair.row["id"]] = "long", float(len(its))
        elif span is None or not without_end(pair.long[span.start : span.end]):
            lost[pair.row["id"]] = "no_word", None
        elif is_whole(pair.long, span[:2]):
            lost[pair.row["id"]] = "whole", round(span.confidence, 4)
        elif (part := _pair(pair.short, pair.long[span.start : span.end])) in known[pair.row["key"]]:
            lost[pair.row["id"]] = "known", round(span.confidence, 4)
        else:
            known[pair.row["key"]].add(part)
            kept.append(_row(pair, span))
    return kept, lost


def _row(pair: Seen, span: FoundSpan) -> Row:
    """Return the row of a part; `first` is the short sentence."""
    row = pair.row
    sides = ("first", "second") if pair.short == row["first"] else ("second", "first")
    return {
        **row,
        **made_from(row, "partial"),
        **{
            f"{ours}_{name}": row[f"{theirs}_{name}"]
            for ours, theirs in zip(("first", "second"), sides, strict=True)
            for name in ("id", "paper", "role", *KNOWN_OF_SENTENCE)
        },
        "second_printed": None,
        "second_well_formed": well_formed(pair.long[span.start : span.end]),
        "first": pair.short,
        "second": pair.long[span.start : span.end],
        "whole": pair.long,
        "start": span.start,
        "end": span.end,
        "confidence": round(span.confidence, 4),
    }


def _pair(first: str, second: str) -> tuple[str, str]:
    """Return two sentences in sorted order, lower-cased, without extra spaces and final punctuation."""
    sides = sorted(" ".join(without_end(side).lower().split()) for side in (first, second))
    return sides[0], sides[1]
