"""Papers: their formats, and the op that reads them into a table.

Belongs here: the registry of formats by kind. Not here: the formats themselves (in this package), talks.

To add a format, write a class with `split`, `fields` and `parse` (ops/parse/source.py: Format) in a module of
this package, build its papers with `PaperBuilder` or `assemble`, and add it to FORMATS.
"""

from __future__ import annotations

from collections.abc import Sequence

from silverloom.ops.core.outcome import Outcome
from silverloom.ops.parse.bounded import BoundedFormat
from silverloom.ops.parse.papers.acl_corpora import Aasc, ClSciSumm
from silverloom.ops.parse.papers.crawled import CrawledPapers
from silverloom.ops.parse.papers.extraction_tools import ParsCit, ScienceParse, Tei
from silverloom.ops.parse.papers.jats import Jats
from silverloom.ops.parse.papers.paper import Paper, Section, Sentence
from silverloom.ops.parse.papers.pdf import Pdf
from silverloom.ops.parse.papers.plain import PlainText
from silverloom.ops.parse.papers.s2orc import S2Orc, S2OrcShards
from silverloom.ops.parse.papers.scirex import SciRex
from silverloom.ops.parse.papers.table import AnyForm, parse_records
from silverloom.ops.parse.papers.table import parse_citations as _parse_citations
from silverloom.ops.parse.papers.unarxive import UnarXive
from silverloom.ops.parse.records import Record
from silverloom.ops.parse.source import Format

__all__ = ["FORMATS", "Paper", "Section", "Sentence", "parse_citations", "parse_papers"]

_FORMATS: dict[str, Format[Paper]] = {
    "aasc": Aasc(),
    "cl_scisumm": ClSciSumm(),
    "grobid_tei": Tei(),
    "jats": Jats(),
    "parscit": ParsCit(),
    "pdf": Pdf(),
    "plain_text": PlainText(),
    "s2orc": S2Orc(),
    "s2orc_shards": S2OrcShards(),
    "science_parse": ScienceParse(),
    "scirex": SciRex(),
    "unarxive": UnarXive(),
}

#: Formats whose fields are plain text, or in a line of JSON that the child has already read.
_QUICK_FIELDS = frozenset({"aasc", "plain_text", "s2orc_shards", "scirex", "unarxive"})

_FILES: dict[str, Format[Paper]] = {
    kind: BoundedFormat(form, quick=kind in _QUICK_FIELDS) for kind, form in _FORMATS.items()
}

FORMATS: dict[str, AnyForm] = {**_FILES, "crawled": CrawledPapers(_FILES)}


def parse_papers(records: Sequence[Record]) -> Outcome:
    """Return every record as a paper, or rejected with file, line and cause; shape PAPERS.

    Fetched pages that are not papers are dropped. Raises KeyError for a kind that is not in FORMATS.
    """
    return parse_records(records, FORMATS)


def parse_citations(records: Sequence[Record]) -> Outcome:
    """Return what every record cites; records are rejected as in `parse_papers`; shape CITATIONS."""
    return _parse_citations(records, FORMATS)
