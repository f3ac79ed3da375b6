"""The words of definitions: what can be a term, and how to distinguish a definition from praise.

Belongs here: words that a term cannot contain, normal forms; genera, adjectives and distinguishing phrases,
as parts of regular expressions for re.VERBOSE. Not here: the sentences that define terms (definitions.py),
abbreviations (short_forms.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache


def one_of(listed: str) -> str:
    """Return a regular expression of alternatives that are separated by white space; `_` means a space."""
    return "(?:" + "|".join(listed.split()).replace("_", r"\ ") + ")"


def listed(text: str) -> frozenset[str]:
    """Return the words of a text, split at white space."""
    return frozenset(text.split())


#: Nouns of actions: "the removal of".
_ACTIONS = """
    identification extraction detection classification recognition transcription segmentation removal
    assignment determination disambiguation conversion transformation categori[sz]ation annotation
    summari[sz]ation restoration insertion deletion substitution alternation omission
    """

#: Genera: nouns that say what kind of thing a term is.
GENUS = "(?:sub-?|super-?|meta-?)?" + one_of(
    f"""
    {_ACTIONS}
    tasks? problems? process(?:es)? procedures? techniques? methods? methodology approach(?:es)?
    strategy strategies algorithms? models? networks? architectures? frameworks? systems? tools?
    toolkits? librar(?:y|ies) packages? softwares? platforms? formalisms? grammars? languages?
    theor(?:y|ies) paradigms? mechanisms? operations? functions? metrics? measures? scores? statistics?
    indices index criteri(?:on|a) tests? datasets? data_sets? corpora corpus treebanks? resources?
    databases? lexicons? ontolog(?:y|ies) thesaur(?:us|i) dictionar(?:y|ies) collections? benchmarks?
    repositor(?:y|ies) knowledge_bases? fields? areas? disciplines? branch(?:es)? stud(?:y|ies) domains?
    forms? types? kinds? class(?:es)? famil(?:y|ies) variants? extensions? generali[sz]ations?
    special_cases? phenomen(?:on|a) propert(?:y|ies) notions? concepts? relations? relationships?
    structures? representations? trees? graphs? sets? sequences? lists? groups? pairs? units? words?
    phrases? expressions? sentences? clauses? constructions? texts? documents? symbols? elements?
    entities events? features? vectors? matri(?:x|ces) figures?_of_speech act ability capability degree
    extent number ratio proportion percentage fraction probability likelihood distance difference
    distributions? way means attempt effort science art automata automaton machines? classifiers?
    parsers? taggers? learners? decoders? encoders? editors? engines? interfaces? schemes? standards?
    formats? specifications? challenges? competitions? shared_tasks? applications? services? agents?
    assumptions? hypothes[ie]s constraints? rules? lines?_of_research activity transducers? operators?
    loss(?:es)? variables? layers? nouns? verbs? pronouns? adverbs? adjectives? morphemes? strings?
    mappings? tables? kernels? edges? paths? devices? projects? initiatives? sum average mean
    """
)

#: Quantities and acts, which need only "of" to be distinguished: "the number of", "the study of".
QUANTITY = one_of(
    f"""
    {_ACTIONS}
    study science art ability capability degree extent number ratio proportion percentage fraction
    probability likelihood distance difference distribution act sets? collections? sequences? lists?
    measures? corpus corpora dataset database use notion groups? pairs? means phenomenon models? sum
    average mean
    """
)

#: What a task does: "named entity recognition identifies".
DOES = one_of(
    """
    identifies assigns determines detects maps converts extracts transforms classifies recogni[sz]es
    transcribes divides segments aligns
    """
)
#: Beginnings of sentences whose subject is no task but a piece of work, a manner or a formula.
SINGLE = one_of("preliminary initial traditional qualitative quantitative manual further expression")

#: Genera that are sufficiently distinguished by their purpose.
INSTRUMENT = one_of(
    """
    tasks? process technique methods? algorithms? tools? systems? models? metrics? measures? frameworks?
    toolkits? formalisms? languages? ability attempt effort platform library package approach
    procedures?
    """
)

#: Adjectives that praise or rank a thing, without saying what it is.
PRAISE = one_of(
    r"""
    important key challenging fundamental crucial critical common popular difficult essential central
    active major main well[-_]known known widely long[-_]standing promising useful hard vital
    significant growing hot classic classical new novel recent good natural(?!_language) desirable
    convenient commonly recommended big great necessary valuable attractive interesting primary basic
    core leading
    easy easier modern two three four several alternative sub-?problems? sub-?tasks?
    open(?![-_](?:source|domain)) standard first(?!-order)
    only best better excellent ideal powerful effective efficient emerging prominent typical unsolved
    non-?trivial complex complicated notorious\w* notable real serious such same similar different
    suitable reasonable viable potential possible relevant prerequisite well[-_]studied
    well[-_]established established studied successful demanding intriguing integral indispensable
    sensitive favou?rite foremost latest another more most less very quite rather highly increasingly
    """
).replace(r"[-\ ]", "[ -]")

_DEGREE = one_of("significantly heavily strongly greatly crucially critically highly considerably")
#: A clause of how much a thing depends on another: "relies heavily on".
DEPENDS = rf"(?:(?:rel(?:y|ies)|depends?)\s+{_DEGREE}|{_DEGREE}\s+(?:rel(?:y|ies)|depends?))\s+(?:up)?on"

#: Of how many a thing is true: "about 5 million people", "one in 2,000".
HOW_MANY = r"""(?:
    (?:(?:about|around|approximately|roughly|nearly|almost|over|up\s+to|(?:more|less)\s+than|at\s+least
        |an\s+estimated)\s+)?
    (?:(?:millions|thousands|hundreds|half)|one(?=\s+(?:in|out)\b)|\d+(?:[.,]\d+)*(?=\s*(?:%|percent|per\s+cent
        |(?:million|billion|thousand|in|of|out|people|patients|individuals|adults|children|women|men|births)\b)))
    (?!.*\b(?:caused|characteri[sz]ed|defined)\b)
    )"""

#: Words after "that" or "which" that say how a thing performs or is received, not what it is.
_RECEIVED = one_of(
    """
    has have had was were is are we it they remains? requires? needs? deserves? receives? poses? plays?
    can(?:not)? could should must may might will would do(?:es)? did presents? still also seems? arises?
    appears? exists? affects? came comes goes outperforms? achieves? obtains? gives? shows? received
    attracts? attracted offers? helps? makes? yields? won ranks? performs? significantly suffers? lacks?
    benefits? calls?_for improves? speeds (?:addresses|tackles|solves)_(?:these|this) many most several
    people researchers nlp serves?_as var(?:y|ies) manifests?
    works?_for (?:aims?|attempts?|seeks?|tries)_to_(?:address|tackle|solve)
    """
)
#: The same, and clauses of how many and how much.
FARES = rf"(?:{_RECEIVED}|{DEPENDS}|(?:affects?|afflicts?|kills?|(?:occurs?|happens?)\s+in)\s+{HOW_MANY})"

#: Participles that say what a thing is for, or made of.
PURPOSE = one_of(
    """
    used(?!_by|_in\\b|_here) designed employed applied intended aimed developed created built meant consisting
    composed containing comprising describing representing expressing denoting aiming defined made
    concerned annotated organi[sz]ed formed capable responsible based_on derived obtained
    """
)
PASSIVE = one_of(
    """
    used designed employed applied concerned capable defined composed obtained formed made built derived
    constructed represented associated annotated intended meant
    """
)

#: The beginning of a phrase that distinguishes a thing within its genus.
APART = rf"""(?:
    of\s+(?:[a-z]+ly\s+)?(?!(?:mean|train|str|someth|interest|exist|follow|underly|vary|parse|be|grow|increas|ongo
        |last|emerg)ing\b)[a-z]+ing\b
    |(?:that|which|who)\s+(?!(?:[a-z]+ly\s+)?{FARES}\b)
    |(?:that|which)\s+(?:is|are|can\s+be)\s+{PASSIVE}\b
    |that\s+can\s+(?!not|also|help|be|greatly|easily|significantly)\w+
    |(?:in|by|through|for|on|with|at|from)\s+which\b(?!\s+(?:our\s+understanding|much|little)\b)|whereby\b|whose\b|where\b
    |{PURPOSE}
    )"""

#: Words that cannot precede the noun of a genus.
NOT_IN_GENUS = one_of(
    r"""
    of for to in that which as by from with on at into over than because if when via using through under
    given within across between during and_\w+ing it they we not no the an?
    """
)

#: Words after "of" (and after "to") that do not make a definition.
OF_NOTHING = one_of(
    "form following type this our these such interest choice research importance its great art"
)
TO_NOTHING = one_of("the a be our this all solve date which improve")

#: Adverbs of exactness and of frequency: a statement about what is often true need not be a definition.
EXACTLY = (
    "essentially basically simply just here thus formally informally broadly roughly intuitively hereby then"
)
EXACT = one_of(EXACTLY)
ADVERB = one_of(
    f"""
    {EXACTLY} usually often typically generally commonly traditionally normally primarily mainly also
    in_general frequently sometimes loosely
    """
)

#: Aims that anything may have: beginnings of verbs, and whole verbs.
AIM_OF_ALL = one_of(
    r"""
    address solv tackl improv reduc overcom provid bridg help facilitat support explor investigat enhanc
    boost contribut mak achiev alleviat mitigat be\b do\b go\b fill promot foster advanc encourag maximi
    minimi optimi increas enabl creat show demonstrat avoid tak giv being having us stud
    """
)
GOAL_OF_ALL = one_of(
    """
    provide improve present explore investigate build develop report study address create propose test
    evaluate help be\\b
    """
)

#: Words before a term in the middle of a sentence.
BEFORE_TERM = one_of(
    """
    of for to on in with is are the and as by uses? study address addresses consider tackle investigate
    explore introduce propose present examine perform like via towards? about describes? discuss into
    improves? improve using through presents? called including namely task problem
    """
)

#: First words of a sentence without an apposition after its first comma.
OPENING = one_of(
    """
    In For As With To By During After Before Like Unlike Since When While Although If On From Given
    Besides Considering Akin Similar Due Compared Despite Among According Through Via
    """
)
CONCESSION = one_of("though although while since because if when even despite depends?")

#: Words that point at a place, not a thing; whatever "refers to" them is a symbol.
NO_THING = one_of("this these it them him our")

#: Words that no term contains: pronouns, verbs of papers, references to the surrounding text.
_NEVER = listed(
    """
    with on whereas convenient row rows column columns line lines please readers reader interested
    the a an cannot implicit case similar fourth fifth alternative automatically most two three and i we
    you he she it they them us our ours my your his her its their theirs one ones this that these those
    there here such same other others another each every both either neither all any some many few
    several more less much first second third last next former latter following above below previous
    what which who whom whose where when why how if whether while because although though since as than
    is are was were be been being am has have had having do does did can could may might must shall
    should will would not no nor only also thus hence however therefore then so but or yet moreover
    furthermore proposed propose present presented show shows shown used using use given called
    known described define defined say note let assume suppose see recall consider paper papers work
    study article thesis chapter section figure fig table equation appendix tutorial contribution
    contributions result results conclusion example examples novelty main key important challenging
    common popular good best better new novel recent simple interesting crucial central typical possible
    final overall original current existing whole entire certain particular different various respective
    resulting ultimate primary major basic underlying today now often usually generally typically
    sometimes always never already still just even very too about after before between during until upon
    involves involve requires require related
    via versus etc eg ie eq eqn eqs
    """
)

#: Words that may be inside a term, but not at its ends.
_INNER = listed("of for in to from de based")

#: Words that are a term only together with others: "assignment problem" is a term, "problem" is not.
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

#: After a word that no dictionary has: "annexin A7", "peptidase I".
_NAME_NUMBER = re.compile(r"I|[A-Z]\d{1,2}")

#: "L.app", "Y&M2003", "simja+mi", "QL_m", and "1WordNet" with the number of a footnote.
_SIGN = re.compile(r"^[A-Z]\.[a-z]|&.*\d|[a-z]\+[a-z]|_|^\d[A-Z][a-z]")

_BRITISH = re.compile(r"(?<=[a-z])is(?=(?:e|ed|es|er|ers|ing|ation|ations)\Z)")
#: Words of the same shape that are spelt with "is" in American English, too.
_EVERYWHERE = re.compile(r"(?:\w*(?:exerc|adv|superv|rev|dev|compr|improv|prom|prec|prem)|no|ra|w|r|ar)is\w*")


def is_term(text: str, definite: bool = False) -> bool:
    """Return whether the words of a subject can be a term.

    `definite`: they follow "the". Then they are a term only if they contain a capital: "the parser" is a
    particular parser in the surrounding text.
    """
    words = _without_number(text.split())
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
    if small[0] in ("input", "output") or _alone(small) or _has_stray_adverb(small):
        return False
    return not definite or text != text.lower()


def _without_number(words: list[str]) -> list[str]:
    """Return the words of a name without its last, if that is like the number of a molecule: "annexin A7"."""
    from lemminflect import getAllLemmas

    numbered = len(words) > 1 and _NAME_NUMBER.fullmatch(words[-1]) and not getAllLemmas(words[-2].lower())
    return words[:-1] if numbered else words


def normal_form(term: str, expansions: Mapping[str, str] | None = None) -> str:
    """Return the form that all mentions of a term have in common.

    Normalises case, hyphens, British spelling, and the plural of the last word. Expands abbreviations by
    `expansions`, the result of `short_forms.expansions_of`.
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
    """Return the singular of a noun, from the dictionary or, for an unknown noun, by its ending."""
    from lemminflect import getLemma

    small = word.lower()
    lemmas = getLemma(small, upos="NOUN") if len(word) > 3 else ()
    if not lemmas or small in lemmas:
        return word
    return word[: len(lemmas[0])] if small.startswith(lemmas[0]) else str(lemmas[0])


