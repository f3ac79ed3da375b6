"""The columns of TalkSumm's datasets, and of the sources that only TalkSumm reads.

Belongs here: one `Shape` per dataset. Not here: filling them.
"""

from __future__ import annotations

import pyarrow as pa

from silverloom.ops.core.outcome import (
    HOLES,
    NAME,
    TEXT,
    TIME,
    TITLE,
    TRANSCRIPT,
    Shape,
    columns,
    extended,
    one_of,
    optional,
    place,
    spans,
    struct,
)
from silverloom.ops.core.sampling import SPLITS
from silverloom.ops.parse.schemas import ENCODING, RECORD, unit_of

_TEXT, _INT, _LONG, _REAL = pa.string(), pa.int32(), pa.int64(), pa.float64()

WORD = struct(
    ("text", _TEXT, "as spoken"),
    ("offset", _LONG, "first character in the transcript file"),
    ("start", _REAL, "seconds, where the transcript has times"),
    ("end", _REAL, "seconds"),
)

TALKS = Shape(
    unit=RECORD,
    kept=columns(
        ("document", _TEXT, "the name of the talk's transcript, without extension", NAME),
        optional("title", _TEXT, "as the talk's metadata has it", TITLE),
        optional("date", _TEXT, "as the talk's metadata has it", TIME),
        ("month", _TEXT, "of the talk, YYYY-MM", TIME),
        optional("url", _TEXT, "where the talk is to be seen", NAME),
        (
            "paper_names",
            pa.list_(
                struct(
                    ("column", _TEXT, "of the metadata"),
                    ("name", _TEXT, '"acl:p18-1001", "arxiv:1706.03762", "doi:10.1000_1", "document:noise"'),
                )
            ),
            "names of its paper in the talk's metadata",
        ),
        ("words", pa.list_(WORD), "the transcript, word by word", TRANSCRIPT),
        ENCODING,
    ),
)

#: A run of a talk's words, manually aligned with the sentence of its paper that they describe.
GOLD_ALIGNMENTS = Shape(
    unit=RECORD,
    kept=columns(
        ("document", _TEXT, "the name of the talk's transcript, without extension", NAME),
        ("month", _TEXT, "of the talk, YYYY-MM", TIME),
        ("first_word", _INT, "of the run, as index of the transcript's words, from 0"),
        ("last_word", _INT, "of the run, included"),
        optional("sentence", _TEXT, "how the sentence begins; null where the words describe none"),
        ENCODING,
    ),
)

#: A summary of a paper that a person wrote or selected.
HUMAN_SUMMARIES = Shape(
    unit=RECORD,
    kept=columns(
        (
            "document",
            _TEXT,
            "the paper's name in its source, as in the column document of sources/papers",
            NAME,
        ),
        ("month", _TEXT, "of the paper's publication, YYYY-MM", TIME),
        one_of("kind", ("human", "community", "abstract", "gold"), "who or what summarised"),
        optional("annotator", _TEXT, "who wrote it, where the file's name says so"),
        (
            "splits",
            pa.list_(struct(("file", _TEXT, "table of splits in the source's folder"), ("split", _TEXT))),
            "of its paper, in each table that names the paper",
        ),
        optional(
            "title", _TEXT, "the paper's, where the summary begins with it; no part of its sentences", TITLE
        ),
        ("sentences", pa.list_(_TEXT), "in order"),
        ("words", _INT, "of all sentences, divided at white space"),
        ENCODING,
    ),
)

_TEXT, _INT, _REAL = pa.string(), pa.int32(), pa.float64()

#: The nearest titles of each talk, best first, scored once; pairs are chosen from them.
MATCHES = Shape(
    unit=unit_of(TALKS),
    kept=columns(
        ("talk_id", _TEXT, "row of sources/talks"),
        optional("talk_title", _TEXT, "as the talk's metadata has it", TITLE),
        optional(
            "named_by",
            _TEXT,
            "columns of the metadata that name the papers; null: their titles are nearest",
        ),
        (
            "candidates",
            pa.list_(
                struct(
                    ("title", _TEXT, "of a paper"),
                    (
                        "score",
                        _REAL,
                        "similarity of the titles, 0 to 1; 1 for a paper that the metadata name",
                    ),
                    ("paper_ids", pa.list_(_TEXT), "the papers that bear it"),
                )
            ),
            "the papers that the metadata name, or those of the nearest titles, best first",
        ),
    ),
)

