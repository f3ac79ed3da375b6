"""Poison in the input of crawls: lists of URLs, and the listings of collections.

Belongs here: the files of both, served and crawled. Not here: the poison (corpus.py), other parsers
(parsers.py).
"""

from __future__ import annotations

import bz2
import html
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from silverloom.ops.core.outcome import Outcome
from silverloom.ops.crawl.crawl import FORMATS, crawl
from silverloom.ops.crawl.options import CrawlPlace
from silverloom.ops.parse.scan import Corpus
from silverloom.ops.parse.source import MonthRule, Source
from tests.ops.crawl.crawling import MONTH, QUICK
from tests.ops.crawl.hostile import answering, reply

if TYPE_CHECKING:
    from tests.poison.parsers import Parser

#: Placeholder for the server's address, whose port changes each time.
SITE = "http://site.example"


def address(name: str, title: str, text: str) -> bytes:
    """Return a list of one URL."""
    return f"{SITE}/{name}.html?{title}&{text}\n".encode("utf-8", "surrogatepass")


def anthology(name: str, title: str, text: str) -> bytes:
    """Return a file of the ACL Anthology's metadata."""
    meta = "<meta><month>June</month><year>2018</year></meta>"
    return _xml(
        f'<collection id="{name}"><volume id="1">{meta}<paper id="1"><title>',
        title,
        text,
        f"</title><url>{SITE}/item/{name}</url></paper></volume></collection>",
    )


def oai(name: str, title: str, text: str) -> bytes:
    """Return a list of arXiv's records."""
    return _xml(
        '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords><record><metadata>'
        f'<arXiv xmlns="http://arxiv.org/OAI/arXiv/"><id>{name}</id><created>2018-06-01</created><title>',
        title,
        text,
        "</title></arXiv></metadata></record></ListRecords></OAI-PMH>",
    )


def manifest(name: str, title: str, text: str) -> bytes:
    """Return arXiv's bulk manifest."""
    return _xml(
        f"<arXivPDF><file><filename>{name}.tar</filename><yymm>1806</yymm><first_item>",
        title,
        text,
        "</first_item></file></arXivPDF>",
    )


def shards(name: str, title: str, text: str) -> bytes:
    """Return the description of a release of S2ORC."""
    return json.dumps({"name": title, "README": text, "files": [f"{SITE}/item/{name}.gz"]}).encode()


def results(name: str, title: str, text: str) -> bytes:
    """Return the results of a query."""
    return json.dumps({"title": title, "snippet": text, "urls": [f"{SITE}/item/{name}"]}).encode()


def packs(name: str, title: str, text: str) -> bytes:
    """Return the index of a dump."""
    return bz2.compress(f"100:1:{title}: {text}\n".encode("utf-8", "surrogatepass"))


def _xml(head: str, title: str, text: str, tail: str) -> bytes:
    return f"{head}{html.escape(title)} {html.escape(text)}{tail}".encode("utf-8", "surrogatepass")


#: By kind: the suffix of what is served, the line that requests it, and the option with its address.
LISTINGS = {
    "acl_anthology": (".xml", "{name}", "metadata", anthology),
    "arxiv": (".xml", "{name}", "place", oai),
    "arxiv_bulk": (".xml", "{site}/{name}", "", manifest),
    "s2orc": (".json", "2018-06-{name}", "place", shards),
    "search": (".json", "{name}", "url", results),
    "wikipedia_dump": ("-index.txt.bz2", "{site}/{name}.xml.bz2", "", packs),
}


def crawled_lists(parser: Parser, folder: Path) -> Outcome:
    """Crawl the lists of URLs in a folder, from a website with one page."""
    website = folder.parent / "website"
    website.mkdir()
    (website / "good.html").write_text("<p>Good.</p>")
    return _crawled("url_list", folder, {"serve": {"site.example": website.name}})


def crawled_listings(parser: Parser, folder: Path) -> Outcome:
    """Crawl the listings that are files of a folder, each requested by its own line."""
    line, option = LISTINGS[parser.kind][1:3]
    found = sorted(folder.rglob(f"*{parser.ending}"))
    files = {path.relative_to(folder).as_posix().removesuffix(parser.ending): path for path in found}
    os.environ["S2_API_KEY"] = "secret"
    with answering({"*": _serving(files)}) as (site, _):
        lists = folder.parent / "lists"
        lists.mkdir()
        (lists / "all.txt").write_text("".join(line.format(site=site, name=name) + "\n" for name in files))
        own = {option: f"{site}/"} if option else {}
        places = {} if parser.kind in ("s2orc", "wikipedia_dump") else {"files": f"{site}/item/"}
        if parser.kind == "search":
            own, places = {option: f"{site}/{{query}}"}, {"results": "urls"}
        return _crawled(parser.kind, lists, own | places)


def _serving(files: dict[str, Path]) -> Callable[..., None]:
    """Return a route that serves everything below item/, in any range, and otherwise the requested file."""

    def route(handler) -> None:
        path = unquote(handler.path)
        found = [name for name in files if name in path]
        asked = handler.headers["Range"]
        if "/item/" in path or asked:
            first, _, last = (asked or "bytes=0-99").removeprefix("bytes=").partition("-")
            length = int(last or 999) + 1 - int(first)
            reply(206 if asked else 200, body=path.encode().ljust(length, b"x")[:length])(handler)
        elif found:
            site = f"http://127.0.0.1:{handler.server.server_address[1]}".encode()
            reply(body=files[max(found, key=len)].read_bytes().replace(SITE.encode(), site))(handler)
        else:
            reply(404)(handler)

    return route


def _crawled(kind: str, folder: Path, options: dict[str, Any]) -> Outcome:
    source = Source(
        kind=kind,
        path=folder.name,
        month=MonthRule(constant=MONTH),
        licence="MIT",
        options={**QUICK, "page_bytes": 100_000, **options},
    )
    corpus = Corpus("crawls", {"src": source}, FORMATS, folder.parent, MONTH, MONTH, 10**6, None)
    place = CrawlPlace(folder.parent / "working", None, False, lambda done, known: None, root=folder.parent)
    (outcome,) = crawl(corpus.records(MONTH), place)
    return outcome
