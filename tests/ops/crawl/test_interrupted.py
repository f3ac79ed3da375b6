"""An interrupted crawl resumes without repeating requests; a repeated one reuses what was published."""

import os
import resource
import subprocess
import sys
import time

import psutil
import pytest

from silverloom.ops.crawl.crawl import CrawlError
from tests.ops.crawl.crawling import crawled, interrupted
from tests.ops.crawl.hostile import answering, conditional, reply
from tests.waiting import until

CRAWL = """
import pathlib, sys
from tests.ops.crawl.crawling import crawled
crawled(pathlib.Path(sys.argv[1]), sys.argv[2:])
"""


def slowly(handler):
    time.sleep(0.1)
    reply(body=handler.path.encode())(handler)


def children(program):
    return psutil.Process(program.pid).children(recursive=True)


def test_a_killed_crawl_requests_nothing_again(tmp_path):
    with answering({"*": slowly, "/robots.txt": reply(404)}) as (site, asked):
        urls = [f"{site}/{number}" for number in range(30)]
        program = subprocess.Popen([sys.executable, "-c", CRAWL, str(tmp_path), *urls])
        try:
            until(lambda: len(asked.paths()) > 8, programs=[program])
            crawl = children(program)
            program.kill()
            assert program.wait() != 0
            psutil.wait_procs(crawl)
        finally:
            program.kill()
        before = len(asked.paths())
        assert before < 30
        found = crawled(tmp_path, urls)

    assert [row["url"] for row in found.kept] == urls
    assert len(asked.paths()) <= 30 + 2, "only a request in flight and an answer not yet written are repeated"


def test_published_pages_are_reused_without_requests(tmp_path):
    with answering({"/a": reply(body=b"a"), "/b": reply(body=b"a"), "/c": reply(404)}) as (site, asked):
        urls = [f"{site}/a", f"{site}/b", f"{site}/c"]
        one = crawled(tmp_path, urls)
        asks = len(asked)
        two = crawled(tmp_path, urls, former=one.folder, working="again")
        three = crawled(tmp_path, [*urls, f"{site}/d"], former=one.folder, working="more")

    assert (one.files, one.kept, one.causes()) == (two.files, two.kept, two.causes())
    assert [path for path, _, _ in asked[asks:]] == ["/robots.txt", "/d"]
    assert len(three.units) == 4


def test_with_other_options_everything_is_requested_again(tmp_path):
    with answering({"/a": reply(body=b"a")}) as (site, asked):
        one = crawled(tmp_path, [f"{site}/a"])
        crawled(tmp_path, [f"{site}/a"], former=one.folder, working="again", timeout=6)
    assert asked.paths() == ["/a", "/a"]


def test_a_recrawl_sends_conditional_requests_and_makes_a_new_version_of_changed_pages(tmp_path):
    """One page is unchanged by its tag, one by its date, one has changed, one is gone."""

    date = "Wed, 15 Aug 2018 00:00:00 GMT"
    routes = {
        "/tag": conditional(b"tag <a href=/linked>x</a>", "ETag", '"1"', "If-None-Match"),
        "/date": conditional(b"date", "Last-Modified", date, "If-Modified-Since"),
        "/other": conditional(b"other", "ETag", '"1"', "If-None-Match"),
        "/gone": reply(body=b"gone"),
        "/linked": reply(body=b"linked"),
    }
    with answering(routes) as (site, asked):
        urls = [f"{site}/{name}" for name in ("tag", "date", "other", "gone")]
        one = crawled(tmp_path, urls, depth=1)
        routes |= {"/other": conditional(b"another", "ETag", '"2"', "If-None-Match"), "/gone": reply(404)}
        two = crawled(tmp_path, urls, former=one.folder, recrawl=True, working="again", depth=1)

    rows = {row["url"].removeprefix(site): row["unchanged"] for row in two.kept}
    assert rows == {"/tag": True, "/date": True, "/other": False, "/linked": True}
    assert two.causes() == {f"{site}/gone": "status 404 Not Found"}
    assert asked.paths().count("/linked") == 2, "links of unchanged pages are followed, too"
    record = next(row for row in two.kept if row["url"] == f"{site}/tag")
    before = next(row for row in one.kept if row["url"] == f"{site}/tag")
    assert (record["digest"], record["date"]) == (before["digest"], before["date"])


