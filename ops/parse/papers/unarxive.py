"""unarXive: arXiv papers converted from their LaTeX source, one per line.

Belongs here: this format (the release of 2022). Not here: reading the lines (ops/parse/lines.py).

A record is {"paper_id", "metadata", "abstract": {"text"}, "body_text": [{"section", "sec_number", "text",
"cite_spans", "ref_spans"}], "bib_entries", "ref_entries"}. Texts contain placeholders `{{cite:<key>}}`,
`{{formula:<key>}}`, `{{figure:<key>}}` and `{{table:<key>}}`. A citation becomes the number of its entry in
brackets, a formula its LaTeX, a figure or table its number. One that is missing leaves a hole, and so does a
formula that is long or ends in "_", the symbol behind it being lost. A space is added between a full stop and
a formula directly behind it. The word REF stands for the number of another place, which the record lost: it
stays, with a hole. So does the label of such a place ("fig:errors"); one alone in brackets is removed. Where
nothing is left of the number ("In Section  we show", "by ()"), there is a hole. The items of a list are
paragraphs. Subjects are arXiv's categories, the primary one first, and the discipline; the DOI is that of the
journal's version, as arXiv has it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from silverloom.ops.parse.decoding import (
    ids_of,
    json_object,
    object_at,
    objects_at,
    scalars,
    text_at,
    word_at,
)
from silverloom.ops.parse.files import JSON_LINES
from silverloom.ops.parse.lines import lines_of_files
from silverloom.ops.parse.papers.metadata import categories_in, doi_of, subjects_of, words_in
from silverloom.ops.parse.papers.paper import (
    BibliographyEntry,
    Mark,
    Paper,
    PaperBuilder,
)
from silverloom.ops.parse.source import Only, ParseError, Raw, Source
from silverloom.ops.text.holes import HOLE, closed
from silverloom.ops.text.words import fold

_LABEL = (
    r"(?<![\w:/.])(?i:figs?|figure|tab|tbl|table|eqn?|equation|(?:sub)*sect?|section|app?|appendix"
    r"|alg|algorithm|def|thm|theorem|lem|lemma|prop|cor):\w[\w:-]{0,200}"
)
_IN_BRACKETS = re.compile(rf"(?<!\s)\s*\({_LABEL}\)")
#: Where a number was that the record lost without a trace: behind one of these words, or in brackets.
_NO_NUMBER = re.compile(
    r"(?<!\w)(?i:sections?|sects?|secs?|appendix|figures?|figs?|tables?|equations?|eqs?|theorems?|lemmas?)\.?"
    r"(?=[ \xa0](?:[ \xa0]+(?!REF\b)[^\s{]|[,.;:)]))|(?<=\s)\(\)"
)
#: A placeholder, or what the conversion leaves of a reference to a section or a formula.
_STAND_IN = re.compile(rf"\{{\{{(cite|formula|figure|table):([^{{}}]{{1,100}})\}}\}}|\bREF\b|{_LABEL}")
_LONGEST_FORMULA = 400
#: The end of a sentence, behind which a formula lacks its space.
_ENDED = re.compile(r"[a-z)\]]{2}[.!?]\Z")
#: Between the items of a paragraph that is a list.
_ITEMS = re.compile(r"\n\s*\n")
_LEVELS = {"section": 1, "subsection": 2, "subsubsection": 3}
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class UnarXive:
    """Reads unarXive: every line of every file of JSON lines below the folder is a paper."""

    def split(self, folder: Path, source: Source, only: Only = None) -> Iterator[Raw]:
        """Yield every non-blank line; the document id is its paper_id."""
        return lines_of_files(folder, source, JSON_LINES, only, _document)

    def fields(self, raw: Raw) -> Mapping[str, str]:
        """Return short strings and numbers of record and metadata, document, and the `date` of version 1."""
        record = json_object(raw.content)
        metadata = object_at(record.get("metadata"), "metadata")
        return {**scalars(record), **scalars(metadata), "date": _date(metadata), "document": raw.document}

    def parse(self, raw: Raw) -> Paper:
        """Return the paper. Raises ParseError that names the key."""
        record = json_object(raw.content)
        if "body_text" not in record or "bib_entries" not in record:
            raise ParseError("no key body_text or bib_entries: not a record of unarXive")
        metadata = object_at(record.get("metadata"), "metadata")
        shown = _shown(record)
        paper = PaperBuilder(text_at(metadata.get("title"), "metadata.title"))
        categories = categories_in(word_at(metadata.get("categories")))
        paper.subjects = subjects_of(categories, words_in(record.get("discipline")))
        paper.doi = doi_of(*word_at(metadata.get("doi")).split())
        abstract = object_at(record.get("abstract"), "abstract")
        text = text_at(abstract.get("text") or metadata.get("abstract"), "abstract.text")
        if text.strip():
            paper.section("Abstract", 1)
            paper.body(*_written(text, "abstract", shown))
        section, listed = None, False
        for where, paragraph in objects_at(record["body_text"], "body_text"):
            number = word_at(paragraph.get("sec_number")).removeprefix("-1")  # -1: no number
            level = _LEVELS.get(word_at(paragraph.get("sec_type")))
            if level is not None and number.count(".") + 1 != level:
                number = ""  # it is relative to the parent section, which the record does not give
            heading = text_at(paragraph.get("section"), f"{where}.section")
            title = f"{number} {closed(_written(heading, where, shown)[0])[0]}".strip()
            if title != section:
                paper.section(title, level)
                section = title
            text = text_at(paragraph.get("text"), f"{where}.text")
            before, listed = listed, paragraph.get("content_type") == "list"
            for item in _ITEMS.split(text) if listed else [text]:
                paper.body(*_written(item, where, shown), own=listed or before)
        for key, entry in object_at(record["bib_entries"], "bib_entries").items():
            paper.entry(_entry(key, object_at(entry, f"bib_entries.{key}")))
        return paper.finish()


def _document(record: Mapping[str, Any]) -> str | None:
    return word_at(record.get("paper_id"))


def _date(metadata: Mapping[str, Any]) -> str:
    """Return the submission date of version 1 ("Thu, 22 Dec 2022 17:01:56 GMT"), or the last update's."""
    for _, version in objects_at(metadata.get("versions"), "metadata.versions"):
        match = re.search(r"(\d{1,2}) ([A-Z][a-z]{2}) (\d{4})", word_at(version.get("created")))
        if match and match[2] in _MONTHS:
            return f"{match[3]}-{_MONTHS.index(match[2]) + 1:02d}-{int(match[1]):02d}"
        break
    return word_at(metadata.get("update_date"))


