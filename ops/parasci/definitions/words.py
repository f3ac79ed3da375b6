"""The words that tell a definition from praise: genera, adjectives, what sets a thing apart.

Belongs here: parts of regular expressions, to be read with re.VERBOSE. Not here: the patterns that they make
up (patterns.py), and words of terms (terms.py).
"""

from __future__ import annotations


def one_of(listed: str) -> str:
    """Return a regular expression of some alternatives, which white space divides; `_` stands for a space."""
    return "(?:" + "|".join(listed.split()).replace("_", r"\ ") + ")"


def words(listed: str) -> frozenset[str]:
    """Return the words that white space divides."""
    return frozenset(listed.split())


#: Nouns that say what kind of thing a term is.
GENUS = "(?:sub-?|super-?|meta-?)?" + one_of(
    """
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
    assumptions? hypothes[ie]s constraints? rules? lines?_of_research activity
    """
)

#: Quantities and acts, which "of" alone sets apart: "the number of", "the study of".
QUANTITY = one_of(
    """
    study science art ability capability degree extent number ratio proportion percentage fraction
    probability likelihood distance difference distribution act sets? collections? sequences? lists?
    measures? corpus corpora dataset database use notion groups? pairs? means phenomenon models?
    """
)

#: Genera of which it is enough to say what they are for.
INSTRUMENT = one_of(
    """
    tasks? process technique methods? algorithms? tools? systems? models? metrics? measures? frameworks?
    toolkits? formalisms? languages? ability attempt platform library package approach procedures?
    """
)

#: Adjectives that praise a thing or place it, and do not tell what it is.
PRAISE = one_of(
    r"""
    important key challenging fundamental crucial critical common popular difficult essential central
    active major main well[-_]known known widely long[-_]standing promising useful hard vital
    significant growing hot classic classical new novel recent good natural desirable convenient
    commonly recommended big great necessary valuable attractive interesting primary basic core leading
    easy easier modern two three four several alternative sub-?problems? sub-?tasks? open standard first
    only best better excellent ideal powerful effective efficient emerging prominent typical unsolved
    non-?trivial complex complicated notorious\w* notable real serious such same similar different
    suitable reasonable viable potential possible relevant prerequisite well[-_]studied
    well[-_]established established studied successful demanding intriguing integral indispensable
    sensitive favou?rite foremost latest another more most less very quite rather highly increasingly
    """
).replace(r"[-\ ]", "[ -]")

#: Verbs behind "that" or "which" that tell how a thing fares, and not what it is.
FARES = one_of(
    """
    has have had was were is are we it they remains? requires? needs? deserves? receives? poses? plays?
    can(?:not)? could should must may might will would do(?:es)? did presents? still also seems? arises?
    appears? exists? affects? came comes goes outperforms? achieves? obtains? gives? shows? received
    attracts? attracted offers? helps? makes? yields? won ranks? performs? significantly suffers? lacks?
    benefits? calls?_for improves? speeds (?:addresses|tackles|solves)_(?:these|this) many most several
    people researchers nlp serves?_as var(?:y|ies) manifests?
    """
)

#: Participles that tell what a thing is for, or made of.
PURPOSE = one_of(
    """
    used(?!_by|_in\\b) designed employed applied intended aimed developed created built meant consisting
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

#: The beginning of what sets a thing apart from others of its genus.
APART = rf"""(?:
    of\s+(?:[a-z]+ly\s+)?(?!(?:mean|train|str|someth|interest|exist|follow|underly|vary|parse|be|grow|increas|ongo
        |last|emerg)ing\b)[a-z]+ing\b
    |(?:that|which|who)\s+(?!(?:[a-z]+ly\s+)?{FARES}\b)
    |(?:that|which)\s+(?:is|are|can\s+be)\s+{PASSIVE}\b
    |that\s+can\s+(?!not|also|help|be|greatly|easily|significantly)\w+
    |(?:in|by|through|for|on|with|at|from)\s+which\b|whereby\b|whose\b|where\b
    |{PURPOSE}
    )"""

#: Words that a genus cannot have before its noun.
NOT_IN_GENUS = one_of(
    r"""
    of for to in that which as by from with on at into over than because if when via using through under
    given within across between during and_\w+ing it they we not no the an?
    """
)

#: Behind "of", what makes no definition.
OF_NOTHING = one_of(
    "form following type this our these such interest choice research importance its great art"
)
TO_NOTHING = one_of("the a be our this all solve date which improve")

#: How exactly something is so, and how often: what is often so need not be a definition.
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

#: What anything may aim to; beginnings of verbs, and whole ones.
AIM_OF_ALL = one_of(
    """
    address solv tackl improv reduc overcom provid bridg help facilitat support explor investigat enhanc
    boost contribut mak achiev alleviat mitigat be$ do$ go$ fill promot foster advanc encourag maximi
    minimi optimi increas enabl creat show demonstrat avoid tak giv being having us stud
    """
)
GOAL_OF_ALL = one_of(
    """
    provide improve present explore investigate build develop report study address create propose test
    evaluate help be\\b
    """
)

#: What stands before a term in the middle of a sentence.
BEFORE_TERM = one_of(
    """
    of for to on in with is are the and as by uses? study address addresses consider tackle investigate
    explore introduce propose present examine perform like via towards? about describes? discuss into
    improves? improve using through presents? called including namely task problem
    """
)

#: Words with which a sentence begins that has no apposition behind its first comma.
OPENING = one_of(
    """
    In For As With To By During After Before Like Unlike Since When While Although If On From Given
    Besides Akin Similar Due Compared Despite Among According Through Via
    """
)
CONCESSION = one_of("though although while since because if when even despite depends?")

#: What points at a place and no thing, so that what "refers to" it is a sign.
NO_THING = one_of("this these it them him our")
