"""Whether "which" after a last comma is about a noun or the whole clause: "He lost , which surprised us".

Belongs here: the evidence, from the verb, its complement, number, and the noun. Not here: finding the
relative clause (relative_clauses.py). The lists of words were made while reading 98 such clauses of GAP's
development set and of abstracts, and extended by our choice since; docs/reports/fusion-quality.md says how
many were right.
"""

from __future__ import annotations

from collections.abc import Iterator

from silverloom.ops.coreference.lexicon import words
from silverloom.ops.discofuse.rules.commas import AMOUNTS
from silverloom.ops.discofuse.rules.morphology import agree, is_past, is_plural
from silverloom.ops.discofuse.rules.rule import NAMES, NOUNS, VERBS, ParsedSentence

#: What happens or is done can be the subject of these as well as a thing can.
_OF_EVENTS = words(
    "accelerate affect alarm alleviate allow amaze amuse anger annoy astonish attest avoid boost bring cause "
    "compel complicate confirm contradict contribute convince cost create damage decrease degrade delay "
    "delight demonstrate disappoint discourage double drive ease embarrass enable encourage enhance ensure "
    "exacerbate excite explain facilitate force frighten frustrate halve hamper happen harm help highlight "
    "hinder hurt illustrate imply impress improve increase indicate infuriate inspire irritate justify "
    "lead leave let limit lower make mean mitigate motivate oblige occur offend outrage permit please "
    "pose prevent prompt prove provoke raise reduce reflect relieve render require result reveal ruin "
    "sadden save scare seem shock show simplify slow spark spoil strengthen suggest surprise threaten "
    "trigger turn underline undermine upset waste weaken worry worsen yield"
)
#: These, too, but less often.
_ALSO_OF_EVENTS = words(
    "add attract change come draw end gain get give go keep lose mark push put speed start support take win"
)
#: The subject of these is a thing.
_OF_THINGS = words(
    "address aim apply attempt become belong border categorise categorize classify combine comprise "
    "compute connect consider consist contain correspond cover date deal depend describe employ encode "
    "exploit extend feature flow focus generate grow have host house include incorporate introduce "
    "learn leverage lie live map measure model operate outperform overlook own predict produce propose "
    "provide publish range receive rely remain represent rewrite run sell serve sit specialise "
    "specialize stand stretch transform treat try use utilise utilize work"
)
#: "Which he did", "which she denied" are about a clause.
_WITH_CLAUSES = words(
    "accomplish achieve admit appreciate ascribe attribute believe call claim confirm consider deny do "
    "doubt expect explain forbid hate interpret know like love mean need note oppose prevent prove "
    "refuse regret reject report resent say see show take tell think want"
)
#: "Which has the effect of ..." is about a clause, too.
_EFFECTS = words(
    "advantage benefit consequence disadvantage drawback effect evidence explanation hint impact implication "
    "indication insight proof result support"
)
#: "Which was criticised", "which was followed by": what happened.
_PASSIVE_WITH_CLAUSES = words(
    "accomplish achieve applaud attribute blame cause celebrate condemn confirm consider criticise "
    "criticize demonstrate deny do expect explain follow interpret mean mirror note object praise prove "
    "reflect regard report see show support take thwart view welcome"
)
#: With these in "which is ...", the clause is about what is said before it.
_PREDICATES = words(
    "account achievement act advantage amazing attempt awesome bad because best blessing blow bonus "
    "challenge change claim cool coup crime crucial decision defeat difference difficult difficulty "
    "disappointment disaster disgrace easy evidence exactly fact feat fine first fun funny gamble good "
    "great hard help honor honour how important impressive improvement increase indication interesting "
    "ironic issue joy last lie likely limitation loss mercy milestone miracle miss mistake more most move "
    "nice nightmare obstacle odd only pity pleasure possible problem proof property reason record relief "
    "result ridiculous risk sad scandal setback shame sign something step strange success surprise "
    "surprising task tragedy triumph true typical understandable unfortunate unlikely unusual victory way "
    "weird what when where why wonderful"
)
_BELOW = frozenset({"pobj", "pcomp"})
_INFINITIVES = frozenset({"xcomp", "advcl"})
#: A sentence with these as its main verb tells of no event that "which" could be about.
_STATES = words("be have contain include comprise consist know belong use resemble remain")


def is_about_clause(sentence: ParsedSentence, verb: int, pronoun: int) -> bool:
    """Return whether the verb of a clause whose subject is "which" tells that it is about a whole clause."""
    if sentence.annotation.lemmas[verb] == "be":
        return not _PREDICATES.isdisjoint(sentence.lower[verb + 1 : min(verb + 4, sentence.end)])
    return sentence.dependencies[pronoun] != "nsubjpass" and sentence.annotation.lemmas[verb] in _OF_EVENTS


