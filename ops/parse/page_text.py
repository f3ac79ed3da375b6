"""The paragraphs of a web page: all that are visible, and which of them are main text.

Belongs here: the extractors of main text, the alignment of their output with all paragraphs, and the score
of a paragraph. Not here: the bytes of a page (page_bytes.py), formats and rows (web.py).

trafilatura finds the main text better; resiliparse is several times as fast, gives the text outside, and
stands in where trafilatura finds nothing. Comments of readers, teasers and banners are not main text.
"""

from __future__ import annotations

import logging
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import compress, pairwise
from typing import Any, Literal, NamedTuple, TypeAlias

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree

from silverloom.ops.text.words import fold

PageExtractor: TypeAlias = Literal["trafilatura", "resiliparse"]

#: Paragraphs from here on are boilerplate; those below are main text in the benchmark.
BOILERPLATE = 0.5
#: Number of words for which a paragraph scores in the middle of its half.
_MIDDLING = 10
#: If an extractor finds a smaller share of main content than this, it has missed the main content.
_LEAST_SHARE, _PROSE_WORDS = 0.05, 15
#: A paragraph that shares this much of its words with main content is a variant of that content.
_SAME_WORDS = 0.8
#: Number of paragraphs of main content with which a paragraph of the page is compared by letters, and of
#: nodes beside a post among which there may be another.
_NEAR = 4
#: trafilatura's time grows faster than the page: longer ones are left to resiliparse.
LONGEST = 2_000_000

_SPLIT = re.compile(r"\n+")
_NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")
_SENTENCE = re.compile(r"[.!?\u2026\u3002][\"')\]\u2019\u201d]{0,3}(?:\s|$)")
_NO_LETTERS = re.compile(r"[\W_]+")
#: Elements of trafilatura's result that are paragraphs of their own.
_BLOCKS = frozenset({"p", "head", "item", "row", "quote", "code", "list", "table", "lb", "ab", "div"})
#: Elements that are also found within a sentence, and what sentences are in.
_INLINE, _SENTENCES = frozenset({"code", "quote"}), frozenset({"p", "head", "item", "cell", "hi", "ref"})

#: What trafilatura takes for an article, wherever it is (BODY_XPATH of its xpaths.py).
_POSTS = "article, .post, .entry"

#: Block elements (HTML Standard, 15.3 "Non-replaced elements") that resiliparse takes for inline ones.
_UNKNOWN_BLOCKS = "caption, dialog, dir, legend, listing, menu, search, summary, xmp"


class Paragraph(NamedTuple):
    """A paragraph with white space collapsed, and how much it looks like boilerplate, 0 to 1."""

    text: str
    boilerplate: float


class WebText(NamedTuple):
    """All paragraphs of a page, and why resiliparse found the main text in place of trafilatura, or ""."""

    paragraphs: list[Paragraph]
    fallback: str


def text_of(tree: HTMLTree, page: str, extractor: PageExtractor) -> WebText:
    """Return all paragraphs of a page with their scores. `tree` is the page parsed, `page` its HTML."""
    _separate_blocks(tree)
    main, fallback = _by_trafilatura_or_why_not(page) if extractor == "trafilatura" else ([], "")
    main = _without_lone_posts(tree, main)
    main = main or list(_by_resiliparse(tree, True))
    _show_captions(tree)
    return WebText(_scored(list(aligned(list(_by_resiliparse(tree, False)), main))), fallback)


def _by_trafilatura_or_why_not(page: str) -> tuple[list[str], str]:
    if len(page) > LONGEST:
        return [], f"it is longer than {LONGEST:,} characters"
    try:
        main = list(by_trafilatura(page))
    except (MemoryError, ImportError):  # a broken installation is no fault of the page
        raise
    except Exception as error:  # a bug in the extractor must not cost the page
        return [], f"trafilatura fails with {type(error).__name__}"
    return main, "" if main else "trafilatura finds no main text"


