"""What a pronoun and an entity that it may mean have in common, as numbers.

Belongs here: the features. Not here: which entities are looked at (candidates.py), what the numbers are worth
(network.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

from ops.coreference.entities import Entity
from ops.coreference.lexicon import SAYING
from ops.coreference.mentions import Anaphor, Mention
from ops.coreference.tokens import Tokens

_ROLES = ("subject", "passive", "object", "oblique", "possessive", "apposition", "modifier", "other")
_SUBJECTS = ("subject", "passive")
_OBJECTS = ("object", "oblique")
_ONE_HOT = {role: [float(role == other) for other in _ROLES] for role in _ROLES}


@dataclass(slots=True)
class Candidate:
    """An entity near a pronoun: its mentions before it, latest first, and those after it in its sentence."""

    entity: Entity
    before: list[Mention]
    after: list[Mention]
    count: int
    """Mentions of the entity from the document's first token to the pronoun."""
    following: int
    """Mentions after the pronoun, at most `candidates.FOLLOWING`."""


@dataclass(slots=True)
class Earlier:
    """A pronoun that has been resolved: how probable each entity, by its number, was found."""

    anaphor: Anaphor
    probabilities: dict[int, float]


def violates_binding(tokens: Tokens, anaphor: Anaphor, mention: Mention) -> bool:
    """Return whether grammar forbids that a pronoun means a mention of its own sentence.

    An object that is not reflexive is not its clause's subject; nothing is part of what it owns ("her friend
    Pauline"); what is coordinated are two ("Anna and her").
    """
    own = anaphor.mention
    if mention.sentence != own.sentence:
        return False
    if mention.head in anaphor.ancestors and (mention.head != own.verb):
        return True
    if tokens.dependencies[mention.head] == "appos" and tokens.heads[mention.head] in anaphor.ancestors:
        return True
    if anaphor.possessive or anaphor.pronoun.reflexive:
        return False
    if mention.verb == own.verb and own.verb >= 0 and {mention.role, own.role} & {"subject", "passive"}:
        if mention.role in _SUBJECTS and own.role == "object":
            return True
        if own.role in _SUBJECTS and mention.role in ("object", "subject", "passive"):
            return True
    return tokens.heads[own.head] == mention.head or tokens.heads[mention.head] == own.head


def commands(anaphor: Anaphor, mention: Mention) -> int:
    """Return how many clauses above the pronoun's own the mention is subject of; -1 if of none."""
    if mention.sentence != anaphor.mention.sentence or mention.role not in _SUBJECTS:
        return -1
    return anaphor.verbs.index(mention.verb) if mention.verb in anaphor.verbs else -1


