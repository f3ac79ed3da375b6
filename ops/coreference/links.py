"""Links between a mention and an earlier mention with the same meaning.

Belongs here: the link, and entities as clusters of linked mentions. Not here: finding links.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

#: The index in the document of the first token, and of the token after the last.
TokenSpan: TypeAlias = tuple[int, int]

LinkKind: TypeAlias = Literal["pronoun", "nominal"]

#: The methods of finding links.
Backend: TypeAlias = Literal["ranker", "fastcoref", "none"]


class Link(NamedTuple):
    """A pronoun ("his") or a nominal ("the team") with its antecedent, a mention with a name or a noun.

    A mention may have several links, one to each mention of an entity. `score` is the probability, 0 to 1,
    that both refer to the same entity.
    """

    kind: LinkKind
    mention: TokenSpan
    antecedent: TokenSpan
    score: float


class DocumentLinks(NamedTuple):
    """The result of a back end for a document."""

    links: Sequence[Link]
    """Ordered by the mention's first token."""
    later: Sequence[Link] = ()
    """Links of pronouns to a later name in the sentence; clusters use these links, rules do not."""
    names: Sequence[Sequence[TokenSpan]] = ()
    """The mentions of each name."""


def clusters(resolved: DocumentLinks, threshold: float, nominal_threshold: float) -> list[list[TokenSpan]]:
    """Return the mentions of each entity in order; an entity is joined by links above the thresholds.

    Only a mention's links with the best score count, so that a mention does not join two entities.
    """
    kept = [
        link
        for link in (*resolved.links, *resolved.later)
        if link.score >= (threshold if link.kind == "pronoun" else nominal_threshold)
    ]
    best: dict[TokenSpan, float] = {}
    for link in kept:
        best[link.mention] = max(best.get(link.mention, 0.0), link.score)
    pairs = [(link.mention, link.antecedent) for link in kept if link.score == best[link.mention]]
    spoken = {span for pair in pairs for span in pair}
    joined = _joined(pairs, [group for group in resolved.names if any(span in spoken for span in group)])
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
