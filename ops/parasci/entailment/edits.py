"""Edits of a sentence that change its meaning: hard negatives for an entailment model.

Belongs here: the edits, and which of the two texts still entails the other. Not here: which sentences are
edited (entailment.py), the model (model.py).

If a number, a name or a word is changed, a statement negated or a comparison reversed, neither text entails
the other. If a clause is dropped or added, the longer text entails the shorter one. [ours]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from ops.core.sampling import place_of
from ops.parasci.dataset.agreement import NAME, NUMBER_WORDS
from ops.text.words import STOP_WORDS

Item = TypeVar("Item")


class Edit(NamedTuple):
    """An edited sentence."""

    kind: str
    text: str
    forward: bool
    """Whether the sentence says all that the text says."""
    backward: bool
    """Whether the text says all that the sentence says."""


class Choices:
    """Random choices that depend only on a name."""

    def __init__(self, *name: object) -> None:
        self._name = name

    def place(self, role: str) -> float:
        """Return a number in [0, 1)."""
        return place_of(0, *self._name, role)

    def one(self, items: Sequence[Item], role: str) -> Item:
        """Return one of the items, which must not be empty."""
        return items[int(self.place(role) * len(items))]

    def shuffled(self, items: Sequence[str], role: str) -> list[str]:
        """Return the items in random order."""
        return sorted(items, key=lambda item: place_of(0, *self._name, role, item))


_NUMBER = re.compile(r"(?<![\w.\-])\d+(?:[.,]\d+)*")
_NUMBERS = NUMBER_WORDS.keys() - {"twice", "half"}
_WORD = re.compile(r"[^\W\d_]+")
_AUXILIARY = re.compile(
    r"\b(?:is|are|was|were|can|could|will|would|may|might|should|must|does|do|did|has|have|had)\b(?!\s+not\b)",
    re.IGNORECASE,
)
_NOT = re.compile(r"\s(?:not|never)\b")

#: Pairs of antonyms.
_OPPOSITES = """
    more/less higher/lower better/worse greater/smaller larger/smaller longer/shorter faster/slower
    stronger/weaker increase/decrease increases/decreases increased/decreased increasing/decreasing
    improve/degrade improves/degrades improved/degraded best/worst highest/lowest most/fewest
    positive/negative positively/negatively easier/harder easy/difficult above/below with/without before/after
    all/some first/last always/never maximum/minimum maximize/minimize upper/lower many/few
    supervised/unsupervised dependent/independent strong/weak large/small high/low long/short simple/complex
    similar/different same/different finite/infinite linear/nonlinear discrete/continuous local/global
    possible/impossible sufficient/insufficient known/unknown left/right outperforms/underperforms
    outperform/underperform
