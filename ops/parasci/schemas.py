"""The columns of ParaSCI's datasets.

Belongs here: one `Shape` per dataset. Not here: the code that fills them.
"""

from __future__ import annotations

import pyarrow as pa

from silverloom.ops.core.outcome import (
    NAME,
    TEXT,
    TIME,
    VECTOR,
    Shape,
    column,
    columns,
    extended,
    one_of,
    optional,
    struct,
)
from silverloom.ops.core.sampling import SPLITS
from silverloom.ops.parse.schemas import ENCODING, RECORD, unit_of
from silverloom.ops.parse.schemas import SENTENCES as PAPER_SENTENCES

_TEXT, _INT, _FLOAT, _BOOL = pa.string(), pa.int32(), pa.float64(), pa.bool_()

#: Sentences of texts that come without their paper: abstracts, and citing sentences.
PASSAGES = Shape(
    unit=RECORD,
    kept=columns(
        ("document", _TEXT, "the abstract's, or the cited paper's, name in its source", NAME),
        ("month", _TEXT, "that params.yaml gives the source, YYYY-MM or YYYY", TIME),
        ("paper", _TEXT, "the paper that says it"),
        ("position", _INT, "in its record, from 0"),
        optional("cited_id", _TEXT, "the paper that it cites; missing where it is of an abstract"),
        ("subjects", pa.list_(_TEXT), "categories of the paper, as the source has them; then its domain"),
        optional("doi", _TEXT, "of the paper that says it; missing where it is unknown"),
        ("text", _TEXT, "white space folded", TEXT),
        ENCODING,
    ),
)

#: The methods that find pairs.
ORIGINS = ("citations", "definitions", "intra", "partial")

_MENTION = struct(
    ("sentence_id", _TEXT, "row of sources/sentences or sources/passages"),
    ("paper_id", _TEXT, "row of sources/papers, or the name of a paper"),
    ("section", _INT, "index into the paper's sections; -1 outside of them"),
    ("role", _TEXT, "of its section"),
    ("source", _TEXT, "the source of its paper, as params.yaml names it"),
    ("doi", _TEXT, "of its paper; missing where it is unknown"),
    (
        "term",
        _TEXT,
        "that it defines, its abbreviation as the paper expands it; missing where it defines none",
    ),
    ("cited", pa.list_(_TEXT), "ids or titles of the papers that it cites"),
)

_STATEMENT = columns(
    optional("month", _TEXT, "of publication, YYYY-MM or YYYY; missing where it is unknown", TIME),
    ("area", _TEXT, "subject area of its paper"),
    ("text", _TEXT, "without citation marks", TEXT),
    optional("printed", _TEXT, "with them, where it occurs first"),
    ("words", _INT, "between white space"),
    ("truncated", _BOOL, "whether the encoder reads its beginning only"),
    ("well_formed", _FLOAT, "estimated probability that it is whole, without garbled words, three decimals"),
    ("mentions", pa.list_(_MENTION), "where it occurs, word for word"),
)

_EMBEDDED = extended(
    _STATEMENT,
    ("embedding", pa.list_(pa.float32()), "of length 1, four decimals; of one size in all rows", VECTOR),
)

SENTENCES = Shape(unit=PAPER_SENTENCES.kept, kept=_EMBEDDED)
EMBEDDED_PASSAGES = Shape(unit=unit_of(PASSAGES), kept=_EMBEDDED)

_KNOWN = (
    ("printed", _TEXT, "with its citation marks, the", "; missing for a part of a sentence"),
    ("source", _TEXT, "source of the paper of the", ""),
    ("area", _TEXT, "subject area of the", ""),
    ("year", _INT, "year of publication of the", "; missing where it is unknown"),
    ("doi", _TEXT, "DOI of the paper of the", "; missing where it is unknown"),
    ("well_formed", _FLOAT, "estimated probability of being whole, without garbled words, of the", ""),
)

#: What is known of a sentence of a pair besides its text: a column of each side, such as `first_year`.
KNOWN_OF_SENTENCE = tuple(name for name, *_ in _KNOWN)
_SIDES = tuple(
    (optional if more else column)(f"{side}_{name}", kind, f"{meaning} {side} one{more}")
    for side in ("first", "second")
    for name, kind, meaning, more in _KNOWN
)
KNOWN_OF_SIDES = tuple(field.name for field in _SIDES)

_CANDIDATE = columns(
    ("key", _TEXT, "what both have in common: the paper, the term with its area, or the cited paper", NAME),
    ("first_id", _TEXT, "row of parasci/sentences or parasci/passages"),
    ("second_id", _TEXT, "the same of the other sentence"),
    ("first_paper", _TEXT, "the paper that contains the first one"),
    ("second_paper", _TEXT, "the paper that contains the second one"),
    optional("first_role", _TEXT, "of the section of the first one"),
    optional("second_role", _TEXT, "of the section of the second one"),
    ("cosine", _FLOAT, "of their embeddings, six decimals"),
    ("first", _TEXT, "the first sentence", TEXT),
    ("second", _TEXT, "the second sentence", TEXT),
    *_SIDES,
)

#: Pairs above the floor; a sentence in no pair is dropped, without its embedding.
CANDIDATES = Shape(unit=_STATEMENT, kept=_CANDIDATE)

