"""A mention that means what stands somewhere before it.

Belongs here: the link. Not here: what finds links.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

#: First token and the token after the last, counted from the document's first.
Span: TypeAlias = tuple[int, int]

Kind: TypeAlias = Literal["pronoun", "nominal"]


class Link(NamedTuple):
    """A pronoun ("his") or a nominal ("the team") with its antecedent, a mention that has a name or a noun.

    One mention may have several links, to the mentions of one entity. `score` is the probability that the two
    mean the same, 0 to 1.
    """

    kind: Kind
    mention: Span
    antecedent: Span
    score: float
