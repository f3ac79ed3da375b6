"""How much of a sentence comes again in its paper: what the Transformer extractor knows of pairs of words.

Belongs here: counts of words and pairs in one paper. Not here: place, section and cues (features.py), counts
over a corpus (ops/rank/tf_idf.py).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ops.models.extractors.paper import Paper
from ops.parse.roles import CONCLUSION, INTRODUCTION
from ops.text.stop_words import STOP_WORDS

_Item = TypeVar("_Item", bound=Hashable)

_TOKEN = re.compile(r"\w+")
_PLACES = {INTRODUCTION: 30, CONCLUSION: 15}

#: Columns of `recurrence`.
WIDTH = 8


def recurrence(paper: Paper) -> NDArray[np.float32]:
    """Return N x `WIDTH` features of a paper's sentences, most of them between 0 and 1.

    Pairs are of neighbouring words, not both of them stop words; means are over a sentence's pairs. The
    columns: mean log of the sentences that hold a pair; share of pairs that come again in another sentence,
    in another one of the introduction, of the conclusion; share of the title's pairs; mean log of the
    sentences that hold a word that is no stop word; share of such words; the first, as a sum.
    """
    tokens = [_TOKEN.findall(text.lower()) for text in paper.sentences]
    pairs = [_pairs(words) for words in tokens]
    content = [[word for word in words if word not in STOP_WORDS] for words in tokens]
    title = set(_pairs(_TOKEN.findall(paper.title.lower())))
    often = _held(pairs)
    words = _held(content)
    first, last = set(introduction(paper)), set(conclusion(paper))
    in_first, in_last = _held([pairs[row] for row in first]), _held([pairs[row] for row in last])
    rows = np.zeros((len(paper), WIDTH), np.float32)
    for row, (here, content_words) in enumerate(zip(pairs, content, strict=True)):
        count = len(here) or 1
        logs = sum(math.log(often[pair]) for pair in here)
        rows[row] = [
            logs / count,
            sum(often[pair] > 1 for pair in here) / count,
            sum(in_first[pair] > (row in first) for pair in here) / count,
            sum(in_last[pair] > (row in last) for pair in here) / count,
            len(title & set(here)) / (len(title) or 1),
            sum(math.log(words[word]) for word in content_words) / (len(content_words) or 1) / 3,
            len(content_words) / (len(tokens[row]) or 1),
            logs / 10,
        ]
    return rows


def introduction(paper: Paper) -> Sequence[int]:
    """Return the introduction's sentences; where no section is one, the first 30."""
    found = [row for row, role in enumerate(paper.roles) if role == INTRODUCTION]
    return found or range(len(paper))[: _PLACES[INTRODUCTION]]


def conclusion(paper: Paper) -> Sequence[int]:
    """Return the conclusion's sentences; where no section is one, the last 15."""
    found = [row for row, role in enumerate(paper.roles) if role == CONCLUSION]
    return found or range(len(paper))[-_PLACES[CONCLUSION] :]


def _pairs(tokens: Sequence[str]) -> list[tuple[str, str]]:
    return [pair for pair in pairwise(tokens) if not STOP_WORDS.issuperset(pair)]


def _held(sentences: Sequence[Sequence[_Item]]) -> Counter[_Item]:
    return Counter(item for sentence in sentences for item in set(sentence))