def features(
    tokens: Tokens, anaphor: Anaphor, candidates: list[Candidate], earlier: list[Earlier]
) -> list[list[float]]:
    """Return a row of numbers per candidate, in order, and one row for "none of them"."""
    own = anaphor.mention
    gender = anaphor.pronoun.gender
    wanted = {"f": 1.0, "m": 0.0}.get(gender)
    last = [item for item in earlier if item.anaphor.pronoun.gender == gender]
    opposite = [item for item in earlier if item.anaphor.pronoun.gender != gender]
    most = max((candidate.count for candidate in candidates), default=0)
    best = max((_fit(candidate.entity, wanted) for candidate in candidates), default=0.0)
    own_subject, own_object = own.role in _SUBJECTS, own.role in _OBJECTS
    rows: list[list[float]] = []
    fits = [_fit(candidate.entity, wanted) for candidate in candidates]
    recency = 0
    subjects = 0
    for candidate, fit in zip(candidates, fits, strict=True):
        nearest = candidate.before[0] if candidate.before else candidate.after[0]
        number = candidate.entity.number
        only_after = not candidate.before
        distance = own.sentence - nearest.sentence
        in_sentence: list[Mention] = []
        in_previous: list[Mention] = []
        early = begins = relative = conjunct = False
        for mention in candidate.before:
            early = early or mention.start < 12
            if mention.sentence == own.sentence:
                in_sentence.append(mention)
            elif mention.sentence == own.sentence - 1:
                in_previous.append(mention)
            else:
                continue
            begins = begins or mention.start - tokens.sentences[mention.sentence][0] <= 2
            relative = relative or mention.relative
            conjunct = conjunct or mention.conjunct
        around = in_sentence + candidate.after
        depth, bound, steps = -1, False, 12
        if around:
            above = [d for m in in_sentence if (d := commands(anaphor, m)) >= 0]
            depth = min(above, default=-1)
            bound = any(violates_binding(tokens, anaphor, m) for m in around)
            steps = min(_steps(tokens, anaphor, m) for m in around)
        roles_here = {m.role for m in in_sentence}
        roles_previous = {m.role for m in in_previous}
        subject_here = not roles_here.isdisjoint(_SUBJECTS)
        subject_previous = not roles_previous.isdisjoint(_SUBJECTS)
        main_previous = subject_previous and any(_is_main(tokens, m) for m in in_previous)
        main_here = subject_here and any(_is_main(tokens, m) for m in in_sentence)
        is_subject = nearest.role in _SUBJECTS
        is_object = nearest.role in _OBJECTS
        gap = own.start - nearest.end if not only_after else nearest.start - own.end
        row: list[float] = [
            1.0,
            only_after,
            distance == 0 and not only_after,
            distance == 1,
            distance == 2,
            distance >= 3,
            log(1.0 + max(gap, 0)) / 5.0,
            min(recency, 5) / 5.0,
            recency == 0 and not only_after,
            recency == 1,
        ]
        row += _ONE_HOT[nearest.role]
        row += [
            nearest.conjunct,
            nearest.role == own.role,
            is_subject and own_subject,
            is_subject and anaphor.possessive,
            is_subject and own_object,
            is_object and own_object,
            is_object and own_subject,
            nearest.role == "possessive" and anaphor.possessive,
            nearest.role == "possessive" and own_subject,
            subject_here,
            subject_previous,
            subject_previous and own_subject,
            main_here,
            main_previous,
            main_previous and own_subject,
            begins,
            depth == 0,
            depth == 1,
            depth >= 2,
            depth == 0 and anaphor.possessive,
            bound,
            bound and anaphor.possessive,
            anaphor.pronoun.reflexive and depth == 0,
            min(len(candidate.before), 4) / 4.0,
            min(candidate.count, 6) / 6.0,
            candidate.count == 1,
            bool(in_sentence and in_previous),
            early,
            _says(tokens, nearest),
            min(len(candidate.entity.words), 3) / 3.0,
            candidate.entity.person,
            candidate.entity.person >= 1.0,
            nearest.label == "PERSON",
            nearest.label in ("ORG", "GPE", "LOC", "FAC"),
            nearest.label in ("WORK_OF_ART", "EVENT", "PRODUCT", "NORP", "LAW"),
            nearest.name,
            fit,
            fit > 0.8,
            fit < 0.2,
            min(subjects, 3) / 3.0,
            nearest.plural,
            not only_after and _quoted(tokens, nearest.end, own.start),
        ]
        commanding = [m for m in candidate.after if m.verb in anaphor.verbs and m.role in _SUBJECTS]
        row += [
            bool(commanding),
            bool(commanding) and anaphor.possessive,
            bool(commanding) and only_after,
            bool(candidate.after),
            nearest.determined and nearest.name,
            relative,
            own.role in roles_here,
            own.role in roles_previous,
            "object" in roles_here,
            "possessive" in roles_here or "possessive" in roles_previous,
            conjunct,
            steps / 12.0,
            steps <= 3,
            min(candidate.count, 6) / max(most, 1),
            candidate.count == most,
            best - fit,
            fit == best,
            min(candidate.following, 4) / 4.0,
            candidate.following == 0,
            len(candidate.entity.words) > 1 and nearest.end - nearest.start == 1,
            nearest.verb >= 0 and tokens.lower[nearest.verb] == tokens.lower[own.verb],
            own.start - tokens.sentences[own.sentence][0] <= 1 and subject_previous,
            distance == 0 and nearest.verb == own.verb and not only_after,
            distance == 0 and nearest.verb in anaphor.verbs[1:] and not only_after,
            nearest.role == "possessive" and distance == 0,
        ]
        row += _chain(candidate, number, last, own)
        other = sum(item.probabilities.get(number, 0.0) for item in opposite)
        row.append(min(other, 2.0) / 2.0)
        rows.append(row)
        if not only_after and fit >= 0.2:
            recency += 1
            subjects += is_subject
    rows.append(_none(anaphor, candidates, fits, last, len(rows[0]) if rows else WIDTH))
    return rows