_SCORED = columns(
    ("first", _TEXT, "the first sentence", TEXT),
    ("second", _TEXT, "the second sentence", TEXT),
    *_SIDES,
    ("origins", pa.list_(_TEXT), "the methods that found the pair, sorted"),
    ("keys", pa.list_(_TEXT), "what the sentences have in common, by these methods: origin, colon, key"),
    ("papers", pa.list_(_TEXT), "the papers that contain the sentences"),
    ("cosine", _FLOAT, "of their embeddings"),
    ("precision", _FLOAT, "BERTScore of the first against the second, four decimals"),
    ("recall", _FLOAT, "the same"),
    ("f1", _FLOAT, "the same"),
    ("least", _FLOAT, "the lesser of precision and recall"),
    ("weakest", _FLOAT, "mean of the quarter of the tokens of either side that match worst; the lesser one"),
    ("numbers", _FLOAT, "share of their numbers that both have; 1 without numbers"),
    ("negation", _FLOAT, "1 where both deny something, or neither does; else 0"),
    ("names", _FLOAT, "share of their names that both have; 1 without names"),
    ("direction", _FLOAT, "0 where one says more, higher and the other one less, lower; else 1"),
    ("consistency", _FLOAT, "predicted rating by a reader, 1 to 5, two decimals"),
    ("length_rate", _FLOAT, "PLR: difference of their lengths in words over the shorter one's"),
    ("self_bleu", _FLOAT, "BLEU-4 of the second against the first, as released, 0 to 100"),
    (
        "covered_words",
        _FLOAT,
        "share of the content words of one that the other has, by stems; the lesser one",
    ),
    optional(
        "forward",
        _FLOAT,
        "log-odds that the first says all that the second says; missing without a model",
    ),
    optional("backward", _FLOAT, "the same the other way round"),
    optional("entailed", _FLOAT, "the lesser of both"),
    ("first_words", _INT),
    ("second_words", _INT),
    ("well_formed", _FLOAT, "the lesser of `first_well_formed` and `second_well_formed`"),
    ("wholes", pa.list_(_TEXT), "the longer sentences of which one side is a part; none but for `partial`"),
    ("truncated", _BOOL, "whether BERTScore reads the beginning of one of them only"),
)

SCORED = Shape(unit=_CANDIDATE, kept=_SCORED)

FILTERED = Shape(
    unit=_SCORED,
    kept=extended(
        _SCORED,
        one_of("origin", ORIGINS, "the first of its methods whose thresholds it passes"),
        ("surplus", _FLOAT, "predicted consistency beyond the threshold of this method"),
    ),
)

PARAPHRASES = Shape(
    unit=FILTERED.kept,
    kept=extended(
        FILTERED.kept,
        ("cluster", _TEXT, "of pairs that share a sentence, a paper, a term or a cited paper"),
        one_of("split", SPLITS, "of its cluster: train, validation or test"),
        ("set", _TEXT, "of pairs that share a sentence, directly or through others: all say the same"),
    ),
)

NEAR_MISSES = Shape(
    unit=SCORED.kept,
    kept=extended(
        SCORED.kept,
        one_of("origin", ORIGINS, "the one of its methods whose threshold is the lowest"),
        ("shortfall", _FLOAT, "how far its predicted consistency is below this threshold"),
        one_of(
            "difference",
            ("conflict", "one_sided", "topic"),
            "conflict (numbers, negation, more or less), one_sided, or topic",
        ),
        one_of(
            "split",
            SPLITS,
            "of the paraphrases that share a sentence, a paper, a term or a cited paper",
        ),
    ),
)

#: Pairs of other datasets, such as Quora's.
PARAPHRASE_PAIRS = Shape(
    unit=RECORD,
    kept=columns(
        ("document", _TEXT, "file and line, or the id of the row", NAME),
        ("month", _TEXT, "YYYY-MM or YYYY", TIME),
        ("corpus", _TEXT, "the source's name in params.yaml"),
        optional("split", _TEXT, "that its file or row names; missing where neither does"),
        ("first", _TEXT, "the first text", TEXT),
        ("second", _TEXT, "the second text", TEXT),
    ),
)

_TABLE_2 = (
    (
        "name",
        _TEXT,
        "all of ours, those of a method, a split or a source; or the name of a dataset in the paper",
        NAME,
    ),
    optional("genre", _TEXT, "as the paper names it"),
    optional("candidates", pa.int64(), "pairs before the filter"),
    ("pairs", pa.int64(), "after it"),
    ("words", _FLOAT, "of a sentence, on average, in the released form"),
    ("characters", _FLOAT, "the same"),
    ("self_bleu", _FLOAT, "0 to 100"),
    ("published", _BOOL, "whether the paper says so, and not our data"),
)

STATISTICS = Shape(unit=PARAPHRASES.kept, kept=columns(*_TABLE_2))

RELEASED = Shape(
    unit=PARAPHRASES.kept,
    kept=columns(
        one_of("split", SPLITS, "train, validation or test"),
        ("source_file", _TEXT, "sentences, one a line", NAME),
        ("target_file", _TEXT, "their paraphrases, line by line", NAME),
        ("pairs", pa.int64()),
    ),
)
