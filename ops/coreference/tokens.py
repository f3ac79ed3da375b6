"""A parsed document as coreference reads it: plain lists with one entry per token.

Belongs here: copying the lists from a spaCy document, and what follows from heads alone. Not here: mentions.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from silverloom.ops.coreference.links import TokenSpan
from silverloom.ops.coreference.titles import Title, title_of

if TYPE_CHECKING:
    from spacy.tokens import Doc

#: Labels of dependents that precede the noun in a base noun phrase.
_PREMODIFIERS = frozenset(
    {"det", "amod", "compound", "nummod", "poss", "nmod", "quantmod", "advmod", "case", "predet", "npadvmod"}
)
#: More steps than in any sane parse; a clause further up says nothing about a pronoun.
_CLIMB = 30


@dataclass(frozen=True, slots=True)
class DocumentTokens:
    """A document of T tokens."""

    words: list[str]
    lower: list[str]
    tags: list[str]
    dependencies: list[str]
    heads: list[int]
    """T indices; a root is its own head."""
    sentence_of: list[int]
    sentences: list[TokenSpan]
    entities: list[tuple[int, int, str]]
    """(start, end, type) of the named entities, in order."""
    title: Title | None
    """The document's title."""

    @classmethod
    def of(cls, document: Doc) -> DocumentTokens:
        """Return the lists of a document with sentences, tags, a parse and entities."""
        string = _Strings(document.vocab.strings)
        words: list[str] = []
        tags: list[str] = []
        dependencies: list[str] = []
        heads: list[int] = []
        sentence_of: list[int] = []
        first: list[int] = []
        for index, token in enumerate(document):
            words.append(token.text)
            tags.append(string[token.tag])
            dependencies.append(string[token.dep])
            heads.append(token.head.i)
            if token.is_sent_start or index == 0:
                first.append(index)
            sentence_of.append(len(first) - 1)
        return cls(
            words=words,
            lower=[word.lower() for word in words],
            tags=tags,
            dependencies=dependencies,
            heads=heads,
            sentence_of=sentence_of,
            sentences=list(pairwise([*first, len(words)])),
            entities=[(span.start, span.end, span.label_) for span in document.ents],
            title=title_of(document),
        )

    def base_start(self, head: int) -> int:
        """Return the first token of the base noun phrase that ends with `head`."""
        start = head
        lowest = self.sentences[self.sentence_of[head]][0]
        while (
            start > lowest
            and start <= self.heads[start - 1] <= head
            and self.dependencies[start - 1] in _PREMODIFIERS
        ):
            start -= 1
        return start

    def ancestors(self, index: int) -> list[int]:
        """Return the heads above a token, nearest first, at most `_CLIMB` of them."""
        above: list[int] = []
        for _ in range(_CLIMB):
            head = self.heads[index]
            if head == index:
                break
            above.append(head)
            index = head
        return above

    def is_verb(self, index: int) -> bool:
        """Return whether a token is a verb, an auxiliary or a modal."""
        tag = self.tags[index]
        return tag[:1] == "V" or tag == "MD"


class _Strings(dict[int, str]):
    """Tags and labels by spaCy's hash, each looked up once."""

    def __init__(self, store: object) -> None:
        super().__init__()
        self._store = store

    def __missing__(self, key: int) -> str:
        text: str = self._store[key]  # type: ignore[index]
        self[key] = text
        return text
