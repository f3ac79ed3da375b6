"""Evidence from a document's title: an article is often about the person in its title.

Belongs here: the title of a document, and its overlap with a name, as numbers. Not here: all other features
(features.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from silverloom.ops.coreference.lexicon import TITLES, first_names, gender_of_name, without_titles

if TYPE_CHECKING:
    from spacy.tokens import Doc

_KEY = "silverloom.title"
#: Wikipedia's disambiguation after a name: "Jane Doe (actress)".
_BRACKETS = re.compile(r"(?:\s*\([^()]*\))+\s*\Z")
_SURNAME_FIRST = re.compile(r"\s*(?P<last>[^,]+),\s*(?P<first>[^\s,]+(?:\s+[^\s,]+)?)\s*\Z")
#: Only the first characters of a title are read: a longer one is not a name.
_LONGEST = 200
_WORD = re.compile(r"[^\s_,;:\"“”]+")
_SEVERAL = frozenset({"and", "&", "or", "vs", "vs.", "v."})


@dataclass(frozen=True, slots=True)
class Title:
    """The words of a title, without those that precede a name ("Dr.")."""

    words: tuple[str, ...]
    female: float
    """The share of women among people with this name; 0.5 if the name does not tell or there are several."""

    @classmethod
    def of(cls, text: str | None) -> Title | None:
        """Return the title in a text; None if the text is missing or has no word."""
        name = _BRACKETS.sub("", (text or "")[:_LONGEST])
        turned = _SURNAME_FIRST.match(name)
        if turned and _is_first_name(turned["first"].split()[0].lower()):
            name = f"{turned['first']} {turned['last']}"
        words = without_titles(_WORD.findall(name))
        if not words:
            return None
        lower = [word.lower() for word in words]
        return cls(words, gender_of_name(lower) if _SEVERAL.isdisjoint(lower) else 0.5)

    def names(self, words: Sequence[str]) -> bool:
        """Return whether the title contains all words of a name."""
        return bool(words) and set(words) <= set(self.words)

    def gender_of(self, words: tuple[str, ...]) -> float:
        """Return the title's share of women if a name has its first or only its last word, else 0.5."""
        is_its = self.names(words) and (words[0] == self.words[0] or words == self.words[-1:])
        return self.female if is_its else 0.5


def _is_first_name(word: str) -> bool:
    return word in first_names() and word not in TITLES


def with_title(document: Doc, title: str | None) -> Doc:
    """Return a document, not yet parsed, with its title stored."""
    document.user_data[_KEY] = title
    return document


def title_of(document: Doc) -> Title | None:
    """Return the title of a document."""
    return Title.of(document.user_data.get(_KEY))


class TitleMatch(NamedTuple):
    """The overlap of an entity's name with the title."""

    has_title: float
    whole_name: float = 0.0
    same_words: float = 0.0
    same_last_word: float = 0.0
    part_of_name: float = 0.0
    only_name: float = 0.0


class NoneTitle(NamedTuple):
    """Evidence for "none": the person in the title may not be among the candidates."""

    has_title: float = 0.0
    names_candidate: float = 0.0
    gender_fit: float = 0.0
    two_or_three_words: float = 0.0
    names_fair_gender_fit: float = 0.0


def of_candidate(title: Title | None, words: tuple[str, ...], alone: bool) -> TitleMatch:
    """Return the overlap of a name's words with the title; `alone`: no other name is wholly in the title."""
    if title is None or not words:
        return TitleMatch(float(title is not None))
    inside = title.names(words)
    return TitleMatch(
        has_title=1.0,
        whole_name=inside,
        same_words=words == title.words,
        same_last_word=inside and words[-1] == title.words[-1],
        part_of_name=not inside and not set(words).isdisjoint(title.words),
        only_name=inside and alone,
    )


def of_none(title: Title | None, wanted: float, named: Sequence[float]) -> NoneTitle:
    """Return the title's evidence for "none of them".

    `wanted` is the pronoun's gender, 1 for a woman. `named` has the gender fit of each candidate that the
    title names.
    """
    if title is None:
        return NoneTitle()
    return NoneTitle(
        has_title=1.0,
        names_candidate=bool(named),
        gender_fit=title.female if wanted == 1.0 else 1.0 - title.female,
        two_or_three_words=len(title.words) in (2, 3),
        names_fair_gender_fit=max(named, default=0.0) > 0.4,
    )
