"""One sentence with two clauses, or two verb phrases, that are joined by a conjunction.

Belongs here: sentence coordination and verb phrase coordination. Not here: finding the
conjunction (conjunctions.py), what the second verb phrase repeats from the first (repetition.py), what both
share (scope.py), subordination.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from silverloom.ops.discofuse.rules.conjunctions import (
    MISTAGGED,
    Tied,
    is_conjunct,
    is_tied,
    third_clause,
    tied,
)
from silverloom.ops.discofuse.rules.connectives import COORDINATING
from silverloom.ops.discofuse.rules.morphology import is_past, is_plural
from silverloom.ops.discofuse.rules.operations import delete, prepend, split
from silverloom.ops.discofuse.rules.repetition import fronted, repeated
from silverloom.ops.discofuse.rules.rule import (
    FINITE,
    NOUNS,
    SUBJECTS,
    TIMES,
    VERBS,
    WH_WORDS,
    ParsedSentence,
    Rule,
    RuleParams,
    RuleResult,
    TokenList,
)
from silverloom.ops.discofuse.rules.scope import (
    condition,
    continues_relative,
    end_of_first,
    ends_in_condition,
    ends_in_proviso,
    ends_in_relative,
    frame,
    is_alternative,
    is_in_question,
    is_later,
    is_reported,
    is_supposed,
    may_be_command,
    may_be_infinitive,
    shares_comparison,
    shares_object,
)

#: These are not subjects of a sentence: "and him they never saw".
_OBJECTS = frozenset({"him", "her", "me", "us", "them", "whom"})
#: These may mean all that the first clause tells: "and this led to a war".
_EVENTS = frozenset({"this", "that", "it", "which"})
_AFTERWARDS = frozenset({"then", "later", "now", "still", "eventually", "subsequently", "finally", "since"})
#: A phrase with one of these is about many years, so that both clauses may be.
_PERIODS = frozenset({"century", "centuries", "decade", "decades", "era", "period", "times"})
#: After "so" and "for" these words exclude a conjunction: "so that", "for example".
_NO_CONJUNCTION_BEFORE = frozenset({"that", "as", "far", "much", "many", "long", "to", "example", "instance"})


class _Clauses(NamedTuple):
    conjunction: int
    verb: int
    """The verb of the second conjunct."""
    prefix: tuple[int, ...]
    """What the second sentence repeats from the first: a subject, or a condition before its own subject."""
    negated: int | None = None
    """The subject of a second clause after "nor"."""


def _detect_sentences(sentence: ParsedSentence, params: RuleParams) -> Iterator[_Clauses]:
    lower, lemmas, ties = sentence.lower, sentence.annotation.lemmas, tied(sentence, params)
    for at, main, verb in ties:
        third = third_clause(sentence, verb, at)
        if not (
            is_conjunct(sentence, third, main)
            or (third != verb and sentence.heads[main] == third)
            or (lower[at] in MISTAGGED and is_tied(sentence, verb, main))
        ):
            continue
        subject = sentence.subject(verb)
        if subject is None:
            if (
                (lower[at - 1] == "," or lemmas[verb] == "be")
                and lower[at] not in ("for", "so", "nor")
                and verb <= at + params.conjunct_within
            ):
                prefix = repeated(sentence, main, verb, at + 1)
                shared = shares_object(sentence, main, verb, at)
                unclear = shared or may_be_infinitive(sentence, main, verb, at)
                if prefix and not unclear and _carries_own_tense(sentence, verb):
                    yield _Clauses(at, verb, prefix)
            continue
        if not sentence.is_clause(verb) or not at < subject or _is_dependent(sentence, verb, at):
            continue
        if not sentence.words[verb].islower():  # "dopamine , and now D2Rs": a name taken for a verb
            continue
        if lower[at] in ("so", "for") and lower[at + 1] in _NO_CONJUNCTION_BEFORE:
            continue
        if _stands_for_first(sentence, at, subject, verb) or _lacks_be(sentence, at, verb):
            continue
        if _is_noun_phrase(sentence, subject, verb) or shares_comparison(sentence, at):
            continue
        if _continues_clause(sentence, main, at, subject, verb):
            continue
        if lower[at] == "nor":
            if sentence.auxiliaries(verb)[:1] == [at + 1] and sentence.left(subject) == at + 2:
                yield _Clauses(at, verb, (), subject)
            continue
        if sentence.lower[subject] in _OBJECTS or is_in_question(sentence, main, at):
            continue
        if continues_relative(sentence, main, verb, at):
            continue
        if lower[at - 1] != "," and (
            ends_in_condition(sentence, main, at) or ends_in_relative(sentence, main, at)
        ):
            continue
        # "Apparently , they had a dream and the day is odd"
        if is_reported(sentence, main) and is_past(sentence, main) != is_past(sentence, verb):
            continue
        conditions = condition(sentence, main)
        if is_alternative(sentence, main, at):
            continue
        if is_supposed(sentence, main) and (lower[at - 1] == "," or lower[at] == "so" or not conditions):
            continue
        if lower[at - 1] == "," and not is_reported(sentence, main):
            conditions = ()  # "When he died , the war was over , but nobody knew"
        if conditions and _opens_anew(sentence, at + 1, subject):
            continue
        if not conditions and _shares_frame(sentence, main, at, subject, verb):
            conditions = frame(sentence, main)
        if ends_in_proviso(sentence, verb, at) or _is_opposed(sentence, at, ties):
            continue
        near = at + 1 + _ahead_of_subject(sentence, subject, verb, at + 1)
        clause_within = params.clause_within or sentence.end
        if subject < verb <= at + clause_within and subject < near + params.conjunct_within:
            yield _Clauses(at, verb, tuple(conditions))


def _is_opposed(sentence: ParsedSentence, at: int, ties: Sequence[Tied]) -> bool:
    """Return whether ", but" and a subject join a third clause to the two around "and": "You like it and you
    love it , but they left"."""
    lower = sentence.lower
    return (
        lower[at] == "and"
        and lower[at - 1] != ","
        and any(
            lower[then - 1] == ","
            and lower[then] in ("but", "yet")
            and (subject := sentence.subject(verb)) is not None
            and sentence.left(subject) == then + 1
            for then, _, verb in ties
            if then > at
        )
    )


