"""What a pronoun and an entity that it may mean have in common, as numbers.

Belongs here: the features. Not here: which entities are looked at (candidates.py), what grammar says of two
places (clauses.py), what the numbers are worth (network.py).
"""

from __future__ import annotations

from math import log

from ops.coreference import titles
from ops.coreference.candidates import Candidate
from ops.coreference.chain import Earlier, chain, meant
from ops.coreference.clauses import (
    LONGEST,
    OBJECTS,
    SUBJECTS,
    commands,
    controls,
    is_main,
    relates,
    steps,
    violates_binding,
)
from ops.coreference.entities import Entity
from ops.coreference.lexicon import SAYING
from ops.coreference.mentions import Anaphor, Mention
from ops.coreference.tokens import Tokens

_ROLES = ("subject", "passive", "object", "oblique", "possessive", "apposition", "modifier", "other")
_PLACES = ("GPE", "LOC", "FAC")
_PREPOSITIONS = (
    ("by",),
    ("with",),
    ("of",),
    ("in", "at", "on", "from", "near"),
    ("to", "for"),
    ("as", "like", "than"),
)
_ONE_HOT = {role: [float(role == other) for other in _ROLES] for role in _ROLES}


def features(
    tokens: Tokens, anaphor: Anaphor, candidates: list[Candidate], earlier: list[Earlier]
) -> list[list[float]]:
    """Return a row of numbers per candidate, in order, and one row for "none of them"."""
    own, title = anaphor.mention, tokens.title
    gender = anaphor.pronoun.gender
    last = [item for item in earlier if item.anaphor.pronoun.gender == gender]
    opposite = [item for item in earlier if item.anaphor.pronoun.gender != gender]
    most = max((candidate.count for candidate in candidates), default=0)
    own_subject, own_object = own.role in SUBJECTS, own.role in OBJECTS
    rows: list[list[float]] = []
    fits = [_fit(candidate.entity, own.female, title) for candidate in candidates]
    best = max(fits, default=0.0)
    recency = 0
    subjects = 0
    of_pronoun = _pronoun(tokens, anaphor, candidates, fits)
    start = tokens.sentences[own.sentence][0]
    total = max(sum(candidate.count + candidate.following for candidate in candidates), 1)
    persons = 0
    named = [
        fit
        for candidate, fit in zip(candidates, fits, strict=True)
        if title and title.names(candidate.entity)
    ]
    for candidate, fit in zip(candidates, fits, strict=True):
        nearest = candidate.before[0] if candidate.before else candidate.after[0]
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
        depth, bound, related, ruled, way = -1, False, False, False, LONGEST
        if around:
            above = [d for m in in_sentence if (d := commands(anaphor, m)) >= 0]
            depth = min(above, default=-1)
            bound = any(violates_binding(tokens, anaphor, m) for m in around)
            way = min(steps(tokens, anaphor, m) for m in around)
            related = any(relates(tokens, anaphor, m) for m in around)
            ruled = any(controls(tokens, anaphor, m) for m in around)
        roles_here = {m.role for m in in_sentence}
        roles_previous = {m.role for m in in_previous}
        subject_here = not roles_here.isdisjoint(SUBJECTS)
        subject_previous = not roles_previous.isdisjoint(SUBJECTS)
        main_previous = subject_previous and any(is_main(tokens, m) for m in in_previous)
        main_here = subject_here and any(is_main(tokens, m) for m in in_sentence)
        is_subject = nearest.role in SUBJECTS
        is_object = nearest.role in OBJECTS
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
        commanding = [m for m in candidate.after if m.verb in anaphor.verbs and m.role in SUBJECTS]
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
            way / LONGEST,
            way <= 3,
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
        row += chain(candidate, last, own)
        row.append(min(meant(candidate, opposite), 2.0) / 2.0)
        row += of_pronoun
        row += _place(tokens, nearest)
        row += [
            related,
            ruled,
            min(persons, 4) / 4.0,
            (candidate.count + candidate.following) / total,
            0.45 < fit < 0.55,
            any(m.label in _PLACES for m in candidate.before),
            nearest.verb >= 0 and own.verb >= 0 and tokens.heads[own.verb] == nearest.verb != own.verb,
            distance == 0 and only_after and own.start - start <= 3,
        ]
        row += titles.of_candidate(title, candidate.entity, len(named) == 1)
        if not only_after and fit >= 0.4 and candidate.entity.person >= 0.5:
            persons += 1
        rows.append(row)
        if not only_after and fit >= 0.2:
            recency += 1
            subjects += is_subject
    rows.append(_none(anaphor, candidates, fits, last, titles.of_none(title, own.female, named)))
    return rows


