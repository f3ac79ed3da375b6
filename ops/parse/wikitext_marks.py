"""Closing the places of a paragraph of wikitext where templates, references and files stood.

Belongs here: brackets and white space around the marks of wikitext_values.py, which holes are none, and
which words references follow. Not here: setting the marks.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from silverloom.ops.parse.wikitext_values import ASIDE, ASIDE_END, LAST_REFERENCE, MARKS, NOTHING, REFERENCE
from silverloom.ops.text.holes import HOLE, closed
from silverloom.ops.text.words import fold

_ASIDE = re.compile(f"{ASIDE}([^{ASIDE}{ASIDE_END}]*){ASIDE_END}")
_REFERENCE = re.compile(f"[{REFERENCE}-{LAST_REFERENCE}]")
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
_LABEL = re.compile(f":[ {MARKS}{HOLE}]*\\Z")
_EDGES = re.compile(f"\\A(?:[ –—{MARKS}]|/ )+|(?:[ –—{MARKS}]| /)+\\Z")


_WORD = re.compile(r"\w+")
_WORD_OR_REFERENCE = re.compile(rf"\w+|[{REFERENCE}-{LAST_REFERENCE}]")


class ReferenceMark(NamedTuple):
    """The place of a reference in a paragraph."""

    reference: int
    words: int
    """The words of the paragraph before it."""


def marks_of(block: str, paragraph: str) -> list[ReferenceMark]:
    """Return the references of a block, placed between the words of the paragraph that it became.

    The paragraph lacks some words of the block. Each of its words is taken to be the first of the block that
    comes after the one before it, so a place may be too far on by the words of one bracket that was left out.
    """
    if not _REFERENCE.search(block):
        return []
    words = [*_WORD.findall(paragraph), ""]
    marks: list[ReferenceMark] = []
    done = 0
    for token in _WORD_OR_REFERENCE.findall(block):
        if REFERENCE <= token <= LAST_REFERENCE:
            marks.append(ReferenceMark(ord(token) - ord(REFERENCE), done))
        else:
            done += token == words[done]
    return marks


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
        label = _LABEL.search(part) is not None
        following = "".join(parts[place + 2 : place + 3])
        if label and (":" in following or not has_word(following)):
            continue
        shown += separator + part
        separator = " " if label else "".join(parts[place + 1 : place + 2])
    return f"({_EDGES.sub('', shown)}){holes}" if shown else f"{NOTHING}{holes}"


def _needs_aside(part: str) -> bool:
    """Say whether words stand before an aside that cannot be rendered, as in "at {{coord}}"."""
    return _LABEL.search(part) is None and (ASIDE + ASIDE_END) in part
