"""Links between two sentences that are certain by construction, and evidence that makes a link likely.

Belongs here: shortened names, "it" for a subject that its sentence calls a thing, whether both are subjects,
and impersonal "it". Not here: links of the ranker (ops/coreference), replacing mentions (anaphora.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from silverloom.ops.coreference.lexicon import GROUP_NAMES, PRONOUNS, TITLES
from silverloom.ops.coreference.links import Link
from silverloom.ops.discofuse.rules.commas import THINGS, is_person
from silverloom.ops.discofuse.rules.morphology import is_plural
from silverloom.ops.discofuse.rules.rule import NOUNS, SUBJECTS, ParsedSentence, TokenList

_IT = frozenset({"it"})
#: Of 21 such pronouns with a score of 0.4 to 0.8, 20 were right (encyclopedia, web pages, abstracts).
_SURE, _POSSIBLE = 0.8, 0.25
#: Double quotes; the others are often torn in two.
_DOUBLE = frozenset({'"', "“", "”"})
_SPEAK = frozenset({"say", "tell", "add", "explain", "write", "reply", "recall", "ask", "note"})
NO_PERSONS = frozenset({"GPE", "LOC", "FAC", "ORG", "WORK_OF_ART", "LAW"})
_A = frozenset({"a", "an"})
_CARRIERS = frozenset({"be", "do", "have", "can", "will"})
_POINTING = frozenset({"this", "that", "these", "those"})
#: "In this paper" is the one at hand, whichever came before.
_OF_TEXTS = frozenset({"article", "chapter", "manuscript", "paper", "report", "section", "survey", "thesis"})
_SPANS = frozenset({"interval", "period"})
_OF_ONE = frozenset({"themselves", "themself"})
_OF_ANY = frozenset({"depending on", "depends on", "depend on", "regardless of", "irrespective of"})
_SEEMING = frozenset({"look", "seem", "appear", "feel", "sound", "happen", "turn"})


def says_it(sentence: ParsedSentence) -> bool:
    """Return whether a sentence contains "it"."""
    return "it" in sentence.lower[sentence.start : sentence.end]


def told_to_be(text: Sequence[ParsedSentence], first: TokenList, second: TokenList) -> Link | None:
    """Return the link from "it" to the subject of a sentence that says which thing that is, if both are
    subjects:
    "Cardinal Pole is a school although it admits all pupils"."""
    here, source = text[-1], text[0]
    root = source.root
    if not says_it(here) or source.annotation.lemmas[root] != "be":
        return None
    pronoun = next((at for at in here.positions(_IT) if at in second), None)
    if pronoun is None:
        return None
    predicate, noun = source.child(root, "attr"), source.child(root, "nsubj")
    if predicate is None or noun is None or source.tags[predicate] != "NN":
        return None
    # "The task of the corpus is a game and it contains": either noun may contain it.
    if source.child(noun, "prep", "relcl", "acl", "conj") is not None:
        return None
    # The name may be a person's: "Ann was a stalwart".
    known = source.lower[predicate] in THINGS or (
        source.tags[noun] == "NN" and not is_person(source, noun) and not is_person(source, predicate)
    )
    if not known or source.tags[noun] not in ("NN", "NNP") or source.lower[source.left(predicate)] not in _A:
        return None
    if not are_subjects(text, first, second, pronoun, noun) or _says_nothing(here, pronoun, second):
        return None
    start, end = source.left(noun), source.right(noun) + 1
    return Link("pronoun", (pronoun, pronoun + 1), (start, end), 1.0)


def _says_nothing(sentence: ParsedSentence, pronoun: int, second: TokenList) -> bool:
    """Return whether "it" may be impersonal or is not the subject of a main clause.

    It may be impersonal in "it is easy to see" and "it was found that".
    """
    verb = sentence.heads[pronoun]
    governed = sentence.heads[verb] != verb and sentence.heads[verb] in second
    if governed or sentence.dependencies[pronoun] == "expl" or means_nothing(sentence, verb):
        return True
    after = pronoun + 1
    clitic = after == sentence.end or not sentence.lower[after][0].isalpha()  # "it 's"; "so is it"
    return clitic or sentence.child(verb, "ccomp", "acomp", "csubj", "advcl") is not None


def shortened_name(first: ParsedSentence, second: ParsedSentence) -> list[Link]:
    """Return the link from a surname or first name as the subject, or its possessor, to the full name in the
    preceding sentence: "Meshack Lufile is a player . Lufile also played for Aris"."""
    heads, dependencies, tags = second.heads, second.dependencies, second.tags[second.start : second.end]
    if "NNP" not in tags:
        return []
    earlier, start = first.lower[first.start : first.end], first.start
    for subject, tag in enumerate(tags, second.start):
        if tag != "NNP":
            continue
        noun = heads[subject] if dependencies[subject] == "poss" else subject
        named = dependencies[noun] in SUBJECTS and heads[noun] == second.root
        if named and second.lower[subject] in earlier:
            break
    else:
        return []
    word = second.lower[subject]
    if any(dependencies[at] != "case" for at in second.children(subject)):
        return []
    names = set()
    for at in first.positions(frozenset({word})):
        begin, end = at, at + 1
        while begin > start and _is_name(first, begin - 1):
            begin -= 1
        while end < first.end and _is_name(first, end):
            end += 1
        names.add((begin, end))
    if len(names) != 1:
        return []
    [(begin, end)] = names
    # "Lee Jae" of "Lee Jae - myung"
    torn = first.continues_word(begin) or first.continues_word(end + 1)
    whole = not torn and end - begin > 1 and word in (first.lower[begin], first.lower[end - 1])
    titled = first.lower[begin] in TITLES or first.lower[end - 1] in GROUP_NAMES
    return [Link("nominal", (subject, subject + 1), (begin, end), 1.0)] if whole and not titled else []


def _is_name(sentence: ParsedSentence, token: int) -> bool:
    kind = sentence.annotation.entities[token]
    capital = sentence.words[token][0].isupper()  # "Rb", not "Rb knockout"
    named = sentence.tags[token] == "NNP" and kind in ("PERSON", "ORG", "")
    named = named and sentence.dependencies[token] != "prep"  # "Alongside Ann 's songs"
    return named and capital and sentence.lower[token].isalpha()


def are_subjects(
    text: Sequence[ParsedSentence], first: TokenList, second: TokenList, pronoun: int, noun: int
) -> bool:
    """Return whether a pronoun is the first subject of its sentence, and a noun the subject of the other
    sentence's main verb. After "so", or after a clause with another subject ("Gear is dear , but I went , and
    it was cheap"), the answer is no, because the pronoun often refers to another noun."""
    here, source = holding(text, pronoun), holding(text, noun)
    if source.dependencies[noun] not in SUBJECTS or source.heads[noun] != source.root:
        return False
    between = [source.subject(verb) for verb in _conjuncts(source, source.root) if verb in first]
    if any(subject is not None and source.lower[subject] != here.lower[pronoun] for subject in between):
        return False
    opens = second[0]
    if isinstance(opens, int) and "so" in here.lower[max(opens - 2, here.start) : opens]:
        return False
    # "The use of tar dates to 1990 , when it was banned": another noun is nearer.
    if here.dependencies[here.heads[pronoun]] == "relcl":
        return False
    subjects = (at for at in second if isinstance(at, int) and here.dependencies[at] in SUBJECTS)
    return next(subjects, None) == pronoun


