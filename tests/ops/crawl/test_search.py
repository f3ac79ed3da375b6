import json
import traceback
from urllib.parse import parse_qs, urlsplit

import pytest

from silverloom.ops.crawl.client import FetchError
from silverloom.ops.crawl.local_search import LocalIndex
from silverloom.ops.crawl.search import HttpSearch, HttpSearchParams
from tests.ops.crawl.crawling import client
from tests.ops.crawl.hostile import answering, reply

PAGES = {
    "http://a.example/": "The salmon came back to the river Tane. A camera counts the salmon.",
    "http://b.example/": "Salt bread is baked on hot stones and eaten with honey.",
    "http://c.example/": "The ferry crosses the river and the sound.",
}


@pytest.mark.parametrize(
    ("query", "urls"),
    [
        ("salmon in the river", ["http://a.example/", "http://c.example/"]),
        ("HONEY", ["http://b.example/"]),
        ("zeppelin", []),
        ("the", []),
        ("", []),
    ],
)
def test_pages_are_found_by_their_words_best_first(tmp_path, query, urls):
    hits = LocalIndex.of(PAGES.items(), tmp_path / "index").search(query, 10)
    assert [hit.url for hit in hits] == urls
    assert [hit.rank for hit in hits] == list(range(1, len(urls) + 1))


def provider(site, **params):
    path = {"url": f"{site}/search?q={{query}}&n={{k}}", "results": "web.results[].url"}
    return HttpSearch(HttpSearchParams(**(path | params)), client())


ANSWER = json.dumps({"web": {"results": [{"url": "http://a.example/"}, {"url": "http://b.example/"}, {"url": "http://a.example/"}]}}).encode()  # fmt: skip


def test_a_provider_is_queried_by_its_url_template_and_read_by_its_path(monkeypatch):
    monkeypatch.setenv("SEARCH_KEY", "secret")
    with answering({"/search": reply(body=ANSWER)}) as (site, asked):
        hits = provider(site, key_variable="SEARCH_KEY", key_header="X-Key").search("salmon & bread", 3)
    assert [(hit.url, hit.rank) for hit in hits] == [("http://a.example/", 1), ("http://b.example/", 2)]
    path, headers, _ = asked[0]
    assert path == "/search?q=salmon+%26+bread&n=3"
    assert headers["X-Key"] == "secret"


@pytest.mark.parametrize(
    ("template", "k", "pages", "asks"),
    [
        ("/search?q={query}&n={k}&from={offset}", 5, 5, ["n=2&from=0", "n=2&from=2", "n=1&from=4"]),
        ("/search?q={query}&n={k}&from={offset}", 9, 6, ["n=2&from=0", "n=2&from=2", "n=2&from=4", "n=2&from=6"]),
        ("/search?q={query}&n={k}", 5, 2, ["n=2"]),
    ],
)  # fmt: skip
def test_more_results_than_a_provider_gives_at_once_are_requested_page_by_page(template, k, pages, asks):
    def route(handler):
        fields = parse_qs(urlsplit(handler.path).query)
        first, number = int(fields.get("from", ["0"])[0]), int(fields["n"][0])
        found = [{"url": f"http://a.example/{place}"} for place in range(6)][first : first + number]
        reply(body=json.dumps({"web": {"results": found}}).encode())(handler)

    with answering({"/search": route}) as (site, asked):
        hits = provider(site, url=f"{site}{template}", page=2).search("salmon", k)
    assert [(hit.url, hit.rank) for hit in hits] == [
        (f"http://a.example/{place}", place + 1) for place in range(pages)
    ]
    assert [path.partition("&")[2] for path in asked.paths()] == asks


@pytest.mark.parametrize(
    "body", [b"<html>", b'{"web": {}}', b'{"web": {"results": [{"url": 7}]}}', b"[" * 100_000]
)
def test_a_response_without_urls_is_an_error(body):
    with (
        answering({"/search": reply(body=body)}) as (site, _),
        pytest.raises(FetchError, match="the answer to 'salmon'"),
    ):
        provider(site).search("salmon", 3)


def test_a_missing_key_is_reported_and_an_existing_one_never_shown(monkeypatch):
    monkeypatch.delenv("SEARCH_KEY", raising=False)
    with answering({"/search": reply(403)}) as (site, _):
        with pytest.raises(LookupError, match="SEARCH_KEY"):
            provider(site, key_variable="SEARCH_KEY").search("salmon", 3)
        monkeypatch.setenv("SEARCH_KEY", "top secret")
        with pytest.raises(FetchError) as failed:
            provider(site, url=f"{site}/search?q={{query}}&key={{key}}", key_variable="SEARCH_KEY").search(
                "a", 3
            )
    assert "top" not in str(failed.value)


def test_a_provider_that_refuses_connections_is_the_cause_and_the_key_stays_hidden(monkeypatch):
    monkeypatch.setenv("SEARCH_KEY", "top secret")
    with answering({}) as (site, _):
        pass
    with pytest.raises(FetchError) as failed:
        provider(site, url=f"{site}/search?q={{query}}&key={{key}}", key_variable="SEARCH_KEY").search("a", 3)
    assert isinstance(failed.value.__cause__, ConnectionRefusedError)
    shown = "".join(traceback.format_exception(failed.value))
    assert "ConnectionRefusedError" in shown and "secret" not in shown


def test_an_invalid_path_is_refused():
    with pytest.raises(ValueError, match="no JMESPath"):
        HttpSearchParams(url="https://a.example/?q={query}", results="[[[")