def _stands_for_first(sentence: ParsedSentence, at: int, subject: int, verb: int) -> bool:
    """Return whether a word behind the conjunction stands for the first clause: "or so they claim", "and so
    was the film", "and neither is the dog"."""
    word = sentence.lower[at + 1]
    if word == "so" and sentence.lower[at] == "or":
        return True
    turned = min([verb, *sentence.auxiliaries(verb)]) < sentence.left(subject)
    return word in ("so", "neither", "nor") and turned


def _shares_frame(sentence: ParsedSentence, main: int, at: int, subject: int, verb: int) -> bool:
    """Return whether both clauses hold when or where the first one does: "In 1990 the school burned down and
    the mill was closed", "In the 19th century , little was built , but many houses were restored"; but not
    "In 1990 it burned down , but they left" or "and this led to"."""
    joined = sentence.lower[at] == "and" and (sentence.lower[at - 1] != "," or is_later(sentence, main))
    long = sentence.lower[at] in ("and", "but") and sentence.tags[subject] in ("NN", "NNS")
    long = long and any(sentence.lower[each] in _PERIODS for each in frame(sentence, main))
    return (
        (joined or long)
        and sentence.heads[verb] == main
        and sentence.lower[subject] not in _EVENTS
        and is_past(sentence, main) == is_past(sentence, verb)
        and _AFTERWARDS.isdisjoint(sentence.lower[at:verb])
        and TIMES.isdisjoint(sentence.annotation.entities[at : sentence.end])
        and not _opens_anew(sentence, at + 1, subject)
    )


def _opens_anew(sentence: ParsedSentence, begin: int, subject: int) -> bool:
    """Return whether a phrase or "so" opens a second clause, before which no condition can be repeated."""
    return sentence.left(subject) > begin and (
        sentence.lower[begin] == "so" or sentence.dependencies[begin] in ("prep", "advcl", "npadvmod")
    )


def _lacks_be(sentence: ParsedSentence, conjunction: int, verb: int) -> bool:
    """Return whether a participle shares an auxiliary: "were counted , and ratios plotted"."""
    return (
        sentence.tags[verb] == "VBN"
        and not sentence.auxiliaries(verb)
        and "auxpass" in sentence.dependencies[sentence.start : conjunction]
    )


def _is_noun_phrase(sentence: ParsedSentence, subject: int, verb: int) -> bool:
    """Return whether the parser took a noun phrase for a clause: "and Core grant 2 from the institute", "and
    the second [ 3 ] which re - orders the time ordered tree"."""
    bare = sentence.tags[verb] in ("VB", "VBP") and not sentence.auxiliaries(verb)
    alone = sentence.child(subject, "conj") is None and not is_plural(sentence, subject)
    if bare and alone and sentence.tags[subject] == "NNP" and sentence.words[subject][0].isupper():
        return True
    return any(
        sentence.dependencies[at] == "relcl"
        and sentence.tags[at] in NOUNS
        and sentence.child(at, "nsubj") is not None
        for at in sentence.children(subject)
    )


