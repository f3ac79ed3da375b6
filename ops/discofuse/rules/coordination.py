"""One sentence of two clauses, or of two verb phrases, that a conjunction ties.

Belongs here: sentence coordination and verb phrase coordination; what the second verb phrase repeats of the
first: the subject, and what else stands before the first verb. Not here: subordination.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ops.discofuse.build.annotation import DIVIDING, QUOTES
from ops.discofuse.rules.connectives import BACKWARD_PHRASES, COORDINATING
from ops.discofuse.rules.morphology import agree, is_participle, is_past
from ops.discofuse.rules.rule import (
    AUXILIARIES,
    FINITE,
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

#: Adverbs of the first verb phrase alone: "He never married and died young", "first played for X and then
#: for Y".
_OF_FIRST_VERB = frozenset(
    {
        "never", "not", "n't", "first", "initially", "originally", "hardly", "barely", "rarely",
        "previously", "once", "only",
    }
)  # fmt: skip
#: Without an object these are passive, so that "was born and raised" goes on as "was raised".
_TRANSITIVE = frozenset(
    {
        "appoint", "arrest", "assign", "award", "baptise", "baptize", "build", "bury", "call",
        "capture", "commission", "convict", "create", "demolish", "design", "destroy", "discover",
        "educate", "elect", "establish", "execute", "find", "force", "found", "give", "hang",
        "imprison", "include", "influence", "injure", "inspire", "introduce", "kill", "know",
        "launch", "make", "name", "nominate", "ordain", "produce", "pronounce", "publish", "raise",
        "rebuild", "rename", "replace", "send", "sentence", "shoot", "take", "use", "wound",
        "write",
    }
)  # fmt: skip
#: "From there he moved on and was then hired": what stands before the subject is the first's alone.
_NEXT = frozenset({"then", "later", "afterwards", "afterward", "subsequently", "thereafter"})
_ADVERBS = frozenset({"RB", "RBR", "RBS"})
_BEFORE_VERB = frozenset(
    {"advmod", "aux", "auxpass", "neg", "prep", "advcl", "npadvmod", "punct", "cc", "preconj"}
)
_PHRASES = frozenset({"prep", "advcl", "npadvmod"})


def repeated(sentence: ParsedSentence, main: int, verb: int, begin: int) -> tuple[int, ...]:
    """Return what stands before the first verb, `main`, as the second, `verb`, needs it.

    The second verb phrase begins at `begin`. Empty where the two do not go together.
    """
    subject = sentence.subject(main)
    if subject is None or subject > main or sentence.dependencies[subject] == "expl":
        return ()
    if not agree(sentence, subject, verb) or not _hangs_on(sentence, main, verb, begin):
        return ()
    shares = _shares_auxiliaries(sentence, main, verb)
    # "has never won it but reached the final", "has never won it and died young": one of them is true.
    if shares and sentence.lower[begin - 1] != "or" and _is_negated(sentence, main):
        return ()
    return () if shares is None else tuple(_prefix(sentence, main, verb, begin, subject, shares))


def fronted(sentence: ParsedSentence, verb: int, begin: int) -> int:
    """Return how many tokens of "in 1986 attended Yale" (at `begin`) stand before where a subject belongs."""
    opens = next((at for at in sentence.children(verb) if sentence.left(at) == begin), None)
    if opens is None or sentence.dependencies[opens] not in _PHRASES or sentence.lower[begin] == ",":
        return 0
    end = sentence.right(opens) + 1
    return end + (sentence.lower[end] == ",") - begin if end <= verb else 0


def _shares_auxiliaries(sentence: ParsedSentence, main: int, verb: int) -> bool | None:
    """Tell whether the first verb's auxiliaries are the second's, too; None where the forms do not tell."""
    auxiliaries, own = sentence.auxiliaries(main), sentence.auxiliaries(verb)
    lemmas, tag, main_tag = sentence.annotation.lemmas, sentence.tags[verb], sentence.tags[main]
    bare = sentence.child(verb, "dobj") is None
    if own:
        return False if sentence.tags[own[0]] in FINITE else None
    if not auxiliaries:
        # "became an inspector and assigned to": a passive without its auxiliary.
        passive = tag == "VBN" and (lemmas[main] == "be" or (bare and lemmas[verb] in _TRANSITIVE))
        infinite = tag == "VBG" or (tag == "VB" and main_tag != "VBP")
        # A tagger's slip for the most part, or a subject that agrees with one verb only.
        return None if passive or infinite or {tag, main_tag} == {"VBP", "VBZ"} else False
    passive = main_tag == "VBN" and tag == "VBD" and bare and lemmas[verb] in _TRANSITIVE
    has = lemmas[auxiliaries[0]] == "have"
    perfect = main_tag == "VBN" and tag == "VBD" and has and is_participle(sentence.lower[verb])
    if passive or perfect or tag == main_tag:
        # "has been praised and sold a million copies" is no passive twice; in "would not be checked and thus
        # also not used" one "not" is the other's.
        active = not bare and sentence.child(main, "auxpass") is not None
        twice = _is_negated(sentence, main) and _is_negated(sentence, verb)
        return None if active or twice else True
    # "Errors are defined and classified" or "is located there and opened": the forms do not tell.
    either = main_tag == "VBN" and tag == "VBD" and sentence.lower[auxiliaries[0]] in ("is", "are")
    return None if either or tag not in FINITE else False


def _is_negated(sentence: ParsedSentence, verb: int) -> bool:
    return sentence.child(verb, "neg") is not None


def _hangs_on(sentence: ParsedSentence, main: int, verb: int, begin: int) -> bool:
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
    if _may_be_of_clause(sentence, main, verb, begin):
        return False
    governed = sentence.child(main, "ccomp")
    if governed is None or governed < main or not sentence.is_clause(governed):
        return True
    carrier = sentence.verb_group(verb)
    return sentence.tags[carrier] != "MD" and is_past(sentence, verb) != is_past(sentence, governed)


def _may_be_of_clause(sentence: ParsedSentence, main: int, verb: int, begin: int) -> bool:
    """Tell whether a conjunct of another tense may be that of a clause behind the first verb: "presents a
    method based on words and aimed at texts", "met a man who lives there and tells stories"."""
    if is_past(sentence, verb) == is_past(sentence, main):
        return False
    participle = is_participle(sentence.lower[verb])
    return any(
        sentence.dependencies[at] == "relcl"
        or (participle and sentence.dependencies[at] == "acl" and sentence.tags[at] == "VBN")
        for at in range(main, begin)
    )


