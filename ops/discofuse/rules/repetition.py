"""What the second of two coordinated verb phrases repeats from the first when it becomes a sentence.

Belongs here: the subject and the other words before the first verb, and whether the two verbs share a subject
at all. Not here: finding the conjunction, the rules themselves (coordination.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from silverloom.ops.coreference.lexicon import words
from silverloom.ops.discofuse.annotation import QUOTES
from silverloom.ops.discofuse.rules.connectives import BACKWARD_PHRASES, INSIDE
from silverloom.ops.discofuse.rules.morphology import (
    agree,
    is_common_noun,
    is_participle,
    is_past,
    is_plural,
    is_third_person,
)
from silverloom.ops.discofuse.rules.rule import AUXILIARIES, FINITE, LOUD_MODALS, NOUNS, TIMES, ParsedSentence

#: Adverbs that belong only to the first verb phrase: "He never married and died young", "first played for X
#: and then for Y".
_OF_FIRST_VERB = frozenset(
    {
        "never", "not", "n't", "first", "initially", "originally", "hardly", "barely", "rarely",
        "previously", "once", "only",
    }
)  # fmt: skip
_INITIALLY = frozenset({"initially", "originally", "first"})
#: Without an object, these are passive, so that "was born and raised" continues as "was raised".
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
#: These have no passive, so that "was hurt and died" continues as "died". Any other past form that may be a
#: participle, and has no object, continues the passive: "was moved and stored in a cellar".
_INTRANSITIVE = words(
    "act appear arrive ascend become begin belong cease climb coincide collapse come compete consist "
    "continue contribute convert debut decline depart deteriorate die disappear dwell emerge emigrate end "
    "escape evolve exist expire fall feature fight finish flee function go graduate happen immigrate land "
    "lead lecture lie live look marry matter migrate move occur originate participate peak perform perish "
    "persist play practice practise proceed qualify range rank recover remain reside resign respond "
    "result retire return rise run sail serve settle sing sit sleep spread stand start stay stop study "
    "succeed survive swim talk tour train travel turn vanish vary vote wait walk work"
)
#: "Expected to grow" is passive, "decided to leave" is not.
_WITH_INFINITIVE = words(
    "allow ask assume believe compel consider design encourage estimate expect find force intend invite know "
    "oblige order permit persuade predict report require rumor rumour say see suppose tell think use"
)
#: Verbs whose past form equals their base form.
_PAST_AS_BASE = words("beat bet burst cast cost cut hit hurt let put quit set shut split spread")
#: A statement about these does not hold for their verb phrases one by one: "Few voted and were satisfied".
_DECREASING = words("few fewer no none nobody nothing neither only hardly scarcely seldom rarely")
_SHARES = frozenset({"half", "third", "thirds", "quarter", "quarters", "percent", "%", "most", "majority"})
#: Before the subject these belong only to the first verb phrase.
_OPENERS = INSIDE | {"so", "and", "but", "or", "yet"}
#: With two objects, so that the passive keeps one: "was measured and assigned a number".
_WITH_TWO_OBJECTS = words(
    "allocate allow appoint assign award call declare elect grant name offer pay sentence"
)
#: The second verb phrase keeps these, because it would claim too much without them. It loses any other adverb
#: in -ly right before the first verb: "were lightly stained and viewed".
_LIMITING = words(
    "apparently allegedly barely commonly frequently generally hardly largely mainly mostly nearly normally "
    "occasionally only partially partly possibly potentially presumably probably purportedly rarely "
    "regularly reportedly scarcely supposedly typically usually virtually"
)
_WHEN = TIMES | {"EVENT"}
#: "From there he moved on and was then hired": a phrase before the subject belongs only to the first verb.
_NEXT = frozenset({"then", "later", "afterwards", "afterward", "subsequently", "thereafter"})
#: Most digits of a footnote's number.
_MARK = 3
_MARKS = frozenset({"[", "]", "*", "**", "†", "‡"})
_ADVERBS = frozenset({"RB", "RBR", "RBS"})
_BEFORE_VERB = frozenset(
    {"advmod", "aux", "auxpass", "neg", "prep", "advcl", "npadvmod", "punct", "cc", "preconj"}
)
_PHRASES = frozenset({"prep", "advcl", "npadvmod"})


def repeated(sentence: ParsedSentence, main: int, verb: int, begin: int) -> tuple[int, ...]:
    """Return the tokens before the first verb (`main`) that the second verb (`verb`) needs.

    The second verb phrase begins at `begin`. Returns an empty tuple if the verbs do not share a subject.
    """
    subject = sentence.subject(main)
    if subject is None or subject > main or sentence.dependencies[subject] == "expl":
        return ()
    if sentence.words[subject] in LOUD_MODALS or _is_cut(sentence, sentence.left(subject)):
        return ()
    # "8:00 AM Leaves the farm": a time is not the subject.
    if sentence.annotation.entities[subject] in TIMES:
        return ()
    # "is to play and win" continues the infinitive. After "be" or "or", the verb may be a participle.
    infinitive = sentence.child(main, "xcomp") is not None and not sentence.auxiliaries(verb)
    if sentence.annotation.lemmas[main] == "be" and infinitive and sentence.tags[verb] == "VB":
        return ()
    if sentence.lower[begin - 1] == "or" and sentence.tags[verb] == "VBD" and sentence.tags[main] == "VBN":
        return ()
    # "use these answers and contexts/VBD", "can play and sings/VB": the form contradicts the tag.
    if sentence.tags[verb] != "VBZ" and is_third_person(sentence.lower[verb]):
        return ()
    if not agree(sentence, subject, verb) or not _hangs_on(sentence, main, verb, begin):
        return ()
    if _is_share(sentence, subject) or _is_decreasing(sentence, subject):
        return ()
    if _may_be_noun_phrase(sentence, main, verb, begin):
        return ()
    shares = _shares_auxiliaries(sentence, main, verb)
    # "has never won it but reached the final", "has never won it and died young": only one is negated.
    if shares and sentence.lower[begin - 1] != "or" and _is_negated(sentence, main):
        return ()
    if shares is None:
        return ()
    prefix = tuple(_prefix(sentence, main, verb, begin, subject, shares))
    # "was widely known and is a teacher", if the parser did not treat "was" as an auxiliary.
    through = sentence.right(subject)
    if not shares and any(at > through and sentence.tags[at] in FINITE for at in prefix):
        return ()
    behind = prefix.index(max(at for at in prefix if at <= sentence.right(subject))) + 1
    # "The road is , however , closed": do not keep the commas of words that are left out.
    paired = sum(sentence.lower[at] == "," for at in prefix[:behind]) % 2 == 0
    bare = paired and all(sentence.lower[at] == "," for at in prefix[behind:])
    return prefix[:behind] if bare else prefix


def _is_cut(sentence: ParsedSentence, first: int) -> bool:
    """Return whether a subject at `first` is the end of a name with a semicolon: "K14 ; Apc mice"."""
    if sentence.lower[first - 1 : first] != [";"] or sentence.tags[first] == "PRP":
        return False
    return FINITE.isdisjoint(sentence.tags[sentence.start : first])


def _is_share(sentence: ParsedSentence, subject: int) -> bool:
    """Return whether a subject is a part of a whole, which need not be the same part twice: "half of all
    schools were looted and destroyed"."""
    known = sentence.lower[sentence.left(subject)] == "the"
    return not known and sentence.lower[subject] in _SHARES and sentence.lower[subject + 1] == "of"


