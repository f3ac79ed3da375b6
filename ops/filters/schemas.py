"""The columns of documents' scores, of duplicates, and of overlaps between examples and test sets.

Belongs here: one `Shape` per dataset, or a function that makes it. Not here: what fills them.
"""

from __future__ import annotations

import pyarrow as pa

from silverloom.ops.core.outcome import TEXT, TITLE, Shape, columns, optional
from silverloom.ops.filters.quality import RULES

_TEXT, _INT, _REAL = pa.string(), pa.int32(), pa.float64()

#: The kinds of personal data, by the column with their count.
PERSONAL = {
    "emails": "addresses of e-mail",
    "telephones": "telephone numbers",
    "network_addresses": "public addresses of the internet protocol, version 4 or 6",
    "credit_cards": "numbers of credit cards",
}

_SCORES = columns(
    ("document_id", _TEXT, "the row that was scored"),
    optional("title", _TEXT, "of the document", TITLE),
    optional("beginning", _TEXT, "its first words", TEXT),
    ("words", _INT, "of the text that was scored"),
    optional("language", _TEXT, 'the likeliest, as a code of ISO 639: "en"; missing where not asked'),
    optional("language_score", _REAL, "probability of the requested language, 0 to 1"),
    optional(
        "content", _TEXT, "hash of the text and of a web page's address; missing where not asked or empty"
    ),
    ("signature", pa.list_(pa.uint32()), "MinHash of its runs of words; missing where not asked"),
    *(
        optional(name, _INT, f"how many {meaning}; missing where not asked")
        for name, meaning in PERSONAL.items()
    ),
    *(optional(name, _REAL, f"{rule.meaning}; missing where not asked") for name, rule in RULES.items()),
)


def scores(documents: Shape) -> Shape:
    """Return the columns of the scores of documents with this shape."""
    return Shape(unit=documents.kept, kept=_SCORES)


#: A document that repeats another one with an earlier id.
DUPLICATES = Shape(
    unit=_SCORES,
    kept=columns(
        ("document_id", _TEXT, "the row that repeats"),
        ("first_id", _TEXT, "the first of its group by id, which stays"),
        ("similarity", _REAL, "at which it falls into a group with an earlier one; 1: the same text"),
        ("exact", pa.bool_(), "whether the text is the same but for white space"),
    ),
)


def filtered(documents: Shape) -> Shape:
    """Return the columns of documents that pass the filters: their own."""
    return Shape(unit=documents.kept, kept=documents.kept)


def overlaps(examples: Shape) -> Shape:
    """Return the columns of the overlaps between examples with this shape and test sets."""
    return Shape(
        unit=examples.kept,
        kept=columns(
            ("example_id", _TEXT, "the row that was compared"),
            optional("test_set", _TEXT, "the one that shares most; missing where none shares anything"),
            optional(
                "test_id", _TEXT, "row of sources/test_sets: the first by id that has what `shared` says"
            ),
            ("ngrams", _INT, "distinct runs of words that the example shares with the test set"),
            ("sentences", _INT, "distinct whole sentences that it shares with the test set"),
            optional("shared", _TEXT, "the first run or sentence that is shared, normalised", TEXT),
        ),
    )
