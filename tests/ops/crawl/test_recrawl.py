"""Repeated crawls: pages that have not changed, or are unavailable this time, are in the new version, too."""

import pytest

from tests.ops.crawl.crawling import anthology, crawled, interrupted, listed_at
from tests.ops.crawl.hostile import answering, conditional, in_turn, reply


def urls(found):
    return [row["url"].rpartition("/")[2] for row in found.kept]


def test_items_do_not_change_if_their_line_cannot_be_listed_again(tmp_path):
    routes = {
        "/P18.xml": anthology("P18", 1, 2, 3),
        "/P19.xml": anthology("P19", 1),
        "/P18-1001.pdf": reply(body=b"%PDF-1"),
        "/P18-1002.pdf": reply(body=b"%PDF-2"),
        "/P19-1001.pdf": reply(body=b"%PDF-9"),
    }
    with answering(routes) as (site, asked):
        one = crawled(tmp_path, ["P18", "P19"], **listed_at(site))
        routes |= {
            "/P18.xml": reply(503),
            "/P18-1001.pdf": reply(404),
            "/P19-1001.pdf": reply(body=b"%PDF-10"),
        }
        asked.clear()
        again = {"recrawl": True, **listed_at(site)}
        two = crawled(tmp_path, ["P18", "P19"], former=one.folder, working="two", **again)
        asks = asked.paths()
        routes["/P18.xml"] = anthology("P18", 1)
        three = crawled(tmp_path, ["P18", "P19"], former=two.folder, working="three", **again)

    assert asks == ["/P18.xml", "/P19.xml", "/P19-1001.pdf"]
    assert urls(two) == ["P18-1001.pdf", "P18-1002.pdf", "P19-1001.pdf"]
    digests = [[row["digest"] for row in version.kept] for version in (one, two)]
    assert digests[0][:2] == digests[1][:2] and digests[0][2] != digests[1][2]
    assert two.causes() == {
        "P18": f"{site}/P18.xml: status 503 Service Unavailable; its 3 items are kept",
        "P19": "listing",
        f"{site}/P18-1003.pdf": one.causes()[f"{site}/P18-1003.pdf"],
    }
    assert (urls(three), three.causes()["P18"]) == (["P19-1001.pdf"], "listing")


def test_an_item_keeps_its_bytes_if_the_page_that_it_duplicated_changed(tmp_path):
    routes = {
        "/P18.xml": anthology("P18", 1),
        "/P19.xml": anthology("P19", 1),
        "/P18-1001.pdf": reply(body=b"%PDF-1"),
        "/P19-1001.pdf": reply(body=b"%PDF-1"),
    }
    with answering(routes) as (site, _):
        one = crawled(tmp_path, ["P18", "P19"], **listed_at(site))
        routes |= {"/P19.xml": reply(503), "/P18-1001.pdf": reply(body=b"%PDF-2")}
        again = {"former": one.folder, "working": "two", "recrawl": True}
        two = crawled(tmp_path, ["P18", "P19"], **again, **listed_at(site))
    assert (urls(one), urls(two)) == (["P18-1001.pdf"], ["P18-1001.pdf", "P19-1001.pdf"])
    assert two.kept[1]["digest"] == one.kept[0]["digest"]


def test_fetched_items_stay_if_an_interrupted_crawl_cannot_list_their_line_again(tmp_path):
    routes = {
        "/P18.xml": anthology("P18", 1, 2),
        "*": reply(body=b"%PDF-1"),
        "/P18-1002.pdf": reply(body=b"2"),
    }
    with answering(routes) as (site, _):
        crawled(tmp_path, ["P18"], **listed_at(site))
        interrupted(tmp_path / "working/web", 2)
        routes["/P18.xml"] = reply(503)
        found = crawled(tmp_path, ["P18"], **listed_at(site))
    assert urls(found) == ["P18-1001.pdf"]
    assert found.causes()[f"{site}/P18-1002.pdf"] == "what lists it cannot be read again"


def test_a_new_line_is_listed_alone(tmp_path):
    routes = {"/P18.xml": anthology("P18", 1), "/P19.xml": anthology("P19", 1), "*": reply(body=b"%PDF-1")}
    with answering(routes) as (site, asked):
        one = crawled(tmp_path, ["P18"], **listed_at(site))
        asked.clear()
        crawled(tmp_path, ["P18", "P19"], former=one.folder, working="two", **listed_at(site))
    assert asked.paths() == ["/P19.xml", "/P19-1001.pdf"]


