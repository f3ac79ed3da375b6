"""A sentence that opens with a participle whose subject follows.

Belongs here: cataphora. Not here: participles behind a connective (subordination.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ops.discofuse.rules.morphology import finite, is_past
from ops.discofuse.rules.operations import delete, prepend, split
from ops.discofuse.rules.rule import Rule, RuleParams, RuleResult
from ops.discofuse.rules.sentence import AUXILIARIES, NAMES, ParsedSentence

#: Participles that have become prepositions or conjunctions: they have no subject to be found behind the
#: comma.
_PREPOSITIONS = frozenset(
    {
        "according", "assuming", "beginning", "ending", "barring", "concerning", "considering", "depending",
        "during", "excepting",
        "excluding", "failing", "following", "granting", "given", "including", "involving", "judging",
        "notwithstanding",
        "owing", "pending", "providing", "regarding", "relating", "respecting", "seeing", "speaking",
        "starting",
        "stemming", "arising", "resulting", "supposing", "touching", "talking", "generally",
    }
)  # fmt: skip
_PRONOUNS_AND_NAMES = NAMES | {"PRP"}


class _Participle(NamedTuple):
    comma: int
    subject: int


def _detect(sentence: ParsedSentence, params: RuleParams) -> Iterator[_Participle]:
    start, root = sentence.start, sentence.root
    if sentence.tags[start] != "VBG" or sentence.lower[start] in _PREPOSITIONS or root <= start:
        return
    subject = sentence.subject(root)
    if subject is None or not sentence.is_finite(root):
        return
    if sentence.tags[subject] not in _PRONOUNS_AND_NAMES and not sentence.words[subject][0].isupper():
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


def _apply(sentence: ParsedSentence, found: _Participle) -> RuleResult | None:
    form = finite(sentence, sentence.start, found.subject, is_past(sentence, sentence.root))
    if form is None:
        return None
    first, second = split(sentence.tokens(), found.comma - sentence.start)
    phrase = sentence.tokens(found.comma + 1, sentence.right(found.subject) + 1)
    return RuleResult(prepend(delete(first, 0, 1), [*phrase, form]), delete(second, 0, 1))


RULES = (
    Rule(
        name="cataphora", row="Cataphora", discourse_type="SINGLE_CATAPHORA", triggers=frozenset({","}),
        detect=_detect, apply=_apply,
    ),
)  # fmt: skip
