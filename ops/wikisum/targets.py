"""What a model is to write of an article: its lead or all of it, normalised and as in the article.

Belongs here: the texts of targets, and the beginning of a natural text that corresponds to a normalised one.
Not here: which sentences they have (ranked.py), sub-words (tokenizer.py), sources (examples.py).
"""

from __future__ import annotations

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


def target_of(unit: Row, kind: str) -> Target:
    """Return the target of an article: its lead, or all of it with its headings marked.

    As in the released code, a heading is " == heading == "; in the natural text it is a paragraph of its own.
    An article without a lead has no target of either kind: "".
    """
    lead = Target(unit["lead"], unit["natural_lead"])
    if kind == "lead" or not lead.text:
        return lead
    natural = [lead.natural]
    for section in unit["sections"]:
        natural += [f"== {section['natural_title']} ==", section["natural"]]
    return Target("".join([lead.text, *section_texts(unit)]), PARAGRAPH_END.join(natural))


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