def _is_decreasing(sentence: ParsedSentence, subject: int) -> bool:
    """Return whether a subject is "few people", "little rain" or "nobody"; "a few people" and "little girls"
    are not."""
    first = sentence.left(subject)
    if sentence.lower[first] == "little" and (first == subject or sentence.tags[subject] == "NN"):
        return True
    return any(
        (sentence.lower[at] in _DECREASING and sentence.lower[at - 1] != "a")
        or sentence.lower[at : at + 2] in (["not", "many"], ["not", "much"])
        for at in range(first, subject + 1)
    )


def _may_be_noun_phrase(sentence: ParsedSentence, main: int, verb: int, begin: int) -> bool:
    """Return whether the parser may have taken a noun phrase for a verb phrase: "measured deaths and crashes
    on roads", "generates a summary or extracted facts"."""
    tags, last = sentence.tags, begin - 2 - (sentence.lower[begin - 2] == ",")
    # "of dopamine , and now D2Rs in the brain", "unitary and thus ' stacked ' transformations"
    if not sentence.words[verb].islower() or (verb > begin and sentence.words[verb - 1] in QUOTES):
        return sentence.words[verb] not in LOUD_MODALS
    if verb != begin or tags[last] not in NOUNS:
        return False
    if tags[verb] in ("VBD", "VBN") and is_participle(sentence.lower[verb]):
        behind = verb + 1 < sentence.end and tags[verb + 1] in NOUNS and sentence.heads[verb + 1] == verb
        return behind and not is_past(sentence, main)
    labels = {sentence.dependencies[at] for at in sentence.children(verb)}
    bare = labels <= {"prep", "npadvmod", "punct"}
    listed = tags[last] == "NNS" or is_past(sentence, verb) != is_past(sentence, main)
    return tags[verb] == "VBZ" and bare and listed and is_common_noun(sentence.lower[verb])