def _behind_connective(sentence: ParsedSentence) -> int:
    """Return where a sentence goes on behind "However ,", which ties the first verb phrase alone."""
    start, lower = sentence.start, sentence.lower
    ends = (
        start + len(words)
        for words in BACKWARD_PHRASES.get(lower[start], ())
        if lower[start : start + len(words)] == words
    )
    return next((end + 1 for end in ends if end < sentence.end and lower[end] == ","), start)


def _prefix(
    sentence: ParsedSentence, main: int, verb: int, begin: int, subject: int, shares: bool
) -> Iterator[int]:
    """Yield the tokens before the first verb that stand before the second as well."""
    dependencies, entities = sentence.dependencies, sentence.annotation.entities
    start = sentence.left(subject)
    opening = next(
        (at + 1 for at in range(start - 1, sentence.start, -1) if sentence.lower[at] in (";", ":")),
        _behind_connective(sentence),
    )
    dated = not TIMES.isdisjoint(entities[sentence.start : start]) and not TIMES.isdisjoint(
        entities[main : sentence.end]
    )
    # "Before his trial he lived there , and has one daughter": a phrase before the subject has one time.
    dated = dated or is_past(sentence, main) != is_past(sentence, verb)
    dated = dated or any(sentence.lower[at] in _NEXT for at in sentence.children(verb))
    own_phrase = fronted(sentence, verb, begin) > 0
    children = sentence.children(verb)
    modified = own_phrase or (children and children[0] < verb and dependencies[children[0]] == "advmod")
    through = sentence.right(subject)
    auxiliary = min(sentence.auxiliaries(main), default=main)
    for at in range(start if dated or own_phrase else opening, main):
        if at > through and not shares:
            if dependencies[at] in AUXILIARIES or dependencies[at] == "neg":
                continue
            # "is accidentally run over and dies": between verbs an adverb is that of the first.
            if sentence.lower[at] in _OF_FIRST_VERB:
                continue
            if dependencies[at] == "advmod" and (modified or at > auxiliary):
                continue
        yield at


