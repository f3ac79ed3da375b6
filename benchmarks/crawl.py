"""A crawl of loopback pages against a bare Scrapy spider that stores nothing, side by side in one run.

Run: python benchmarks/crawl.py [--pages 1000] [--hosts 50] [--rounds 3] [--links 0]. The hosts are 127.0.1.1
and up; one server in its own process answers for all of them, without delay. Each crawl requests one page per
host at a time, with as many connections as hosts. Ours also requests robots.txt, checks addresses, writes
WARC and a journal, and ends with the partition's rows and files. The bare spider is measured with Scrapy's
defaults, and with CONCURRENT_ITEMS: 1, which saves tasks and which ours uses too. With --links, each page has
that many links; ours reads them, the bare spider does not. Prints pages per second, including process
start-up; the best round counts.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from silverloom.ops.crawl.crawl import FORMATS, crawl
from silverloom.ops.crawl.options import CrawlPlace
from silverloom.ops.parse.scan import Corpus
from silverloom.ops.parse.source import MonthRule, Source

CONNECTIONS = 16
PARAGRAPH = "<p>Salmon were common until 1830, when the mills began to dye cloth. The river ran red.</p>\n"

BARE = """
import sys, scrapy
from scrapy.crawler import AsyncCrawlerProcess
urls = open(sys.argv[1]).read().split()

class Bare(scrapy.Spider):
    name = "bare"
    async def start(self):
        for url in urls:
            yield scrapy.Request(url, dont_filter=True)
    def parse(self, response):
        pass

process = AsyncCrawlerProcess({
    "CONCURRENT_REQUESTS": int(sys.argv[2]), "CONCURRENT_REQUESTS_PER_DOMAIN": 1, "DOWNLOAD_DELAY": 0,
    "TELNETCONSOLE_ENABLED": False, "LOG_LEVEL": "ERROR",
    "CONCURRENT_ITEMS": int(sys.argv[3]),
    "EXTENSIONS": {"scrapy.extensions.remote_control.RemoteControl": None},
})
process.crawl(Bare)
process.start()
"""


class Pages(BaseHTTPRequestHandler):
    """Answers every path with a unique page of about 10 KB."""

    protocol_version = "HTTP/1.1"
    links = 0

    def do_GET(self) -> None:
        """Answer."""
        found = self.path != "/robots.txt"
        host = self.headers["Host"]
        links = "".join(f"<a href={self.path}/{number}>more</a>\n" for number in range(self.links))
        body = (
            f"<html><body><h1>{host}{self.path}</h1>\n{PARAGRAPH * 110}{links}</body></html>".encode()
            if found
            else b""
        )
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Log nothing."""


def serve(port: multiprocessing.Queue[int], links: int) -> None:
    """Serve pages on every loopback address, until the process is ended."""
    Pages.links = links
    server = ThreadingHTTPServer(("0.0.0.0", 0), Pages)  # noqa: S104  # 127.0.1.x are many
    server.daemon_threads = True
    port.put(server.server_address[1])
    server.serve_forever()


def ours(folder: Path, urls: Sequence[str]) -> float:
    """Return the seconds of a crawl, from the list of URLs to rows and files."""
    (folder / "lists").mkdir()
    (folder / "lists/urls.txt").write_text("".join(f"{url}\n" for url in urls))
    options = {
        "agent": "silverloom-benchmark/1.0",
        "contact": "mailto:benchmark@example.org",
        "allow": ["127.0.1.0/24"],
        "delay": 0,
        "connections": CONNECTIONS,
    }
    source = Source(
        kind="url_list", path="lists", month=MonthRule(constant="2018-06"), licence="CC0-1.0", options=options
    )
    corpus = Corpus("crawls", {"web": source}, FORMATS, folder, "2018-06", "2018-06", 256, None)
    begun = time.monotonic()
    place = CrawlPlace(folder / "working", None, False, lambda done, known: None)
    kept = 0
    for number, outcome in enumerate(crawl(corpus.records("2018-06"), place)):
        kept += outcome.kept.num_rows
        for name, content in outcome.files.items():
            (folder / f"{number}-{name}").write_bytes(content)
    seconds = time.monotonic() - begun
    assert kept == len(urls), f"{kept} pages of {len(urls)} were kept"
    return seconds


def bare(folder: Path, urls: Sequence[str], items: int = 100) -> float:
    """Return the seconds of a spider that stores nothing."""
    listed = folder / "urls.txt"
    listed.write_text("\n".join(urls))
    begun = time.monotonic()
    subprocess.run([sys.executable, "-c", BARE, str(listed), str(CONNECTIONS), str(items)], check=True)
    return time.monotonic() - begun


def processor() -> float:
    """Return the processor seconds of this process and its ended children, which exclude the server."""
    found = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in found)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--hosts", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--links", type=int, default=0)
    chosen = parser.parse_args()
    port: multiprocessing.Queue[int] = multiprocessing.Queue()
    server = multiprocessing.Process(target=serve, args=(port, chosen.links), daemon=True)
    server.start()
    number = port.get()
    urls = [f"http://127.0.1.{page % chosen.hosts + 1}:{number}/{page}" for page in range(chosen.pages)]
    best: dict[str, float] = {}
    used: dict[str, float] = {}
    for _ in range(chosen.rounds):
        for name, measure in (("bare", bare), ("bare, 1 item", partial(bare, items=1)), ("ours", ours)):
            before = processor()
            with tempfile.TemporaryDirectory() as folder:
                best[name] = min(best.get(name, 1e9), measure(Path(folder), urls))
            used[name] = min(used.get(name, 1e9), processor() - before)
    server.terminate()
    for name, seconds in best.items():
        print(f"{name}: {chosen.pages / seconds:.0f} pages per second, {used[name]:.1f} s of processor time")
    for name in ("bare", "bare, 1 item"):
        wall, work = best[name] / best["ours"], used[name] / used["ours"]
        print(f"ours runs at {wall:.0%} of the speed of: {name}; by processor time {work:.0%}")


if __name__ == "__main__":
    main()