def fronted(sentence: ParsedSentence, verb: int, begin: int) -> int:
    """Return how many tokens come before the position of the subject: 2 in "in 1986 attended Yale"."""
    opens = next((at for at in sentence.children(verb) if sentence.left(at) == begin), None)
    if opens is None or sentence.lower[begin] == ",":
        return 0
    end = sentence.right(opens) + 1
    # "but more critically , provide", but not "but , sadly , provide"
    adverb = sentence.dependencies[opens] == "advmod" and sentence.lower[end] == ","
    if sentence.dependencies[opens] not in _PHRASES and not adverb:
        return 0
    if sentence.continues_word(verb):  # "crash-landed"
        return 0
    return end + (sentence.lower[end] == ",") - begin if end <= verb else 0


def _shares_auxiliaries(sentence: ParsedSentence, main: int, verb: int) -> bool | None:
    """Return whether the second verb shares the first one's auxiliaries; None if the forms do not tell."""
    auxiliaries, own = sentence.auxiliaries(main), sentence.auxiliaries(verb)
    lemmas, tag, main_tag = sentence.annotation.lemmas, sentence.tags[verb], sentence.tags[main]
    bare = sentence.child(verb, "dobj") is None
    if own:
        return False if sentence.tags[own[0]] in FINITE else None
    if (
        tag in ("VB", "VBN")
        and main_tag == "VBD"
        and not auxiliaries
        and sentence.lower[verb] in _PAST_AS_BASE
    ):
        return False
    if not auxiliaries:
        # "became an inspector and assigned to": a passive without its auxiliary.
        passive = tag == "VBN" and (lemmas[main] == "be" or (bare and lemmas[verb] in _TRANSITIVE))
        # "is new and expected to grow", "was a king and killed in the war"
        passive = passive or (
            lemmas[main] == "be"
            and tag == "VBD"
            and bare
            and _may_be_passive(sentence, verb)
            and (main_tag != "VBD" or lemmas[verb] in _TRANSITIVE or _describes_in_passive(sentence, main))
        )
        infinite = tag == "VBG" or (tag == "VB" and main_tag != "VBP")
        # Mostly a tagging error, or a subject that agrees with only one of the verbs.
        return None if passive or infinite or {tag, main_tag} == {"VBP", "VBZ"} else False
    passive = (
        main_tag == "VBN"
        and tag == "VBD"
        and bare
        and _may_be_passive(sentence, verb)
        and (lemmas[verb] in _TRANSITIVE or sentence.child(main, "auxpass") is not None)
    )
    has = lemmas[auxiliaries[0]] == "have"
    perfect = main_tag == "VBN" and tag == "VBD" and has and is_participle(sentence.lower[verb])
    # "One can read it and then produce a summary": a singular does not take "produce".
    subject = sentence.subject(main)
    # "They had started to walk , but still crawled": the forms do not tell.
    if (
        has
        and sentence.child(verb, "advmod") in range(main, verb)
        and sentence.lower[auxiliaries[-1]] == "had"
    ):
        return None
    modal = main_tag == "VB" and tag == "VBP" and sentence.tags[auxiliaries[0]] == "MD"
    modal = modal and subject is not None and _is_third_singular(sentence, subject)
    if passive or perfect or modal or tag == main_tag:
        # "has been praised and sold a million copies": the second verb is not passive. "would not be checked
        # and thus also not used": each verb has its own "not".
        active = not bare and sentence.child(main, "auxpass") is not None
        twice = _is_negated(sentence, main) and _is_negated(sentence, verb)
        return None if active or twice else True
    if main_tag == "VBN" and tag == "VBD" and not bare and lemmas[verb] in _WITH_TWO_OBJECTS:
        return None
    # "Errors are defined and classified" or "is located there and opened": the forms do not tell.
    either = main_tag == "VBN" and tag == "VBD" and sentence.lower[auxiliaries[0]] in ("is", "are")
    return None if either or tag not in FINITE else False


