"""Crawls for tests: lists of URLs in, rows and files out."""

import threading
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ops.crawl.crawl import FORMATS, crawl
from ops.crawl.options import CrawlPlace
from ops.parse.scan import Corpus
from ops.parse.source import MonthRule, Source

#: Fast and polite enough for a server of one's own.
QUICK = {
    "agent": "silverloom-test/1.0",
    "contact": "mailto:test@example.org",
    "allow": ["127.0.0.1"],
    "delay": 0,
    "timeout": 5,
    "retries": 1,
}
MONTH = "2018-06"


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
        """Path or URL of what was lost, and why."""
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
    written.replace(folder / "urls.txt")  # whole: crawls beside each other read it
    source = Source(
        kind=kind,
        path="lists",
        month=MonthRule(constant=MONTH),
        licence="CC0-1.0",
        options={**QUICK, **options},
    )
    return Corpus("crawls", {"web": source}, FORMATS, tmp_path, MONTH, MONTH, 256, None)


def crawled(tmp_path, urls, former=None, recrawl=False, working="working", tell=None, handed=None, **options):
    """Crawl these URLs; the files of the parts are written as a published partition has them."""
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