def _continues_clause(sentence: ParsedSentence, main: int, at: int, subject: int, verb: int) -> bool:
    """Return whether the parser took the rest of a relative clause or of a list for a clause: "a path that
    leads down , but that is steep", "he put one here , and the other at the wall I was facing"."""
    if sentence.lower[subject] == "that" and subject == at + 1:
        return any(
            sentence.lower[before] == "that" and sentence.tags[before] == "WDT" for before in range(main, at)
        )
    # "The dog barked , the cat ran , and the bird flew": to the parser "ran" has two subjects.
    subjects = [each for each in sentence.children(main) if sentence.dependencies[each] in SUBJECTS]
    if len(subjects) > 1 and "," in sentence.lower[subjects[0] : min(subjects[1], main)]:
        return True
    # "and there attended a school": "there" is a place.
    if sentence.dependencies[subject] == "expl" and sentence.child(verb, "attr", "dobj", "nsubj") is None:
        return True
    ahead = sentence.child(verb, "dobj")
    return ahead is not None and ahead < subject


def _ahead_of_subject(sentence: ParsedSentence, subject: int, verb: int, begin: int) -> int:
    """Return how many tokens precede the subject, as in "in some parts of Africa it is rare"."""
    start = sentence.left(subject)
    opens = sentence.dependencies[begin] == "prep" and sentence.heads[begin] == verb
    end = sentence.right(begin) + 1
    return end - begin if opens and end <= start <= end + (sentence.lower[end] == ",") else 0


def _is_dependent(sentence: ParsedSentence, verb: int, conjunction: int) -> bool:
    """Return whether the clause after a conjunction is dependent: "and how it works", "and which ended"."""
    subject = sentence.subject(verb)
    assert subject is not None
    opening = range(conjunction + 1, min(subject, verb) + 1)
    return sentence.child(verb, "mark") not in (None, conjunction) or any(
        sentence.tags[at] in WH_WORDS and (at == subject or sentence.heads[at] in (verb, subject))
        for at in opening
    )


def _carries_own_tense(sentence: ParsedSentence, verb: int) -> bool:
    auxiliaries = sentence.auxiliaries(verb)
    return sentence.tags[auxiliaries[0] if auxiliaries else verb] in FINITE


def _detect_verb_phrases(sentence: ParsedSentence, params: RuleParams) -> Iterator[_Clauses]:
    for at, main, verb in tied(sentence, params):
        if main != sentence.root or not at < verb <= at + params.conjunct_within:
            continue
        if sentence.lower[at] in ("for", "nor"):
            continue
        if not _is_of_root(sentence, verb) or sentence.dependencies[verb] != "conj":
            continue
        if sentence.tags[verb] not in VERBS or sentence.subject(verb) is not None:
            continue
        # "and is a writer" is a sentence coordination in the released data.
        if sentence.annotation.lemmas[verb] == "be" and not sentence.auxiliaries(verb):
            continue
        if shares_object(sentence, main, verb, at) or may_be_infinitive(sentence, main, verb, at):
            continue
        if ends_in_proviso(sentence, verb, at) or may_be_command(sentence, main, verb, at):
            continue
        prefix = repeated(sentence, main, verb, at + 1)
        if prefix:
            yield _Clauses(at, verb, prefix)


def _is_of_root(sentence: ParsedSentence, verb: int) -> bool:
    """Return whether a conjunct belongs to the main verb, even if the parser attached it to the infinitive or
    adjective after that: "began to sing and recorded an album", "was old and fell"."""
    head, root = sentence.heads[verb], sentence.root
    if head == root:
        return True
    if sentence.heads[head] != root or sentence.tags[verb] != "VBD" or sentence.tags[root] != "VBD":
        return False
    infinitive = sentence.dependencies[head] == "xcomp" and sentence.tags[head] == "VB"
    return infinitive or sentence.dependencies[head] == "acomp"


def _apply(sentence: ParsedSentence, clauses: _Clauses) -> RuleResult:
    end = end_of_first(sentence, clauses.conjunction)
    connective = " ".join(sentence.lower[end : clauses.conjunction + 1])
    first, second = split(sentence.tokens(), end - sentence.start)
    second = delete(second, 0, clauses.conjunction + 1 - end)
    if clauses.negated is not None:
        second = _declarative(sentence, second, clauses.negated)
    ahead = fronted(sentence, clauses.verb, clauses.conjunction + 1) if clauses.prefix else 0
    return RuleResult(first, [*second[:ahead], *prepend(second[ahead:], clauses.prefix)], connective)


def _declarative(sentence: ParsedSentence, clause: TokenList, subject: int) -> TokenList:
    """Return "he did not win" for "did he win"."""
    length = sentence.right(subject) + 1 - sentence.left(subject)
    return [*clause[1 : 1 + length], clause[0], "not", *clause[1 + length :]]


RULES = (
    Rule(
        name="sentence_coordination",
        row="Sentence coordination",
        discourse_type="SINGLE_S_COORD",
        with_anaphora="SINGLE_S_COORD_ANAPHORA",
        triggers=COORDINATING,
        detect=_detect_sentences,
        apply=_apply,
    ),
    Rule(
        name="verb_phrase_coordination",
        row="Verb phrase coordination",
        discourse_type="SINGLE_VP_COORD",
        triggers=COORDINATING,
        detect=_detect_verb_phrases,
        apply=_apply,
    ),
)
