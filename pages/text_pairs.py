"""Text pairs of rows: a summary and its paper, or a fused sentence and its parts.

Belongs here: finding the other text, and which of its sentences occur in the row's text. Not here: comparing
two texts word by word (ops/text/words.py), drawing (static/row.js).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import pyarrow as pa

from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.rows.ancestry import Ancestry, RowPlace
from silverloom.assets.rows.reading import read, shortened
from silverloom.ops.core.outcome import of_role
from silverloom.ops.text.words import word_difference
from silverloom.pages.sampling import fair

#: The most characters of all texts that a page stores for comparison with its rows.
CHARACTERS = 3_000_000
_LEAST = 12

#: What a row's text is compared with: a text, or sentences.
Old: TypeAlias = str | list[str] | None


def text_pairs(
    ancestry: Ancestry, dataset: Dataset, table: pa.Table
) -> tuple[list[list[str]], list[dict[str, Any]]]:
    """Return the text pairs that a dataset declares, for a table of its rows.

    The first list has the sentences of other datasets' rows. The second has an entry for each row, empty if
    the row has no other text: either `difference`, two texts compared word by word; or `marked`, the indices
    of the sentences that occur in the row's text, with `text`, the index of these sentences in the first
    list if they come from another dataset.
    """
    assert dataset.text_pair is not None and dataset.shape is not None
    new, old = dataset.text_pair
    news = table[new].to_pylist()
    if "." not in old:
        return [], _of_rows(_plain(table[old], dataset.shape.kept.field(old)), news)
    argument, _, column = old.partition(".")
    source = next(source.key.to_user_string() for source in dataset.inputs if source.argument == argument)
    places = _places(ancestry, source, table)
    texts = _texts(places, column)
    numbers = {place: number for number, place in enumerate(texts)}
    of_rows = _of_rows([texts[place] if place else None for place in places], news)
    for row, place in zip(of_rows, places, strict=True):
        row |= {"text": numbers[place]} if place and "marked" in row else {}
    return _fitted([text if isinstance(text, list) else [] for text in texts.values()]), of_rows


def found_in(sentences: Sequence[str], text: str) -> list[int]:
    """Return the indices of the sentences that a text is joined from, else of all that occur in it."""
    joined, rest = [], text.strip()
    for number, sentence in enumerate(sentences):
        if sentence and rest.startswith(sentence) and not rest[len(sentence) : len(sentence) + 1].strip():
            joined.append(number)
            rest = rest[len(sentence) :].lstrip()
    if not rest:
        return joined
    padded = f" {' '.join(text.split())} "
    return [
        at
        for at, sentence in enumerate(sentences)
        if sentence and f" {' '.join(sentence.split())} " in padded
    ]


def _of_rows(olds: Sequence[Old], news: Sequence[str | None]) -> list[dict[str, Any]]:
    pairs = list(zip(olds, news, strict=True))
    sizes = [len(old) + len(new or "") if isinstance(old, str) else 0 for old, new in pairs]
    of_rows: list[dict[str, Any]] = []
    for (old, new), share in zip(pairs, fair(sizes, CHARACTERS), strict=True):
        if old is None or new is None:
            of_rows.append({})
        elif isinstance(old, list):
            of_rows.append({"marked": found_in(old, new)})
        else:
            before, after = fair([len(old), len(new)], share)
            of_rows.append({"difference": word_difference(shortened(old, before), shortened(new, after))})
    return of_rows


def _places(ancestry: Ancestry, source: str, table: pa.Table) -> list[RowPlace | None]:
    """Return for each row the kept row of dataset `source` that one of its ids refers to."""
    kept_places: list[RowPlace | None] = [None] * len(table)
    for name in table.column_names:
        if name.endswith("_id"):
            ids = table[name].to_pylist()
            places = {
                id: place
                for id, places_of_id in ancestry.places(ids).items()
                for place in reversed(places_of_id)
                if place.file.table == "kept" and place.file.dataset.name == source
            }
            kept_places = [place or places.get(id) for place, id in zip(kept_places, ids, strict=True)]
    return kept_places


def _texts(places: Sequence[RowPlace | None], column: str) -> dict[RowPlace, Old]:
    """Return the values of a column for some rows, reading each file once."""
    values: dict[RowPlace, Old] = dict.fromkeys(place for place in places if place)
    for file in dict.fromkeys(place.file for place in values):
        of_file = [place for place in values if place.file is file]
        table = read(file.path, [column]).take(pa.array([place.index for place in of_file]))
        values |= dict(zip(of_file, _plain(table[column], file.schema.field(column)), strict=True))
    return values


def _plain(values: pa.ChunkedArray, declared: pa.Field) -> list[Old]:
    """Return texts, or lists of texts; from structs, take the field declared as their text."""
    kind = declared.type
    if pa.types.is_list(kind) and pa.types.is_struct(kind.value_type):
        (name,) = of_role(pa.schema(list(kind.value_type)), "text")
        array = values.combine_chunks()
        return pa.ListArray.from_arrays(array.offsets, array.values.field(name)).to_pylist()  # type: ignore[no-any-return]
    return values.to_pylist()  # type: ignore[no-any-return]


def _fitted(texts: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the sentences of texts, cut to fit on a page together."""
    shares = fair([sum(map(len, text)) for text in texts], CHARACTERS)
    return [
        [
            shortened(sentence, max(most, _LEAST))
            for sentence, most in zip(text, fair([*map(len, text)], share), strict=True)
        ]
        for text, share in zip(texts, shares, strict=True)
    ]
