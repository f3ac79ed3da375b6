"""Crawls of search results, against a local provider and local pages."""

import json

import psutil
import pytest

from silverloom.ops.crawl.crawl import FORMATS, crawl
from silverloom.ops.crawl.options import CrawlPlace
from silverloom.ops.parse.scan import Corpus, SourceError
from silverloom.ops.parse.source import MonthRule, Source
from tests.ops.crawl.crawling import QUICK, provider, record_at, searched
from tests.ops.crawl.hostile import answering, conditional, reply

KEY = "top/secret key"


def found(crawl, site):
    return {row["url"].removeprefix(site): json.loads(row["about"])["ranks"] for row in crawl.kept}


def test_the_results_of_queries_are_crawled_into_warc_with_their_queries_and_ranks(tmp_path):
    search = provider(salmon=["/a", "/gone", "/b"], salt_bread=["/b", "/c#part", "/d"])
    pages = {f"/{name}": reply(body=name.encode()) for name in "abcd"}
    with answering({"/search": search, **pages}) as (site, asked):
        crawl = searched(tmp_path, site, ["salmon", "salt bread", "# a comment"], k=3)

    assert found(crawl, site) == {
        "/a": {"salmon": 1},
        "/b": {"salmon": 3, "salt bread": 1},
        "/c#part": {"salt bread": 2},
        "/d": {"salt bread": 3},
    }
    assert [row["found_on"] for row in crawl.kept] == ["salmon", "salmon", "salt bread", "salt bread"]
    for row in crawl.kept:
        record = record_at(crawl.files[row["file"]], row["offset"])
        assert record.rec_type == "response"
        assert record.content_stream().read().decode() == row["url"].removeprefix(site)[1]
    listings = [(row["url"], row["reason"], row["score"]) for row in crawl.dropped]
    assert listings == [("salmon", "listing", 3), ("salt bread", "listing", 3)]
    ((gone,),) = [[row] for row in crawl.rejected]
    assert (gone["url"], gone["found_on"]) == (f"{site}/gone", "salmon")
    assert sorted(asked.paths()) == ["/a", "/b", "/c", "/d", "/gone", "/search?q=salmon&n=3", "/search?q=salt+bread&n=3"]  # fmt: skip


def test_the_robots_txt_of_a_result_is_obeyed_and_no_private_address_is_requested(tmp_path):
    robots = reply(body=b"User-agent: silverloom-test\nDisallow: /private\n", kind="text/plain")
    results = ["/private/a", "/b", "http://169.254.169.254/x", "ftp://a.example/x", "http://[", "http://a.example/\ud800"]  # fmt: skip
    routes = {"/robots.txt": robots, "/search": provider(salmon=results), "/b": reply(body=b"b")}
    with answering(routes) as (site, asked):
        crawl = searched(tmp_path, site, ["salmon"])
    causes = {url.removeprefix(site): cause for url, cause in crawl.causes().items()}
    assert found(crawl, site) == {"/b": {"salmon": 2}}
    assert causes["/private/a"] == "robots"
    assert "link-local" in causes["http://169.254.169.254/x"]
    assert "neither http nor https" in causes["ftp://a.example/x"]
    assert "no address" in causes["http://a.example/\ufffd"]
    assert len(causes) == 6 and asked.paths() == ["/search?q=salmon&n=10", "/b"]


@pytest.mark.parametrize(
    ("way", "sent"),
    [
        ({"key_header": "X-Key"}, lambda path, headers: headers.get("X-Key") == KEY),
        ({"url": "{site}/search?q={query}&n={k}&key={key}"}, lambda path, headers: "&key=top%2Fsecret+key" in path),
    ],
)  # fmt: skip
def test_the_key_in_the_environment_is_sent_only_to_the_provider_and_never_stored(
    tmp_path, monkeypatch, way, sent
):
    monkeypatch.setenv("SEARCH_KEY", f"{KEY}\n")
    monkeypatch.setenv("OTHER_KEY", "other")
    handed = []

    def results(handler):
        children = psutil.Process().children()
        child = next(child.environ() for child in children if "silverloom.ops.crawl.child" in child.cmdline())
        handed.append({"SEARCH_KEY", "OTHER_KEY"} & child.keys())
        provider(salmon=["/a"], bread=reply(403), away=[f"/b?{handler.path}"])(handler)

    with answering({"/search": results, "/a": reply(body=b"a")}) as (site, asked):
        options = {name: value.replace("{site}", site) for name, value in way.items()}
        if "url" not in options:
            options["url"] = f"{site}/search?q={{query}}&n={{k}}"
        crawl = searched(tmp_path, site, ["salmon", "bread", "away"], key_variable="SEARCH_KEY", **options)
    searches = [sent(path, headers) for path, headers, _ in asked if path.startswith("/search")]
    others = [sent(path, headers) for path, headers, _ in asked if not path.startswith("/search")]
    assert searches == [True] * 3 and others and not any(others)
    assert handed == [{"SEARCH_KEY"}] * 3
    assert "status 403" in crawl.causes()["bread"]
    told = repr((crawl.kept, crawl.dropped, crawl.rejected)).encode()
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) > 4
    assert not any(b"top" in content or b"secret" in content for content in [told, *written])


