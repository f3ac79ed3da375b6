"""The five operations upon token lists that every rule is made of (Geva et al. 2019, Table 13).

Belongs here: the operations, and the token list. Not here: which rule uses which (the rules' own modules), writing a
token list as text (writing.py). Positions count from 0 here, from 1 in the paper; no list is changed in place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

#: The position of a token in its document, or a word that is not in the document.
Token: TypeAlias = int | str
Tokens: TypeAlias = list[Token]


def delete(tokens: Tokens, start: int, count: int) -> Tokens:
    """Return `tokens` without the `count` tokens from `start` on."""
    return tokens[:start] + tokens[start + count :]


def prepend(tokens: Tokens, before: Sequence[Token]) -> Tokens:
    """Return `before`, then `tokens`."""
    return [*before, *tokens]


def replace(tokens: Tokens, old: Sequence[Token], new: Sequence[Token]) -> Tokens:
    """Return `tokens` with `new` in place of every occurrence of `old`, from the left, none overlapping."""
    sought = list(old)
    replaced: Tokens = []
    at = 0
    while at < len(tokens):
        if sought and tokens[at : at + len(sought)] == sought:
            replaced += new
            at += len(sought)
        else:
            replaced.append(tokens[at])
            at += 1
    return replaced


def split(tokens: Tokens, at: int) -> tuple[Tokens, Tokens]:
    """Return the tokens before position `at`, and those from it on."""
    return tokens[:at], tokens[at:]


def trim(tokens: Tokens, is_punctuation: Callable[[Token], bool]) -> Tokens:
    """Return `tokens` without what follows the first punctuation."""
    for at, token in enumerate(tokens):
        if is_punctuation(token):
            return tokens[: at + 1]
    return tokens
