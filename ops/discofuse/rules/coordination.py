"""One sentence of two clauses, or of two verb phrases, that a conjunction ties.

Belongs here: sentence coordination and verb phrase coordination. Not here: subordination.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ops.discofuse.rules.connectives import COORDINATING
from ops.discofuse.rules.morphology import agree, is_participle, is_past
from ops.discofuse.rules.operations import Tokens, delete, prepend, split
from ops.discofuse.rules.rule import Rule, RuleParams, Split
from ops.discofuse.rules.sentence import FINITE, VERBS, Sentence

#: Conjunctions that a parser often takes for adverbs or subordinators; these count behind a comma only.
_MISTAKEN = frozenset({"so", "yet", "nor", "for"})
_CORRELATIVES = frozenset({"either", "neither", "nor"})
_NEGATIONS = frozenset({"not", "n't"})
_PARTLY = frozenset({"only", "just", "merely", "simply"})
_PUNCTUATION = frozenset({",", ";", ":", "-", "--", "–", "—"})
#: Adverbs of the first verb phrase alone: "He never married and died young", "first played for X and then
#: for Y".
_OF_FIRST_VERB = frozenset(
    {
        "never",
        "not",
        "n't",
        "first",
        "initially",
        "originally",
        "hardly",
        "barely",
        "rarely",
        "previously",
        "once",
        "only",
    }
)
#: Without an object these are passive, so that "was born and raised" goes on as "was raised".
_TRANSITIVE = frozenset(
    {
        "appoint", "arrest", "award", "baptise", "baptize", "build", "bury", "call", "capture",
        "commission", "convict",
        "create", "demolish", "design", "destroy", "discover", "educate", "elect", "establish", "execute",
        "find",
        "force", "found", "give", "hang", "imprison", "include", "introduce", "kill", "know", "launch",
        "make", "name",
        "nominate", "ordain", "produce", "publish", "raise", "rebuild", "rename", "replace", "send",
        "sentence",
        "shoot", "take", "use", "write", "injure", "wound", "inspire", "influence", "pronounce",
    }
)  # fmt: skip
_ADVERBS = frozenset({"RB", "RBR", "RBS"})
_BEFORE_VERB = frozenset(
    {"advmod", "aux", "auxpass", "neg", "prep", "advcl", "npadvmod", "punct", "cc", "preconj"}
)
_VERBS = VERBS | {"MD"}
_TIMES = frozenset({"DATE", "TIME"})


class _Clauses(NamedTuple):
    conjunction: int
    verb: int
    """Of the second conjunct."""
    prefix: tuple[int, ...]
    """What the second sentence repeats of the first: nothing where it has a subject of its own."""
    negated: int | None = None
    """The subject of the second clause behind "nor"."""


def _conjunctions(sentence: Sentence) -> Iterator[int]:
    """Yield the conjunctions that may tie the sentence's main clause to another."""
    lower, dependencies, tags, heads = sentence.lower, sentence.dependencies, sentence.tags, sentence.heads
    for at in sentence.positions(COORDINATING):
        if sentence.start + 2 <= at < sentence.end - 2 and (
            (dependencies[at] == "cc" and tags[heads[at]] in _VERBS)
            or (lower[at] in _MISTAKEN and lower[at - 1] == ",")
        ):
            yield at


def _end_of_first(sentence: Sentence, conjunction: int) -> int:
    return conjunction - (sentence.lower[conjunction - 1] == ",")


def _main_of_first(sentence: Sentence, conjunction: int) -> int | None:
    """Return the verb of what stands before a conjunction if that is a sentence without what follows."""
    lower = sentence.lower
    end = _end_of_first(sentence, conjunction)
    if lower[end - 1] in _PUNCTUATION:
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
    # "He came , saw and left": one conjunct before without a conjunction of its own.
    conjuncts = [at for at in sentence.children(main) if at < end and sentence.dependencies[at] == "conj"]
    own = [at for at in sentence.children(main) if at < end and sentence.dependencies[at] == "cc"]
    return main if len(conjuncts) <= len(own) else None


def _is_partial(words: Sequence[str]) -> bool:
    """Tell whether words hold the first half of "not only ... but also"."""
    return any(earlier in _NEGATIONS and word in _PARTLY for earlier, word in pairwise(words))


def _is_conjunct(sentence: Sentence, verb: int, main: int) -> bool:
    """Tell whether `verb` is a conjunct of `main`, or of one of its conjuncts."""
    head = verb
    while sentence.dependencies[head] == "conj":
        head = sentence.heads[head]
        if head == main:
            return True
    return False