def _without_lone_posts(tree: HTMLTree, main: list[str]) -> list[str]:
    """Return main content without the first of several like posts of which the next is none.

    trafilatura begins with the first element that may be an article, which below an article is a comment.
    A post that is more than half of main content is the article itself, unless an <article> is main content.
    """
    letters = {_letters(text) for text in main}
    lone = set[str]()
    for post in _elements(tree, _POSTS):
        texts = _texts_in(post)
        after = _alike(post, "next")
        if after and not _alike(post, "prev") and not texts.isdisjoint(letters):
            lone |= texts if _texts_in(after).isdisjoint(letters) else set()
    articles = [texts for post in _elements(tree, "article") if lone.isdisjoint(texts := _texts_in(post))]
    others = [text for text in main if _letters(text) not in lone]
    has_article = any(not texts.isdisjoint(letters) for texts in articles)
    return others if has_article or 2 * sum(map(len, others)) > sum(map(len, main)) else main


def _texts_in(post: Any) -> set[str]:
    return {_letters(paragraph.text) for paragraph in post.query_selector_all("p")}


def _alike(post: Any, side: Literal["next", "prev"]) -> Any:
    """Return the nearest element on a side that has the name and classes of a post, or None."""
    beside = getattr(post, side)
    for _ in range(_NEAR):
        if beside is None or (beside.tag == post.tag and beside.class_name == post.class_name):
            return beside
        beside = getattr(beside, side)
    return None


def _separate_blocks(tree: HTMLTree) -> None:
    """Put a line break on both sides of each block element that resiliparse takes for an inline one."""
    for block in _elements(tree, _UNKNOWN_BLOCKS):
        block.parent.insert_before(tree.create_element("br"), block)
        block.parent.insert_before(tree.create_element("br"), block.next)


def _show_captions(tree: HTMLTree) -> None:
    """Rename figures with their captions, and labels of fields, all of which resiliparse leaves out."""
    for hidden in _elements(tree, "figure, figcaption, label"):
        shown: Any = tree.create_element("span" if hidden.tag == "label" else "div")
        while hidden.first_child:
            shown.append_child(hidden.first_child)
        hidden.parent.replace_child(shown, hidden)


def _elements(tree: HTMLTree, selector: str) -> Sequence[Any]:
    return [*tree.document.query_selector_all(selector)] if tree.document else []


def printable(text: str) -> str:
    """Return a text without control characters, with white space collapsed."""
    return fold(_NO_TEXT.sub(" ", text))


def _by_resiliparse(tree: HTMLTree, main: bool) -> Iterator[str]:
    text = extract_plain_text(
        tree,
        main_content=main,
        preserve_formatting=True,
        alt_texts=False,
        list_bullets=False,
        comments=not main,
    )
    yield from _paragraphs(text)


def _paragraphs(text: str) -> Iterator[str]:
    for block in _SPLIT.split(_NO_TEXT.sub(" ", text)):
        if paragraph := fold(block):
            yield paragraph


def by_trafilatura(page: str) -> Iterator[str]:
    """Yield the paragraphs of main text; none where trafilatura finds none."""
    document = loaded_trafilatura().bare_extraction(page, include_comments=False)
    if document is None:
        return
    for element in document.body.iter():
        if element.tag in _BLOCKS and not _is_inline(element):
            element.text = f"\n{element.text or ''}"
            element.tail = f"\n{element.tail or ''}"
        elif element.tag == "cell":
            element.tail = f" {element.tail or ''}"
    yield from _paragraphs("".join(document.body.itertext()))


def _is_inline(element: Any) -> bool:
    """Say whether code or a quotation is part of a sentence, as `<code>` and `<q>` are in HTML."""
    return (
        element.tag in _INLINE and element.getparent().tag in _SENTENCES and "\n" not in (element.text or "")
    )


@cache
def loaded_trafilatura() -> Any:
    """Return trafilatura, which takes a while to import and logs each page on which it finds nothing."""
    import trafilatura

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
    return trafilatura


