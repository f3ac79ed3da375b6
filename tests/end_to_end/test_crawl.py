"""Crawls in the DAG: pinned once made, and repeated only by the schedule or on demand."""

import hashlib
import json
import shutil
import signal
import time

import psutil
import pyarrow.parquet as pq
import pytest

from silverloom.orchestration.files.identity import folder_files
from tests.end_to_end.crawling import CRAWLS, WEB_PAGES, crawling, rows
from tests.end_to_end.ticks import tick
from tests.ops.crawl.crawling import QUICK
from tests.ops.crawl.hostile import answering, reply
from tests.waiting import until


def page(version):
    """A page with an ETag, which answers 304 to a client that knows the tag."""
    tag = f'"{version}"'

    def route(handler):
        if handler.headers.get("If-None-Match") == tag:
            return reply(304, ETag=tag)(handler)
        text = f"<p>This is the {version} version of the page, and it links to <a href=/a>another</a> page."
        return reply(body=text.encode(), ETag=tag)(handler)

    return route


def texts(project, month):
    """The texts of web pages, by path."""
    table = pq.read_table(project.root / "data" / WEB_PAGES / month / "kept-00000.parquet")
    return {row["url"].rpartition("/")[2]: row["text"] for row in table.to_pylist()}


def bytes_of(project, month, dataset=CRAWLS):
    folder = project.root / "data" / dataset / month
    return {name: path.read_bytes() for name, path in folder_files(folder).items()}


def test_a_month_is_crawled_once_and_the_schedule_crawls_the_next_month_from_the_changed_site(
    toy,
):
    routes = {"/": page("first"), "/a": reply(body=b"a")}
    with answering(routes) as (site, asked):
        crawling(toy, site, every=True)
        toy.silverloom("run", "--select", WEB_PAGES)
        assert sorted(asked.paths()) == ["/", "/a"]
        assert "the first version" in texts(toy, "2018-06")[""]
        june, pages = bytes_of(toy, "2018-06"), bytes_of(toy, "2018-06", WEB_PAGES)

        routes |= {"/": page("second"), "/b": reply(body=b"b")}
        toy.silverloom("run", "--select", CRAWLS)
        assert len(asked.paths()) == 2, "a crawl stays fresh when the web changes"

        toy.params(lambda params: params["partitions"].update(end="2018-07"))
        asked.clear()
        made = tick(toy, "newest_partition", "run")["asked"]
        assert made.index(f"{CRAWLS} 2018-07") < made.index(f"{WEB_PAGES} 2018-07")
        assert sorted(asked.paths()) == ["/", "/a"]
        assert rows(toy, "2018-07")[""]["etag"] == '"second"'
        assert "the second version" in texts(toy, "2018-07")[""]
        assert bytes_of(toy, "2018-06") == june

        routes |= {"/": page("third")}
        asked.clear()
        made = tick(toy, "newest_partition", "run")["asked"]
        assert made.index(f"{CRAWLS} 2018-07") < made.index(f"{WEB_PAGES} 2018-07")
        assert [headers.get("If-None-Match") for path, headers, _ in asked if path == "/"] == ['"second"']
        assert rows(toy, "2018-07")[""]["etag"] == '"third"'
        assert "the third version" in texts(toy, "2018-07")[""]
        assert (bytes_of(toy, "2018-06"), bytes_of(toy, "2018-06", WEB_PAGES)) == (june, pages)


@pytest.mark.long
def test_a_recrawl_makes_a_new_version_and_changed_code_fetches_nothing(fresh):
    routes = {"/": page("first"), "/a": reply(body=b"a", ETag='"a"')}
    with answering(routes) as (site, asked):
        crawling(fresh, site, end="2018-07", constant="2018-06")
        fresh.silverloom("run", "--select", WEB_PAGES)
        june, lock = bytes_of(fresh, "2018-06"), fresh.lock
        fresh.append("ops/crawl/outcomes.py", "spdx = spdx")
        fresh.silverloom("run", "--select", CRAWLS)
        assert bytes_of(fresh, "2018-06") == june
        assert len(asked.paths()) == 2

        routes |= {"/": page("second")}
        asked.clear()
        fresh.silverloom("run", "--recrawl", "--select", CRAWLS)
        conditions = {path: headers.get("If-None-Match") for path, headers, _ in asked}
        assert conditions == {"/robots.txt": None, "/": '"first"', "/a": '"a"'}
        found = rows(fresh, "2018-06")
        assert (found[""]["etag"], found[""]["unchanged"]) == ('"second"', False)
        assert fresh.lock != lock
        read = fresh.silverloom("run", "--select", WEB_PAGES)
        assert fresh.made(read) == [f"{WEB_PAGES} 2018-06"], "only the pages of that month"
        assert "the second version" in texts(fresh, "2018-06")[""]
        assert len(asked.paths()) == 2


