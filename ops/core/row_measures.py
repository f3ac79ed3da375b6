"""Numbers of each row that expectations check: `sentences.length`, `words.start.descents`.

Belongs here: reading such a measure from a table, in Arrow. Not here: the expectations themselves
(assets/declare/expectations.py), measures for charts (measures.py).
"""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

from silverloom.ops.core.measures import count_words

#: English words that few other languages share. The rule "under 5 % of these words" disagrees with pycld2 on
#: 47 of 35,473 sentences of ACL abstracts with 20 words or more: mostly French that pycld2 takes for English.
#: It flags none of the sample's 1,197 sentences (pycld2: 27), at 1 microsecond each (pycld2: 7 to 20).
FUNCTION_WORDS = (
    "the", "of", "and", "to", "that", "this", "with", "from", "by", "are", "were", "been", "have", "has",
    "which", "these", "our", "their", "not", "it", "can", "than", "we", "be", "as", "for", "or", "its",
    "into", "between", "is",
)  # fmt: skip
LEAST_WORDS = 20
LEAST_SHARE = 0.05

_FUNCTION_WORD = rf"(?i)\b(?:{'|'.join(FUNCTION_WORDS)})\b"
#: Control characters except tab and line ends, and the Unicode replacement character.
_CONTROL = r"[\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x{9F}\x{FFFD}]"


def measured(table: pa.Table, name: str) -> pa.ChunkedArray:
    """Return the values of a column, or of a measure of one (`column.measure`, `column.field.measure`).

    Raises KeyError for an unknown column or measure.
    """
    column, *field, kind = name.split(".") if "." in name else (name, "")
    values = table[column]
    if not kind:
        return values
    if field:
        chunks = [_of_items(chunk, field[0], kind) for chunk in values.chunks]
        return pa.chunked_array(chunks) if chunks else pa.chunked_array([], pa.int64())
    if kind == "length":
        return pc.list_value_length(values)
    return pa.chunked_array([_OF_TEXT[kind](chunk) for chunk in values.chunks], pa.int64())


def _of_items(lists: pa.ListArray, field: str, kind: str) -> pa.Array:
    """Return one value per list. Sums of a missing or empty list are 0, other measures of it are null."""
    parents = pc.list_parent_indices(lists).cast(pa.int64())
    items = pc.list_flatten(lists)
    values = items if field == "items" else pc.struct_field(items, field)
    if kind == "repeats":
        pairs = pa.table({"row": parents, "value": values}).group_by(["row", "value"])
        counts = pairs.aggregate([([], "count_all")])
        return _spread(counts["row"], pc.subtract(counts["count_all"], 1), "sum", lists)
    if kind == "foreign":
        words = _spread(parents, _size(values), "sum", lists)
        return _is_foreign(words, _spread(parents, _function_words(values), "sum", lists))
    of_item, how = _OF_ITEMS[kind]
    return _spread(parents, of_item(values, parents), how, lists)


def _spread(parents: pa.Array, values: pa.Array, how: str, lists: pa.ListArray) -> pa.Array:
    """Aggregate items by their row, and return one value per row: the sum of no items is 0."""
    grouped = pa.table({"row": parents, "value": values}).group_by("row").aggregate([("value", how)])
    places = pc.index_in(pa.array(range(len(lists)), pa.int64()), grouped["row"].combine_chunks())
    spread = grouped[f"value_{how}"].combine_chunks().take(places)
    return pc.fill_null(spread, 0).cast(pa.int64()) if how == "sum" else spread


def _descents(values: pa.Array, parents: pa.Array) -> pa.Array:
    """Mark items that are smaller than the one before them in their list."""
    if len(values) < 2:
        return pa.array([0] * len(values), pa.int64())
    down = pc.and_(
        pc.less(values.slice(1), values.slice(0, len(values) - 1)),
        pc.equal(parents.slice(1), parents.slice(0, len(values) - 1)),
    )
    return pa.concat_arrays([pa.array([0], pa.int64()), pc.fill_null(down, False).cast(pa.int64())])


def _size(texts: pa.Array) -> pa.Array:
    """Return the number of words, or characters / 12 if that is more: not all scripts use spaces."""
    least = pc.divide(pc.utf8_length(texts), 12)
    return pc.max_element_wise(count_words(texts), least.cast(pa.int64()), skip_nulls=False)


def _function_words(texts: pa.Array) -> pa.Array:
    return pc.count_substring_regex(texts, _FUNCTION_WORD)


def _is_foreign(words: pa.Array, function_words: pa.Array) -> pa.Array:
    """Return 1 for texts with at least LEAST_WORDS words of which too few are English function words."""
    share = pc.divide(function_words.cast(pa.float64()), words.cast(pa.float64()))
    return pc.and_(pc.greater_equal(words, LEAST_WORDS), pc.less(share, LEAST_SHARE)).cast(pa.int64())


def _control_characters(texts: pa.Array) -> pa.Array:
    return pc.count_substring_regex(texts, _CONTROL).cast(pa.int64())


_OF_TEXT: dict[str, Callable[[pa.Array], pa.Array]] = {
    "characters": lambda texts: pc.utf8_length(texts).cast(pa.int64()),
    "words": count_words,
    "control_characters": _control_characters,
    "foreign": lambda texts: _is_foreign(_size(texts), _function_words(texts)),
}

#: By measure: the value of each item (given its list too), and how values are aggregated per list.
_OF_ITEMS: dict[str, tuple[Callable[[pa.Array, pa.Array], pa.Array], str]] = {
    "least": (lambda values, _: values, "min"),
    "greatest": (lambda values, _: values, "max"),
    "longest": (lambda values, _: pc.utf8_length(values), "max"),
    "missing": (lambda values, _: values.is_null().cast(pa.int64()), "sum"),
    "empty": (lambda values, _: pc.equal(pc.fill_null(count_words(values), 0), 0).cast(pa.int64()), "sum"),
    "control_characters": (lambda values, _: _control_characters(values), "sum"),
    "descents": (_descents, "sum"),
}
