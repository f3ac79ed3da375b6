"""Quantities of wikitext: numbers, powers, and what {{convert}} shows.

Belongs here: numbers and units as a page shows them. Not here: other templates (wikitext_values.py).

What the arguments mean is told by Help:Convert of the English Wikipedia. A unit has its symbol, even where
the page has its name ("10 km" for "10 kilometres (6.2 mi)"), but its name in adjectives ("10-kilometre") and
where the template asks for it. What a quantity is converted to is not shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_WHOLE = re.compile(r"([-+−]?)(\d{4,30})(\.\d+)?")
_POWERS = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")


def number(text: str) -> str:
    """Return a number with commas between its thousands; other text as it is."""
    match = _WHOLE.fullmatch(text)
    return f"{match[1]}{int(match[2]):,}{match[3] or ''}" if match else text


def power(text: str) -> str:
    """Return digits as an exponent."""
    return text.translate(_POWERS)


_VALUE = re.compile(r"[-+−]?(?:\d[\d,. ]*|\.\d+)(?:e[-+]?\d+)?(?:[+⁄/]\d+(?:/+\d+)?)?")
_ONE = re.compile(r"[-−]?(?:1(?:\.0+)?|\d+[⁄/]+\d+)")
_RANGES = {
    "to": " to ", "to(-)": " to ", "to about": " to about ", "and": " and ", "and(-)": " and ", "or": " or ",
    "-": "–", "–": "–", "by": " by ", "x": " × ", "×": " × ", "*": " × ", "xx": " × ", "by(x)": " by ",
    "+/-": " ± ", "±": " ± ", ",": ", ", ", and": ", and ", ", or": ", or ", "to(hy)": " to ",
}  # fmt: skip
#: A range in one argument: "1 to 2", "12x14x1".
_RANGE = re.compile(r"(?<=\d)\s*(to|and|or|by|[-–x×])\s*(?=[\d.])")
_DIGITS = re.compile(r"-?\d{1,2}")
#: The given quantity is not shown.
_NOT_SHOWN = ("out", "output only", "output number only", "number", "unit", "unit2")

#: Codes of units: symbol and name, or either.
_UNITS = {
    "C": "°C:", "F": "°F:", "°C": "°C:", "°F": "°F:", "K": "K:", "in": "in:inch", "ft": "ft:foot",
    "yd": "yd:yard", "mi": "mi:mile", "nmi": "nmi:nautical mile", "ch": "ch:chain", "ly": "ly:light-year",
    "AU": "AU:astronomical unit", "pc": "pc:parsec", "ha": "ha:hectare", "lb": "lb:pound", "oz": "oz:ounce",
    "st": "st:stone", "t": "t:tonne", "MT": "t:tonne", "LT": ":long ton", "ST": ":short ton",
    "gal": "gal:gallon", "USgal": "US gal:US gallon", "impgal": "imp gal:imperial gallon",
    "oilbbl": "bbl:barrel", "bbl": "bbl:barrel", "cc": "cc:", "CC": "cc:", "kn": "kn:knot",
    "mph": "mph:mile per hour", "hp": "hp:horsepower", "bhp": "bhp:brake horsepower", "psi": "psi:",
    "bar": "bar:", "atm": "atm:", "ftlb": "ft⋅lb:", "lbf": "lbf:", "rpm": "rpm:", "s": "s:second",
    "min": "min:minute", "h": "h:hour", "d": "d:day", "PD": ":inhabitant", "acre": ":acre", "feet": ":foot",
    "inches": ":inch",
}  # fmt: skip
_PREFIXES = {
    "": "", "n": "nano", "μ": "micro", "m": "milli", "c": "centi", "d": "deci", "h": "hecto", "k": "kilo",
    "M": "mega", "G": "giga", "T": "tera",
}  # fmt: skip
_METRIC = {
    "m": "metre", "g": "gram", "L": "litre", "l": "litre", "W": "watt", "J": "joule", "N": "newton",
    "V": "volt", "Pa": "pascal", "Hz": "hertz", "A": "ampere", "eV": "electronvolt", "Wh": "watt-hour",
    "cal": "calorie", "bit": "bit", "B": "byte",
}  # fmt: skip
_METRIC_CODE = re.compile(rf"([{''.join(_PREFIXES)}]?)({'|'.join(_METRIC)})([23]?)")
_POWERED = re.compile(r"(?:(sq|cu)(in|ft|yd|mi|nmi)|(in|ft|yd|mi|nmi)([23]))")
_DIMENSIONS = {"sq": "square", "cu": "cubic", "2": "square", "3": "cubic"}
#: Codes that are names of units.
_NAMED = re.compile(
    rf"((?:{'|'.join(filter(None, _PREFIXES.values()))})?(?:{'|'.join(_METRIC.values())}|meter|liter|tonne)|"
    "acre|barrel|bushel|carat|chain|cubit|day|decade|drachm|dunam|fathom|foot|furlong|gallon|grain|hand|"
    "hectare|horsepower|hour|inch|kelvin|knot|league|micron|mile|minute|month|ounce|parsec|peck|perch|pint|pole|"
    "pound|quart|rod|second|slug|stone|ton|verst|week|yard|year)(?:s|(?<=h)es)?"
)
_PLURALS = {
    "foot": "feet", "inch": "inches", "perch": "perches", "stone": "stone", "horsepower": "horsepower",
    "hertz": "hertz",
}  # fmt: skip
#: "e6km", "koilbbl".
_SCALE = re.compile(r"(e(?:3|6|9|12)|[kMGT](?=oilbbl|USgal|impgal|cuft))(?=[A-Za-z])")
_SCALES = {"e3": "thousand", "e6": "million", "e9": "billion", "e12": "trillion"} | {
    "k": "thousand", "M": "million", "G": "billion", "T": "trillion"
}  # fmt: skip
#: Second units of one quantity: "5 ft 8 in".
_SECOND = {
    "ft": "in", "foot": "in", "yd": "ft", "mi": "ft yd ch furlong", "lb": "oz", "st": "lb", "h": "min",
}  # fmt: skip


class _Unit(NamedTuple):
    """How a unit is written; "" for a symbol or a name that it has not."""

    symbol: str
    name: str


class _Quantity(NamedTuple):
    """A value, or values with what is between them, and the code of their unit."""

    values: list[str]
    joints: list[str]
    code: str


def converted(arguments: Sequence[str], options: Mapping[str, str]) -> str:
    """Return the given quantities of a conversion with their units; "" if they cannot be rendered."""
    quantities, rest = _given(arguments)
    adjective = "on" if options.get("sing") == "on" else options.get("adj")
    display, form = options.get("disp"), options.get("abbr")
    word = _word(rest) if adjective in ("mid", "pre") or display == "preunit" else " "
    if not quantities or display in _NOT_SHOWN or not word:
        return ""
    word = f" {word}" if word[0].isalnum() else word.rstrip()
    before, behind = ("", word) if adjective == "mid" else (word, "")
    is_adjective = adjective in ("on", "mid") and form not in ("on", "in")
    shown = []
    for values, joints, code in quantities:
        is_one = is_adjective or (len(values) == 1 and _ONE.fullmatch(values[0]) and not _SCALE.match(code))
        unit = _written(code, is_adjective or form == "off", bool(is_one), options.get("sp") == "us")
        if not unit:
            return ""
        hyphen = "-" if is_adjective and unit[0].isalpha() else " "
        between = [joint.replace(" ", hyphen) if joint.strip().isalpha() else joint for joint in joints]
        amount = "".join(value + joint for value, joint in zip(values, [*between, ""], strict=True))
        shown.append(f"{amount}{before}{hyphen}{unit.replace(' ', hyphen)}")
    return ("-" if is_adjective else " ").join(shown) + behind


def _given(arguments: Sequence[str]) -> tuple[list[_Quantity], Sequence[str]]:
    """Return the quantities with which the arguments of a conversion begin, and the arguments behind them."""
    quantities: list[_Quantity] = []
    first, *others = [*arguments, ""]
    rest = [*_RANGE.split(first), *others]
    while rest and _VALUE.fullmatch(rest[0]):
        values, joints = [_value(rest[0])], []
        while len(rest) > 2 and rest[1] in _RANGES:
            joints.append(_RANGES[rest[1]])
            values.append(_value(rest[2]))
            rest = rest[2:]
        unit, rest = "".join(rest[1:2]), rest[2:]
        quantities.append(_Quantity(values, joints, unit))
        if "".join(rest[1:2]) not in _SECOND.get(unit, "").split():
            break
    return quantities, rest


def _value(text: str) -> str:
    return number(re.sub(r"(?<=\d)\+(?=\d)", " ", text).replace("//", "/"))


def _word(rest: Sequence[str]) -> str:
    """Return the word of adj=mid or adj=pre behind the unit of the output, which may be missing; or ""."""
    words = [argument for argument in rest if not _DIGITS.fullmatch(argument)]
    return words[1] if len(words) > 1 and words[1] else words[0] if words and not _unit(words[0]) else ""


def _written(code: str, named: bool, is_one: bool, american: bool) -> str:
    """Return a unit: by its name if it shall be named or has no symbol; "" if it is unknown."""
    scale = _SCALE.match(code)
    code = code[scale.end() :] if scale else code
    unit = _unit(code)
    if unit is None and (name := _NAMED.fullmatch(code)):
        unit = _Unit("", name[1])
    if unit is None:
        return ""
    text = unit.symbol
    if unit.name and (named or not text):
        text = unit.name if is_one else _plural(unit.name)
    if american:
        text = text.replace("metre", "meter").replace("litre", "liter")
    return f"{_SCALES[scale[1]]} {text}" if scale else text


def _unit(code: str) -> _Unit | None:
    """Return how the unit of a code is written, or None if it is unknown."""
    code = code.removesuffix("-change")
    if known := _UNITS.get(code):
        return _Unit(*known.split(":"))
    above, per, below = code.partition("/")
    if per and (amount := _unit(above or "PD")) and (unit := _unit(below)):
        symbol = f"{amount.symbol}/{unit.symbol}" if amount.symbol and unit.symbol else ""
        return _Unit(symbol, f"{amount.name} per {unit.name}" if amount.name and unit.name else "")
    if match := _POWERED.fullmatch(code):
        base, dimension = match[2] or match[3], _DIMENSIONS[match[1] or match[4]]
        name = _UNITS[base].partition(":")[2]
        return _Unit(f"{dimension[:2]} {base}", f"{dimension} {name}")
    if match := _METRIC_CODE.fullmatch(code):
        prefix, base, exponent = match.groups()
        name = f"{_DIMENSIONS.get(exponent, '')} {_PREFIXES[prefix]}{_METRIC[base]}".strip()
        return _Unit(f"{prefix}{base}{power(exponent)}", name)
    return None


def _plural(name: str) -> str:
    """Return the plural of the name of a unit: of "mile per hour", that of the mile."""
    name, per, below = name.partition(" per ")
    first, space, last = name.rpartition(" ")
    return f"{first}{space}{_PLURALS.get(last, last + 's')}{per}{below}"
