"""Crawls in the DAG: pinned when they are made, asked again by the schedule or on demand."""

import pyarrow.parquet as pq

from tests.end_to_end.test_ticks import tick
from tests.ops.crawl.crawling import QUICK
from tests.ops.crawl.hostile import answering, reply
from tests.projects import Project

CRAWLS = "sources/crawls"


def crawling(project, site, **month):
    """Let a project crawl one page of a site, and what it links to."""
    lists = project.root / "corpus/lists"
    lists.mkdir(exist_ok=True)
    (lists / "pages.txt").write_text(f"{site}/\n")
    source = {"kind": "url_list", "path": "corpus/lists", "month": month, "licence": "CC0-1.0"}

    def change(params):
        params["sources"]["crawls"] = {"web": {**source, "options": {**QUICK, "depth": 1}}}
        params["partitions"] = {"start": "2018-06", "end": "2018-06"}

    project.params(change)
    project.silverloom("render")


def page(version):
    """A page with a tag, which answers 304 to who knows it."""
    tag = f'"{version}"'

    def route(handler):
        if handler.headers.get("If-None-Match") == tag:
            return reply(304, ETag=tag)(handler)
        return reply(body=f"<a href=/a>a</a> {version}".encode(), ETag=tag)(handler)

    return route


def rows(project, month):
    table = pq.read_table(project.root / "data" / CRAWLS / month / "kept-00000.parquet")
    return {row["url"].rpartition("/")[2]: row for row in table.to_pylist()}


def bytes_of(project, month):
    folder = project.root / "data" / CRAWLS / month
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_month_is_crawled_once_and_the_next_by_the_tick_of_the_schedule_from_what_the_site_has_become(
    fresh,
):
    routes = {"/": page("first"), "/a": reply(body=b"a")}
    with answering(routes) as (site, asked):
        crawling(fresh, site, every=True)
        fresh.silverloom("run", "--select", CRAWLS)
        assert sorted(asked.paths()) == ["/", "/a"]
        june = bytes_of(fresh, "2018-06")

        routes |= {"/": page("second"), "/b": reply(body=b"b")}
        fresh.silverloom("run", "--select", CRAWLS)
        assert len(asked.paths()) == 2, "what was crawled is fresh, whatever the web has become"

        fresh.params(lambda params: params["partitions"].update(end="2018-07"))
        asked.clear()
        assert CRAWLS + " 2018-07" in tick(fresh, "newest_month", "run")["asked"]
        assert sorted(asked.paths()) == ["/", "/a"]
        assert rows(fresh, "2018-07")[""]["etag"] == '"second"'
        assert bytes_of(fresh, "2018-06") == june

        routes |= {"/": page("third")}
        asked.clear()
        tick(fresh, "newest_month", "run")
        assert [headers.get("If-None-Match") for path, headers, _ in asked if path == "/"] == ['"second"']
        assert rows(fresh, "2018-07")[""]["etag"] == '"third"'
        assert bytes_of(fresh, "2018-06") == june


def test_a_recrawl_makes_a_new_version_and_code_that_changed_asks_for_nothing(fresh):
    routes = {"/": page("first"), "/a": reply(body=b"a", ETag='"a"')}
    with answering(routes) as (site, asked):
        crawling(fresh, site, constant="2018-06")
        fresh.silverloom("run", "--select", CRAWLS)
        june, lock = bytes_of(fresh, "2018-06"), fresh.lock
        fresh.edit("ops/crawl/outcomes.py", 'row_id("page"', 'row_id("web" + "page"[4:]')
        fresh.edit("ops/crawl/outcomes.py", '"web" + "page"[4:]', '"page" + ""')
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
        assert fresh.silverloom("run", "--select", CRAWLS) and len(asked.paths()) == 2


def test_a_crawl_without_a_contact_is_refused_with_the_reason_before_anything_is_asked(fresh):
    with answering({}) as (site, asked):
        crawling(fresh, site, constant="2018-06")
        fresh.params(lambda params: params["sources"]["crawls"]["web"]["options"].pop("contact"))
        output = fresh.silverloom("run", "--select", CRAWLS, ok=False)
    assert "params.yaml: sources.crawls.web.options: contact: Field required" in output
    assert asked == []


def test_a_clone_with_its_data_asks_for_nothing(fresh, tmp_path):
    with answering({"/": page("first"), "/a": reply(body=b"a")}) as (site, asked):
        crawling(fresh, site, constant="2018-06")
        fresh.silverloom("run", "--select", CRAWLS)
        fresh.dvc("remote", "add", "-d", "store", str(tmp_path / "store"))
        fresh.commit("crawled")
        fresh.dvc("push", "sources-crawls")
        fresh.git("clone", "-q", str(fresh.root), str(tmp_path / "clone"))
        clone = Project(tmp_path / "clone", fresh.zygote)
        clone.dvc("pull", "sources-crawls")
        asked.clear()
        assert clone.made(clone.silverloom("run", "--select", CRAWLS)) == []
        assert bytes_of(clone, "2018-06") == bytes_of(fresh, "2018-06")
    assert asked == []
