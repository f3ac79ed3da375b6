"""Defining sentences by their grammar: "X is a", a noun phrase of any genus, and what distinguishes X.

Belongs here: the noun phrase after "is" and the account after it, with the words that make a statement no
definition. Not here: the subject, and frames with words of their own (definitions.py), what can be a term
(terms.py).

The genus is any noun: fields differ in their genera ("region", "hormone", "particle"), while the words of
statements that say how a thing is received ("a challenge that remains") are few and the same everywhere. A
dictionary says which words can be nouns (lemminflect); a word that it lacks may be one. [ours]
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from silverloom.ops.parasci.terms import AIM_OF_ALL, DEPENDS, EXACT, HOW_MANY, PRAISE, listed

#: The most words of a noun phrase before its noun.
_LONGEST_PHRASE = 9

_COPULA = re.compile(rf"(?:\s|,\s*which\s+)(?P<verb>is|are)\s+(?:{EXACT}\s+)?", re.VERBOSE)
_TOKEN = re.compile(r"[^\W_][\w'’/+–\-]*(?:[.,]\d+)*|[^\w\s]")
_DETERMINERS = listed("a an any the")

#: Words that end a noun phrase.
_PREPOSITIONS = listed(
    """
    of in on at by from with within for to between among across over under through via into onto as than
    without against during after before inside outside near about around per using upon along toward towards
    """
)
_RELATIVES = listed("that which who whom whose where when whereby wherein")
_NEVER_INSIDE = listed(
    """
    is are was were be been being has have had do does did can could may might will would shall should must
    not no nor it its they them their he she we our us you your i my this these those there here if whether
    because since while although though so thus hence therefore then also however but yet only just even very
    too more most less least quite rather such same similar different several many few some other another
    first second third last next good bad better best worse worst main major key example
    """
)

#: Nouns that rank a thing, or name its part in an argument, and do not say what it is.
_NO_GENUS = listed(
    """
    example instance case reason fact step part parts result consequence outcome matter question issue topic
    choice candidate advantage disadvantage drawback limitation challenge difficulty contribution benefit goal
    aim focus key basis subject lack lot variety range need assumption evidence indication indicator sign
    reminder improvement success thing point place time time period increase decrease idea attempt effort work
    paper section finding conclusion observation difference hypothesis possibility concern problem problems
    cause causes source sources factor factors contributor component components target targets
    function functions topic bottleneck obstacle barrier prerequisite requirement condition way ways manner
    addition alternative alternatives improvement advance breakthrough shortcoming weakness strength
    opportunity priority direction trend driver cornerstone pillar hallmark milestone starting solution
    solutions option options estimate estimates value values reflection manifestation review
    overview summary survey comparison illustration demonstration explanation interpretation counterpart
    professor student researcher author abbreviation abbreviations average plot daughter constituent orders
    hallmarks staple staples synergy partnership leader rate order foundation
    analogue equivalent proxy fit match mixture majority minority consensus debate interest importance use
    """
)

#: Names of kinds that end in such a noun.
_COMPOUND = re.compile(r"\b(?:transcription|growth|impact)\s+factors?\Z")
#: A kind of something is told apart only by what comes after it.
_KINDS = listed(
    """
    type types kind kinds form forms class classes family families variant variants member members subset
    subsets subtype subtypes subclass subclasses combination examples extension extensions modification
    modifications version versions
    """
)

#: "a member of the zinc finger family", "of the family of sedolisins".
_FAMILY = re.compile(
    r"of\s+the\s+(?:(?!same\b)[\w\-]+\s+){1,4}(?:super)?family\b"
    r"|of\s+the\s+(?:super)?family\s+of\s+(?!(?:proteins|genes|molecules|enzymes|models|methods)\b)[a-z]{4}"
)

#: What a relative clause says about how a thing performs or is received.
_FARES = rf"""(?:
    {DEPENDS}|(?:affects?|afflicts?|kills?|(?:occurs?|happens?|(?:is|are)\s+(?:found|seen))\s+in)\s+{HOW_MANY}|
    (?:has|have)(?!\s+(?:an?|no|two|three|four|zero|at|only|the|exactly|its)\b)
    |requires?(?!\s+[a-z]+ing\b)
    |had|was|were|remains?|needs?|deserves?|receives?|poses?|plays?|also|still|often|seems?|appears?|came
    |comes|goes|outperforms?|achieves?|obtains?|shows?|attracts?|helps?|makes?|yields?|won|ranks?|performs?
    |works?\s+for|(?:aims?|attempts?|seeks?|tries)\s+to\s+(?:address|tackle|solve)
    |significantly|suffers?|lacks?|benefits?|calls|improves?|many|most|several|people|researchers|it|we|they
    |should|must|will|would|did|arises?|results?|leads?|offers?|serves?|gives?|presents?
    |(?:is|are)\s+(?:(?:\w+ly|often|also|still|very|more|most|less|not|now)\s+)*(?:
        (?:important|crucial|critical|essential)(?!\s+(?:for|to|in)\b)
        |difficult|hard|easy|useful|available|known|considered|believed|needed|necessary|interesting|relevant
        |better|worse|harder|easier|expected|likely|unlikely|able|worth|ubiquitous|common|of|well|similar
        |different|currently|here|shown|discussed|described|based\s+on\s+(?:our|the\s+(?:proposed|same)))
    |(?:can|may|could|might)(?:\s+\w+ly|\s+also)?\s+(?:
        be\s+(?:\w+ly\s+)?(?:used|seen|found|applied|solved|easily|improved|very|more|difficult|useful
            |considered|viewed|trained|extended|adapted|helpful)
        |help|benefit|improve|lead|have|make|greatly|significantly|serve|also)
    )"""
#: The beginning of an account in a relative clause: "that regulates", "from which".
_RELATIVE_CLAUSE = rf"""(?:
    (?:that|which|who)\s+(?!(?:[a-z]+ly\s+)?{_FARES}\b)(?!\s*[,.])
    |in\s+that\b|whose\b|where\b(?!as)|whereby\b|wherein\b
    |aiming\s+to\s+(?!{AIM_OF_ALL})[a-z]+
    |(?:in|by|through|for|on|with|at|from|of|to|during|under|after|over|within)\s+(?:which|whom)\b
        (?!\s+(?:our\s+understanding|much|little)\b)
    )"""
_ACCOUNT = re.compile(_RELATIVE_CLAUSE, re.VERBOSE)
#: "in information extraction, which": a phrase between a noun and its account.
_WITHIN = re.compile(
    rf"""(?:in|of|for|from|within|on|between|at|to|by|with)\s+(?:[\w'’/\-]+,?\s+){{1,8}}?
    (?:\([^()]{{1,40}}\),?\s*)?(?={_RELATIVE_CLAUSE})""",
    re.VERBOSE,
)
_PARTICIPLE = re.compile(
    rf"""(?:[a-z\-]+ly\s+)?(?!(?:affecting|(?:occurring|found|seen|diagnosed)\s+in)\s+{HOW_MANY})(?:
    (?:requir|involv|compris|contain|exhibit|carry|represent|encod|lack|affect|produc|caus|cover|specify
        |describ|denot|express|connect|link)ing\s+[a-z]
    |(?:[a-z]+(?:ing|ed|nown)|found|made|built|given|held|seen|drawn|taken|bound|caught|born|spun|run|put|set
        |hidden|written|spoken|chosen|grown)\s+(?:[a-z]+ly\s+)?
    (?:by|in|on|to|from|at|as|with|through|when|between|of|for|within|around|into|over|under|the|an?|two|its
        |their|along|across|after|during|via|using|up|both)\b
    )""",
    re.VERBOSE,
)
_NO_PARTICIPLE = listed(
    """
    during including according following regarding being having used based given proposed introduced
    presented developed reported suggested described due demonstrating showing attracting receiving gaining
    """
)
_NO_OF = listed(
    "this these our its their such great growing increasing practical utmost interest importance choice"
)
_PURPOSE = re.compile(r"(?:used|designed|intended|developed|employed)\s+(?:to|for|in|by|as)\b")
_PRAISED = re.compile(rf"\b{PRAISE}\b", re.IGNORECASE)
_ABBREVIATION = re.compile(r"\A\([^()]{1,40}\)\s*")
_FIRST = re.compile(r"[\w'’\-]+")
_FROM_TO = re.compile(r"from\s[^.;]+\s(?:to|onto|into)\s")
#: Not "with about 38 million", which is a size, nor "with unknown function".
_WITH = re.compile(r"between\b|with\s+(?!unknown\b|about\b|around\b|the\s+same\b|\S*\d)")
_RELATIVE_PRONOUN = re.compile(r"\s(?:that|which)\s")
_WORD_START = re.compile(r"(?<=\s)[a-z]")
#: Ends of a clause, but not before ", created by" and ", which".
_CLAUSE_END = re.compile(r"[,;:](?=\s(?!\w+(?:ed|ing)\s(?:by|of|from)\b|which\s))")
#: The account of a thing that is praised, too: "an important task which aims to find", "that assigns".
_DOES = re.compile(
    r"""aiming\b|(?:that|which)\s+(?:
    (?:aims|seeks|tries|attempts)\s+(?:to|at)\s+(?!improv|help|support|be\b)
    |(?!can|may|could)[a-z]+s\s+(?!to\b|from\b|on\b|[a-z]+ly\s))""",
    re.VERBOSE,
)
#: "the rearing of": other things with "the" are particular ones.
_ACT_OF = re.compile(r"\w+(?:ing|tion|sion|ment|ysis)\s+of\b")
#: "the average rank assigned to", "the percentage of words": a measure, but not of several runs.
_MEASURED = re.compile(
    r"""(?:(?:average|mean|total|maximum|minimum|maximal|minimal)\s(?:\w+\s){1,2}?(?:of|over|among|between|in|from|to|that|\w+ed)
    |(?:percentage|fraction|proportion|ratio|number|probability)\sof)\s
    (?!.*\b(?:runs|folds|trials|seeds|experiments|datasets|languages|participants|subjects|annotators)\b)""",
    re.VERBOSE,
)
#: The fewest words of an account, with its preposition.
_SHORTEST_ACCOUNT = 3
_PLURAL = re.compile(
    r"(?:[^s]s|sses|people|phenomena|criteria|data|corpora|bacteria|fungi|nuclei|formulae)\Z"
)
#: "are now", "are usually", "are automatically assigned", "are given": no noun phrase without a determiner.
_NOT_BARE = re.compile(r"\A(?:now|often|usually|\w+ly|\w+ed|given|built|shown|due|full|free)\Z")


class KindStatement(NamedTuple):
    """A statement of what kind of thing a subject is: where its subject ends and its relative pronoun is."""

    end: int
    relative: bool
    """Whether the statement is in a relative clause: "X, which is a"."""
    account: bool
    """Whether a relative clause tells the subject apart."""


def kind_of(sentence: str) -> KindStatement | None:
    """Return the first statement "is a", a noun phrase, and an account of it; None without one."""
    copula = _COPULA.search(sentence)
    if copula is None:
        return None
    phrase = _noun_phrase(sentence, copula.end(), plural=copula["verb"] == "are")
    apart = _tells_apart(sentence, *phrase) if phrase else None
    if apart is None:
        return None
    return KindStatement(copula.start(), "which" in copula.group(), apart == "account")


def _noun_phrase(sentence: str, start: int, *, plural: bool) -> tuple[int, int] | None:
    """Return the start and end of the noun phrase from `start` on, if its noun can be a genus."""
    determiner = None
    words: list[re.Match[str]] = []
    for token in _TOKEN.finditer(sentence, start):
        word = token.group().lower()
        if determiner is None:
            determiner = word if word in _DETERMINERS else ""
            if not determiner and not plural:
                return None
            if determiner:
                continue
        if word in _PREPOSITIONS or word in _RELATIVES or word in "(;:.–—[":
            break
        if word in _NEVER_INSIDE or word in _DETERMINERS or len(words) > _LONGEST_PHRASE:
            return None
        if word == ",":
            following = _TOKEN.match(sentence, token.end() + 1)
            if following is None or following.group().lower() in _RELATIVES | _PREPOSITIONS:
                break
            continue
        if words and _PARTICIPLE.match(sentence, token.start()) and can_be_noun(words[-1].group()):
            break
        words.append(token)
    if not words:
        return None
    noun = words[-1].group().lower().rpartition("-")[2]
    if noun in _NO_GENUS and not _COMPOUND.search(sentence, start, words[-1].end()):
        return None
    if not can_be_noun(noun) or noun.endswith("ly"):
        return None
    if determiner == "the" and not (
        _ACT_OF.match(sentence, words[-1].start()) or _MEASURED.match(sentence, words[0].start())
    ):
        return None
    if not determiner and (not _PLURAL.search(noun) or _NOT_BARE.search(words[0].group())):
        return None
    return words[0].start(), words[-1].end()


def _tells_apart(sentence: str, start: int, end: int) -> str | None:
    """Return what distinguishes the subject within its genus: an "account", a "phrase", or None."""
    if _MEASURED.match(sentence, start):
        return "account"
    phrase, rest = sentence[start:end], _ABBREVIATION.sub("", sentence[end:].lstrip())
    praised = bool(_PRAISED.search(phrase))
    account = _ACCOUNT.match(rest.lstrip(", "))
    if account is None and (within := _WITHIN.match(rest)):
        account = _ACCOUNT.match(rest, within.end())
    if account is not None:
        return "account" if not praised or _DOES.match(account.string, account.start()) else None
    word = _FIRST.match(rest)
    if word is None:
        return None
    noun = phrase.split()[-1].lower()
    if _PURPOSE.match(rest):
        told = not praised
    elif _PARTICIPLE.match(rest) and word[0] not in _NO_PARTICIPLE:
        told = True
    elif praised:
        told = False
    elif word[0] == "of":
        told = _of_tells(noun, rest)
    elif noun == "approximation":
        told = word[0] == "to" and len(rest.split()) >= _SHORTEST_ACCOUNT
    elif word[0] == "from":
        told = bool(_FROM_TO.match(rest))
    else:
        told = bool(_WITH.match(rest)) and len(rest.split()) >= _SHORTEST_ACCOUNT
    return "phrase" if told else None


def _of_tells(noun: str, rest: str) -> bool:
    """Return whether "of" and what follows distinguish a noun.

    Of a kind, and with "the", only what comes after it does.
    """
    following = _FIRST.match(rest, len("of "))
    if following is None or following[0].lower() in _NO_OF:
        return False
    clause = _CLAUSE_END.split(rest)[0]
    if noun == "member" and _FAMILY.match(rest):
        return True
    if noun not in _KINDS and following[0].lower() != "the":
        return len(_RELATIVE_PRONOUN.split(clause)[0].split()) >= _SHORTEST_ACCOUNT
    places = [place.start() for place in _WORD_START.finditer(clause)]
    return any(_ACCOUNT.match(clause, place) or _PARTICIPLE.match(clause, place) for place in places)


@lru_cache(maxsize=65536)
def can_be_noun(word: str) -> bool:
    """Return whether a dictionary has a word as a noun, or lacks it."""
    from lemminflect import getAllLemmas

    kinds = getAllLemmas(word.lower())
    return not kinds or "NOUN" in kinds or "PROPN" in kinds
