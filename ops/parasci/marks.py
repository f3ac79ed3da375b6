"""Sentences without their citation marks.

Belongs here: what a mark looks like in running text, and what replaces it. Not here: finding the cited paper
(ops/parse/papers), groups of citing sentences (candidates/groups.py).

Two sentences that cite one paper would be similar just because of the mark. A mark in brackets is removed. A
mark with words that only say where something is from goes with these words: "as in [12]", "proposed by Smith
(2010)", "the model of Smith (2010)". Only where the sentence needs a noun, the mark becomes "the authors"
("Smith et al. (2010) show") or "earlier work" ("see [12]"). [ours]
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from silverloom.ops.parasci.terms import listed
from silverloom.ops.text.words import STOP_WORDS, YEAR, fold

AUTHORS = "the authors"
WORK = "earlier work"

_YEAR = rf"{YEAR}[a-z]?"
_NAME = r"(?:(?:van|von|de|der|di|la|le|al|Mc|O['’])\s?){0,2}[A-Z][\w'’\-]+"
_NAMES = (
    rf"{_NAME}(?:,\s{_NAME}){{0,5}},?(?:\s(?:and|&)\s{_NAME}|\s(?:and\s)?et\sal\.?|\s(?:and\s)?colleagues)?,?"
)
_GENITIVE = re.compile(r"(?:['’]s|s['’])(?:\s?[(\[]|\Z)")
#: "Smith et al. (2010)", "Smith and Jones (2010; 2011)".
_SAYING = re.compile(rf"{_NAMES}(?:['’]s)?\s?[(\[]\s?{_YEAR}(?:\s?[;,]\s?{_YEAR})*\s?[)\]](?:['’]s)?")
#: "(Smith et al., 2010; Jones, 2011)", "(see also Smith, 2010)", "(2010)"; not "(2010 words)".
#: An "e.g." with nothing after the mark goes, too.
_IN_BRACKETS = re.compile(
    rf"(?P<such>,\s?e\.\s?g\.,?)?\s?[(\[]\s?"
    rf"(?:(?:e\.\s?g\.|i\.\s?e\.|see|cf\.?|also|as in|following|inter alia|for example),?\s)*"
    rf"(?:(?:[A-Z][\w.'’\-]*\s){{0,2}}{_NAMES}\s?)?{_YEAR}\s?(?:[;,:][^()\[\]]*)?[)\]]"
    r"(?(such),?)"
)
#: "[12]", "[3, 4-7]", "Ref. [12]"; not "a[1]".
_NUMBERS = re.compile(
    r"(?<!\b\w)\s?(?:(?<!\w)(?:[Rr]efs?\.?|[Rr]eferences?)\s?)?\[\s?\d{1,3}(?:\s?[,;\-–]\s?\d{1,3})*\s?\]"
)
#: The text before the last word of the name of a thing: "the Penn Treebank (1993)".
_OF_THING = re.compile(r"\b[Tt]he\s(?:[A-Z]\S*\s)*\Z")
#: The text before a mark in brackets that is part of the sentence.
_NEEDS_WORD = re.compile(
    r"(?:^|(?<![\w\-])(?:in|by|of|from|to|with|than|and|against|following|see|as|like|unlike|while|that|which|since|because|although"
    r"|see\sfor\sexample,?|extends?|uses?"
    r"|follows?|appl(?:y|ies)|adopts?|we\s(?:followed|applied|adopted|used|extended|modified)|examples?\s(?:is|are)"
    r"|(?:based|builds?|built|relies|rely|relied|draws?|improves?)\s(?:up)?on))\Z",
    re.IGNORECASE,
)
#: Stands for the cited authors until it is clear whether the sentence needs them; no text has this character.
_PLACE = "\ufdd0"
_LIST = re.compile(rf"{_PLACE}(?:\s*(?:[,;]\s*(?:and|or)\b|[,;]|\band\b|\bor\b|&)\s*{_PLACE})+")
_TOLD = (
    "(?:described|proposed|defined|introduced|used|done|shown|suggested|reported|discussed|explained"
    "|presented|developed|outlined|published|given)"
)
_HOW = r"(?:[a-z]+ly|also|first|earlier)"
_ADVERB = rf"(?:{_HOW}\s+)"
_FROM = rf"{_ADVERB}?(?:by|in)\s+{_PLACE}(?!['’])"
#: Phrases that say only where something is from.
_ASIDE = re.compile(
    rf"""\s*[(\[]\s*(?:e\.\s?g\.|i\.\s?e\.|cf\.?)?,?\s*(?:[a-z]+,?\s+){{0,4}}{_PLACE}\s*[)\]]
    |(?<!defined)(?<!same),?\s+(?:such\s)?as\s+in\s+{_PLACE}|,?\s+as\s+{_TOLD}\s+(?:in|by)\s+{_PLACE}
    |(?<!defined)(?<!by),?\s+following\s+{_PLACE}""",
    re.VERBOSE,
)
_FIRST_ASIDE = re.compile(
    rf"\A(?:In|Following|As\sin|(?:As\s|{_ADVERB})?{_TOLD}\s(?:in|by))\s+{_PLACE},\s+", re.IGNORECASE
)
_BE = r"(?:is|are|was|were|be|been|being)"
#: Words after which a participle is no attribute of a noun: "was proposed", "those proposed", "and proposed".
_NO_NOUN = (
    rf"(?:{_BE}|has|have|had|that|this|those|these|ones?|it|as|not|and|or|but|than|when|which|who|most|more|we"
    rf"|they|can|to|{_HOW})"
)
#: ", proposed by them, is", "the model proposed by them is": goes with its participle.
_ATTRIBUTE = re.compile(
    rf"""(?<!\sa\s)(?<!\san\s)(?<![\w\-])(?P<noun>(?!{_NO_NOUN}\b)[\w\-]*[\w\])])(?:
    ,\s+{_ADVERB}?{_TOLD}\s+{_FROM}(?:,(?!\s+(?:who|whose|and|or)\b)|(?=\s*[.;:)]|\s*\Z))
    |\s+{_ADVERB}?{_TOLD}\s+{_FROM}(?!,?\s+(?:who|whose|and|or)\b))""",
    re.VERBOSE,
)
#: "was proposed by them for": whole without its agent, but not at its end ("It was proposed by them.").
_PASSIVE = re.compile(
    rf"""(?P<noun>\b{_BE}\s+{_ADVERB}?(?!(?:inspired|motivated|influenced|followed|replaced)\b)[a-z]+(?:ed|wn|en|lt|ne|nd))
    \s+{_FROM}(?=\s+(?:that|to|for|as|using|on|with|when|where)\b)""",
    re.VERBOSE,
)
#: "will be treated in them": that work is not earlier.
_PLANNED = re.compile(
    rf"(?P<noun>\bwill\s+be\s+{_ADVERB}?(?!found\b)[a-z]+(?:ed|wn|en|lt|ne|nd))\s+in\s+{_PLACE}(?!['’])"
)
#: "the model of them", "the model by them."
_SOURCE = re.compile(
    rf"""(?<![\w\-])(?P<noun>(?!(?:{_NO_NOUN}|available|found|done|[a-z]+(?:ed|wn|en|lt))\b)[\w\-]*[a-z])(?:
    (?<!extension)(?<!variant)(?<!version)(?<!variation)(?<!implementation)(?<!adaptation)(?<!modification)
    (?<!instead)(?<!because)(?<!spirit)(?<!work)\s+of\s+{_PLACE}(?!['’])
    |\s+(?:in|by)\s+{_PLACE}(?=\s*[.,;:)](?!\s+(?:who|whose)\b)|\s*\Z))""",
    re.VERBOSE,
)
#: Where the work is meant, not the people: "see them for details", "available in them".
_WORK = re.compile(rf"\b(?P<before>in|from|see|refer\s+to)\s+{_PLACE}(?!['’]|,?\s+who\b)", re.IGNORECASE)
_VERB = (
    "(?:show|propose|present|introduce|describe|use|report|suggest|define|extend|provide|argue|find|give|develop"
    "|demonstrate|compare|investigate|explore|consider|discuss|follow|combine|address|focus|employ)"
)
#: A work "shows", authors "show".
_SAYS = re.compile(
    rf"""(?P<before>(?:(?:\A|[,;:]\s+|\b(?:that|while|but|whereas|because|since|and)\s+){_PLACE}|{_PLACE},?\s+who)
    \s+{_ADVERB}?)(?P<verb>{_VERB})(?:es|s)\b""",
    re.VERBOSE,
)
#: A mark in brackets that is a subject: "In former work, (Smith, 2010) proposed a".
_SUBJECT = re.compile(rf"\s+{_ADVERB}?{_VERB}(?:ed|d|es|s)?\s(?!(?:by|in|from)\b)")
#: Names and a year anywhere in a text: after a comma, "et al." or a bracket.
_NAMED = re.compile(rf"(?P<names>{_NAMES})(?:['’]s)?(?:(?<=[,.l])\s|\s?[(\[]\s?)(?P<year>{_YEAR})")
#: Capitals inside a word mark venues and resources ("EMNLP", "WordNet"), but not "McDonald".
_NO_NAME = re.compile(r"[A-Z]{2}|[a-z][A-Z]|\d")
_PREFIX = re.compile(r"^(?:Mac|Mc|Della|Del|De|Di|Da|Du|Le|La|Van|Von|Ben|Fitz)(?=[A-Z][a-z])")
_NO_NAMES = STOP_WORDS | listed(
    """
    january february march april may june july august september october november december jan feb mar apr
    jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday spring summer
    autumn fall winter table tables figure figures fig figs section sections sec chapter appendix equation
    eq algorithm example version volume vol page pages footnote part step phase task track
    proceedings proc conference workshop symposium journal transactions press university institute
    computational linguistics senseval semeval parseval treebank penn corpus dataset coling interspeech
    eurospeech shared however recently moreover furthermore similarly finally also thus hence therefore
    formally originally specifically additionally subsequently previously consequently notably see since
    first second third next
    """
)
_OTHERS = re.compile(r"(?:\band\s)?\b(?:et\sal\b\.?|colleagues\b)")
_COMMAS = re.compile(r",(?:\s*,)+")
#: What is left of brackets when their marks are gone.
_REMAINS = re.compile(r"[(\[][\s,;]*[)\]]|[,;](?=\s*[)\]])")
_BEFORE_SIGN = re.compile(r"(?<!\s)\s+(?=[,.;:!?)])")
#: How many characters before a mark are read; without a limit, a sentence of many marks takes quadratic time.
_BEFORE = 200
#: Where a mark that is given by the source may begin: not within a word.
_BEGINNING = re.compile(r"(?<!\w)\S")
_IN_WORD = re.compile(r"\w")
_HAS_YEAR = re.compile(rf"(?<!\w){_YEAR}(?!\w)")
#: A longer mark is running text that the source took for a mark.
_LONGEST_MARK = 400
_AROUND = {"(": ")", "[": "]"}


def without_marks(text: str, marks: Iterable[str] = ()) -> str:
    """Return a sentence without citation marks; `marks` are those given by its source, as printed.

    All other text is unchanged, except that white space is folded. A mark of more than 400 characters is
    ignored. The time is linear in the text, however many marks there are.
    """
    printed = text
    text = _without_told(text, {fold(mark) for mark in marks})
    text = _SAYING.sub(_authors, text)
    for pattern in (_IN_BRACKETS, _NUMBERS):
        text = pattern.sub(_in_place_of, text)
    text, first = _without_asides(text)
    if text != printed:
        text = _REMAINS.sub("", _COMMAS.sub(",", text))
    text = fold(_BEFORE_SIGN.sub("", text))
    return text[:1].upper() + text[1:] if first or text.startswith(AUTHORS) else text


def _without_asides(text: str) -> tuple[str, bool]:
    """Return a text with a noun where it needs one, and whether its first words were removed."""
    if _PLACE not in text:
        return text, False
    text, first = _FIRST_ASIDE.subn("", _LIST.sub(_PLACE, _COMMAS.sub(",", fold(text))))
    text = _ASIDE.sub("", text)
    for phrase in (_ATTRIBUTE, _PLANNED, _PASSIVE, _SOURCE):
        text = phrase.sub(r"\g<noun>", text)
    text = _WORK.sub(rf"\g<before> {WORK}", _SAYS.sub(r"\g<before>\g<verb>", text))
    return text.replace(_PLACE, AUTHORS), first > 0


def _without_told(text: str, told: Iterable[str]) -> str:
    """Return a text without the marks that its source gives; the longest mark at each place wins."""
    marks = {mark for mark in told if _is_telling(mark)}
    lengths = sorted({len(mark) for mark in marks}, reverse=True)
    pieces: list[str] = []
    done = 0
    for beginning in _BEGINNING.finditer(text) if marks else ():
        start = beginning.start()
        if start < done:
            continue
        for length in lengths:
            end = start + length
            if text[start:end] in marks and not _IN_WORD.match(text, end):
                if done < start and end < len(text) and _AROUND.get(text[start - 1]) == text[end]:
                    start, end = start - 1, end + 1
                pieces += [text[done:start], _stand_in(text, start)]
                done = end
                break
    return "".join([*pieces, text[done:]])


def _is_telling(mark: str) -> bool:
    """Return whether a mark is a citation everywhere in a text.

    A bare number (a superscript) may be any number in the sentence; names with a year have their own rules.
    """
    number_or_year = mark.isdigit() or _NUMBERS.fullmatch(mark) or _HAS_YEAR.search(mark)
    return 0 < len(mark) <= _LONGEST_MARK and not number_or_year


def printed_keys(text: str) -> list[str]:
    """Return the works that a sentence cites by name and year, each as names and year: "blei et al 2003".

    They identify cited papers if the source does not. Two works with the same names and year count as one.
    Three or more names become the first name and "et al". Months, venues and parts of the paper
    ("Table, 1999") are not names.
    """
    keys = []
    for cited in _NAMED.finditer(text):
        names, more = _OTHERS.subn("", re.sub(r"['’]s\b", "", cited["names"]))
        people = [fold(person) for person in re.split(r"[,&]|\band\b", names) if person.strip()]
        while people and not _is_name(people[0]):
            people.pop(0)
        if people and all(map(_is_name, people)):
            shown = [people[0], "et al"] if more or len(people) > 2 else people
            keys.append(f"{' '.join(shown).lower()} {cited['year']}")
    return list(dict.fromkeys(keys))


def _is_name(person: str) -> bool:
    return not any(
        word.lower() in _NO_NAMES or _NO_NAME.search(_PREFIX.sub("", word)) for word in person.split()
    )


def _authors(mark: re.Match[str]) -> str:
    first, last = _before(mark.start())
    if _OF_THING.search(mark.string, first, last):
        return mark[0]
    return f"{_PLACE}'" if _GENITIVE.search(mark[0]) else _PLACE


def _in_place_of(mark: re.Match[str]) -> str:
    first, last = _before(mark.start())
    if mark.string[first:last].endswith((",", ":", ";")) and _SUBJECT.match(mark.string, mark.end()):
        return f" {_PLACE}"
    return _stand_in(mark.string, mark.start())


def _stand_in(text: str, place: int) -> str:
    """Return the replacement of the mark that begins at `place`."""
    first, last = _before(place)
    end = first + len(text[first:last].rstrip())
    return f" {_PLACE}" if _NEEDS_WORD.search(text, first, end) else ""


def _before(place: int) -> tuple[int, int]:
    return max(0, place - _BEFORE), place