#: Conjunctions that a parser often takes for adverbs or subordinators; these count behind a comma, and "so"
#: right before a subject.
_MISTAGGED = frozenset({"so", "yet", "nor", "for"})
_CORRELATIVES = frozenset({"either", "neither", "nor"})
_NEGATIONS = frozenset({"not", "n't"})
_PARTLY = frozenset({"only", "just", "merely", "simply"})
_VERBS = VERBS | {"MD"}
#: Behind "so" and "for", what makes them something else: "so that", "for example".
_NO_CONJUNCTION_BEFORE = frozenset({"that", "as", "far", "much", "many", "long", "to", "example", "instance"})


class _Clauses(NamedTuple):
    conjunction: int
    verb: int
    """Of the second conjunct."""
    prefix: tuple[int, ...]
    """What the second sentence repeats of the first: nothing where it has a subject of its own."""
    negated: int | None = None
    """The subject of the second clause behind "nor"."""


def _conjunctions(sentence: ParsedSentence) -> Iterator[int]:
    """Yield the conjunctions that may tie the sentence's main clause to another."""
    lower, dependencies, tags, heads = sentence.lower, sentence.dependencies, sentence.tags, sentence.heads
    for at in sentence.positions(COORDINATING):
        if (
            sentence.start + 2 <= at < sentence.end - 2
            and (
                (dependencies[at] == "cc" and tags[heads[at]] in _VERBS)
                or (lower[at] in _MISTAGGED and lower[at - 1] == ",")
                or (lower[at] == "so" and _opens_clause(sentence, at))
            )
            and lower[at + 1] != "else"
        ):
            yield at


def _opens_clause(sentence: ParsedSentence, so: int) -> bool:
    """Tell whether "so" stands right before a subject: "It was raining so they went home"."""
    return any(
        sentence.dependencies[at] in SUBJECTS and sentence.left(at) == so + 1
        for at in range(so + 1, min(so + 6, sentence.end))
    )


def _end_of_first(sentence: ParsedSentence, conjunction: int) -> int:
    return conjunction - (sentence.lower[conjunction - 1] == ",")


def _main_of_first(sentence: ParsedSentence, conjunction: int) -> int | None:
    """Return the verb of what stands before a conjunction if that is a sentence without what follows."""
    lower = sentence.lower
    end = _end_of_first(sentence, conjunction)
    # ", and so we left": two conjunctions.
    if lower[end - 1] in DIVIDING or lower[end - 1] in COORDINATING:
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
    return None if _is_list(sentence, main, end) or _is_both(sentence, end) else main


def _is_both(sentence: ParsedSentence, end: int) -> bool:
    """Tell whether "both" is the first half of "both getting better and being faster"."""
    return any(
        sentence.lower[at] == "both" and sentence.tags[at + 1] in VERBS
        for at in range(sentence.start, end - 1)
    )


def _is_list(sentence: ParsedSentence, main: int, end: int) -> bool:
    """Tell whether what ends before `end` begins a list: "He came , saw" or "It is red , it is old"."""
    labels = [sentence.dependencies[at] for at in sentence.children(main) if at < end]
    if labels.count("conj") > labels.count("cc"):
        return True
    first = sentence.child(main, "ccomp")
    return (
        first is not None
        and first < main
        and sentence.is_clause(first)
        and QUOTES.isdisjoint(sentence.lower[sentence.start : end])
    )


