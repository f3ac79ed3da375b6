"""The Transformer extractor's features of a sentence, in addition to its embedding.

Belongs here: position, section, length and words as a matrix; how much of a sentence recurs in its paper. Not
here: the network (transformer.py), embeddings (ops/models/encoder.py), counts over a corpus
(ops/rank/rankers.py).
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

from silverloom.ops.parse.roles import CONCLUSION, INTRODUCTION, ROLES
from silverloom.ops.talksumm.extractors.paper import ExtractorPaper
from silverloom.ops.text.words import STOP_WORDS, YEAR

_WORD = re.compile(r"[^\W\d_]+")
_BINS = 10

#: Words that signal that a paper refers to itself or makes a claim: the cue method of Edmundson (1969).
CUES = (
    r"\b(?:this|the present|our) (?:paper|article|work|study)\b|\bhere\b",
    r"\bwe\b|\bour\b",
    r"\b(?:present|propos|introduc|describ|develop|address|investigat|explor)\w*",
    r"\b(?:show|demonstrat|achiev|obtain|improv|outperform|reduc|increas|result|yield|report)\w*",
    r"\b(?:conclu|summar|contribut)\w*",
    r"\b(?:new|novel|state of the art|state-of-the-art|first|better|best)\b",
    r"\b(?:however|but|although|while)\b",
    r"\b(?:for example|for instance|e\.g\.|i\.e\.|such as)",
    r"\b(?:section|figure|fig|table|equation)\b",
    rf"\b{YEAR}\b|\bet al\b",
    r"\d",
    r"\?",
)
_CUES = tuple(re.compile(pattern) for pattern in CUES)

#: Columns of `features`.
WIDTH = 2 * _BINS + 12 + len(ROLES) + len(CUES)


def features(paper: ExtractorPaper) -> NDArray[np.float32]:
    """Return N x `WIDTH` features of a paper's sentences, most of them between 0 and 1."""
    count = len(paper)
    rows = np.zeros((count, WIDTH), np.float32)
    if not count:
        return rows
    sections = np.asarray(paper.sections)
    starts = np.flatnonzero(np.r_[True, sections[1:] != sections[:-1]])
    lengths = np.diff(np.r_[starts, count])
    section = np.repeat(np.arange(len(starts)), lengths)
    place = np.arange(count)
    within = place - starts[section]
    size = lengths[section]
    title = _content(paper.title)
    words = [_content(text) for text in paper.sentences]
    tall = np.array([len(text.split()) for text in paper.sentences])
    columns = [
        np.log1p(place) / 7,
        np.log1p(count - 1 - place) / 7,
        place / count,
        np.log1p(within) / 5,
        np.log1p(size - 1 - within) / 5,
        within / size,
        section / len(starts),
        section == 0,
        section == len(starts) - 1,
        np.log1p(tall) / 5,
        tall < 8,
        [len(title & content) / (len(title) or 1) for content in words],
    ]
    rows[:, : len(columns)] = np.stack(columns, axis=1)
    rows[place, len(columns) + np.minimum(place * _BINS // count, _BINS - 1)] = 1
    rows[place, len(columns) + _BINS + np.minimum(within, _BINS - 1)] = 1
    roles = [ROLES.index(role) if role in ROLES else len(ROLES) - 1 for role in paper.roles]
    rows[place, len(columns) + 2 * _BINS + np.array(roles)] = 1
    for row, text in enumerate(paper.sentences):
        text = text.lower()
        rows[row, -len(CUES) :] = [cue.search(text) is not None for cue in _CUES]
    return rows


def _content(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.lower()) if word not in STOP_WORDS}


_Item = TypeVar("_Item", bound=Hashable)

_TOKEN = re.compile(r"\w+")
_PLACES = {INTRODUCTION: 30, CONCLUSION: 15}

#: Columns of `recurrence`.
RECURRENCE_WIDTH = 8


def recurrence(paper: ExtractorPaper) -> NDArray[np.float32]:
    """Return N x `RECURRENCE_WIDTH` features of a paper's sentences, most of them between 0 and 1.

    Pairs are two neighbouring words that are not both stop words; means are over a sentence's pairs. The
    columns are: mean log of the number of sentences with a pair; share of pairs that recur in another
    sentence, in another sentence of the introduction, of the conclusion; share of the title's pairs; mean log
    of the number of sentences with a content word; share of content words; the first column as a sum.
    """
    tokens = [_TOKEN.findall(text.lower()) for text in paper.sentences]
    pairs = [_pairs(words) for words in tokens]
    content = [[word for word in words if word not in STOP_WORDS] for words in tokens]
    title = set(_pairs(_TOKEN.findall(paper.title.lower())))
    often = _held(pairs)
    words = _held(content)
    first, last = set(introduction(paper)), set(conclusion(paper))
    in_first, in_last = _held([pairs[row] for row in first]), _held([pairs[row] for row in last])
    rows = np.zeros((len(paper), RECURRENCE_WIDTH), np.float32)
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


def introduction(paper: ExtractorPaper) -> Sequence[int]:
    """Return the introduction's sentences, or the first 30 if no section is an introduction."""
    places = [row for row, role in enumerate(paper.roles) if role == INTRODUCTION]
    return places or range(len(paper))[: _PLACES[INTRODUCTION]]


def conclusion(paper: ExtractorPaper) -> Sequence[int]:
    """Return the conclusion's sentences, or the last 15 if no section is a conclusion."""
    places = [row for row, role in enumerate(paper.roles) if role == CONCLUSION]
    return places or range(len(paper))[-_PLACES[CONCLUSION] :]


def _pairs(tokens: Sequence[str]) -> list[tuple[str, str]]:
    return [pair for pair in pairwise(tokens) if not STOP_WORDS.issuperset(pair)]


def _held(sentences: Sequence[Sequence[_Item]]) -> Counter[_Item]:
    return Counter(item for sentence in sentences for item in set(sentence))
