"""A parsed document as the rules read it: plain lists, one entry a token.

Belongs here: the lists, and taking them off a spaCy document. Not here: storing them (stored.py), parsing
(pipeline.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ops.coreference.links import Link, TokenSpan

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
    sentences: Sequence[TokenSpan]
    """S spans in order; every token is in one."""
    links: Sequence[Link]
    """By the mention's first token."""

    def sentence_texts(self) -> list[str]:
        """Return the sentences as they stand in the document, without white space around them."""
        written = [word + " " * space for word, space in zip(self.words, self.spaces, strict=True)]
        return ["".join(written[start:end]).strip() for start, end in self.sentences]

    @classmethod
    def of(cls, document: Doc) -> Annotation:
        """Return the annotation of a document that `ops.discofuse.build.pipeline` has parsed."""
        # One array of all attributes: a property of each token at a time takes ten times as long.
        import numpy as np
        from spacy.attrs import DEP, ENT_TYPE, HEAD, LEMMA, ORTH, SPACY, TAG

        from ops.coreference.component import links_of

        table = document.to_array([ORTH, SPACY, TAG, DEP, HEAD, LEMMA, ENT_TYPE])
        words, spaces, tags, dependencies, heads, lemmas, entities = table.T
        strings = document.vocab.strings
        names: dict[int, str] = {key: strings[key] for key in np.unique(table[:, [0, 2, 3, 5, 6]]).tolist()}

        def named(column: Any) -> list[str]:
            return [names[key] for key in column.tolist()]

        return cls(
            words=named(words),
            spaces=spaces.astype(bool).tolist(),
            tags=named(tags),
            dependencies=named(dependencies),
            heads=(np.arange(len(document)) + heads.astype(np.int64)).tolist(),
            lemmas=named(lemmas),
            entities=named(entities),
            sentences=[(sentence.start, sentence.end) for sentence in document.sents],
            links=tuple(links_of(document)),
        )
