"""Pages that articles cite, through the DAG: from Common Crawl to the references of WikiSum."""

import pyarrow.parquet as pq
import pytest

from tests.ops.crawl.common_crawl import CommonCrawl
from tests.ops.crawl.crawling import QUICK
from tests.ops.crawl.hostile import answering
from tests.projects import Project

CITED, REFERENCES = "sources/cited_pages", "wikisum/references"
PAGE = (
    "<html><body><p>The Tane of Varn is {what}, and whoever has seen it in spring, when the snow of the hills melts, "
    "knows why the mills along its banks were built of stone and not of wood.</p></body></html>"
)


@pytest.fixture
def cc(tmp_path):
    return CommonCrawl(tmp_path / "cc")


def citing(root, name, *urls):
    cited = " ".join(f"<ref>{url}</ref>" for url in urls)
    text = f"The Tane is a river in the north of the island, which floods every spring. {cited}\n"
    (root / "corpus/articles" / f"{name}.wiki").write_text(text)


@pytest.fixture
def project(sample_project, tmp_path) -> Project:
    """A checkout with only articles, whose cited pages are captures; the test sets where these are."""
    project = sample_project.copy(tmp_path / "project")
    (project.root / "corpus/articles").mkdir(parents=True)
    citing(project.root, "Tane", "http://a.example/tane", "http://www.b.example/Mill/")
    month = {"month": {"constant": "2018-06"}, "licence": "CC0-1.0"}

    def only_this(params):
        wikisum = params["wikisum"]
        params.clear()
        params.update(
            partitions={"start": "2018-06", "end": "2018-06"},
            wikisum=wikisum,
            sources={
                "articles": {"mine": {"kind": "wikitext", "path": "corpus/articles", **month}},
                "cited_pages": {"mine": {"kind": "common_crawl_index", "dataset": "sources/articles"}},
                "web_pages": {"cited": {"dataset": CITED}},
            },
        )

    project.params(only_this)
    return project


def lying_at(project, index, files):
    options = {**QUICK, "licence": "LicenseRef-web", "index": index, "files": files}
    project.params(lambda params: params["sources"]["cited_pages"]["mine"].update(options=options))


def rows(project, name, table="kept"):
    """The rows of a dataset, from all its partitions."""
    files = sorted((project.root / "data" / name).rglob(f"{table}-*.parquet"))
    return [row for file in files for row in pq.read_table(file).to_pylist()]


@pytest.mark.long
def test_captures_of_cited_pages_become_references(project, cc):
    cc.capture("http://a.example/tane", "2018-06-02", PAGE.format(what="a brook").encode())
    cc.capture("https://a.example/tane", "2018-06-20", PAGE.format(what="a river").encode())
    cc.capture("http://b.example/mill", "2018-06-20", PAGE.format(what="a place of mills").encode(), warc="b")
    cc.write()
    citing(project.root, "Varn", "http://a.example/tane", "http://nowhere.example/", "http://10.0.0.1/x")
    with answering({"*": cc.route}) as (site, asked):
        lying_at(project, f"{site}/cc-index-table.paths", f"{site}/")
        project.silverloom("run", "--select", REFERENCES)
        before = len(asked)
        assert project.made(project.silverloom("run", "--select", REFERENCES)) == []
    assert len(asked) == before
    kept = {row["url"]: row for row in rows(project, CITED)}
    assert {*kept} == {"http://a.example/tane", "http://www.b.example/Mill/"}
    assert kept["http://a.example/tane"]["date"] == "2018-06-20T00:00:00Z"
    reasons = {row["url"]: row["reason"] for row in rows(project, CITED, "dropped")}
    assert reasons["http://nowhere.example/"] == "not_in_index"
    (refused,) = rows(project, CITED, "rejected")
    assert refused["error"] == "http://10.0.0.1/x: the address 10.0.0.1 is private"
    titles = {row["id"]: row["title"] for row in rows(project, "sources/articles")}
    cited = [(titles[row["article_id"]], row["address"]) for row in rows(project, REFERENCES) if row["cited"]]
    assert sorted(cited) == [
        ("Tane", "http://b.example/mill"),
        ("Tane", "https://a.example/tane"),
        ("Varn", "https://a.example/tane"),
    ]
    told = project.silverloom("explain", kept["http://a.example/tane"]["id"])
    assert "sources/articles 2018-06" in told