def is_general(term: str) -> bool:
    """Return whether the last word of a term says too little: "the language model" is one of this paper."""
    last = term.lower().split()[-1]
    return bool({last, singular(last)} & _GENERAL)


def _alone(words: Sequence[str]) -> bool:
    """Return whether a term is too general, such as "model" and "core technique", or an adverb."""
    word = words[0]
    if "core" in words and {words[-1], singular(words[-1])} & (_GENERAL | {"core"}):
        return True
    return len(words) == 1 and (word.endswith("ly") or bool({word, singular(word)} & _GENERAL))


def _has_stray_adverb(words: Sequence[str]) -> bool:
    """Return whether an adverb ends a term, or precedes its noun: "Biochemically rafts"."""
    from lemminflect import getAllLemmas

    *_, before, last = ("", *words)
    stray = last if last.endswith("ly") or "NOUN" not in getAllLemmas(last) else before
    return stray.endswith("ly") and getAllLemmas(stray).keys() <= {"ADV"}


def _is_sign(word: str) -> bool:
    """Return whether a word is a symbol of a formula, or debris of a line break."""
    if len(word) < 3:
        return not (
            word.isascii() and word.isalpha() and len(word) == 2 and (word.isupper() or word in _INNER)
        )
    return word.endswith("-") or (len(word) == 3 and not word.isalpha()) or bool(_SIGN.search(word))
