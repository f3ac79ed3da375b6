"""The text between a comma after a noun phrase and the next comma, or the end of the sentence.

Belongs here: finding this text, and the sentence without it. Not here: which of it is a relative clause
(relative_clauses.py) or an apposition (appositions.py).
"""

from __future__ import annotations

from typing import NamedTuple

from silverloom.ops.coreference.lexicon import FEMALE_NOUNS, MALE_NOUNS, PERSON_NOUNS, words
from silverloom.ops.discofuse.annotation import CLOSING, QUOTES
from silverloom.ops.discofuse.rules.operations import delete
from silverloom.ops.discofuse.rules.rule import FINITE, NAMES, NOUNS, ParsedSentence, TokenList

_NEED_NO_COMMA = frozenset({"CC", "IN", "TO", "WDT", "WP", "WRB"})
#: Tags that may follow the second comma if the noun phrase is neither in the subject nor before it.
_GO_ON = _NEED_NO_COMMA | {"VBG"}
_MAY_BE_MEANT = NOUNS | {"CD", "PRP", "DT"}
#: Things whose words end like those of people.
_NO_PEOPLE = words(
    "access address answer border boulder buffer business carrier center centre chapter classifier "
    "cluster coffee color colour committee constant corner corridor counter cover danger decoder degree "
    "detector determinant dinner disaster door elephant encoder error factor fee filter finger floor "
    "flower folder frontier giant grant guarantee harbor header holder humor hunger illness indicator "
    "interior knee labor labour ladder laser layer letter marker matter meter mirror mist monitor motor "
    "newspaper number odor offer optimizer order oyster paper parameter parser plant poster power prayer "
    "press printer process processor quarter raptor reactor receptor register remainder restaurant river "
    "router scanner sector sensor server shelter shower silver skyscraper spider stress success summer "
    "tagger temper terror theater timber tower tractor trailer transfer transformer tree trigger tumor "
    "variant vector warrant water weather winter wrapper"
)
_OF_PEOPLE = ("er", "or", "ist", "ian", "ant", "ee", "man", "woman", "ess")
PEOPLE = PERSON_NOUNS | FEMALE_NOUNS | MALE_NOUNS
#: Words that never describe a person.
THINGS = frozenset(
    {
        "album", "band", "book", "church", "city", "club", "college", "comedy", "company", "country",
        "county", "drama", "episode", "film", "firm", "game", "group", "island", "magazine", "movie",
        "newspaper",
        "novel", "opera", "organisation", "organization", "play", "poem", "river", "school", "series", "ship",
        "show", "single", "song", "state", "suburb", "team", "town", "track", "university", "village",
    }
)  # fmt: skip
#: Marks that end a sentence, and closing marks after them.
_ENDS = CLOSING | {".", "!", "..."}
#: In "one of the rivers , which ..." the clause describes the last noun and the first alike.
AMOUNTS = frozenset(
    {"lot", "number", "one", "some", "many", "most", "kind", "sort", "type", "group", "set", "series"}
)


#: "A set of plug-ins , which are small": the verb does not agree with "a set".
_COLLECTIONS = frozenset({"group", "set", "series", "kind", "sort", "type"})


class Between(NamedTuple):
    """The text between a comma and the next one, or the end of the sentence or of its part."""

    noun: int
    phrase: int
    """First token of the noun phrase that ends before the first comma."""
    start: int
    """The first comma."""
    end: int
    """The second comma, a semicolon, or the mark that ends the sentence."""
    gap: int | None = None
    """The token of a relative clause after which the noun phrase belongs: the pronoun, if it is a subject."""


def between(sentence: ParsedSentence, noun: int, comma: int, end: int) -> Between | None:
    """Return the text from `comma` to `end` if the sentence without it is still a clause."""
    lower = sentence.lower
    if not sentence.start < comma < end or lower[comma] != ",":
        return None
    if sentence.tags[noun] not in NOUNS or _is_in_quotation(sentence, comma, end):
        return None
    root, last = sentence.root, _last(sentence)
    if end >= last or lower[end] == ";":
        return _at_end(sentence, noun, comma, min(end, last))
    if comma < root < end or not sentence.is_clause(root):
        return None
    if lower[end] != "," or end >= sentence.end - 2:
        return None
    phrase = _phrase_before(sentence, noun, comma)
    if (
        phrase is None
        or phrase <= root < comma
        or ("," in lower[phrase:comma] and not _is_place(sentence, phrase, comma))
    ):
        return None
    # "A , who came , B and C": the commas may separate a list.
    listed = sentence.child(noun, "conj")
    if sentence.dependencies[noun] == "conj" or (listed is not None and listed > end):
        return None
    is_subject = _is_subject_of(sentence, phrase, noun, end + 1)
    if sentence.tags[end + 1] in FINITE and not is_subject:
        return None
    parenthetical = Between(noun, phrase, comma, end)
    if not is_subject and not _is_before_subject(sentence, parenthetical):
        goes_on = sentence.tags[end + 1] in _GO_ON or (
            sentence.tags[end + 1] == "RB" and sentence.tags[end + 2] == "VBG"
        )
        return parenthetical if goes_on or _is_next(sentence, end + 1) else None
    # "The highway , a new road , it passes ...": a noun before the subject must be an object.
    return parenthetical if is_subject or sentence.dependencies[noun] in ("pobj", "dobj", "pcomp") else None


