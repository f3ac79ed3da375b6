"""The parsers that meet the poison, each with what a sound record of it looks like.

Belongs here: a file of each format, made of a title and a text. Not here: the poison (corpus.py).
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ops.outcome import Outcome
from ops.parse import papers, web, wikipedia
from ops.parse.records import Record
from tests.papers_as_pdf import printed


@dataclass(frozen=True)
class Parser:
    """A kind of source: its formats, its op, and how a file of it is made of a name, a title and a text."""

    kind: str
    formats: Mapping[str, Any]
    op: Callable[[Sequence[Record]], Outcome]
    ending: str
    make: Callable[[str, str, str], bytes]
    binary: bool = False
    """Whether its text cannot be poisoned sign by sign."""


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


def _xml(text: str) -> str:
    """Escape a text; what XML cannot hold becomes a reference, as a careless writer would have it."""
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


def warc_record(name: str, body: bytes, length: int | None = None, fields: str = "") -> bytes:
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


PARSERS = {
    parser.kind: parser
    for parser in (
        Parser("plain_text", papers.FORMATS, papers.parse_papers, ".txt",
               lambda name, title, text: _bytes(f"# {title}\n\n## Introduction\n{text}\n")),
        Parser("cl_scisumm", papers.FORMATS, papers.parse_papers, ".xml", _cl_scisumm),
        Parser("science_parse", papers.FORMATS, papers.parse_papers, ".json",
               lambda name, title, text: _json({"title": title, "sections": [{"heading": "Introduction", "text": text}]})),
        Parser("scirex", papers.FORMATS, papers.parse_papers, ".jsonl", _scirex),
        Parser("s2orc", papers.FORMATS, papers.parse_papers, ".json", _s2orc),
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
    )
}  # fmt: skip