def _pronoun(tokens: Tokens, anaphor: Anaphor, candidates: list[Candidate], fits: list[float]) -> list[float]:
    """Return what is the same for all candidates: the pronoun's role, clause and place, and its rivals."""
    own = anaphor.mention
    clause = tokens.dependencies[own.verb] if own.verb >= 0 else ""
    rivals = sum(
        fit >= 0.4 and candidate.entity.person >= 0.5 for candidate, fit in zip(candidates, fits, strict=True)
    )
    return [
        own.role in SUBJECTS,
        own.role in OBJECTS,
        anaphor.possessive,
        anaphor.pronoun.reflexive,
        clause == "advcl",
        clause in ("ccomp", "xcomp"),
        clause in ("relcl", "acl"),
        clause == "conj",
        clause == "ROOT",
        min(own.start - tokens.sentences[own.sentence][0], 40) / 40.0,
        anaphor.pronoun.gender == "f",
        rivals / 8.0,
    ]


def _place(tokens: Tokens, mention: Mention) -> list[float]:
    """Return where in its sentence a mention stands: behind which preposition, in a list, in brackets."""
    word = tokens.lower[tokens.heads[mention.head]] if mention.role == "oblique" else ""
    owned = tokens.dependencies[tokens.heads[mention.head]] if mention.role == "possessive" else ""
    return [
        *(word in prepositions for prepositions in _PREPOSITIONS),
        owned in ("nsubj", "nsubjpass"),
        mention.coordinated,
        mention.start > 0 and tokens.words[mention.start - 1] == "(",
        mention.label == "ORG",
        mention.start == tokens.sentences[mention.sentence][0],
    ]


def _none(
    anaphor: Anaphor,
    candidates: list[Candidate],
    fits: list[float],
    last: list[Earlier],
    of_title: list[float],
) -> list[float]:
    """Return the row of "none of them": zeros but for a few of the same places, read with the first at 0."""
    own = anaphor.mention
    row = [
        0.0,
        min(len(candidates), 8) / 8.0,
        own.sentence == 0,
        not candidates,
        sum(fit > 0.8 for fit in fits) / 4.0,
        sum(fit > 0.4 for fit in fits) / 8.0,
        anaphor.possessive,
        own.role in SUBJECTS,
        bool(last),
        1.0 - sum(last[-1].probabilities.values()) if last else 0.0,
        min(own.start, 60) / 60.0,
        *of_title,
    ]
    return row + [0.0] * (WIDTH - len(row))


def _fit(entity: Entity, wanted: float, title: titles.Title | None) -> float:
    told = title.gender_of(entity) if title else 0.5
    female = told if abs(told - 0.5) > abs(entity.female - 0.5) else entity.female
    return female if wanted == 1.0 else 1.0 - female


def _says(tokens: Tokens, mention: Mention) -> bool:
    return mention.role == "subject" and mention.verb >= 0 and tokens.lower[mention.verb] in SAYING


def _quoted(tokens: Tokens, start: int, end: int) -> bool:
    """Return whether a quotation opens or closes between two places that are near each other."""
    return end - start < 60 and not _QUOTES.isdisjoint(tokens.words[start:end])


_QUOTES = frozenset({'"', "``", "''", "“", "”"})
WIDTH = 132
