"""The default back end: our own ranker, which finds links in the parse.

Belongs here: combining the links and names of a document, and resolving pronouns for women and men from left
to right. Not here: features and network (features.py, network.py), "it" and "they" (neuter_pronouns.py),
nominals (nominals.py).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from silverloom.ops.coreference.entities import Antecedent, Reading, Window
from silverloom.ops.coreference.features import features
from silverloom.ops.coreference.lexicon import GROUP_NAMES
from silverloom.ops.coreference.links import DocumentLinks, Link, TokenSpan
from silverloom.ops.coreference.mentions import Anaphor, Mention
from silverloom.ops.coreference.network import FloatArray, Network, network
from silverloom.ops.coreference.neuter_pronouns import neuter_pronouns
from silverloom.ops.coreference.nominals import nominals
from silverloom.ops.coreference.pairs import Earlier
from silverloom.ops.coreference.tokens import DocumentTokens

if TYPE_CHECKING:
    from spacy.tokens import Doc

#: The least score of a link that is kept; limits of entities per pronoun and of mentions per entity.
FLOOR, _ENTITIES, _MENTIONS = 0.2, 2, 4


def ranker(weights: Network | None = None) -> Callable[[Doc], DocumentLinks]:
    """Return a function that returns the links of a parsed document.

    A mention's links are ordered from the most probable entity down, and for one entity from the latest
    mention back. If an entity has names, only these are linked. Time is linear in the length of the document.
    """
    trained = weights or network()

    def find(document: Doc) -> DocumentLinks:
        reading = Reading.of(DocumentTokens.of(document))
        people, later = _people(reading, trained)
        links = [
            *people,
            *(
                Link("pronoun", _span(item.anaphor.mention), _extended(item.mention), item.score)
                for item in neuter_pronouns(reading)
            ),
            *(
                Link("nominal", _span(item.mention), _extended(item.antecedent), item.score)
                for item in nominals(reading)
            ),
        ]
        names = [
            [_extended(mention) for mention in entity.mentions]
            for entity in reading.people
            if len(entity.mentions) > 1
        ]
        return DocumentLinks(_kept(links), _kept(later), names)

    return find


def _kept(links: list[Link]) -> list[Link]:
    kept = (link._replace(score=round(link.score, 4)) for link in links if link.score >= FLOOR)
    return sorted(kept, key=lambda link: link.mention[0])


def _people(reading: Reading, trained: Network) -> tuple[list[Link], list[Link]]:
    """Return the links of "he" and "she" to earlier mentions, and to names that only come later."""
    links: list[Link] = []
    later: list[Link] = []
    for item in resolve(reading, trained):
        order = sorted(
            (index for index, candidate in enumerate(item.candidates) if not _group(candidate)),
            key=lambda index: (-round(float(item.probabilities[index]), 6), index),
        )
        span = _span(item.anaphor.mention)
        for index in order[:_ENTITIES]:
            candidate = item.candidates[index]
            score = trained.calibrated(float(item.probabilities[index]))
            for mention in _named(candidate):
                links.append(Link("pronoun", span, _extended(mention), score))
            if not candidate.before:
                antecedent = _extended(candidate.after[0])
                later.append(Link("pronoun", span, antecedent, score))
    return links, later


def _group(candidate: Antecedent) -> bool:
    """Return whether a name is certainly that of a team, an event or similar: "Leeds United"."""
    words = candidate.entity.words
    return len(words) > 1 and words[-1].lower() in GROUP_NAMES


def _named(candidate: Antecedent) -> list[Mention]:
    named = [mention for mention in candidate.before if mention.name]
    return (named or candidate.before)[:_MENTIONS]


def _span(mention: Mention) -> TokenSpan:
    return mention.start, mention.end


def _extended(mention: Mention) -> TokenSpan:
    """Return the tokens of a mention, including the article before a name: "the Lions"."""
    start = mention.start - mention.determined if mention.name else mention.start
    return start, mention.end


#: The number of preceding pronouns that are remembered.
_MEMORY = 12


@dataclass(frozen=True, slots=True)
class Resolved:
    """A pronoun with C candidates, C + 1 rows of features (the last for "none") and C + 1 probabilities."""

    anaphor: Anaphor
    candidates: list[Antecedent]
    rows: list[list[float]]
    probabilities: FloatArray


def resolve(reading: Reading, network: Network) -> Iterator[Resolved]:
    """Yield each pronoun for a woman or a man in order; each result is evidence for later pronouns."""
    window = Window(reading.people)
    earlier: deque[Earlier] = deque(maxlen=_MEMORY)
    for anaphor in reading.anaphors:
        if anaphor.pronoun.gender not in "fm":
            continue
        candidates = window.before(anaphor)
        rows = features(reading.tokens, anaphor, candidates, list(earlier))
        probabilities = network.probabilities(rows)
        numbers = [candidate.entity.number for candidate in candidates]
        earlier.append(Earlier(anaphor, dict(zip(numbers, probabilities[:-1].tolist(), strict=True))))
        yield Resolved(anaphor, candidates, rows, probabilities)
