"""Which references contain the statements of a lead.

Belongs here: the statements of a lead, and which pages contain them. Not here: the score (ops/metrics), its
tables (statistics.py).

Wolhandler et al. (2022) extract propositions by open information extraction and align them with SuperPAL, a
trained model. [ours] Both would have to read every paragraph of the references, thousands for some articles.
Here, a statement is the text between two punctuation marks. A page contains it if one of its paragraphs
contains enough of its content words. The title's words do not count, because all references contain them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, groupby

import numpy as np
from pydantic import Field

from silverloom.ops.core.outcome import Row
from silverloom.ops.core.params import Params
from silverloom.ops.core.thresholds import at_least
from silverloom.ops.metrics.dispersion import DOCUMENTS
from silverloom.ops.rank.rankers import content_words
from silverloom.ops.text.word_numbers import WordNumbers, number_words

#: A statement with fewer content words is merged with its neighbour.
_LEAST_WORDS = 2

#: Punctuation marks with spaces around them; "4 . 5" and "1 , 500" are numbers.
_SENTENCES = re.compile(r"(?:(?<![0-9]) [.!?]|(?<=[0-9]) [.!?](?! [0-9]))(?= |$)")
_CLAUSES = re.compile(r"(?:(?<![0-9]) ,|(?<=[0-9]) ,(?! [0-9])| [;:()\[\]–—]| - -)(?= |$)")


class DispersionParams(Params, section="wikisum.dispersion"):
    """When a reference contains a statement of a lead, and how many references count."""

    share: float = Field(
        0.6, gt=0, le=1, description="of a statement's content words, that one paragraph has at least"
    )
    references: int = Field(DOCUMENTS, ge=1, description="up to which the area above the curve goes")


def statements(lead: str, title: str) -> list[str]:
    """Return the statements of a normalised lead: its clauses, split at punctuation marks.

    A clause of fewer than 2 content words is merged with the one before it, the first with the one after it.
    A sentence of fewer than 2 content words has no statement. Words of the title do not count.
    """
    known = frozenset(content_words(title))
    long_clauses: list[str] = []
    for sentence in _SENTENCES.split(lead):
        clauses: list[str] = []
        for clause in _CLAUSES.split(sentence):
            if clauses and min(_size(clauses[-1], known), _size(clause, known)) < _LEAST_WORDS:
                clauses[-1] = f"{clauses[-1]} , {clause.strip()}"
            else:
                clauses.append(clause.strip())
        long_clauses += [clause for clause in clauses if _size(clause, known) >= _LEAST_WORDS]
    return long_clauses


def recalls(
    texts: Sequence[str], title: str, words: WordNumbers, pages: Sequence[str]
) -> Iterator[list[float]]:
    """Yield, for each page, the largest share of each statement's content words in any one of its paragraphs.

    `words` numbers the words of the lead, then of P paragraphs, by the lead's vocabulary; `pages` gives the
    page of each paragraph (P), with the paragraphs of a page next to each other. Rounded to six decimals.
    """
    from scipy.sparse import csr_array

    numbers = {words.word(number): number for number in range(words.distinct)}
    known = frozenset(content_words(title))
    by_statement = [[numbers[word] for word in _words(statement, known)] for statement in texts]
    sizes = np.array([*map(len, by_statement)], np.float64)
    shape = words.distinct, len(texts)
    columns = np.repeat(np.arange(len(texts)), sizes.astype(np.int64))
    rows = np.fromiter(chain.from_iterable(by_statement), np.int64, len(columns))
    wanted = csr_array((np.ones(len(rows), np.int32), (rows, columns)), shape=shape)
    for _, group in groupby(range(len(pages)), key=pages.__getitem__):
        paragraphs = [*group]
        bounds = words.ends[paragraphs[0] + 1 : paragraphs[-1] + 3]
        its = words.numbers[bounds[0] : bounds[-1]]
        places = np.repeat(np.arange(len(paragraphs)), np.diff(bounds))
        pairs = np.unique(places[its >= 0] * words.distinct + its[its >= 0])
        rows, columns = np.divmod(pairs, max(words.distinct, 1))
        shape = len(paragraphs), words.distinct
        there = csr_array((np.ones(len(pairs), np.int32), (rows, columns)), shape=shape)
        counts = (there @ wanted).max(axis=0).toarray().astype(np.float64)
        yield np.round(counts / sizes, 6).tolist()


def support(sentences: Sequence[str], title: str, paragraphs: Sequence[str]) -> list[float | None]:
    """Return, for each normalised sentence, the share of its content words in the best of N > 0 paragraphs.

    The title's words do not count. None for a sentence without other content words.
    """
    known = frozenset(content_words(title))
    places = [place for place, sentence in enumerate(sentences) if _words(sentence, known)]
    supports: list[float | None] = [None] * len(sentences)
    if places:
        texts = [sentences[place] for place in places]
        whole = " ".join(texts)
        words = number_words([whole, *paragraphs], known=whole)
        [shares] = recalls(texts, title, words, [""] * len(paragraphs))
        for place, share in zip(places, shares, strict=True):
            supports[place] = share
    return supports


def held(by_page: Sequence[Sequence[float]], params: DispersionParams) -> list[set[int]]:
    """Return, for each page, the statements that it contains, given their recalls."""
    return [
        {place for place, recall in enumerate(of_page) if at_least(recall, params.share)}
        for of_page in by_page
    ]


def stated(texts: Sequence[str], by_page: Sequence[Sequence[float]], params: DispersionParams) -> list[Row]:
    """Return each statement with the number of pages that contain it, and its best recall over all pages."""
    columns = list(zip(*by_page, strict=True)) or [()] * len(texts)
    return [
        {
            "text": text,
            "references": sum(bool(at_least(recall, params.share)) for recall in its),
            "best": max(its, default=0.0),
        }
        for text, its in zip(texts, columns, strict=True)
    ]


def _words(statement: str, known: frozenset[str]) -> set[str]:
    return {*content_words(statement)} - known


def _size(clause: str, known: frozenset[str]) -> int:
    return len(_words(clause, known))
