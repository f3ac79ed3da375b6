"""The ranker that is trained, and how much of the leads each ranker brings into an input.

Belongs here: training on one split, and recall of bigrams by ranker and length. Not here: what is learnt
(learned.py).
"""

from __future__ import annotations

import json
from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import Field

from ops.core.splits import Split, split_of
from ops.identity import row_id
from ops.metrics.bootstrap import interval, paired_bootstrap
from ops.outcome import Outcome, Outcomes, Row, drop
from ops.params import Params
from ops.parts import Artifact, Parts
from ops.wikisum.corpus import COMBINED
from ops.wikisum.inputs import lead_recall
from ops.wikisum.learned import LEARNED, LearnedRanker
from ops.wikisum.schemas import LEARNED_RANKER
from ops.wikisum.splits import SplitParams

#: What is compared: the paper fixes tf-idf.
BASELINE = "tf_idf"
RECALLS, _WEIGHTS = "recalls.json", "ranker.json"


class LearnedRankerParams(Params, section="wikisum.learned_ranker"):
    """How the ranker is trained, and at which lengths rankers are compared."""

    ridge: float = Field(
        0.001, gt=0, description="the weight of small weights, as a share of each feature's own"
    )
    words: tuple[int, ...] = Field((100, 500, 1000), min_length=1, description="lengths of the input")
    resamples: int = Field(1000, ge=1, description="draws behind each 95 % interval")
    seed: int = Field(0, ge=0)


def learned_ranker(ranked: Parts, splits: SplitParams, params: LearnedRankerParams) -> Outcomes:
    """Yield recall of bigrams by article, ranker and length, with the trained ranker; units are the articles.

    It is trained on leads of the split train, over the combined corpus; there is none where these teach
    nothing. recalls.json has the means over the articles that nothing was learnt from, and the difference to
    tf-idf. An article without a lead is dropped as `no_lead`, one without a ranking of the combined
    corpus as `not_ranked`.
    """
    found = LearnedRanker.fit(_learnt(ranked, splits), params.ridge)
    files = {_WEIGHTS: found.content} if found else {}
    #: By ranker and length, article after article: 8 bytes each, since they may be a tenth of all articles.
    held_out: dict[tuple[str, int], array[float]] = defaultdict(lambda: array("d"))
    last: Outcome | None = None
    for table in ranked:
        if last is not None:
            yield last
        units = table.to_pylist()
        kept: list[Row] = []
        dropped: list[Row] = []
        for unit in units:
            scores = _scores(unit, found)
            if not unit["lead"] or not scores:
                dropped.append(drop(unit, "not_ranked" if unit["lead"] else "no_lead"))
                continue
            rows = list(_rows(unit, split_of(unit["title"], splits), scores, params.words))
            for row in rows:
                if row["held_out"]:
                    held_out[row["ranker"], row["words"]].append(row["bigram_recall"])
            kept += rows
        last = Outcome.of(LEARNED_RANKER, [unit["id"] for unit in units], kept, dropped)
    files[RECALLS] = json.dumps(_summary(held_out, params), indent=1, sort_keys=True).encode() + b"\n"
    yield replace(last or Outcome.of(LEARNED_RANKER, [], []), files=files)


def load(artifact: Artifact) -> LearnedRanker | None:
    """Return the trained ranker; None where nothing could be learnt."""
    path = artifact.folder / _WEIGHTS
    return LearnedRanker.of(path.read_bytes()) if path.exists() else None


def _learnt(ranked: Parts, splits: SplitParams) -> Iterator[tuple[str, Sequence[Row], str]]:
    for table in ranked:
        for unit in table.to_pylist():
            if unit["lead"] and split_of(unit["title"], splits) == "train":
                yield unit["title"], unit["paragraphs"], unit["lead"]


def _scores(unit: Row, found: LearnedRanker | None) -> dict[str, Sequence[float | None]]:
    """Return the scores of every ranker over the combined corpus."""
    rankings = [ranking for ranking in unit["rankings"] if ranking["corpus"] == COMBINED]
    scores: dict[str, Sequence[float | None]] = {row["ranker"]: row["scores"] for row in rankings}
    if found and scores:
        scores[LEARNED] = found.scores(unit["title"], unit["paragraphs"])
    return scores


def _rows(
    unit: Row, split: Split, scores: Mapping[str, Sequence[float | None]], lengths: Sequence[int]
) -> Iterator[Row]:
    for ranker, values in scores.items():
        for words in lengths:
            yield {
                "id": row_id("recall", unit["id"], ranker, str(words)),
                "source_ids": [unit["id"]],
                "licence": unit["licence"],
                "article_id": unit["article_id"],
                "title": unit["title"],
                "split": split,
                "ranker": ranker,
                "words": words,
                "bigram_recall": round(lead_recall(unit, values, words), 6),
                "held_out": split != "train",
            }


def _summary(
    held_out: Mapping[tuple[str, int], Sequence[float]], params: LearnedRankerParams
) -> list[dict[str, Any]]:
    """Return mean recall by ranker and length with 95 % intervals, and by how much it is above tf-idf."""
    found = []
    for (ranker, words), recalls in sorted(held_out.items()):
        mean = interval(recalls, params.resamples, params.seed)
        row: dict[str, Any] = {"ranker": ranker, "words": words, "articles": len(recalls)}
        row["bigram_recall"] = mean._asdict()
        baseline = held_out.get((BASELINE, words))
        if baseline and ranker != BASELINE:
            row["above_tf_idf"] = paired_bootstrap(recalls, baseline, params.resamples, params.seed)._asdict()
        found.append(row)
    return found
