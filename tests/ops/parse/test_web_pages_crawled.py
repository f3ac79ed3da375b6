"""Web pages from the rows of a crawl."""

import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from silverloom.ops.core.parts import FILES, Part, Parts
from silverloom.ops.crawl.outcomes import PAGES
from silverloom.ops.crawl.warc import resource_record, response_record
from silverloom.ops.parse.records import RowRecords
from silverloom.ops.parse.source import DatasetSource, configured
from silverloom.ops.parse.web import FORMATS, parse_web_pages

DATE = "2018-08-15T00:00:00Z"
HTML = b"<title>Noise</title><p>Labels are dear, and we ask how far cheap labels carry.</p>"


def response(url, body, packed, kind="text/html"):
    return response_record(url, "200 OK", [("Content-Type", kind)], body, DATE, packed)[0]


def read(tmp_path, records, sizes=None, max_bytes=2**20):
    """The outcome of parsing records that a crawl wrote to one file."""
    file = b"".join(records)
    (tmp_path / FILES).mkdir(exist_ok=True)
    (tmp_path / FILES / "web-00000.warc").write_bytes(file)
    rows, offset = [], 0
    for number, record in enumerate(records):
        size = sizes[number] if sizes else len(record)
        place = {"file": "web-00000.warc", "offset": offset, "length": len(record), "bytes": size}
        rows.append({"id": f"page-{number}", "source_ids": ["x"], "licence": f"L{number}", **place})
        offset += len(record)
    pq.write_table(pa.Table.from_pylist(rows, PAGES.kept), tmp_path / "kept-00000.parquet")
    parts = Parts(PAGES.kept, (Part(str(tmp_path / "kept-00000.parquet")),), None)
    source = DatasetSource(dataset="sources/crawls", max_bytes=max_bytes)
    (chunk,) = RowRecords("web", source, "crawled", FORMATS["crawled"], parts, "2018-08")
    return parse_web_pages(chunk)


@pytest.mark.parametrize("packed", [True, False])
def test_each_row_is_the_page_of_its_record(tmp_path, packed):
    urls = ["http://a.example/", "http://b.example/"]
    found = read(tmp_path, [response(url, HTML, packed) for url in urls])
    rows = [(row["url"], row["source_ids"], row["licence"], row["date"]) for row in found.kept.to_pylist()]
    assert rows == [(urls[0], ["page-0"], "L0", DATE), (urls[1], ["page-1"], "L1", DATE)]
    assert found.kept["title"].to_pylist() == ["Noise", "Noise"]


def test_the_options_of_a_source_reach_the_extractor(tmp_path):
    (tmp_path / FILES).mkdir()
    record = response("http://a.example/", HTML, False)
    (tmp_path / FILES / "a.warc").write_bytes(record)
    row = {"id": "x", "file": "a.warc", "offset": 0, "length": len(record), "bytes": len(record)}
    source = DatasetSource(dataset="sources/crawls", options={"extractor": "resiliparse"})
    crawled = configured(FORMATS["crawled"], source)
    assert crawled.raw(row, PAGES.kept, tmp_path / FILES).companions["extractor"] == "resiliparse"
    assert "extractor" not in FORMATS["crawled"].raw(row, PAGES.kept, tmp_path / FILES).companions


def test_a_page_that_two_crawls_fetched_is_kept_twice(tmp_path):
    found = read(tmp_path, [response("http://a.example/", HTML, False)] * 2)
    assert found.kept["source_ids"].to_pylist() == [["page-0"], ["page-1"]]
    assert len({*found.kept["id"].to_pylist()}) == 2


def test_a_page_with_a_compression_ratio_of_a_thousand_is_read(tmp_path):
    """The crawl itself limited what it decompressed, so this is not a bomb."""
    body = HTML + b" " * 5_000_000
    record = response("http://a.example/", body, packed=True)
    assert len(record) * 300 < len(body)
    found = read(tmp_path, [record], [len(body)], max_bytes=10**7)
    assert found.kept["url"].to_pylist() == ["http://a.example/"]


def test_an_item_from_common_crawl_is_read_as_a_record(tmp_path):
    within = response("http://a.example/", HTML, packed=True)
    outer, _ = resource_record("https://data.example/x.warc.gz", within, DATE, packed=True)
    found = read(tmp_path, [outer])
    assert found.kept["url"].to_pylist() == ["http://a.example/"]


@pytest.mark.parametrize("packing", [gzip.compress, bytes])
def test_a_record_whose_length_has_thousands_of_digits_is_rejected_alone(tmp_path, packing):
    bad = packing(b"WARC/1.1\r\nWARC-Type: response\r\nContent-Length: " + b"9" * 5_000 + b"\r\n\r\n<p>")
    outer, _ = resource_record("https://data.example/x.warc.gz", bad, DATE, packed=True)
    found = read(tmp_path, [outer, response("http://a.example/", HTML, True)])
    assert found.kept["url"].to_pylist() == ["http://a.example/"]
    assert len(found.dropped) + len(found.rejected) == 1
    lone = read(tmp_path, [bad, response("http://a.example/", HTML, True)])
    (cause,) = lone.rejected["error"].to_pylist()
    assert "its Content-Length is no number of bytes: '9999" in cause


def test_content_other_than_pages_is_dropped_and_oversized_or_damaged_records_are_rejected(tmp_path):
    records = [
        response("http://a.example/p.pdf", b"%PDF-1.4", False, "application/pdf"),
        resource_record("http://a.example/x.gz", gzip.compress(b"no record"), DATE, packed=False)[0],
        response("http://a.example/", HTML * 1000, False),
        b"no record of WARC at all\r\n",
    ]
    found = read(tmp_path, records, max_bytes=10_000)
    assert [(row["id"], row["reason"]) for row in found.dropped.to_pylist()] == [
        ("page-0", "not_html"),
        ("page-1", "not_html"),
    ]
    causes = found.rejected["error"].to_pylist()
    assert "larger than max_bytes = 10000" in causes[0]
    assert "no record of WARC begins here" in causes[1]
