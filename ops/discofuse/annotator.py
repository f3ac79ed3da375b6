"""The pipeline behind DiscoFuse: sentences, parse, entities and coreference.

Belongs here: putting the pipeline together, and documents whose tokens are given. Not here: its models
(ops/models), coreference itself (ops/coreference).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from spacy.language import Language
from spacy.tokens import Doc

import ops.coreference.component  # noqa: F401 - it makes itself known to spaCy
from ops.models.spacy_pipeline import SPACY_PIPELINE, load_pipeline
from ops.text.sentences import sentence_spans

if TYPE_CHECKING:
    from collections.abc import Sequence


def annotator(name: str | None = None, coreference: str = "ranker") -> Language:
    """Return a pipeline that gives documents sentences, parse, entities and coreference links.

    `name` is that of a spaCy pipeline in the registry, `coreference` a back end (ops/coreference). It is
    loaded once a process.
    """
    return _annotator(str(name or SPACY_PIPELINE), coreference)


def tokenised(nlp: Language, sentences: Sequence[Sequence[str]]) -> Doc:
    """Return the parse of sentences whose tokens and ends are given."""
    words = [word for sentence in sentences for word in sentence]
    starts: list[bool | int | None] = [index == 0 for sentence in sentences for index in range(len(sentence))]
    document = Doc(nlp.vocab, words=words, sent_starts=starts)
    for _, component in nlp.pipeline:
        document = component(document)
    return document


@Language.component("sentence_ends")
def sentence_ends(document: Doc) -> Doc:
    """Set where sentences begin, unless the document says it already; the parser keeps to it."""
    if document.has_annotation("SENT_START"):
        return document
    starts = {start for start, _ in sentence_spans(document.text)}
    for token in document:
        token.is_sent_start = token.i == 0 or token.idx in starts
    return document


@lru_cache(maxsize=2)
def _annotator(name: str, coreference: str) -> Language:
    nlp = load_pipeline(name)
    nlp.add_pipe("sentence_ends", first=True)
    nlp.add_pipe("coreference", last=True, config={"backend": coreference})
    return nlp
