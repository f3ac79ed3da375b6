"""A noun phrase with something said about it between two commas.

Belongs here: relative clauses and appositions. Not here: what follows a noun without commas; both rules
leave it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ops.discofuse.rules.connectives import RELATIVE
from ops.discofuse.rules.morphology import agree, be, is_past, is_plural, possessive
from ops.discofuse.rules.rule import (
    FINITE,
    NAMES,
    NOUNS,
    TIMES,
    VERBS,
    WH_WORDS,
    ParsedSentence,
    Rule,
    RuleParams,
    RuleResult,
    TokenList,
    delete,
    prepend,
)

_NEED_NO_COMMA = frozenset({"CC", "IN", "TO", "WDT", "WP", "WRB"})
#: What may follow the second comma where neither the subject nor the verb does.
_GO_ON = _NEED_NO_COMMA | {"VBG"}
_NO_PERSONS = TIMES | {"GPE", "LOC", "FAC", "PRODUCT"}
_PERSONS = TIMES | {"PERSON"}


class _Between(NamedTuple):
    """What stands between two commas."""

    noun: int
    phrase: int
    """First token of the noun phrase that ends before the first comma."""
    start: int
    """The first comma."""
    end: int
    """The second comma."""
    gap: int | None = None
    """The token of a relative clause behind which its object is missing, the clause's end for a subject."""


def _between(sentence: ParsedSentence, noun: int, comma: int, end: int) -> _Between | None:
    """Return what stands from `comma` to `end` if it is between two commas and the rest is a clause without
    it."""
    lower = sentence.lower
    if (
        comma <= sentence.start
        or lower[comma] != ","
        or not comma < end < sentence.end - 2
        or lower[end] != ","
    ):
        return None
    root = sentence.root
    if comma < root < end or not sentence.is_clause(root) or sentence.tags[noun] not in NOUNS:
        return None
    phrase = sentence.noun_phrase_before(noun, comma)
    if phrase is None or phrase <= root < comma or "," in lower[phrase:comma]:
        return None
    # "A , who came , B and C": the commas may be those of a list.
    listed = sentence.child(noun, "conj")
    if sentence.dependencies[noun] == "conj" or (listed is not None and listed > end):
        return None
    is_subject = _is_subject_of(sentence, phrase, noun, end + 1)
    if sentence.tags[end + 1] in FINITE and not is_subject:
        return None
    found = _Between(noun, phrase, comma, end)
    if not is_subject and not _is_before_subject(sentence, found):
        return found if sentence.tags[end + 1] in _GO_ON else None
    # "The highway , a new road , it passes ...": what stands before a subject is the object of something.
    return found if is_subject or sentence.dependencies[noun] in ("pobj", "dobj", "pcomp") else None


def _is_subject_of(sentence: ParsedSentence, phrase: int, noun: int, following: int) -> bool:
    """Tell whether a noun phrase is in the subject of the clause whose verb group or adverb is at
    `following`."""
    verb = following
    if sentence.dependencies[following] in ("aux", "auxpass", "advmod", "neg"):
        verb = sentence.heads[following]
    subject = sentence.subject(verb) if sentence.start <= verb < sentence.end else None
    if subject is None or subject > verb:
        return False
    return sentence.left(subject) <= phrase and noun <= sentence.right(subject) < verb


def _without(sentence: ParsedSentence, found: _Between) -> TokenList:
    """Return the sentence without what stands between the commas, and without these."""
    following = found.end + 1
    # "In Paris , which he loved , he lived alone": only a verb, a conjunction or a preposition goes without
    # the comma.
    bare = (
        _is_subject_of(sentence, found.phrase, found.noun, following)
        or sentence.tags[following] in _NEED_NO_COMMA
    )
    # "Her father , Edmond , a baker , moved": the comma closes what was opened before.
    opened = sentence.dependencies[found.noun] == "appos" and sentence.lower[found.phrase - 1] == ","
    end = following if bare and not opened else found.end
    return delete(sentence.tokens(), found.start - sentence.start, end - found.start)


def _is_before_subject(sentence: ParsedSentence, found: _Between) -> bool:
    subject = sentence.subject(sentence.root)
    return subject is not None and sentence.left(subject) > found.end


def _detect_relative(sentence: ParsedSentence, params: RuleParams) -> Iterator[_Between]:
    for pronoun in sentence.positions(RELATIVE):
        if not sentence.start + 2 <= pronoun < sentence.end - 3 or sentence.lower[pronoun - 1] != ",":
            continue
        verb = pronoun
        while sentence.dependencies[verb] != "relcl" and sentence.start <= sentence.heads[verb] != verb:
            verb = sentence.heads[verb]
        if sentence.dependencies[verb] != "relcl" or sentence.left(verb) != pronoun:
            continue
        if _is_in_modifier(sentence, sentence.heads[verb]):
            continue
        found = _between(sentence, sentence.heads[verb], pronoun - 1, sentence.right(verb) + 1)
        if found and _may_go_on(sentence, found.end + 1):
            continue
        gap = found and _gap(sentence, pronoun, verb, found.end)
        if found and gap is not None and _suits(sentence, found, verb, pronoun):
            yield found._replace(gap=gap)


def _is_in_modifier(sentence: ParsedSentence, noun: int) -> bool:
    """Tell whether a noun is part of a participle's phrase, when the clause may as well be about that one's
    noun."""
    at = noun
    while sentence.heads[at] != at and sentence.start <= sentence.heads[at] < sentence.end:
        at = sentence.heads[at]
        if sentence.dependencies[at] == "acl":
            return True
    return False


