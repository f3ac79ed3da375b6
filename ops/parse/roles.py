"""The role of each section in its paper, from headings alone.

Belongs here: the roles, the words that indicate them, and what subsections inherit.
Not here: finding headings (ops/parse/papers), what a system does with a role (ops/talksumm, ops/parasci).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

ABSTRACT, INTRODUCTION, BACKGROUND, RELATED = "abstract", "introduction", "background", "related work"
PREAMBLE, METHOD, DATA, RESULT = "preamble", "method", "data", "result"
DISCUSSION, CONCLUSION, ACKNOWLEDGMENTS = "discussion", "conclusion", "acknowledgments"
REFERENCES, APPENDIX, OTHER = "references", "appendix", "other"

#: ParaSCI's sections (Dong et al. 2021, 4.1.1: Abstract, Introduction, Background, Discussion, Preamble,
#: Conclusion; Method, Data, Result), TalkSumm's (Related Work, Acknowledgments, References), and ours.
ROLES = (
    ABSTRACT, PREAMBLE, INTRODUCTION, BACKGROUND, RELATED, DATA, METHOD, RESULT, DISCUSSION, CONCLUSION,
    ACKNOWLEDGMENTS, REFERENCES, APPENDIX, OTHER,
)  # fmt: skip

#: Usual names of the bibliography.
BIBLIOGRAPHY = (
    r"(?:notes and )?references?(?: cited| and notes)?|cited references|bibliography|"
    r"literature(?: cited)?|works cited"
)
#: Patterns for the whole heading. The first one that matches decides.
_WHOLE = (
    (ABSTRACT, r"^abstract\b"),
    (PREAMBLE, r"^preamble\b"),
    (REFERENCES, rf"^(?:{BIBLIOGRAPHY})$|^(?:references?|bibliography)\b"),
    (ACKNOWLEDGMENTS, r"^acknowledge?ments?\b|\backnowledge?ments?$"),
    (APPENDIX, r"^(?:appendi(?:x|ces)|annex|supplement(?:ary|al)?)\b|\b(?:appendix|supplementary material)$"),
    (INTRODUCTION, r"^(?:introduction|motivations?)\b|\bintroduction$"),
    (RELATED, r"\brelated\b(?! (?:questions?|entities|words|terms))"),
    (
        RELATED,
        r"\b(?:previous|prior|earlier|existing|past|other) "
        r"(?:works?|research|approaches|methods|stud(?:y|ies)|efforts|models|systems|literature)\b",
    ),
    (RELATED, r"\bliterature (?:review|survey)\b|\bstate of the art$"),
    (RELATED, r"\bcomparison (?:with|to) (?:related|other|previous)\b"),
    (
        METHOD,
        r"^(?:experiment(?:al|s)?|evaluation|training|simulation) ?"
        r"(?:set ?-?up|settings?|protocols?|designs?|procedures?|methodology|details|methods?|framework|"
        r"conditions|environment)\b",
    ),
    # The last word is the head of a compound: "Classification Results" are results, not a way to classify.
    (
        RESULT,
        r"^(?:(?!(?:and|as|for|from|in|of|on|the|to|with)\b)[\w\-]+ ){1,6}"
        r"(?:results|experiments|evaluation)$",
    ),
    (METHOD, r"^(?:materials?|patients|subjects|participants)(?: and|,) (?:\w+ )?(?:and )?methods?\b"),
    (DATA, r"^(?:experimental|training|test|evaluation) (?:data(?:sets?)?|corpora|corpus|sets?)\b"),
)

#: Patterns for single words. The one that occurs first in the heading decides: "Results and Discussion" is a
#: result, "Conclusion and Future Work" a conclusion.
_WORDS = (
    (
        CONCLUSION,
        r"conclu(?:sions?|ding)|future (?:works?|directions?|research|plans?|developments?)|further work|"
        r"(?:final|closing) (?:remarks|comments|thoughts)|^summary|outlook$",
    ),
    (DISCUSSION, r"discussions?|limitations?|general remarks|implications|open (?:questions|problems)"),
    (
        RESULT,
        r"results?|experiments?|experimental|evaluat(?:ion|ions|ing|ed)|performances?|ablations?|findings|"
        r"comparisons?|comparing|analy(?:sis|ses|zing|sing)|(?:error|qualitative|quantitative) analys[ie]s|"
        r"baselines?|empirical|case stud(?:y|ies)|accuracy|metrics?|test(?:s|ing)?$|measures|assessment",
    ),
    (
        DATA,
        r"data(?! ?- ?driven)(?:sets?)?|corp(?:us|ora)|treebanks?|annotat(?:ion|ions|ed|ing)|benchmarks?|"
        r"materials?|test sets?|training sets?|tagsets?|resources|lexicons?",
    ),
    (
        BACKGROUND,
        r"background|preliminar(?:y|ies)|notations?|definitions?|terminology|history|review|"
        r"problem (?:statement|definition|formulation|description|setup|setting)|^(?:the )?(?:task|problem)$|"
        r"task (?:definition|description|formulation|overview)|basic (?:concepts|notions|ideas)|"
        r"overview(?! of (?:our|the))",
    ),
    (
        METHOD,
        r"algorithms?|alignments?|approach(?:es)?|architectures?|attention|classif(?:ication|iers?)|"
        r"clustering|components?|computation|construction|decod(?:ing|er)|design|details|detection|"
        r"disambiguation|embeddings?|encod(?:ing|er)s?|estimation|extract(?:ion|ing|or)|features?|"
        r"formalisms?|formulation|frameworks?|generation|grammars?|hyper(?: ?- ?)?parameters?|identification|"
        r"implementations?|inference|initiali[sz]ation|kernels?|layers?|learning|loss(?:es)?|"
        r"method(?:s|ology|ologies)?|model(?:s|ing|ling)?|modules?|networks?|objectives?|"
        r"optimi[sz]ation|overview|parameters?|pars(?:ing|ers?)|pipeline|pre ?-? ?(?:training|processing)|"
        r"probabilit(?:y|ies)|procedures?|process(?:ing)?|proposed|rank(?:ing|er)|recognition|"
        r"regulari[sz]ation|representations?|resolution|rules?|sampling|search|segmentation|selection|"
        r"set ?- ?up|settings?|similarity|smoothing|strateg(?:y|ies)|systems?|tagg(?:ing|er)s?|"
        r"techniques?|training|translation",
    ),
)

_TABLE_WHOLE = tuple((role, re.compile(pattern)) for role, pattern in _WHOLE)
_TABLE_WORDS = tuple((role, re.compile(rf"(?<!\w)(?:{pattern})(?!\w)")) for role, pattern in _WORDS)

_NUMBERING = re.compile(
    r"\s*+(?:(?:section|chapter)\s++)?"
    r"(?:(?P<number>\d{1,2}(?:\s?\.\s?\d{1,2}){0,5})(?!\w)|(?P<roman>[IVX]{1,5})(?=[.)\s])|"
    r"(?P<letter>[A-Z])(?=[.)]\s|\.\d|\s[A-Z]))(?P<letter_tail>(?:\.\d{1,2}){0,4})\s?[.:)]*+",
)
#: A capital apart from its word, as small capitals come out of PDFs: "I NTRODUCTION".
_APART = re.compile(r"\b([A-Z]) ([A-Z]{3,})\b")
_LONGEST = 200


class Heading(NamedTuple):
    """A heading as printed, with its level from 1 if the format has levels."""

    title: str
    level: int | None = None


class _Read(NamedTuple):
    """A parsed heading: style of its number ("1", "I", "A", ""), whether it is number one, depth, words."""

    style: str
    first: bool
    depth: int
    words: str


def known_roles(given: tuple[str, ...]) -> tuple[str, ...]:
    """Return roles that a user names. Raises ValueError for a name that is none."""
    unknown = sorted(set(given) - set(ROLES))
    if unknown:
        raise ValueError(f"no such role: {', '.join(unknown)}; there are {', '.join(ROLES)}")
    return given


def role_of(title: str) -> str:
    """Return the role that a heading indicates by itself, or OTHER."""
    return _role_of(_read(title).words)


def unspaced(title: str) -> str:
    """Return a title with capitals joined to their words where only the whole word indicates a role."""

    def joined(match: re.Match[str]) -> str:
        whole = _role_of(f"{match[1]}{match[2]}".lower())
        return f"{match[1]}{match[2]}" if _role_of(match[2].lower()) == OTHER != whole else match[0]

    return _APART.sub(joined, title)


def _role_of(words: str) -> str:
    for role, pattern in _TABLE_WHOLE:
        if pattern.search(words):
            return role
    roles = [(match.start(), role) for role, each in _TABLE_WORDS if (match := each.search(words))]
    return min(roles, key=lambda pair: pair[0])[1] if roles else OTHER


def roles_of(headings: Sequence[Heading]) -> list[str]:
    """Return the role of every section of a paper.

    A heading that indicates no role inherits that of its parent section. The parent follows from numbering
    ("3.1" is in "3", "B.1" in "B", "A." in "II."), otherwise from `level`. Everything in an appendix is
    appendix, and so is a lettered section after the conclusion. A section numbered 1 without a role is the
    introduction if none came before (as in TalkSumm's released code: "1. "). Untitled sections before
    the first titled one (not counting the abstract) are the preamble: front matter, which TalkSumm's code
    skips. If a paper has no titled sections, they are OTHER.
    """
    roles: list[str] = []
    above: list[tuple[int, str]] = []
    roman = ended = False
    titled = [index for index, one in enumerate(headings) if _is_titled(one.title)]
    for index, heading in enumerate(headings):
        read = _read(heading.title)
        if not read.style and not read.words:
            roles.append(PREAMBLE if titled and index < titled[0] else OTHER)
            continue
        roman = roman or read.style == "I"
        in_roman = read.style == "A" and roman and not ended
        level = read.depth + in_roman or heading.level or 1
        above = [(depth, role) for depth, role in above if depth < level]
        parent = above[-1][1] if above else OTHER
        role = role_of(heading.title)
        if role == OTHER or parent in (APPENDIX, REFERENCES):
            role = parent
        if ended and read.style == "A" and role not in (ACKNOWLEDGMENTS, REFERENCES):
            role = APPENDIX
        if role == OTHER and level == 1 and read.first and INTRODUCTION not in roles:
            role = INTRODUCTION
        ended = ended or (level == 1 and role in (CONCLUSION, ACKNOWLEDGMENTS, REFERENCES, APPENDIX))
        above.append((level, role))
        roles.append(role)
    return roles


def _is_titled(title: str) -> bool:
    read = _read(title)
    return bool(read.style or read.words) and role_of(title) != ABSTRACT


def _read(title: str) -> _Read:
    title = unspaced(title[:_LONGEST])
    match = _NUMBERING.match(title)
    style, first, depth = "", False, 0
    if match is not None:
        if match["number"]:
            style, first, depth = "1", match["number"] == "1", len(re.findall(r"\d+", match["number"]))
        else:
            style, first = ("I", match["roman"] == "I") if match["roman"] else ("A", False)
            depth = 1 + match["letter_tail"].count(".")
        title = title[match.end() :]
    return _Read(style, first, depth, " ".join(re.sub(r"[^\w\- ]+", " ", title.lower()).split()))
