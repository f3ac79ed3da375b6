"""Hashes of the nodes of a graph, each with everything that it reaches: a Merkle tree that may have cycles.

Belongs here: strongly connected components, and their hashes. Not here: the meaning of nodes and edges
(symbols.py: symbols of the project's code).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import TypeAlias, TypeVar

Node = TypeVar("Node")
#: Labelled edges; several may have the same label.
Edges: TypeAlias = list[tuple[str, Node]]


def components(
    first: Node, uses: Callable[[Node], Iterable[Node]], done: Container[Node]
) -> Iterator[list[Node]]:
    """Yield the strongly connected components reachable from a node, each after all that it reaches.

    Tarjan's algorithm (1972), without recursion: functions may call each other a thousand deep. Leaves out
    nodes in `done`.
    """
    order, lowest = {first: 0}, {first: 0}
    waiting = {first: None}
    path = [(first, iter(uses(first)))]
    while path:
        node, rest = path[-1]
        for used in rest:
            if used in waiting:
                lowest[node] = min(lowest[node], order[used])
            elif used not in order and used not in done:
                order[used] = lowest[used] = len(order)
                waiting[used] = None
                path.append((used, iter(uses(used))))
                break
        else:
            path.pop()
            if path:
                user = path[-1][0]
                lowest[user] = min(lowest[user], lowest[node])
            if lowest[node] == order[node]:
                component = [waiting.popitem()[0]]
                while component[-1] != node:
                    component.append(waiting.popitem()[0])
                yield component


def hashes_together(known: Mapping[Node, str], edges: Mapping[Node, Edges[Node]]) -> dict[Node, str]:
    """Return the hashes of the nodes of a component, given a hash of everything else that each consists of.

    With each round, a hash covers one more step of what a node reaches, until a round distinguishes no more
    nodes (partition refinement, Hopcroft 1971). Then the hashes of all nodes together become part of each. If
    these are equal for two components, no further round can distinguish their nodes, so the nodes reach the
    same to any depth. The order of the nodes does not matter.
    """
    found, count = dict(known), 0
    while any(edges.values()) and count < (count := len(set(found.values()))):
        found = {
            node: md5(repr([known[node], sorted((name, found[used]) for name, used in edges[node])]))
            for node in known
        }
    together = sorted(set(found.values()))
    return {node: md5(repr([own, together])) for node, own in found.items()}


def md5(content: str) -> str:
    """Return the MD5 of a text as UTF-8."""
    return hashlib.md5(content.encode(), usedforsecurity=False).hexdigest()
