"""Pages designed to be slow to read: each loses its own links, and affects nothing else."""

import json
import tracemalloc

import pytest

from silverloom.ops.crawl.frontier import Frontier
from silverloom.ops.crawl.journal import Journal, UrlOutcome
from silverloom.ops.crawl.links import LinkRules, links_of
from silverloom.ops.crawl.options import CrawlOptions
from silverloom.ops.parse.bounded import BoundedChild, Bounds
from silverloom.ops.parse.source import ParseError, Raw
from tests.ops.crawl.crawling import QUICK, crawled
from tests.ops.crawl.hostile import answering, reply

RULES = LinkRules((), (), True)
LINK = b"<a href=/beside>beside</a>"
NOT_READ = "pages whose links cannot be read"


def attributes(count):
    """libxml2 compares each attribute with all before it."""
    return b"<p" + b"".join(b" a%d" % number for number in range(count)) + b">" + LINK


def links(body, content_type="text/html", rules=RULES):
    page = Raw("http://a.example/", "", body, companions={"content_type": content_type})
    return [link.removeprefix("http://a.example") for link in links_of(page, rules)]


@pytest.mark.parametrize(
    "name", ["punycode", "idna", "raw_unicode_escape", "unicode_escape", "cp037", "zlib"]
)
@pytest.mark.parametrize("told", ["text/html; charset={}", "text/html"])
def test_an_encoding_that_no_browser_knows_is_not_decoded(name, told):
    """Python's punycode codec is quadratic: 0.8 MB would take 14 s."""
    body = b"<meta charset=%s>" % name.encode() + LINK + rb"<a href=/\u0062>b</a>"
    assert links(body, told.format(name)) == ["/beside", "//u0062"], "punycode reads none, the escapes /b"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("windows-1251", "/река"), ("iso-8859-1", "/é"), ("shift_jis", "/川"), ("euc-jp", "/川"), ("gbk", "/河"),
        ("big5", "/河"), ("euc-kr", "/강"), ("koi8-r", "/река"), ("iso-8859-9", "/ı"), ("tis-620", "/แม"), ("utf-16", "/é"),
    ],
)  # fmt: skip
def test_an_encoding_that_browsers_know_is_decoded(name, text):
    body = f"<p><a href={text}>a</a>".encode(name)
    assert links(body, f"text/html; charset={name}") == links(
        f"<p><a href={text}>a</a>".encode(), "text/html; charset=utf-8"
    )


def test_links_longer_than_addresses_in_browsers_are_left_out():
    body = (
        b"<base href=/%s/>" % (b"b" * 2_000) + b"<a href=x>x</a>" + b"<a href=%s>y</a>" % (b"y" * 100) + LINK
    )
    assert links(body) == ["/" + "b" * 2_000 + "/x", "/beside"]


def test_characters_invalid_in_addresses_lose_a_link_or_the_links_of_a_page_only():
    assert links(b"<a href='&#xD800;'>a</a>" + LINK)[-1:] == ["/beside"]


def test_an_invalid_base_address_loses_the_links_of_its_page_and_is_recorded():
    with pytest.raises(
        ParseError, match="the base address of its links, in <base>, is invalid: Invalid IPv6"
    ):
        links(b"<base href='http://[::1'>" + LINK)


def test_a_page_that_takes_too_long_is_given_up():
    child = BoundedChild(Bounds(seconds=1, patience=60))
    page = Raw("http://a.example/", "", attributes(400_000), companions={"content_type": "text/html"})
    try:
        with pytest.raises(ParseError, match="more than 1 s of the processor"):
            child.call(links_of, page, RULES)
        assert child.call(links_of, Raw("http://a.example/", "", LINK, companions=page.companions), RULES)
    finally:
        child.close()


@pytest.mark.long
def test_a_page_that_is_slow_to_read_is_kept_without_links_and_marked(tmp_path):
    routes = {"/slow": reply(body=attributes(400_000)), "/beside": reply(body=b"<p>beside")}
    routes |= {"/sound": reply(body=b"<p>sound" + LINK)}
    with answering(routes) as (site, asked):
        found = crawled(tmp_path, [f"{site}/slow", f"{site}/sound"], depth=1)
        again = crawled(tmp_path, [f"{site}/slow", f"{site}/sound"], depth=1)
    kept = {row["url"].removeprefix(site): row["about"] for row in found.kept}
    assert json.loads(kept.pop("/slow")) == {
        "links_not_read": "the parser took more than 5 s of the processor"
    }
    assert kept == {"/sound": None, "/beside": None}
    assert found.combinations == again.combinations == {NOT_READ: 1}
    assert asked.paths() == ["/slow", "/sound", "/beside"], "pages with an outcome are not requested again"


def test_a_robots_txt_that_is_slow_to_read_forbids_its_site_and_ends_no_crawl(tmp_path):
    """Each rule is stored for each of the agents above it: 134 KB took 19 s, and 500 KB an hour."""
    agents = "".join(f"User-agent: a{number}\n" for number in range(20_000))
    rules = "".join(f"Disallow: /{number}\n" for number in range(20_000))
    robots = reply(body=(agents + rules).encode(), kind="text/plain")
    with answering({"/robots.txt": robots}) as (slow, _), answering({"/a": reply(body=b"a")}) as (sound, _):
        found = crawled(tmp_path, [f"{slow}/a", f"{sound}/a"])
    assert [row["url"] for row in found.kept] == [f"{sound}/a"]
    (lost,) = found.dropped
    assert (lost["url"], lost["reason"]) == (f"{slow}/a", "robots")
    assert lost["detail"].endswith("to read it takes more than 2 seconds of the processor")


def test_rules_after_500_kib_of_robots_txt_do_not_count(tmp_path):
    robots = b"User-agent: *\nDisallow: /a\n" + b"# a comment\n" * 50_000 + b"Disallow: /b\n"
    routes = {"/robots.txt": reply(body=robots, kind="text/plain"), "/b": reply(body=b"b")}
    with answering(routes) as (site, _):
        found = crawled(tmp_path, [f"{site}/a", f"{site}/b"])
    assert ([row["url"] for row in found.kept], found.causes()) == ([f"{site}/b"], {f"{site}/a": "robots"})


def test_a_flood_of_links_is_not_held_in_memory(tmp_path, monkeypatch):
    """The process that makes the rows of a crawl used to hold all of them in memory, 5 GB."""
    monkeypatch.setattr("silverloom.ops.crawl.frontier.TOLD_APART", 1_000)
    pages = [f"http://a.example/{page}" for page in range(30)]
    journal = Journal(tmp_path, "options")
    for page in pages:
        found = tuple(f"{page}/{link}/{'x' * 200}" for link in range(5_000))
        journal.add(UrlOutcome(url=page, fate="fetched", links=found))
    journal.close()
    options = CrawlOptions.model_validate({**QUICK, "depth": 2, "pages": 40})
    tracemalloc.start()
    try:
        journal = Journal(tmp_path, "options")
        frontier = Frontier(pages, options, journal.entries)
        levels = [len(level) for level in frontier.levels()]
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        journal.close()
    assert levels == [30, 10]
    assert frontier.left_out == 30 * 5_000 - 10
    written = (tmp_path / "journal.db").stat().st_size
    assert most < written / 4