def goes_on(text: Sequence[ParsedSentence], link: Link) -> bool:
    """Return whether "he" or "she" goes on with a person: every such pronoun before it in the text surely
    refers to the antecedent, and no other antecedent is possible: "Ann said that she was ill . Later she
    left"."""
    lower, start = text[0].lower, link.mention[0]
    gender, name = PRONOUNS[lower[start]].gender, lower[slice(*link.antecedent)]
    links = [other for sentence in text for other in sentence.links]
    best = {other.mention[0]: other for other in sorted(links, key=lambda other: other.score)}
    earlier = [
        at
        for sentence in text
        for at in range(sentence.start, min(sentence.end, start))
        if lower[at] in PRONOUNS and PRONOUNS[lower[at]].gender == gender
    ]
    sure = all(
        at in best and best[at].score >= _SURE and lower[slice(*best[at].antecedent)] == name
        for at in earlier
    )
    return (
        bool(earlier)
        and sure
        and not any(
            other.mention == link.mention
            and other.score >= _POSSIBLE
            and not {*name} & {*lower[slice(*other.antecedent)]}
            for other in links
        )
    )


def has_object(sentence: ParsedSentence) -> bool:
    """Return whether the main verb has a singular object that "it" may refer to: "The dog chased the cat"."""
    noun = sentence.child(sentence.root, "dobj")
    return noun is not None and sentence.tags[noun] in ("NN", "NNP") and not is_person(sentence, noun)


def _conjuncts(sentence: ParsedSentence, verb: int) -> list[int]:
    """Return the verbs that are coordinated with a verb, directly or through others."""
    next_ones = [at for at in sentence.children(verb) if sentence.dependencies[at] == "conj"]
    return [conjunct for at in next_ones for conjunct in (at, *_conjuncts(sentence, at))]


def means_nothing(sentence: ParsedSentence, verb: int) -> bool:
    """Return whether "it" is impersonal, as in "is expected that", "looks like", "was to this town that"."""
    if sentence.tags[verb] in ("VBN", "JJ") and sentence.child(verb, "ccomp") is not None:
        return True
    lemma, following = sentence.annotation.lemmas[verb], verb + 1
    if lemma in _SEEMING or following >= sentence.end:
        return True
    cleft = lemma == "be" and sentence.tags[following] in ("IN", "TO", "RB")
    return cleft and any(
        sentence.lower[at] == "that" and sentence.tags[at] in ("IN", "WDT")
        for at in range(following + 2, sentence.end)
    )


