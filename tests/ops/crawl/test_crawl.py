"""A crawl of a well-behaved local server."""

import io
from concurrent.futures import ThreadPoolExecutor

import pytest
from warcio.archiveiterator import ArchiveIterator

from tests.ops.crawl.crawling import crawled, record_at
from tests.ops.crawl.hostile import OneByOne, answering, in_turn, redirect, reply

PAGE = b"<html><body><p>Salmon were common until 1830.</p></body></html>"


def test_a_page_is_kept_with_its_record_and_the_crawler_identifies_itself(tmp_path):
    with answering({"/a": reply(body=PAGE, ETag='"1"')}) as (site, asked):
        found = crawled(tmp_path, [f"{site}/a"])

    (row,) = found.kept
    assert (row["url"], row["status"], row["etag"], row["bytes"]) == (f"{site}/a", 200, '"1"', len(PAGE))
    record = record_at(found.files[row["file"]], row["offset"])
    assert record.content_stream().read() == PAGE
    assert record.rec_headers.get_header("WARC-Payload-Digest") == row["digest"]
    assert {headers["User-Agent"] for _, headers, _ in asked} == {
        "silverloom-test/1.0 (+mailto:test@example.org)"
    }


def test_the_files_are_warc_1_1_and_the_rows_locate_each_record(tmp_path):
    pages = {f"/{number}": reply(body=PAGE + bytes([65 + number])) for number in range(4)}
    with answering(pages) as (site, _):
        found = crawled(tmp_path, [f"{site}/{number}" for number in range(4)])

    (file,) = [content for name, content in found.files.items() if name.endswith(".warc.gz")]
    records = ArchiveIterator(io.BytesIO(file), check_digests="raise")
    seen = []
    for record in records:
        record.content_stream().read()
        assert record.rec_headers.protocol == "WARC/1.1"
        seen.append((record.rec_type, record.rec_headers.get_header("WARC-Target-URI")))
    assert seen == [("warcinfo", None), *(("response", f"{site}/{number}") for number in range(4))]
    for row in found.kept:
        part = file[row["offset"] : row["offset"] + row["length"]]
        assert record_at(part).rec_headers.get_header("WARC-Target-URI") == row["url"]


def test_links_are_followed_to_the_depth_on_the_same_host_by_their_patterns_and_once_each(tmp_path):
    pages = {
        "/": reply(
            body=b"<a href=/b>b</a><a href=/a#top>a</a><a href=/skip>s</a><a href=http://other.example/>o</a>"
        ),
        "/a": reply(body=b"<a href=/deep>d</a><a href=/b>b</a>"),
        "/b": reply(body=b"<p>b</p>"),
        "/deep": reply(body=b"<a href=/deeper>d</a>"),
    }
    with answering(pages) as (site, asked):
        found = crawled(tmp_path, [f"{site}/"], depth=2, skip=["/skip$"])

    rows = [(row["url"].removeprefix(site), row["depth"], row["found_on"]) for row in found.kept]
    assert rows == [("/", 0, None), ("/a", 1, f"{site}/"), ("/b", 1, f"{site}/"), ("/deep", 2, f"{site}/a")]
    assert sorted(asked.paths()) == ["/", "/a", "/b", "/deep"]


def test_a_page_found_on_a_duplicate_is_attributed_to_the_list_line_that_led_there(tmp_path):
    """The second listed page duplicates the first and is dropped; so is the second of two linked pages."""
    same = reply(body=b"<a href=deep>d</a>")
    pages = {"/": reply(body=b"<a href=/a/>a</a><a href=/b/>b</a>"), "/a/": same, "/b/": same, "/c/": same}
    pages |= {f"/{name}/deep": reply(body=name.encode()) for name in "abc"}
    with answering(pages) as (site, _):
        found = crawled(tmp_path, [f"{site}/", f"{site}/a/", f"{site}/c/"], depth=2)
    origins = {row["url"].removeprefix(site): row["source_ids"][-1] for row in found.kept}
    first, second = "web/urls.txt#1", "web/urls.txt#2"
    assert origins == {"/": first, "/a/": second, "/a/deep": second, "/c/deep": second, "/b/deep": first}
    assert {row["url"].removeprefix(site): row["reason"] for row in found.dropped} == {
        "/b/": "duplicate",
        "/c/": "duplicate",
    }


def test_duplicates_are_kept_once_and_urls_over_a_limit_are_not_requested(tmp_path):
    pages = {"/a": reply(body=PAGE), "/b": reply(body=PAGE), "/c": reply(body=PAGE)}
    with answering(pages) as (site, asked):
        found = crawled(tmp_path, [f"{site}/a", f"{site}/a#part", f"{site}/b", f"{site}/c"], pages=2)

    assert [(row["url"], row["also"]) for row in found.kept] == [
        (f"{site}/a", [f"{site}/a#part", f"{site}/b"])
    ]
    assert {row["url"].removeprefix(site): (row["reason"], row["detail"]) for row in found.dropped} == {
        "/a#part": ("duplicate", "listed as web/urls.txt#1"),
        "/b": ("duplicate", f"the same bytes as {site}/a"),
        "/c": ("pages", "more than 2 URLs"),
    }
    assert sorted(asked.paths()) == ["/a", "/b"]


