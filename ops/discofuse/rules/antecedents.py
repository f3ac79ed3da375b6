"""The words of an antecedent that replaces a mention: "the population of Oslo" for "it".

Belongs here: the head of an antecedent, what it keeps and loses, spans that are only a part of one. Not here:
which mention is replaced (anaphora.py).
"""

from __future__ import annotations

from silverloom.ops.coreference.links import Link
from silverloom.ops.discofuse.annotation import DIVIDING
from silverloom.ops.discofuse.rules.connectives import RELATIVE
from silverloom.ops.discofuse.rules.rule import NAMES, NOUNS, TIMES, ParsedSentence, TokenList

MARKS_OF_POSSESSION = frozenset({"'s", "'", "’s", "’"})
#: Most tokens, behind its preposition, of a phrase that an antecedent keeps: "of the old town".
_SHORT = 5
_PRONOUNS = frozenset({"PRP", "PRP$"})
#: First tags of a noun phrase that has no article and is not a name.
_INDEFINITE = frozenset({"CD", "JJ", "JJR", "JJS", "NN", "NNS", "RB", "VBG", "VBN"})
_SUPERLATIVES = frozenset({"JJS", "RBS"})
_OF_NAMES = NAMES | {"JJ", "NN"}
#: Amounts that begin with these cannot follow "the": "more than nine thousand frogs".
_COMPARING = frozenset({"more", "less", "fewer", "over", "about", "around", "nearly", "almost", "at", "up"})
_ENDS_PHRASE = DIVIDING | RELATIVE | {"(", "[", "-LRB-", "that", "where"}
#: These do not begin a subject: "i.e. relation tables".
_EXAMPLES = frozenset({"i.e.", "e.g.", "i.e", "e.g", "such", "including", "namely"})
#: "In vivo tests" begins with "in".
_BEHIND_IN = frozenset({"vivo", "vitro", "situ", "silico"})
_CLAUSES = frozenset({"relcl", "acl", "appos", "advcl"})


def head_noun(sentence: ParsedSentence, span: tuple[int, int]) -> int | None:
    """Return the head of a mention, None if it is not a noun."""
    start, end = span
    heads = [
        at for at in range(start, end) if not start <= sentence.heads[at] < end or sentence.heads[at] == at
    ]
    if not heads or sentence.tags[heads[0]] not in NOUNS:
        return None
    return heads[0]


def words_of(sentence: ParsedSentence, noun: int, link: Link) -> TokenList:
    """Return an antecedent without what follows its name: clauses, appositions, brackets, a possessive mark.

    In place of a pronoun, a noun keeps a short phrase: "research in medicine". "a man" becomes "the man",
    "three tasks" becomes "the three tasks" in place of "these tasks", "another task" becomes "this task", and
    "some tasks" becomes "these tasks" in place of "they": the second sentence is about something known.
    """
    start, end = link.antecedent
    if start > sentence.start and sentence.lower[start - 1] in MARKS_OF_POSSESSION:
        start = sentence.left(noun)  # "Aristotle 's ideas"
    for at in sentence.children(noun):
        if noun < at < end and sentence.dependencies[at] in _CLAUSES:
            end = min(end, max(noun + 1, sentence.left(at)))
        if at == end and link.kind == "pronoun" and _is_short_phrase(sentence, at):
            end = sentence.right(at) + 1
    for at in range(noun + 1, end):
        if sentence.lower[at] in _ENDS_PHRASE and not (
            sentence.lower[at] == "-" and sentence.tags[at] == "HYPH"
        ):
            end = at
            break
    while end > noun + 1 and sentence.lower[end - 1] in MARKS_OF_POSSESSION:
        end -= 1
    phrase: TokenList = list(range(start, end))
    vague = sentence.lower[start] in ("some", "several", "many") and len(phrase) > 1
    if vague and link.kind == "pronoun":
        phrase[0] = "these"
    elif vague or (
        # "A Quiet Passion" is a name.
        sentence.lower[start] in ("a", "an")
        and len(phrase) > 1
        and sentence.tags[noun] not in NAMES
        and not (link.kind == "pronoun" and _is_generic(sentence, noun))
    ):
        phrase[0] = "the"
    elif sentence.lower[start] in ("another", "one") and len(phrase) > 1:
        phrase[0] = "this"
    elif (
        link.kind == "nominal"
        and start == link.antecedent[0]
        and (
            sentence.tags[start] in _INDEFINITE
            or (sentence.tags[start] in NAMES and sentence.tags[noun] == "NNS" and start < noun)
        )
    ):
        phrase.insert(0, "the")
    return phrase


