"""The five operations on token lists that all rules are built from (Geva et al. 2019, Table 13).

Belongs here: these alone. Not here: what a token list is (rule.py), writing it as text (writing.py).

Positions count from 0 here, from 1 in the paper; lists are never changed in place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from silverloom.ops.discofuse.rules.rule import Token, TokenList


def delete(tokens: TokenList, start: int, count: int) -> TokenList:
    """Return `tokens` without the `count` tokens from `start` on."""
    return tokens[:start] + tokens[start + count :]


def prepend(tokens: TokenList, before: Sequence[Token]) -> TokenList:
    """Return `before`, then `tokens`."""
    return [*before, *tokens]


def replace(tokens: TokenList, old: Sequence[Token], new: Sequence[Token]) -> TokenList:
    """Return `tokens` with each occurrence of `old` replaced by `new`, from the left, without overlaps."""
    sought = list(old)
    if not sought:
        return list(tokens)
    replaced: TokenList = []
    at, length = 0, len(sought)
    while True:
        try:
            match = tokens.index(sought[0], at)
        except ValueError:
            return replaced + tokens[at:]
        replaced += tokens[at:match]
        if tokens[match : match + length] == sought:
            replaced += new
            at = match + length
        else:
            replaced.append(tokens[match])
            at = match + 1


def split(tokens: TokenList, at: int) -> tuple[TokenList, TokenList]:
    """Return the tokens before position `at`, and the others."""
    return tokens[:at], tokens[at:]


def trim(tokens: TokenList, is_punctuation: Callable[[Token], bool]) -> TokenList:
    """Return `tokens` up to and including the first punctuation mark."""
    for at, token in enumerate(tokens):
        if is_punctuation(token):
            return tokens[: at + 1]
    return tokens
