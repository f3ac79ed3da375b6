"""A relative clause after a comma: "Ann , who sings ,".

Belongs here: which noun the clause is about, and the sentence that it becomes. Not here: clauses without
commas, which restrict their noun; text between commas (commas.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from silverloom.ops.coreference.lexicon import GROUP_NOUNS, words
from silverloom.ops.discofuse.rules.commas import (
    PEOPLE,
    Between,
    as_known,
    between,
    conjunct,
    is_person,
    loosely,
    noun_above,
    without,
)
from silverloom.ops.discofuse.rules.connectives import RELATIVE
from silverloom.ops.discofuse.rules.morphology import agree, possessive
from silverloom.ops.discofuse.rules.operations import prepend
from silverloom.ops.discofuse.rules.rule import (
    FINITE,
    NAMES,
    NOUNS,
    SUBJECTS,
    TIMES,
    VERBS,
    ParsedSentence,
    Rule,
    RuleParams,
    RuleResult,
)
from silverloom.ops.discofuse.rules.sentential import is_about_clause, is_about_noun
from silverloom.ops.discofuse.rules.subordination import is_reported_within

_NO_PERSONS = TIMES | {"GPE", "LOC", "FAC", "PRODUCT"}
_PERSONS = TIMES | {"PERSON"}
#: Prepositions before "which"; "of which" mostly belongs to an amount.
_PIPED = frozenset({"in", "at", "on", "to", "from", "with", "for", "under", "by", "through", "into"})
#: Phrases with these belong next to their verb; our choice.
_DIRECTIONS = frozenset({"from", "to", "into", "by", "with", "of", "onto", "out"})
_COMPLEMENTS = ("dobj", "attr", "acomp", "oprd", "prt", "agent", "dative")
_CLAUSES = ("ccomp", "xcomp", "advcl", "conj")
#: A statement about these does not hold for a known entity: "no house , which ..."
_NO_HOSTS = frozenset({"no", "any", "every", "each", "few", "neither", "some"})
#: Nor for a noun phrase that begins with these: "only the town , which ..."; but "the only town" is known.
_LIMITS = frozenset({"only", "just", "merely", "even", "little"})
#: A noun after these may have a clause of its own.
_BEHIND = frozenset({"in", "at", "on", "to", "from", "with", "for", "under", "by", "of"})
_KNOWN = frozenset({"this", "these", "that", "those"})
_OWNERS = NOUNS | {"POS"}
#: People, by `PEOPLE`, but things before "which". Our choice from that list.
_ALSO_THINGS = words(
    "agent center character client conductor driver editor host model native parent reader star translator"
)


def _detect_relative(sentence: ParsedSentence, params: RuleParams) -> Iterator[Between]:
    for pronoun in sentence.positions(RELATIVE):
        if not sentence.start + 2 <= pronoun < sentence.end - 2:
            continue
        opening = _opening(sentence, pronoun)
        if sentence.lower[opening - 1] != ",":
            continue
        verb = pronoun
        while sentence.dependencies[verb] != "relcl" and sentence.start <= sentence.heads[verb] != verb:
            verb = sentence.heads[verb]
        if sentence.dependencies[verb] != "relcl" or sentence.left(verb) != opening:
            continue
        clause = next(_relatives(sentence, verb, pronoun), None)
        if clause and not _may_be_final(sentence, clause, verb, pronoun, params):
            continue
        if not clause and params.profile == "released":
            clause = loosely(sentence, sentence.heads[verb], opening - 1, sentence.right(verb) + 1)
        gap = clause and _gap(sentence, pronoun, verb, clause.end)
        if clause and gap is not None:
            yield clause._replace(gap=gap)


def _may_be_final(
    sentence: ParsedSentence, clause: Between, verb: int, pronoun: int, params: RuleParams
) -> bool:
    """Return whether "which" after a sentence's last comma may be about a noun."""
    if sentence.lower[pronoun] != "which" or (
        clause.end < sentence.end and sentence.lower[clause.end] == ","
    ):
        return True
    return params.final_relatives == "all" or (
        params.final_relatives == "sure" and is_about_noun(sentence, clause.noun, verb, pronoun)
    )


