"""Write the tokens of a document as text: running text, and a token list as a sentence of its own.

Belongs here: whether a blank separates two tokens, adjacent or not; initial capital, full stop, no stray
comma. Not here: making token lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from silverloom.ops.discofuse.annotation import CLOSING, DIVIDING, OPENING, PAIRS, QUOTES, Annotation
from silverloom.ops.discofuse.rules.morphology import is_common
from silverloom.ops.discofuse.rules.rule import NAMES, VERBS, ParsedSentence, Token, TokenList, in_one_line

#: Both an opening and a closing mark: only the blanks around it tell.
_EITHER = frozenset({'"'})
#: These join two words if no blank follows them: "ex-king".
_JOINING = frozenset({"-", "--", "–", "—", "/"})
_FINAL = frozenset({".", "!", "?", "..."})
_OPENING = OPENING - _EITHER
_BLANK_BEHIND = (CLOSING - _EITHER) | (DIVIDING - _JOINING) | _FINAL
_ARTICLES = frozenset({"an", "the"})
_CLITICS = frozenset({"n't", "n’t"})
#: Natural text writes these without a blank before them.
_NEVER_APART = _FINAL | {",", ")", "]"}
#: The marks within this many tokens of a mark show how the document writes them.
_NEAR = 100
#: A mark after one of these is part of a formula: "1^-", "0\\,".
_OF_FORMULAS = frozenset("^_\\")
#: Marks that rules write without a blank before them.
_POSSESSIVES = frozenset({"'s", "'"})


def running(text: Sequence[ParsedSentence]) -> str:
    """Return a sentence, or two consecutive ones, as in the document, on one line."""
    first, last = text[0], text[-1]
    if first is last:
        return first.running()
    apart = first.annotation.spaces[first.end - 1] or last.start > first.end
    return first.running() + " " * apart + last.running()


_CLOSING = CLOSING | {"'"}
_STRAY = DIVIDING | {".", "...", "…"}
_STRAY_AT_END = _STRAY | {"!"}
_OPENED, _CLOSED = frozenset({"``", "“"}), frozenset({"''", "”"})
_IN_PAIRS = QUOTES | {mark for pair in PAIRS for mark in pair}
_WORDS_OF_CONTENT = VERBS | {"NN", "NNS", "JJ", "FW", "UH"}
_TYPES_OF_NAMES = frozenset(
    {"PERSON", "NORP", "FAC", "ORG", "GPE", "LOC", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW", "LANGUAGE"}
)


class Written(NamedTuple):
    """A sentence in two forms, which differ only in their blanks."""

    tokenised: str
    """With a blank between tokens."""
    running: str
    """With the document's spacing."""


def joined(annotation: Annotation, words: Sequence[str], tokens: Sequence[Token], end: int) -> str:
    """Return words as running text on one line; `tokens` are their positions, for words of the document.

    Words that are adjacent in the document keep its spacing. Words that a rule put together are separated by
    a blank, unless one is a mark or a clitic that the document writes without a blank. A full stop that a
    rule added has a blank before it if the document writes its marks so; the mark before `end` ends the
    sentence there. One such blank in natural text is only a trace of a citation that was taken out.
    """
    spaces = annotation.spaces
    written: list[str] = []
    before: Token = ""
    following = -1
    for word, token in zip(words, tokens, strict=True):
        if token == following:
            blank = spaces[following - 1]
        else:
            blank = bool(written) and _is_blank(annotation, before, token, end)
        written.append(" " + word if blank else word)
        before = token
        following = token + 1 if isinstance(token, int) else -1
    return in_one_line("".join(written))


def sentence(
    annotation: Annotation, tokens: TokenList, starts: Sequence[int], end: int, end_given: bool = False
) -> Written | None:
    """Return `tokens` as a sentence with a full stop, None if quotes or brackets are unbalanced or empty, or
    if it breaks off after an article.

    `starts` are the tokens that began a sentence of the text. Common words among them are written in lower
    case when they are no longer first. The text ends before `end`; a "!" that ends it stays. `end_given`: the
    tokens end there too, perhaps with a question mark or a bracket.
    """
    known = annotation.words
    try:
        words = list(map(known.__getitem__, tokens))  # type: ignore[arg-type]
    except TypeError:  # a word that is not in the document
        words = [known[token] if isinstance(token, int) else token for token in tokens]
    places = list(tokens)
    for start in starts:
        if start not in places[1:]:
            continue
        for at in [place for place, token in enumerate(tokens) if token == start]:
            if at and not (at == 1 and words[0] in OPENING):
                words[at] = _small(annotation, start)
    full_stop = "."
    while words and not end_given and (words[-1] in _STRAY_AT_END or words[-1].isspace()):
        if _is_of_formula(annotation, places[-1]):
            break
        full_stop = "!" if words[-1] == "!" else full_stop
        words.pop()
        places.pop()
    if not end_given and len(words) > 1 and words[-1] in _CLOSING and words[-2] in _STRAY:
        words[-2] = "."
    first = 0
    while first < len(words) and (words[first] in _STRAY or words[first].isspace()):
        first += 1
    del words[:first], places[:first]
    if not words or words[-1] in _ARTICLES or not _balanced(words) or _quotes_nothing(words):
        return None
    ended = words[-1] in _CLOSING and len(words) > 1 and words[-2] == "."
    # "prophase I.", "the U.S."
    ended = ended or (words[-1][-1] == "." and words[-1] not in _FINAL and len(words[-1]) > 1)
    if not end_given and not ended:
        words.append(full_stop)
        places.append(full_stop)
    begin = 1 if words[0] in OPENING and len(words) > 1 else 0
    # "( func start ) is part of it" begins in lower case in the text, too.
    small = words[begin][0].islower() and (len(words[begin]) == 1 or words[begin][1:].islower())
    opens = places[0]
    as_written = begin and opens in starts and isinstance(opens, int) and places[1] == opens + 1
    if small and not as_written:
        words[begin] = words[begin][0].upper() + words[begin][1:]
    text = " ".join(words)
    if not text.isascii() or "\n" in text or "  " in text:
        text = " ".join(text.split())
    if " , ," in text:
        text = text.replace(" , ,", " ,")
        words, places = _single_commas(words, places)
    return Written(text, joined(annotation, words, places, end))