def test_robots_txt_is_obeyed(tmp_path):
    robots = reply(body=b"User-agent: silverloom-test\nDisallow: /private\n", kind="text/plain")
    with answering({"/robots.txt": robots, "/a": reply(body=PAGE), "/private/b": reply(body=PAGE)}) as (
        site,
        asked,
    ):
        found = crawled(tmp_path, [f"{site}/a", f"{site}/private/b"])

    assert [row["url"] for row in found.kept] == [f"{site}/a"]
    assert found.causes() == {f"{site}/private/b": "robots"}
    assert asked.paths() == ["/a"]


def test_a_redirect_is_followed_and_the_row_has_its_target(tmp_path):
    with answering({"/old": redirect("/new"), "/new": reply(body=PAGE)}) as (site, _):
        found = crawled(tmp_path, [f"{site}/old"])

    (row,) = found.kept
    assert (row["url"], row["final_url"]) == (f"{site}/old", f"{site}/new")


def test_a_line_that_is_not_a_url_is_rejected_alone(tmp_path):
    with answering({"/a": reply(body=PAGE)}) as (site, _):
        found = crawled(tmp_path, ["ftp://example.org/x", f"{site}/a", "# a comment"])

    assert [row["url"] for row in found.kept] == [f"{site}/a"]
    assert found.cause() == "the scheme 'ftp' is neither http nor https"


def test_one_page_at_a_time_is_requested_from_a_host(tmp_path):
    slow = OneByOne()
    with answering({"*": slow, "/robots.txt": reply(404)}) as (site, _):
        crawled(tmp_path, [f"{site}/{number}" for number in range(8)])

    assert slow.most == 1


@pytest.mark.parametrize("clock", ["2018-08-15T00:00:00Z"])
def test_with_a_clock_the_bytes_are_the_same_whichever_page_came_first(tmp_path, clock):
    def site(first):
        pages = {f"/{number}": reply(body=PAGE + bytes([65 + number])) for number in range(5)}
        return {**pages, f"/{first}": in_turn(reply(500), pages[f"/{first}"])}

    routes = site(0)
    with answering(routes) as (address, _):
        urls = [f"{address}/{number}" for number in range(5)]
        one = crawled(tmp_path, urls, working="one", clock=clock)
        routes |= site(3)
        two = crawled(tmp_path, urls, working="two", clock=clock)

    assert one.files == two.files
    assert one.kept == two.kept
    assert {row["date"] for row in one.kept} == {clock}
    assert all(clock.encode() in content for content in one.files.values())


def test_a_redirect_target_waits_in_the_queue_of_its_own_host(tmp_path):
    """Scrapy would request it in the queue of the host that redirected to it."""
    slow = OneByOne()
    with answering({"*": slow, "/robots.txt": reply(404)}) as (target, _):
        routes = {f"/{number}": redirect(f"{target}/{number}") for number in range(4)}
        with answering(routes) as (one, _), answering(routes, "127.0.0.2") as (two, _):
            urls = [f"{site}/{number}" for site in (one, two) for number in range(4)]
            crawled(tmp_path, urls, allow=["127.0.0.0/8"])

    assert slow.most == 1


def test_partitions_made_at_the_same_time_take_turns_with_their_requests(tmp_path):
    slow = OneByOne()
    with answering({"*": slow, "/robots.txt": reply(404)}) as (site, asked):
        urls = [f"{site}/{number}" for number in range(4)]
        with ThreadPoolExecutor() as pool:
            found = list(pool.map(lambda name: crawled(tmp_path, urls, working=name), ("june", "july")))

    assert [len(crawl.kept) for crawl in found] == [4, 4]
    assert len(asked.paths()) == 8 and slow.most == 1


@pytest.mark.parametrize(("before", "kept"), [(9_999, ["/", "/last"]), (10_000, ["/"])])
def test_a_bounded_number_of_links_of_a_page_is_examined(tmp_path, before, kept):
    links = [*(f"/{number}" for number in range(before)), "/last"]
    page = "".join(f"<a href={link}>a</a>" for link in links).encode()
    with answering({"/": reply(body=page), "/last": reply(body=b"<p>last")}) as (site, _):
        found = crawled(tmp_path, [f"{site}/"], depth=1, follow=["last$"])
    assert [row["url"].removeprefix(site) for row in found.kept] == kept