def _opening(sentence: ParsedSentence, pronoun: int) -> int:
    """Return where a relative clause begins: at its pronoun, or at the preposition of "in which"."""
    before = pronoun - 1
    piped = (
        sentence.lower[pronoun] in ("which", "whom")
        and sentence.lower[before] in _PIPED
        and sentence.heads[pronoun] == before
        and before > sentence.start + 2
    )
    return before if piped else pronoun


def _relatives(sentence: ParsedSentence, verb: int, pronoun: int) -> Iterator[Between]:
    """Yield the relative clause of `verb` with each noun that it can be about."""
    if _is_in_modifier(sentence, sentence.heads[verb]):
        return
    for noun in _hosts(sentence, verb, pronoun):
        clause = between(sentence, noun, _opening(sentence, pronoun) - 1, sentence.right(verb) + 1)
        if (
            clause
            and _is_of_noun(sentence, clause, verb, pronoun)
            and _gap(sentence, pronoun, verb, clause.end) is not None
            and _suits(sentence, clause, verb, pronoun)
        ):
            yield clause


def _hosts(sentence: ParsedSentence, verb: int, pronoun: int) -> Iterator[int]:
    """Yield the noun that a clause depends on; then the noun above it if only that one suits the verb or the
    pronoun: "the height of the waves , which is ...", "the head of the museum , who ..."."""
    noun = sentence.heads[verb]
    yield noun
    above = sentence.heads[noun]
    if sentence.dependencies[noun] == "pobj" and sentence.lower[above] == "of":
        above = sentence.heads[above]
        if (
            sentence.start <= above < noun
            and sentence.subject(verb) == pronoun
            and (not agree(sentence, noun, verb) or _is_of_person(sentence, above, noun, pronoun))
            and sentence.tags[above] in NOUNS
        ):
            yield above


def _may_be_behind(sentence: ParsedSentence, clause: Between, verb: int, pronoun: int) -> bool:
    """Return whether a clause may be about a noun behind a preposition: "Israel" in "the religion in Israel ,
    which ..."."""
    children = reversed(sentence.children(clause.noun))
    preposition = next((at for at in children if sentence.lower[at] in _BEHIND and at < clause.start), None)
    behind = None if preposition is None else sentence.child(preposition, "pobj")
    if behind is None or behind > clause.start:
        return False
    person = is_person(sentence, behind)
    if sentence.lower[pronoun] in ("who", "whom"):
        return person
    thing = not person or sentence.lower[behind] in _ALSO_THINGS
    return thing and (sentence.subject(verb) != pronoun or agree(sentence, behind, verb))


def _is_of_person(sentence: ParsedSentence, above: int, noun: int, pronoun: int) -> bool:
    return (
        sentence.lower[pronoun] == "who"
        and sentence.lower[above] in PEOPLE
        and sentence.tags[noun] == "NN"
        and not is_person(sentence, noun)
        and sentence.lower[noun] not in GROUP_NOUNS
    )


