"""Two sentences tied by a connective in the second.

Belongs here: the discourse connective rule. Not here: which words are connectives (connectives.py), pronouns
(anaphora.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ops.discofuse.build.marks import OPENING
from ops.discofuse.rules.connectives import BACKWARD_PHRASES, is_inside, is_opening
from ops.discofuse.rules.operations import delete
from ops.discofuse.rules.rule import Rule, RuleParams, RuleResult
from ops.discofuse.rules.sentence import FINITE, SUBJECTS, ParsedSentence


class _Connective(NamedTuple):
    start: int
    end: int
    deleted: tuple[int, int]
    """From the first token that goes to the one behind the last; with a comma or two."""
    text: str


def _detect(sentence: ParsedSentence, params: RuleParams) -> Iterator[_Connective]:
    lower = sentence.lower
    opening = sentence.start
    while opening < sentence.end and sentence.words[opening] in OPENING:
        opening += 1
    for start in range(opening, min(sentence.start + params.connective_within, sentence.end - 1)):
        for words in BACKWARD_PHRASES.get(lower[start], ()):
            end = start + len(words)
            if end < sentence.end and lower[start:end] == words:
                found = _at(sentence, start, end, start == opening)
                if found and _is_sentence_without(sentence, found):
                    yield found
                    return
                break


def _at(sentence: ParsedSentence, start: int, end: int, opens: bool) -> _Connective | None:
    lower = sentence.lower
    comma = lower[end] == ","
    text = " ".join(lower[start:end]) + (" ," if comma else "")
    if opens:
        if lower[end] == "else" or not is_opening(sentence, start, end, comma):
            return None
        return _Connective(start, end, (start, end + comma), text)
    set_off = comma and lower[start - 1] == ","
    if not is_inside(sentence, start, end, set_off):
        return None
    if not set_off:
        return _Connective(start, end, (start, end), text)
    # "In 1990 , however , he left": what stands before the subject keeps its comma.
    fronted = SUBJECTS.isdisjoint(sentence.dependencies[sentence.start : start])
    return _Connective(start, end, (start if fronted else start - 1, end + 1), text)


def _is_sentence_without(sentence: ParsedSentence, found: _Connective) -> bool:
    """Tell whether both sentences are clauses once the connective is gone."""
    before = sentence.before
    if before is None or FINITE.isdisjoint(before.tags[before.start : before.end]):
        return False
    root = sentence.root
    subject = sentence.subject(root)
    return (
        subject is not None
        and sentence.is_finite(root)
        and not any(found.deleted[0] <= at < found.deleted[1] for at in (root, subject))
    )


def _apply(sentence: ParsedSentence, found: _Connective) -> RuleResult:
    assert sentence.before is not None
    start, end = found.deleted
    return RuleResult(
        sentence.before.tokens(), delete(sentence.tokens(), start - sentence.start, end - start), found.text
    )


RULES = (
    Rule(
        name="discourse_connective",
        row="Discourse connective",
        discourse_type="PAIR_CONN",
        with_anaphora="PAIR_CONN_ANAPHORA",
        of_pairs=True,
        triggers=frozenset(BACKWARD_PHRASES),
        detect=_detect,
        apply=_apply,
    ),
)