def flip(path):
    """Flip a bit of a file, which DVC has write-protected if it is a link to its cache."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.chmod(0o644)
    path.write_bytes(content)


def warc(project):
    return next((project.root / "data" / CRAWLS / "2018-06/__files").glob("web-*.warc.gz"))


def cached(project, path):
    """The path of a file's bytes in DVC's cache."""
    md5 = hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()
    return project.root / ".dvc/cache/files/md5" / md5[:2] / md5[2:]


@pytest.mark.long
def test_a_damaged_crawl_is_restored_from_the_cache_even_if_the_site_has_changed(fresh):
    routes = {"/": page("first"), "/a": reply(body=b"a")}
    with answering(routes) as (site, asked):
        crawling(fresh, site, constant="2018-06")
        fresh.silverloom("run", "--select", CRAWLS)
        june, lock = bytes_of(fresh, "2018-06"), fresh.lock
        routes |= {"/": page("second")}
        asked.clear()

        flip(warc(fresh))
        (warc(fresh).parent / "foreign").write_text("foreign")
        told = fresh.silverloom("run", "--select", CRAWLS)
        assert (bytes_of(fresh, "2018-06"), fresh.lock) == (june, lock)
        folder = "data/sources/crawls/2018-06/__files"
        for name in ("web-00000.warc.gz", "foreign"):
            assert f"{folder}/{name} cannot be used: it is not what was made; the crawl is restored" in told

        shutil.rmtree(fresh.root / "data" / CRAWLS / "2018-06")
        fresh.silverloom("run", "--select", CRAWLS)
        assert (bytes_of(fresh, "2018-06"), fresh.lock) == (june, lock)

        flip(warc(fresh))
        manifest = fresh.root / f"manifests/{CRAWLS}/2018-06.json"
        manifest.rename(fresh.root / "kept")
        said = "2018-06 has no manifest. Crawls are pinned: `dvc fetch sources-crawls` downloads this one"
        assert said in fresh.silverloom("run", "--select", CRAWLS, ok=False)
        (fresh.root / "kept").rename(manifest)
        fresh.silverloom("run", "--select", CRAWLS)
        assert (bytes_of(fresh, "2018-06"), fresh.lock) == (june, lock)
        assert fresh.made(fresh.silverloom("run", "--select", CRAWLS)) == []
    assert asked == []


@pytest.mark.long
def test_a_damaged_crawl_missing_from_the_cache_is_refused_until_a_recrawl_is_requested(fresh, tmp_path):
    routes = {"/": page("first"), "/a": reply(body=b"a")}
    with answering(routes) as (site, asked):
        crawling(fresh, site, constant="2018-06")
        fresh.silverloom("run", "--select", CRAWLS)
        fresh.dvc("remote", "add", "-d", "store", str(tmp_path / "store"))
        fresh.dvc("push", "sources-crawls")
        june, lock = bytes_of(fresh, "2018-06"), fresh.lock
        routes |= {"/": page("second")}
        asked.clear()

        cached(fresh, warc(fresh)).unlink()
        flip(warc(fresh))
        left = bytes_of(fresh, "2018-06")
        refused = fresh.silverloom("run", "--select", CRAWLS, ok=False)
        assert "data/sources/crawls/2018-06/__files/web-00000.warc.gz was changed or lost" in refused
        assert "`dvc checkout --force sources-crawls`" in refused
        assert "`silverloom run --recrawl --select sources/crawls`" in refused
        assert (bytes_of(fresh, "2018-06"), fresh.lock, asked) == (left, lock, [])

        fresh.dvc("fetch", "sources-crawls")
        fresh.dvc("checkout", "--force", "data/sources/crawls")
        assert fresh.made(fresh.silverloom("run", "--select", CRAWLS)) == []
        assert (bytes_of(fresh, "2018-06"), fresh.lock, asked) == (june, lock, [])

        cached(fresh, warc(fresh)).unlink()
        flip(warc(fresh))
        fresh.silverloom("run", "--recrawl", "--select", CRAWLS)
        assert rows(fresh, "2018-06")[""]["etag"] == '"second"'


@pytest.mark.long
def test_a_search_result_is_read_and_explained_by_its_query_and_without_the_key_no_request_is_made(
    fresh, monkeypatch
):
    monkeypatch.delenv("SEARCH_KEY", raising=False)

    def search(handler):
        known = handler.headers["X-Key"] == "top-secret"
        found = {"urls": [f"http://{handler.headers['Host']}/found"]}
        reply(200 if known else 403, body=json.dumps(found).encode())(handler)

    with answering({"/search": search, "/found": page("first"), "/a": reply(body=b"a")}) as (site, asked):
        crawling(fresh, site, "salmon in the river", constant="2018-06")

        def change(params):
            source = params["sources"]["crawls"]["web"]
            provider = {"url": f"{site}/search?q={{query}}", "results": "urls"}
            provider |= {"key_variable": "SEARCH_KEY", "key_header": "X-Key"}
            source |= {"kind": "search", "options": {**QUICK, **provider}}

        fresh.params(change)
        refused = fresh.silverloom("run", "--select", WEB_PAGES, ok=False)
        assert "the crawl web: the environment variable SEARCH_KEY holds no key" in refused
        assert asked == []
        told = fresh.silverloom("run", "--select", WEB_PAGES, env={"SEARCH_KEY": "top-secret"})
        again = fresh.silverloom("run", "--select", WEB_PAGES)
    assert fresh.made(again) == []
    assert asked.paths() == ["/search?q=salmon+in+the+river", "/found"]
    assert "the first version" in texts(fresh, "2018-06")["found"]
    explained = fresh.silverloom("explain", rows(fresh, "2018-06")["found"]["id"]).split("made of")[1]
    assert "found on salmon in the river\n  file corpus/lists/pages.txt, line 1" in explained
    written = [
        path for path in fresh.root.rglob("*") if path.is_file() and b"top-secret" in path.read_bytes()
    ]
    assert written == [] and "top-secret" not in told


def test_a_crawl_without_a_contact_is_refused_with_the_reason_before_any_request(toy):
    with answering({}) as (site, asked):
        crawling(toy, site, constant="2018-06")
        toy.params(lambda params: params["sources"]["crawls"]["web"]["options"].pop("contact"))
        output = toy.silverloom("run", "--select", CRAWLS, ok=False)
    assert "params.yaml: sources.crawls.web.options: contact: Field required" in output
    assert asked == []


@pytest.mark.long
@pytest.mark.parametrize(("how", "status"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_an_interrupted_run_does_not_repeat_requests_that_were_answered(fresh, how, status):
    def slowly(handler):
        time.sleep(0.1)
        reply(body=handler.path.encode())(handler)

    paths = [f"/{number}" for number in range(30)]
    with answering({"*": slowly, "/robots.txt": reply(404)}) as (site, asked):
        crawling(fresh, site, *paths, constant="2018-06")
        run = fresh.start("silverloom.orchestration.cli", "run", "--select", CRAWLS)
        try:
            until(lambda: len(asked.paths()) > 8, programs=[run])
            crawl = psutil.Process(run.pid).children(recursive=True)
            run.send_signal(how)
            assert run.wait() == status
            psutil.wait_procs(crawl)
        finally:
            run.kill()
        assert len(asked.paths()) < 30
        fresh.silverloom("run", "--select", CRAWLS)
    assert len(rows(fresh, "2018-06")) == 30
    assert len(asked.paths()) <= 30 + 1, "only requests in flight are repeated"