def _is_of_noun(sentence: ParsedSentence, clause: Between, verb: int, pronoun: int) -> bool:
    """Return whether a relative clause is about this noun, and is a single clause that ends where it seems
    to."""
    lower = sentence.lower
    above = noun_above(sentence, clause.noun)
    if lower[pronoun] == "whose" and _is_owner_unclear(sentence, clause.noun):
        return False
    if above is not None:
        persons = lower[pronoun] in ("who", "whom")
        personal = is_person(sentence, above) and (persons or lower[above] not in _ALSO_THINGS)
        fits = is_person(sentence, clause.noun) == persons != personal
        higher = noun_above(sentence, above)
        told = sentence.subject(verb) == pronoun and not any(
            agree(sentence, noun, verb) for noun in (above, higher) if noun is not None
        )
        if not fits and not told:
            return False
    if _may_be_behind(sentence, clause, verb, pronoun):
        return False
    comma = clause.end < sentence.end and lower[clause.end] == ","
    if comma and _may_go_on(sentence, verb, clause.end + 1):
        return False
    # "we propose a model for this task , which is ...": what is known needs no description
    if lower[clause.phrase] in _KNOWN or _is_part(sentence, clause):
        return False
    inside = range(pronoun + 1, clause.end)
    # "We collect texts , which are old and analyze them": the main clause goes on.
    auxiliaries, further = sentence.auxiliaries(verb), sentence.child(verb, "conj")
    carried = any(sentence.tags[at] == "MD" or sentence.lower[at] == "do" for at in auxiliaries)
    if auxiliaries and not carried and further is not None and sentence.tags[further] == "VB":
        return False
    # "which ended in 1990 and which ...", "who came , who saw"
    if any(lower[at] in RELATIVE and lower[at - 1] in (",", "and", "or", "but") for at in inside):
        return False
    if lower[clause.phrase] in _LIMITS or not _NO_HOSTS.isdisjoint(lower[clause.phrase : clause.start]):
        return False
    if not comma:
        # "He claims that there is a house , which is old": he claims that, too.
        if is_reported_within(sentence, clause.noun):
            return False
        own = sentence.subject(verb)
        if any(sentence.dependencies[at] in SUBJECTS and at != own for at in inside):
            return False
    if lower[pronoun] != "which":
        return True
    if lower[clause.noun] in PEOPLE and lower[clause.noun] not in _ALSO_THINGS:
        return False
    if sentence.subject(verb) != pronoun or sentence.root > clause.start:
        return True
    # "it does not copy the file , which saves time"
    negated = sentence.child(sentence.heads[clause.noun], "neg") is not None
    if negated and sentence.dependencies[clause.noun] == "dobj":
        return False
    if sentence.tags[clause.noun] == "NNS" and sentence.tags[sentence.verb_group(verb)] == "VBP":
        return True
    return not is_about_clause(sentence, verb, pronoun)


def _is_owner_unclear(sentence: ParsedSentence, noun: int) -> bool:
    """Return whether "whose" may be about another noun: "farmers from poor regions , whose views"."""
    preposition = sentence.heads[noun]
    above = preposition - 1  # regardless of the parse
    if sentence.dependencies[noun] != "pobj" or sentence.tags[above] not in NOUNS:
        return False
    return is_person(sentence, above) or not is_person(sentence, noun)


def _is_part(sentence: ParsedSentence, clause: Between) -> bool:
    """Return whether a noun phrase is a part of a longer one that the parser missed: "training" of
    "self-training", "analysis" of "Emotion cause analysis", "new model" of "Lee and Kim 's new model"."""
    before, governor = clause.phrase - 1, sentence.heads[clause.noun]
    if clause.phrase == sentence.start:
        return False
    # "Emotion cause analysis": "emotion cause" cannot be a subject and its verb.
    subject = sentence.subject(before)
    if subject is not None and sentence.tags[before] == "VBP" and not agree(sentence, subject, before):
        return True
    # "by scaling properties": the properties may scale, or be scaled.
    if governor == before and sentence.dependencies[before] == "pcomp" and clause.phrase == clause.noun:
        return True
    # "from KitW / Wv compound heterozygous embryos": taggers take "compound" for a verb.
    if governor == before and sentence.tags[before] == "VB" and sentence.child(before, "aux") is None:
        return True
    # "The system is sentence - level": the noun is part of an adjective.
    if (
        sentence.dependencies[clause.noun] == "attr"
        and sentence.continues_word(clause.noun)
        and sentence.child(clause.noun, "det", "poss") is None
    ):
        return True
    nested = sentence.dependencies[clause.noun] == "dobj" and sentence.dependencies[governor] in SUBJECTS
    return (
        sentence.continues_word(clause.phrase)
        or sentence.tags[before] in _OWNERS
        or (nested and sentence.tags[governor] != "VBG")
    )


def _is_in_modifier(sentence: ParsedSentence, noun: int) -> bool:
    """Return whether a noun is inside a participle's phrase or another relative clause, so that the clause
    may also be about the noun which that modifies: "the score that we got on the set , which was low"."""
    at = noun
    while sentence.heads[at] != at and sentence.start <= sentence.heads[at] < sentence.end:
        at = sentence.heads[at]
        label = sentence.dependencies[at]
        if label == "acl" or (label == "relcl" and sentence.lower[sentence.left(at) - 1] != ","):
            return True
    return False


