"""A mention that means what stands somewhere before it.

Belongs here: the link, and entities as clusters of linked mentions. Not here: what finds links.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

#: First token and the token after the last, counted from the document's first.
Span: TypeAlias = tuple[int, int]

Kind: TypeAlias = Literal["pronoun", "nominal"]

#: What finds links.
Backend: TypeAlias = Literal["ranker", "fastcoref", "none"]


class Link(NamedTuple):
    """A pronoun ("his") or a nominal ("the team") with its antecedent, a mention that has a name or a noun.

    One mention may have several links, to the mentions of one entity. `score` is the probability that the two
    mean the same, 0 to 1.
    """

    kind: Kind
    mention: Span
    antecedent: Span
    score: float


class Found(NamedTuple):
    """What a back end finds in a document."""

    links: Sequence[Link]
    """By the mention's first token."""
    later: Sequence[Link] = ()
    """Pronouns whose name comes after them in the sentence; clusters know of them, rules do not."""
    names: Sequence[Sequence[Span]] = ()
    """Mentions of one name, for each name."""


def clusters(found: Found, threshold: float, nominal_threshold: float) -> list[list[Span]]:
    """Return the mentions of each entity in order: those that links above the thresholds join.

    Of a mention's links only those of the best score count, so that no mention joins two entities.
    """
    kept = [
        link
        for link in (*found.links, *found.later)
        if link.score >= (threshold if link.kind == "pronoun" else nominal_threshold)
    ]
    best: dict[Span, float] = {}
    for link in kept:
        best[link.mention] = max(best.get(link.mention, 0.0), link.score)
    pairs = [(link.mention, link.antecedent) for link in kept if link.score == best[link.mention]]
    spoken = {span for pair in pairs for span in pair}
    joined = _joined(pairs, [group for group in found.names if any(span in spoken for span in group)])
    return sorted(sorted(members) for members in joined)


def _joined(pairs: Iterable[tuple[Span, Span]], groups: Iterable[Iterable[Span]]) -> list[list[Span]]:
    """Return the connected components of spans."""
    parent: dict[Span, Span] = {}

    def root(span: Span) -> Span:
        parent.setdefault(span, span)
        while parent[span] != span:
            parent[span] = parent[parent[span]]
            span = parent[span]
        return span

    for group in (*pairs, *groups):
        first, *others = group
        for span in others:
            parent[root(span)] = root(first)
    members: dict[Span, list[Span]] = {}
    for span in parent:
        members.setdefault(root(span), []).append(span)
    return [spans for spans in members.values() if len(spans) > 1]