def _may_be_passive(sentence: ParsedSentence, verb: int) -> bool:
    """Return whether a past form without an object may be a passive participle without its auxiliary."""
    lemma = sentence.annotation.lemmas[verb]
    governed = sentence.child(verb, "xcomp", "ccomp")
    if governed is not None and sentence.lower[governed] != "using":  # "sequenced using a kit"
        return lemma in _WITH_INFINITIVE
    return lemma not in _INTRANSITIVE and is_participle(sentence.lower[verb])


def _describes_in_passive(sentence: ParsedSentence, main: int) -> bool:
    """Return whether the parser took a passive for a description: "was PCR amplified"."""
    described = sentence.child(main, "acomp")
    return described is not None and sentence.tags[described] == "VBN"


def _is_third_singular(sentence: ParsedSentence, noun: int) -> bool:
    return sentence.lower[noun] in ("one", "it", "he", "she") or (
        sentence.tags[noun] in ("NN", "NNP") and not is_plural(sentence, noun)
    )


def _is_negated(sentence: ParsedSentence, verb: int) -> bool:
    return sentence.child(verb, "neg") is not None


def _hangs_on(sentence: ParsedSentence, main: int, verb: int, begin: int) -> bool:
    """Return whether a conjunct depends on the main verb, as far as the parse is reliable.

    Only adverbs and phrases may precede it, not a subject that the parser mislabelled. If a clause governed
    by the main verb ends right before the conjunction, the conjunct may belong to that clause: "show that it
    is good and can help".
    """
    for at in sentence.children(verb):
        label = sentence.dependencies[at]
        if at < verb and (
            label not in _BEFORE_VERB or (label == "advmod" and sentence.tags[at] not in _ADVERBS)
        ):
            return False
    # "His father painted , his brother sang , and often wrote": the nearer noun is the subject.
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
    """Return whether a conjunct in another tense may belong to a clause after the first verb: "presents a
    method based on words and aimed at texts", "met a man who lives there and tells stories"."""
    if is_past(sentence, verb) == is_past(sentence, main):
        return False
    participle = is_participle(sentence.lower[verb])
    return any(
        sentence.dependencies[at] == "relcl"
        or (participle and sentence.dependencies[at] == "acl" and sentence.tags[at] == "VBN")
        for at in range(main, begin)
    )