def is_about_noun(sentence: ParsedSentence, noun: int, verb: int, pronoun: int) -> bool:
    """Return whether a clause with "which" can only be about `noun`; `verb` is the verb of the clause."""
    lemma, label = sentence.annotation.lemmas[verb], sentence.dependencies[pronoun]
    if any(agree(sentence, other, verb) for other in _nouns_above(sentence, noun)):
        return False
    # "the signal to noise ratio , which": a noun in the singular without an article is often cut.
    if sentence.tags[noun] == "NN" and sentence.left(noun) == noun:
        return False
    if sentence.subject(verb) != pronoun:
        return lemma not in _WITH_CLAUSES
    carrier = sentence.verb_group(verb)
    if is_plural(sentence, noun) and (sentence.tags[carrier] == "VBP" or sentence.lower[carrier] == "were"):
        return True
    # "a model for German , which contains": the name is seldom meant.
    if sentence.lower[sentence.heads[noun]] == "for" and sentence.tags[noun] in NAMES:
        return False
    # "which may have introduced noise": the writer guesses what came of it all
    guessed = sentence.tags[carrier] == "MD" and "have" in sentence.lower[carrier + 1 : verb]
    if guessed and label == "nsubj":
        return False
    if label == "nsubjpass":
        return lemma not in _PASSIVE_WITH_CLAUSES
    if lemma == "be":
        return _is_description(sentence, noun, verb)
    if lemma in _OF_EVENTS or lemma in _ALSO_OF_EVENTS:
        return False
    owned = sentence.child(verb, "dobj")
    if (
        lemma in ("have", "provide", "offer")
        and owned is not None
        and sentence.annotation.lemmas[owned] in _EFFECTS
    ):
        return False
    return lemma in _OF_THINGS or _is_new(sentence, noun) or _tells_no_event(sentence)


def _nouns_above(sentence: ParsedSentence, noun: int) -> Iterator[int]:
    """Yield the nouns above a noun behind a preposition or an infinitive, and those behind the verbs above:
    "words" and "method" in "a method for mapping words onto a space , which ...". The clause may be about
    one of them. What an infinitive makes is new: "to build a model , which ..." yields nothing."""
    at, behind = noun, False
    while sentence.start <= sentence.heads[at] != at:
        label = sentence.dependencies[at]
        behind = behind or label in _BELOW or (label in _INFINITIVES and not _is_new(sentence, noun))
        at = sentence.heads[at]
        if behind and sentence.tags[at] in NOUNS and sentence.lower[at] not in AMOUNTS:
            yield at
        if sentence.tags[at] in VERBS:
            if behind:
                yield from (part for part in _complements(sentence, at) if at < part < noun)
            subject = sentence.subject(at)
            # "The bank uses trees to show structure , which", "The test is over the sphere , which"
            tied = label in _INFINITIVES or (label == "prep" and sentence.annotation.lemmas[at] == "be")
            if behind and tied and subject is not None and sentence.tags[subject] in NOUNS:
                yield subject
            if sentence.is_finite(at):
                return


def _complements(sentence: ParsedSentence, verb: int) -> Iterator[int]:
    """Yield the objects of a verb and of its prepositions."""
    for child in sentence.children(verb):
        if sentence.dependencies[child] == "dobj":
            yield child
        elif sentence.dependencies[child] == "prep":
            yield from (at for at in sentence.children(child) if sentence.dependencies[at] == "pobj")


def _is_description(sentence: ParsedSentence, noun: int, verb: int) -> bool:
    """Return whether "be" and what follows it describe a noun: "a dog , which was very old"."""
    if any(sentence.tags[at] == "MD" for at in sentence.auxiliaries(verb)):
        return False
    behind = sentence.child(verb, "attr", "acomp")
    if behind is None:
        return _is_new(sentence, noun) or sentence.tags[noun] in NAMES
    if not _PREDICATES.isdisjoint(sentence.lower[verb + 1 : behind + 1]):
        return False
    if sentence.child(behind, "xcomp", "ccomp") is not None:
        return False
    # "which was the seat of the king", but "which was a rare event" may be about the clause
    if sentence.dependencies[behind] == "attr" and not _is_new(sentence, behind):
        return True
    return _is_new(sentence, noun) or sentence.tags[noun] in NAMES or _tells_no_event(sentence)


def _is_new(sentence: ParsedSentence, noun: int) -> bool:
    """Return whether a noun phrase has an indefinite article: what is new is likely to be described."""
    determiner = sentence.child(noun, "det")
    return determiner is not None and sentence.lower[determiner] in ("a", "an", "another")


def _tells_no_event(sentence: ParsedSentence) -> bool:
    """Return whether a sentence tells no event: its main verb is a state, or in the present tense."""
    root = sentence.root
    happened = is_past(sentence, root) or sentence.annotation.lemmas[sentence.verb_group(root)] == "have"
    return sentence.annotation.lemmas[root] in _STATES or not happened