def _is_generic(sentence: ParsedSentence, noun: int) -> bool:
    """Return whether a sentence defines what a noun is, so that it means any of a kind: "An answer is a
    reply"."""
    root = sentence.root
    return (
        sentence.subject(root) == noun
        and sentence.lower[root] == "is"
        and sentence.child(root, "attr") is not None
        and sentence.child(noun, "prep", "relcl", "acl") is None
    )


def _is_short_phrase(sentence: ParsedSentence, preposition: int) -> bool:
    """Return whether a preposition begins what a noun is of: "of Oslo" in "the population of Oslo"."""
    last = sentence.right(preposition)
    noun = sentence.child(preposition, "pobj")
    inside = slice(preposition, last + 1)
    return (
        noun is not None
        and sentence.tags[noun] in NOUNS
        and last - preposition <= _SHORT
        and _CLAUSES.isdisjoint(sentence.dependencies[inside])
        and "punct" not in sentence.dependencies[inside]
        and not sentence.continues_word(last + 2)  # "of co - operation"
        and _PRONOUNS.isdisjoint(sentence.tags[inside])
        and TIMES.isdisjoint(sentence.annotation.entities[inside])
    )


def is_part(source: ParsedSentence, noun: int, span: tuple[int, int]) -> bool:
    """Return whether a span is a part of what is meant, or an amount that cannot follow "the"."""
    first = source.lower[span[0]]
    if _is_cut(source, span) or _has_examples(source, span[1]):
        return True
    if first in _EXAMPLES | _COMPARING | _BEHIND_IN:
        return True
    # "Six models seem to be the best baseline": others may be better.
    superlative = not _SUPERLATIVES.isdisjoint(source.tags[slice(*span)])
    return superlative and source.dependencies[noun] == "attr" and source.heads[noun] != source.root


def _is_cut(source: ParsedSentence, span: tuple[int, int]) -> bool:
    """Return whether a span begins inside a longer name: "Shared Task" of "CoNLL 2018 Shared Task"."""
    start, before = span[0], span[0] - 1
    if start == source.start or source.tags[start] not in NAMES:
        return False
    word = source.words[before]
    return (word[0].isupper() and source.tags[before] in _OF_NAMES and before > source.start) or (
        word[0].isdigit() and source.annotation.entities[before] not in TIMES
    )


def is_in_brackets(source: ParsedSentence, noun: int, sentence: ParsedSentence, mention: int) -> bool:
    """Return whether an antecedent is in brackets that the mention is not in: "works ( unlike the tool )"."""
    before = source.lower[source.start + 1 : noun]
    return before.count("(") > before.count(")") and sentence.lower[mention - 1] != "("


def _has_examples(source: ParsedSentence, end: int) -> bool:
    """Return whether "such as" follows an antecedent, which limits it: "methods such as these"."""
    return end + 1 < source.end and source.lower[end : end + 2] == ["such", "as"]


def is_torn(source: ParsedSentence, noun: int, phrase: TokenList) -> bool:
    """Return whether an antecedent lacks what is coordinated with it: "Truth" of "Truth or Dare"."""
    return any(
        source.dependencies[at] == "conj" and at not in phrase for at in source.children(noun) if at > noun
    )


def repeats_pronoun(source: ParsedSentence, phrase: TokenList) -> bool:
    """Return whether an antecedent contains a pronoun, which would be left without its own antecedent."""
    return any(isinstance(token, int) and source.tags[token] in _PRONOUNS for token in phrase)
