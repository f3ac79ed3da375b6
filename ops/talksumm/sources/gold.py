"""Manual annotations: summaries of papers, and alignments of talks with papers.

Belongs here: the formats, and the ops that read summaries and labelled runs into tables. Not here: the papers
(ops/parse/papers/acl_corpora.py), summaries made by systems, finding the sentence of a label, and scoring
alignments against labels (ops/talksumm/align/tuning.py).

CL-SciSumm and ScisummNet store summaries in `<paper>/summary/`. Real files (WING-NUS/scisumm-corpus) have
irregularities. A file name may be that of another paper (J00-3003/summary/J03-3003.human.txt), so the folder
counts. The annotator follows an underscore (A00-2018_sweta.human.txt). "community" and "abstract" are S
elements without a root, in which "&" may be unescaped. "human" is running text with arbitrary line breaks.
"gold" has one sentence per line below the paper's title.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from silverloom.ops.core.outcome import Outcome, Row
from silverloom.ops.parse import files
from silverloom.ops.parse.bounded import BoundedFormat
from silverloom.ops.parse.decoding import check_characters, csv_rows, decoded, header_with, unescaped
from silverloom.ops.parse.records import Record, read_each, row_of
from silverloom.ops.parse.source import Format, Only, ParseError, Raw, Source
from silverloom.ops.talksumm.schemas import GOLD_ALIGNMENTS, HUMAN_SUMMARIES
from silverloom.ops.talksumm.sources.split_tables import split_tables
from silverloom.ops.text.hyphens import join_lines, words_of
from silverloom.ops.text.sentences import sentence_spans
from silverloom.ops.text.words import fold

#: "human" was written after reading citing sentences and paper; "community" was chosen from both by what is
#: cited; "abstract" is the authors' own; "gold" was written after reading citing sentences and abstract
#: (ScisummNet).
KINDS = ("human", "community", "abstract", "gold")

_NAME = re.compile(rf"(?P<stem>.+)\.(?P<kind>{'|'.join(KINDS)})(\.summary)?\.txt", re.IGNORECASE | re.DOTALL)
_SUFFIXES = tuple(f".{kind}{more}.txt" for kind in KINDS for more in ("", ".summary"))

#: The companion of a summary with the splits of its paper.
_SPLITS = "splits"

_ELEMENT = re.compile(r"<S(?P<attributes>\s[^<>]*)?>(?P<text>(?:(?!</?S[\s>]).)*+)</S\s*>", re.DOTALL)
_TITLE = re.compile(r"\ssid\s*=\s*[\"']?0[\"']?(?!\d)")
_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")


class Summary(NamedTuple):
    """A human summary."""

    paper: str
    """The document id of the summarised paper."""
    kind: str
    annotator: str | None
    title: str | None
    """The paper's title, if the summary begins with it."""
    sentences: list[str]
    splits: list[tuple[str, str]]
    """The paper's splits, each with the table that names it."""