_OF_SENTENCE = (
    ("sentence_id", _TEXT, "row of sources/sentences"),
    ("position", _INT, "in the paper, from 0"),
    optional("section_title", _TEXT, "the heading as found"),
    optional("role", _TEXT, "of its section"),
)

_HOLES = ("holes", _INT, "places from which something was taken out that cannot be rendered", HOLES)

SENTENCE_OF_PAIR = struct(
    ("id", _TEXT, "made from pair and sentence"), *_OF_SENTENCE, ("text", _TEXT, "", TEXT), _HOLES
)

#: A pair contains all input of its alignment, so that a new month of papers leaves old months fresh.
PAIRS = Shape(
    unit=unit_of(TALKS),
    kept=columns(
        ("talk_id", _TEXT, "row of sources/talks"),
        ("paper_id", _TEXT, "row of sources/papers"),
        ("talk_title", _TEXT, "as the talk's metadata has it"),
        ("paper_title", _TEXT, "as the paper's source has it", TITLE),
        ("paper_month", _TEXT, "of the paper's publication, YYYY-MM", TIME),
        optional(
            "named_by",
            _TEXT,
            "columns of the talk's metadata that name the paper; null: its title is nearest",
        ),
        ("similarity", _REAL, "of the titles, 0 to 1; 1 for a paper that the metadata name"),
        ("words", pa.list_(WORD), "the transcript, word by word", TRANSCRIPT),
        ("sentences", pa.list_(SENTENCE_OF_PAIR), "of the paper, in its order"),
    ),
)

_STATE = columns(
    ("pair_id", _TEXT, "row of talksumm/pairs"),
    ("talk_id", _TEXT, "row of sources/talks"),
    ("paper_id", _TEXT, "row of sources/papers"),
    *_OF_SENTENCE,
    ("text", _TEXT, "the sentence", TEXT),
    _HOLES,
)

#: How far the alignment of a pair can be trusted.
EVIDENCE = (
    ("states", _INT, "K, the paper's sentences that words can be aligned to"),
    ("steps", _INT, "T, the talk's words that are aligned"),
    ("stay", _REAL, "the model's probability to stay in a sentence"),
    ("coverage", _REAL, "share of the paper's states with an aligned word"),
    ("last_three", _REAL, "share of the aligned words on the paper's last three states"),
    ("posterior", _REAL, "mean probability of the words' states, given the whole talk"),
    ("explained", _REAL, "mean probability that a word comes from its state and not from the background"),
)

ALIGNMENTS = Shape(
    unit=_STATE,
    kept=extended(
        _STATE,
        ("state", _INT, "index among the pair's states, from 0"),
        ("count", _INT, "time steps (spoken words that stayed) in this state", place("{count} spoken words")),
        optional("seconds", _REAL, "time spent in this state; null where the transcript has no times"),
        (
            "spans",
            pa.list_(struct(("first", _INT), ("last", _INT))),
            "runs of the talk's words, as indices into the pair's words, both ends included",
            spans("pair_id.words"),
        ),
        ("log_probability", _REAL, "of the pair's most probable path"),
        *EVIDENCE,
    ),
)

_EXHAUSTED = "whether it has every sentence that the talk has in mind: a larger budget gives the same"

