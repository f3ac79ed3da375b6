"""Templates of wikitext as text: what the page shows in their place.

Belongs here: rendering templates from the inside out, in linear time; what each known one shows. Not here:
functions of arguments (wikitext_values.py), the rest of wikitext (wikitext.py).

What templates mean is told on their pages of the English Wikipedia. A template that is unknown leaves a HOLE.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ops.parse.wikitext_values import (
    ASIDE,
    ASIDE_END,
    COMPUTED,
    MARKS,
    NOTHING,
    SHIPS,
    Arguments,
    number,
    ship,
)
from ops.text.holes import HOLE

#: What templates show, and their names. A line: alternatives between "‖", "::", names between "|". The first
#: alternative counts whose arguments are there. "␣" is a space; "~" an aside; "¶" a block of its own.
_TABLE = """
{1} :: nihongo foot|nowrap|nobr|nobreak|nowraplinks|em|strong|small|smaller|big|bigger|larger|large|huge|sc
{1} :: sc2|smallcaps|math|mvar|mathbf|bigmath|var|mono|code|codes|kbd|key|keypress|key press|samp|tt|pre2
{1} :: nobold|noitalic|normal|plain|abbr|abbrlink|tooltip|abbrv|finedetail|tq|xt|!xt|mxt|bxt|!bxt|dfn|term|nq
{1} :: nastaliq|script|underline|u|strike|s|del|ins|sub|nowiki|nowiki2|unstrip|gloss|start-date|end-date
{1} :: birth-date|death-date|by|nft|baseball year|mlb year|stn|rws|lbs|metro|metrod|station|stnlnk|tstop
{1} :: dabsearch|no redirect short|asiantitle|langr|nihongo2|taste|titled|birth-date and age
{1} :: death-date and age|birth year and age|death year and age|not a typo|notatypo|as written|proper name
{1} :: italic correction|italics correction
{-1} :: resize|lang|transl|transliteration|xlit|color|colour|font color|font colour|rtl-lang|nihongo krt
{-1} :: wikt-lang
{text,1} :: font|bg|citation needed span|cnspan|cn span|clarify span|dubious span|when span
{text,1} :: failed verification span|vanchor|visible anchor
{2} :: langx|color2|w2|h:title|hover title
{3} ‖ {2} :: colored link|coloredlink
{lt} ‖ {2} ‖ {1} :: w|no redirect|wikilink
{label} ‖ {name} ‖ {1} :: flag|flagcountry|flagu|flagg|country|nation|fb|cr|noflag|flag country
{1}{2} ‖ {1} ‖ :: sic|typo
{1} ({2}, {3}) ‖ {1} ({2}) ‖ {1} ({3}) ‖ {1} :: nihongo|korean|nihongo title
{3} ({1}, {2}) ‖ {3} ({1}) :: nihongo3
c. {1} – c. {2} ‖ c. {1} ‖ c. :: circa|c.|ca|ca.
{1} {2}/{3} ‖ {1}/{2} ‖ 1/{1} ‖ / :: frac|fraction|sfrac|fract|sfraction
r. {1} – {2} ‖ r. {1} :: reign|r.|ruled
fl. {1} – {2} ‖ fl. {1} :: floruit|fl.|fl
b. {1} :: born|b.
d. {1} :: died|d.
{1} [O.S. {3}] {2} ‖ {1} [O.S. {2}] :: oldstyledate|old style date
{1} {2}:{3} ‖ {1} {2} :: bibleverse|bibleref|bibleref2|sourcetext
×10^{1} :: e|esp|x10^
⟨{1}⟩ :: angbr|angle bracket|grapheme|angbr ipa
"{1}" :: '"'|double+single|quotes|" "
{1}-class {2} ‖ {1} class :: sclass|sclass2|sclass-|sclass/core
£{1} ‖ £ :: gbp|£|pound sterling|pounds
US${1} ‖ US$ :: us$|usd|us dollar|us dollars
A${1} ‖ A$ :: aud|a$|au$
C${1} ‖ C$ :: cad|c$|can$
HK${1} ‖ HK$ :: hkd|hk$
NZ${1} ‖ NZ$ :: nzd|nz$
€{1} ‖ € :: eur|euro|€
₹{1} ‖ ₹ :: inr|indian rupee|rupee|indian rupee symbol
¥{1} ‖ ¥ :: jpy|cny|yen|yuan|jpy sign
R{1} ‖ R :: zar
₱{1} ‖ ₱ :: php|philippine peso
₩{1} ‖ ₩ :: krw|won
{*} :: chemf|ce
{2}√{1} ‖ √{1} :: radic|sqrt
1/2 :: 1/2|half|frac12
1/4 :: 1/4
3/4 :: 3/4
ISBN {1} :: isbn
U.S. Patent {1} :: us patent
{1} {2} ({dab}) ‖ {1} {2} :: sortname
{1} and {2} ({3}) ‖ {1} ({2}) :: harvtxt|citet
{1}␣{2} ‖ {1} :: nlab|snl
␣–␣ :: snd|snds|spnd|sndash|spndash|spaced ndash|spaced en dash|spaced en dash space|dash|nbspndash|nbdash|–␣
– :: ndash|en dash|endash|nsndns|--|–
— :: mdash|em dash|emdash|mdashb|---|—
␣—␣ :: spaced mdash|smd|spaced em dash|spaced mdash space
␣ :: nbsp|nbs|space|spaces|sp|thinsp|thin space|hair space|hairsp|nnbsp|pad|gap|indent|figure space|quad|emsp
␣ :: ensp|em space|en space
␣·␣ :: ·|dot|middot|bullet|•|bull|interpunct|dotsep|w·
␣/␣ :: \\\\|slash|/|\\
' :: '|`|apostrophe
's :: 's|' s|’s
'" :: ' "|'-"|'"
" :: -"
"' :: " '|"-'|"'
ʻ :: okina|ʻokina|'okina
= :: =|equals
+ :: +
− :: minus|−|-minus
± :: ±|+-|plusminus|pm|+/-
× :: ×|x|times|cross
⇌ :: eqm|equilibrium
→ :: yields|→|rarr
¶{text,quote,1} :: quote|blockquote|cquote|quotation|bquote|centered pull quote|pull quote|block quote
¶{text,quote,1} :: quote frame
¶{text,1} :: poemquote|poem quote|poem|verse translation|block indent|blockindent|bi|verse|text quote|center
¶{text,1} :: centre|centered
¶{2} :: rquote
¶{1} :: div|stack|columns-list|col list|plainlist|plain list|flatlist|flat list|div col content
~{1} :: ipa link|ipalink|ipa all|api|ipablink|ipaslink|ipa2
~{*} :: respell|pron-en respell
~ :: ipac|ipa audio link|pronunciation|pron|audio|listen|zh|zh-cn|zh-full|ko|coord|coor|coor dms|coor dm
~ :: coor dec|lang icon|dentalformula|nyse|nasdaq|ose|lse|ec number|cas|unicode|fb icon
{last} ({year}) ‖ :: harvs
~[{2}] ‖ ~{1} :: ipa
[{1}] :: interp|bracket
:: cn|fact|clarify|clarification|clarifyme|when|who|whom|by whom|which|where|why|how|whose|vague|dubious
:: dubious - discuss|discuss|disputed|disputed-inline|failed verification|not in citation|nic|dead link|dl
:: better source|verify source|verify|full|full citation|page|pages|rp|sfn|sfnp|sfnm|efn|efn-ua|efn-lr|refn|r
:: ref|ref label|note|note label|note tag|notetag|#tag:ref|sup ref|inflation-fn|inflation-year|weasel|peacock
:: pov|npov|or|synth|syn|according to whom|attribution|undue|update|update after|medrs|primary source
:: third-party inline|self-published|specify|ambiguous|contradict|contradictory|examples|expand|opinion
:: relevance|relevant|quantify|refimprove|lopsided|anchor|anchors|shortcut|clear|clr|clearleft|clearright|-
:: br|crlf|break|wbr|shy|zwj|zwnj|zwsp|lrm|rlm|end|col-begin|col-end|dn|bare url|bare url inline|subscription
:: subscription required|registration|main|main article|see also|further|further information|details|about
:: for|other uses|redirect|distinguish|hatnote|seealso|reflist|refbegin|refend|notelist|references|toc
:: toc limit|toc right|toc left|short description|italic title|displaytitle|flagicon|flagdeco|fbicon
:: flag icon|country flag|increase|decrease|steady|profit|loss|gain|color box|legend|legend inline
:: nowrap begin|nowrap end|nobr begin|nobr end|portal|portal bar|commons|commons category|authority control
:: wide image|bots|nobots|good article|featured article|engvarb|engvar|refdef|inline|cref|cref2|fnb|fn|ent
:: hidden ref|citation style|update section|coord missing|multiple image|multiple images|image frame
:: image label|annotated image|subject bar|sister project links|sep entry|lsj|iep|chessgames link
:: request quotation|quote without source|no footnotes
"""

#: Families of templates by the beginning of their names, and what they show; and families that show nothing.
_FAMILIES = {"lang-": "{1}", "ipa-": "~[{1}]", "ipac-": "~", "script/": "{1}", "coor ": "~"}
_SILENT_PREFIXES = (
    "cite ", "citation", "infobox", "use ", "sfn", "harv", "navbox", "taxobox", "automatic taxobox", "pp-",
    "speciesbox", "wikt", "commons", "quote box", "sidebar", "defaultsort", "displaytitle", "succession",
    "s-", "div col",
)  # fmt: skip
_SILENT_SUFFIXES = (
    " needed", "inline", " icon", "-icon", " source?", "-stub", "?", "-fn", " sidebar", " navbox", " footer",
    " evidence",
)  # fmt: skip

_NESTED, _LONGEST = 20, 20_000
_BRACES = re.compile(r"\{\{|\}\}")
_PIPE = re.compile(r"\|(?![^\[\]]{0,500}\]\])")
_SPACE = re.compile(r"[\s_]+")


def rendered(text: str) -> str:
    """Return a text with every template replaced by what it shows, with marks.

    Braces without their other half become holes.
    """
    open_: list[list[str]] = [[]]
    done = 0
    for mark in _BRACES.finditer(text):
        open_[-1].append(text[done : mark.start()])
        done = mark.end()
        if mark.group() == "{{":
            open_.append([])
        elif len(open_) > 1:
            pieces = open_.pop()
            shown = _shown("".join(pieces)) if len(open_) <= _NESTED else HOLE
            before = open_[-1][-1][-1:]
            # "1{{frac|1|2}}" is one and a half.
            open_[-1].append(f" {shown}" if before.isdigit() and shown[:1].isdigit() else shown)
        else:
            open_[-1].append(HOLE)
    open_[-1].append(text[done:])
    return HOLE.join("".join(pieces) for pieces in open_)


def _shown(content: str) -> str:
    """Return what a template shows, given what is between its braces, where templates are rendered."""
    if len(content) > _LONGEST:
        return NOTHING
    head, *pieces = _PIPE.split(content) if "[[" in content else content.split("|")
    name = _SPACE.sub(" ", head).strip(f" {MARKS}").lower().removeprefix("template:").removeprefix("subst:")
    if name.startswith("formatnum:"):
        return number(head.partition(":")[2].strip())
    arguments = Arguments.of(pieces)
    if compute := COMPUTED.get(name):
        return compute(arguments)
    if name == "currency":
        return _price(arguments)
    if name in SHIPS:
        return ship(head.strip(), arguments)
    alternatives = _known(name)
    if alternatives is None:
        return NOTHING if "\n" in content else HOLE
    return next(_filled(alternatives, arguments), HOLE)


def _known(name: str) -> list[str] | None:
    """Return the alternatives of a template, or None if it is in no line of the table and no family."""
    if name in _PATTERNS:
        return _PATTERNS[name]
    if name.startswith(_SILENT_PREFIXES) or name.endswith(_SILENT_SUFFIXES):
        return [""]
    return next(([shown] for prefix, shown in _FAMILIES.items() if name.startswith(prefix)), None)


_ROUND = re.compile(r"[()]")
_KEY = re.compile(r"\{([^{}]+)\}")


def _filled(alternatives: list[str], arguments: Arguments) -> Iterator[str]:
    """Yield each alternative whose arguments are there, filled in."""
    for pattern in alternatives:
        keys = _KEY.findall(pattern)
        if not all(map(arguments.get, keys)):
            continue
        text = _KEY.sub(lambda key: arguments.get(key[1]), pattern)
        if pattern.startswith("~"):
            yield ASIDE + _ROUND.sub("", text[1:]) + ASIDE_END
        elif pattern.startswith("¶"):
            yield f"\n\n{text[1:]}\n\n"
        else:
            yield text or NOTHING


def _patterns() -> dict[str, list[str]]:
    """Return the alternatives of each name in the table."""
    found: dict[str, list[str]] = {}
    for line in _TABLE.strip().split("\n"):
        shown, _, names = line.rpartition(":: ")
        alternatives = [pattern.strip().replace("␣", " ") for pattern in shown.split("‖")]
        found |= dict.fromkeys(names.split("|"), alternatives)
    return found


_PATTERNS = _patterns()


def _price(arguments: Arguments) -> str:
    amount, code = arguments.get("1,amount"), arguments.get("2,type,first").lower() or "usd"
    return next(
        _filled(_PATTERNS.get(code, [f"{code.upper()} {{1}}"]), Arguments([amount], {"1": amount})), HOLE
    )