def _behind_connective(sentence: ParsedSentence, start: int) -> int:
    """Return where a sentence, or its part from `start` on, continues after a footnote's mark and "However
    ,", which belong only to the first verb phrase."""
    lower = sentence.lower
    while start < sentence.end - 1 and _is_mark(sentence, start):
        start += 1
    if lower[start] in _OPENERS and sentence.dependencies[start] in ("advmod", "cc", "mark"):
        return start + 1 + (lower[start + 1] == ",")
    ends = (
        start + len(connective)
        for connective in BACKWARD_PHRASES.get(lower[start], ())
        if lower[start : start + len(connective)] == connective
    )
    return next((end + 1 for end in ends if end < sentence.end and lower[end] == ","), start)


def _is_mark(sentence: ParsedSentence, token: int) -> bool:
    """Return whether a token is a footnote's mark: "[", "12", "*"."""
    word = sentence.lower[token]
    number = word.isdigit() and len(word) <= _MARK and sentence.heads[token] != token + 1
    return number or (word in _MARKS and not sentence.annotation.entities[token])


def _prefix(
    sentence: ParsedSentence, main: int, verb: int, begin: int, subject: int, shares: bool
) -> Iterator[int]:
    """Yield the tokens before the first verb that the second verb phrase repeats."""
    dependencies, entities = sentence.dependencies, sentence.annotation.entities
    start = sentence.left(subject)
    divided = (at + 1 for at in range(start - 1, sentence.start, -1) if sentence.lower[at] in (";", ":"))
    opening = _behind_connective(sentence, next(divided, sentence.start))
    # "In the Civil War the town was besieged and burned down in 1684"
    dated = not _WHEN.isdisjoint(entities[sentence.start : start]) and not TIMES.isdisjoint(
        entities[main : sentence.end]
    )
    # "Before his trial he lived there , and has one daughter": a phrase before the subject has only one time.
    dated = dated or (not shares and is_past(sentence, main) != is_past(sentence, verb))
    dated = dated or any(sentence.lower[at] in _NEXT for at in sentence.children(verb))
    own_phrase = fronted(sentence, verb, begin) > 0
    children = sentence.children(verb)
    modified = own_phrase or (children and children[0] < verb and dependencies[children[0]] == "advmod")
    opening, through = min(opening, start), sentence.right(subject)
    # "Potentially they can help , and sometimes do": each verb phrase has its own adverb.
    # "As a boy he initially liked it , but ultimately left": the phrase belongs to the first.
    if modified and not _INITIALLY.isdisjoint(sentence.lower[through:main]):
        opening = start
    if modified and all(dependencies[at] in ("advmod", "punct") for at in range(opening, start)):
        opening = start
    auxiliary = min(sentence.auxiliaries(main), default=main)
    # "It normally hears the case and may dismiss it": not "normally may".
    able = auxiliary == main and sentence.tags[sentence.verb_group(verb)] == "MD"
    for at in range(start if dated or own_phrase else opening, main):
        if at > through and shares and modified and dependencies[at] == "advmod":
            continue
        # "It greatly helps them and is free"
        if at == main - 1 > through and _is_manner(sentence, at):
            continue
        if at > through and not shares:
            if dependencies[at] in AUXILIARIES or dependencies[at] == "neg":
                continue
            # "is accidentally run over and dies": an adverb between the verbs belongs to the first.
            if sentence.lower[at] in _OF_FIRST_VERB:
                continue
            if dependencies[at] == "advmod" and (modified or able or at > auxiliary):
                continue
        yield at


def _is_manner(sentence: ParsedSentence, token: int) -> bool:
    word = sentence.lower[token]
    return sentence.dependencies[token] == "advmod" and word.endswith("ly") and word not in _LIMITING
