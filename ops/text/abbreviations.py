"""The words that tell whether a full stop ends a sentence.

Belongs here: abbreviations by how they behave, and words that begin sentences. Not here: the decision
(sentences.py).

In TITLES, NEVER, REFERENCES, COUNTED and COMMON a word in lower case stands for both "fig" and "Fig". One
with a capital stands for itself alone, because in lower case it is an ordinary word ("mass.", "gen.").
"""

from __future__ import annotations

import re


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _forms(words: str) -> frozenset[str]:
    return frozenset(form for word in words.split() for form in (word, word[0].upper() + word[1:]))


#: Titles before names.
TITLES = _forms(
    """
    mr mrs ms dr drs prof messrs mme mlle Gen Col Lt Cpl Capt Cmdr Adm Maj Sgt Rep Sen Gov Rev Hon Pres Supt
    Insp Amb Atty Mt Ft Fr MR MRS DR
    """
)
#: No sentence ends after one of these, whatever follows.
NEVER = TITLES | _forms(
    """
    e.g eg i.e ie cf viz vs v.s w.r.t s.t approx ca resp incl excl esp ed.by aka a.k.a abbr Ph
    """
)
#: Before a number, a letter or a bracket these name a part of a text or the like; before a word that begins
#: sentences they end one ("We built the app. Then we left.").
REFERENCES = _forms(
    """
    fig figs eq eqn eqns eqs equ sec secs sect sects tab tabs ch chs chap chaps vol vols nos pp ref refs app
    thm lem prop cor def Rem Asm Conj alg ex exs cl chr para paras suppl n.d op cit ibid N° Nr No Art FIG FIGS
    NO
    """
)
#: The same, but ordinary words before anything except a number.
COUNTED = _forms(
    """
    no cat art col p n c b d r f v l par pt item ser ver rev
    """
)
#: Abbreviations of words, names, places and months: only a word that begins sentences tells.
COMMON = _forms(
    """
    al etc inc ltd corp co bros jr sr esq llc plc assn assoc dept univ inst govt natl intl int conf proc
    trans symp lett sci acad adv annu bull comput linguist mach learn phys chem biol bioinf genet med mol
    soc math stat statist rev j jour newsl mag ed eds edn transl comp comm pers unpubl misc est ext tel
    temp max min avg std dev coeff deg lat long orig obs hist pub publ prob prep ms mss cont corr subsp ssp
    sp spp var pv cv bv sv gen nov str st ste ave blvd rd hwy sq ln apt bldg fwd mfg mgr dist div sub tech
    eng curr opin syst intell softw St Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu
    Thur Thurs Fri Ala Ariz Ark Calif Colo Conn Del Fla Ga Ill Ind Kan Ky La Mass Md Mich Minn Miss Mo Mont
    Neb Nev Okla Ont Ore Pa Penn
    Commun Tenn Tex Va Vt Wash Wis Wyo Que Geo Wm Chas Thos Av bef abt pvt
    """
)
#: Before a number they begin a sentence, or are within one: "... in China. Approx. 20 people came."
COUNTS = _set(
    """
    Approx Avg Ca Ed Est Exp Max Min Obs Op Pop Tel Temp Var Ver
    """
)
ABBREVIATIONS = NEVER | REFERENCES | COUNTED | COMMON | COUNTS
#: After a number these are ordinary words: "kept for 20 min. Data were read".
UNITS = _set(
    """
    h hr hrs min mins s sec secs ms d wk wks mo mos yr yrs m cm mm km nm mi ft in yd lb lbs oz g mg kg ml cl
    l bp kb mb gb Mb Kb Hz kHz MHz GHz V mV kV kW J kJ K C F M mM Pa kPa kDa Da U cal kcal pt pts vol
    deg μm µm μl µl μg µg μM µM
    """
)
#: Of these, units before a second number: "6 ft. 2 in. tall".
FOLLOWED_BY_NUMBERS = _set(
    """
    ft yd lb lbs h hr hrs deg
    """
)
#: Names that end in an exclamation mark, of which a sentence goes on: "the Yahoo! Answers set".
EXCLAIMED = _set("Yahoo! Yum! Jeopardy!")
#: They follow a name that ends in an exclamation mark: "Yahoo! Inc."
COMPANIES = _set(
    """
    Inc Ltd Corp Co LLC Plc GmbH
    """
)
#: Cut or before a number, but not in the names of journals.
NOT_OF_JOURNALS = (
    TITLES
    | REFERENCES
    | COUNTED
    | COMPANIES
    | _set("Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Ave Jr Sr")
)
#: They follow "5 p.m." within a sentence.
AFTER_TIME = TITLES | _set(
    """
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April June July August
    September October November December Eastern Central Pacific Mountain Greenwich EST EDT PST PDT CST GMT
    UTC ET PT CET BST
    """
)
#: Short words that may end a sentence before a word in lower case.
SHORT = _set(
    """
    so it me us up do be go ok no hi oh
    """
)
#: A letter after one of these is a label, and not an initial: "vitamin D. Patients", "mitomycin C. Cells".
LABELS = _set(
    """
    figure table panel type group class hepatitis appendix chromosome section part plan team phase case
    factor grade level option exhibit schedule annex block line point step model kappa alpha beta gamma set
    node state condition category box room zone size item complex gene exon domain site clone strain virus
    influenza variable matrix matrices vector column row region station point points sample samples study
    trial task tasks layer subunit
    """
)
#: "I" after one of these is the pronoun ("older than I."), and not an initial ("navigator I. Fyodorov").
BEFORE_I = _set(
    """
    am as but can could did do had have may might must nor or shall should than was will would
    """
)
#: They tell who has said what is quoted: "Stop!" John cried.
SPEECH = _set(
    """
    said says asked asks cried replied answered shouted whispered muttered added exclaimed called murmured
    yelled screamed inquired demanded continued laughed sighed snapped explained agreed began
    """
)
#: Capitalised words that begin sentences, and rarely names.
STARTERS = frozenset(
    word.capitalize()
    for word in _set(
        """
    a about above according accordingly across additionally after afterwards again all almost along already
    also although altogether among an and another any anyone anything are aren't as at based because before
    behind being below besides between both but by can can't compared consequently conversely could couldn't
    currently despite did didn't do does doesn't don't due during each earlier either even eventually every
    everybody everyone everything except few finally first firstly following for from furthermore generally
    given had has hasn't have haven't he he'd he'll he's hence her here here's hers herself his hopefully
    how how's however i i'd i'll i'm i've if importantly in indeed initially inside instead interestingly
    into is isn't it it'd it'll it's its itself just last lastly later lately let let's likewise many maybe
    meanwhile more moreover most much my namely neither never nevertheless next no nobody none nonetheless
    not note nothing notably now nowadays obviously of often on once one only or originally other others
    otherwise our ours out outside over overall part perhaps please presumably previously probably rather
    recall recently regarding remember second secondly see several shall she she'd she'll she's should
    similarly simply since so some somebody someone something sometimes soon specifically still subsequently
    such surely surprisingly suppose take than thank thanks that that's the their theirs them then there
    there's thereafter thereby therefore these they they'd they'll they're they've third thirdly this those
    though three through throughout thus to today together tomorrow too toward towards two typically
    ultimately under unfortunately unless unlike until upon us using usually very was wasn't we we'd we'll
    we're we've well were weren't what what's whatever when whenever where whereas wherever whether which
    while who who's whom whose why will with within without won't would wouldn't yes yesterday yet you you'd
    you'll you're you've your yours
    """
    )
)
_SUBSTANCE = re.compile(r"[A-Za-z]*[a-z](?:ase|[^aeiou]in|mycin|toxin|cyclin|gen)s?")


def is_labelled(word: str) -> bool:
    """Say whether a letter after a word is part of a substance's name: "proteinase K", "cyclin D"."""
    return len(word) > 4 and not word.istitle() and _SUBSTANCE.fullmatch(word) is not None


def is_count(word: str, following: str) -> bool:
    """Say whether an abbreviation and a number begin a sentence: "Approx. 20", "Exp. 2"."""
    return word.endswith(".") and word[:-1] in COUNTS and following[:1].isdigit()


def is_in_name(name: str, behind: str) -> bool:
    """Say whether a stop is within a name: before "Inc.", or "Yahoo!" before no sentence starter."""
    return behind in COMPANIES or (name in EXCLAIMED and behind not in STARTERS)
