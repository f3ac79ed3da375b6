"""A mention that means what stands somewhere before it.

Belongs here: the link, and entities as clusters of linked mentions. Not here: what finds links.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

#: First token and the token after the last, counted from the document's first.
TokenSpan: TypeAlias = tuple[int, int]

LinkKind: TypeAlias = Literal["pronoun", "nominal"]

#: What finds links.
Backend: TypeAlias = Literal["ranker", "fastcoref", "none"]


class Link(NamedTuple):
    """A pronoun ("his") or a nominal ("the team") with its antecedent, a mention that has a name or a noun.

    One mention may have several links, to the mentions of one entity. `score` is the probability that the two
    mean the same, 0 to 1.
    """

    kind: LinkKind
    mention: TokenSpan
    antecedent: TokenSpan
    score: float


class FoundLinks(NamedTuple):
    """What a back end finds in a document."""

    links: Sequence[Link]
    """By the mention's first token."""
    later: Sequence[Link] = ()
    """Pronouns whose name comes after them in the sentence; clusters know of them, rules do not."""
    names: Sequence[Sequence[TokenSpan]] = ()
    """Mentions of one name, for each name."""


def clusters(found: FoundLinks, threshold: float, nominal_threshold: float) -> list[list[TokenSpan]]:
    """Return the mentions of each entity in order: those that links above the thresholds join.

    Of a mention's links only those of the best score count, so that no mention joins two entities.
    """
    kept = [
        link
        for link in (*found.links, *found.later)
        if link.score >= (threshold if link.kind == "pronoun" else nominal_threshold)
    ]
    best: dict[TokenSpan, float] = {}
    for link in kept:
        best[link.mention] = max(best.get(link.mention, 0.0), link.score)
    pairs = [(link.mention, link.antecedent) for link in kept if link.score == best[link.mention]]
    spoken = {span for pair in pairs for span in pair}
    joined = _joined(pairs, [group for group in found.names if any(span in spoken for span in group)])
    return sorted(sorted(members) for members in joined)


def _joined(
    pairs: Iterable[tuple[TokenSpan, TokenSpan]], groups: Iterable[Iterable[TokenSpan]]
) -> list[list[TokenSpan]]:
    """Return the connected components of spans."""
    parent: dict[TokenSpan, TokenSpan] = {}

    def root(span: TokenSpan) -> TokenSpan:
        parent.setdefault(span, span)
        while parent[span] != span:
            parent[span] = parent[parent[span]]
            span = parent[span]
        return span

    for group in (*pairs, *groups):
        first, *others = group
        for span in others:
            parent[root(span)] = root(first)
    members: dict[TokenSpan, list[TokenSpan]] = {}
    for span in parent:
        members.setdefault(root(span), []).append(span)
    return [spans for spans in members.values() if len(spans) > 1]
