"""Texts as ROUGE-1.5.5 reads them: sentences, limits, tokens, stop words, stems.

Belongs here: everything up to the tokens that are counted. Not here: counting and scores (rouge.py).

The rules are those of the Perl original (Lin 2004, release 1.5.5), functions readText, readText_LCS and
createNGram.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple, TypeAlias

from ops.text.stop_words import STOP_WORDS

#: A summary: its sentences, or a text with one sentence a line (the original's format SPL).
Text: TypeAlias = str | Sequence[str]

#: ASCII letters in lower case and digits stay, every other byte is a blank: the hyphen as well, because the
#: original makes a token of it and then drops tokens that begin with neither letter nor digit.
_TOKEN_BYTES = bytes(code if chr(code).isalnum() else 32 for code in bytes(range(128)).lower()) + b" " * 128

#: The original stems longer words only.
_SHORTEST_STEMMED = 4


class Tokens(NamedTuple):
    """What is counted of a summary."""

    running: list[str]
    """All tokens, one after the other; n-grams and skip-bigrams run across the ends of sentences."""
    sentences: list[list[str]]
    """The tokens of each sentence, for the longest common subsequence."""


def rouge_tokens(
    text: Text,
    stem: bool = False,
    stop_words: bool | Collection[str] = False,
    words: int | None = None,
    bytes: int | None = None,
) -> Tokens:
    """Return the tokens of a summary, each a run of ASCII letters (lower-cased) and digits.

    A hyphen, any other sign and any letter beyond ASCII divides tokens: "naïve" is "na", "ve". White space
    around sentences does not count, and empty sentences are none.

    `words`: only so many words, as divided by ASCII white space before anything else (option -l). `bytes`:
    only so many bytes of UTF-8, those between sentences not counted (-b). As in the original, the second one
    cuts `running` as said, but `sentences` at the first sentence that has so many bytes by itself: there the
    original forgets to add up. `stop_words`: tokens to leave out (-s); True stands for NLTK's 179, of which
    "don't" never occurs as a token. `stem`: NLTK's Porter stemmer, on tokens of more than three letters (-m).

    Raises ValueError for both limits at once or one below 1.
    """
    if words is not None and bytes is not None:
        raise ValueError("limit a summary in words or in bytes, not both")
    for name, limit in (("words", words), ("bytes", bytes)):
        if limit is not None and limit < 1:
            raise ValueError(f"the limit in {name} is {limit}; give 1 or more, or None for no limit")
    lines = text.split("\n") if isinstance(text, str) else text
    raw = [line for line in (line.encode("utf-8", "surrogatepass").strip() for line in lines) if line]
    if words is not None:
        raw = _first_words(raw, words)
    omitted = STOP_WORDS if stop_words is True else frozenset(stop_words or ())
    sentences = [_tokens(line, stem, omitted) for line in (raw if bytes is None else _below(raw, bytes))]
    counted = sentences if bytes is None else [_tokens(line, stem, omitted) for line in _cut(raw, bytes)]
    return Tokens([token for sentence in counted for token in sentence], sentences)


def _tokens(line: bytes, stem: bool, omitted: Collection[str]) -> list[str]:
    found = line.translate(_TOKEN_BYTES).decode("ascii").split()
    if omitted:
        found = [token for token in found if token not in omitted]
    return [_stem(token) for token in found] if stem else found


def _first_words(lines: Iterable[bytes], limit: int) -> list[bytes]:
    kept = []
    for line in lines:
        words = line.split()[:limit]
        kept.append(b" ".join(words))
        limit -= len(words)
        if limit == 0:
            break
    return kept


def _cut(lines: Iterable[bytes], limit: int) -> list[bytes]:
    kept = []
    for line in lines:
        kept.append(line[:limit])
        limit -= len(kept[-1])
        if limit == 0:
            break
    return kept


def _below(lines: Iterable[bytes], limit: int) -> list[bytes]:
    kept = []
    for line in lines:
        kept.append(line[:limit])
        if len(line) >= limit:
            break
    return kept


@cache
def _stemmer() -> Any:
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()


@lru_cache(maxsize=1 << 16)
def _stem(token: str) -> str:
    return token if len(token) < _SHORTEST_STEMMED else str(_stemmer().stem(token))
