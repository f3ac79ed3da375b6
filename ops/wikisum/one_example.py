"""The input of one article's summary from the pages that it is written from, for use in a program.

Belongs here: reading pages, and passing their paragraphs through the functions that make the datasets. Not
here: these functions (ranked.py, rank.py), which pages are references (clones.py, topic.py), sub-words
(tokenizer.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from silverloom.ops.core.outcome import Row
from silverloom.ops.parse.page_text import Paragraph
from silverloom.ops.parse.web import page_of
from silverloom.ops.text.word_numbers import normalised
from silverloom.ops.text.words import fold
from silverloom.ops.wikisum.rank import Method, rank
from silverloom.ops.wikisum.ranked import RankedParams, first_words, paragraphs_of
from silverloom.ops.wikisum.targets import PARAGRAPH_END, beginning

_BLANK_LINE = re.compile(r"\n\s*\n")


class WikiExample(NamedTuple):
    """An input and its summary, like `source_text` and `target_text` of wikisum/examples."""

    source: str
    """The title, then the best paragraphs, with blank lines between them."""
    target: str
    """The lead that was given; empty without one."""
    pages: list[int]
    """The index of the page of each paragraph of the source."""


def example(
    title: str,
    pages: Sequence[str],
    lead: str = "",
    *,
    ranker: Method = "tf_idf",
    words: int = 500,
    params: RankedParams | None = None,
) -> WikiExample:
    """Return the input of a summary: a title, and the paragraphs of pages that fit it best.

    A page is HTML, if it begins with "<", or plain text with blank lines between paragraphs. Paragraphs are
    left out as in wikisum/ranked, whatever their language: too short, without a sentence, repeated, or
    boilerplate (of HTML only). The filters of whole pages are off: see `clone_recall` for copies of the
    article. `words` limits the paragraphs, and counts signs of punctuation as words; the dataset counts
    sub-words of its tokenizer. `ranker="cheating"` needs the lead. Raises TypeError for a single text in
    place of pages, ValueError if no paragraph is worth reading.
    """
    if isinstance(pages, str):
        raise TypeError("pages are a list of texts, also where there is only one: [text]")
    chosen = params or RankedParams(language=None)
    seen: dict[str, dict[str, Any]] = {}
    paragraphs: list[Row] = []
    for number, page in enumerate(pages):
        unit = {"cited": True, "searched": False}
        paragraphs += paragraphs_of(unit, _page(number, page), seen, chosen)[0]
    if not paragraphs:
        raise ValueError(f"{len(pages)} pages have no paragraph worth reading")
    texts = [paragraph["text"] for paragraph in paragraphs]
    order = rank(title, texts, ranker, normalised(lead) or None).order
    prefix = f"{normalised(title)} {first_words(texts, order, words)}"
    naturals = [fold(title), *(paragraphs[place]["natural"] for place in order)]
    source = beginning(PARAGRAPH_END.join(naturals), prefix)
    used = order[: source.count(PARAGRAPH_END)]
    return WikiExample(source, lead, [paragraphs[place]["page_id"] for place in used])


def _page(number: int, page: str) -> Row:
    """Return a page as a row with places of its paragraphs."""
    if page.lstrip().startswith("<"):
        paragraphs = page_of(page.encode(), "text/html; charset=utf-8").paragraphs
    else:
        texts = (text.strip() for text in _BLANK_LINE.split(page))
        paragraphs = tuple(Paragraph(text, 0.0) for text in texts if text)
    places: list[Row] = []
    start = 0
    for paragraph in paragraphs:
        end = start + len(paragraph.text)
        places.append({"start": start, "end": end, "boilerplate": paragraph.boilerplate})
        start = end + len(PARAGRAPH_END)
    text = PARAGRAPH_END.join(paragraph.text for paragraph in paragraphs)
    return {"id": number, "text": text, "paragraphs": places}
