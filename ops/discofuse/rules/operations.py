"""The five operations upon token lists that every rule is made of (Geva et al. 2019, Table 13).

Belongs here: the operations, and the token list. Not here: which rule uses which (the rules' own modules),
writing a token list as text (writing.py). Positions count from 0 here, from 1 in the paper; no list is
changed in place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

#: The position of a token in its document, or a word that is not in the document.
Token: TypeAlias = int | str
TokenList: TypeAlias = list[Token]


def delete(tokens: TokenList, start: int, count: int) -> TokenList:
    """Return `tokens` without the `count` tokens from `start` on."""
    return tokens[:start] + tokens[start + count :]


def prepend(tokens: TokenList, before: Sequence[Token]) -> TokenList:
    """Return `before`, then `tokens`."""
    return [*before, *tokens]


def replace(tokens: TokenList, old: Sequence[Token], new: Sequence[Token]) -> TokenList:
    """Return `tokens` with `new` in place of every occurrence of `old`, from the left, none overlapping."""
    sought = list(old)
    replaced: TokenList = []
    at = 0
    while at < len(tokens):
        if sought and tokens[at : at + len(sought)] == sought:
            replaced += new
            at += len(sought)
        else:
            replaced.append(tokens[at])
            at += 1
    return replaced


def split(tokens: TokenList, at: int) -> tuple[TokenList, TokenList]:
    """Return the tokens before position `at`, and those from it on."""
    return tokens[:at], tokens[at:]


def trim(tokens: TokenList, is_punctuation: Callable[[Token], bool]) -> TokenList:
    """Return `tokens` without what follows the first punctuation."""
    for at, token in enumerate(tokens):
        if is_punctuation(token):
            return tokens[: at + 1]
    return tokens