def _may_go_on(sentence: ParsedSentence, following: int) -> bool:
    """Tell whether a relative clause may go on behind its comma: "which was built in 1693 , and served as a
    tavern"."""
    if sentence.tags[following] != "CC":
        return False
    verb = _conjunct(sentence, following)
    return sentence.tags[verb] not in VERBS or sentence.subject(verb) is None


def _gap(sentence: ParsedSentence, pronoun: int, verb: int, end: int) -> int | None:
    """Return behind which token the pronoun's noun phrase belongs, None where that cannot be told."""
    label, head = sentence.dependencies[pronoun], sentence.heads[pronoun]
    subject = sentence.subject(verb)
    if subject is None or not sentence.is_finite(verb):
        return None
    if sentence.lower[pronoun] == "whose":
        return pronoun if label == "poss" and sentence.dependencies[head] in ("nsubj", "nsubjpass") else None
    if subject == pronoun:
        return pronoun
    if label not in ("dobj", "pobj") or not pronoun < head < end or not pronoun < subject < head + 1:
        return None
    particle = sentence.child(head, "prt")
    if sentence.child(head, "dobj") not in (None, pronoun):
        return None
    return head if particle is None else particle


def _suits(sentence: ParsedSentence, found: _Between, verb: int, pronoun: int) -> bool:
    """Tell whether a noun suits its pronoun and its verb; where not, the parser took the wrong noun."""
    last = found.start - 1
    if (
        sentence.lower[pronoun] != "which"
        and sentence.tags[last] in NAMES
        and sentence.tags[found.noun] not in NAMES
    ):
        return False  # "the eye of Selena , who ..."
    entity = sentence.annotation.entities[found.noun]
    if found.end > sentence.root and entity in (
        _NO_PERSONS if sentence.lower[pronoun] in ("who", "whom") else _PERSONS
    ):
        return sentence.lower[pronoun] == "whose"
    return sentence.subject(verb) != pronoun or agree(sentence, found.noun, verb)


def _apply_relative(sentence: ParsedSentence, found: _Between) -> RuleResult:
    phrase = sentence.tokens(found.phrase, found.start)
    pronoun = found.start + 1
    rest = sentence.tokens(pronoun + 1, found.end)
    if found.gap == pronoun:
        if sentence.lower[pronoun] == "whose":
            phrase = possessive(sentence, found.noun, phrase)
        return RuleResult(_without(sentence, found), prepend(rest, phrase))
    assert found.gap is not None
    behind = found.gap + 1 - (pronoun + 1)
    return RuleResult(_without(sentence, found), [*rest[:behind], *phrase, *rest[behind:]])


def _detect_apposition(sentence: ParsedSentence, params: RuleParams) -> Iterator[_Between]:
    if "appos" not in sentence.dependencies[sentence.start : sentence.end]:
        return
    for at in range(sentence.start + 3, sentence.end - 2):
        if sentence.dependencies[at] != "appos" or sentence.tags[at] not in NOUNS:
            continue
        noun, first = sentence.heads[at], sentence.left(at)
        if noun >= first or sentence.dependencies[first] not in ("det", "poss"):
            continue
        # "a film , The Rain" gives a title, "Ann Lee , Bob 's Farm" is a list.
        if sentence.lower[first] != sentence.words[first]:
            continue
        # "phones , the console , and other devices" is a list.
        conjunction = sentence.child(at, "cc")
        if conjunction is not None and sentence.lower[conjunction - 1] == ",":
            continue
        found = _between(sentence, noun, first - 1, sentence.right(at) + 1)
        if not found or sentence.annotation.entities[noun] in TIMES:
            continue
        if sentence.tags[found.end + 1] in WH_WORDS:
            continue  # "Ann , a sister of Eve , who ..." speaks of Eve
        # One thing is not several, and several are one only by name: "The Beatles , an English band".
        if is_plural(sentence, at) != is_plural(sentence, noun) and sentence.tags[noun] != "NNPS":
            continue
        if sentence.tags[found.end + 1] != "CC" or sentence.is_finite(_conjunct(sentence, found.end + 1)):
            yield found


def _conjunct(sentence: ParsedSentence, conjunction: int) -> int:
    head = sentence.heads[conjunction]
    after = [at for at in sentence.children(head) if at > conjunction and sentence.dependencies[at] == "conj"]
    return after[0] if after else conjunction


def _apply_apposition(sentence: ParsedSentence, found: _Between) -> RuleResult:
    phrase = sentence.tokens(found.phrase, found.start)
    description = sentence.tokens(found.start + 1, found.end)
    return RuleResult(
        _without(sentence, found),
        prepend(description, [*phrase, be(sentence, found.noun, _tells_past(sentence, found))]),
    )


def _tells_past(sentence: ParsedSentence, found: _Between) -> bool:
    """Tell whether every finite verb of the rest is of the past.

    A present or a modal anywhere makes the apposition hold now, as in the paper's "The frigidarium , the
    last stop in the bathhouse , was where guests would cool off", which gives "The frigidarium is the last
    stop".
    """
    rest = [*sentence.tags[sentence.start : found.start], *sentence.tags[found.end : sentence.end]]
    return is_past(sentence, sentence.root) and {"VBZ", "VBP", "MD"}.isdisjoint(rest)


RULES = (
    Rule(
        name="relative_clause",
        row="Relative clause",
        discourse_type="SINGLE_RELATIVE",
        triggers=RELATIVE,
        detect=_detect_relative,
        apply=_apply_relative,
    ),
    Rule(
        name="apposition",
        row="Apposition",
        discourse_type="SINGLE_APPOSITION",
        triggers=frozenset({","}),
        detect=_detect_apposition,
        apply=_apply_apposition,
    ),
)
