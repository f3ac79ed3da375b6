"""Conjunctions that join two verbs of a sentence, each the only head of its half.

Belongs here: finding them, and telling two conjuncts from a list or from "both ... and". Not here: what the
halves share (scope.py), the rules that split them (coordination.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from silverloom.ops.coreference.lexicon import SAYING
from silverloom.ops.discofuse.annotation import DIVIDING, QUOTES
from silverloom.ops.discofuse.rules.connectives import COORDINATING
from silverloom.ops.discofuse.rules.rule import NAMES, SUBJECTS, TIMES, VERBS, ParsedSentence, RuleParams
from silverloom.ops.discofuse.rules.scope import end_of_first, is_disjunction

#: Conjunctions that parsers often mistake for adverbs or subordinators. They count after a comma, and "so"
#: right before a subject.
MISTAGGED = frozenset({"so", "yet", "nor", "for"})
_CORRELATIVES = frozenset({"either", "neither", "nor"})
_NEGATIONS = frozenset({"not", "n't"})
_PARTLY = frozenset({"only", "just", "merely", "simply", "solely", "exclusively"})
_VERBS = VERBS | {"MD"}
_BOTH = frozenset({"both"})
#: "Both in Rome and in Oslo"; "both of them" is no pair of phrases.
_BEFORE_NOUN = frozenset({"to", "in", "on", "at", "by", "for", "from", "with", "as"})


class Tied(NamedTuple):
    """A conjunction, and the verbs of its conjuncts: each is the only head of its half of the sentence."""

    conjunction: int
    main: int
    verb: int


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
                or (lower[at] in MISTAGGED and lower[at - 1] == ",")
                or (lower[at] == "so" and _opens_clause(sentence, at))
            )
            and lower[at + 1] != "else"
        ):
            yield at


def tied(sentence: ParsedSentence, params: RuleParams) -> Sequence[Tied]:
    """Return the conjunctions with the clauses that they join; cached, because both rules need it."""
    known: Sequence[Tied] | None = sentence.known.get(tied)
    if known is None:
        known = sentence.known[tied] = [
            Tied(at, main, verb)
            for at in _conjunctions(sentence)
            if _may_end_first(sentence, at)
            and (verb := sentence.head_of(at + 1, _end_of_second(sentence, at))) is not None
            and (main := _main_of_first(sentence, at, params)) is not None
            and (params.profile == "released" or not is_disjunction(sentence, main, verb, at))
        ]
    return known


def _end_of_second(sentence: ParsedSentence, conjunction: int) -> int:
    """Return the end of the second clause; a third one may follow a semicolon."""
    behind = sentence.lower[conjunction + 1 : sentence.end]
    return conjunction + 1 + behind.index(";") if ";" in behind else sentence.end


def third_clause(sentence: ParsedSentence, verb: int, conjunction: int) -> int:
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


def _may_end_first(sentence: ParsedSentence, conjunction: int) -> bool:
    """Return whether the words before a conjunction may end a sentence, and none of them needs the second
    half; what needs no tree."""
    lower = sentence.lower
    end = end_of_first(sentence, conjunction)
    # "ratings 0 and 1 are combined": the parser took the second number for a subject.
    if sentence.tags[end - 1] == sentence.tags[conjunction + 1] == "CD":
        return False
    # ", and so we left" has two conjunctions.
    if lower[end - 1] in DIVIDING or lower[end - 1] in COORDINATING:
        return False
    before = lower[sentence.start : end]
    if not _CORRELATIVES.isdisjoint(before):
        return False
    # "not trained on that yet": an adverb
    return _NEGATIONS.isdisjoint(before) or not (lower[end] == "yet" or _is_partial(before))


def _main_of_first(sentence: ParsedSentence, conjunction: int, params: RuleParams) -> int | None:
    """Return the main verb of the part before a conjunction, if that part alone is a sentence."""
    end = end_of_first(sentence, conjunction)
    if sentence.is_stranded(end):
        return None
    main = sentence.head_of(sentence.start, end)
    if main is None or not sentence.is_clause(main):
        return None
    subject = sentence.subject(main)
    assert subject is not None
    if subject > end:
        return None
    comma = sentence.lower[end] == ","
    if _is_list(sentence, main, end) and not (params.profile == "released" and comma):
        return None
    return None if "both" in sentence.lower[sentence.start : end] and _is_both(sentence, end) else main


def _is_both(sentence: ParsedSentence, end: int) -> bool:
    """Return whether "both" begins a pair of verb phrases ("both getting better and being faster"), or of
    phrases whose second is missing ("it refers both to a town , or")."""
    return any(
        sentence.tags[at + 1] in VERBS
        or (sentence.lower[at + 1] in _BEFORE_NOUN and "and" not in sentence.lower[at:end])
        for at in sentence.positions(_BOTH)
        if at < end - 1
    )


def _is_list(sentence: ParsedSentence, main: int, end: int) -> bool:
    """Return whether the part before `end` begins a list: "He came , saw", "They were tired , hungry" or "It
    is red , it is old". The released data splits even these."""
    labels = [sentence.dependencies[at] for at in sentence.children(main) if at < end]
    if labels.count("conj") > labels.count("cc") or _is_list_of_verbs(sentence, main, end):
        return True
    if sentence.lower[end] == "," and (_opens_list(sentence, main) or _ends_in_list(sentence, main, end)):
        return True
    predicate = sentence.child(main, "acomp", "attr")
    if predicate is not None and _lacks_conjunction(sentence, predicate, end):
        return True
    if any(_is_added_clause(sentence, at) for at in sentence.children(main) if main < at < end):
        return True
    first = sentence.child(main, "ccomp", "advcl")
    return (
        first is not None
        and first < main
        and sentence.is_clause(first)
        and (sentence.dependencies[first] == "ccomp" or _is_unmarked(sentence, first))
        and ";" not in sentence.lower[first:main]
        and QUOTES.isdisjoint(sentence.lower[sentence.start : end])
    )


