"""Terms: what may be one, and which of them are the same.

Belongs here: the words that a term cannot have, normal forms, abbreviations with their expansions. Not here:
the sentences that define terms (patterns.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from ops.parasci.definitions.words import words as listed

#: Words that no term has: pronouns, verbs of papers, what points into the text around it.
_NEVER = listed(
    """
    with on whereas convenient core row rows column columns line lines please readers reader interested
    the a an cannot implicit case similar fourth fifth alternative automatically most two three and i we
    you he she it they them us our ours my your his her its their theirs one ones this that these those
    there here such same other others another each every both either neither all any some many few
    several more less much first second third last next former latter following above below previous
    what which who whom whose where when why how if whether while because although though since as than
    is are was were be been being am has have had having do does did can could may might must shall
    should will would not no nor only also thus hence however therefore then so but or yet moreover
    furthermore proposed propose present presented show shows shown used using use based given called
    known described define defined say note let assume suppose see recall consider paper papers work
    study article thesis chapter section figure fig table equation appendix tutorial contribution
    contributions result results conclusion example examples novelty main key important challenging
    common popular good best better new novel recent simple interesting crucial central typical possible
    final overall original current existing whole entire certain particular different various respective
    resulting ultimate primary major basic underlying today now often usually generally typically
    sometimes always never already still just even very too about after before between during until upon
    via versus etc eg ie
    """
)

#: Words between those of a term, at neither of its ends.
_INNER = listed("of for in to from de")

#: What is a term with more words only: "problem" is none, "assignment problem" is.
_GENERAL = listed(
    """
    abbreviation ability accuracy advantage aim algorithm analysis approach architecture aspect
    assumption author baseline benefit challenge class classifier component concept condition constraint
    corpus criterion data dataset difference difficulty direction element evaluation event experiment
    feature field focus form formula framework function goal group idea information input instance issue
    label language layer level limitation measure method methodology metric model module motivation
    network node notion number objective operation option output parameter part pattern performance
    phase point possibility problem procedure process project property purpose question reason
    representation resource role rule score sentence sequence set solution stage standard step strategy
    structure system task technique term test text theory tool training tree type user value variable
    variant version way weight word source target setting scenario pipeline
    """
)

_WORD = re.compile(r"[^\W\d_][\w'’+/&.\-]*|\d[\w\-]*")
_LONGEST = 7


def is_term(text: str, definite: bool = False) -> bool:
    """Say whether the words of a subject can be a term.

    `definite`: it stands behind "the". Then it is a term only with a capital in it: "the parser" is one
    parser of the text around it.
    """
    words = text.split()
    if not 0 < len(words) <= _LONGEST or not all(map(_WORD.fullmatch, words)) or any(map(_is_sign, words)):
        return False
    small = [word.lower().strip(".") for word in words]
    if (
        _NEVER.intersection(small)
        or small[0].removeprefix("the") in _NEVER
        or small[0] in _INNER
        or small[-1] in _INNER
        or words[-1].isdigit()
    ):
        return False
    if words[: len(words) // 2] == words[len(words) // 2 :]:
        return False  # a heading that ran into its first sentence
    if small[0] in ("input", "output") or _alone(small):
        return False
    return not definite or text != text.lower()


def _alone(words: Sequence[str]) -> bool:
    """Say whether a single word is too general to be a term, or an adverb."""
    word = words[0]
    return len(words) == 1 and (word.endswith("ly") or bool({word, singular(word)} & _GENERAL))


def _is_sign(word: str) -> bool:
    """Say whether a word is a sign of a formula or debris of a line's end rather than a word."""
    if len(word) < 3:
        return not (
            word.isascii() and word.isalpha() and len(word) == 2 and (word.isupper() or word in _INNER)
        )
    return word.endswith("-") or (len(word) == 3 and not word.isalpha()) or bool(_SIGN.search(word))


#: "L.app", "Y&M2003", "simja+mi", and "1WordNet" with the number of a footnote.
_SIGN = re.compile(r"^[A-Z]\.[a-z]|&.*\d|[a-z]\+[a-z]|^\d[A-Z][a-z]")


_BRITISH = re.compile(r"(?<=[a-z])is(?=(?:e|ed|es|er|ers|ing|ation|ations)\Z)")
#: Words of the same shape that are spelt with "is" everywhere.
_EVERYWHERE = re.compile(r"(?:\w*(?:exerc|adv|superv|rev|dev|compr|improv|prom|prec|prem)|no|ra|w|r|ar)is\w*")


def normal_form(term: str, expansions: Mapping[str, str] | None = None) -> str:
    """Return what all mentions of a term have in common.

    Case, hyphens, British spelling, and a plural of the last word are levelled; an abbreviation that
    `expansions` has (as `expansions_of` returns them) is expanded.
    """
    known = expansions or {}
    parts = [known.get(part) or known.get(singular(part)) or part for part in term.split()]
    words = " ".join(parts).replace("-", " ").replace("’", "'").lower().split()
    if not words:
        return ""
    words[-1] = singular(words[-1])
    return " ".join(word if _EVERYWHERE.fullmatch(word) else _BRITISH.sub("iz", word) for word in words)


@lru_cache(maxsize=4096)
def singular(word: str) -> str:
    """Return a noun without its plural, by the dictionary or, where it has no such noun, by its ending."""
    from lemminflect import getLemma

    small = word.lower()
    lemmas = getLemma(small, upos="NOUN") if len(word) > 3 else ()
    if not lemmas or small in lemmas:
        return word
    return word[: len(lemmas[0])] if small.startswith(lemmas[0]) else str(lemmas[0])


_SHORT_FORM = re.compile(r"\(\s*(?P<short>[A-Za-z][\w\-/&]{1,9})\s*(?:[;,][^()]*)?\)")


def expansions_of(sentences: Iterable[str]) -> dict[str, str]:
    """Return what the abbreviations that sentences introduce ("named entity recognition (NER)") stand for.

    As Schwartz and Hearst (2003) find it: every letter of the short form, from right to left, stands in the
    few words before the bracket, its first one at the beginning of a word. Of several the first counts.
    """
    found: dict[str, str] = {}
    for sentence in sentences:
        for match in _SHORT_FORM.finditer(sentence) if "(" in sentence else ():
            short = match["short"]
            if short.endswith("s") and short[:-1].isupper():
                short = short[:-1]
            if sum(map(str.isupper, short)) > 1 and (long := _long_form(short, sentence[: match.start()])):
                found.setdefault(short, long)
    return found


def _long_form(short: str, before: str) -> str | None:
    letters = [sign.lower() for sign in short if sign.isalnum()]
    text = " ".join(before.split()[-min(len(letters) + 5, len(letters) * 2) :])
    small = text.lower()
    if len(small) != len(text):
        return None
    at = len(text)
    for place, letter in reversed(list(enumerate(letters))):
        at = small.rfind(letter, 0, at)
        while place == 0 and at > 0 and text[at - 1].isalnum():
            at = small.rfind(letter, 0, at)
        if at < 0:
            return None
    long = text[at:]
    odd = len(long) <= len(short) or short in long.split() or re.search(r"[.;:()\[\]]", long)
    return None if odd else long
