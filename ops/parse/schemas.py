"""The columns of the sources: papers, talks, sentences, prose, and what people made of them by hand.

Belongs here: one `Shape` a dataset. Not here: what fills them.
"""

from __future__ import annotations

import pyarrow as pa

from ops.outcome import Shape, columns, extended, struct

_TEXT, _INT, _LONG, _REAL = pa.string(), pa.int32(), pa.int64(), pa.float64()

#: A record as it lies in its source; the unit of sources/papers and sources/talks.
RECORD = columns(
    ("path", _TEXT, "name of the source in params.yaml, then the file below its folder"),
    ("row", _LONG, "line of the record, from 1, in a file of several"),
    ("content", pa.binary(), "the bytes as they are"),
)

#: Of a sentence, beside its paper and by itself: where it stands, and what it says.
_PLACE = (
    ("position", _INT, "in the paper, from 0"),
    ("section", _INT, "index into the paper's sections"),
)
_TEXT_AS_FOUND = (
    ("start", _LONG, "first character in the paper's text"),
    ("end", _LONG, "character after the last"),
    ("locator", _TEXT, 'in the source\'s own terms: "S sid=12", "sections[3]", "line 40"'),
    ("text", _TEXT, "de-hyphenated, white space folded"),
)

SENTENCE_IN_PAPER = struct(
    ("id", _TEXT, "made from paper, text as found, and occurrence of that text"), *_PLACE, *_TEXT_AS_FOUND
)

PAPERS = Shape(
    unit=RECORD,
    kept=columns(
        ("document", _TEXT, "the paper's name in its source"),
        ("title", _TEXT, "as the source has it"),
        ("month", _TEXT, "of publication, YYYY-MM"),
        ("text", _TEXT, "of a plain-text source: the file, so that offsets are offsets into the file"),
        (
            "sections",
            pa.list_(
                struct(
                    ("title", _TEXT, "the heading as found"),
                    ("role", _TEXT, 'what it is: "introduction", "related work", ...'),
                )
            ),
            "in the paper's order",
        ),
        ("sentences", pa.list_(SENTENCE_IN_PAPER), "in the paper's order"),
    ),
)

WORD = struct(
    ("text", _TEXT, "as spoken"),
    ("offset", _LONG, "first character in the transcript file"),
    ("start", _REAL, "seconds, where the transcript has times"),
    ("end", _REAL, "seconds"),
)

TALKS = Shape(
    unit=RECORD,
    kept=columns(
        ("document", _TEXT, "the name of the talk's transcript, without extension"),
        ("title", _TEXT, "as the talk's metadata has it"),
        ("date", _TEXT, "as the talk's metadata has it"),
        ("month", _TEXT, "of the talk, YYYY-MM"),
        ("url", _TEXT, "where the talk is to be seen"),
        ("words", pa.list_(WORD), "the transcript, word by word"),
    ),
)

#: A run of a talk's words with the sentence of its paper that they describe, by hand.
GOLD_ALIGNMENTS = Shape(
    unit=RECORD,
    kept=columns(
        ("document", _TEXT, "the name of the talk's transcript, without extension"),
        ("month", _TEXT, "of the talk, YYYY-MM"),
        ("first_word", _INT, "of the run, as index of the transcript's words, from 0"),
        ("last_word", _INT, "of the run, included"),
        ("sentence", _TEXT, "how the sentence begins; null where the words describe none"),
    ),
)

#: A summary of a paper that a person wrote or chose.
HUMAN_SUMMARIES = Shape(
    unit=RECORD,
    kept=columns(
        ("document", _TEXT, "the paper's name in its source, as in the column document of sources/papers"),
        ("month", _TEXT, "of the paper's publication, YYYY-MM"),
        ("kind", _TEXT, '"human", "community", "abstract" or "gold"'),
        ("annotator", _TEXT, "who wrote it, where the file's name says so"),
        ("title", _TEXT, "the paper's, where the summary begins with it; no part of its sentences"),
        ("sentences", pa.list_(_TEXT), "in order"),
        ("words", _INT, "of all sentences, divided at white space"),
    ),
)

#: A document of running text, whatever it is about.
PROSE = Shape(
    unit=RECORD,
    kept=columns(
        ("document", _TEXT, "the document's name in its source"),
        ("title", _TEXT, "as the source has it; no part of the text"),
        ("month", _TEXT, "of publication, YYYY-MM"),
        ("domain", _TEXT, "of the source in params.yaml; empty where it has none"),
        ("text", _TEXT, "paragraphs, each one line, with a blank line between two"),
    ),
)

#: A sentence, and two that say the same.
FUSION_PAIRS = Shape(
    unit=RECORD,
    kept=columns(
        ("document", _TEXT, "file and line"),
        ("month", _TEXT, "that params.yaml gives the source, YYYY-MM"),
        ("split", _TEXT, "by the file's name: train, validation or test"),
        ("fused", _TEXT, "the sentence, space-tokenised"),
        ("first", _TEXT, "the first of the two that it was split into"),
        ("second", _TEXT, "the second"),
    ),
)

_SENTENCE = columns(
    ("paper_id", _TEXT, "row of sources/papers"),
    *_PLACE,
    ("section_title", _TEXT, "the heading as found"),
    ("role", _TEXT, 'of its section: "introduction", "related work", ...'),
    *_TEXT_AS_FOUND,
)

SENTENCES = Shape(
    unit=_SENTENCE,
    kept=extended(_SENTENCE, ("cut", _TEXT, "what a footnote rule took out, if it took something")),
)
