"""What the title of a talk has around the title of its paper: venue, track, speaker.

Belongs here: the titles that remain without these. Not here: comparing them with titles of papers
(matching.py), names of papers in the metadata (paper_names.py).

Video sites and conferences write "Attention Is All You Need | Oral | NeurIPS 2017" or "Ashish Vaswani:
Attention Is All You Need". A venue, a year and a track say nothing about the paper, so they go from both
ends. A speaker looks like a main title or a subtitle ("Deep Learning: A Survey"), so a title without one is
only a guess, and its similarity is multiplied by `GUESS`. Anything else before a colon ("NLP with Friends:"),
in brackets, or with digits in front ("P18-1001") is a vaguer guess: `VAGUE`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

#: [ours] More than `MAIN_TITLE` of title_similarity.py, less than the title as it is.
GUESS = 0.95
#: [ours] With this factor only a title that is nearly the paper's exceeds talksumm.pairs.threshold.
VAGUE = 0.85

#: A guess has at least this many words, and letters.
FEWEST_WORDS, FEWEST_LETTERS = 3, 12

#: A longer text is no title (assets/systems/talksumm/sources.py warns of it), and is compared as it is.
LONGEST = 400


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


_VENUES = _words(
    "aaai aacl aamas acl aclweb acml aistats alt amia amta asru bea bionlp blackboxnlp cav cdc chi cikm "
    "clpsych cogsci coling colt conll corl cscw cvpr dac eacl eamt ecai eccv ecir ecml emnlp ets facct "
    "fat fse gecco hlt humeval icassp iccv icdm iclr icml icra icse icsme ijcai ijcnlp inlg interspeech "
    "iros iswc iwpt iwslt kdd konvens lrec miccai mm mtsummit naacl neurips nips nlp osdi ranlp recsys "
    "rss sdm sem semeval siam sigcomm sigdial siggraph sigir sigkdd sigmod slt sosp starsem stoc tacas "
    "tacl uai uist usenix vldb wacv wmt wsdm wsj www"
)
_TRACKS = _words(
    "accepted award best conference day demo demonstration demos findings full industry introduction "
    "invited journal keynote lecture lightning live long main oral orals outstanding paper papers plenary "
    "poster posters prerecorded presentation presentations proceedings recorded recording research room "
    "session sessions short slides spotlight spotlights student system talk talks teaser track tutorial "
    "tutorials video videos virtual workshop workshops"
)
_MONTHS = _words(
    "apr april aug august dec december feb february jan january jul july jun june mar march may nov "
    "november oct october sep sept september"
)
_LINKING = _words("a an and annual at by for from id in international meeting no of on the with")

#: Between the parts of a title; a bar or a dot is never within the title of a paper.
_SEPARATOR = re.compile(r"\s*[|·•‖¦]\s*|\s*//\s*|:\s+|\s+[-–—~]+\s+|\s*—\s*|\s+@\s+")
_BAR = re.compile(r"\s*[|·•‖¦]\s*|\s*//\s*")
_BRACKETS = re.compile(r"\[[^\[\]]*\]|\([^()]*\)|【[^】]*】|「[^」]*」")
_WORD = re.compile(r"[^\W\d_]+|\d+[a-z]{0,2}\b|\d+", re.IGNORECASE)
#: "2018", "'18", "3a", "2nd"
_NUMBER = re.compile(r"\d{1,5}(?:st|nd|rd|th|[a-z])?", re.IGNORECASE)
#: "ACL 2018", "NeurIPS'17", "NAACL-HLT 2019" without a separator, at either end.
_VENUE_AND_YEAR = (
    rf"(?:{'|'.join(sorted(_VENUES, key=len, reverse=True))})(?:[-/ ]hlt)?[-\s'’]*(?:(?:19|20)\d\d|\d\d)"
)
#: ", Melbourne" before a dash or a bar.
_PLACE = r"(?:,\s+(?-i:[A-Z])\w+(?:\s+(?-i:[A-Z])\w+)?(?=\s+[-–—|]\s))?"
#: The venue and year of a shared task belong to the title of its papers.
_LEADING = re.compile(rf"\s*{_VENUE_AND_YEAR}\b(?!\W*(?:shared\W+)?task\b){_PLACE}[\s:,.|-]*", re.IGNORECASE)
_TRAILING = re.compile(rf"[\s,.]*(?:\b(?:at|in)\s+)?\b{_VENUE_AND_YEAR}\s*", re.IGNORECASE)
_BY = re.compile(
    r".*?(?P<by>[\s,]+(?:(?:presented|given|talk)\s+)?by\s+(?P<people>(?:(?!\sby\s).)+))", re.IGNORECASE
)
#: "talk.mp4"; "Presentation of"; "P18-1001", "2017-12-05"; brackets at either end.
_AROUND = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\.(?:mp[34]|mkv|mov|webm|avi|wav|pdf|pptx?)\s*$",
        r"^\W*(?:paper\s+|video\s+)?(?:presentation|talk|video|recording)\s+(?:of|on|about|for)\s+",
        r"^[#\W]*(?=\w*-?\w*\d)[\w.-]+[\s:.,)\]-]+",
        rf"^\W*(?:{_BRACKETS.pattern})\s*|\s*(?:{_BRACKETS.pattern})\W*$",
        r"\s*[-–—|:,]?\s*\b(?:explained|part\s+\d+|full\s+version)\W*$",
    )
)

_PARTICLES = _words("al bin da de del den der di dos du el et la le ten ter van von y")
_NAME = re.compile(r"[^\W\d_][\w'’.-]*")
_HONORIFIC = re.compile(r"\b(?:Dr|Prof|Professor|Mr|Ms|Mrs)\b\.?")
_AND = re.compile(r"\s*[,;&]\s*(?:and\s+)?|\s+and\s+")
_FUNCTION_WORDS = _words(
    "a an and are as at by do does for from how in is it of on or the to via what why with"
)


class BareTitle(NamedTuple):
    """A title, and how much its similarity counts."""

    title: str
    weight: float


def bare_titles(title: str) -> list[BareTitle]:
    """Return the title, and what is left of it without venue, track and speaker; the whole comes first."""
    weights = {title.strip(): 1.0}
    if len(title) > LONGEST:
        return [BareTitle(*pair) for pair in weights.items()]
    bare = _without_venue(title)
    if bare:
        weights.setdefault(bare, 1.0)
    for weight, guesses in ((GUESS, _guesses), (VAGUE, _vague)):
        for guess in guesses(bare or title):
            if len(guess.split()) >= FEWEST_WORDS and sum(map(str.isalnum, guess)) >= FEWEST_LETTERS:
                weights.setdefault(guess, weight)
    return [BareTitle(*pair) for pair in weights.items()]


def _without_venue(title: str) -> str:
    """Return a title without venue, year and track at its ends and in brackets; "" if nothing is left."""
    bare = _BRACKETS.sub(lambda match: " " if _names_venue(match.group()) else match.group(), title)
    while True:
        before = bare
        if match := _LEADING.match(bare):
            bare = bare[match.end() :]
        for match in _TRAILING.finditer(bare):
            if match.end() == len(bare):
                bare = bare[: match.start()]
        first, last = _ends(bare)
        if first and _is_venue(bare[: first.start()]):
            bare = bare[first.end() :]
        elif last and _is_venue(bare[last.end() :]):
            bare = bare[: last.start()]
        bare = bare.strip(" \t|·•:,-–—")
        if bare == before or not bare:
            return "" if _is_venue(bare) else bare


def _guesses(title: str) -> Iterator[str]:
    """Yield a title without what may be its speakers, and each of its parts between bars."""
    parts = [_without_venue(part) for part in _BAR.split(title)]
    for part in (title, *parts) if len(parts) > 1 else (title,):
        if len(parts) > 1 and part != title:
            yield part
        bare = part
        while bare:
            first, last = _ends(bare)
            by = _BY.fullmatch(bare)
            if by and _are_people(by["people"]):
                bare = bare[: by.start("by")]
            elif first and _are_people(bare[: first.start()]):
                bare = bare[first.end() :]
            elif last and _are_people(bare[last.end() :]):
                bare = bare[: last.start()]
            else:
                break
            bare = _without_venue(bare)
            yield bare


def _vague(title: str) -> Iterator[str]:
    """Yield a title without what often stands around one, and its parts beside the outer separators."""
    bare = title
    for around in _AROUND:
        bare = around.sub("", bare).strip()
        yield bare
    for text in (title, bare):
        first, last = _ends(text)
        if first and last:
            yield _without_venue(text[first.end() :])
            yield _without_venue(text[: last.start()])


def _ends(title: str) -> tuple[re.Match[str] | None, re.Match[str] | None]:
    """Return the first and the last separator."""
    separators = list(_SEPARATOR.finditer(title))
    return (separators[0], separators[-1]) if separators else (None, None)


def _names_venue(brackets: str) -> bool:
    """Say whether brackets are about a venue: they may hold a place, too ("ACL 2018, Melbourne")."""
    words = {word.lower() for word in _WORD.findall(brackets)}
    dated = any(re.fullmatch(r"(19|20)\d\d", word) for word in words)
    return _is_venue(brackets) or (dated and bool(words & _VENUES))


def _is_venue(part: str) -> bool:
    """Say whether a part of a title is only about where and how the talk was given."""
    words = [word.lower() for word in _WORD.findall(part)]
    known = [word in _VENUES or word in _TRACKS for word in words]
    dated = any(re.fullmatch(r"(19|20)\d\d", word) for word in words)
    return (any(known) or dated or not words) and all(
        is_known or word in _MONTHS or word in _LINKING or _NUMBER.fullmatch(word)
        for word, is_known in zip(words, known, strict=True)
    )


def _are_people(part: str) -> bool:
    """Say whether a part of a title may be names of people, each of two to four capitalised words."""
    plain = _HONORIFIC.sub("", _BRACKETS.sub(" ", part)).strip().rstrip(".")
    people = [person.split() for person in _AND.split(plain) if person.strip()]
    return bool(people) and all(map(_is_person, people))


def _is_person(words: Sequence[str]) -> bool:
    names = [word for word in words if word.lower() not in _PARTICLES]
    fewest = 1 if words[-2:] == ["et", "al"] else 2
    return fewest <= len(names) <= 4 and all(
        _NAME.fullmatch(word) and word[0].isupper() and word.lower() not in _FUNCTION_WORDS for word in names
    )