def _is_blank(annotation: Annotation, left: Token, right: Token, end: int) -> bool:
    if isinstance(left, int) and _opens(annotation, left):
        return False
    if isinstance(right, int):
        return not _is_attached(annotation, right)
    return _ends_spaced(annotation, end) if right in _FINAL else right not in _POSSESSIVES


def _opens(annotation: Annotation, token: int) -> bool:
    """Return whether no blank follows a mark: "(", an opening quote, "$", the hyphen of "ex-king"."""
    word = annotation.words[token]
    if annotation.spaces[token] or word[0].isalnum() or word in _BLANK_BEHIND:
        return False
    return word in _JOINING or not _is_attached(annotation, token)


def _is_attached(annotation: Annotation, token: int) -> bool:
    """Return whether no blank precedes a mark or a clitic: a comma, ")", a closing quote, "'s"."""
    word = annotation.words[token]
    if token == 0 or annotation.spaces[token - 1] or annotation.words[token - 1].isspace():
        return False
    if word in _EITHER and annotation.words[token - 1] in _OPENING:
        return False
    return word in _CLITICS or not (word[0].isalnum() or word in _OPENING)


def _ends_spaced(annotation: Annotation, end: int) -> bool:
    """Return whether a blank precedes the mark that ends a sentence, perhaps inside quotes or brackets."""
    for at in range(end - 1, max(end - 3, 0), -1):
        if annotation.words[at] in _FINAL:
            return bool(annotation.spaces[at - 1]) and _writes_marks_apart(annotation, at)
    return False


def _writes_marks_apart(annotation: Annotation, mark: int) -> bool:
    """Return whether blanks precede all marks near this one, as in a tokenised document."""
    words, spaces = annotation.words, annotation.spaces
    near = range(max(mark - _NEAR, 1), min(mark + _NEAR, len(words)))
    return all(spaces[at - 1] or words[at] not in _NEVER_APART or words[at - 1].isspace() for at in near)


def _is_of_formula(annotation: Annotation, token: Token) -> bool:
    """Return whether a mark is the end of a formula: "1^-"."""
    if not isinstance(token, int) or token == 0 or annotation.spaces[token - 1]:
        return False
    return annotation.words[token] not in _FINAL and annotation.words[token - 1][-1] in _OF_FORMULAS


def _single_commas(words: Sequence[str], places: Sequence[Token]) -> tuple[list[str], TokenList]:
    """Return words and their positions without the second of two adjacent commas."""
    kept: list[tuple[str, Token]] = []
    left_out = False
    for word, place in zip(words, places, strict=True):
        if word.isspace():
            continue
        left_out = word == "," and bool(kept) and kept[-1][0] == "," and not left_out
        if not left_out:
            kept.append((word, place))
    return [word for word, _ in kept], [place for _, place in kept]


def _small(annotation: Annotation, token: int) -> str:
    word = annotation.words[token]
    if word == "I" or (not word[1:].islower() and len(word) > 1):
        return word
    if annotation.tags[token] in NAMES:
        return word
    if annotation.entities[token] in _TYPES_OF_NAMES and annotation.tags[token] not in ("DT", "PRP$"):
        return word
    if annotation.tags[token] in _WORDS_OF_CONTENT and not is_common(word.lower()):
        return word
    return word.lower()


def _quotes_nothing(words: Sequence[str]) -> bool:
    """Return whether quotation marks enclose nothing, because a rule took out the words: '" " he said'."""
    if QUOTES.isdisjoint(words):
        return False
    opened = words[0] in QUOTES and len(words) > 1 and words[1] in QUOTES
    return opened or any(left in _OPENED and right in _CLOSED for left, right in pairwise(words))


def _balanced(words: Sequence[str]) -> bool:
    if _IN_PAIRS.isdisjoint(words):
        return True
    if words.count('"') % 2:
        return False
    opened, closed = words.count("``"), words.count("''")
    if opened != closed and (opened or closed % 2):
        return False
    return all(words.count(first) == words.count(second) for first, second in PAIRS)