def holding(text: Sequence[ParsedSentence], token: int) -> ParsedSentence:
    """Return the sentence of a text that contains a token."""
    return text[0] if token < text[0].end else text[-1]


def _is_of_name(source: ParsedSentence, noun: int) -> bool:
    """Return whether a noun is of a name, which "it" may be about: "The population of Oslo"."""
    of = next((at for at in source.children(noun) if source.lower[at] == "of"), None)
    name = None if of is None else source.child(of, "pobj")
    return name is not None and source.tags[noun] == "NN" and source.tags[name] == "NNP"


def is_other_thing(source: ParsedSentence, noun: int, sentence: ParsedSentence, pronoun: int) -> bool:
    """Return whether "it is a city" or "they were the first Danes" tells that a pronoun is not about a noun:
    not about "the population of Oslo", nor about "the islands"."""
    if sentence.lower[pronoun] not in ("it", "they"):
        return False
    verb = sentence.heads[pronoun]
    described = sentence.child(verb, "attr") if sentence.annotation.lemmas[verb] == "be" else None
    if described is None:
        return False
    placed = source.annotation.entities[noun] in NO_PERSONS
    return _is_of_name(source, noun) or (placed and is_person(sentence, described))


def is_left_out(sentence: ParsedSentence, pronoun: int) -> bool:
    """Return whether the predicate of a pronoun is left out, so that another subject has it: "The carts are
    sent if the rider is there . If they are not , ..."."""
    verb = sentence.heads[pronoun]
    if sentence.lower[pronoun] not in ("they", "it") or sentence.dependencies[pronoun] not in SUBJECTS:
        return False
    if sentence.annotation.lemmas[verb] not in _CARRIERS:
        return False
    behind = [word for word in sentence.lower[verb + 1 : verb + 3] if word not in ("not", "n't")]
    return behind[:1] in ([","], ["."])


def is_one_person(source: ParsedSentence, noun: int, sentence: ParsedSentence, pronoun: int) -> bool:
    """Return whether "they" may be one person, not a noun: "The carts are sent if the rider asks for it
    themselves . They pay"."""
    if sentence.lower[pronoun] not in ("they", "them", "their"):
        return False
    for at in source.positions(_OF_ONE):
        subjects = (each for each in range(at, source.start - 1, -1) if source.dependencies[each] in SUBJECTS)
        subject = next(subjects, noun)
        if subject != noun and source.tags[subject] == "NN" and not is_plural(source, subject):
            return True
    return False


def is_of_any(sentence: ParsedSentence, mention: tuple[int, int]) -> bool:
    """Return whether a nominal means any of its kind: "depending on the system"."""
    start = max(mention[0] - 2, sentence.start)
    return " ".join(sentence.lower[start : mention[0]]) in _OF_ANY


def is_another(source: ParsedSentence, noun: int, sentence: ParsedSentence, link: Link) -> bool:
    """Return whether "this" or "these" may point at something else than the antecedent: "in this paper" at
    the text itself, "they had 10 s ; during this interval" at the time just named, "these sequences" at all
    that are coordinated, "they treat A and B as tasks ; these tasks" at A and B, "the frequencies matter , as
    these bands are" at a nearer noun."""
    start, end = link.mention
    if sentence.lower[start] not in _POINTING:
        return False
    head, begin = end - 1, max(sentence.start, link.antecedent[1])
    if sentence.lower[head] in _OF_TEXTS:
        return sentence.tags[start - 1] == "IN"
    if sentence.lower[head] in _SPANS and "CD" in sentence.tags[begin:start]:
        return True
    if not is_plural(sentence, head):
        return False
    above = source.heads[noun]
    if source.lower[above] == "as":
        return True
    if source.dependencies[noun] == "conj" and source.tags[above] in NOUNS and is_plural(source, above):
        return True
    at = head
    while sentence.dependencies[at] != "advcl":
        if sentence.heads[at] == at:
            return False
        at = sentence.heads[at]
    return "NNS" in sentence.tags[begin:start]


def is_quoted(source: ParsedSentence, noun: int, sentence: ParsedSentence, pronoun: int) -> bool:
    """Return whether a quotation has a pronoun, and its speaker is the noun: "' He won , ' Ann said . ' He
    ..."."""
    before = sum(at < pronoun for at in sentence.positions(_DOUBLE))
    speaks = source.annotation.lemmas[source.heads[noun]] in _SPEAK and source.dependencies[noun] in SUBJECTS
    return before % 2 == 1 and speaks


def is_before_quotation(source: ParsedSentence, link: Link) -> bool:
    """Return whether the second sentence goes on quoting, and the antecedent is not in the quotation: "'He ,'
    wrote Ann , 'must go . ..."."""
    if link.kind != "pronoun":
        return False
    marks = source.positions(_DOUBLE)
    before = sum(at < link.antecedent[0] for at in marks)
    return len(marks) % 2 == 1 and before % 2 == 0
