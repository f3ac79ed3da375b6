"""A parsed document as the rules read it: plain lists, one entry a token.

Belongs here: the lists, and taking them off a spaCy document. Not here: storing them (annotated.py), parsing
(pipeline.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ops.coreference.links import Link, Span

if TYPE_CHECKING:
    from spacy.tokens import Doc


@dataclass(frozen=True, slots=True)
class Annotation:
    """A document of T tokens in S sentences."""

    words: Sequence[str]
    """T tokens as they stand in the text."""
    spaces: Sequence[bool]
    """T: whether a blank follows."""
    tags: Sequence[str]
    """T tags of the Penn Treebank."""
    dependencies: Sequence[str]
    """T labels of the edge from the head (ClearNLP's, in small letters; the root's is "ROOT")."""
    heads: Sequence[int]
    """T indices of the head; a root's is its own."""
    lemmas: Sequence[str]
    entities: Sequence[str]
    """T types of the entity that the token is part of; empty where it is of none."""
    sentences: Sequence[Span]
    """S spans in order; every token is in one."""
    links: Sequence[Link]
    """By the mention's first token."""

    @classmethod
    def of(cls, document: Doc) -> Annotation:
        """Return the annotation of a document that `ops.discofuse.pipeline` has parsed."""
        from ops.coreference.component import links_of

        return cls(
            words=[token.text for token in document],
            spaces=[bool(token.whitespace_) for token in document],
            tags=[token.tag_ for token in document],
            dependencies=[token.dep_ for token in document],
            heads=[token.head.i for token in document],
            lemmas=[token.lemma_ for token in document],
            entities=[token.ent_type_ for token in document],
            sentences=[(sentence.start, sentence.end) for sentence in document.sents],
            links=links_of(document),
        )
