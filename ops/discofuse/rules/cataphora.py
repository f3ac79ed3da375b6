"""A sentence that begins with a participle whose subject follows: "Visiting Rome , Ann fell ill".

Belongs here: the cataphora rule. Not here: clauses after a connective (subordination.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from silverloom.ops.discofuse.rules.commas import PEOPLE
from silverloom.ops.discofuse.rules.morphology import is_past
from silverloom.ops.discofuse.rules.operations import delete, prepend, split
from silverloom.ops.discofuse.rules.participles import made_finite
from silverloom.ops.discofuse.rules.rule import (
    AUXILIARIES,
    NAMES,
    ParsedSentence,
    Rule,
    RuleParams,
    RuleResult,
)

#: Participles that have become prepositions or conjunctions, so their subject is not the noun after the
#: comma.
_PREPOSITIONS = frozenset(
    {
        "according", "assuming", "beginning", "ending", "barring", "concerning", "considering", "depending",
        "during", "excepting",
        "excluding", "failing", "following", "granting", "given", "including", "involving", "judging",
        "notwithstanding",
        "owing", "pending", "providing", "regarding", "relating", "respecting", "speaking", "starting",
        "stemming", "arising", "resulting", "supposing", "touching", "talking", "generally",
    }
)  # fmt: skip
_PRONOUNS_AND_NAMES = NAMES | {"PRP"}
#: These do something themselves, also in a passive clause.
_PERSONAL = frozenset({"i", "we", "he", "she", "who"})
_CONDITIONAL = frozenset({"would", "'d", "’d", "should"})
_MODALS = frozenset({"could", "might", "may"})


class _Participle(NamedTuple):
    comma: int
    subject: int


def _detect_participle(sentence: ParsedSentence, params: RuleParams) -> Iterator[_Participle]:
    start = sentence.start
    if sentence.tags[start] != "VBG":
        return
    root, released = sentence.root, params.profile == "released"
    if root <= start:
        return
    if sentence.lower[start] in _PREPOSITIONS and not released:
        return
    subject = sentence.subject(root)
    if subject is None or not sentence.is_finite(root):
        return
    named = sentence.tags[subject] in _PRONOUNS_AND_NAMES or sentence.words[subject][0].isupper()
    # "Seeing the door , the thief entered": only of a person is it sure who sees.
    if not (named or sentence.lower[subject] in PEOPLE or released) or _is_hypothetical(sentence, subject):
        return
    # "Using a probe , the cells were counted": somebody else used it.
    if sentence.child(root, "auxpass") is not None and not (_is_somebody(sentence, subject) or released):
        return
    comma = sentence.left(subject) - 1
    if comma <= start or sentence.lower[comma] != "," or subject > root or sentence.lower[subject] == "it":
        return
    participle = sentence.head_of(start, comma)
    if participle is None or sentence.heads[participle] != root or sentence.subject(participle) is not None:
        return
    carries = participle == start or (
        sentence.heads[start] == participle and sentence.dependencies[start] in AUXILIARIES
    )
    if carries and sentence.dependencies[participle] in ("advcl", "csubj", "dep", "acl", "ccomp"):
        yield _Participle(comma, subject)


def _is_somebody(sentence: ParsedSentence, noun: int) -> bool:
    person = sentence.annotation.entities[noun] == "PERSON"
    return person or sentence.lower[noun] in _PERSONAL or sentence.lower[noun] in PEOPLE


def _is_hypothetical(sentence: ParsedSentence, subject: int) -> bool:
    """Return whether a participle may be a condition, because the main verb says what would be, or its
    subject is anybody: "Living in that house , he would have heard it", "Reading it , you may think so"."""
    if sentence.lower[subject] in ("you", "one"):
        return True
    modals = [sentence.lower[at] for at in sentence.auxiliaries(sentence.root)]
    return not _CONDITIONAL.isdisjoint(modals) or ("have" in modals and not _MODALS.isdisjoint(modals))


def _apply_participle(sentence: ParsedSentence, participle: _Participle) -> RuleResult | None:
    first, second = split(sentence.tokens(), participle.comma - sentence.start)
    past = is_past(sentence, sentence.root)
    clause = made_finite(sentence, first, sentence.start, participle.subject, past)
    if clause is None:
        return None
    phrase = sentence.tokens(participle.comma + 1, sentence.right(participle.subject) + 1)
    return RuleResult(prepend(clause, phrase), delete(second, 0, 1))


RULES = (
    Rule(
        name="cataphora",
        row="Cataphora",
        discourse_type="SINGLE_CATAPHORA",
        triggers=frozenset({","}),
        detect=_detect_participle,
        apply=_apply_participle,
    ),
)