def _is_in_quotation(sentence: ParsedSentence, comma: int, end: int) -> bool:
    """Return whether text is only what somebody says: "' He met Ann , who lived here , ' she said"."""
    marks = sentence.positions(QUOTES)
    before = sum(at < comma for at in marks)
    return before % 2 == 1 and any(at >= end for at in marks)


def _phrase_before(sentence: ParsedSentence, noun: int, end: int) -> int | None:
    """Return the start of the noun phrase of `noun` if it ends right before `end`, else None."""
    last = noun
    for at in sentence.children(noun):
        if noun < at < end:
            last = sentence.right(at)
    # "the director of the museum , who retired": the parser ties the clause to the museum.
    if last > end and any(sentence.left(at) > end for at in sentence.children(end - 1)):
        last = end - 1
    return sentence.left(noun) if last == end - 1 else None


def _is_place(sentence: ParsedSentence, phrase: int, comma: int) -> bool:
    """Return whether a noun phrase is a place with its region: "Washington , D.C."."""
    entities = sentence.annotation.entities
    return comma - phrase == 3 and entities[phrase] == entities[comma - 1] == "GPE"


def _is_next(sentence: ParsedSentence, then: int) -> bool:
    """Return whether the main verb's next conjunct follows: "met Bob , who was ill , then left"."""
    verb = then + 1
    return (
        sentence.lower[then] == "then"
        and sentence.tags[verb] == "VBD"
        and sentence.heads[verb] == sentence.root
        and sentence.subject(verb) is None
    )


def _last(sentence: ParsedSentence) -> int:
    """Return the position of the first mark that ends the sentence."""
    last = sentence.end
    while last > sentence.start + 1 and sentence.words[last - 1] in _ENDS:
        last -= 1
    return last


def _at_end(sentence: ParsedSentence, noun: int, comma: int, end: int) -> Between | None:
    """Return the text at the end of a sentence, or before a semicolon, if it can only be about one noun."""
    main = sentence.root if end == _last(sentence) else sentence.head_of(sentence.start, end)
    if noun != comma - 1 or main is None or main > comma or not sentence.is_clause(main):
        return None
    phrase = sentence.left(noun)
    label, above = sentence.dependencies[noun], sentence.heads[noun]
    if phrase <= main or "," in sentence.lower[phrase:comma]:
        return None
    # "' I know , ' said Ann Smith , a teacher"
    speaker = label == "nsubj" and above == main
    if not speaker and label not in ("dobj", "pobj", "attr", "dative", "oprd"):
        return None
    if sentence.child(noun, "conj") is not None:
        return None
    if label == "pobj" and sentence.lower[above] == "of" and sentence.lower[sentence.heads[above]] in AMOUNTS:
        if sentence.lower[sentence.heads[above]] in _COLLECTIONS and sentence.tags[noun] in ("NNS", "NNPS"):
            return None
        phrase = sentence.left(sentence.heads[above])
    return Between(noun, phrase, comma, end)


def loosely(sentence: ParsedSentence, noun: int, comma: int, end: int) -> Between | None:
    """Return the text from `comma` to `end`, even if it may describe another noun, as the authors do."""
    phrase, last = sentence.left(noun), _last(sentence)
    apart = phrase < comma < end and sentence.lower[comma] == "," and comma > sentence.start
    return Between(noun, phrase, comma, min(end, last)) if apart else None


