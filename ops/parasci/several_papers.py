"""Paraphrases in papers that a program has as texts, and the predicted rating of one pair.

Belongs here: passing texts through the steps that make the datasets. Not here: these steps (dataset/).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from silverloom.ops.core.identity import row_id
from silverloom.ops.core.parts import temporary_folder
from silverloom.ops.core.steps import Sections, Steps
from silverloom.ops.metrics.bertscore import BertScorer
from silverloom.ops.models.encoder import embedder
from silverloom.ops.parasci.dataset.chain import PARAMS, paraphrases_of_records
from silverloom.ops.parasci.dataset.scored import ScoredParams, features
from silverloom.ops.parasci.dataset.scorer import ScorerParams
from silverloom.ops.parasci.dataset.scorer import consistency as rating
from silverloom.ops.parse.one_source import records_of
from silverloom.ops.parse.papers import FORMATS
from silverloom.ops.parse.source import Source, folder_formats

#: What the source of the texts is called.
_SOURCE = "papers"


class Paraphrase(NamedTuple):
    """Two sentences that mean the same, as columns of parasci/paraphrases."""

    source: str
    target: str
    origin: str
    """How the pair was found: intra (one paper), definitions (of a term), citations (of one work)."""
    consistency: float
    """The rating that a reader is predicted to give, 1 to 5."""
    papers: list[int]
    """The indices of the papers that have these sentences."""


def pairs(papers: Iterable[str], strict: bool = False) -> list[Paraphrase]:
    """Return the paraphrases within some papers and between them, by the thresholds of parasci/paraphrases.

    A paper is plain text: a title, then headings ("# Introduction", or a line "1 Introduction") and
    paragraphs. Most papers have no pair or one. As in the dataset, pairs with much wording in common are left
    out until the mean Self-BLEU of all pairs allows them. The first call loads a sentence encoder,
    in some seconds. `strict` computes as with `numerics: strict` in params.yaml. Raises TypeError for a
    single text in place of papers, ValueError for a paper that cannot be read.
    """
    if isinstance(papers, str):
        raise TypeError("papers are a list of texts, also where there is only one: [text]")
    with temporary_folder() as folder:
        texts = folder / "papers"
        texts.mkdir()
        numbers: dict[str, int] = {}
        for number, text in enumerate(papers):
            (texts / f"{number}.txt").write_text(text, encoding="utf-8")
            numbers[row_id("paper", _SOURCE, str(number))] = number
        steps = Steps(folder / "steps")
        source = Source(kind="plain_text", path=str(texts), licence="none", encoding="utf-8")
        records = records_of(_SOURCE, source, folder_formats(FORMATS), steps.engine)
        params = Sections.defaults(PARAMS)
        rows = [*paraphrases_of_records(steps, records, None, params, strict).rows()]
    if steps.errors:
        raise ValueError(steps.errors[0])
    return [
        Paraphrase(
            row["first"],
            row["second"],
            row["origin"],
            row["consistency"],
            sorted(numbers[paper] for paper in row["papers"]),
        )
        for row in rows
    ]


def consistency(first: str, second: str, strict: bool = False) -> float:
    """Return the rating, 1 to 5, that a reader is predicted to give two sentences; it can be outside.

    5 means that they say the same. It is the column `consistency` of parasci/scored, by the default weights.
    Raises ValueError for a sentence without words.
    """
    params = ScoredParams()
    embeddings = embedder(params.encoder, strict)([first, second])
    cosine = round(float(embeddings[0] @ embeddings[1]), 4)
    [of_pair] = features([first], [second], [cosine], _scorer(strict), None)
    return rating(of_pair, ScorerParams())


@lru_cache(maxsize=1)
def _scorer(strict: bool) -> BertScorer:
    params = ScoredParams()
    return BertScorer(params.encoder, params.layer, strict)
