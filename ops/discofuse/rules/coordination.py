"""One sentence with two clauses, or two verb phrases, that are joined by a conjunction.

Belongs here: sentence coordination and verb phrase coordination. Not here: what the second verb phrase
repeats from the first (repetition.py), what both share (scope.py), subordination.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ops.discofuse.annotation import DIVIDING, QUOTES
from ops.discofuse.rules.connectives import COORDINATING
from ops.discofuse.rules.repetition import fronted, repeated
from ops.discofuse.rules.rule import (
    FINITE,
    NAMES,
    SUBJECTS,
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
    split,
)
from ops.discofuse.rules.scope import (
    condition,
    end_of_first,
    ends_in_condition,
    ends_in_proviso,
    is_alternative,
    is_in_question,
    is_reported,
    is_supposed,
    may_be_command,
    may_be_infinitive,
    shares_object,
)

#: Conjunctions that parsers often mistake for adverbs or subordinators. They count after a comma, and "so"
#: right before a subject.
_MISTAGGED = frozenset({"so", "yet", "nor", "for"})
_CORRELATIVES = frozenset({"either", "neither", "nor"})
_NEGATIONS = frozenset({"not", "n't"})
_PARTLY = frozenset({"only", "just", "merely", "simply"})
_VERBS = VERBS | {"MD"}
#: These are not subjects of a sentence: "and him they never saw".
_OBJECTS = frozenset({"him", "her", "me", "us", "them", "whom"})
#: After "so" and "for" these words exclude a conjunction: "so that", "for example".
_NO_CONJUNCTION_BEFORE = frozenset({"that", "as", "far", "much", "many", "long", "to", "example", "instance"})
_SEMICOLON = frozenset({";"})


class _Tied(NamedTuple):
    """A conjunction, and the verbs of its conjuncts: each is the only head of its half of the sentence."""

    conjunction: int
    main: int
    verb: int


class _Clauses(NamedTuple):
    conjunction: int
    verb: int
    """The verb of the second conjunct."""
    prefix: tuple[int, ...]
    """What the second sentence repeats from the first: a subject, or a condition before its own subject."""
    negated: int | None = None
    """The subject of a second clause after "nor"."""


def _conjunctions(sentence: ParsedSentence) -> Iterator[int]:
    """Yield the conjunctions that may join the sentence's main clause to another clause."""
    lower, dependencies, tags, heads = sentence.lower, sentence.dependencies, sentence.tags, sentence.heads
    for at in sentence.positions(COORDINATING):
        if (
            sentence.start + 2 <= at < sentence.end - 2
            and (
                (
                    dependencies[at] == "cc"
                    and (tags[heads[at]] in _VERBS or dependencies[heads[at]] == "acomp")
                )
                or (lower[at] in _MISTAGGED and lower[at - 1] == ",")
                or (lower[at] == "so" and _opens_clause(sentence, at))
            )
            and lower[at + 1] != "else"
        ):
            yield at


def _tied(sentence: ParsedSentence, params: RuleParams) -> Sequence[_Tied]:
    """Return the conjunctions with the clauses that they join; cached, because both rules need it."""
    known: Sequence[_Tied] | None = sentence.known.get(_tied)
    if known is None:
        known = sentence.known[_tied] = [
            _Tied(at, main, verb)
            for at in _conjunctions(sentence)
            if (verb := sentence.head_of(at + 1, _end_of_second(sentence, at))) is not None
            and (main := _main_of_first(sentence, at, params)) is not None
        ]
    return known


def _end_of_second(sentence: ParsedSentence, conjunction: int) -> int:
    """Return the end of the second clause; a third one may follow a semicolon."""
    return next((at for at in sentence.positions(_SEMICOLON) if at > conjunction), sentence.end)


def _third(sentence: ParsedSentence, verb: int, conjunction: int) -> int:
    """Return the verb of a third clause, after a semicolon, if the parser attached the second clause to it;
    otherwise the second clause's verb."""
    head = sentence.heads[verb]
    behind = sentence.dependencies[verb] == "ccomp" and head > _end_of_second(sentence, conjunction)
    return head if behind else verb


def _opens_clause(sentence: ParsedSentence, so: int) -> bool:
    """Return whether a subject directly follows "so": "It was raining so they went home"."""
    return any(
        sentence.dependencies[at] in SUBJECTS and sentence.left(at) == so + 1
        for at in range(so + 1, min(so + 6, sentence.end))
    )


def _main_of_first(sentence: ParsedSentence, conjunction: int, params: RuleParams) -> int | None:
    """Return the main verb of the part before a conjunction, if that part alone is a sentence."""
    lower = sentence.lower
    end = end_of_first(sentence, conjunction)
    # ", and so we left" has two conjunctions.
    if lower[end - 1] in DIVIDING or lower[end - 1] in COORDINATING or sentence.is_stranded(end):
        return None
    main = sentence.head_of(sentence.start, end)
    if main is None or not sentence.is_clause(main):
        return None
    subject = sentence.subject(main)
    assert subject is not None
    if subject > end:
        return None
    before = lower[sentence.start : end]
    if not _CORRELATIVES.isdisjoint(before) or (not _NEGATIONS.isdisjoint(before) and _is_partial(before)):
        return None
    if _is_list(sentence, main, end) and not (params.profile == "released" and lower[end] == ","):
        return None
    return None if _is_both(sentence, end) else main


def _is_both(sentence: ParsedSentence, end: int) -> bool:
    """Return whether "both" begins a pair of verb phrases: "both getting better and being faster"."""
    return any(
        sentence.lower[at] == "both" and sentence.tags[at + 1] in VERBS
        for at in range(sentence.start, end - 1)
    )


