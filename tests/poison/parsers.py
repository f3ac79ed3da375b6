"""The parsers that meet the poison, each with a sound record in its format.

Belongs here: a file of each format, made from a title and a text. Not here: the poison (corpus.py).
"""

from __future__ import annotations

import csv
import html
import io
import json
import tarfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from backports import zstd

from silverloom.ops.core.outcome import Outcome
from silverloom.ops.crawl.crawl import FORMATS as LISTS
from silverloom.ops.discofuse import sources as discofuse_sources
from silverloom.ops.evaluation import answers
from silverloom.ops.parasci import sources as passages
from silverloom.ops.parse import papers, web, wikipedia
from silverloom.ops.parse.records import Record
from silverloom.ops.talksumm.sources import gold, talks
from tests.espeak import spoken
from tests.papers_as_pdf import printed
from tests.poison.crawls import LISTINGS, address, crawled_listings, crawled_lists


@dataclass(frozen=True, eq=False)
class Parser:
    """A kind of source: its formats, its op, and how to make a file from a name, a title and a text."""

    kind: str
    formats: Mapping[str, Any]
    op: Callable[[Sequence[Record]], Outcome] | None
    """None if a crawl reads its files, see `crawl`."""
    ending: str
    make: Callable[[str, str, str], bytes]
    binary: bool = False
    """Whether its text cannot be poisoned character by character."""
    rows: bool = False
    """Whether it reads the rows of a crawl that fetched the files, instead of a folder."""
    crawl: Callable[[Parser, Path], Outcome] | None = None
    """Crawls what the files of a folder list, for all items at once."""
    prefix: str = ""
    """The prefix of its file names."""
    beside: Callable[[Sequence[str]], Mapping[str, bytes]] = lambda names: {}
    """Files that are required next to files with these names."""

    @property
    def name(self) -> str:
        """Its name in the table."""
        if self.crawl is crawled_listings:
            return f"list of {self.kind}"
        return f"{self.kind} {self.ending}" if self.kind in _OF_MANY else self.kind

    def file(self, stem: str) -> str:
        """Return the name of a file."""
        return f"{self.prefix}{stem}{self.ending}"


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


def _xml(text: str) -> str:
    """Escape a text; characters that are invalid in XML become references, as a careless writer would do."""
    return "".join(
        f"&#{ord(sign)};" if sign < " " or 0xD800 <= ord(sign) < 0xE000 else html.escape(sign)
        for sign in text
    )


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _scirex(name: str, title: str, text: str) -> bytes:
    words = [*title.split(" "), "section", ":", "Work", *text.split(" ")]
    head = len(title.split(" "))
    spans = [[0, head], [head, head + 3], [head + 3, len(words)]]
    return _json(
        {"doc_id": name, "words": words, "sections": [[0, head], [head, len(words)]], "sentences": spans}
    )


def _s2orc(name: str, title: str, text: str) -> bytes:
    return _json({"paper_id": name, "title": title, "body_text": [{"text": text, "section": "Introduction"}]})


def _unarxive(name: str, title: str, text: str) -> bytes:
    body = [{"text": text, "section": "Introduction", "sec_number": "1"}]
    return _json({"paper_id": name, "metadata": {"title": title}, "body_text": body, "bib_entries": {}})


def _tei(name: str, title: str, text: str) -> bytes:
    return _bytes(
        '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>'
        f'<title type="main">{_xml(title)}</title></titleStmt></fileDesc></teiHeader>'
        f"<text><body><div><head>Introduction</head><p>{_xml(text)}</p></div></body></text></TEI>"
    )


def _jats(name: str, title: str, text: str) -> bytes:
    return _bytes(
        f"<article><front><article-meta><title-group><article-title>{_xml(title)}</article-title></title-group>"
        f"</article-meta></front><body><sec><title>Introduction</title><p>{_xml(text)}</p></sec></body></article>"
    )


def _parscit(name: str, title: str, text: str) -> bytes:
    return _bytes(
        f'<algorithms><algorithm name="SectLabel"><variant no="0"><title>{_xml(title)}</title>'
        f"<sectionHeader>1 Introduction</sectionHeader><bodyText>{_xml(text)}</bodyText></variant></algorithm></algorithms>"
    )


def _cl_scisumm(name: str, title: str, text: str) -> bytes:
    return _bytes(
        f'<PAPER><S sid="0">{_xml(title)}</S><SECTION title="Introduction"><S sid="1">{_xml(text)}</S></SECTION></PAPER>'
    )