def aligned(every: Sequence[str], main: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield all paragraphs in order, each with whether it is main content.

    Main content may differ from the page: paragraphs joined, or without hidden elements. Then the paragraphs
    nearby that share its letters or most of their words with it are main content. Main content that no
    paragraph shares is a paragraph of its own, unless it is a paragraph that the extractor repeats.
    """
    letters = [_letters(text) for text in every]
    matches = _matches(letters, [_letters(text) for text in main])
    known = {*letters}
    others: dict[int, list[str]] = {}  # main content that matches no paragraph, by the paragraph before it
    before = -1
    for number, text in enumerate(main):
        before = matches.get(number, before)
        if number not in matches and _letters(text) not in known:
            others.setdefault(before, []).append(text)
    places = sorted(matches.values())
    for start, end in pairwise([-1, *places, len(every)]):
        if start >= 0:
            yield every[start], True
        yield from _compared(every[start + 1 : end], others.get(start, []))


def _compared(outside: Sequence[str], others: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield paragraphs between matches, main if `others` have them, then the others that none is part of."""
    left = Counter(word for other in others for word in other.split())
    rests = [_letters(other) for other in others]
    first, used = 0, set[int]()
    for text in outside:
        words, own = Counter(text.split()), _letters(text)
        is_main = (words & left).total() >= _SAME_WORDS * words.total()
        parts = _parts(own, rests, range(first, len(others)))
        if parts:
            is_main = is_main or 2 * sum(len(rests[number]) for number in parts) >= len(own)
            for number in parts:
                rests[number] = rests[number][len(own) :]
            used.update(parts)
            first = parts[-1]
        if is_main:
            left -= words  # a second paragraph of these words is no variant
        yield text, is_main
    for number, other in enumerate(others):
        words = Counter(other.split())
        if number not in used and (words & left).total() >= _SAME_WORDS * words.total():
            left -= words
            yield other, True


def _parts(own: str, rests: Sequence[str], numbers: Sequence[int]) -> list[int]:
    """Return which texts are parts of one, in order, or else the one that begins with it."""
    near = numbers[:_NEAR]
    start = next((number for number in near if rests[number] and rests[number] in own), None)
    if start is None:
        return [number for number in near if rests[number].startswith(own)][:1]
    parts, place = list[int](), 0
    for number in numbers[numbers.index(start) :]:
        place = own.find(rests[number], place)
        if place < 0 or not rests[number]:
            break
        place += len(rests[number])
        parts.append(number)
    return parts


def _matches(every: Sequence[str], main: Sequence[str]) -> dict[int, int]:
    """Return which of all paragraphs each paragraph of main content is, both by their letters.

    Paragraphs that occur once give the order; of those that are repeated, the next one after it counts.
    """
    places: dict[str, list[int]] = {}
    for place, letters in enumerate(every):
        places.setdefault(letters, []).append(place)
    times = Counter(main)
    once = [
        (number, places[letters][0])
        for number, letters in enumerate(main)
        if times[letters] == 1 and len(places.get(letters, ())) == 1
    ]
    matches = dict(ascending(once))
    for number in matches:
        places[main[number]].clear()
    after = 0
    for number, letters in enumerate(main):
        if number not in matches and (free := places.get(letters)):
            matches[number] = free.pop(min(bisect_left(free, after), len(free) - 1))
        after = matches.get(number, after)
    return matches


def ascending(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest part of some pairs in which the second numbers ascend, as the first ones do."""
    ends: list[int] = []  # the lowest last number of an ascending part, by its length
    lengths = []
    for _, place in pairs:
        length = bisect_left(ends, place)
        ends[length : length + 1] = [place]
        lengths.append(length)
    longest, wanted = [], len(ends) - 1
    for pair, length in zip(reversed(pairs), reversed(lengths), strict=True):
        if length == wanted:
            longest.append(pair)
            wanted -= 1
    return longest[::-1]


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", text) or text


def _scored(aligned: Sequence[tuple[str, bool]]) -> list[Paragraph]:
    lengths = [len(paragraph.split()) for paragraph, _ in aligned]
    inside = [is_main for _, is_main in aligned]
    if sum(compress(lengths, inside)) < _LEAST_SHARE * sum(lengths):
        inside = [
            length >= _PROSE_WORDS and _SENTENCE.search(paragraph) is not None
            for (paragraph, _), length in zip(aligned, lengths, strict=True)
        ]
    return [
        Paragraph(paragraph, round((not is_main) / 2 + _MIDDLING / (_MIDDLING + length) / 2 - 1e-4, 4))
        for (paragraph, _), length, is_main in zip(aligned, lengths, inside, strict=True)
    ]