def _is_list(sentence: ParsedSentence, main: int, end: int) -> bool:
    """Return whether the part before `end` begins a list: "He came , saw" or "It is red , it is old". The
    released data splits even these."""
    labels = [sentence.dependencies[at] for at in sentence.children(main) if at < end]
    if labels.count("conj") > labels.count("cc") or _is_list_of_verbs(sentence, main, end):
        return True
    if sentence.lower[end] == "," and _opens_list(sentence, main):
        return True
    first = sentence.child(main, "ccomp")
    return (
        first is not None
        and first < main
        and sentence.is_clause(first)
        and QUOTES.isdisjoint(sentence.lower[sentence.start : end])
    )


def _opens_list(sentence: ParsedSentence, main: int) -> bool:
    """Return whether a clause that the parser took for a noun phrase begins the sentence: "Anna sings , Bob
    plays the drums"."""
    subject = sentence.subject(main)
    return any(
        sentence.dependencies[at] == "npadvmod"
        and subject is not None
        and at < subject
        and sentence.tags[at] in ("NNS", "NN")
        and sentence.tags[sentence.left(at)] in NAMES | {"PRP"}
        and sentence.lower[at + 1] == ","
        and sentence.annotation.entities[at] not in TIMES
        for at in sentence.children(main)
    )


def _is_list_of_verbs(sentence: ParsedSentence, main: int, end: int) -> bool:
    """Return whether a list of verbs goes on at `end`, even if the parser missed it: "treats some , provides
    care to others , and"."""
    tag = sentence.tags[main]
    return sentence.lower[end] == "," and any(
        sentence.lower[at - 1] == ","
        and sentence.tags[at] in (tag, "VBN" if tag == "VBD" else tag)
        and sentence.child(at, "dobj") is not None
        and sentence.subject(at) is None
        and not sentence.auxiliaries(at)
        for at in range(main + 2, end)
    )


def _is_partial(words: Sequence[str]) -> bool:
    """Return whether the words contain the first half of "not only ... but also"."""
    return any(earlier in _NEGATIONS and word in _PARTLY for earlier, word in pairwise(words))


def _is_conjunct(sentence: ParsedSentence, verb: int, main: int) -> bool:
    """Return whether `verb` is a conjunct of `main`, or of one of its conjuncts."""
    head = verb
    while sentence.dependencies[head] == "conj":
        head = sentence.heads[head]
        if head == main:
            return True
    return False


def _detect_sentences(sentence: ParsedSentence, params: RuleParams) -> Iterator[_Clauses]:
    lower, lemmas = sentence.lower, sentence.annotation.lemmas
    for at, main, verb in _tied(sentence, params):
        third = _third(sentence, verb, at)
        if not (
            _is_conjunct(sentence, third, main)
            or (third != verb and sentence.heads[main] == third)
            or (lower[at] in _MISTAGGED and _is_tied(sentence, verb, main))
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
        if _stands_for_first(sentence, at, subject, verb):
            continue
        if lower[at] == "nor":
            if sentence.auxiliaries(verb)[:1] == [at + 1] and sentence.left(subject) == at + 2:
                yield _Clauses(at, verb, (), subject)
            continue
        if sentence.lower[subject] in _OBJECTS or is_in_question(sentence, main, at):
            continue
        if lower[at - 1] != "," and ends_in_condition(sentence, main, at):
            continue
        conditions = condition(sentence, main)
        if is_alternative(sentence, main, at):
            continue
        if is_supposed(sentence, main) and (lower[at - 1] == "," or not conditions):
            continue
        if lower[at - 1] == "," and not is_reported(sentence, main):
            conditions = ()  # "When he died , the war was over , but nobody knew"
        if ends_in_proviso(sentence, verb, at):
            continue
        near = at + 1 + _ahead_of_subject(sentence, subject, verb, at + 1)
        clause_within = params.clause_within or sentence.end
        if subject < verb <= at + clause_within and subject < near + params.conjunct_within:
            yield _Clauses(at, verb, tuple(conditions))


def _stands_for_first(sentence: ParsedSentence, at: int, subject: int, verb: int) -> bool:
    """Return whether a word behind the conjunction stands for the first clause: "or so they claim", "and so
    was the film", "and neither is the dog"."""
    word = sentence.lower[at + 1]
    if word == "so" and sentence.lower[at] == "or":
        return True
    turned = min([verb, *sentence.auxiliaries(verb)]) < sentence.left(subject)
    return word in ("so", "neither", "nor") and turned


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


def _is_tied(sentence: ParsedSentence, verb: int, main: int) -> bool:
    return sentence.heads[verb] == main or sentence.heads[main] == verb or sentence.heads[verb] == verb


def _carries_own_tense(sentence: ParsedSentence, verb: int) -> bool:
    auxiliaries = sentence.auxiliaries(verb)
    return sentence.tags[auxiliaries[0] if auxiliaries else verb] in FINITE


def _detect_verb_phrases(sentence: ParsedSentence, params: RuleParams) -> Iterator[_Clauses]:
    for at, main, verb in _tied(sentence, params):
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


def _apply(sentence: ParsedSentence, found: _Clauses) -> RuleResult:
    end = end_of_first(sentence, found.conjunction)
    connective = " ".join(sentence.lower[end : found.conjunction + 1])
    first, second = split(sentence.tokens(), end - sentence.start)
    second = delete(second, 0, found.conjunction + 1 - end)
    if found.negated is not None:
        second = _declarative(sentence, second, found.negated)
    ahead = fronted(sentence, found.verb, found.conjunction + 1) if found.prefix else 0
    return RuleResult(first, [*second[:ahead], *prepend(second[ahead:], found.prefix)], connective)


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
