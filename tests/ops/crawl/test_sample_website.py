"""The sample website, crawled with the sample's params.yaml."""

import pyarrow.parquet as pq
import pytest
import yaml

from silverloom.assets.declare.project import checkout
from silverloom.ops.core.parts import Part, Parts
from silverloom.ops.crawl.cited import FORMATS as CITED_FORMATS
from silverloom.ops.crawl.cited import crawl_cited
from silverloom.ops.crawl.crawl import FORMATS, crawl
from silverloom.ops.crawl.options import CrawlPlace
from silverloom.ops.parse.records import RowRecords
from silverloom.ops.parse.scan import Corpus, Records, SourceError
from silverloom.ops.parse.source import DatasetSource, Source, options_fault
from silverloom.ops.parse.wikipedia import FORMATS as ARTICLE_FORMATS
from silverloom.ops.parse.wikipedia import parse_articles

PARAMS = yaml.safe_load((checkout() / "params.yaml").read_text())["sources"]
SOURCES = PARAMS["crawls"]


def sample(month, working, change=lambda sources: None):
    sources = {name: {**source, "options": dict(source["options"])} for name, source in SOURCES.items()}
    change(sources)
    typed = {name: Source.model_validate(source) for name, source in sources.items()}
    corpus = Corpus("crawls", typed, FORMATS, checkout(), "2018-06", "2018-08", 256, None)
    corpus.check()
    return list(crawl(corpus.records(month), CrawlPlace(working, None, False, lambda done, known: None)))


def lost(outcomes):
    rows = [
        row for outcome in outcomes for row in [*outcome.dropped.to_pylist(), *outcome.rejected.to_pylist()]
    ]
    return {
        row["url"].removeprefix("http://"): row.get("reason") or row["error"].partition(": ")[2]
        for row in rows
    }


def test_the_articles_of_the_sample_are_found_from_their_first_page(tmp_path):
    outcomes = sample("2018-06", tmp_path)
    assert [row["depth"] for outcome in outcomes for row in outcome.kept.to_pylist()] == [0] + [1] * 7
    assert lost(outcomes) == {
        "islands.example/articles/missing.html": "status 404 Not Found",
        "islands.example/edit/river-tane.html": "robots",
    }


def test_near_duplicates_are_kept_and_exact_ones_are_not_and_the_bytes_are_the_same_in_every_clone(tmp_path):
    one, two = sample("2018-08", tmp_path / "one"), sample("2018-08", tmp_path / "two")
    assert [outcome.files for outcome in one] == [outcome.files for outcome in two]
    assert all(left.kept.equals(right.kept) for left, right in zip(one, two, strict=True))
    assert lost(one) == {
        "mirror.example/tane.html#again": "duplicate",
        "press.example/salmon.html": "duplicate",
        "ftp://mirror.example/tane.html": "the scheme 'ftp' is neither http nor https",
    }


def cited(month, working):
    """Crawl the pages that the sample articles of a month cite."""
    found = {name: Source.model_validate(source) for name, source in PARAMS["articles"].items()}
    dump = Corpus("articles", found, ARTICLE_FORMATS, checkout(), "2018-06", "2018-08", 256, None)
    articles = parse_articles([*dump.of_partition(month)]).kept
    pq.write_table(articles, working / "kept-00000.parquet")
    rows = Parts(articles.schema, (Part(str(working / "kept-00000.parquet")),), None)
    source = DatasetSource.model_validate(PARAMS["cited_pages"]["encyclopedia"])
    named = RowRecords("encyclopedia", source, source.kind, CITED_FORMATS[source.kind], rows, month)
    corpus = Corpus("cited_pages", {}, {}, checkout(), "2018-06", "2018-08", 256, None)
    place = CrawlPlace(working / "crawl", None, False, lambda done, known: None, checkout())
    return list(crawl_cited(Records(corpus, month, None, (named,)), place))


def test_the_citations_of_the_sample_articles_are_crawled_with_dead_links_and_loops(tmp_path):
    outcomes = cited("2018-07", tmp_path)
    urls = [row["url"].removeprefix("http://") for outcome in outcomes for row in outcome.kept.to_pylist()]
    own = ["gazette.example.org/1802", "lights.example.org/ardle"]
    assert sorted(url for url in urls if ".example.org/" in url) == own
    assert all(url.startswith(("chronicle.example/", "press.example/")) for url in {*urls} - {*own})
    assert {url: cause for url, cause in lost(outcomes).items() if cause != "listing"} == {
        "lights.example.org/keepers": "more than 5 redirects",
        "press.example/private/boateng-notes.html": "robots",
    }


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda options: options.pop("contact"), "contact: Field required"),
        (lambda options: options.pop("agent"), "agent: Field required"),
        (lambda options: options.update(contact="me"), "contact: String should match"),
        (lambda options: options.update(depht=1), "depht: Extra inputs are not permitted"),
        (lambda options: options.update(follow=["("]), "is no regular expression"),
        (lambda options: options.update(clock="2018-13-41T00:00:00Z"), "clock: .*month must be in 1..12"),
    ],
)
def test_a_source_with_bad_options_is_refused_with_the_reason(tmp_path, change, fault):
    with pytest.raises(SourceError, match=rf"params\.yaml: sources\.crawls\.articles\.options: .*{fault}"):
        sample("2018-06", tmp_path, lambda sources: change(sources["articles"]["options"]))


def test_a_missing_folder_to_serve_is_refused(tmp_path):
    def change(sources):
        sources["articles"]["options"]["serve"] = {"islands.example": "data/nowhere"}

    with pytest.raises(SourceError, match=r"articles: options\.serve\.islands\.example: no such folder"):
        sample("2018-06", tmp_path, change)


@pytest.mark.parametrize("written", ["2018-08-15T00:00:00Z", "2018-08-15 02:00:00+02:00"])
def test_an_unquoted_clock_is_read_as_a_time(written):
    options = yaml.safe_load(f"{{agent: a/1, contact: 'mailto:a@example.org', clock: {written}}}")
    source = Source.model_validate({**SOURCES["articles"], "options": options})
    assert options_fault(FORMATS["url_list"], source, "url_list") is None
    assert source.options["clock"] == "2018-08-15T00:00:00Z"


def test_options_of_a_kind_that_takes_none_are_refused():
    from silverloom.ops.parse.papers import FORMATS as PAPERS

    source = Source.model_validate(
        {"kind": "plain_text", "path": "data/sample/papers/text", "month": {"field": "date"}, "licence": "x", "options": {"depth": 1}}
    )  # fmt: skip
    corpus = Corpus("papers", {"text": source}, PAPERS, checkout(), "2018-06", "2018-08", 256, None)
    with pytest.raises(SourceError, match="the kind 'plain_text' takes none"):
        corpus.check()


def test_items_listed_for_every_month_belong_to_each():
    typed = {
        name: Source.model_validate({**source, "month": {"every": True}}) for name, source in SOURCES.items()
    }
    corpus = Corpus("crawls", typed, FORMATS, checkout(), "2018-06", "2018-08", 256, None)
    assert corpus.ids("2018-06") == corpus.ids("2018-08") != []
    assert {record.month for record in corpus.of_partition("2018-07")} == {"2018-07"}
    assert corpus.version("2018-06") == corpus.version("2018-07")
    assert corpus.outside() == {}