SUMMARIES = Shape(
    unit=ALIGNMENTS.kept,
    kept=columns(
        ("pair_id", _TEXT, "row of talksumm/pairs"),
        ("talk_id", _TEXT, "row of sources/talks"),
        ("paper_id", _TEXT, "row of sources/papers"),
        optional("paper_title", _TEXT, "as the paper's source has it", TITLE),
        ("budget", _TEXT, "its name in params.yaml"),
        ("sentence_ids", pa.list_(_TEXT), "rows of sources/sentences, in the paper's order"),
        ("positions", pa.list_(_INT), "of these sentences in the paper"),
        ("counts", pa.list_(_INT), "spoken words spent on these sentences"),
        ("text", _TEXT, "the summary", TEXT),
        ("words", _INT, "of the summary"),
        ("paper_words", _INT, "of all states of the paper"),
        ("exhausted", pa.bool_(), _EXHAUSTED),
        *EVIDENCE,
    ),
)

TRAINING_SETS = Shape(
    unit=SUMMARIES.kept,
    kept=columns(
        ("set", _TEXT, "the summaries' budget"),
        one_of("split", SPLITS[:2], "train or validation, by paper"),
        ("pair_id", _TEXT, "row of talksumm/pairs"),
        ("paper_id", _TEXT, "row of sources/papers"),
        optional("title", _TEXT, "of the paper", TITLE),
        ("sentences", pa.list_(_TEXT), "the paper's states in order"),
        ("roles", pa.list_(_TEXT), "of the sections that contain the sentences"),
        ("sections", pa.list_(_INT), "number of the section that contains a sentence, from 0"),
        ("labels", pa.list_(_INT), "1 where the sentence is in the summary"),
        ("summary", _TEXT, "the sentences with label 1"),
        ("exhausted", pa.bool_(), _EXHAUSTED),
    ),
)

#: Pairs of texts that a talk gives, beside the paper's extractive sets.
TALK_EXAMPLES = Shape(
    unit=TRAINING_SETS.kept,
    kept=columns(
        one_of("set", ("talk_abstract", "talk_summary", "segment_section"), "what it pairs"),
        one_of("split", SPLITS[:2], "train or validation, by paper, as in the training sets"),
        ("pair_id", _TEXT, "row of talksumm/pairs"),
        ("talk_id", _TEXT, "row of sources/talks"),
        ("paper_id", _TEXT, "row of sources/papers"),
        optional("title", _TEXT, "of the paper", TITLE),
        optional("section", _TEXT, "heading of the section that a segment describes"),
        optional("first_word", _INT, "of the segment, as index of the talk's words, from 0"),
        optional("last_word", _INT, "of the segment, included"),
        optional("start", _REAL, "of the segment, in seconds; null where the transcript has no times"),
        optional("end", _REAL, "of the segment, in seconds"),
        ("source", _TEXT, "the words of the talk, or of a segment of it", TEXT),
        ("target", _TEXT, "the abstract, the summary, or the sentences of the section"),
        *EVIDENCE,
    ),
)

TUNING = Shape(
    unit=unit_of(GOLD_ALIGNMENTS),
    kept=columns(
        one_of("model", ("paper", "robust"), "as in talksumm.hmm; robust has no delta and epsilon"),
        ("lambda", _REAL, "tried: a step one sentence farther is this much less likely"),
        ("gamma", _REAL, "tried: a step back against one forward"),
        ("delta", _REAL, "tried: the probability to stay is max(delta (1 - K/T), epsilon)"),
        ("epsilon", _REAL, "tried: the least probability to stay"),
        ("accuracy", _REAL, "share of the scored words that are put in exactly the right sentence"),
        optional("low", _REAL, "of its 95 % interval"),
        optional("high", _REAL, "of its 95 % interval"),
        ("within_two", _REAL, "share of the scored words that are at most two sentences off"),
        ("words", _INT, "scored words (time steps) of all talks"),
        ("current", pa.bool_(), "whether this is the point that params.yaml has"),
        (
            "talks",
            pa.list_(
                struct(
                    ("talk_id", _TEXT, "row of sources/talks"),
                    ("title", _TEXT),
                    ("words", _INT, "scored words of this talk"),
                    ("correct", _INT, "of them in exactly the right sentence"),
                )
            ),
            "the same, talk by talk",
        ),
    ),
)
