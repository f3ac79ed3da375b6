from dataclasses import replace

import pyarrow as pa
import pytest

from silverloom.ops.crawl.cited import FORMATS, crawl_cited
from silverloom.ops.crawl.options import CrawlPlace
from silverloom.ops.parse.source import DatasetSource, options_fault
from tests.ops.crawl.crawling import QUICK, articles
from tests.ops.crawl.hostile import answering, reply


def test_cited_pages_are_requested_once_and_only_an_invalid_address_is_rejected(tmp_path):
    options = {**QUICK, "licence": "LicenseRef-web", "pages": 4}
    place = CrawlPlace(tmp_path / "working", None, False, lambda done, known: None, tmp_path)
    with answering({"/a": reply(body=b"a <a href=/deep>d</a>"), "/b": reply(body=b"b")}) as (site, asked):
        found = articles(
            tmp_path,
            options,
            tane=[f"{site}/a", f"{site}/a#part", "www.no-scheme.example"],
            varn=[f"{site}/a", f"{site}/b", f"{site}/gone"],
            bread=[],
        )
        (outcome,) = crawl_cited(found, place)

    rows = [
        (row["url"].removeprefix(site), row["found_on"], row["depth"]) for row in outcome.kept.to_pylist()
    ]
    assert rows == [("/a", "tane", 1), ("/b", "varn", 1)]
    listings = [(row["id"], row["reason"], row["score"]) for row in outcome.dropped.to_pylist()]
    assert listings == [("tane", "listing", 2), ("varn", "listing", 3), ("bread", "listing", 0)]
    causes = {row["url"].removeprefix(site): row["error"] for row in outcome.rejected.to_pylist()}
    assert causes["/gone"].endswith("status 404 Not Found")
    assert "no URL" in causes["www.no-scheme.example"]
    assert sorted(asked.paths()) == ["/a", "/b", "/gone"]
    assert len(outcome.units) == 7, "the limit does not count articles"
    assert set(outcome.kept["licence"].to_pylist()) == {"LicenseRef-web"}


@pytest.mark.parametrize("missing", ["agent", "contact", "licence"])
def test_a_source_without_required_options_is_refused(missing):
    options = {**QUICK, "licence": "LicenseRef-web"}
    options.pop(missing)
    source = DatasetSource(kind="citations", dataset="sources/articles", options=options)
    assert options_fault(FORMATS["citations"], source, "citations") == f"{missing}: Field required"


def test_only_an_article_with_too_many_citations_is_rejected(tmp_path):
    place = CrawlPlace(tmp_path / "working", None, False, lambda done, known: None, tmp_path)
    with answering({"/a": reply(body=b"a")}) as (site, _):
        found = articles(
            tmp_path,
            {**QUICK, "licence": "LicenseRef-web"},
            tane=[f"{site}/a"],
            varn=[f"{site}/{n}" for n in range(99)],
        )
        [rows] = found.rows
        small = replace(rows, source=rows.source.model_copy(update={"max_bytes": 200}))
        (outcome,) = crawl_cited(replace(found, rows=(small,)), place)
    assert outcome.kept["found_on"].to_pylist() == ["tane"]
    assert outcome.rejected["id"].to_pylist() == ["varn"]
    assert "larger than max_bytes = 200" in outcome.rejected["error"][0].as_py()


def test_rows_without_citations_cannot_be_crawled():
    with pytest.raises(ValueError, match="has no citations"):
        FORMATS["citations"].columns(pa.schema([("id", pa.string())]))
