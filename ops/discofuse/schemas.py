"""The columns of DiscoFuse's datasets, and of the sources that only DiscoFuse reads.

Belongs here: one `Shape` per dataset. Not here: what fills them.
"""

from __future__ import annotations

import pyarrow as pa

from silverloom.ops.core.outcome import (
    HOLES,
    NAME,
    TEXT,
    TIME,
    TITLE,
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

_TEXT = pa.string()

#: A document of running text on any subject.
PROSE = Shape(
    unit=RECORD,
    kept=columns(
        ("document", _TEXT, "the document's name in its source", NAME),
        optional("title", _TEXT, "as the source has it; no part of the text", TITLE),
        optional("url", _TEXT, "its address, where the source tells", NAME),
        ("month", _TEXT, "of publication, YYYY-MM or YYYY", TIME),
        ("domain", _TEXT, "of the source in params.yaml; empty where the source names no domain"),
        ("text", _TEXT, "paragraphs, each one line, with a blank line between two", TEXT),
        (
            "holes",
            pa.list_(pa.int64()),
            "places in the text from which something was taken out that cannot be rendered, in characters",
            HOLES,
        ),
        ENCODING,
    ),
)

#: A sentence, and two sentences with the same meaning.
FUSION_PAIRS = Shape(
    unit=RECORD,
    kept=columns(
        ("document", _TEXT, "file and line", NAME),
        ("month", _TEXT, "that params.yaml gives the source, YYYY-MM or YYYY", TIME),
        one_of("split", SPLITS, "by the file's name: train, validation or test"),
        ("fused", _TEXT, "the sentence, space-tokenised"),
        ("first", _TEXT, "the first of the two that it was split into"),
        ("second", _TEXT, "the second"),
        ENCODING,
    ),
)

_TEXT, _INT, _REAL = pa.string(), pa.int32(), pa.float64()

#: A parsed document; ops/discofuse/annotation.py says how it is stored.
ANNOTATED = Shape(
    unit=unit_of(PROSE),
    kept=columns(
        ("document_id", _TEXT, "row of sources/prose"),
        ("document", _TEXT, "the document's name in its source", NAME),
        optional("title", _TEXT, "as the source has it", TITLE),
        ("month", _TEXT, "of publication, YYYY-MM or YYYY", TIME),
        ("domain", _TEXT, "of the source in params.yaml"),
        ("pipeline", _TEXT, "what parsed it: pipeline, version and digest, coreference"),
        (
            "sentences",
            pa.list_(
                struct(
                    ("id", _TEXT, "made from document, text, and occurrence of that text"),
                    ("start", _INT, "first token"),
                    ("end", _INT, "token after the last"),
                    ("holes", _INT, "places from which something was taken out that cannot be rendered"),
                )
            ),
            "in order; every token is in one",
        ),
        ("words", pa.list_(_TEXT), "the tokens, as written in the text"),
        ("spaces", pa.list_(pa.bool_()), "whether a blank follows"),
        ("tags", pa.list_(_TEXT), "of the Penn Treebank"),
        ("dependencies", pa.list_(_TEXT), "labels of the edge from the head"),
        ("heads", pa.list_(_INT), "how many tokens the head is to the right; 0 for a root"),
        ("lemmas", pa.list_(_TEXT), "of verbs; null where it is the word, and of other tokens"),
        ("entities", pa.list_(_TEXT), "type of the name or time that the token is in; empty where in none"),
        (
            "links",
            pa.list_(
                struct(
                    ("kind", _TEXT, "pronoun or nominal"),
                    ("mention_start", _INT, "first token"),
                    ("mention_end", _INT, "token after the last"),
                    ("antecedent_start", _INT, "first token"),
                    ("antecedent_end", _INT, "token after the last"),
                    ("score", _REAL, "probability that the two mean the same"),
                )
            ),
            "of coreference, by the mention's first token",
        ),
    ),
)

#: The columns of the document that its sentences and candidates repeat.
_OF_DOCUMENT = columns(
    ("document_id", _TEXT, "row of sources/prose"),
    ("month", _TEXT, "of publication, YYYY-MM or YYYY", TIME),
    ("domain", _TEXT, "of the source in params.yaml"),
)

#: A sentence of a parsed document: the unit of discofuse/candidates.
SENTENCE = extended(
    _OF_DOCUMENT,
    ("sentence", _INT, "in the document, from 0"),
    ("text", _TEXT, "as written in the document", TEXT),
)

#: The columns of the released files, in order (github.com/google-research-datasets/discofuse).
RELEASED_COLUMNS = pa.schema(
    [
        column("coherent_first_sentence", _TEXT, "the text, or the first of its two sentences"),
        column("coherent_second_sentence", _TEXT, "the second; empty where the text is one sentence"),
        column("incoherent_first_sentence", _TEXT, "the first independent sentence"),
        column("incoherent_second_sentence", _TEXT, "the second"),
        column("discourse_type", _TEXT, "the phenomenon that was taken out; PAIR_NONE: none"),
        column(
            "connective_string",
            _TEXT,
            'in lower case, with its comma ("however ,"); empty if there is none',
        ),
        column("has_coref_type_pronoun", _REAL, "1.0 if a pronoun was replaced, else 0.0"),
        column("has_coref_type_nominal", _REAL, "1.0 if a nominal was replaced, else 0.0"),
    ]
)

CANDIDATES = Shape(
    unit=SENTENCE,
    kept=extended(
        _OF_DOCUMENT,
        ("sentence", _INT, "in the document, from 0; the first of two"),
        ("rule", _TEXT, 'the rule that split it, "anaphora" or "control"; ends in "+anaphora" if combined'),
        *RELEASED_COLUMNS,
        ("fused_detokenised", _TEXT, "the coherent text as written, in one line"),
        ("unfused_detokenised", _TEXT, "the two incoherent sentences in one line, with blanks as written"),
        ("first_tokens", _INT, "of the first original sentence"),
        ("second_tokens", _INT, "of the second; 0 where the text is one sentence"),
        ("holes", _INT, "places in the original sentences from which something was taken out"),
        optional("coreference_score", _REAL, "the least of its links; null without links"),
        optional("sense", _TEXT, "of the connective in the Penn Discourse Treebank; null if it has none"),
        ("covered", _REAL, "share of the text's content words, without the connective, that the split has"),
        ("supported", _REAL, "share of the split's content words that the text has as often"),
        optional(
            "disfluency", _REAL, "bits of the split's new runs of bytes; null without any text to learn"
        ),
        optional("forward", _REAL, "log-odds that the text entails its split; null without `evidence.nli`"),
        optional("backward", _REAL, "log-odds that the split entails its text; null without `evidence.nli`"),
        (
            "links",
            pa.list_(
                struct(
                    ("kind", _TEXT, "pronoun or nominal"),
                    ("mention", _TEXT, "what was replaced"),
                    ("antecedent", _TEXT, "what it means"),
                    ("score", _REAL, "probability that the two mean the same"),
                )
            ),
            "whose mention was replaced by its antecedent",
        ),
    ),
)

EXAMPLES = Shape(
    unit=CANDIDATES.kept,
    kept=extended(
        CANDIDATES.kept,
        one_of("split", SPLITS, "train, validation or test; a document's are in one"),
        ("fused", _TEXT, "the coherent text in one line: what a model is to write"),
        ("unfused", _TEXT, "the two incoherent sentences in one line: what it is given"),
        ("control", pa.bool_(), "a pair that no rule matched (PAIR_NONE): unfused is fused"),
    ),
)

BALANCED = Shape(
    unit=EXAMPLES.kept,
    kept=extended(
        EXAMPLES.kept,
        ("mixture", pa.bool_(), "part of the 50-50 mixture of the two largest domains"),
    ),
)

SENTENCE_SPLITS = Shape(
    unit=EXAMPLES.kept,
    kept=extended(
        _OF_DOCUMENT,
        one_of("split", SPLITS, "of the document: train, validation or test"),
        ("sentence", _INT, "in the document, from 0"),
        ("text", _TEXT, "the sentence, with the blanks of the document", TEXT),
        ("splits", pa.list_(_TEXT), "its splits into two sentences, each in one line"),
        ("discourse_types", pa.list_(_TEXT), "of each split: what was taken out"),
        ("connectives", pa.list_(_TEXT), "of each split, in lower case; empty if there is none"),
    ),
)

RELEASED = Shape(
    unit=EXAMPLES.kept,
    kept=columns(
        ("file", _TEXT, "a released file, next to the rows"),
        ("domain", _TEXT, "of its examples"),
        one_of("split", SPLITS, "of its examples"),
        ("balanced", pa.bool_(), "whether it has the examples of discofuse/balanced only"),
        ("first_line", pa.int64(), "of these examples in the file, from 1; line 1 is the header"),
        ("lines", _INT, "of these examples"),
    ),
)
