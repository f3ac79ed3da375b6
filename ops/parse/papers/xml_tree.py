"""XML of papers: parsing a tree within safe limits, and extracting running text from mixed content.

Belongs here: what TEI, JATS and ParsCit have in common. Not here: the formats; CL-SciSumm, in which sentences
are elements (acl_corpora.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from lxml import etree

from silverloom.ops.parse.papers.paper import Mark, PaperBuilder, is_rest
from silverloom.ops.parse.source import ParseError
from silverloom.ops.text.holes import HOLE
from silverloom.ops.text.sentences import Span, goes_on, is_ended
from silverloom.ops.text.words import STOP_WORDS

_PLACE = re.compile(r",? line \d+, column \d+$")
#: A sentence may go on from one of these to the next.
_CONTINUING = frozenset({"p", "s", "break"})
_BREAKS, _NOTES = frozenset({"break", "lb", "cb", "pb"}), frozenset({"fn", "note"})
#: In MathML: a formula in another form, behind what is shown; and empty space.
_ANNOTATIONS = frozenset({"annotation", "annotation-xml"})
_BLANKS = frozenset({"mspace", "mphantom"})
#: White space, and the sign between a function and its argument in MathML.
_SPACE = re.compile(r"[\s\u2061]+")
#: The number of a displayed formula, before a sentence. (One within a sentence stays: paper.py, `is_rest`.)
_FORMULA_NUMBER = re.compile(r"\s?\([A-H]?\.?\d{1,3}(?:\.\d{1,2})?[a-z]?\)\s+(?=[A-Z])")

_LEVELS = {"sup": "raised", "superscript": "raised", "sub": "lowered", "subscript": "lowered"}
#: Elements of citation marks and other references.
_LINKS = frozenset({"xref", "ref"})
#: What is looked at of raised or lowered text: nodes.
_FEW = 8
#: A number that raised text is an exponent of, and what may be one.
_BASE, _EXPONENT = (
    re.compile(r"(?:(?<!\d)10\s?|(?<![\w.])\d)\Z"),
    re.compile(r"[-+\u2212\u2013]?\d{1,6}|[kmnN]"),
)
#: "t-1", lowered behind a letter.
_SHIFTED = re.compile(r"[a-z]\s?[-+\u2212\u2013]\s?\w")
#: How the second and third part of these follow the first in MathML.
_JOINTS = {"mfrac": "/", "msup": "^", "msub": "_", "msubsup": "_^"}
#: Parts of formulas in MathML that text cannot show.
DRAWN = frozenset(
    {"maction", "menclose", "mglyph", "mlongdiv", "mmultiscripts", "mover", "mroot", "msqrt", "mstack",
     "mtable", "munder", "munderover"}
)  # fmt: skip


def root_of(content: bytes, expected: str) -> etree._Element:
    """Return the root of a document, whose local name must be `expected`.

    A document type may be declared (JATS does), but is not loaded. Raises ParseError for XML that is
    malformed, declares entities, nests deeper than 256 levels or contains a text of more than 10 MB.
    """
    if not content.strip():
        raise ParseError("the file is empty")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        if error.code == etree.ErrorTypes.ERR_NO_MEMORY:  # whose message is "unknown error"
            raise MemoryError from None
        line, column = error.position
        cause = _PLACE.sub("", error.msg or "").rstrip(".")
        raise ParseError(f"malformed XML: {cause} (line {line}, column {column})") from None
    except ValueError as error:
        raise ParseError(f"malformed XML: {error}") from None
    declared = root.getroottree().docinfo.internalDTD
    if declared is not None and next(declared.iterentities(), None) is not None:
        raise ParseError("the XML declares entities, which are refused")
    if name_of(root) != expected:
        raise ParseError(f"expected the element <{expected}>, found <{name_of(root)}>")
    return root


def name_of(element: etree._Element) -> str:
    """Return the local name of an element, "" for other nodes, such as entity references."""
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def descend(element: etree._Element, *names: str) -> etree._Element | None:
    """Return the first child of a child ... by local names, or None."""
    node: etree._Element | None = element
    for name in names:
        node = next((child for child in node if name_of(child) == name), None) if node is not None else None
    return node


def children(element: etree._Element | None, *names: str) -> Iterator[etree._Element]:
    """Yield the children with one of these local names."""
    yield from (child for child in element if name_of(child) in names) if element is not None else ()


def within(element: etree._Element | None, *names: str) -> Iterator[etree._Element]:
    """Yield the descendants (and the element itself) with one of these local names, in document order."""
    yield from (node for node in element.iter() if name_of(node) in names) if element is not None else ()


def plain(element: etree._Element | None) -> str:
    """Return all text in an element but its notes, with white space collapsed; "" for None."""
    blocks = Running(_PLAIN, lambda _: None).paragraphs(element) if element is not None else []
    return " ".join(block.text for block in blocks)


def _last_word(text: str) -> str:
    return text.rpartition(" ")[2].lower()


def _marks_note(element: etree._Element) -> bool:
    """Say whether an element is the mark of a footnote."""
    return element.get("ref-type") in ("fn", "table-fn") or element.get("type") == "foot"


def _level(element: etree._Element) -> str | None:
    """Return whether the text of an element is "raised" or "lowered"."""
    name = name_of(element)
    return _LEVELS.get((element.get("rend") or "").lower() if name == "hi" else name)


def _signs(element: etree._Element, before: str) -> tuple[str, str]:
    """Return the signs around raised or lowered text without which it would be another number or product.

    The raised 6 of 10^6, the lowered 2 of 101_2 and t-1 of x_(t-1), and the space in "log10 5". What a
    citation mark shows is no exponent, and other raised text reads well as it is ("cm2", "Ca2+", "14C").
    """
    level = _level(element)
    inside = [*islice(element.iter(), _FEW), element.getparent()] if level else []
    if not level or any(name_of(node) in _LINKS for node in inside):
        return "", ""
    text = "".join(islice(element.itertext(), _FEW)).strip()
    if level == "raised":
        return ("^" if _BASE.search(before) and _EXPONENT.fullmatch(text) else ""), ""
    if before[-1:].isalpha() and _SHIFTED.fullmatch(text):
        return "_(", ")"
    opening = "_" if before[-1:].isdigit() and text.isdigit() else ""
    return opening, " " if text[-1:].isdigit() and (element.tail or "")[:1].isdigit() else ""


def _fence(element: etree._Element) -> tuple[str, str, str]:
    """Return the signs before, between and behind the parts of <mfenced> (MathML 3, 3.3.8)."""
    if name_of(element) != "mfenced":
        return "", _JOINTS.get(name_of(element), ""), ""
    between = "".join(element.get("separators", ",").split())
    return element.get("open", "("), between + between[-1:] * len(element), element.get("close", ")")


@dataclass(frozen=True)
class Markup:
    """What the elements of a format mean for its running text, by local name."""

    blocks: frozenset[str]
    """Their text is a paragraph, or several. "list/title" means a title in a list only, and comes first."""
    skipped: frozenset[str]
    """They are not running text: a space takes their place."""
    displayed: frozenset[str]
    """Displayed formulas, pictures and tables, which cannot be rendered."""
    pictures: frozenset[str]
    """Pictures and the like within a line: a hole takes their place."""
    shown: frozenset[str] = frozenset()
    """Formulas within a line; those without text cannot be rendered."""
    sentences: frozenset[str] = frozenset()
    """Each is a sentence."""


#: All text but notes.
_PLAIN = Markup(blocks=frozenset(), skipped=_BREAKS, displayed=frozenset(), pictures=frozenset())


class TextBlock(NamedTuple):
    """Running text with white space collapsed, and citation marks and notes located in it."""

    text: str
    line: int
    marks: Sequence[Mark]
    notes: Sequence[Span]
    sentence: bool = False
    """Whether the format marks it as one sentence."""
    own: bool = False
    """Whether it is an item, a quotation or the like: no part of a sentence before it."""

    def add_to(self, paper: PaperBuilder) -> None:
        """Add the paragraph to the section of a paper; the format may have cut a sentence behind "cf."."""
        where = f"line {self.line}"
        if not self.sentence:
            paper.body(self.text, where, self.marks, self.notes, self.own)
        elif goes_on(paper.last_text, self.text) or self._continues(paper.last_text):
            paper.go_on(self.text, where, self.marks)
        else:
            paper.sentence(self.text, where, self.marks)

    def _continues(self, before: str) -> bool:
        return bool(before) and not self.own and is_rest(self.text, before) and not is_ended(before)


class Running:
    """Collects the running text of an element in paragraphs."""

    def __init__(
        self,
        markup: Markup,
        entry: Callable[[etree._Element], str | None],
    ) -> None:
        """Take the meaning of elements.

        `entry` returns the key that a citation mark refers to ("" if it is missing), or None if the element
        is not a mark.
        """
        self._markup, self._entry = markup, entry
        self._done: list[TextBlock] = []
        self._own = False
        self._interrupted = False  # whether a formula stood where the text goes on
        self._behind_formula = False
        self._begin()

    def _begin(self) -> None:
        self._pieces: list[str] = []
        self._length = self._line = 0
        self._open = False  # whether the text ends with a space
        self._marks: list[Mark] = []
        self._notes: list[Span] = []

    def paragraphs(self, element: etree._Element) -> list[TextBlock]:
        """Return the paragraphs of an element."""
        self._walk(element)
        self._close()
        return self._done

    def _close(self, sentence: bool = False) -> None:
        if text := "".join(self._pieces).rstrip():
            self._done.append(TextBlock(text, self._line, self._marks, self._notes, sentence, self._own))
            self._own = False
        if self._pieces:
            self._begin()

    def _add(self, text: str | None, line: int | None) -> None:
        """Append text; white space on both sides of a seam becomes one space."""
        folded = _SPACE.sub(" ", text or "")
        if self._behind_formula and folded.strip():
            number = _FORMULA_NUMBER.match(folded)
            folded = folded[number.end() if number else 0 :]
            self._behind_formula = False
        if folded.startswith(" ") and (self._open or not self._length):
            folded = folded[1:]
        if folded:
            if self._interrupted and is_rest(folded, HOLE):
                # A full stop behind a formula that ends a sentence is no sentence.
                folded = "" if folded == "." else folded.removeprefix(". ")
                folded = f"{HOLE} {folded}" if is_rest(folded, HOLE) else folded
            self._interrupted = not folded
            self._line = self._line or line or 0
            self._pieces.append(folded)
            self._length += len(folded)
            self._open = folded.endswith(" ")

    def _walk(self, element: etree._Element) -> None:
        markup, line = self._markup, element.sourceline
        parent = name_of(element)
        opening, joints, closing = _fence(element)
        self._add(opening, line)
        self._add(element.text, line)
        for place, child in enumerate(element):
            name = name_of(child)
            self._add(joints[place - 1 : place], line)
            if name in markup.sentences or not markup.blocks.isdisjoint((name, f"{parent}/{name}")):
                self._block(child, name)
            elif name in markup.displayed:
                self._displayed()
            elif name in markup.pictures:
                self._add(HOLE, line)
            elif name in _NOTES or (name in _LINKS and _marks_note(child)):
                self._add(" " if (child.tail or "")[:1].isalnum() else "", line)
            elif name in _ANNOTATIONS:
                pass
            elif name in markup.skipped or name in _BLANKS or not name:
                self._add("" if child.get("break") == "no" else " ", line)
            elif parent in _JOINTS and name != "mfenced" and len(child) > 1:
                self._add("(", line)
                self._inline(child, name)
                self._add(")", line)
            else:
                self._inline(child, name)
            self._add(child.tail, line)
        self._add(closing, line)

    def _block(self, child: etree._Element, name: str) -> None:
        self._close()
        own = name not in _CONTINUING
        self._own = self._own or own
        self._walk(child)
        self._close(name in self._markup.sentences)
        self._own = own

    def _inline(self, child: etree._Element, name: str) -> None:
        key, (opening, closing) = self._entry(child), _signs(child, "".join(self._pieces[-3:]))
        self._add(opening, child.sourceline)
        pieces, start = len(self._pieces), self._length
        self._walk(child)
        if "".join(self._pieces[pieces:]).strip():
            # Collapsed white space: there is at most one space at the start and one at the end.
            first = start + self._pieces[pieces].startswith(" ")
            last = self._length - self._open
            if first < last and key is not None:
                self._marks.append(Mark(first, last, key))
            if first < last and _level(child) == "raised":
                self._notes.append((first, last))
        elif name in self._markup.shown:
            self._add(HOLE, child.sourceline)
        self._add(closing, child.sourceline)

    def _displayed(self) -> None:
        """Mark the hole of a displayed formula: in the sentence before it, or in what goes on behind it."""
        text = "".join(self._pieces[-2:]).rstrip()
        last = self._done[-1] if self._done and not text else None
        if text and (not is_ended(text) or goes_on(text, f"{HOLE} x")):
            self._add(f" {HOLE} ", None)
        elif last and not is_ended(last.text) and (not last.own or _last_word(last.text) in STOP_WORDS):
            self._done[-1] = last._replace(text=f"{last.text} {HOLE}")
        else:
            self._close()
            self._interrupted = True
        self._behind_formula = True
