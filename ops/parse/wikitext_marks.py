"""Closing the places of a paragraph of wikitext where templates, references and files stood.

Belongs here: brackets and white space around the marks of wikitext_values.py, and which holes are none.
Not here: setting the marks.
"""

from __future__ import annotations

import re

from ops.parse.wikitext_values import ASIDE, ASIDE_END, MARKS, NOTHING
from ops.text.holes import HOLE, closed
from ops.text.words import fold

_ASIDE = re.compile(f"{ASIDE}([^{ASIDE}{ASIDE_END}]*){ASIDE_END}")
_MARKED = re.compile(f"[{MARKS}{HOLE}]")
_BRACKETS = re.compile(r"\(([^()]{0,1000})\)")
_SEPARATOR = re.compile(r"([,;])")
#: A remark is attached to the end of a sentence or clause; what is part of it stands before its punctuation.
_REMARK = re.compile(rf"(?<=[.,;:!?\"”)]){HOLE}+(?=[\s{MARKS}]|\Z)")
#: Behind the last sentence of a paragraph.
_BEHIND = re.compile(rf"([.!?][\"'\u2019\u201d)]{{0,3}})[\s{MARKS}{HOLE}]+\Z")
#: A template above the first sentence, without a space.
_ABOVE = re.compile(rf"\A[{MARKS}]*{HOLE}[{MARKS}{HOLE}]*(?=[A-Z\"'])")
#: Words that are left where a pronunciation was, and say nothing without it.
_IDLE = re.compile(r"\b(?:or|and|also|locally|both|sometimes|in|english|as|pron\w*|ipa)\b", re.IGNORECASE)
#: A reference between two sentences that nothing else parts: "... the rest.<ref>...</ref>Mills are ...".
_GLUED = re.compile(rf"(?<=[a-z){MARKS}][.!?])[{MARKS}]+(?=[A-Z])")
_EDGES = f" {MARKS}{HOLE}"


def finished(paragraph: str) -> str:
    """Return a paragraph without marks; signs of holes stay (ops/text/holes.py)."""
    if not _MARKED.search(paragraph):
        return paragraph
    text = _REMARK.sub(NOTHING, _BEHIND.sub(r"\1", _ABOVE.sub("", paragraph)))
    for _ in range(2):  # brackets within brackets
        text = _BRACKETS.sub(_bracket, text)
    text = _ASIDE.sub(lambda aside: aside[1] or HOLE, text)
    return fold(closed(_GLUED.sub(" ", text), f"[{MARKS}]")[0])


def has_word(text: str) -> bool:
    """Say whether a text has a letter or a digit."""
    return any(sign.isalnum() for sign in text)


def _bracket(match: re.Match[str]) -> str:
    """Return brackets without the parts that only marks are in; nothing where no part is left."""
    if not _MARKED.search(match[1]):
        return match[0]
    parts = _SEPARATOR.split(match[1])
    shown, separator, holes = "", "", ""
    for place in range(0, len(parts), 2):
        part = parts[place]
        without = _ASIDE.sub("", part)
        if has_word(_IDLE.sub("", without) if without != part else part):
            part = _ASIDE.sub(NOTHING, part.replace(ASIDE + ASIDE_END, HOLE) if _needs_aside(part) else part)
        else:
            holes += HOLE * part.count(HOLE)
            continue
        label = part.rstrip(_EDGES).endswith(":")
        following = "".join(parts[place + 2 : place + 3])
        if label and (":" in following or not has_word(following)):
            continue
        shown += separator + part
        separator = " " if label else "".join(parts[place + 1 : place + 2])
    return f"({shown.strip(f' /–—{MARKS}')}){holes}" if shown else f"{NOTHING}{holes}"


def _needs_aside(part: str) -> bool:
    """Say whether words stand before an aside that cannot be rendered, as in "at {{coord}}"."""
    return not part.rstrip(_EDGES).endswith(":") and (ASIDE + ASIDE_END) in part