"""


def _opposites() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for pair in _OPPOSITES.split():
        first, second = pair.split("/")
        found.setdefault(first, second)
        found.setdefault(second, first)
    return found


_OPPOSITE = _opposites()

#: "A outperforms B", "A is faster than B": comparisons whose sides can be swapped.
_COMPARED = re.compile(
    r"""\b(?P<first>\w+)\s(?P<verb>outperforms?|exceeds?|precedes?|implies|causes?|contains?
    |(?:is|are|was|were)\s(?:more|less|\w+er)(?:\s\w+)?\sthan)\s(?P<second>(?:the\s)?\w+)""",
    re.VERBOSE,
)

#: The beginning of a clause or phrase that can be removed.
_CLAUSE = re.compile(
    r"""(?<=[,;:])\s|\s(?=[,;:(]\s|\()
    |\s(?=(?:which|where|when|because|since|while|although|by|using|with|without|for|if|under|from|in|based)\b)""",
    re.VERBOSE,
)
_END = re.compile(r"[\s.,;:]+\Z")
_SHORTEST_CLAUSE, _LONGEST_CLAUSE, _SHORTEST_REST = 3, 14, 5


def edited(sentence: str, other: str, draw: Choices, kinds: Sequence[str]) -> Edit | None:
    """Return an edit of one of these kinds, drawn at random; None if none of them fits the sentence.

    `other` is a sentence with another meaning, which supplies words, names and clauses.
    """
    for kind in draw.shuffled(kinds, "kind"):
        text = _EDITS[kind](sentence, other, draw)
        if text is not None and text.split() != sentence.split():
            return Edit(kind, text, kind == "dropped", kind == "added")
    return None


def _put(sentence: str, span: tuple[int, int], text: str) -> str:
    return sentence[: span[0]] + text + sentence[span[1] :]


def _number(sentence: str, _: str, draw: Choices) -> str | None:
    """Change one digit of a number, or a number word."""
    digits = [found.span() for found in _NUMBER.finditer(sentence)]
    words = [found.span() for found in _WORD.finditer(sentence) if found[0].lower() in _NUMBERS]
    if not digits + words:
        return None
    span = draw.one(digits + words, "number")
    word = sentence[slice(*span)]
    if span in words:
        return _put(sentence, span, draw.one(sorted(_NUMBERS - {word.lower()}), "other number"))
    place = draw.one([number for number, sign in enumerate(word) if sign.isdigit()], "digit")
    digit = draw.one([sign for sign in "123456789" if sign != word[place]], "other digit")
    return _put(sentence, span, word[:place] + digit + word[place + 1 :])


def _negation(sentence: str, _: str, draw: Choices) -> str | None:
    """Remove a "not" or "never", or add "not" after an auxiliary verb."""
    if found := _NOT.search(sentence):
        return _put(sentence, found.span(), "")
    verbs = [found.end() for found in _AUXILIARY.finditer(sentence) if found.end() < len(sentence)]
    if not verbs:
        return None
    place = draw.one(verbs, "verb")
    return f"{sentence[:place]} not{sentence[place:]}"


def _opposite(sentence: str, _: str, draw: Choices) -> str | None:
    """Replace a word by its antonym."""
    found = [word.span() for word in _WORD.finditer(sentence) if word[0].lower() in _OPPOSITE]
    if not found:
        return None
    span = draw.one(found, "opposite")
    return _put(sentence, span, _OPPOSITE[sentence[slice(*span)].lower()])


def _turned(sentence: str, _: str, __: Choices) -> str | None:
    """Swap both sides of a comparison."""
    found = _COMPARED.search(sentence)
    if found is None or found["first"].lower() == found["second"].lower():
        return None
    return _put(sentence, found.span(), f"{found['second']} {found['verb']} {found['first']}")


def _name(sentence: str, other: str, draw: Choices) -> str | None:
    """Replace a name by a name from another sentence."""
    its, others = (
        [found.span() for found in NAME.finditer(text) if found.start()] for text in (sentence, other)
    )
    names = {other[slice(*span)] for span in others} - {sentence[slice(*span)] for span in its}
    if not its or not names:
        return None
    return _put(sentence, draw.one(its, "name"), draw.one(sorted(names), "other name"))


def _word(sentence: str, other: str, draw: Choices) -> str | None:
    """Replace a content word by one from another sentence."""
    its = _content(sentence)
    words = {word.lower() for word, _ in _content(other)} - {word.lower() for word, _ in its}
    if not its or not words:
        return None
    return _put(sentence, draw.one(its, "word")[1], draw.one(sorted(words), "other word"))


def _content(sentence: str) -> list[tuple[str, tuple[int, int]]]:
    return [
        (found[0], found.span())
        for found in _WORD.finditer(sentence)
        if len(found[0]) > 4 and found[0].lower() not in STOP_WORDS
    ]


def _ended(text: str, sentence: str) -> str:
    """Return a text with the final punctuation of a sentence, so that no final comma reveals an edit."""
    end = _END.search(sentence)
    return _END.sub("", text) + (end[0] if end else "")


def _clauses(sentence: str) -> list[str]:
    return [clause for clause in _CLAUSE.split(sentence) if clause]


def _dropped(sentence: str, _: str, draw: Choices) -> str | None:
    """Remove a clause or a phrase, but not the first one."""
    found = _clauses(sentence)
    places = [
        place for place, clause in enumerate(found) if place and len(clause.split()) >= _SHORTEST_CLAUSE
    ]
    if not places:
        return None
    place = draw.one(places, "clause")
    rest = _ended(" ".join(found[:place] + found[place + 1 :]), sentence)
    return rest if len(rest.split()) >= _SHORTEST_REST else None


def _added(sentence: str, other: str, draw: Choices) -> str | None:
    """Insert a clause of another sentence between two clauses, or after the last one."""
    words = range(_SHORTEST_CLAUSE, _LONGEST_CLAUSE + 1)
    clauses = [_END.sub("", clause) for clause in _clauses(other)[1:] if len(clause.split()) in words]
    if not clauses:
        return None
    found = _clauses(sentence)
    place = 1 + int(draw.place("where") * len(found))
    found[-1] = _END.sub("", found[-1])
    return _ended(" ".join([*found[:place], draw.one(clauses, "clause"), *found[place:]]), sentence)


_EDITS: Mapping[str, Callable[[str, str, Choices], str | None]] = {
    "number": _number,
    "negation": _negation,
    "opposite": _opposite,
    "turned": _turned,
    "name": _name,
    "word": _word,
    "dropped": _dropped,
    "added": _added,
}

#: Edits after which neither text entails the other, and edits after which one does.
SENSE, CLAUSES = ("number", "negation", "opposite", "turned", "name", "word"), ("dropped", "added")
