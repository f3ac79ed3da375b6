"""Leads by extraction alone: the first words of ranked paragraphs, as many as the article's lead has.

Belongs here: which rankings there are, and the cut. Not here: rankers (rank.py, learned.py), scores.

Liu et al. (2018), section 5.3: the length of the output is matched to that of the target.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ops.outcome import Row
from ops.wikisum.corpus import COMBINED
from ops.wikisum.inputs import first_words
from ops.wikisum.learned import LEARNED, LearnedRanker
from ops.wikisum.ranked import order_of


class ExtractedLead(NamedTuple):
    """What a ranker alone makes of an article's references."""

    ranker: str
    corpus: str
    text: str


def extracted_leads(article: Row, learned: LearnedRanker | None) -> Iterator[ExtractedLead]:
    """Yield the lead of every ranking of an article (row of wikisum/ranked) that has a paragraph.

    The learned ranker, if there is one, ranks the combined corpus.
    """
    paragraphs = article["paragraphs"]
    texts = [paragraph["text"] for paragraph in paragraphs]
    words = len(article["lead"].split(" "))
    rankings = [(ranking["ranker"], ranking["corpus"], ranking["scores"]) for ranking in article["rankings"]]
    if learned and paragraphs:
        rankings.append((LEARNED, COMBINED, learned.scores(article["title"], paragraphs)))
    for ranker, corpus, scores in rankings:
        if order := order_of(scores):
            yield ExtractedLead(ranker, corpus, first_words(texts, order, words))
