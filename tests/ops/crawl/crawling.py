"""Crawls for tests: lists of URLs in, rows and files out."""

import io
import json
import socket
import sqlite3
import threading
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from warcio.archiveiterator import ArchiveIterator

from silverloom.ops.core.parts import Part, Parts
from silverloom.ops.crawl.addresses import AddressPolicy
from silverloom.ops.crawl.cited import FORMATS as OF_ROWS
from silverloom.ops.crawl.client import Client
from silverloom.ops.crawl.crawl import FORMATS, crawl
from silverloom.ops.crawl.journal import JOURNAL
from silverloom.ops.crawl.options import CrawlPlace
from silverloom.ops.parse.records import RowRecords
from silverloom.ops.parse.scan import Corpus, Records
from silverloom.ops.parse.source import DatasetSource, MonthRule, Source
from tests.ops.crawl.hostile import reply

#: Fast, and polite enough for the test's own server.
QUICK = {
    "agent": "silverloom-test/1.0",
    "contact": "mailto:test@example.org",
    "allow": ["127.0.0.1"],
    "delay": 0,
    "timeout": 60,
    "retries": 1,
}
MONTH = "2018-06"


def record_at(content, offset=0):
    """Return the record at an offset of a WARC file, as read by warcio."""
    stream = io.BytesIO(content)
    stream.seek(offset)
    return next(iter(ArchiveIterator(stream)))


@dataclass
class Crawled:
    kept: list
    dropped: list
    rejected: list
    files: dict
    units: list
    folder: Path
    combinations: dict

    def causes(self):
        """Path or URL of what was lost, with the cause."""
        lost = {row["url"]: row["reason"] for row in self.dropped}
        return lost | {row["url"]: row["error"].removeprefix(f"{row['url']}: ") for row in self.rejected}

    def cause(self):
        (cause,) = self.causes().values()
        return cause


def corpus(tmp_path, urls, kind="url_list", **options):
    folder = tmp_path / "lists"
    folder.mkdir(exist_ok=True)
    written = tmp_path / f"{threading.get_ident()}.list"
    written.write_text("".join(f"{url}\n" for url in urls))
    written.replace(folder / "urls.txt")  # written atomically: parallel crawls read it
    source = Source(
        kind=kind,
        path="lists",
        month=MonthRule(constant=MONTH),
        licence="CC0-1.0",
        options={**QUICK, **options},
    )
    return Corpus("crawls", {"web": source}, FORMATS, tmp_path, MONTH, MONTH, 256, None)


def crawled(tmp_path, urls, former=None, recrawl=False, working="working", tell=None, handed=None, **options):
    """Crawl these URLs; the files of the parts are written as in a published partition."""
    records = corpus(tmp_path, urls, **options).records(MONTH)
    tell = tell or (lambda done, known: None)
    place = handed or CrawlPlace(tmp_path / working, former, recrawl, tell)
    outcomes = list(crawl(records, place))
    folder = tmp_path / f"published-{working}"
    folder.mkdir(exist_ok=True)
    files = {name: content for outcome in outcomes for name, content in outcome.files.items()}
    for name, content in files.items():
        (folder / name).write_bytes(content)
    tables = {
        name: pa.concat_tables(getattr(outcome, name) for outcome in outcomes)
        for name in ("kept", "dropped", "rejected")
    }
    units = [unit for outcome in outcomes for unit in outcome.units.to_pylist()]
    fates = [*tables["dropped"]["id"].to_pylist(), *tables["rejected"]["id"].to_pylist()]
    fates += pc.list_element(tables["kept"]["source_ids"], 0).to_pylist()
    assert sorted(fates) == sorted(units), "each unit has one fate"
    return Crawled(
        *(table.to_pylist() for table in tables.values()),
        files=files,
        units=units,
        folder=folder,
        combinations=dict(outcomes[-1].combinations),
    )


def client(**bounds):
    quick = {"policy": AddressPolicy(["127.0.0.1"]), "timeout": 60, "retries": 1, "longest_wait": 5}
    return Client("test/1.0 (+mailto:test@example.org)", **(quick | bounds))


def cut_short(handler):
    reply(body=b"short", Content_Length="500")(handler)
    handler.connection.shutdown(socket.SHUT_RDWR)


def listed_at(site):
    return {"kind": "acl_anthology", "metadata": f"{site}/", "files": f"{site}/", "retries": 0}


def anthology(name, *numbers):
    """A file of the ACL Anthology's metadata: papers of June 2018."""
    papers = "".join(f'<paper id="{number}"><url>{name}-100{number}</url></paper>' for number in numbers)
    meta = "<meta><month>June</month><year>2018</year></meta>"
    return reply(body=f'<collection id="{name}"><volume id="1">{meta}{papers}</volume></collection>'.encode())


ARTICLES = pa.schema(
    [("id", pa.string()), ("licence", pa.string()), ("month", pa.string()), ("citations", pa.list_(pa.struct([("url", pa.string()), ("section", pa.int32())])))]
)  # fmt: skip


def articles(tmp_path, options, **cited):
    rows = [
        {
            "id": name,
            "licence": "x",
            "month": MONTH,
            "citations": [{"url": url, "section": 0} for url in urls],
        }
        for name, urls in cited.items()
    ]
    pq.write_table(pa.Table.from_pylist(rows, ARTICLES), tmp_path / "kept-00000.parquet")
    rows = Parts(ARTICLES, (Part(str(tmp_path / "kept-00000.parquet")),), None)
    source = DatasetSource(kind="citations", dataset="sources/articles", options=options)
    corpus = Corpus("cited_pages", {}, {}, tmp_path, MONTH, MONTH, 256, None)
    found = RowRecords("encyclopedia", source, "citations", OF_ROWS["citations"], rows, MONTH)
    return Records(corpus, MONTH, None, (found,))


def provider(**results):
    """A route with the results of a query: paths of this server, whole URLs, or another route."""

    def route(handler):
        fields = parse_qs(urlsplit(handler.path).query)
        found = results.get(fields["q"][0].replace(" ", "_"), [])
        if callable(found):
            return found(handler)
        site = f"http://{handler.headers['Host']}"
        urls = [{"url": f"{site}{url}" if url.startswith("/") else url} for url in found]
        reply(body=json.dumps({"web": {"results": urls[: int(fields["n"][0])]}}).encode())(handler)

    return route


def searched(tmp_path, site, queries, **options):
    template = {"url": f"{site}/search?q={{query}}&n={{k}}", "results": "web.results[].url"}
    return crawled(tmp_path, queries, kind="search", **(template | options))


def interrupted(folder, outcomes):
    """Leave the first outcomes of a crawl in its journal, as if it had been killed then."""
    with closing(sqlite3.connect(folder / JOURNAL, isolation_level=None)) as database:
        database.execute("DELETE FROM outcomes WHERE rowid > ?", (outcomes,))
