"""Which sentences define a term, and which term.

Belongs here: the patterns of defining sentences. Not here: their word lists and what can be a term
(terms.py), groups and pairs (candidates/groups.py).

Dong et al. (2021), 4.1.2, use "a series of possible patterns (regular expressions) of definition sentences"
but do not publish them; these are ours. Most match a subject, which is the term, a verb, and a definition: a
genus and what distinguishes the term within the genus ("the task of finding", "a metric that counts"). A
sentence that only praises a thing ("is an important task") is not a definition.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from silverloom.ops.parasci import terms
from silverloom.ops.parasci.kinds import kind_of
from silverloom.ops.parasci.short_forms import expansions_of
from silverloom.ops.parasci.terms import is_general, is_term


class Definition(NamedTuple):
    """A defined term, as printed."""

    term: str
    span: tuple[int, int]
    """The start and end of its characters in the sentence; the end is exclusive."""


#: Limits on the characters of a sentence, and of a subject.
_SHORTEST, _LONGEST, _LONGEST_SUBJECT = 30, 600, 200

#: The end of a definition whose formula is lost.
_UNFINISHED = re.compile(r"(?::|=\s*\.?|[,\s](?:and|for|by|to|that|as)\s?\.)\s*\Z")
#: A text that is cut with dots, or that is all between quotation marks.
_QUOTATION = re.compile(r"(?:…|(?:\.\s*){3})[\s\"”’)\]]*\Z|\A\s*[\"“][^\"“”]*[\"”]?[\s.]*\Z")

_BRACKETS = r"(?:,?\s+(?:\([^()]{1,80}\)|\[[^()\[\]]{1,80}\]))*"
_TERM = r"(?P<term>[^\s,()\"“”‘’`][^,()\"“”]{1,70}?)"
_QUOTES = "\"'“”‘’`"
_QUOTED = re.compile(rf"[\s{_QUOTES}]*(?P<inner>.*?)[\s{_QUOTES}]*", re.DOTALL)
_ADVERB, _EXACT = rf"(?:{terms.ADVERB}\s+)?", rf"(?:{terms.EXACT}\s+)?"

#: What may precede a subject.
_LEAD = re.compile(
    r"""(?:Unlike\s[^,()]{2,60},\s+|[IiFfWwAaUuOoBb](?:n|or|ithin|s|nder|y)\s
        (?![^,]*(?:[Tt]able|[Ff]igure|[Ss]ection|[Ee]xample|above|below))[^,()]{2,60},\s+
    |In\s\[[^\[\]]{1,20}\],?\s+(?=an?\s)
    |As\s[^,()]{2,60},\s+|Definition\s\d[\d.]*[.:]?\s+(?:\([^()]{2,40}\)\s+)?
    |(?:[A-Z][a-z]+ly,|Hence|Thus|Here|However|Moreover|Furthermore|Also|Recall|Note|Indeed|Similarly|Therefore
        |Besides|Conversely|Nowadays|Recently|That\ is)\s*,?\s+(?:that\s+)?(?!\w+ly\b))?""",
    re.VERBOSE,
)
_OF_TERM = re.compile(
    r"""(?:[Tt]he\s+)?(?:task|problem|process|notion|concept|terms?|technique|idea|field|phenomenon)\s+of\s+
    |[Tt]he\s+(?:term|word|expression)s?\s+""",
    re.VERBOSE,
)
_DETERMINER = re.compile(r"(?:(?P<definite>[Tt]he)|[Aa]n?)\s+")
#: "The centroid of a cluster" is any centroid; "the construction of a parser" is an act.
_OF_ANY = re.compile(r"(?<!tion)(?<!sion)(?<!ment)(?<!ing)\sof\s+an?\s+[^\W\d][\w\- ]*\Z")
_NUMBER = re.compile(r"\s\d+\Z")
_NUMBERED = re.compile(r"\(\s*(?:[ivx]+|[a-z\d])\s*\)")
#: "Maximum Entropy (ME) model".
_SHORTENED = re.compile(rf"(?P<term>[^()]+?)\s+\([A-Z][\w\-]{{1,7}}\)\s+{terms.GENUS}")
_TAIL = re.compile(
    rf"""{_BRACKETS}(?:\s*,\s+(?:(?:or|also\s+(?:known\s+as|referred\s+to\s+as|called)|as\s+\w+ed\s+by)\s+[^,]{{2,60}}
        |as\s+\w+ed\s+in(?:\s[^,]{{2,60}})?|in\s+this\s+\w+)(?=,))?\s*,?\s*\Z""",
    re.VERBOSE,
)


def _subject(sentence: str, end: int, *, definite_terms: bool = False) -> tuple[int, int] | None:
    """Return the span of the term that is the subject of `sentence[:end]`.

    `definite_terms`: "the" may precede a term of several words: "the hair follicle".
    """
    if end > _LONGEST_SUBJECT:
        return None
    tail, lead = _TAIL.search(sentence, 0, end), _LEAD.match(sentence, 0, end)
    stop = tail.start() if tail else end
    if _NUMBERED.search(sentence, stop, end):
        return None
    begin = lead.end() if lead and lead.end() <= stop else 0
    if of_term := _OF_TERM.match(sentence, begin, stop):
        begin = of_term.end()
    definite = False
    if determiner := _DETERMINER.match(sentence, begin, stop):
        begin, definite = determiner.end(), bool(determiner["definite"])
    begin, stop = _unquoted(sentence, begin, stop)
    if definite and definite_terms and (whole := _OF_ANY.search(sentence, begin, stop)):
        stop = whole.start()
        definite = is_general(sentence[begin:stop])
    if shortened := _SHORTENED.fullmatch(sentence, begin, stop):
        stop = shortened.end("term")
    term = sentence[begin:stop]
    several = definite_terms and " " in term and not is_general(term) and not term.startswith("core ")
    name = _NUMBER.sub("", term) if _is_shortened(sentence, begin, stop, end) else term
    return (begin, stop) if is_term(name, definite and not (of_term or several)) else None


def _is_shortened(sentence: str, begin: int, stop: int, end: int) -> bool:
    """Return whether a term has its short form in brackets: "interleukin 6 (IL-6)"."""
    return sentence[begin:stop] in expansions_of([sentence[begin:end]]).values()


def _is_particular(sentence: str, begin: int, stop: int) -> bool:
    """Return whether a term is one word after "the", such as "the size"."""
    return " " not in sentence[begin:stop] and sentence[:begin].lower().endswith("the ")


def _unquoted(sentence: str, begin: int, stop: int) -> tuple[int, int]:
    """Return a span without quotes and spaces at its ends."""
    inner = _QUOTED.fullmatch(sentence, begin, stop)
    return inner.span("inner") if inner else (begin, stop)


_GENUS = re.compile(
    rf"""\s(?:are\s+{_EXACT}|is\s+{_EXACT}(?=an?\s|the\s|any\s))
    (?P<genus>(?:(?:a|an|the|any)\s+)?(?:(?!{terms.NOT_IN_GENUS}\b)[\w'’/\-]+,?\s+){{0,5}}?{terms.GENUS}\b)
    (?:\s+\([^()]{{1,40}}\))?,?\s+
    (?P<apart>{terms.APART}|(?P<of>of\s+(?!(?:the\s+)?{terms.OF_NOTHING}\b))
        |to\s+(?!{terms.TO_NOTHING}\b)[a-z]+\s|for\s+(?:[a-z]+ly\s+)?[a-z]+ing\b)""",
    re.VERBOSE,
)
_RELATIVE = re.compile(rf"(?:^|\s){_TERM}{_BRACKETS},\s+which\Z", re.VERBOSE)
#: "the history of the conversation, which is a list of": here the term is not "conversation".
_PART_OF = re.compile(r"(?<!notion)(?<!concept)(?<!task)(?<!problem)(?<!use)\sof\s+(?:(?:an?|the)\s+)?\Z")
_APART = re.compile(rf"\s{terms.APART}", re.VERBOSE)
_PRAISE = re.compile(rf"\b{terms.PRAISE}\b", re.IGNORECASE)
#: "A standard dataset is the WordSim-353 dataset" gives a name, not a definition.
_NAMED = re.compile(r"the\s.*\b[A-Z]")
#: "the standard method": one among its kind, while "the fundamental task of" still tells what it is.
_RANKED = re.compile(
    r"the\s.*(?:methods?|techniques?|procedures?|strateg(?:y|ies)|tools?|algorithms?|models?)\Z"
)
_QUANTITY = re.compile(rf"(?:^|\s){terms.QUANTITY}$")
_INSTRUMENT = re.compile(rf"{terms.INSTRUMENT}$")
#: "an important task that identifies".
_DOES = re.compile(
    rf"(?:that|which)\s+(?:{terms.DOES}|(?:aims|seeks|tries)\s+(?:to|at)\s+(?!{terms.AIM_OF_ALL}))\b"
)
_ACT = re.compile(r"of\s+(?:\w+ly\s+)?\w+ing\b")
#: "the task of identification".
_TASK = re.compile(r"the\s+(?:\w+\s+)?(?:task|process|problem)$")
_NAME_OF_ACT = re.compile(r"\s*(?:the\s+)?(?:[a-z\-]+\s+){0,2}[a-z]+(?:tion|ment|sion|ysis|al)\b")


def _is_genus(sentence: str) -> tuple[int, int] | None:
    """Find "X is the task of finding", "X are graphs that", and "X, which is a method that"."""
    genus_match = _GENUS.search(sentence)
    if genus_match is None or not _sets_apart(sentence, genus_match):
        return None
    if relative := _RELATIVE.search(sentence, 0, genus_match.start()):
        span = _inside(sentence, *relative.span("term"))
        return None if span is None or _PART_OF.search(sentence, 0, span[0]) else span
    return _subject(sentence, genus_match.start())


def _sets_apart(sentence: str, genus_match: re.Match[str]) -> bool:
    """Return whether the words after a genus distinguish the term within it."""
    genus, apart, end = genus_match["genus"], genus_match["apart"], genus_match.end()
    if _NAMED.match(genus):
        return False
    act, does = _ACT.match(apart), _DOES.match(sentence, genus_match.start("apart"))
    if _PRAISE.search(genus) and (
        not (act or does)
        or _RANKED.match(genus)
        or genus.endswith(("way", "means", "approach", "effort", "attempt"))
    ):
        return False
    if genus_match["of"] and not act and not _QUANTITY.search(genus):
        # "a form of summarisation" is a definition only if it says what distinguishes this form.
        clause = re.split(r"[,;:]", sentence[end : end + 80])[0]
        if not (_TASK.match(genus) and _NAME_OF_ACT.match(sentence, end)) and not _APART.search(clause):
            return False
    return not apart.startswith(("to ", "for ")) or bool(_INSTRUMENT.search(genus))


#: "defined as binary" and "defined as an annotation task" do not say what a thing is.
_NO_ACCOUNT = (
    r"none\b|an?\s+alternative\b|[a-z]+\s*[(;,.]"
    r"|an?\s+(?:[\w\-]+\s+){0,3}(?:task|problem)\b(?!\s+(?:of|that|which|where|in|to|whose)\b)"
)
_DEFINED = re.compile(
    rf"""\s(?:is|are|can\s+be|may\s+be|could\s+be|has\s+been|have\s+been)\s+{_ADVERB}
    (?:(?:formally\s+)?defined|understood|thought\s+of)\s+(?:[a-z]+ly\s+)?(?:as|to\s+be)\s+
    (?!(?:between|where|As|the\s+following|correct|follows?|in|above|below|shown|part)\b|[:,.;]|{_NO_ACCOUNT})""",
    re.VERBOSE,
)


def _is_defined(sentence: str) -> tuple[int, int] | None:
    """Find "X is defined as" and "X can be thought of as"."""
    match = _DEFINED.search(sentence)
    if match is None:
        return None
    span = _subject(sentence, match.start(), definite_terms=bool(_DETERMINER.match(sentence, match.end())))
    small = span is not None and sentence[slice(*span)].islower()
    return None if span is None or (small and _is_particular(sentence, *span)) else span


_REFERS = re.compile(
    rf"""\s{_ADVERB}(?:(?:can\s+refer|refers)\s+to|refer\s+to(?=\s+(?:a|an|the|those|any|all)\s))\s+
    (?!{terms.NO_THING}\b|Fig|Table|Sec|Eq|[A-Z]\b|\w+\s+et\s+al|\(|[A-Z][\w'’]*(?:\s\w+){{0,2}}\sas\s)""",
    re.VERBOSE,
)
_NAME = re.compile(r"\S*(?:[A-Z]\S*[A-Z]|\d)\S*|[A-Z]\w+[-/][A-Z]\S*")


def _refers(sentence: str) -> tuple[int, int] | None:
    """Find "X refers to"; skip single names ("EW", "Li11"), most of which are symbols in a table."""
    match = _REFERS.search(sentence)
    span = _subject(sentence, match.start()) if match else None
    named = span is not None and "term" not in sentence[: span[0]] and _NAME.fullmatch(sentence, *span)
    return None if named else span


_AIMS = re.compile(
    rf"""\s{_ADVERB}(?:(?:aims?|seeks?|attempts?)\s+(?:to|at)|consists?\s+(?:of|in)|involves?|is\s+about
        |(?:is|are)\s+(?:concerned\s+with|aimed\s+at)|deals?\s+with)\s+
    (?:the\s+(?:task|problem|process)\s+of\s+)?(?:[a-z]+ly\s+)?(?P<verb>[a-z]+)\b""",
    re.VERBOSE,
)
_AIM_OF_ALL = re.compile(terms.AIM_OF_ALL)
_ACTION = re.compile(r"(?:ing|tion|sion|ysis|ment|search|retrieval|ics)$")


def _aims(sentence: str) -> tuple[int, int] | None:
    """Find "X aims to find" and "X consists of finding", where X names an action, not a system."""
    match = _AIMS.search(sentence)
    if match is None or _AIM_OF_ALL.match(match["verb"]):
        return None
    if "to" not in match.group().split() and not match["verb"].endswith("ing"):
        return None
    span = _subject(sentence, match.start())
    if span is None or not _ACTION.search(sentence[slice(*span)]) or sentence[: span[0]].endswith("he "):
        return None
    return span


_TASK_DOES = re.compile(
    rf"""(?!{terms.SINGLE}\s)(?P<term>[A-Z][^,()]{{1,70}}?){_BRACKETS}\s+{terms.DOES}\s+
    (?!(?:it|them|this|these|those|that|both|such|errors|problems|issues)\b)[\w\-]+\s""",
    re.VERBOSE | re.IGNORECASE,
)
#: "identifies the gene as the cause" reports what was found.
_FINDING = re.compile(r"[^.;]*?s\s+the\s[^,;.]+\sas\s+(?:an?|the)\s")


def _does(sentence: str) -> tuple[int, int] | None:
    """Find "X identifies" at the beginning of a sentence, where X names an action, not a system."""
    match = _TASK_DOES.match(sentence)
    if match is None or not _ACTION.search(match["term"]) or _NAME.fullmatch(match["term"]):
        return None
    if _FINDING.match(sentence, match.end("term")):
        return None
    return match.span("term") if is_term(match["term"]) else None


_OPEN, _CLOSE = r"[\"“‘'`]*", r"[\"”’']*"
_TO_DO = rf"to\s+(?!{terms.GOAL_OF_ALL})"
_NOTION = r"(?:the\s+(?:notion|concept|term|task|problem)\s+(?:of\s+)?)?"
_GIVEN = r"Given\s[^.]{5,120}?,\s+"

_FRAMES = tuple(
    re.compile(frame, re.VERBOSE)
    for frame in (
        rf"""\b[Ww]e\s+(?:formally\s+)?define\s+{_NOTION}(?:(?P<definite>the)\s+|an?\s+)?{_OPEN}{_TERM}{_CLOSE}
        {_BRACKETS},?\s+{_EXACT}(?:as|to\s+be(?=\s+(?:an?|the|any|all|those|one)\s))\s+
        (?!(?:zero|one|follows?|in|well|where)\b|[:,.;]|{_NO_ACCOUNT})""",
        rf"\b[Bb]y\s+{_OPEN}(?:an?\s+)?{_TERM}{_CLOSE}{_BRACKETS},?\s+we\s+mean\b(?!:|\s+the\s+following)",
        rf"""^(?:{_GIVEN}the|The|In\s+the)\s+(?:task|problem|process)\s+of\s+{_TERM}{_BRACKETS},?\s+
        (?:(?:is|consists)\s+(?:to|of|in)\s+|the\s+(?:goal|task|aim|objective)\s+is\s+to\s+)
        (?!address|improve|be\b)[a-z]+""",
        rf"""^In\s+(?:the\s+(?:task|problem)\s+of\s+)?{_TERM}{_BRACKETS},\s+
        the\s+(?:goal|task|aim|objective)\s+is\s+to\s+(?!address|improve|be\b|provide)[a-z]+""",
        rf"""^(?:An?\s+|The\s+)?{_TERM}{_BRACKETS}\s+(?:occurs|arises)\s+(?:when|if|whenever)\s""",
        rf"""^(?:[A-Z][a-z]+ly,\s+)?(?:[Aa]n?|[Tt]he)\s+{_TERM}{_BRACKETS}\s+is\s+an?\s+(?:(?:ordered|finite)\s+)?
        (?:(?:\d|two|three|four|five|six|seven|eight)-?\s*tuple|pair|triple|quadruple|quintuple|tuple)
        (?:\s+(?:\w+\s*=\s*)?[(<⟨\\]|:\s)""",
        rf"""^(?:An?|Any)\s+[^.;:]{{2,80}}?\s(?:is|are)\s+(?:called|termed|said\s+to\s+be)\s+an?\s+{_TERM}
        (?:\s+(?:for|of|at|on|in|from|to|over)\s[^.;]{{1,40}}?)?\s+(?:if|when|whenever|iff|provided)\s""",
        rf"""^(?:An?\s+|Any\s+)?[^.;:,]{{2,40}}?\s(?:that|which|whose|with|in\s+which|without)\s[^.;:]{{5,120}}?\s
        (?:is|are)\s+{_ADVERB}(?:called|termed|known\s+as|referred\s+to\s+as)\s+(?:an?\s+|the\s+)?{_OPEN}{_TERM}{_CLOSE}
        (?=\s*(?:\([^()]*\))?\s*\.?\s*\Z)""",
        rf"""^(?:The|A)\s+(?:task|process|problem|act|technique|practice|procedure)\s+(?:of|that)\b[^;]{{10,250}}?
        \s(?:is|are)\s+{_ADVERB}(?:known|referred\s+to|called|termed)\s+(?:as\s+)?{_OPEN}
        (?:an?\s+|the\s+)?{_TERM}{_CLOSE}(?=\s*[.(,]|\s+in\b)""",
    )
)
_BEFORE_TERM = re.compile(rf".*\b{terms.BEFORE_TERM}\s+(?:an?\s+)?", re.DOTALL)


def _framed(sentence: str) -> tuple[int, int] | None:
    """Find "we define X as", "by X we mean", "in X, the goal is to", "the process of finding is called X"."""
    for frame in _FRAMES:
        match = frame.search(sentence)
        if match is None or _BEFORE_TERM.match(sentence, *match.span("term")):
            continue
        begin, stop = _unquoted(sentence, *match.span("term"))
        if is_term(sentence[begin:stop], bool(match.groupdict().get("definite"))):
            return begin, stop
    return None


_GOAL = re.compile(
    rf"""^(?:(?:{_GIVEN}|In\s+general,\s+|Thus,\s+)?[Tt]he|A)\s+
    (?:(?:main|ultimate|primary|overall|central|general)\s+)?(?:goal|aim|objective|purpose)\s+(?:of|in)\s+
    (?:the\s+(?:task|problem)\s+of\s+)?(?:an?\s+)?{_TERM}{_BRACKETS}\s+(?:task\s+)?
    is\s+(?:{_TO_DO}|the\s+|[a-z]+ing\s)""",
    re.VERBOSE,
)


def _goal(sentence: str) -> tuple[int, int] | None:
    """Find "the goal of X is to find"; skip names in capitals, which are systems with their own goals."""
    match = _GOAL.search(sentence)
    if match is None or _BEFORE_TERM.match(sentence, *match.span("term")):
        return None
    begin, stop = _unquoted(sentence, *match.span("term"))
    term = sentence[begin:stop]
    return (begin, stop) if is_term(term) and not term.isupper() else None


_APPOSED = re.compile(
    rf"""(?:^|\s){_TERM}{_BRACKETS}
    (?:,\s+(?P<sure>i\.\s?e\.,?\s+|which\s+is\s+|that\s+is,?\s+|namely,?\s+)?
        |(?P<set_off>\s*[–—]\s*|\s+--?\s+|\s*\(\s*)(?:i\.\s?e\.,?\s+)?)
    (?:the|an?)\s+(?:task|process|problem|act|practice|technique)\s+of\s+(?:[a-z]+ly\s+)?[a-z]+ing\b""",
    re.VERBOSE,
)
#: "In addition to X, the process of ..." and "Though X, the task of ..." are not appositions.
_NO_APPOSITION = re.compile(rf"{terms.OPENING}\b[^,]*\Z|.*\b(?i:{terms.CONCESSION})\b", re.DOTALL)


def _apposed(sentence: str) -> tuple[int, int] | None:
    """Find "X, the task of finding", the same in brackets or after a dash, anywhere in a sentence."""
    match = _APPOSED.search(sentence)
    if match is None:
        return None
    if not (match["sure"] or match["set_off"]) and _NO_APPOSITION.match(sentence[: match.end("term")]):
        return None
    return _inside(sentence, *match.span("term"))


def _inside(sentence: str, begin: int, stop: int) -> tuple[int, int] | None:
    """Return the span of the term at the end of a clause."""
    if before := _BEFORE_TERM.match(sentence, begin, stop):
        begin = before.end()
    begin, stop = _unquoted(sentence, begin, stop)
    return (begin, stop) if is_term(sentence[begin:stop]) else None


#: "Closely related to X are", "the backbone of X is": what is before "is" is not always a term.
_INVERTED = re.compile(
    r"(?:to|of|compared|labeled|\w+ed\s+(?:in|by))\b"
    r"|\b(?:[Nn]otable|[Cc]orresponding|[Ll]arge|[Ll]ong|[Aa]dditional|[Nn]atural(?! language)|[Bb]aseline)\b"
)


def _of_kind(sentence: str) -> tuple[int, int] | None:
    """Find "X is a hormone that regulates", with any genus."""
    statement = kind_of(sentence)
    if statement is None:
        return None
    if not statement.relative:
        span = _subject(sentence, statement.end, definite_terms=statement.account)
        if span is None:
            return None
        if _INVERTED.search(sentence, *span) and not _is_shortened(sentence, *span, statement.end):
            return None
        particular = not statement.account or sentence.startswith(" is the ", statement.end)
        return None if particular and _is_particular(sentence, *span) else span
    relative = _RELATIVE.search(sentence, 0, statement.end + len(", which"))
    span = _inside(sentence, *relative.span("term")) if relative and statement.account else None
    return None if span is None or _PART_OF.search(sentence, 0, span[0]) else span


_PATTERNS: tuple[Callable[[str], tuple[int, int] | None], ...] = (
    _is_genus, _is_defined, _refers, _aims, _does, _framed, _goal, _apposed, _of_kind,
)  # fmt: skip


def definition(sentence: str) -> Definition | None:
    """Return the term that a sentence defines; None if it does not define a term.

    The term has no determiner and no text in brackets after it. If a sentence defines several terms, only one
    is returned.
    """
    unfinished = _UNFINISHED.search(sentence) or sentence.count("(") > sentence.count(")")
    if unfinished or _QUOTATION.search(sentence) or not _SHORTEST <= len(sentence) <= _LONGEST:
        return None
    for pattern in _PATTERNS:
        if span := pattern(sentence):
            return Definition(sentence[slice(*span)], span)
    return None