def test_an_interrupted_recrawl_resumes_as_a_recrawl(tmp_path):
    with answering({"/a": reply(body=b"a", ETag='"1"'), "/b": reply(body=b"b")}) as (site, asked):
        urls = [f"{site}/a", f"{site}/b"]
        one = crawled(tmp_path, urls)
        crawled(tmp_path, urls, former=one.folder, recrawl=True, working="again")
        interrupted(tmp_path / "again/web", 1)
        crawled(tmp_path, urls, former=one.folder, recrawl=False, working="again")
    assert asked.paths() == ["/a", "/b", "/a", "/b", "/b"]


def test_a_duplicate_is_requested_again_when_its_original_is_no_longer_listed(tmp_path):
    with answering({"/a": reply(body=b"same"), "/b": reply(body=b"same")}) as (site, _):
        one = crawled(tmp_path, [f"{site}/a", f"{site}/b"])
        two = crawled(tmp_path, [f"{site}/b"], former=one.folder, working="again")
    assert [row["url"] for row in one.kept] == [f"{site}/a"]
    assert [row["url"] for row in two.kept] == [f"{site}/b"]


def test_unchanged_pages_are_dropped_if_only_changes_are_wanted(tmp_path):
    routes = {"/a": conditional(b"a"), "/b": conditional(b"b")}
    with answering(routes) as (site, asked):
        urls = [f"{site}/a", f"{site}/b"]
        again = {"former": tmp_path / "published-working", "working": "again", "unchanged": "drop"}
        crawled(tmp_path, urls, unchanged="drop")
        routes["/b"] = conditional(b"b, mended", value='"2"')
        two = crawled(tmp_path, urls, recrawl=True, **again)
        made_anew = crawled(tmp_path, urls, **(again | {"former": two.folder, "working": "anew"}))
        once_more = crawled(
            tmp_path, urls, recrawl=True, **(again | {"former": two.folder, "working": "more"})
        )
        asks = len(asked.paths())
        kept = crawled(tmp_path, urls, former=two.folder, working="kept")

    assert [row["url"][-2:] for row in two.kept] == ["/b"]
    assert two.causes() == {f"{site}/a": "unchanged"} == made_anew.causes()
    assert made_anew.files == two.files
    assert once_more.causes() == dict.fromkeys(urls, "unchanged")
    assert [row["url"] for row in kept.kept] == urls, "dropped pages are requested again if they are wanted"
    assert asked.paths()[asks:] == ["/a"]


def test_a_new_page_equal_to_one_that_is_left_out_is_kept(tmp_path):
    routes = {"/a": conditional(b"same")}
    with answering(routes) as (site, _):
        urls = [f"{site}/a", f"{site}/b"]
        one = crawled(tmp_path, urls, unchanged="drop")
        routes["/b"] = reply(body=b"same")
        two = crawled(tmp_path, urls, former=one.folder, recrawl=True, working="again", unchanged="drop")
    assert two.causes() == {urls[0]: "unchanged"}
    assert [row["url"] for row in two.kept] == [urls[1]]


def test_a_full_disk_ends_the_crawl_and_rejects_no_page(tmp_path, monkeypatch):
    """Files are limited to 60,000 bytes: the second page does not fit into the journal."""
    monkeypatch.undo()  # a fork of a warmed process would have other limits
    pages = {f"/{name}": reply(body=os.urandom(20_000).hex().encode()) for name in "abcd"}
    with answering(pages) as (site, _):
        urls = [f"{site}{path}" for path in pages]
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, limits[1]))
        try:
            with pytest.raises(CrawlError, match="the journal of the crawl cannot be written"):
                crawled(tmp_path, urls)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        found = crawled(tmp_path, urls)
    assert [row["url"] for row in found.kept] == urls and not found.rejected