def _dump(name: str, title: str, text: str) -> bytes:
    return _bytes(
        f"<mediawiki><page><title>{_xml(title)}</title><ns>0</ns><revision><text>{_xml(text)}</text></revision></page></mediawiki>"
    )


def _html(name: str, title: str, text: str) -> bytes:
    return _bytes(f"<html><head><title>{title}</title></head><body><p>{text}</p></body></html>")


def warc_record(name: str, body: bytes, length: int | str | None = None, fields: str = "") -> bytes:
    """Return a response with an HTML body."""
    content = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n" + fields.encode() + b"\r\n" + body
    )
    head = (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:{name}>\r\nWARC-Target-URI: http://example.org/{name}\r\n"
        f"WARC-Date: 2018-06-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(content) if length is None else length}\r\n\r\n"
    )
    return head.encode() + content + b"\r\n\r\n"


def _metadata(names: Sequence[str]) -> Mapping[str, bytes]:
    rows = "".join(f"{name},{name},2018-06-01,,\n" for name in names)
    return {"metadata.csv": f"file,title,date,url,licence\n{rows}".encode()}


def tar_of(files: Mapping[str, bytes]) -> bytes:
    """Return a tar of files by their names."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def _labels(name: str, title: str, text: str) -> bytes:
    return _bytes(f'first_word,last_word,sentence\n0,1,"{text}"\n')


def _sheet(name: str, title: str, text: str) -> bytes:
    return _bytes(f'questionnaire,rater,row_id,text,answer: sound\nsplits,ann,row-1,"{text}",yes\n')


def _export(name: str, title: str, text: str) -> bytes:
    result = [{"from_name": "sound", "value": {"choices": ["yes"]}}]
    data = {"questionnaire": "splits", "row_id": "row-1", "text": text}
    return _json([{"data": data, "annotations": [{"completed_by": 1, "result": result}]}])


def _csv(name: str, title: str, text: str) -> bytes:
    file = io.StringIO()
    csv.writer(file).writerows([["id", "title", "text"], [name, title, text]])
    return _bytes(file.getvalue())


def parquet(table: pa.Table, **options: Any) -> bytes:
    """Return a table as Parquet."""
    file = io.BytesIO()
    pq.write_table(table, file, **options)
    return file.getvalue()


def arrow(table: pa.Table) -> bytes:
    """Return a table as Arrow, as `datasets` saves it."""
    file = io.BytesIO()
    with pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)
    return file.getvalue()


def _table(name: str, title: str, text: str) -> pa.Table:
    return pa.table({"id": [name], "title": [title], "text": [text]})


@cache
def _speech() -> bytes:
    return spoken("Many people read it.")


#: Kinds with several formats.
_OF_MANY = ("transcripts", "rating_sheets", "crawled", "table")

PARSERS = {
    parser.name: parser
    for parser in (
        Parser("plain_text", papers.FORMATS, papers.parse_papers, ".txt",
               lambda name, title, text: _bytes(f"# {title}\n\n## Introduction\n{text}\n")),
        Parser("aasc", papers.FORMATS, papers.parse_papers, ".ss",
               lambda name, title, text: _bytes(f"s-1-1-0-0\tabstract\t{title}\ns-2-1-0-0\tintroduction\t{text}\n")),
        Parser("cl_scisumm", papers.FORMATS, papers.parse_papers, ".xml", _cl_scisumm),
        Parser("science_parse", papers.FORMATS, papers.parse_papers, ".json",
               lambda name, title, text: _json({"title": title, "sections": [{"heading": "Introduction", "text": text}]})),
        Parser("scirex", papers.FORMATS, papers.parse_papers, ".jsonl", _scirex),
        Parser("s2orc", papers.FORMATS, papers.parse_papers, ".json", _s2orc),
        Parser("s2orc_shards", papers.FORMATS, papers.parse_papers, ".jsonl", _s2orc),
        Parser("unarxive", papers.FORMATS, papers.parse_papers, ".jsonl", _unarxive),
        Parser("grobid_tei", papers.FORMATS, papers.parse_papers, ".xml", _tei),
        Parser("jats", papers.FORMATS, papers.parse_papers, ".nxml", _jats),
        Parser("parscit", papers.FORMATS, papers.parse_papers, ".xml", _parscit),
        Parser("pdf", papers.FORMATS, papers.parse_papers, ".pdf",
               lambda name, title, text: printed(title, [("1 Introduction", [text])], head=""), binary=True),
        Parser("mediawiki_dump", wikipedia.FORMATS, wikipedia.parse_articles, ".xml", _dump),
        Parser("wikitext", wikipedia.FORMATS, wikipedia.parse_articles, ".wiki", lambda name, title, text: _bytes(text)),
        Parser("warc", web.FORMATS, web.parse_web_pages, ".warc",
               lambda name, title, text: warc_record(name, _html(name, title, text))),
        Parser("html", web.FORMATS, web.parse_web_pages, ".html", _html),
        Parser("recordings", talks.FORMATS, talks.parse_talks, ".wav",
               lambda name, title, text: _speech(), binary=True, beside=_metadata),
        *(Parser("transcripts", talks.FORMATS, talks.parse_talks, ending, make, beside=_metadata) for ending, make in {
            ".txt": lambda name, title, text: _bytes(text),
            ".vtt": lambda name, title, text: _bytes(f"WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n{text}\n"),
            ".srt": lambda name, title, text: _bytes(f"1\n00:00:01,000 --> 00:00:04,000\n{text}\n"),
            ".json": lambda name, title, text: _json({"words": [{"word": text, "start": 1.0, "end": 4.0}]}),
        }.items()),
        Parser("plain_prose", discofuse_sources.PROSE_FORMATS, discofuse_sources.parse_prose, ".txt",
               lambda name, title, text: _bytes(f"# {title}\n\n{text}\n")),
        Parser("jsonl_prose", discofuse_sources.PROSE_FORMATS, discofuse_sources.parse_prose, ".jsonl",
               lambda name, title, text: _json({"id": name, "title": title, "text": text})),
        Parser("table", discofuse_sources.PROSE_FORMATS, discofuse_sources.parse_prose, ".csv", _csv),
        Parser("table", discofuse_sources.PROSE_FORMATS, discofuse_sources.parse_prose, ".csv.zst",
               lambda name, title, text: zstd.compress(_csv(name, title, text)), binary=True),
        Parser("table", discofuse_sources.PROSE_FORMATS, discofuse_sources.parse_prose, ".parquet",
               lambda name, title, text: parquet(_table(name, title, text)), binary=True),
        Parser("table", discofuse_sources.PROSE_FORMATS, discofuse_sources.parse_prose, ".arrow",
               lambda name, title, text: arrow(_table(name, title, text)), binary=True),
        Parser("abstracts", passages.PASSAGE_FORMATS, passages.parse_passages, ".jsonl",
               lambda name, title, text: _json({"id": name, "title": title, "abstract": text})),
        Parser("citing_sentences", passages.PASSAGE_FORMATS, passages.parse_passages, ".json",
               lambda name, title, text: _json([{"citing_paper_id": title, "clean_text": text}])),
        Parser("split_and_rephrase", discofuse_sources.FUSION_PAIR_FORMATS, discofuse_sources.parse_fusion_pairs, ".tsv",
               lambda name, title, text: _bytes(f"{text}\t{text} <::::> {title}"), prefix="train-"),
        Parser("word_runs", gold.ALIGNMENT_FORMATS, gold.parse_gold_alignments, ".csv", _labels),
        Parser("cl_scisumm_summaries", gold.SUMMARY_FORMATS, gold.parse_human_summaries, ".human.txt",
               lambda name, title, text: _bytes(text)),
        Parser("rating_sheets", answers.FORMATS, answers.parse_answers, ".csv", _sheet),
        Parser("rating_sheets", answers.FORMATS, answers.parse_answers, ".json", _export),
        Parser("crawled", papers.FORMATS, papers.parse_papers, ".jsonl", _s2orc, binary=True, rows=True),
        Parser("crawled", papers.FORMATS, papers.parse_papers, ".tar",
               lambda name, title, text: tar_of({f"{name}.json": _s2orc(name, title, text)}), binary=True, rows=True),
        Parser("crawled", wikipedia.FORMATS, wikipedia.parse_articles, ".xml", _dump, binary=True, rows=True),
        Parser("crawled", web.FORMATS, web.parse_web_pages, ".html", _html, binary=True, rows=True),
        Parser("url_list", LISTS, None, ".txt", address, crawl=crawled_lists),
        *(Parser(kind, LISTS, None, ending, make, crawl=crawled_listings, binary=ending.endswith("bz2"))
          for kind, (ending, _, _, make) in LISTINGS.items()),
    )
}  # fmt: skip
