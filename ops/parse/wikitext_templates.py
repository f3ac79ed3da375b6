"""Templates of wikitext as text: what the page shows in their place.

Belongs here: rendering templates from the inside out, in linear time; what each known one shows. Not here:
functions of arguments (wikitext_values.py), the rest of wikitext (wikitext.py).

What templates mean is told on their pages of the English Wikipedia; the table is wikitext_templates.txt. A
template that is unknown leaves a HOLE, as does the citation of a work; a box on lines of its own does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from silverloom.ops.parse.wikitext_citations import WORK, is_object
from silverloom.ops.parse.wikitext_units import number
from silverloom.ops.parse.wikitext_values import ASIDE, ASIDE_END, COMPUTED, MARKS, NOTHING, Arguments
from silverloom.ops.text.holes import HOLE

_LINES = Path(__file__).with_name("wikitext_templates.txt").read_text(encoding="utf-8").splitlines()

_NESTED, _LONGEST = 20, 20_000
_BRACES = re.compile(r"\{\{|\}\}")
_PIPE = re.compile(r"\|(?![^\[\]]{0,500}\]\])")
_SPACE = re.compile(r"[\s_]+")
_MARK = re.compile(f"[{MARKS}]")
#: Stands for what an unknown template shows. No text has it: comments are removed before templates.
_UNKNOWN = "<!---->"
_ABOVE = re.compile(rf"(?:\A|\n|\}}\}}|>)[\s{MARKS}]*\Z")
_STOP = re.compile(rf"[{MARKS}]*(?:[.,;)]|[ \t]*(?:\{{\{{|\n|\Z))")
_CONTINUED = re.compile(rf"[ \t{MARKS}'\[]*[a-z,;]")


def rendered(text: str) -> str:
    """Return a text with every template replaced by what it shows, with marks.

    Braces without their other half become holes.
    """
    open_: list[list[str]] = [[]]
    starts: list[int] = []
    done = 0
    for mark in _BRACES.finditer(text):
        open_[-1].append(text[done : mark.start()])
        done = mark.end()
        if mark.group() == "{{":
            open_.append([])
            starts.append(mark.start())
        elif len(open_) > 1:
            pieces = open_.pop()
            start = starts.pop()
            shown = _shown("".join(pieces)) if len(open_) <= _NESTED else HOLE
            if shown == _UNKNOWN:
                is_box = "\n" in text[start:done] and _is_apart(text, start, done)
                shown = NOTHING if is_box or _is_mark(text, start, done) else HOLE
            before = open_[-1][-1][-1:]
            # "1{{frac|1|2}}" is one and a half.
            open_[-1].append(f" {shown}" if before.isdigit() and shown[:1].isdigit() else shown)
        else:
            open_[-1].append(HOLE)
    open_[-1].append(text[done:])
    return HOLE.join("".join(pieces) for pieces in open_)


def _is_apart(text: str, start: int, end: int) -> bool:
    """Say whether a template begins a line, perhaps behind others, and no sentence goes on behind it."""
    return _ABOVE.search(text[max(0, start - 50) : start]) is not None and not _CONTINUED.match(text, end)


def _is_mark(text: str, start: int, end: int) -> bool:
    """Say whether a citation is a mark of a source: it sticks to a word, or is between a word and a stop."""
    before = text[max(0, start - 5) : start].rstrip(" \t")[-1:]
    if not WORK.match(text, start) or before in ("", "\n"):
        return False
    sticks = before == "(" or text[start - 1].isalnum()
    return sticks or (not is_object(text, start) and _STOP.match(text, end) is not None)


def _shown(content: str) -> str:
    """Return what a template shows, given what is between its braces, where templates are rendered.

    For a template that is unknown or too long this is _UNKNOWN.
    """
    if len(content) > _LONGEST:
        return _UNKNOWN
    head, *pieces = _PIPE.split(content) if "[[" in content else content.split("|")
    name = _SPACE.sub(" ", _MARK.sub("", head)).strip().lower()
    name = name.removeprefix("template:").removeprefix("subst:")
    if name.startswith("formatnum:"):
        return number(head.partition(":")[2].strip()) or HOLE
    arguments = Arguments.of(head.strip(), pieces)
    alternatives = _known(name)
    if alternatives is None:
        return _UNKNOWN
    if alternatives[0].startswith("@"):
        function = alternatives[0][1:]
        return _price(arguments) if function == "price" else COMPUTED[function](arguments)
    return next(_filled(alternatives, arguments), HOLE)


_ROUND = re.compile(r"[()]")
_KEY = re.compile(r"\{([^{}]+)\}")


def _filled(alternatives: list[str], arguments: Arguments) -> Iterator[str]:
    """Yield each alternative whose arguments are there, filled in; HOLE if it lacks others."""
    for pattern in alternatives:
        keys = _KEY.findall(pattern)
        if not all(map(arguments.get, keys)):
            continue
        text = _KEY.sub(lambda key: arguments.get(key[1]), pattern).replace("{}", "")
        if pattern.startswith("~"):
            yield ASIDE + _ROUND.sub("", text[1:]) + ASIDE_END
        elif pattern.startswith("¶"):
            yield f"\n\n{text[1:]}\n\n"
        elif keys and "{}" not in pattern and _is_left_out(arguments, keys):
            yield HOLE
        else:
            yield text or NOTHING


def _is_left_out(arguments: Arguments, keys: list[str]) -> bool:
    """Say whether an argument without a name is none of those that the keys show."""
    shown = {name for key in keys for name in key.split(",")}
    given = {name for name, value in arguments.named.items() if name.isdigit() and value}
    return shown.isdisjoint(("*", "-1")) and not given <= shown


def template_table() -> Iterator[tuple[str, list[str]]]:
    """Yield each name in the table with its alternatives."""
    for line in _LINES:
        if not line.startswith("#"):
            shown, _, names = line.rpartition(":: ")
            alternatives = [pattern.strip().replace("␣", " ") for pattern in shown.split("‖")]
            yield from ((name, alternatives) for name in names.split("|"))


_PATTERNS = dict(template_table())
_PREFIXES = tuple(name[:-1] for name in _PATTERNS if name.endswith("*"))
_SUFFIXES = tuple(name[1:] for name in _PATTERNS if name.startswith("*"))


def _known(name: str) -> list[str] | None:
    """Return the alternatives of a template, or None if neither it nor a family of it is in the table."""
    if name in _PATTERNS:
        return _PATTERNS[name]
    if name.startswith(_PREFIXES):
        return _PATTERNS[next(prefix for prefix in _PREFIXES if name.startswith(prefix)) + "*"]
    return [""] if name.endswith(_SUFFIXES) else None


def _price(arguments: Arguments) -> str:
    """Return an amount with the sign of its currency, which is a template of its own, or its code."""
    amount, code = arguments.get("1,amount"), arguments.get("2,type,first").lower() or "usd"
    alternatives = _PATTERNS.get(f"{code}$") or _PATTERNS.get(code, [f"{code.upper()} {{1}}"])
    return next(_filled(alternatives, Arguments("", [amount], {"1": amount})), HOLE)