@pytest.mark.parametrize(
    ("fault", "kept"),
    [
        ({"/": reply(503)}, ["a"]),
        ({"/robots.txt": in_turn(reply(503), reply(404))}, []),
        ({"/": reply(404)}, []),
    ],
)
def test_the_links_of_an_unavailable_page_are_followed_unless_it_is_gone(tmp_path, fault, kept):
    routes = {"/": reply(body=b"<a href=/a>a</a>"), "/a": reply(body=b"<p>a")}
    with answering(routes) as (site, _):
        one = crawled(tmp_path, [f"{site}/"], depth=1, retries=0)
        routes |= fault
        two = crawled(
            tmp_path, [f"{site}/"], former=one.folder, recrawl=True, working="two", depth=1, retries=0
        )
        there = len(two.units)
        routes |= {"/": reply(body=b"<a href=/a>a</a>"), "/robots.txt": reply(404)}
        three = crawled(
            tmp_path, [f"{site}/"], former=two.folder, recrawl=True, working="three", depth=1, retries=0
        )
    assert urls(two) == kept
    assert there == (1 if "/" in fault and not kept else 2)
    assert urls(three) == ["", "a"]


def test_links_of_the_deepest_pages_are_known_when_the_list_or_the_depth_changes(tmp_path):
    routes = {
        "/": reply(body=b"<a href=/a>a</a>"),
        "/a": reply(body=b"<a href=/b>b</a>"),
        "/b": reply(body=b"<p>b"),
    }
    with answering(routes) as (site, asked):
        one = crawled(tmp_path, [f"{site}/"], depth=1)
        asked.clear()
        listed = crawled(tmp_path, [f"{site}/", f"{site}/a"], former=one.folder, working="listed", depth=1)
        deeper = crawled(tmp_path, [f"{site}/"], former=one.folder, working="deeper", depth=2)
    assert urls(one) == ["", "a"]
    assert urls(listed) == urls(deeper) == ["", "a", "b"]
    assert asked.paths() == ["/b", "/b"]


@pytest.mark.parametrize("unchanged", ["keep", "drop"])
def test_a_page_with_the_same_bytes_counts_as_unchanged_even_if_the_site_does_not_say_so(tmp_path, unchanged):
    routes = {"/a": reply(body=b"a"), "/b": reply(body=b"b"), "/copy": reply(body=b"a")}
    with answering(routes) as (site, _):
        asked_for = [f"{site}/{name}" for name in ("a", "b", "copy")]
        one = crawled(tmp_path, asked_for, unchanged=unchanged)
        routes |= {"/a": reply(body=b"a", ETag='"new"'), "/b": reply(body=b"b, mended")}
        again = {"recrawl": True, "unchanged": unchanged}
        two = crawled(tmp_path, asked_for, former=one.folder, working="two", **again)
        routes["/a"] = conditional(b"a", value='"new"')
        three = crawled(tmp_path, asked_for, former=two.folder, working="three", **again)

    if unchanged == "keep":
        rows = [{row["url"][-2:]: row for row in version.kept} for version in (one, two, three)]
        assert [row["unchanged"] for row in rows[1].values()] == [True, False]
        assert [row["unchanged"] for row in rows[2].values()] == [True, True]
        same = [{name: row["/a"][name] for name in ("digest", "date", "length")} for row in rows]
        assert same[0] == same[1] == same[2]
        assert rows[1]["/a"]["etag"] == '"new"'
        assert [row["/a"]["also"] for row in rows] == 3 * [[asked_for[2]]]
    else:
        assert urls(two) == ["b"]
        assert two.causes() == dict.fromkeys([asked_for[0], asked_for[2]], "unchanged")
        assert three.causes() == dict.fromkeys(asked_for, "unchanged")


def test_an_item_with_the_same_bytes_is_unchanged_and_has_new_metadata(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "2018-06.txt").write_text("a")
    options = {"kind": "folder", "pattern": r"^(\d{4}-\d\d)"}
    one = crawled(tmp_path, [f"file://{folder}"], **options)
    again = {"former": one.folder, "recrawl": True}
    two = crawled(tmp_path, [f"file://{folder}"], working="two", **again, **options)
    (folder / "2018-06.txt").write_text("b")
    three = crawled(tmp_path, [f"file://{folder}"], working="three", **again, **options)
    assert [row["unchanged"] for version in (one, two, three) for row in version.kept] == [False, True, False]
    assert two.kept[0]["date"] == one.kept[0]["date"]
