"""Small papers as PDF whose text tests know, and reading them back.

Belongs here: sentences, sections, and what a test asks of a paper. Not here: the printer
(tests/papers_as_pdf.py).
"""

from __future__ import annotations

from silverloom.ops.parse.papers import FORMATS
from silverloom.ops.parse.source import Raw
from tests.papers_as_pdf import Printer

NOUNS = ["labels", "corpora", "annotators", "archives", "baselines", "treebanks", "measurements"]


def prose(topic, count):
    """Sentences that differ."""
    return [
        f"We measured {topic} number {index} with {NOUNS[index % 7]} in detail." for index in range(count)
    ]


def read(printer):
    return FORMATS["pdf"].form.parse(Raw("p.pdf", "p", printer.content()))


def titles(paper):
    return [section.title for section in paper.sections if section.title]


def texts(paper, role):
    return [sentence.text for sentence in paper.sentences if paper.sections[sentence.section].role == role]


def begun(title="Learning from Noise in Archives"):
    printer = Printer(1, "")
    printer.title(title)
    return printer


def heading(printer, text, font="B", size=12.0, above=10.0, left=0.0):
    printer.y -= above
    printer.line(text, left, font, size)
    printer.y -= 4


def section(printer, text, topic, **how):
    heading(printer, text, **how)
    printer.paragraph(" ".join(prose(topic, 8)))
