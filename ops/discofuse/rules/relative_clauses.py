"""A relative clause after a comma: "Ann , who sings ,".

Belongs here: which noun the clause is about, and the sentence that it becomes. Not here: clauses without
commas, which restrict their noun; text between commas (commas.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from ops.discofuse.rules.commas import (
    PEOPLE,
    Between,
    between,
    conjunct,
    is_person,
    loosely,
    noun_above,
    without,
)
from ops.discofuse.rules.connectives import RELATIVE
from ops.discofuse.rules.morphology import agree, possessive
from ops.discofuse.rules.rule import (
    NAMES,
    NOUNS,
    SUBJECTS,
    TIMES,
    VERBS,
    ParsedSentence,
    Rule,
    RuleParams,
    RuleResult,
    prepend,
)

_NO_PERSONS = TIMES | {"GPE", "LOC", "FAC", "PRODUCT"}
_PERSONS = TIMES | {"PERSON"}
#: A statement about these does not hold for a known entity: "no house , which ..."
_NO_HOSTS = frozenset({"no", "any", "every", "each", "few", "little", "neither", "some"})
_KNOWN = frozenset({"this", "these", "that", "those"})
#: With these after "which", the clause is about the whole clause before it: "He lost , which made her sad".
_OF_CLAUSES = frozenset(
    {
        "affect", "allow", "bring", "cause", "create", "enable", "ensure", "explain", "force", "happen",
        "help", "imply", "indicate", "lead", "leave", "let", "make", "mean", "occur", "prevent", "prompt",
        "prove", "require", "result", "seem", "show", "suggest", "turn",
    }
)  # fmt: skip
_OF_CLAUSES_BEHIND_BE = frozenset(
    {
        "why", "because", "how", "what", "where", "when", "good", "great", "nice", "bad", "fun", "funny",
        "important", "true", "fine", "sad", "strange", "odd", "weird", "surprising", "interesting",
        "unusual", "ironic", "cool", "hard", "difficult", "easy", "exactly", "something", "ridiculous",
        "unfortunate", "understandable", "crucial", "impressive", "amazing", "awesome", "wonderful",
        "obstacle", "problem", "challenge", "reason", "advantage", "step", "task", "result", "issue", "shame",
        "sign", "fact", "way", "proof", "difference",
    }
)  # fmt: skip


def _detect_relative(sentence: ParsedSentence, params: RuleParams) -> Iterator[Between]:
    for pronoun in sentence.positions(RELATIVE):
        if not sentence.start + 2 <= pronoun < sentence.end - 2 or sentence.lower[pronoun - 1] != ",":
            continue
        verb = pronoun
        while sentence.dependencies[verb] != "relcl" and sentence.start <= sentence.heads[verb] != verb:
            verb = sentence.heads[verb]
        if sentence.dependencies[verb] != "relcl" or sentence.left(verb) != pronoun:
            continue
        found = next(_relatives(sentence, verb, pronoun), None)
        if not found and params.profile == "released":
            found = loosely(sentence, sentence.heads[verb], pronoun - 1, sentence.right(verb) + 1)
        gap = found and _gap(sentence, pronoun, verb, found.end)
        if found and gap is not None:
            yield found._replace(gap=gap)


def _relatives(sentence: ParsedSentence, verb: int, pronoun: int) -> Iterator[Between]:
    """Yield the relative clause of `verb` with each noun that it can be about."""
    if _is_in_modifier(sentence, sentence.heads[verb]):
        return
    for noun in _hosts(sentence, verb, pronoun):
        found = between(sentence, noun, pronoun - 1, sentence.right(verb) + 1)
        if (
            found
            and _is_of_noun(sentence, found, verb, pronoun)
            and _gap(sentence, pronoun, verb, found.end) is not None
            and _suits(sentence, found, verb, pronoun)
        ):
            yield found


def _hosts(sentence: ParsedSentence, verb: int, pronoun: int) -> Iterator[int]:
    """Yield the noun that a clause depends on; then the noun above it if only that one agrees with the verb:
    "the height of the waves , which is ..."."""
    noun = sentence.heads[verb]
    yield noun
    above = sentence.heads[noun]
    if sentence.dependencies[noun] == "pobj" and sentence.lower[above] == "of":
        above = sentence.heads[above]
        if (
            sentence.start <= above < noun
            and sentence.subject(verb) == pronoun
            and not agree(sentence, noun, verb)
            and sentence.tags[above] in NOUNS
        ):
            yield above


def _is_of_noun(sentence: ParsedSentence, found: Between, verb: int, pronoun: int) -> bool:
    """Return whether a relative clause is about this noun, and is a single clause that ends where it seems
    to."""
    lower = sentence.lower
    above = noun_above(sentence, found.noun)
    if above is not None:
        persons = lower[pronoun] in ("who", "whom")
        fits = is_person(sentence, found.noun) == persons != is_person(sentence, above)
        told = sentence.subject(verb) == pronoun and not agree(sentence, above, verb)
        if not fits and not (told and sentence.dependencies[above] != "pobj"):
            return False
    comma = found.end < sentence.end and lower[found.end] == ","
    if comma and _may_go_on(sentence, found.end + 1):
        return False
    # "we propose a model for this task , which is ...": what is known needs no description
    if lower[found.phrase] in _KNOWN:
        return False
    inside = range(pronoun + 1, found.end)
    # "which ended in 1990 and which ...", "who came , who saw"
    if any(lower[at] in RELATIVE and lower[at - 1] in (",", "and", "or", "but") for at in inside):
        return False
    if not _NO_HOSTS.isdisjoint(lower[found.phrase : found.start]):
        return False
    if not comma:
        own = sentence.subject(verb)
        if any(sentence.dependencies[at] in SUBJECTS and at != own for at in inside):
            return False
    if lower[pronoun] != "which":
        return True
    if lower[found.noun] in PEOPLE:
        return False
    if sentence.subject(verb) != pronoun or sentence.root > found.start:
        return True
    # "it does not copy the file , which saves time"
    negated = sentence.child(sentence.heads[found.noun], "neg") is not None
    if negated and sentence.dependencies[found.noun] == "dobj":
        return False
    if sentence.tags[found.noun] == "NNS" and sentence.tags[sentence.verb_group(verb)] == "VBP":
        return True
    lemmas = sentence.annotation.lemmas
    if lemmas[verb] == "be":
        behind = [lower[at] for at in range(verb + 1, min(verb + 4, found.end))]
        return _OF_CLAUSES_BEHIND_BE.isdisjoint(behind)
    return sentence.dependencies[pronoun] == "nsubjpass" or lemmas[verb] not in _OF_CLAUSES


def _is_in_modifier(sentence: ParsedSentence, noun: int) -> bool:
    """Return whether a noun is inside a participle's phrase, so that the clause may also be about the noun
    which the participle modifies."""
    at = noun
    while sentence.heads[at] != at and sentence.start <= sentence.heads[at] < sentence.end:
        at = sentence.heads[at]
        if sentence.dependencies[at] == "acl":
            return True
    return False


def _may_go_on(sentence: ParsedSentence, following: int) -> bool:
    """Return whether a relative clause may continue after its comma: "which was built in 1693 , and served as
    a tavern"."""
    if sentence.tags[following] != "CC":
        return False
    verb = conjunct(sentence, following)
    return sentence.tags[verb] not in VERBS or sentence.subject(verb) is None


