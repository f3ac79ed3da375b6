"""Scientific text that comes without its paper, and paraphrase pairs from other datasets.

Belongs here: the formats, and the ops that make tables of sentences and of pairs. Not here: whole papers and
their citation marks (ops/parse/papers), models that are trained on external pairs (ops/parasci/generation).

`abstracts`: tables with rows {"id": ..., "abstract": ...}. A row may have more columns, which a month rule
may name; `categories` are its subjects, `doi` its DOI. `citing_sentences`: a JSON list per cited paper, in
ScisummNet's format `<paper>/citing_sentences*.json`: {"citing_paper_id": ..., "clean_text": ...} or
"raw_text".

Dong et al. (2021), Table 6: generators that are trained on external pairs (Quora's questions, MSCOCO's
captions) are tested on ParaSCI. `paraphrase_pairs`: any table with two columns of texts, and optionally a
label that says whether they are paraphrases. `paraphrase_lines`: `<name>.src` and `<name>.tgt`, line by line,
the format of ParaSCI's release. `caption_groups`: lines of JSON with a list of texts, such as the captions of
a picture; each text is in at most one pair.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from silverloom.ops.core.outcome import Outcome, Row
from silverloom.ops.core.sampling import SPLIT_NAMES
from silverloom.ops.parasci.schemas import PARAPHRASE_PAIRS, PASSAGES
from silverloom.ops.parse import files
from silverloom.ops.parse.bounded import BoundedFormat
from silverloom.ops.parse.decoding import check_characters, decoded, json_object, json_value, text_at
from silverloom.ops.parse.files import find, once
from silverloom.ops.parse.lines import is_wanted, lines_of_file
from silverloom.ops.parse.papers.metadata import categories_in, doi_of, subjects_of, words_in
from silverloom.ops.parse.records import Record, UnwantedError, read_each, row_of
from silverloom.ops.parse.source import Format, Only, ParseError, Raw, Source
from silverloom.ops.parse.tables import Table
from silverloom.ops.text.sentences import sentence_spans
from silverloom.ops.text.words import fold


class SourceSentence(NamedTuple):
    """A sentence, its paper, and the paper that it cites."""

    paper: str
    text: str
    cited: str | None = None
    subjects: tuple[str, ...] = ()
    """The subjects of the paper, from its source."""
    doi: str = ""


class _Abstracts(Table):
    """Reads tables; every row of every table below the folder is an abstract."""

    def __init__(self) -> None:
        super().__init__(
            text="abstract", id="id", title="title", date="date", subjects="categories", doi="doi"
        )

    def parse(self, raw: Raw) -> list[SourceSentence]:
        row = self.row(raw)
        text = fold(text_at(self.needed(raw, row, "text"), "abstract"))
        if not text:
            raise ParseError("no abstract")
        subjects = subjects_of(*map(categories_in, words_in(row.get("subjects"))))
        doi = doi_of(row.get("doi"))
        return [SourceSentence(raw.document, sentence, None, subjects, doi) for sentence in _sentences(text)]


class _CitingSentences:
    """Reads ScisummNet's lists; the cited paper is the folder of the file. Skips other files."""

    any_encoding = True

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        return files.whole_files(folder, source, (".json",), only, passing=True, document=_cited_paper)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return `document`: the cited paper."""
        return {"document": raw.document}

    def parse(self, raw: Raw) -> list[SourceSentence]:
        citances = json_value(raw.content)
        if not isinstance(citances, list) or not all(isinstance(citance, dict) for citance in citances):
            raise ParseError("no list of citing sentences")
        passages = []
        for number, citance in enumerate(citances, 1):
            text = fold(text_at(citance.get("clean_text") or citance.get("raw_text"), "clean_text"))
            paper = text_at(citance.get("citing_paper_id"), "citing_paper_id").strip()
            check_characters(f"{text} {paper}", f"sentence {number}")
            passages.append(SourceSentence(paper or f"{raw.document}#{number}", text, raw.document))
        if not any(passage.text for passage in passages):
            raise ParseError("no citing sentence")
        return passages


PASSAGE_FORMATS: dict[str, Format[list[SourceSentence]]] = {
    "abstracts": _Abstracts(),
    "citing_sentences": BoundedFormat(_CitingSentences(), quick=True),
}

_NO = frozenset({"0", "0.0", "false", "no", ""})
_SOURCE, _TARGET = (".src", ".src.gz"), (".tgt", ".tgt.gz")


class ParaphrasePair(NamedTuple):
    """Two texts with the same meaning, and the split that their file or row names."""

    first: str
    second: str
    split: str | None


class _Pairs(Table):
    """Reads tables of pairs."""

    main = "first"

    def __init__(self) -> None:
        super().__init__(first="first", second="second", id="id", label="label", split="split")

    def parse(self, raw: Raw) -> list[ParaphrasePair]:
        row = self.row(raw)
        first, second = (fold(text_at(self.needed(raw, row, name), name)) for name in ("first", "second"))
        if "label" in row and _text(row["label"]) in _NO:
            raise UnwantedError("not_paraphrases")
        return [_pair(first, second, _split(raw.path, row))]


class _Captions(Table):
    """Reads JSON lines, each with a list of texts."""

    main = "captions"

    def __init__(self) -> None:
        super().__init__(captions="captions", id="id", split="split")

    def parse(self, raw: Raw) -> list[ParaphrasePair]:
        row = self.row(raw)
        captions = self.needed(raw, row, "captions")
        if not isinstance(captions, list):
            raise ParseError("captions: expected a list of texts")
        texts = [fold(text_at(text, "captions")) for text in captions]
        if len(texts) < 2:
            raise UnwantedError("one_caption")
        split = _split(raw.path, row)
        return [_pair(first, second, split) for first, second in zip(texts[::2], texts[1::2], strict=False)]


class _Lines:
    """Reads pairs of files, line by line."""

    any_encoding = True
    of_lines = True

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield a record for each line of each `.src`; a line that is missing in one file is an error."""
        by_path = {file.path: file for file in find(folder, source, (*_SOURCE, *_TARGET))}
        return once(
            raw
            for path in by_path
            if path.endswith(_SOURCE) and (only is None or path in only)
            for raw in self._records(path, by_path, source, only)
        )

    def _records(self, path: str, by_path: Mapping[str, Any], source: Source, only: Only) -> Iterator[Raw]:
        stem = re.sub(r"\.src(\.gz)?$", "", path)
        target = next((by_path[stem + suffix] for suffix in _TARGET if stem + suffix in by_path), None)
        if target is None:
            yield Raw(path, path, b"", error=f"there is no {stem}.tgt next to it")
            return
        sides = (
            [Raw(file.path, file.path, b"", error=file.error)]
            if file.error is not None
            else lines_of_file(file.path, file.file, source.max_bytes)
            for file in (by_path[path], target)
        )
        for first, second in zip_longest(*sides):
            raw = self._record(path, first, second)
            if is_wanted(raw, only):
                yield raw

    def _record(self, path: str, first: Raw | None, second: Raw | None) -> Raw:
        row = (first or second).row  # type: ignore[union-attr]
        error = next((side.error for side in (first, second) if side is not None and side.error), None)
        if error is None and (first is None or second is None):
            error = f"its line {row} is {'not there' if first is None else 'in no line of its .tgt'}"
        if error is not None or first is None or second is None:
            return Raw(path, f"{path}#{row}", b"", row, error=error)
        try:
            texts = {"first": decoded(first.content), "second": decoded(second.content)}
        except ParseError as fault:
            return Raw(path, f"{path}#{row}", b"", row, error=str(fault))
        return Raw(path, f"{path}#{row}", json.dumps(texts).encode(), row)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return `document`: file and line."""
        return {"document": raw.document}

    def parse(self, raw: Raw) -> list[ParaphrasePair]:
        row = json_object(raw.content)
        return [_pair(fold(str(row["first"])), fold(str(row["second"])), _split(raw.path, {}))]


PAIR_FORMATS: dict[str, Format[list[ParaphrasePair]]] = {
    "paraphrase_pairs": _Pairs(),
    "paraphrase_lines": _Lines(),
    "caption_groups": _Captions(),
}


def parse_passages(records: Sequence[Record]) -> Outcome:
    """Return the sentences of every record, or the record rejected with file, line and cause.

    Sentences without text in a list are skipped and counted as `empty`.
    """
    lost: Counter[str] = Counter()

    def rows(record: Record) -> list[Row]:
        parsed = PASSAGE_FORMATS[record.kind].parse(record.raw)
        passages = [passage for passage in parsed if passage.text]
        if len(passages) < len(parsed):
            lost["empty"] += len(parsed) - len(passages)
        check_characters(" ".join(passage.paper for passage in passages), "the name of a paper")
        return [_row(record, place, passage) for place, passage in enumerate(passages)]

    return read_each(records, PASSAGES, rows, lost)


def parse_paraphrase_pairs(records: Sequence[Record]) -> Outcome:
    """Return the pairs of every record, or the record rejected with file, line and cause.

    Reasons to drop a record: `not_paraphrases` (by its label), `one_caption`.
    """

    def rows(record: Record) -> list[Row]:
        pairs = PAIR_FORMATS[record.kind].parse(record.raw)
        check_characters(" ".join(text for pair in pairs for text in pair[:2]), "the pair")
        return [
            {
                **row_of(record, "external_pair", str(place)),
                "document": record.raw.document,
                "month": record.month,
                "corpus": record.source,
                "split": pair.split,
                "first": pair.first,
                "second": pair.second,
            }
            for place, pair in enumerate(pairs)
        ]

    return read_each(records, PARAPHRASE_PAIRS, rows)


def _row(record: Record, place: int, passage: SourceSentence) -> Row:
    return {
        **row_of(record, "passage", str(place)),
        "document": record.raw.document,
        "month": record.month,
        "paper": passage.paper,
        "position": place,
        "cited_id": passage.cited,
        "subjects": [*subjects_of(passage.subjects, [record.domain])],
        "doi": passage.doi or None,
        "text": passage.text,
    }


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def _cited_paper(path: str) -> str:
    place = PurePosixPath(path)
    return place.parent.name or place.stem


def _pair(first: str, second: str, split: str | None) -> ParaphrasePair:
    if missing := [name for name, text in (("first", first), ("second", second)) if not text]:
        raise ParseError(f"the {' and the '.join(missing)} text is empty")
    return ParaphrasePair(first, second, split)


def _split(path: str, row: Mapping[str, Any]) -> str | None:
    """Return the split that a row or its file names; None if neither names one."""
    if row.get("split") is not None:
        said = _text(row["split"])
        if said not in SPLIT_NAMES:
            raise ParseError(f"the split {said[:40]!r} is not one of {', '.join(SPLIT_NAMES)}")
        return SPLIT_NAMES[said]
    words = re.split(r"[^a-z]+", PurePosixPath(path).name.lower())
    return next((SPLIT_NAMES[word] for word in words if word in SPLIT_NAMES), None)


def _text(value: object) -> str:
    return str(value).strip().lower() if not isinstance(value, bool) else str(int(value))
