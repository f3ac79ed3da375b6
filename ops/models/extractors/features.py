"""What the Transformer extractor knows of a sentence beside its embedding: place, section, length, words.

Belongs here: features as a matrix. Not here: the network (transformer.py), embeddings (the caller's encoder).
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from ops.models.extractors.paper import Paper
from ops.parse.roles import ROLES
from ops.text.stop_words import STOP_WORDS

_WORD = re.compile(r"[^\W\d_]+")
_BINS = 10

#: Words that tell that a paper speaks of itself, or claims something: Edmundson's (1969) cue method.
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
    r"\b(?:1[89]|20)\d\d\b|\bet al\b",
    r"\d",
    r"\?",
)
_CUES = tuple(re.compile(pattern) for pattern in CUES)

#: Columns of `features`.
WIDTH = 2 * _BINS + 12 + len(ROLES) + len(CUES)


def features(paper: Paper) -> NDArray[np.float32]:
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