def _is_unmarked(sentence: ParsedSentence, verb: int) -> bool:
    """Return whether a clause begins with its subject: "the roof leaked , water entered the hall"."""
    subject = sentence.subject(verb)
    return subject is not None and sentence.left(verb) == sentence.left(subject)


def _is_added_clause(sentence: ParsedSentence, verb: int) -> bool:
    """Return whether a clause follows another after a comma alone: "It rained , it snowed"."""
    return (
        sentence.dependencies[verb] == "parataxis"
        and sentence.lower[verb] not in SAYING
        and "," in sentence.lower[sentence.left(verb) - 1 : sentence.left(verb) + 1]
        and sentence.is_clause(verb)
    )


def _lacks_conjunction(sentence: ParsedSentence, head: int, end: int) -> bool:
    """Return whether other predicates follow one before `end`, without a conjunction: "tired , hungry"."""
    following = sentence.child(head, "conj")
    listed = following is not None and following < end
    while following is not None and following < end:
        if sentence.child(head, "cc") is not None:
            return False
        head, following = following, sentence.child(following, "conj")
    return listed


def _opens_list(sentence: ParsedSentence, main: int) -> bool:
    """Return whether a clause that the parser took for a noun phrase begins the sentence: "Anna sings , Bob
    plays the drums", "This paper studies words , counts them"."""
    subject = sentence.subject(main)
    if subject is None:
        return False
    taken = sentence.tags[subject] == "VBZ" and sentence.child(subject, "dobj") is not None
    if taken and "," in sentence.lower[subject:main]:
        return True
    return any(
        at < subject
        and sentence.tags[at] in ("NNS", "NN")
        and (
            (
                sentence.dependencies[at] == "npadvmod"
                and sentence.tags[sentence.left(at)] in NAMES | {"PRP"}
                and sentence.lower[at + 1] == ","
                and sentence.annotation.entities[at] not in TIMES
            )
            or (sentence.dependencies[at] == "dep" and sentence.lower[sentence.left(subject) - 1] == ",")
        )
        for at in sentence.children(main)
    )


def _ends_in_list(sentence: ParsedSentence, main: int, end: int) -> bool:
    """Return whether the last comma before `end` separates the parts of a list: "builds trees , the tagger
    marks words" (to the parser, "marks" and "words" are nouns), "has native English , non-native English"."""
    tags, dependencies = sentence.tags, sentence.dependencies
    for at in range(main + 2, end):
        if tags[at] not in ("NN", "NNS"):
            continue
        label, head = dependencies[at], sentence.heads[at]
        # "the number of rooms , the time spent", but not "three times , each time by two"
        if label == "npadvmod" and sentence.lower[sentence.left(at)] == "the":
            label = "conj"
        if label == "compound" and tags[at] == "NNS" and sentence.lower[sentence.left(head) - 1] == ",":
            return True
        if label == "conj" and sentence.right(at) >= end - 1 and sentence.lower[sentence.left(at) - 1] == ",":
            return "CC" not in tags[head:end]
    return False


def _is_list_of_verbs(sentence: ParsedSentence, main: int, end: int) -> bool:
    """Return whether a list of verbs goes on at `end`, even if the parser missed it: "treats some , provides
    care to others , and"."""
    if sentence.lower[end] != ",":
        return False
    tag, passive = sentence.tags[main], sentence.child(main, "auxpass") is not None
    return any(
        sentence.lower[at - 1] == ","
        and sentence.tags[at] in (tag, "VBN" if tag == "VBD" else tag)
        and (sentence.child(at, "dobj") is not None or (passive and sentence.tags[at] == "VBN"))
        and sentence.subject(at) is None
        and not sentence.auxiliaries(at)
        for at in range(main + 2, end)
    )


def _is_partial(words: Sequence[str]) -> bool:
    """Return whether the words contain the first half of "not only ... but also"."""
    return any(earlier in _NEGATIONS and word in _PARTLY for earlier, word in pairwise(words))


def is_conjunct(sentence: ParsedSentence, verb: int, main: int) -> bool:
    """Return whether `verb` is a conjunct of `main`, or of one of its conjuncts."""
    head = verb
    while sentence.dependencies[head] == "conj":
        head = sentence.heads[head]
        if head == main:
            return True
    return False


def is_tied(sentence: ParsedSentence, verb: int, main: int) -> bool:
    """Return whether one verb depends on the other, or the second on none."""
    return sentence.heads[verb] == main or sentence.heads[main] == verb or sentence.heads[verb] == verb