def _detect_sentences(sentence: Sentence, params: RuleParams) -> Iterator[_Clauses]:
    lower = sentence.lower
    for at in _conjunctions(sentence):
        verb = sentence.head_of(at + 1, sentence.end)
        main = _main_of_first(sentence, at)
        if verb is None or main is None:
            continue
        if not (
            _is_conjunct(sentence, verb, main) or (lower[at] in _MISTAKEN and _is_tied(sentence, verb, main))
        ):
            continue
        subject = sentence.subject(verb)
        if subject is None:
            if (
                lower[at - 1] == ","
                and lower[at] not in ("for", "so", "nor")
                and verb <= at + params.conjunct_within
            ):
                prefix = _repeated(sentence, main, verb)
                if prefix and _carries_own_tense(sentence, verb):
                    yield _Clauses(at, verb, prefix)
            continue
        if not sentence.is_clause(verb) or not at < subject:
            continue
        if sentence.child(verb, "mark") not in (None, at):
            continue
        if lower[at] in ("so", "for") and lower[at + 1] in (
            "that",
            "as",
            "far",
            "much",
            "many",
            "long",
            "to",
            "example",
            "instance",
        ):
            continue
        if lower[at] == "nor":
            if sentence.auxiliaries(verb)[:1] == [at + 1] and sentence.left(subject) == at + 2:
                yield _Clauses(at, verb, (), subject)
            continue
        if subject < verb and subject <= at + params.conjunct_within:
            yield _Clauses(at, verb, ())


def _is_tied(sentence: Sentence, verb: int, main: int) -> bool:
    return sentence.heads[verb] == main or sentence.heads[main] == verb or sentence.heads[verb] == verb


def _carries_own_tense(sentence: Sentence, verb: int) -> bool:
    auxiliaries = sentence.auxiliaries(verb)
    return sentence.tags[auxiliaries[0] if auxiliaries else verb] in FINITE


def _detect_verb_phrases(sentence: Sentence, params: RuleParams) -> Iterator[_Clauses]:
    for at in _conjunctions(sentence):
        verb = sentence.head_of(at + 1, sentence.end)
        if (
            verb is None
            or not at < verb <= at + params.conjunct_within
            or sentence.lower[at] in ("for", "nor")
        ):
            continue
        if sentence.heads[verb] != sentence.root or sentence.dependencies[verb] != "conj":
            continue
        if sentence.tags[verb] not in VERBS or sentence.subject(verb) is not None:
            continue
        # ", but were still able": of the released data's sentence coordination alone.
        if sentence.annotation.lemmas[verb] == "be" and sentence.lower[at - 1] == ",":
            continue
        main = _main_of_first(sentence, at)
        if main is None or main != sentence.root:
            continue
        # "founded and led the club": the object is shared.
        if (
            main == _end_of_first(sentence, at) - 1
            and sentence.child(verb, "dobj", "prep", "agent") is not None
        ):
            continue
        prefix = _repeated(sentence, main, verb)
        if prefix:
            yield _Clauses(at, verb, prefix)


def _repeated(sentence: Sentence, main: int, verb: int) -> tuple[int, ...]:
    """Return what stands before the first verb as the second needs it, empty where the two do not agree."""
    subject = sentence.subject(main)
    if subject is None or subject > main or sentence.dependencies[subject] == "expl":
        return ()
    if not agree(sentence, subject, verb) or not _hangs_on(sentence, main, verb):
        return ()
    auxiliaries = sentence.auxiliaries(main)
    own = sentence.auxiliaries(verb)
    tag, main_tag = sentence.tags[verb], sentence.tags[main]
    shares = False
    if own:
        if sentence.tags[own[0]] not in FINITE:
            return ()
    elif auxiliaries:
        has = sentence.annotation.lemmas[auxiliaries[0]] == "have"
        passive = (
            main_tag == "VBN"
            and tag == "VBD"
            and sentence.annotation.lemmas[verb] in _TRANSITIVE
            and sentence.child(verb, "dobj") is None
        )
        shares = (
            passive
            or tag == main_tag
            or (main_tag == "VBN" and tag == "VBD" and has and is_participle(sentence.lower[verb]))
        )
        if not shares and tag not in FINITE:
            return ()
        # "Errors are defined and classified" or "is located there and opened": the forms do not tell.
        if (
            not shares
            and main_tag == "VBN"
            and tag == "VBD"
            and sentence.lower[auxiliaries[0]] in ("is", "are")
        ):
            return ()
    elif (
        tag == "VBG"
        or (tag == "VB" and main_tag != "VBP")
        or (tag == "VBN" and sentence.annotation.lemmas[main] == "be")
    ):
        return ()
    elif {tag, main_tag} == {"VBD", "VBP"} or {tag, main_tag} == {"VBP", "VBZ"}:
        # A tagger's slip for the most part, or a subject that agrees with one verb only.
        return (
            () if {tag, main_tag} == {"VBP", "VBZ"} else tuple(_prefix(sentence, main, verb, subject, shares))
        )
    return tuple(_prefix(sentence, main, verb, subject, shares))