def noun_above(sentence: ParsedSentence, noun: int) -> int | None:
    """Return "owner" for "house" in "the owner of the house , which ...", if either may be meant."""
    above = sentence.heads[noun]
    if sentence.dependencies[noun] != "pobj" or not sentence.start <= above < noun:
        return None
    # Regardless of the parse: "commissions from links , which ..."
    upper = above - 1 if sentence.tags[above - 1] in NOUNS else sentence.heads[above]
    # "a stage musical about the soap": the parser took a noun for an adjective after its noun.
    if (
        sentence.tags[upper] == "JJ"
        and sentence.dependencies[upper] == "amod"
        and sentence.heads[upper] < upper
    ):
        upper = sentence.heads[upper]
    preposition = sentence.lower[above]
    if preposition in ("like", "including") or (preposition == "of" and sentence.lower[upper] in AMOUNTS):
        return None
    # In "the search for a method , which ..." the clause is about the new noun.
    if preposition != "of" and sentence.lower[sentence.left(noun)] in ("a", "an"):
        return None
    return upper if sentence.tags[upper] in _MAY_BE_MEANT else None


def is_person(sentence: ParsedSentence, noun: int) -> bool:
    """Return whether a noun denotes a person, by its entity type or its word."""
    word, entity = sentence.lower[noun], sentence.annotation.entities[noun]
    if entity in ("PERSON", "NORP") or word in PEOPLE:
        return True
    if word in THINGS or word in _NO_PEOPLE or word.removesuffix("s") in _NO_PEOPLE:
        return False
    return sentence.tags[noun] in ("NN", "NNS") and word.rstrip("s").endswith(_OF_PEOPLE)


def _is_subject_of(sentence: ParsedSentence, phrase: int, noun: int, following: int) -> bool:
    """Return whether a noun phrase is in the subject of the clause whose verb group or adverb is at
    `following`."""
    verb = following
    if sentence.dependencies[following] in ("aux", "auxpass", "advmod", "neg"):
        verb = sentence.heads[following]
    subject = sentence.subject(verb) if sentence.start <= verb < sentence.end else None
    if subject is None or subject > verb:
        return False
    return sentence.left(subject) <= phrase and noun <= sentence.right(subject) < verb


def without(sentence: ParsedSentence, parenthetical: Between) -> TokenList:
    """Return the sentence without the text between the commas, and without the commas."""
    if parenthetical.end >= sentence.end or sentence.lower[parenthetical.end] != ",":
        return delete(
            sentence.tokens(), parenthetical.start - sentence.start, parenthetical.end - parenthetical.start
        )
    following = parenthetical.end + 1
    # "In Paris , which he loved , he lived alone": only before a verb, a conjunction or a preposition is the
    # comma dropped too.
    bare = _is_subject_of(sentence, parenthetical.phrase, parenthetical.noun, following) or (
        sentence.tags[following] in _NEED_NO_COMMA
        and (sentence.dependencies[following] != "mark" or sentence.lower[following] == "that")
    )
    # "Her father , Edmond , a baker , moved": the comma closes an earlier apposition.
    opened = (
        sentence.dependencies[parenthetical.noun] == "appos"
        and sentence.lower[parenthetical.phrase - 1] == ","
    )
    opened = opened or "," in sentence.lower[parenthetical.phrase : parenthetical.start]
    end = following if bare and not opened else parenthetical.end
    return delete(sentence.tokens(), parenthetical.start - sentence.start, end - parenthetical.start)


def as_known(sentence: ParsedSentence, parenthetical: Between) -> TokenList:
    """Return the noun phrase before the text, for a sentence about something known: "the dog" for "a dog",
    "the five dogs" for "five dogs"."""
    phrase = sentence.tokens(parenthetical.phrase, parenthetical.start)
    own = (
        sentence.left(parenthetical.noun) == parenthetical.phrase
        and sentence.tags[parenthetical.noun] not in NAMES
    )
    if own and sentence.lower[parenthetical.phrase] in ("a", "an"):
        phrase[0] = "the"
    elif own and sentence.tags[parenthetical.phrase] == "CD" and sentence.tags[parenthetical.noun] == "NNS":
        phrase.insert(0, "the")
    return phrase


def _is_before_subject(sentence: ParsedSentence, parenthetical: Between) -> bool:
    subject = sentence.subject(sentence.root)
    return subject is not None and sentence.left(subject) > parenthetical.end


def conjunct(sentence: ParsedSentence, conjunction: int) -> int:
    """Return the first conjunct that follows a conjunction, or the conjunction itself if none follows."""
    head = sentence.heads[conjunction]
    after = [at for at in sentence.children(head) if at > conjunction and sentence.dependencies[at] == "conj"]
    return after[0] if after else conjunction
