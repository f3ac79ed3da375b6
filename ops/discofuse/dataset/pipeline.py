"""DiscoFuse's pipeline: sentences, parse, entities and coreference.

Belongs here: building the pipeline, and parsing pre-tokenised documents. Not here: its models (ops/models),
coreference itself (ops/coreference).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from spacy.attrs import SENT_START
from spacy.language import Language
from spacy.tokens import Doc

from silverloom.ops.coreference.component import COMPONENT
from silverloom.ops.coreference.titles import with_title
from silverloom.ops.discofuse.annotation import CLOSING
from silverloom.ops.discofuse.dataset import asked
from silverloom.ops.models.spacy_pipeline import SPACY_PIPELINE, load_pipeline
from silverloom.ops.text.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


#: In tokenised text a blank precedes every comma and full stop, except in numbers and abbreviations.
_SPACED = re.compile(r"(?:^|\s)(?:[,;:?!]|\.|'s|n't)(?=\s|$)")
_ATTACHED = re.compile(
    r"\w[,;:?!](?=\s|$)|[a-z)\]][.](?=[\s\"'”]*$)|[a-z)\]]{3}[.](?=\s+[\"“(]*[A-Z])|\w(?:'s|n't)\b"
)
_BLANK_LINE = re.compile(r"\n\s*\n\s*")
_FINAL = frozenset({".", "!", "?"})


def annotator(name: str | None = None, coreference: str = "ranker", whole: bool = True) -> Language:
    """Return a pipeline that adds sentences, parse, entities and coreference links to documents.

    `name` is a spaCy pipeline in the registry, `coreference` a back end (ops/coreference). Each pipeline is
    loaded once per process. Without `whole`, it does only what the rules ask for (asked.py), if the pipeline
    has the usual components: it has lemmas of verbs, no parts of speech, and takes 65 to 85 % of the
    time.
    """
    return _annotator(str(name or SPACY_PIPELINE), coreference, whole)


def tokenised(nlp: Language, sentences: Sequence[Sequence[str]], title: str | None = None) -> Doc:
    """Return the parse of sentences whose tokens and boundaries are given."""
    words = [word for sentence in sentences for word in sentence]
    starts: list[bool | int | None] = [index == 0 for sentence in sentences for index in range(len(sentence))]
    document = with_title(Doc(nlp.vocab, words=words, sent_starts=starts), title)
    for _, component in nlp.pipeline:
        document = component(document)
    return document


def sentences_of(text: str) -> list[Sequence[str]]:
    """Return the sentences of a tokenised text: its lines, or, if it has only one, split at final marks."""
    lines: list[Sequence[str]] = [line.split() for line in text.splitlines() if line.strip()]
    return lines if len(lines) != 1 else sentences_of_tokens(lines[0])


def is_tokenised(text: str) -> bool:
    """Return whether most punctuation marks in a text follow a blank."""
    return len(_SPACED.findall(text)) > len(_ATTACHED.findall(text))


def sentences_of_tokens(words: Sequence[str]) -> list[Sequence[str]]:
    """Return the sentences of a tokenised text. Each ends in a final mark, together with any closing marks
    after it."""
    sentences: list[Sequence[str]] = []
    start = at = 0
    while at < len(words):
        at += 1
        if words[at - 1] not in _FINAL:
            continue
        while at < len(words) and words[at] in _FINAL | CLOSING:
            at += 1
        if at < len(words) and not words[at][0].islower():
            sentences.append(words[start:at])
            start = at
    return [*sentences, words[start:]] if start < len(words) else sentences


@Language.factory("sentence_ends")
def sentence_ends_component(nlp: Language, name: str) -> Callable[[Doc], Doc]:
    """Return the component "sentence_ends", which pyproject.toml has an entry point for."""
    return sentence_ends


def sentence_ends(document: Doc) -> Doc:
    """Set sentence starts unless the document already has them; the parser keeps them.

    Each paragraph starts a sentence, however the preceding one ends: headings have no full stop.
    """
    if document.has_annotation("SENT_START"):
        return document
    starts = {start for start, _ in sentence_spans(document.text)}
    starts |= {match.end() for match in _BLANK_LINE.finditer(document.text)}
    marks: Any = np.array(
        [[1 if index == 0 or token.idx in starts else -1] for index, token in enumerate(document)],
        dtype=np.int64,
    )
    # All at once, because setting one token's value scans all tokens.
    return document.from_array([SENT_START], marks.reshape(-1, 1).astype(np.uint64))


@lru_cache(maxsize=2)
def _annotator(name: str, coreference: str, whole: bool) -> Language:
    nlp = load_pipeline(name)
    if not whole and nlp.pipe_names == asked.USUAL:
        asked.only_what_is_asked(nlp)
    nlp.add_pipe("sentence_ends", first=True)
    nlp.add_pipe(COMPONENT, last=True, config={"backend": coreference})
    return nlp
