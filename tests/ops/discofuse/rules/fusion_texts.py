"""Test texts, parsed by the real pipeline.

Belongs here: the outcome of a text on one line, and coreference links that a test gives by hand.
"""

from __future__ import annotations

import dataclasses
import re
from functools import lru_cache

from silverloom.ops.coreference.links import Link
from silverloom.ops.discofuse.annotation import Annotation
from silverloom.ops.discofuse.dataset.pipeline import annotator
from silverloom.ops.discofuse.dataset.unfuse import annotated
from silverloom.ops.discofuse.rules import RuleParams, candidates
from silverloom.ops.discofuse.rules.rule import Candidate

_MARKED = re.compile(r"([\[{])(.+?)[\]}]")
_PRONOUNS = {
    "he",
    "she",
    "it",
    "they",
    "him",
    "her",
    "them",
    "his",
    "its",
    "their",
    "hers",
    "herself",
    "himself",
}


@lru_cache(maxsize=2048)
def annotation(text: str) -> Annotation:
    """The annotation of a text without links."""
    return dataclasses.replace(annotated(text, annotator()), links=())


def linked(marked: str, score: float = 0.9) -> Annotation:
    """The annotation of a tokenised text in which every {mention} refers to the [antecedent]."""
    spans: dict[str, list[tuple[int, int]]] = {"[": [], "{": []}
    words: list[str] = []
    at = 0
    for match in _MARKED.finditer(marked):
        words += marked[at : match.start()].split()
        inside = match.group(2).split()
        spans[match.group(1)].append((len(words), len(words) + len(inside)))
        words += inside
        at = match.end()
    words += marked[at:].split()
    parsed = annotation(" ".join(words))
    assert list(parsed.words) == words
    links = tuple(
        Link(
            "pronoun" if " ".join(words[slice(*mention)]).lower() in _PRONOUNS else "nominal",
            mention,
            antecedent,
            score,
        )
        for mention in spans["{"]
        for antecedent in spans["["]
    )
    return dataclasses.replace(parsed, links=links)


def splits(text: str | Annotation, *types: str, params: RuleParams | None = None) -> list[str]:
    """What the rules make of a text, one line for each result: connective, first and second sentence."""
    parsed = annotation(text) if isinstance(text, str) else text
    return [
        written(candidate)
        for candidate in candidates(parsed, params or RuleParams())
        if not types or candidate.example.discourse_type in types
    ]


def written(candidate: Candidate) -> str:
    example = candidate.example
    sentences = (example.incoherent_first_sentence, example.incoherent_second_sentence)
    return " | ".join((example.connective_string, *sentences))