class _ClSciSummSummaries:
    """Reads a folder of CL-SciSumm or ScisummNet: every `*.<kind>.txt` of `KINDS`; other files are skipped.

    The document id consists of paper, annotator and kind, for instance "A00-2018_sweta.human". If two files
    have the same id, one of them is rejected. Tables of splits (split_tables.py) belong to the summaries of
    the papers that they name; a broken table is a rejected record.
    """

    any_encoding = True

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        tables, faults = split_tables(folder, source)
        for raw in files.whole_files(folder, source, _SUFFIXES, only, passing=True, document=_document):
            paper = _named_by(raw.path)[0]
            splits = [[table, splits[paper]] for table, splits in tables.items() if paper in splits]
            yield replace(raw, companions={_SPLITS: splits}) if splits else raw
        for path, fault in faults.items():
            yield Raw(path, path, b"", error=fault)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return `document`: paper, annotator and kind."""
        return {"document": raw.document}

    def parse(self, raw: Raw) -> Summary:
        paper, annotator, kind = _named_by(raw.path)
        check_characters(raw.document, "the file's name")
        text = decoded(raw.content)
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        check_characters(text, "the file")
        title = None
        if text.lstrip().startswith(("<S>", "<S ", "</S")):
            title, sentences = _elements(text)
        elif kind == "gold":
            title, *sentences = [fold(line) for line in text.splitlines() if line.strip()] or [""]
        else:
            sentences = _running(text)
        if not sentences:
            raise ParseError("no sentence below the title" if title else "no sentence")
        splits = [(table, split) for table, split in raw.companions.get(_SPLITS, ())]
        return Summary(paper, kind, annotator, title, sentences, splits)


SUMMARY_FORMATS: dict[str, Format[Summary]] = {
    "cl_scisumm_summaries": BoundedFormat(_ClSciSummSummaries(), quick=True)
}

COLUMNS = ("first_word", "last_word", "sentence")

_INDEX = re.compile(r"\d{1,9}", re.ASCII)


class Label(NamedTuple):
    """A labelled run: its first and last word in the talk, and the beginning of their sentence."""

    first_word: int
    last_word: int
    sentence: str | None
    """None if the words describe no sentence."""


class _WordRuns:
    """Reads a folder of CSV files, one per talk, named like its transcript.

    Columns are `first_word` and `last_word` (indices of the transcript's words from 0, both inclusive) and
    `sentence` (the beginning of the sentence that the words describe; empty if none). Other columns are
    allowed. The rows cover the words from the first one on, in order and without gaps.
    """

    any_encoding = True

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        return files.whole_files(folder, source, (".csv",), only)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return only the name, from which the month may be read (`2018-06-agreement`)."""
        return {"document": raw.document}

    def parse(self, raw: Raw) -> Sequence[Label]:
        labels: list[Label] = []
        for line, cells in csv_rows(decoded(raw.content), header_with(COLUMNS)):
            label = _label(line, cells)
            due = labels[-1].last_word + 1 if labels else 0
            if label.first_word != due:
                raise ParseError(f"line {line}: begins with word {label.first_word}, due is word {due}")
            labels.append(label)
        if not labels:
            raise ParseError("no row below the header")
        return labels


ALIGNMENT_FORMATS: dict[str, Format[Sequence[Label]]] = {"word_runs": BoundedFormat(_WordRuns(), quick=True)}


def parse_human_summaries(records: Sequence[Record]) -> Outcome:
    """Return the summary of every record, or the record as rejected with file and cause."""

    def rows(record: Record) -> list[Row]:
        return [_summary_row(record, SUMMARY_FORMATS[record.kind].parse(record.raw))]

    return read_each(records, HUMAN_SUMMARIES, rows)


def parse_gold_alignments(records: Sequence[Record]) -> Outcome:
    """Return every labelled run of every record; a malformed file is rejected whole, with line and cause.

    One wrong boundary puts all later ones in doubt, so no part of such a file is used.
    """

    def rows(record: Record) -> list[Row]:
        return [_alignment_row(record, label) for label in ALIGNMENT_FORMATS[record.kind].parse(record.raw)]

    return read_each(records, GOLD_ALIGNMENTS, rows)


def _named_by(path: str) -> tuple[str, str | None, str]:
    """Return paper, annotator and kind from a path; in `<paper>/summary/` the folder names the paper."""
    place = PurePosixPath(path)
    match = _NAME.fullmatch(place.name)
    stem, kind = (match["stem"], match["kind"].lower()) if match else (place.stem, "")
    paper, _, annotator = stem.rpartition("_") if "_" in stem else (stem, "", "")
    if len(place.parts) > 2 and place.parts[-2].lower() == "summary":
        paper = place.parts[-3]
        if stem == paper or stem.startswith(f"{paper}_"):
            annotator = stem[len(paper) + 1 :]
    return paper, annotator or None, kind


def _document(path: str) -> str:
    paper, annotator, kind = _named_by(path)
    return ".".join(filter(None, ["_".join(filter(None, [paper, annotator])), kind]))


def _elements(text: str) -> tuple[str | None, list[str]]:
    """Return the title (sentence 0) and the sentences of S elements. Raises ParseError for text outside."""
    title, sentences, place = None, [], 0
    for element in [*_ELEMENT.finditer(text), None]:
        outside = text[place : element.start() if element else len(text)]
        if stray := outside.strip():
            line = text.count("\n", 0, place + outside.index(stray)) + 1
            opens = re.match(r"<S[\s>]", stray) is not None
            cause = (
                "an S element is not closed" if opens else f"text outside of the S elements: {stray[:40]!r}"
            )
            raise ParseError(f"broken XML: {cause} (line {line})")
        if element:
            place = element.end()
            sentence = fold(unescaped(unescaped(element["text"])))
            if _TITLE.search(element["attributes"] or ""):
                title = sentence or None
            elif sentence:
                sentences.append(sentence)
    return title, sentences


def _running(text: str) -> list[str]:
    """Return the sentences of text with arbitrary line breaks; a blank line ends a sentence."""
    known = words_of(text)
    sentences = []
    for block in _BLANK_LINES.split(text.strip()):
        flow = fold(join_lines(block, known))
        sentences += [flow[start:end] for start, end in sentence_spans(flow)]
    return sentences


def _summary_row(record: Record, summary: Summary) -> Row:
    return {
        **row_of(record, "reference"),
        "document": summary.paper,
        "month": record.month,
        "kind": summary.kind,
        "annotator": summary.annotator,
        "splits": [{"file": table, "split": split} for table, split in summary.splits],
        "title": summary.title,
        "sentences": summary.sentences,
        "words": sum(len(sentence.split()) for sentence in summary.sentences),
    }


def _label(line: int, cells: Mapping[str, str]) -> Label:
    ends = []
    for name in ("first_word", "last_word"):
        if not _INDEX.fullmatch(cells[name].strip()):
            raise ParseError(f"line {line}: {name} must be the index of a word, found {cells[name][:40]!r}")
        ends.append(int(cells[name]))
    if ends[1] < ends[0]:
        raise ParseError(f"line {line}: last_word ({ends[1]}) is before first_word ({ends[0]})")
    return Label(ends[0], ends[1], fold(cells["sentence"]) or None)


def _alignment_row(record: Record, label: Label) -> Row:
    run = f"{label.first_word}-{label.last_word}"
    return {
        **row_of(record, "label", run, label.sentence or ""),
        "document": record.raw.document,
        "month": record.month,
        **label._asdict(),
    }