def _hangs_on(sentence: Sentence, main: int, verb: int) -> bool:
    """Tell whether a conjunct is that of the main verb, as far as the parse can be believed.

    Before it stand adverbs and phrases, no subject that the parser mistook; and where a clause that the main
    verb governs ends right before the conjunction, the conjunct may be that clause's: "show that it is good
    and can help".
    """
    for at in sentence.children(verb):
        label = sentence.dependencies[at]
        if at < verb and (
            label not in _BEFORE_VERB or (label == "advmod" and sentence.tags[at] not in _ADVERBS)
        ):
            return False
    # "His father painted , his brother sang , and often wrote": the subject is the nearer one.
    if any(
        main < at < verb and sentence.dependencies[at] == "conj" and sentence.subject(at) is not None
        for at in sentence.children(main)
    ):
        return False
    governed = sentence.child(main, "ccomp")
    if governed is None or governed < main or not sentence.is_clause(governed):
        return True
    carrier = sentence.verb_group(verb)
    return sentence.tags[carrier] != "MD" and is_past(sentence, verb) != is_past(sentence, governed)


def _prefix(sentence: Sentence, main: int, verb: int, subject: int, shares: bool) -> Iterator[int]:
    """Yield the tokens before the first verb that stand before the second as well."""
    begin = sentence.left(subject)
    first = next(
        (at + 1 for at in range(begin - 1, sentence.start, -1) if sentence.lower[at] in (";", ":")),
        sentence.start,
    )
    entities = sentence.annotation.entities
    dated = not _TIMES.isdisjoint(entities[sentence.start : begin]) and not _TIMES.isdisjoint(
        entities[main : sentence.end]
    )
    # "Before his trial he lived there , and has one daughter": a phrase before the subject has one time.
    dated = dated or is_past(sentence, main) != is_past(sentence, verb)
    through = sentence.right(subject)
    modified = (
        sentence.children(verb)[:1]
        and sentence.dependencies[sentence.children(verb)[0]] == "advmod"
        and sentence.children(verb)[0] < verb
    )
    for at in range(begin if dated else first, main):
        if (
            at > through
            and not shares
            and (
                sentence.dependencies[at] in ("aux", "auxpass", "neg")
                or sentence.lower[at] in _OF_FIRST_VERB
                or (modified and sentence.dependencies[at] == "advmod")
            )
        ):
            continue
        yield at


def _apply(sentence: Sentence, found: _Clauses) -> Split:
    end = _end_of_first(sentence, found.conjunction)
    connective = " ".join(sentence.lower[end : found.conjunction + 1])
    first, second = split(sentence.tokens(), end - sentence.start)
    second = delete(second, 0, found.conjunction + 1 - end)
    if found.negated is not None:
        second = _declarative(sentence, second, found.negated)
    fronted = _fronted(sentence, found) if found.prefix else 0
    return Split(first, [*second[:fronted], *prepend(second[fronted:], found.prefix)], connective)


def _fronted(sentence: Sentence, found: _Clauses) -> int:
    """Return how many tokens of "and in 1986 attended Yale" stand before where a subject belongs."""
    begin = found.conjunction + 1
    label = next(
        (sentence.dependencies[at] for at in sentence.children(found.verb) if sentence.left(at) == begin), ""
    )
    if label not in ("prep", "advcl", "npadvmod") or sentence.lower[begin] == ",":
        return 0
    if not sentence.left(found.prefix[0]) == found.prefix[0] == sentence.left(_subject_of(sentence, found)):
        return 0
    end = next(sentence.right(at) for at in sentence.children(found.verb) if sentence.left(at) == begin) + 1
    return end + (sentence.lower[end] == ",") - begin if end <= found.verb else 0


def _subject_of(sentence: Sentence, found: _Clauses) -> int:
    main = _main_of_first(sentence, found.conjunction)
    subject = None if main is None else sentence.subject(main)
    return found.prefix[0] if subject is None else subject


def _declarative(sentence: Sentence, clause: Tokens, subject: int) -> Tokens:
    """Return "did he win" as "he did not win"."""
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