def _shown(record: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """Return the text that replaces the placeholder of each (kind, key)."""
    shown = {
        ("cite", key): f"[{number}]"
        for number, key in enumerate(object_at(record["bib_entries"], "bib_entries"), 1)
    }
    counts: Counter[str] = Counter()
    for key, entry in object_at(record.get("ref_entries"), "ref_entries").items():
        fields = object_at(entry, f"ref_entries.{key}")
        kind = word_at(fields.get("type"))
        counts[kind] += 1
        formula = fold(word_at(fields.get("latex")))
        shown[kind, key] = str(counts[kind]) if kind != "formula" else formula
    return shown


def _written(text: str, where: str, shown: Mapping[tuple[str, str], str]) -> tuple[str, str, list[Mark]]:
    """Return the folded text with its placeholders replaced, its locator, and its citation marks."""
    text = fold(_NO_NUMBER.sub(rf"\g<0>{HOLE}", _IN_BRACKETS.sub("", text)))
    pieces: list[str] = []
    marks: list[Mark] = []
    length = done = 0
    for match in _STAND_IN.finditer(text):
        kind, key = match.groups()
        written = shown.get((kind, key), "")
        if kind is None:
            written = match.group() + HOLE
        elif not 0 < len(written) <= _LONGEST_FORMULA or written.endswith(("_", "^")):
            written = HOLE
        if kind == "formula" and _ENDED.search(text[max(done, match.start() - 3) : match.start()]):
            written = f" {written}"
        for piece in (text[done : match.start()], written):
            pieces.append(piece)
            length += len(piece)
        if kind == "cite" and written != HOLE:
            marks.append(Mark(length - len(pieces[-1]), length, key))
        done = match.end()
    return "".join([*pieces, text[done:]]), where, marks


def _entry(key: str, entry: Mapping[str, Any]) -> BibliographyEntry:
    ids = object_at(entry.get("ids"), "ids")
    openalex = word_at(ids.get("open_alex_id")).rpartition("/")[2]
    arxiv = [
        ids.get("arxiv_id"),
        *(one.get("id") for _, one in objects_at(entry.get("contained_arXiv_ids"), "arXiv ids")),
    ]
    return BibliographyEntry(
        key,
        word_at(entry.get("bib_entry_raw")),
        ids=ids_of(
            ("arxiv", arxiv),
            ("doi", ids.get("doi")),
            ("openalex", openalex),
            ("pubmed", ids.get("pubmed_id")),
            ("pmc", ids.get("pmc_id")),
        ),
    )
