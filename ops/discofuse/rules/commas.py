"""What stands behind a noun phrase, between a comma and a second one or the end of the sentence.

Belongs here: finding it, and what is left without it. Not here: which of it is a relative clause
(relative_clauses.py) or an apposition (appositions.py).
"""

from __future__ import annotations

from typing import NamedTuple

from ops.coreference.lexicon import FEMALE_NOUNS, MALE_NOUNS, PERSON_NOUNS
from ops.discofuse.annotation import CLOSING
from ops.discofuse.rules.rule import (
    FINITE,
    NOUNS,
    ParsedSentence,
    TokenList,
    delete,
)

_NEED_NO_COMMA = frozenset({"CC", "IN", "TO", "WDT", "WP", "WRB"})
#: What may follow the second comma where neither the subject nor the verb does.
_GO_ON = _NEED_NO_COMMA | {"VBG"}
_MAY_BE_MEANT = NOUNS | {"CD", "PRP", "DT"}
_OF_PEOPLE = ("er", "or", "ist", "ian", "ant", "ee", "man", "woman", "ess")
PEOPLE = PERSON_NOUNS | FEMALE_NOUNS | MALE_NOUNS
#: What no person is.
THINGS = frozenset(
    {
        "album", "band", "book", "church", "city", "club", "college", "comedy", "company", "country",
        "county", "drama", "episode", "film", "firm", "game", "group", "island", "magazine", "movie",
        "newspaper",
        "novel", "opera", "organisation", "organization", "play", "poem", "river", "school", "series", "ship",
        "show", "single", "song", "state", "suburb", "team", "town", "track", "university", "village",
    }
)  # fmt: skip
#: What ends a sentence, and marks that close behind it.
_ENDS = CLOSING | {".", "!", "..."}
#: In "one of the rivers , which ..." the last noun is meant as well as the first.
_AMOUNTS = frozenset(
    {"lot", "number", "one", "some", "many", "most", "kind", "sort", "type", "group", "set", "series"}
)


class Between(NamedTuple):
    """What stands between a comma and a second one, or the end of the sentence or of its part."""

    noun: int
    phrase: int
    """First token of the noun phrase that ends before the first comma."""
    start: int
    """The first comma."""
    end: int
    """The second comma, a semicolon, or what ends the sentence."""
    gap: int | None = None
    """The token of a relative clause behind which its object is missing, the clause's end for a subject."""


def between(sentence: ParsedSentence, noun: int, comma: int, end: int) -> Between | None:
    """Return what stands from `comma` to `end` if the rest is a clause without it."""
    lower = sentence.lower
    if not sentence.start < comma < end or lower[comma] != ",":
        return None
    if sentence.tags[noun] not in NOUNS:
        return None
    root, last = sentence.root, _last(sentence)
    if end >= last or lower[end] == ";":
        return _at_end(sentence, noun, comma, min(end, last))
    if comma < root < end or not sentence.is_clause(root):
        return None
    if lower[end] != "," or end >= sentence.end - 2:
        return None
    phrase = sentence.noun_phrase_before(noun, comma)
    if phrase is None or phrase <= root < comma or "," in lower[phrase:comma]:
        return None
    # "A , who came , B and C": the commas may be those of a list.
    listed = sentence.child(noun, "conj")
    if sentence.dependencies[noun] == "conj" or (listed is not None and listed > end):
        return None
    is_subject = _is_subject_of(sentence, phrase, noun, end + 1)
    if sentence.tags[end + 1] in FINITE and not is_subject:
        return None
    found = Between(noun, phrase, comma, end)
    if not is_subject and not _is_before_subject(sentence, found):
        goes_on = sentence.tags[end + 1] in _GO_ON or (
            sentence.tags[end + 1] == "RB" and sentence.tags[end + 2] == "VBG"
        )
        return found if goes_on or _is_next(sentence, end + 1) else None
    # "The highway , a new road , it passes ...": what stands before a subject is the object of something.
    return found if is_subject or sentence.dependencies[noun] in ("pobj", "dobj", "pcomp") else None


def _is_next(sentence: ParsedSentence, then: int) -> bool:
    """Tell whether the main verb's second verb follows: "met Bob , who was ill , then left"."""
    verb = then + 1
    return (
        sentence.lower[then] == "then"
        and sentence.tags[verb] == "VBD"
        and sentence.heads[verb] == sentence.root
        and sentence.subject(verb) is None
    )


def _last(sentence: ParsedSentence) -> int:
    """Return where the marks that end a sentence begin."""
    last = sentence.end
    while last > sentence.start + 1 and sentence.words[last - 1] in _ENDS:
        last -= 1
    return last


