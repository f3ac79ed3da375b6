"""Templates of wikitext whose text is computed: values, dates, pronunciations, ships.

Belongs here: the arguments of a template, and functions of them; the marks in rendered text. Not here: which
template is which, and those that show their arguments (wikitext_templates.py); units (wikitext_units.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from silverloom.ops.parse.wikitext_units import converted, number, power
from silverloom.ops.text.holes import HOLE

#: Where something was taken out that shows nothing: a reference, a remark for editors.
NOTHING = "\ufdd0"
#: Around what may be left out of brackets without harm: a pronunciation. Empty: it cannot be rendered.
ASIDE, ASIDE_END = "\ufdd1", "\ufdd2"
#: Where a reference was taken out: the first one's mark, then the next code point. Later ones are NOTHING.
REFERENCE, LAST_REFERENCE = "\U000f0000", "\U000ffffd"
#: All of these, as the content of a class in a pattern.
MARKS = f"{NOTHING}{ASIDE}{ASIDE_END}{REFERENCE}-{LAST_REFERENCE}"

_NAMED = re.compile(r"\s*([\w -]{1,30}?)\s*=(?!=)")


class Arguments(NamedTuple):
    """The arguments of a template: those without a name by their numbers, and those with one."""

    name: str
    """Of the template, as written."""
    plain: list[str]
    named: Mapping[str, str]

    def get(self, names: str) -> str:
        """Return the first argument that is there of "text,1"; -1 is the last, * all together; or ""."""
        for name in names.split(","):
            if name == "*":
                value = "".join(self.plain)
            elif name == "-1":
                value = self.plain[-1] if self.plain else ""
            else:
                value = self.named.get(name, "")
            if value:
                return value
        return ""

    @classmethod
    def of(cls, template: str, pieces: list[str]) -> Arguments:
        """Return the arguments in the pieces between the pipes of a template."""
        plain: list[str] = []
        named: dict[str, str] = {}
        for piece in pieces:
            name = _NAMED.match(piece)
            if name is None or name[1].isdigit():
                plain.append(piece[name.end() if name else 0 :].strip())
                named[name[1] if name else str(len(plain))] = plain[-1]
            else:
                named[name[1].lower()] = piece[name.end() :].strip()
        return cls(template, plain, named)


_EXPONENT = re.compile(r"[-+−]?\d{1,6}")


def raised(text: str) -> str:
    """Return what is raised: a number as an exponent, words as they are."""
    return power(text) if _EXPONENT.fullmatch(text) else text


def _conversion(arguments: Arguments) -> str:
    """Return what is given to a conversion; the template {{cvt}} has abbr=on."""
    short = {"abbr": "on"} if arguments.name.lower() == "cvt" else {}
    return converted(arguments.plain, {**short, **arguments.named}) or HOLE


_CLOCK = re.compile(r"\d{1,2}:\d\d")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip


def _dated(arguments: Arguments, day_first: bool = False) -> str:
    """Return the date in the arguments year, month and day; a date in words as it is."""
    year, month, day = (arguments.get(names) for names in ("1,year", "2,month", "3,day"))
    if not year.isdigit():
        return year or HOLE
    if month.isdigit() and 1 <= int(month) <= 12:
        month = _MONTHS[int(month) - 1]
    month = month[:1].upper() + month[1:]
    if not month or not day:
        return f"{month} {year}".strip()
    day, clock = day.lstrip("0"), ":".join(filter(None, (arguments.get("4"), arguments.get("5"))))
    clock = f"{clock}, " if _CLOCK.fullmatch(clock) else ""
    day_first = arguments.get("df").lower() in ("y", "yes", "1", "true") or (
        day_first and arguments.get("df").lower() not in ("us", "mdy", "n", "no")
    )
    return clock + (f"{day} {month} {year}" if day_first else f"{month} {day}, {year}")


def _as_of(arguments: Arguments) -> str:
    """Return "As of" and a date, or the words given in their place."""
    if shown := arguments.get("alt"):
        return shown
    date = _dated(arguments, day_first=True)
    words = " ".join(
        filter(None, ("since" if arguments.get("since") else "as of", arguments.get("pre"), date))
    )
    return words if arguments.get("lc") else words[0].upper() + words[1:]


def _measured(arguments: Arguments) -> str:
    """Return a value with its uncertainty, power of ten and unit."""
    value, error, exponent = arguments.get("1"), arguments.get("2"), arguments.get("e")
    text = arguments.get("p,prefix") + (number(value) if value else "")
    if arguments.get("3"):  # two different uncertainties, above each other
        return HOLE
    text += f" ± {error}" if error else ""
    text += f" × 10{power(exponent)}" if exponent and value else f"10{power(exponent)}" if exponent else ""
    return f"{text} {arguments.get('u,ul')}".strip() + arguments.get("s,suffix") or HOLE


def _interlanguage(arguments: Arguments) -> str:
    """Return the words of a link to another Wikipedia, whose code comes first or second."""
    first, second = arguments.get("1"), arguments.get("2")
    return arguments.get("lt") or (second if re.fullmatch("[a-z]{2,3}", first) and second else first) or HOLE


def _ship(arguments: Arguments) -> str:
    """Return a ship: prefix, name and number; a number tells by its bits which of them are shown."""
    if arguments.name.lower() == "ship":
        arguments = Arguments.of(arguments.get("1"), arguments.plain[1:])
    bits = int(arguments.get("3")) if re.fullmatch("[1-7]", arguments.get("3")) else 7
    prefix = arguments.name if bits & 4 else ""
    name = arguments.get("1") if bits & 2 else ""
    ident = arguments.get("2") if bits & 1 else ""
    return " ".join(filter(None, (prefix, name, f"({ident})" if ident and name else ident))) or HOLE


def _ship_class(arguments: Arguments) -> str:
    """Return a class of ships and what they are; format 4 is the name alone, others leave a hole."""
    name, kind, form = (arguments.get(key) for key in ("1", "2", "3"))
    if not name or form not in ("", "4"):
        return HOLE
    return name if form else f"{name}-class {kind}" if kind else f"{name} class"


def _harvard(arguments: Arguments) -> str:
    """Return authors and year as Harvard citations show them; the last argument without a name is the year.

    In {{harvs}} they have names; of several authors or years there it leaves a hole.
    """
    template, plain = arguments.name.lower(), [argument for argument in arguments.plain if argument]
    textual = template in ("harvtxt", "citet", "harvcoltxt", "harvp")
    bare = template in ("harvnb", "harvcolnb")
    if template == "harvs":
        last, year = arguments.get("last,last1,author"), arguments.get("year,year1")
        textual, bare = bool(arguments.get("txt")), bool(arguments.get("nb"))
        if plain or not last or arguments.get("last2,author2,year2"):
            return HOLE
        plain = [f"{arguments.get('first,first1')} {last}".strip() if textual else last, year]
    if not 2 <= len(plain) <= 5 or not _YEAR.fullmatch(plain[-1]):
        return HOLE
    *names, year = plain
    if len(names) > 3:
        authors = f"{names[0]} et al."
    else:
        authors = " & ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    if textual:
        return f"{authors} ({year})"
    return f"{authors} {year}" if bare else f"({authors} {year})"


def _verse(arguments: Arguments) -> str:
    """Return a book of the Bible with its number, chapter and verse; the version behind them is not shown."""
    book, *places = list(filter(None, arguments.plain)) or [HOLE]
    if places and _BOOK_NUMBER.fullmatch(book):
        book = f"{book} {places.pop(0)}"
    is_split = len(places) > 1 and places[0].isdigit() and places[1][:1].isdigit()
    return " ".join([book, ":".join(places[: 2 if is_split else 1])]).strip()


def _country(arguments: Arguments) -> str:
    """Return the name of a country; a code, in place of which the page shows the name, leaves a hole."""
    name = arguments.get("label,name,1")
    return HOLE if _CODE.fullmatch(name) else name or HOLE


def _substance(arguments: Arguments) -> str:
    """Return a chemical formula; a charge at its end is raised."""
    *parts, last = arguments.plain or [""]
    return "".join(parts) + (power(last) if parts and _CHARGE.fullmatch(last) else last) or HOLE


def _pronounced(arguments: Arguments) -> str:
    """Return an aside with the sounds in the arguments; an empty one where a word is among them."""
    sounds = "".join(arguments.plain).replace("_", " ")
    is_plain = sounds and not any(_WORD.fullmatch(argument) for argument in arguments.plain)
    return f"{ASIDE}{f'/{sounds}/' if is_plain else ''}{ASIDE_END}"


def _coordinates(arguments: Arguments) -> str:
    """Return an aside, as coordinates cannot be rendered; nothing where they are not in the text."""
    return NOTHING if arguments.get("display").startswith("t") else ASIDE + ASIDE_END


_YEAR = re.compile(r"[^|]*\d{4}[^|]*|n\.d\.|forthcoming|in press")
_BOOK_NUMBER, _CODE = re.compile("[1-4]|I{1,3}"), re.compile("[A-Z]{2,3}")
_CHARGE = re.compile(r"\d*[-+−]")
_WORD = re.compile("[A-Z]{2,}|[a-z]{3,}")
#: Functions of arguments, as the table of templates names them.
COMPUTED: dict[str, Callable[[Arguments], str]] = {
    "as_of": _as_of,
    "country": _country,
    "converted": _conversion,
    "coordinates": _coordinates,
    "dated": _dated,
    "exponent": lambda arguments: f"×10{power(arguments.get('1'))}",
    "harvard": _harvard,
    "interlanguage": _interlanguage,
    "measured": _measured,
    "pronounced": _pronounced,
    "raised_to": lambda arguments: raised(arguments.get("1")),
    "ship": _ship,
    "ship_class": _ship_class,
    "substance": _substance,
    "verse": _verse,
}