@pytest.mark.parametrize("value", [None, "", " \n"])
def test_without_its_key_a_search_is_refused_before_any_request(tmp_path, monkeypatch, value):
    monkeypatch.delenv("SEARCH_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("SEARCH_KEY", value)
    key = {"key_variable": "SEARCH_KEY", "key_header": "X-Key"}
    with answering({"/search": provider(salmon=["/a"]), "/a": reply(body=b"a")}) as (site, asked):
        with pytest.raises(SourceError, match="the environment variable SEARCH_KEY holds no key"):
            searched(tmp_path, site, ["salmon"], **key)
        assert asked == []
        monkeypatch.setenv("SEARCH_KEY", KEY)
        one = searched(tmp_path, site, ["salmon"], **key)
        monkeypatch.delenv("SEARCH_KEY")
        again = searched(tmp_path, site, ["salmon"], former=one.folder, working="again", **key)
    assert again.kept == one.kept, "published results are reused without the key"


FAILED = [
    (reply(429, Retry_After="4000"), "status 429"),
    (reply(500), "status 500"),
    (reply(body=b'{"web": '), "is no JSON"),
    (reply(body=b"[" * 200_000), "is no JSON"),
    (reply(body=b'{"error": "no"}'), "has no URLs at"),
    (reply(body=b'{"web": {"results": []}}'), "nothing is found for 'bad5'"),
    (reply(body=b" " * 300_001), "more than 300000 bytes"),
]


def test_failed_queries_have_their_cause_and_affect_no_other(tmp_path):
    bad = {f"bad{number}": answer for number, (answer, _) in enumerate(FAILED)}
    search = provider(first=["/a"], **bad, last=["/b"])
    with answering({"/search": search, "/a": reply(body=b"a"), "/b": reply(body=b"b")}) as (site, _):
        crawl = searched(tmp_path, site, ["first", *bad, "last"], listing_bytes=300_000)
    assert found(crawl, site) == {"/a": {"first": 1}, "/b": {"last": 1}}
    causes = crawl.causes()
    assert [cause for name, (_, cause) in zip(bad, FAILED, strict=True) if cause not in causes[name]] == []
    assert [row["url"] for row in crawl.rejected] == [*bad]


def test_queries_with_the_same_url_are_kept_apart_and_a_url_is_not_a_query(tmp_path):
    search = provider(**{"C": ["/a"], "C#": ["/b"]})
    with answering({"/search": search, "/a": reply(body=b"a"), "/b": reply(body=b"b")}) as (site, _):
        crawl = searched(tmp_path, site, ["C", "C#", f"{site}/a"])
    assert found(crawl, site) == {"/a": {"C": 1}, "/b": {"C#": 1}}
    assert [row["error"] for row in crawl.rejected] == [
        f"{site}/a: a URL and no query; the kind url_list asks for URLs"
    ]


def test_a_result_has_the_best_ranks_of_its_duplicates(tmp_path):
    search = provider(salmon=["/a", "/b"], bread=["/c", "/b", "/a"])
    pages = {"/a": reply(body=b"one"), "/b": reply(body=b"one"), "/c": reply(body=b"two")}
    with answering({"/search": search, **pages}) as (site, _):
        crawl = searched(tmp_path, site, ["salmon", "bread"])
    assert found(crawl, site) == {"/a": {"salmon": 1, "bread": 2}, "/c": {"bread": 1}}
    assert [row["also"] for row in crawl.kept if row["url"] == f"{site}/a"] == [[f"{site}/b"]]


def test_a_repeated_search_has_new_ranks_and_keeps_earlier_results_if_it_fails(tmp_path):
    routes = {
        "/search": provider(salmon=["/a", "/b"], bread=["/c"]),
        "/a": conditional(b"a"),
        "/b": reply(body=b"b"),
        "/c": reply(body=b"c"),
    }
    with answering(routes) as (site, asked):
        one = searched(tmp_path, site, ["salmon", "bread"])
        routes["/search"] = provider(salmon=["/d", "/a"], bread=reply(503), ferry=["/a"])
        routes["/d"] = reply(body=b"d")
        again = {"former": one.folder, "recrawl": True, "working": "again", "retries": 1}
        two = searched(tmp_path, site, ["salmon", "bread"], **again)
        asked.clear()
        three = searched(tmp_path, site, ["salmon", "bread", "ferry"], former=two.folder, working="more")

    assert found(two, site) == {"/a": {"salmon": 2}, "/c": {"bread": 1}, "/d": {"salmon": 1}}
    assert {row["url"][-1]: row["unchanged"] for row in two.kept} == {"a": True, "c": True, "d": False}
    assert two.causes()["bread"].endswith("status 503 Service Unavailable; its 1 items are kept")
    assert found(three, site)["/a"] == {"salmon": 2, "ferry": 1}
    assert asked.paths() == ["/search?q=ferry&n=10"], "only the new query is sent"


def test_links_of_results_are_followed_if_requested(tmp_path):
    page = reply(body=b"<a href=/deep>d</a>")
    routes = {"/search": provider(salmon=["/a"]), "/a": page, "/deep": reply(body=b"deep")}
    with answering(routes) as (site, _):
        crawl = searched(tmp_path, site, ["salmon"], depth=2)
    rows = [(row["url"].removeprefix(site), row["depth"], row["about"]) for row in crawl.kept]
    assert rows == [("/a", 1, '{"ranks": {"salmon": 1}}'), ("/deep", 2, None)]


def test_a_search_needs_no_months(tmp_path):
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists/queries.txt").write_text("salmon\n")
    with answering({"/search": provider(salmon=["/a"]), "/a": reply(body=b"a")}) as (site, _):
        template = {"url": f"{site}/search?q={{query}}&n={{k}}", "results": "web.results[].url"}
        source = Source(
            kind="search",
            path="lists",
            month=MonthRule(constant="2018"),
            licence="CC0-1.0",
            options={**QUICK, **template},
        )
        years = Corpus("crawls", {"web": source}, FORMATS, tmp_path, "2018", "2018", 256, None, every="year")
        place = CrawlPlace(tmp_path / "working", None, False, lambda done, known: None)
        (outcome,) = crawl(years.records("2018"), place)
    assert outcome.kept["month"].to_pylist() == ["2018"]