def _may_go_on(sentence: ParsedSentence, verb: int, following: int) -> bool:
    """Return whether a relative clause may continue after its comma: "which was built in 1693 , and served as
    a tavern", "at which men smile , and women weep"."""
    if sentence.tags[following] != "CC":
        return False
    further = conjunct(sentence, following)
    alone = sentence.tags[further] not in VERBS or sentence.subject(further) is None
    return alone or sentence.heads[further] == verb


def _gap(sentence: ParsedSentence, pronoun: int, verb: int, end: int) -> int | None:
    """Return the token after which the noun phrase belongs, None if this is unclear."""
    label, head = sentence.dependencies[pronoun], sentence.heads[pronoun]
    subject = sentence.subject(verb)
    if subject is None or not sentence.is_finite(verb):
        return None
    if sentence.lower[pronoun] == "whose":
        return pronoun if label == "poss" and sentence.dependencies[head] in ("nsubj", "nsubjpass") else None
    if subject == pronoun:
        # "who many believed was dead": the pronoun is not the subject of the first verb.
        carrier = sentence.verb_group(verb)
        said = any(sentence.tags[at] in FINITE for at in range(pronoun + 1, min(carrier, verb)))
        # "which engineers had warned would collapse": the verb has another subject.
        twice = any(at != pronoun and sentence.dependencies[at] in SUBJECTS for at in sentence.children(verb))
        return None if said or twice else pronoun
    # "which she had told her not to wear": the pronoun may be the object of the governed verb.
    if sentence.child(head, "ccomp", "xcomp", "dative") is not None:
        return None
    if _opening(sentence, pronoun) < pronoun:
        if sentence.heads[head] != verb or not pronoun < subject < verb:
            return None
        if sentence.child(verb, *_CLAUSES) is not None:
            return None
        following = verb + 1
        # "was removed from the pool in the trial on the next day"
        if sentence.lower[following] in _DIRECTIONS and sentence.heads[following] == verb:
            noun = sentence.child(following, "pobj") or following
            loose = noun + 1 < end and sentence.lower[noun + 1] in _PIPED  # "from the pool on the day"
            return noun if loose else min(sentence.right(following), end - 1)
        bare = following == end or sentence.dependencies[following] == "prep"
        return verb if bare and sentence.child(verb, *_COMPLEMENTS) is None else end - 1
    if label not in ("dobj", "pobj") or not pronoun < head < end or not pronoun < subject < head + 1:
        return None
    particle = sentence.child(head, "prt")
    if sentence.child(head, "dobj") not in (None, pronoun):
        return None
    return head if particle is None else particle


def _suits(sentence: ParsedSentence, clause: Between, verb: int, pronoun: int) -> bool:
    """Return whether a noun matches its pronoun and its verb; if not, the parser chose the wrong noun."""
    last = clause.start - 1
    if (
        sentence.lower[pronoun] != "which"
        and sentence.tags[last] in NAMES
        and sentence.tags[clause.noun] not in NAMES
    ):
        return False  # "the eye of Selena , who ..."
    entity = sentence.annotation.entities[clause.noun]
    if clause.end > sentence.root and entity in (
        _NO_PERSONS if sentence.lower[pronoun] in ("who", "whom") else _PERSONS
    ):
        return sentence.lower[pronoun] == "whose"
    return sentence.subject(verb) != pronoun or agree(sentence, clause.noun, verb)


def _apply_relative(sentence: ParsedSentence, clause: Between) -> RuleResult:
    phrase = as_known(sentence, clause)
    pronoun = clause.start + 1
    rest = sentence.tokens(pronoun + 1, clause.end)
    if clause.gap == pronoun:
        if sentence.lower[pronoun] == "whose":
            phrase = possessive(sentence, clause.noun, phrase)
        return RuleResult(without(sentence, clause), prepend(rest, phrase))
    assert clause.gap is not None
    if sentence.lower[pronoun] not in RELATIVE:  # "in which"
        phrase, rest = [pronoun, *phrase], rest[1:]
        pronoun += 1
    behind = clause.gap + 1 - (pronoun + 1)
    return RuleResult(without(sentence, clause), [*rest[:behind], *phrase, *rest[behind:]])


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