def _gap(sentence: ParsedSentence, pronoun: int, verb: int, end: int) -> int | None:
    """Return the token after which the noun phrase belongs, None if this is unclear."""
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


def _suits(sentence: ParsedSentence, found: Between, verb: int, pronoun: int) -> bool:
    """Return whether a noun matches its pronoun and its verb; if not, the parser chose the wrong noun."""
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


def _apply_relative(sentence: ParsedSentence, found: Between) -> RuleResult:
    phrase = sentence.tokens(found.phrase, found.start)
    indefinite = sentence.lower[found.phrase] in ("a", "an") and sentence.left(found.noun) == found.phrase
    if indefinite and sentence.tags[found.noun] not in NAMES:
        phrase[0] = "the"  # the second sentence is about something known
    pronoun = found.start + 1
    rest = sentence.tokens(pronoun + 1, found.end)
    if found.gap == pronoun:
        if sentence.lower[pronoun] == "whose":
            phrase = possessive(sentence, found.noun, phrase)
        return RuleResult(without(sentence, found), prepend(rest, phrase))
    assert found.gap is not None
    behind = found.gap + 1 - (pronoun + 1)
    return RuleResult(without(sentence, found), [*rest[:behind], *phrase, *rest[behind:]])


RULES = (
    Rule(
        name="relative_clause",
        row="Relative clause",
        discourse_type="SINGLE_RELATIVE",
        triggers=RELATIVE,
        detect=_detect_relative,
        apply=_apply_relative,
    ),
)