def _chain(candidate: Candidate, number: int, last: list[Earlier], own: Mention) -> list[float]:
    """Return what earlier pronouns of the same gender say: of whom one speaks, one goes on to speak."""
    if not last:
        return [0.0] * 9
    latest = last[-1]
    probability = latest.probabilities.get(number, 0.0)
    distance = own.sentence - latest.anaphor.mention.sentence
    nearest = candidate.before[0].start if candidate.before else -1
    between = sum(item.anaphor.mention.start > nearest for item in last)
    total = sum(item.probabilities.get(number, 0.0) for item in last)
    same_role = latest.anaphor.mention.role == own.role
    subject = latest.anaphor.mention.role in _SUBJECTS
    return [
        probability,
        probability * (distance == 0),
        probability * (distance == 1),
        probability * same_role,
        probability * subject,
        min(total, 3.0) / 3.0,
        total / len(last),
        min(between, 4) / 4.0,
        probability * (latest.anaphor.mention.verb == own.verb),
    ]


def _none(
    anaphor: Anaphor, candidates: list[Candidate], fits: list[float], last: list[Earlier], width: int
) -> list[float]:
    """Return the row of "none of them": zeros but for a few of the same places, read with the first at 0."""
    own = anaphor.mention
    row = [0.0] * width
    row[1] = min(len(candidates), 8) / 8.0
    row[2] = float(own.sentence == 0)
    row[3] = float(not candidates)
    row[4] = sum(fit > 0.8 for fit in fits) / 4.0
    row[5] = sum(fit > 0.4 for fit in fits) / 8.0
    row[6] = float(anaphor.possessive)
    row[7] = float(own.role in _SUBJECTS)
    row[8] = float(bool(last))
    row[9] = 1.0 - sum(last[-1].probabilities.values()) if last else 0.0
    row[10] = min(own.start, 60) / 60.0
    return row


def _fit(entity: Entity, wanted: float | None) -> float:
    if wanted is None:
        return 0.5
    return entity.female if wanted == 1.0 else 1.0 - entity.female


def _is_main(tokens: Tokens, mention: Mention) -> bool:
    return mention.role in _SUBJECTS and mention.verb >= 0 and tokens.heads[mention.verb] == mention.verb


def _steps(tokens: Tokens, anaphor: Anaphor, mention: Mention) -> int:
    """Return the edges from a mention up to the first ancestor that it shares with a pronoun; 12 at most."""
    node = mention.head
    for step in range(12):
        if node in anaphor.ancestors:
            return step
        if tokens.heads[node] == node:
            break
        node = tokens.heads[node]
    return 12


def _says(tokens: Tokens, mention: Mention) -> bool:
    return mention.role == "subject" and mention.verb >= 0 and tokens.lower[mention.verb] in SAYING


def _quoted(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether a quotation opens or closes between two places that are near each other."""
    return end - start < 60 and not _QUOTES.isdisjoint(tokens.words[start:end])


_QUOTES = frozenset({'"', "``", "''", "“", "”"})
WIDTH = 95
