"""What a model is to write of an article: its lead or all of it, normalised and as in the article.

Belongs here: the texts of targets, and the beginning of a natural text that corresponds to a normalised one.
Not here: which sentences they have (ranked.py), sub-words (tokenizer.py), sources (examples.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, takewhile
from typing import NamedTuple

from ops.core.outcome import Row

#: Between two paragraphs of a natural text.
PARAGRAPH_END = "\n\n"


class Target(NamedTuple):
    """A text to be written."""

    text: str
    """Normalised."""
    natural: str
    """As in the article."""
    sentences: list[Row]
    """With their places in the natural text."""


def target_of(unit: Row, kind: str) -> Target:
    """Return the target of an article: its lead, or all of it with its headings marked.

    As in the released code, a heading is " == heading == "; in the natural text it is a paragraph of its own.
    An article without a lead has no target of either kind: "".
    """
    natural, starts = unit["natural_lead"], [0]
    if kind == "lead" or not unit["lead"]:
        return Target(unit["lead"], natural, [*_placed(unit, starts)])
    pieces, length = [natural], len(natural)
    for section in unit["sections"]:
        heading = f"{PARAGRAPH_END}== {section['natural_title']} =={PARAGRAPH_END}"
        starts.append(length + len(heading))
        pieces += [heading, section["natural"]]
        length = starts[-1] + len(section["natural"])
    return Target("".join([unit["lead"], *section_texts(unit)]), "".join(pieces), [*_placed(unit, starts)])


def _placed(unit: Row, starts: Sequence[int]) -> Iterator[Row]:
    """Yield the sentences of sections whose natural texts start at these characters of a target."""
    for sentence in unit["sentences"] or ():
        if sentence["section"] < len(starts):
            start = starts[sentence["section"]]
            places = {name: start + sentence[name] for name in ("start", "end")}
            yield {**sentence, **places, "marks": [start + mark for mark in sentence["marks"]]}


def section_texts(unit: Row) -> list[str]:
    """Return the normalised text of each section behind the lead, its heading marked."""
    return [f" == {section['title']} == {section['text']}" for section in unit["sections"]]


def beginning(natural: str, prefix: str) -> str:
    """Return the beginning of a natural text without its invisible characters that is `prefix` normalised.

    Both texts have the same characters apart from case and white space. If the prefix ends within a
    character of the natural text, or in what is none of it, that character is left out.
    """
    wanted = sum(map(len, prefix.rstrip("\ufffd").split()))
    sizes = accumulate(0 if sign.isspace() else len(sign.lower()) for sign in natural)
    return natural[: sum(1 for _ in takewhile(wanted.__ge__, sizes))].rstrip()