def _is_partial(words: Sequence[str]) -> bool:
    """Tell whether words hold the first half of "not only ... but also"."""
    return any(earlier in _NEGATIONS and word in _PARTLY for earlier, word in pairwise(words))


def _is_conjunct(sentence: ParsedSentence, verb: int, main: int) -> bool:
    """Tell whether `verb` is a conjunct of `main`, or of one of its conjuncts."""
    head = verb
    while sentence.dependencies[head] == "conj":
        head = sentence.heads[head]
        if head == main:
            return True
    return False


def _detect_sentences(sentence: ParsedSentence, params: RuleParams) -> Iterator[_Clauses]:
    lower = sentence.lower
    for at in _conjunctions(sentence):
        verb = sentence.head_of(at + 1, sentence.end)
        main = _main_of_first(sentence, at)
        if verb is None or main is None:
            continue
        if not (
            _is_conjunct(sentence, verb, main) or (lower[at] in _MISTAGGED and _is_tied(sentence, verb, main))
        ):
            continue
        subject = sentence.subject(verb)
        if subject is None:
            if (
                lower[at - 1] == ","
                and lower[at] not in ("for", "so", "nor")
                and verb <= at + params.conjunct_within
            ):
                prefix = repeated(sentence, main, verb, at + 1)
                shared = _shares_object(sentence, main, verb, at)
                if prefix and not shared and _carries_own_tense(sentence, verb):
                    yield _Clauses(at, verb, prefix)
            continue
        if not sentence.is_clause(verb) or not at < subject or _is_dependent(sentence, verb, at):
            continue
        if lower[at] in ("so", "for") and lower[at + 1] in _NO_CONJUNCTION_BEFORE:
            continue
        if lower[at] == "nor":
            if sentence.auxiliaries(verb)[:1] == [at + 1] and sentence.left(subject) == at + 2:
                yield _Clauses(at, verb, (), subject)
            continue
        if subject < verb and subject <= at + params.conjunct_within:
            yield _Clauses(at, verb, ())


def _shares_object(sentence: ParsedSentence, main: int, verb: int, conjunction: int) -> bool:
    """Tell whether the second verb has what the first lacks: "founded and led the club", "wrote about and
    painted them"."""
    last = _end_of_first(sentence, conjunction) - 1
    stranded = sentence.dependencies[last] == "prep" and sentence.heads[last] == main
    return stranded or (main == last and sentence.child(verb, "dobj", "prep", "agent") is not None)


def _is_dependent(sentence: ParsedSentence, verb: int, conjunction: int) -> bool:
    """Tell whether the clause behind a conjunction is no sentence: "and how it works", "and which ended"."""
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
    for at in _conjunctions(sentence):
        verb = sentence.head_of(at + 1, sentence.end)
        if verb is None or not at < verb <= at + params.conjunct_within:
            continue
        if sentence.lower[at] in ("for", "nor"):
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
        if _shares_object(sentence, main, verb, at):
            continue
        prefix = repeated(sentence, main, verb, at + 1)
        if prefix:
            yield _Clauses(at, verb, prefix)


def _apply(sentence: ParsedSentence, found: _Clauses) -> RuleResult:
    end = _end_of_first(sentence, found.conjunction)
    connective = " ".join(sentence.lower[end : found.conjunction + 1])
    first, second = split(sentence.tokens(), end - sentence.start)
    second = delete(second, 0, found.conjunction + 1 - end)
    if found.negated is not None:
        second = _declarative(sentence, second, found.negated)
    ahead = fronted(sentence, found.verb, found.conjunction + 1) if found.prefix else 0
    return RuleResult(first, [*second[:ahead], *prepend(second[ahead:], found.prefix)], connective)


def _declarative(sentence: ParsedSentence, clause: TokenList, subject: int) -> TokenList:
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