def _at_end(sentence: ParsedSentence, noun: int, comma: int, end: int) -> Between | None:
    """Return what ends a sentence, or its part before a semicolon, where it can be about one noun only."""
    main = sentence.root if end == _last(sentence) else sentence.head_of(sentence.start, end)
    if noun != comma - 1 or main is None or main > comma or not sentence.is_clause(main):
        return None
    phrase = sentence.left(noun)
    label, above = sentence.dependencies[noun], sentence.heads[noun]
    if phrase <= main or "," in sentence.lower[phrase:comma]:
        return None
    if label not in ("dobj", "pobj", "attr", "dative", "oprd") or sentence.child(noun, "conj") is not None:
        return None
    if (
        label == "pobj"
        and sentence.lower[above] == "of"
        and sentence.lower[sentence.heads[above]] in _AMOUNTS
    ):
        phrase = sentence.left(sentence.heads[above])
    return Between(noun, phrase, comma, end)


def loosely(sentence: ParsedSentence, noun: int, comma: int, end: int) -> Between | None:
    """Return what stands from `comma` to `end` whatever else it may be about, as the released data does."""
    phrase, last = sentence.left(noun), _last(sentence)
    apart = phrase < comma < end and sentence.lower[comma] == "," and comma > sentence.start
    return Between(noun, phrase, comma, min(end, last)) if apart else None


def noun_above(sentence: ParsedSentence, noun: int) -> int | None:
    """Return "owner" for "house" in "the owner of the house , which ...", where either may be meant."""
    above = sentence.heads[noun]
    if sentence.dependencies[noun] != "pobj" or not sentence.start <= above < noun:
        return None
    # Whatever the parser says: "commissions from links , which ..."
    upper = above - 1 if sentence.tags[above - 1] in NOUNS else sentence.heads[above]
    preposition = sentence.lower[above]
    if preposition in ("like", "including") or (preposition == "of" and sentence.lower[upper] in _AMOUNTS):
        return None
    # "the search for a method , which ..." goes on about what is new.
    if preposition != "of" and sentence.lower[sentence.left(noun)] in ("a", "an"):
        return None
    return upper if sentence.tags[upper] in _MAY_BE_MEANT else None


def is_person(sentence: ParsedSentence, noun: int) -> bool:
    """Tell whether a noun is a person by its entity or its word."""
    word, entity = sentence.lower[noun], sentence.annotation.entities[noun]
    if entity in ("PERSON", "NORP") or word in PEOPLE:
        return True
    return sentence.tags[noun] in ("NN", "NNS") and word.rstrip("s").endswith(_OF_PEOPLE)


def _is_subject_of(sentence: ParsedSentence, phrase: int, noun: int, following: int) -> bool:
    """Tell whether a noun phrase is in the subject of the clause whose verb group or adverb is at
    `following`."""
    verb = following
    if sentence.dependencies[following] in ("aux", "auxpass", "advmod", "neg"):
        verb = sentence.heads[following]
    subject = sentence.subject(verb) if sentence.start <= verb < sentence.end else None
    if subject is None or subject > verb:
        return False
    return sentence.left(subject) <= phrase and noun <= sentence.right(subject) < verb


def without(sentence: ParsedSentence, found: Between) -> TokenList:
    """Return the sentence without what stands between the commas, and without these."""
    if found.end >= sentence.end or sentence.lower[found.end] != ",":
        return delete(sentence.tokens(), found.start - sentence.start, found.end - found.start)
    following = found.end + 1
    # "In Paris , which he loved , he lived alone": only a verb, a conjunction or a preposition goes without
    # the comma.
    bare = (
        _is_subject_of(sentence, found.phrase, found.noun, following)
        or sentence.tags[following] in _NEED_NO_COMMA
    )
    # "Her father , Edmond , a baker , moved": the comma closes what was opened before.
    opened = sentence.dependencies[found.noun] == "appos" and sentence.lower[found.phrase - 1] == ","
    end = following if bare and not opened else found.end
    return delete(sentence.tokens(), found.start - sentence.start, end - found.start)


def _is_before_subject(sentence: ParsedSentence, found: Between) -> bool:
    subject = sentence.subject(sentence.root)
    return subject is not None and sentence.left(subject) > found.end


def conjunct(sentence: ParsedSentence, conjunction: int) -> int:
    """Return what a conjunction ties to its head: the first conjunct behind it, or the conjunction itself."""
    head = sentence.heads[conjunction]
    after = [at for at in sentence.children(head) if at > conjunction and sentence.dependencies[at] == "conj"]
    return after[0] if after else conjunction
