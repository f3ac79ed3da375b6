"""What is read against what in a row: a summary against its paper, a fused sentence against its parts.

Belongs here: finding the other side, and which of its sentences stand in the text. Not here: the comparison
of two texts word by word, which the browser does for the rows that it shows (static/diff.js).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from assets.declare.declaration import Declaration
from orchestration.lineage.ancestry import Ancestry, Place
from orchestration.lineage.rows import read
from orchestration.pages.sampling import fair

#: Characters of all texts that are held beside a page's rows for comparison.
CHARACTERS = 3_000_000
_LEAST = 12


@dataclass(frozen=True)
class TextPairs:
    """What a page holds to show text pairs: texts beside the rows, and which goes with which row."""

    texts: list[Any]
    """Each a text or a list of sentences; empty where both sides are columns of the row itself."""
    of_row: list[tuple[int | None, list[int]]]
    """For each row the number of its text, and of the sentences in that which stand in the row."""


def text_pairs(ancestry: Ancestry, item: Declaration, table: pa.Table) -> TextPairs:
    """Return the text pairs that a dataset declares, for a table of its kept rows."""
    assert item.text_pair is not None
    new, old = item.text_pair
    news = table[new].to_pylist()
    if "." not in old:
        return TextPairs([], [(None, standing(*pair)) for pair in zip(_plain(table[old]), news, strict=True)])
    argument, _, column = old.partition(".")
    source = next(source.key.to_user_string() for source in item.inputs if source.argument == argument)
    others = _others(ancestry, source, table)
    wanted = list(dict.fromkeys(place for place in others if place is not None))
    texts = _texts(wanted, column)
    numbers = {place: number for number, place in enumerate(wanted)}
    of_row: list[tuple[int | None, list[int]]] = [
        (None, []) if place is None else (numbers[place], standing(texts[numbers[place]], text))
        for place, text in zip(others, news, strict=True)
    ]
    return TextPairs(_fitted(texts), of_row)


def standing(sentences: Any, text: str | None) -> list[int]:
    """Return which sentences stand in a text: those that it is joined of, in order, else all found in it.

    Nothing where there are no sentences but another text: that is compared word by word.
    """
    if not isinstance(sentences, list) or not text:
        return []
    joined, rest = [], text.strip()
    for number, sentence in enumerate(sentences):
        if sentence and _begins(rest, sentence):
            joined.append(number)
            rest = rest[len(sentence) :].lstrip()
    if not rest:
        return joined
    padded = f" {' '.join(text.split())} "
    return [
        number
        for number, sentence in enumerate(sentences)
        if sentence and f" {' '.join(sentence.split())} " in padded
    ]


def _begins(text: str, sentence: str) -> bool:
    return text.startswith(sentence) and (len(text) == len(sentence) or text[len(sentence)].isspace())


def _others(ancestry: Ancestry, source: str, table: pa.Table) -> list[Place | None]:
    """Return for each row the row of a dataset that one of its ids names."""
    found: list[Place | None] = [None] * len(table)
    for name in table.column_names:
        if not name.endswith("_id"):
            continue
        codes = ancestry.codes(table[name].to_pylist())
        places = {code: _kept_in(ancestry, code, source) for code in set(codes) if code >= 0}
        found = [place or places.get(code) for place, code in zip(found, codes, strict=True)]
    return found


def _kept_in(ancestry: Ancestry, code: int, source: str) -> Place | None:
    return next(
        (
            place
            for place in ancestry.standings(code)
            if place.file.table == "kept" and place.file.item.name == source
        ),
        None,
    )


def _texts(places: Sequence[Place], column: str) -> list[Any]:
    found: list[Any] = [None] * len(places)
    files = dict.fromkeys(place.file for place in places)
    for file in files:
        numbers = [number for number, place in enumerate(places) if place.file is file]
        table = read(file.path, [column]).take(pa.array([places[number].index for number in numbers]))
        for number, value in zip(numbers, _plain(table[column]), strict=True):
            found[number] = value
    return found


def _plain(values: pa.ChunkedArray) -> list[Any]:
    """Return texts, or lists of texts: of structs their field `text`."""
    kind = values.type
    if pa.types.is_list(kind) and pa.types.is_struct(kind.value_type):
        array = values.combine_chunks()
        texts = pa.ListArray.from_arrays(array.offsets, array.values.field("text"))
        return texts.to_pylist()  # type: ignore[no-any-return]
    return values.to_pylist()  # type: ignore[no-any-return]


def _fitted(texts: Sequence[Any]) -> list[Any]:
    """Return texts, and sentences of texts, cut so that a page can bear them all."""
    sizes = [len(text) if isinstance(text, str) else sum(map(len, text or ())) for text in texts]
    return [_cut(text, share) for text, share in zip(texts, fair(sizes, CHARACTERS), strict=True)]


def _cut(text: Any, most: int) -> Any:
    if isinstance(text, str):
        return text if len(text) <= most else f"{text[:most]}…"
    shares = fair([len(sentence) for sentence in text or ()], most)
    return [
        sentence if len(sentence) <= share else f"{sentence[: max(share, _LEAST)]}…"
        for sentence, share in zip(text or (), shares, strict=True)
    ]
