"""What a model is to write of an article: lead, sections, outline or all of it, normalised and natural.

Belongs here: the texts of targets, and the beginning of a natural text that corresponds to a normalised one.
Not here: which sentences they have (ranked.py), sub-words (tokenizer.py), sources (examples.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, takewhile
from typing import Literal, NamedTuple

from silverloom.ops.core.outcome import Row

#: Between two paragraphs of a natural text.
PARAGRAPH_END = "\n\n"


TargetKind = Literal["lead", "article", "section", "outline"]


class Target(NamedTuple):
    """A text to be written."""

    text: str
    """Normalised."""
    natural: str
    """As in the article."""
    sentences: list[Row]
    """With their places in the natural text."""
    section: int = 0
    """0 for the lead and what is no section, then an index from 1 into the sections."""
    heading: str = ""
    """Of the section, as in the article."""


def targets_of(unit: Row, kind: TargetKind) -> list[Target]:
    """Return the targets of an article: one for each section behind the lead, else one.

    An outline has the headings of the sections that have text. An article without them has neither.
    """
    if kind == "section":
        return [
            Target(
                section["text"],
                section["natural"],
                [*_sentences_of(unit, number)],
                number,
                section["natural_title"],
            )
            for number, section in enumerate(unit["sections"], start=1)
        ]
    if kind == "outline":
        headings = [(section["title"], section["natural_title"]) for section in unit["sections"]]
        text = " ".join(f"== {title} ==" for title, _ in headings)
        return [Target(text, "\n".join(f"== {title} ==" for _, title in headings), [])] if headings else []
    return [target_of(unit, kind)]


def target_of(unit: Row, kind: Literal["lead", "article"]) -> Target:
    """Return the lead of an article, or all of it with its headings marked.

    As in the released code, a heading is " == heading == "; in the natural text it is a paragraph of its own.
    An article without a lead has no target of either kind: "".
    """
    natural, starts = unit["natural_lead"], [0]
    if kind == "lead" or not unit["lead"]:
        return Target(unit["lead"], natural, [*_sentences_of(unit, 0)])
    pieces, length = [natural], len(natural)
    for section in unit["sections"]:
        heading = f"{PARAGRAPH_END}== {section['natural_title']} =={PARAGRAPH_END}"
        starts.append(length + len(heading))
        pieces += [heading, section["natural"]]
        length = starts[-1] + len(section["natural"])
    sentences: list[Row] = []
    for sentence in unit["sentences"] or ():
        start = starts[sentence["section"]]
        places = {name: start + sentence[name] for name in ("start", "end")}
        sentences.append({**sentence, **places, "marks": [start + mark for mark in sentence["marks"]]})
    return Target("".join([unit["lead"], *section_texts(unit)]), "".join(pieces), sentences)


def _sentences_of(unit: Row, section: int) -> Iterator[Row]:
    return (sentence for sentence in unit["sentences"] or () if sentence["section"] == section)


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
