"""The running text of a document, which is scored, and the same document with that text masked.

Belongs here: which columns hold the text. Not here: the scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa

from silverloom.ops.core.outcome import Row

#: Paragraphs of a web page that score this much or more are not main content (ops/parse/web.py).
_BOILERPLATE = 0.5
_BETWEEN = "\n\n"


def texts(documents: pa.Table) -> Iterator[str]:
    """Yield the text of each document: a paper's sentences, a web page's main paragraphs, or the text itself.

    A page without main content yields all of its paragraphs.
    """
    columns = [name for name in ("text", "sentences", "paragraphs") if name in documents.column_names]
    for row in documents.select(columns).to_pylist():
        if "sentences" in row:
            yield "\n".join(sentence["text"] for sentence in row["sentences"])
        elif "paragraphs" in row:
            main = [place for place in row["paragraphs"] if place["boilerplate"] < _BOILERPLATE]
            yield _BETWEEN.join(
                row["text"][place["start"] : place["end"]] for place in main or row["paragraphs"]
            )
        else:
            yield row["text"]


def with_text(document: Row, change: Callable[[str], str]) -> Row:
    """Return a document after applying `change` to its text, or to each paragraph if it has paragraphs."""
    if "paragraphs" not in document:
        return {**document, "text": change(document["text"])}
    changed = [change(document["text"][place["start"] : place["end"]]) for place in document["paragraphs"]]
    places, start = [], 0
    for place, text in zip(document["paragraphs"], changed, strict=True):
        places.append({**place, "start": start, "end": start + len(text)})
        start += len(text) + len(_BETWEEN)
    return {**document, "text": _BETWEEN.join(changed), "paragraphs": places}
