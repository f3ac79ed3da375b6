"""Extractions of PDBERT and of the best clause from the same pairs: Table 3 of Dong et al. (2021).

Belongs here: the best clause, the baseline for PDBERT; both systems' extractions with BERTScore, and the
table. Not here: speed, which is not a property of data (benchmarks/parasci.py pdbert).

The paper compares speed, the number of valuable extractions, and BERTScore. Here an extraction is valuable if
it passes the thresholds of the origin `partial`. Section 4.1.1: "splitting the long sentence into several
clauses by punctuation and selecting the combination of clauses that have a maximum similarity with the short
sentence". A combination here is a run of neighbouring clauses: n clauses have n(n+1)/2 runs, but 2^n
combinations.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from heapq import nsmallest
from itertools import chain, combinations
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pydantic import Field

from silverloom.ops.core.identity import made_from
from silverloom.ops.core.outcome import (
    TEXT,
    Outcome,
    Outcomes,
    Row,
    Shape,
    columns,
    drop,
    in_parts,
    one_of,
    optional,
)
from silverloom.ops.core.parts import Parts
from silverloom.ops.core.sampling import drawn
from silverloom.ops.core.thresholds import at_least
from silverloom.ops.evaluation.table import TABLE, Bootstrap, by_system, fields_of, mean_scores, system_tests
from silverloom.ops.metrics.bertscore import BertScorer
from silverloom.ops.models.encoder import Embed, embedder
from silverloom.ops.models.entailment import NliModel, nli_model
from silverloom.ops.parasci.candidates.pairs import cosines_of, looked_up, stored_embeddings
from silverloom.ops.parasci.dataset.filtered import PARTS_ORIGIN, FilterParams, passes
from silverloom.ops.parasci.dataset.scored import ScoredParams, features
from silverloom.ops.parasci.dataset.scorer import ScorerParams, consistency
from silverloom.ops.parasci.partial.partial import PartialParams, Seen, seen
from silverloom.ops.parasci.partial.pdbert import PdbertParams
from silverloom.ops.parasci.schemas import CANDIDATES
from silverloom.ops.parasci.sentences import StatementParams

#: Where a clause ends.
_MARK = re.compile(r"[,;:.!?()\u2013\u2014\u2026](?=\s|\Z)|(?<=\s)[(\u2013\u2014-](?=\s|\w)")
#: Most clauses in a run.
_LONGEST_RUN = 8

_TEXT, _REAL = pa.string(), pa.float64()

CLAUSE, MODEL = "best_clause", "pdbert"
METRICS = ("f1", "precision", "recall", "valuable")

#: The paper's Table 3: speed (in an unnamed unit), size, BERTScore times 100.
TABLE_3 = (
    {"system": CLAUSE, "speed": 7.16, "valuable": 341, "f1": 74.06},
    {"system": MODEL, "speed": 32.34, "valuable": 387, "f1": 88.23},
)

EXTRACTIONS = Shape(
    unit=CANDIDATES.kept,
    kept=columns(
        ("pair_id", _TEXT, "row of parasci/intra"),
        one_of("system", (CLAUSE, MODEL), f"{CLAUSE} or {MODEL}"),
        optional("model", _TEXT, "null: there is one of each"),
        ("short", _TEXT, "the shorter sentence", TEXT),
        ("long", _TEXT, "the sentence that is searched"),
        ("part", _TEXT, "what is extracted from it"),
        ("precision", _REAL, "BERTScore of the part against the short sentence, four decimals"),
        ("recall", _REAL, "the same"),
        ("f1", _REAL, "the same"),
        ("length_rate", _REAL, "PLR of both"),
        ("consistency", _REAL, "predicted rating by a reader, as of parasci/scored"),
        ("truncated", pa.bool_(), "whether BERTScore reads the beginning of one of both texts only"),
        ("valuable", _REAL, "1 where `scored` and `paraphrases` would keep it, else 0"),
    ),
)


class ExtractionParams(Bootstrap, section="parasci.extractions"):
    """How many pairs are compared, and the bootstrap over these pairs."""

    pairs: int = Field(100, ge=1, description="at most, drawn from those that PDBERT sees")
    seed: int = Field(0, ge=0, description="of the draw, and of the bootstrap")


def clauses(sentence: str) -> list[tuple[int, int]]:
    """Return the span of each clause in characters, without surrounding punctuation and white space."""
    marks = [match.span() for match in _MARK.finditer(sentence)]
    starts, ends = [0, *(end for _, end in marks)], [*(start for start, _ in marks), len(sentence)]
    spans = []
    for start, end in zip(starts, ends, strict=True):
        clause = sentence[start:end]
        if any(sign.isalnum() for sign in clause):
            spans.append(
                (start + len(clause) - len(clause.lstrip()), end - len(clause) + len(clause.rstrip()))
            )
    return spans


def runs(sentence: str) -> Iterator[str]:
    """Yield every run of neighbouring clauses except the whole sentence."""
    spans = clauses(sentence)
    for first, (start, _) in enumerate(spans):
        for last, (_, end) in enumerate(spans[first : first + _LONGEST_RUN], first):
            if last - first + 1 < len(spans):
                yield sentence[start:end]


def best_clauses(pairs: Sequence[tuple[str, str]], embed: Embed) -> list[str | None]:
    """Return the run of clauses of each long sentence that is most similar to the short one.

    `pairs` are N pairs (short, long). Ties go to the first run. None for a sentence of a single clause.
    """
    several = [list(runs(long)) for _, long in pairs]
    texts = list(dict.fromkeys(text for (short, _), its in zip(pairs, several, strict=True) if its
                               for text in (short, *its)))  # fmt: skip
    rows: dict[str, NDArray[np.float32]] = dict(zip(texts, embed(texts), strict=True)) if texts else {}
    return [
        its[int(np.argmax(np.stack([rows[text] for text in its]).astype(np.float64) @ rows[short]))]
        if its
        else None
        for (short, _), its in zip(pairs, several, strict=True)
    ]


def extractions(
    intra: Parts,
    sentences: Parts,
    partial: Parts,
    params: ExtractionParams,
    model: PdbertParams,
    seeing: PartialParams,
    statements: StatementParams,
    scoring: ScoredParams,
    scorer: ScorerParams,
    filtering: FilterParams,
    strict: bool,
) -> Outcomes:
    """Yield the extractions of each system from pairs that PDBERT sees, and the table; units are the pairs.

    Reasons: `not_enabled` (there is no PDBERT to compare with); those of `seen`, `not_drawn`, `no_extraction`
    (neither system has one). Memory holds one part and the drawn pairs.
    """
    if not model.enabled:
        for part in intra:
            units = part.to_pylist()
            off = [drop(row, "not_enabled") for row in units]
            yield Outcome.of(EXTRACTIONS, [row["id"] for row in units], [], off)
        content = json.dumps(table(EXTRACTIONS.kept.empty_table(), params), indent=1, sort_keys=True)
        yield Outcome.of(EXTRACTIONS, [], [], files={TABLE: content.encode()})
        return
    pairs: list[Seen] = []
    for part in intra:
        units = part.to_pylist()
        there, lost = seen(units, seeing)
        pairs = nsmallest(params.pairs, [*pairs, *there], key=lambda pair: drawn(params.seed, pair.row["id"]))
        dropped = [drop(row, *lost[row["id"]]) for row in units if row["id"] in lost]
        yield Outcome.of(EXTRACTIONS, list(lost), [], dropped)
    names = {pair.row["id"] for pair in pairs}
    searched = [
        row for row in partial.rows(["source_ids", "second", "confidence"]) if row["source_ids"][0] in names
    ]
    parts = {row["source_ids"][0]: row["second"] for row in searched}
    unsure = {row["source_ids"][0] for row in searched if not at_least(row["confidence"], scoring.confidence)}
    short = {pair.short for pair in pairs}
    with sentences.engine.scratch() as folder:
        (embeddings,) = stored_embeddings(sentences, [short], folder / "embeddings")
    embed = looked_up(embeddings, short, embedder(statements.encoder, strict))
    clauses = best_clauses([(pair.short, pair.long) for pair in pairs], embed)
    extracted = [
        (pair, system, part)
        for pair, clause in zip(pairs, clauses, strict=True)
        for system, part in ((CLAUSE, clause), (MODEL, parts.get(pair.row["id"])))
        if part
    ]
    matcher = BertScorer(scoring.encoder, scoring.layer, strict)
    nli = nli_model(scoring.nli, strict)
    rows = list(_rows(extracted, matcher, nli, embed, scorer, filtering, unsure))
    extracted_ids = {row["pair_id"] for row in rows}
    outcome = Outcome.of(EXTRACTIONS, sorted(extracted_ids), rows)
    content = json.dumps(table(outcome.kept, params), indent=1, sort_keys=True)
    last = replace(outcome, files={TABLE: content.encode()})
    yield from in_parts(chain([last], _without(intra, seeing, extracted_ids, names)))


def _without(
    intra: Parts, seeing: PartialParams, extracted_ids: Container[str], names: Container[str]
) -> Outcomes:
    """Yield the pairs that PDBERT sees without an extraction; `names` are the drawn ones."""
    for part in intra:
        there, _ = seen(part.to_pylist(), seeing)
        dropped = [
            drop(pair.row, "no_extraction" if pair.row["id"] in names else "not_drawn")
            for pair in there
            if pair.row["id"] not in extracted_ids
        ]
        yield Outcome.of(EXTRACTIONS, [row["id"] for row in dropped], [], dropped)


def table(rows: pa.Table, params: ExtractionParams) -> dict[str, Any]:
    """Return Table 3: for each system the extractions, how many are valuable, and means with 95 % intervals.

    `tests`: the paired test of both systems over the pairs from which both extract. `published`: the paper's
    values.
    """
    systems = by_system(rows)
    pairs = combinations(sorted(systems), 2)
    return {
        "systems": [
            {
                **fields_of(system),
                "pairs": len(its),
                "valuable": int(its["valuable"].to_numpy().sum()),
                "scores": mean_scores(its, METRICS, params),
            }
            for system, its in sorted(systems.items())
        ],
        "tests": system_tests(systems, pairs, "pair_id", "pairs", METRICS, params),
        "published": list(TABLE_3),
    }


def _rows(
    extracted: Sequence[tuple[Seen, str, str]],
    matcher: BertScorer,
    nli: NliModel | None,
    embed: Embed,
    scorer: ScorerParams,
    filtering: FilterParams,
    unsure: Container[str],
) -> Iterator[Row]:
    """Yield the rows; PDBERT's extractions in `unsure` are not valuable: they never reach the filter."""
    if not extracted:
        return
    parts, shorts = [part for _, _, part in extracted], [pair.short for pair, _, _ in extracted]
    cosines = map(float, cosines_of(embed(parts), embed(shorts)))
    cut = [any(both) for both in zip(*map(matcher.tokens.truncated, (parts, shorts)), strict=True)]
    measured = features(parts, shorts, list(cosines), matcher, nli)
    for (pair, system, part), truncated, of_pair in zip(extracted, cut, measured, strict=True):
        row: Row = {
            **{name: of_pair[name] for name in ("precision", "recall", "f1", "length_rate")},
            "consistency": consistency(of_pair, scorer),
        }
        yield {
            **made_from(pair.row, "extraction", pair.row["id"], system),
            "pair_id": pair.row["id"],
            "system": system,
            "model": None,
            "short": pair.short,
            "long": pair.long,
            "part": part,
            **row,
            "truncated": truncated,
            "valuable": float(
                passes(row, filtering, PARTS_ORIGIN) and (system != MODEL or pair.row["id"] not in unsure)
            ),
        }
