"""Score documents, and keep those within the bounds.

Belongs here: these two ops, for documents of any source. Not here: single scores (language.py, duplicates.py,
personal_data.py, quality.py), the verdicts of bounds (bounds.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from silverloom.ops.core.identity import made_from
from silverloom.ops.core.joins import matches
from silverloom.ops.core.measures import count_words
from silverloom.ops.core.outcome import Outcome, Outcomes, Row, Shape
from silverloom.ops.core.parts import Parts
from silverloom.ops.filters import schemas
from silverloom.ops.filters.bounds import (
    DUPLICATE,
    JUDGED,
    NEAR_DUPLICATE,
    REPEATS,
    Verdict,
    repeats_of,
    verdicts,
)
from silverloom.ops.filters.duplicates import content
from silverloom.ops.filters.language import FoundLanguage, languages
from silverloom.ops.filters.lost import lost_rows
from silverloom.ops.filters.params import BoundParams, ScoreParams
from silverloom.ops.filters.personal_data import MASKS, counts, masked, personal_data
from silverloom.ops.filters.quality import RULES, measures
from silverloom.ops.filters.texts import texts, with_text
from silverloom.ops.text.minhash import signature

_BEGINNING = 200


def scores(documents: Parts, params: ScoreParams, shape: Shape) -> Outcomes:
    """Yield the scores of every document; `shape` is the documents' own."""
    return documents.map(scores_of, params, shape)


def scores_of(documents: pa.Table, params: ScoreParams, shape: Shape) -> Outcome:
    """Return the scores of one part. Raises ValueError for an unknown language.

    With `params.by_address`, two documents are equal only if their addresses are equal too.
    """
    document_texts = list(texts(documents))
    document_rows = documents.select(["id", "licence", "title"]).to_pylist()
    places = documents["url"].to_pylist() if params.by_address else [None] * len(document_texts)
    words = count_words(pa.array(document_texts, pa.string())).to_pylist()
    language = [FoundLanguage(None, None)] * len(document_texts)
    if params.language is not None:
        language = languages(document_texts, params.language)
    rows = [
        {
            **made_from(document, "scores"),
            "document_id": document["id"],
            "title": document["title"],
            "beginning": text[:_BEGINNING],
            "words": number,
            "language": likeliest,
            "language_score": probability,
            "content": content(text, place or "") if params.duplicates else None,
            "signature": _signature(text, params),
            **(counts(text, params.region) if params.personal_data else dict.fromkeys(MASKS)),
            **(measures(text) if params.quality else dict.fromkeys(RULES)),
        }
        for document, text, place, number, (likeliest, probability) in zip(
            document_rows, document_texts, places, words, language, strict=True
        )
    ]
    return Outcome.of(schemas.scores(shape), [document["id"] for document in document_rows], rows)


def _signature(text: str, params: ScoreParams) -> list[int] | None:
    if params.duplicates != "near" or not text.split():
        return None
    return signature(text, params.permutations, params.shingle)


def filtered(
    documents: Parts,
    scores: Parts,
    duplicates: Parts,
    scoring: ScoreParams,
    params: BoundParams,
    shape: Shape,
) -> Outcomes:
    """Yield the documents that are within all bounds, unchanged except for masks.

    A document is dropped by the first bound that it does not meet: `language`, `personal_data`, a quality
    rule, `duplicate` or `near_duplicate`; the detail of the last two names the document that stays. Masks
    are counted. Raises ValueError for a bound whose score is off, and for a bound on similarity below the
    floor of the search for near-duplicates.
    """
    params.check(scoring)
    with documents.engine.scratch() as folder:
        ids = [part.read(["id"])["id"] for part in documents.parts]
        own = matches(scores, "document_id", ids, folder / "scores", JUDGED)
        repeated = matches(duplicates, "document_id", ids, folder / "duplicates", REPEATS)
        yield from documents.map(filtered_of, scoring, params, shape, beside=[own, repeated])


def filtered_of(
    documents: pa.Table,
    scores: pa.Table,
    duplicates: pa.Table,
    scoring: ScoreParams,
    params: BoundParams,
    shape: Shape,
) -> Outcome:
    """Return the documents of one part that are within all bounds."""
    ids = documents["id"].to_pylist()
    place = {name: index for index, name in enumerate(scores["document_id"].to_pylist())}
    scores = scores.take(pa.array([place[name] for name in ids], pa.int64()))
    repeated = repeats_of(duplicates)
    told: dict[int, Row] = {}
    for verdict in verdicts(scores, repeated, params):
        for index in np.flatnonzero(~verdict.keeps).tolist():
            told.setdefault(index, _reason(verdict, index, repeated.get(ids[index]), scores))
    lost = np.isin(np.arange(len(ids)), list(told))
    kept, masks = documents.filter(pa.array(~lost)), Counter[str]()
    if scoring.personal_data and params.mask:
        kept, masks = _masked(kept, scoring.region)
    made = schemas.filtered(shape)
    return Outcome(
        documents["id"].combine_chunks(),
        kept.cast(made.kept),
        lost_rows(documents.filter(pa.array(lost)), [told[index] for index in sorted(told)], made),
        made.rejected.empty_table(),
        {f"{name} masked": number for name, number in sorted(masks.items())},
    )


def _reason(verdict: Verdict, index: int, repeat: Mapping[str, Any] | None, scores: pa.Table) -> Row:
    reason, detail = verdict.reason, None
    if reason == DUPLICATE and repeat is not None:
        reason, detail = DUPLICATE if repeat["exact"] else NEAR_DUPLICATE, f"as {repeat['first_id']}"
    elif reason == "language":
        detail = scores["language"][index].as_py()
    return {"reason": reason, "score": float(verdict.scores[index]), "detail": detail}


def _masked(documents: pa.Table, region: str | None) -> tuple[pa.Table, Counter[str]]:
    """Return documents with their personal data masked, and the number of masks of each kind."""
    masks: Counter[str] = Counter()

    def change(text: str) -> str:
        masks.update(datum.kind for datum in personal_data(text, region))
        return masked(text, region)

    rows: list[Row] = [with_text(row, change) for row in documents.to_pylist()]
    return pa.Table.from_pylist([dict(row) for row in rows], schema=documents.schema), masks
