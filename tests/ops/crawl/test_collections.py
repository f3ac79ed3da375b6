"""Collections, against a server with responses in the form of the real ones."""

import bz2
import dataclasses
import gzip
import itertools
import json

import pytest

from silverloom.ops.crawl.client import FetchError
from silverloom.ops.crawl.collections.item import Item
from silverloom.ops.crawl.collections.kinds import FolderOptions
from silverloom.ops.crawl.collections.papers import AclAnthology, ArxivBulk, ArxivRecords, S2orcShards
from silverloom.ops.crawl.collections.web import Folder, WikipediaDump
from silverloom.ops.crawl.crawl import crawl
from silverloom.ops.crawl.options import CrawlPlace
from silverloom.ops.parse.scan import SourceError
from silverloom.ops.parse.source import MonthRule
from tests.ops.crawl.collection_cases import dump, oai, paper, ranges
from tests.ops.crawl.crawling import anthology, client, corpus, crawled, cut_short, record_at
from tests.ops.crawl.hostile import answering, conditional, in_turn, redirect, reply

ANTHOLOGY = """<?xml version='1.0' encoding='UTF-8'?>
<collection id="P18">
  <volume id="1" ingest-date="2018-07-01">
    <meta><booktitle>Proceedings</booktitle><month>July</month><year>2018</year><url hash="1">P18-1</url></meta>
    <frontmatter><url hash="2">P18-1000</url></frontmatter>
    <paper id="1"><title>Labels are <fixed-case>D</fixed-case>ear</title><author><first>A</first></author>
      <url hash="3">P18-1001</url><doi>10.18653/v1/P18-1001</doi>
      <video href="https://vimeo.com/285800109"/></paper>
    <paper id="2"><title>No PDF</title></paper>
    <paper id="3"><title>Elsewhere</title><url>https://papers.example/x.pdf</url><video href="P18-1003.mp4"/></paper>
  </volume>
  <volume id="2"><meta><month>August 1&#8211;3</month><year>2018</year></meta>
    <paper id="1"><title>Later</title><url>P18-2001</url></paper></volume>
  <volume id="3"><meta><year>2018</year></meta><paper id="1"><title>When</title><url>P18-3001</url></paper></volume>
</collection>
"""


def test_the_anthology_lists_the_papers_of_a_month_with_pdf_and_video():
    with answering({"/P18.xml": reply(body=ANTHOLOGY.encode())}) as (site, _):
        anthology = AclAnthology(client(), ["P18"], metadata=f"{site}/")
        months = {
            month: list(anthology.items(month)) for month in ("2018-07", "2018-08", "2018-01", "2018-02")
        }
    first, second = months["2018-07"]
    assert (first.id, first.url) == ("P18-1001", "https://aclanthology.org/P18-1001.pdf")
    assert first.about == {
        "title": "Labels are Dear",
        "categories": "ACL Anthology",
        "doi": "10.18653/v1/P18-1001",
        "video": "https://vimeo.com/285800109",
    }
    assert (second.id, second.url) == ("P18-1.3", "https://papers.example/x.pdf")
    assert second.about["video"] == "https://aclanthology.org/P18-1003.mp4"
    assert [item.id for item in months["2018-08"]] == ["P18-2001"]
    assert [item.id for item in months["2018-01"]] == ["P18-3001"]
    assert months["2018-02"] == []


@pytest.mark.parametrize(
    ("month", "number"), [("9" * 5_000, 1), ("\u0667", 1), ("07", 7), ("13", 1), ("0", 1)]
)
def test_an_invalid_month_in_the_anthology_is_january(month, number):
    xml = ANTHOLOGY.replace("<month>July</month>", f"<month>{month}</month>")
    with answering({"/P18.xml": reply(body=xml.encode())}) as (site, _):
        anthology = AclAnthology(client(), ["P18"], metadata=f"{site}/")
        assert "P18-1001" in [item.id for item in anthology.items(f"2018-{number:02d}")]


DELETED = (
    "<record><header status='deleted'><identifier>oai:arXiv.org:1806.00009</identifier></header></record>"
)


@pytest.mark.parametrize(
    ("tokens", "cause"),
    [(itertools.count(), "does not end within 20 answers"), (itertools.cycle("abc"), "leads to itself")],
)
def test_an_endless_list_of_arxiv_is_given_up(tokens, cause):
    def endless(handler):
        body = oai(paper("1806.00001", "2018-06-01"), token=str(next(tokens)))
        reply(body=body)(handler)

    with answering({"/oai2": endless}) as (site, asked), pytest.raises(FetchError, match=cause):
        list(ArxivRecords(client(), place=f"{site}/oai2", answers=20).items("2018-06"))
    assert len(asked) <= 20


def test_arxiv_lists_the_papers_of_a_month_page_by_page_and_waits_as_requested():
    first = oai(paper("1806.00001", "2018-06-01"), paper("1801.00001", "2018-01-01"), DELETED, token="a|b 1")
    last = oai(
        paper("cs/0601001", "2018-06-30", "<license>http://creativecommons.org/licenses/by/4.0/</license>")
    )
    busy = reply(503, Retry_After="1")
    with answering({"/oai2": in_turn(reply(body=first), busy, reply(body=last))}) as (site, asked):
        found = list(ArxivRecords(client(), place=f"{site}/oai2").items("2018-06"))
    assert [item.id for item in found] == ["1806.00001", "cs/0601001"]
    assert found[0].url == "https://export.arxiv.org/pdf/1806.00001"
    assert found[1].about["license"].endswith("/by/4.0/")
    assert asked[0][0] == "/oai2?verb=ListRecords&metadataPrefix=arXiv&set=cs&from=2018-06-01"
    assert asked[2][0] == "/oai2?verb=ListRecords&resumptionToken=a%7Cb%201"


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        (b"<OAI-PMH xmlns='http://www.openarchives.org/OAI/2.0/'><error code='badArgument'>no set</error></OAI-PMH>", "no set"),
        (b"<html>", "no XML that can be read"),
        (b"<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><x>&b;</x>", "no XML that can be read"),
        (oai(paper("1806.00001", "2018-06-01"), token="same"), "leads to itself"),
        (oai(paper("1806.00001", "2018-06-01"), token="x" * 3_000), "a resumption token of 3000 characters"),
    ],
)  # fmt: skip
def test_an_arxiv_response_without_a_list_is_an_error(body, cause):
    with answering({"/oai2": reply(body=body)}) as (site, _), pytest.raises(FetchError, match=cause):
        list(ArxivRecords(client(), place=f"{site}/oai2").items("2018-06"))


def test_arxiv_without_records_of_a_month_lists_none():
    empty = b"<OAI-PMH xmlns='http://www.openarchives.org/OAI/2.0/'><error code='noRecordsMatch'/></OAI-PMH>"
    with answering({"/oai2": reply(body=empty)}) as (site, _):
        assert list(ArxivRecords(client(), place=f"{site}/oai2").items("2018-06")) == []


def test_the_bulk_listing_of_arxiv_gives_the_archives_of_a_month():
    file = "<file><content_md5sum>x</content_md5sum><filename>pdf/arXiv_pdf_{0}_001.tar</filename><first_item>{0}.1</first_item><yymm>{0}</yymm></file>"
    manifest = f"<arXivPDF>{file.format('1806')}{file.format('9107')}</arXivPDF>".encode()
    with answering({"/m.xml": reply(body=manifest), "/pdf/arXiv_pdf_1806_001.tar": reply(body=b"tar")}) as (
        site,
        _,
    ):
        bulk = ArxivBulk(client(), f"{site}/m.xml", f"{site}/")
        (archive,) = bulk.items("2018-06")
        assert archive.about == {"first_item": "1806.1"}
        assert b"".join(bulk.content(archive)) == b"tar"
        assert [item.id for item in bulk.items("1991-07")] == ["pdf/arXiv_pdf_9107_001.tar"]


@pytest.mark.parametrize(
    ("first", "last", "titles"), [(0, None, ["Tane", "Varn", "Hollin"]), (1, 2, ["Varn"]), (2, 9, ["Hollin"])]
)
def test_a_dump_is_read_by_ranges_of_its_index(first, last, titles):
    body, index = dump([["Tane", "Salt: bread"], ["Varn"], ["Hollin"]])
    with answering({"/dump": ranges(body), "/index": reply(body=index)}) as (site, _):
        wikipedia = WikipediaDump(client(), f"{site}/dump", f"{site}/index", "2018-08", first, last)
        assert list(wikipedia.items("2018-07")) == []
        packs = [b"".join(wikipedia.content(item)) for item in wikipedia.items("2018-08")]
        pages = [bz2.decompress(pack).decode() for pack in packs]
    assert [page.partition("</title>")[0].removeprefix("<page><title>") for page in pages] == titles


@pytest.mark.parametrize(
    ("index", "cause"),
    [(b"no bzip2", "Invalid data"), (bz2.compress(b"a:b:c\n"), "no line of an index"), (bz2.compress(b"1:2:c\n" * 99)[:-20], "ends too early"), (bz2.compress(b"1" * 50_000), "a line of more than"), (bz2.compress(b"9" * 5_000 + b":1:c\n"), "no line of an index")],
)  # fmt: skip
def test_a_response_that_is_not_an_index_is_an_error(index, cause):
    with answering({"/index": reply(body=index)}) as (site, _), pytest.raises(FetchError, match=cause):
        list(WikipediaDump(client(), f"{site}/dump", f"{site}/index", "2018-08").items("2018-08"))


def test_s2orc_lists_the_shards_of_a_release_with_the_key_in_the_environment(monkeypatch):
    shard = gzip.compress(b'{"corpusid": 1}\n')

    def listing(handler):
        files = [f"{site}/shards/{name}.gz?X-Amz-Signature=1" for name in ("b", "a")]
        good = handler.headers["x-api-key"] == "secret"
        reply(200 if good else 403, body=json.dumps({"name": "s2orc", "files": files}).encode())(handler)

    routes = {
        "/2018-06-11/dataset/s2orc": listing,
        "/shards/a.gz": reply(body=shard),
        "/shards/b.gz": reply(body=shard),
    }
    with answering(routes) as (site, _):
        shards = S2orcShards(client(), "2018-06-11", place=site)
        monkeypatch.delenv("S2_API_KEY", raising=False)
        with pytest.raises(LookupError, match="S2_API_KEY"):
            list(shards.items("2018-06"))
        monkeypatch.setenv("S2_API_KEY", "secret")
        found = list(shards.items("2018-06"))
        assert [item.id for item in found] == ["a.gz", "b.gz"]
        assert gzip.decompress(b"".join(shards.content(found[0]))) == b'{"corpusid": 1}\n'
        assert list(shards.items("2018-07")) == []


def test_a_folder_lists_the_files_of_a_month_without_links_to_the_outside(tmp_path):
    (tmp_path / "in/201806").mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "in/201806/b.json").write_text("b")
    (tmp_path / "in/201806/a.json").write_text("a")
    (tmp_path / "in/201806/link.json").symlink_to(tmp_path / "secret")
    (tmp_path / "in/201807.json").write_text("c")
    folder = Folder(f"file://{tmp_path}/in", r"^(\d{6})")
    found = list(folder.items("2018-06"))
    assert [item.id for item in found] == ["201806/a.json", "201806/b.json"]
    assert b"".join(folder.content(found[1])) == b"b"


def test_two_files_whose_paths_differ_after_a_hash_sign_are_kept_apart(tmp_path):
    (tmp_path / "in").mkdir()
    for number in (1, 2):
        (tmp_path / f"in/201806#{number}.txt").write_text(str(number))
    found = crawled(tmp_path, [f"file://{tmp_path}/in"], kind="folder", pattern=r"(\d{6})")
    assert [row["url"][-5:] for row in found.kept] == ["1.txt", "2.txt"]


def test_a_bucket_in_memory_is_read_like_a_folder():
    import fsspec

    system = fsspec.filesystem("memory")
    system.pipe("/bucket/papers-2018-06.jsonl", b"{}\n")
    folder = Folder("memory://bucket", r"-(\d{4}-\d{2})\.")
    (item,) = folder.items("2018-06")
    assert (item.id, b"".join(folder.content(item))) == ("papers-2018-06.jsonl", b"{}\n")


@pytest.mark.parametrize(
    "place",
    ["https://example.org/files", "nosuch://bucket", "file:///nosuch/folder", "memory://nosuch"],
)
def test_a_path_that_is_not_a_folder_is_refused(place):
    with pytest.raises(FetchError):
        list(Folder(place, r"(\d{6})").items("2018-06"))


@pytest.mark.parametrize(
    "place",
    [
        "simplecache::{site}/201806.tar",
        "file::{site}/201806.tar",
        "zip://*::{site}/201806.zip",
        "SIMPLECACHE::{site}/201806.tar",
        "webdav://{host}/201806.tar",
        "reference://?fo={site}/201806.json",
        "github://owner:repo@main/201806",
    ],
)
def test_no_protocol_leads_from_a_folder_to_the_web(place):
    """Web addresses are requested only by code that checks them."""
    with answering({"*": reply(body=b"{}")}) as (site, asked):
        place = place.format(site=site, host=site.removeprefix("http://"))
        with pytest.raises(FetchError, match="no protocol of abfs, abfss, "):
            list(Folder(place, r"(\d{6})").items("2018-06"))
    assert asked == []


@pytest.mark.parametrize(
    ("route", "cause"),
    [
        (reply(500), "status 500"),
        (cut_short, "IncompleteRead"),
        (redirect("http://169.254.169.254/x.tar"), "link-local"),
        (reply(body=gzip.compress(b"\0" * 10_000_000), Content_Encoding="gzip"), "more than 100000 bytes"),
    ],
)
def test_an_unavailable_item_has_its_cause(route, cause):
    with answering({"/x.tar": route}) as (site, _), pytest.raises(FetchError, match=cause):
        bulk = ArxivBulk(client(most_bytes=100_000))
        list(bulk.content(Item("x", f"{site}/x.tar", "2018-06")))


def test_a_range_that_is_shorter_than_it_should_be_is_an_error():
    with (
        answering({"/dump": reply(206, body=b"short")}) as (site, _),
        pytest.raises(FetchError, match="5 bytes from 10 on"),
    ):
        dump = WikipediaDump(client(), f"{site}/dump", f"{site}/index", "2018-08")
        list(dump.content(Item("10", f"{site}/dump", "2018-08", 10, 100)))


def test_a_collection_is_crawled_into_warc_and_an_unavailable_item_affects_no_other(tmp_path):
    routes = {
        "/P18.xml": anthology("P18", 1, 2, 3),
        "/P18-1001.pdf": reply(body=b"%PDF-1"),
        "/P18-1003.pdf": reply(body=b"%PDF-3" * 100),
    }
    with answering(routes) as (site, asked):
        options = {"kind": "acl_anthology", "metadata": f"{site}/", "files": f"{site}/", "page_bytes": 500}
        one = crawled(tmp_path, ["P18", "P19"], **options)
        again = crawled(tmp_path, ["P18", "P19"], former=one.folder, working="again", **options)
        asks = len(asked)
        assert [row["url"] for row in one.kept] == [f"{site}/P18-1001.pdf"]
        (row,) = one.kept
        record = record_at(one.files[row["file"]], row["offset"])
        assert (record.rec_type, record.content_stream().read()) == ("resource", b"%PDF-1")
        assert one.causes() == {
            "P18": "listing",
            "P19": f"{site}/P19.xml: status 404 Not Found",
            f"{site}/P18-1002.pdf": f"{site}/P18-1002.pdf: status 404 Not Found",
            f"{site}/P18-1003.pdf": "size",
        }
    assert (again.files, len(asked)) == (one.files, asks)


def test_unchanged_items_are_copied_when_requested_again(tmp_path):
    routes = {
        "/P18.xml": anthology("P18", 1, 2, 3),
        "/P18-1001.pdf": conditional(b"%PDF-1"),
        "/P18-1002.pdf": conditional(b"%PDF-2"),
        "/P18-1003.pdf": reply(body=b"%PDF-3"),
    }
    with answering(routes) as (site, asked):
        options = {"kind": "acl_anthology", "metadata": f"{site}/", "files": f"{site}/"}
        one = crawled(tmp_path, ["P18"], **options)
        routes |= {"/P18-1002.pdf": conditional(b"%PDF-2, mended", value='"2"')}
        two = crawled(tmp_path, ["P18"], former=one.folder, recrawl=True, working="again", **options)
    assert {row["url"][-8:]: row["unchanged"] for row in two.kept} == {
        "1001.pdf": True,
        "1002.pdf": False,
        "1003.pdf": True,
    }
    records = [record_at(two.files[row["file"]], row["offset"]) for row in two.kept]
    assert [record.content_stream().read() for record in records] == [b"%PDF-1", b"%PDF-2, mended", b"%PDF-3"]
    assert two.kept[0]["date"] == one.kept[0]["date"]
    assert one.kept[0]["etag"] == '"1"' and asked.paths().count("/P18-1001.pdf") == 2


def test_an_unsolicited_not_modified_response_is_rejected(tmp_path):
    with answering({"/P18.xml": anthology("P18", 1), "/P18-1001.pdf": reply(304)}) as (site, _):
        found = crawled(tmp_path, ["P18"], kind="acl_anthology", metadata=f"{site}/", files=f"{site}/")
    assert found.causes()[f"{site}/P18-1001.pdf"] == f"{site}/P18-1001.pdf: unchanged"


def test_packs_of_a_dump_are_separate_items(tmp_path):
    body, index = dump([["Tane"], ["Varn"], ["Hollin"]])
    routes = {"/d-multistream.xml.bz2": ranges(body), "/d-multistream-index.txt.bz2": reply(body=index)}
    with answering(routes) as (site, _):
        found = crawled(tmp_path, [f"{site}/d-multistream.xml.bz2"], kind="wikipedia_dump", first=1)
    assert [row["url"].partition("#")[2].partition("=")[0] for row in found.kept] == ["bytes", "bytes"]
    assert len({row["digest"] for row in found.kept}) == 2


NEST = b"[" * 200_000
BAD_VIDEO = ANTHOLOGY.replace("https://vimeo.com/285800109", "http://[").replace("July", "June").encode()


@pytest.mark.parametrize(
    ("kind", "line", "route", "cause"),
    [
        ("s2orc", "2018-06-11", reply(body=NEST), "RecursionError"),
        ("acl_anthology", "P18", reply(body=BAD_VIDEO), "Invalid IPv6 URL"),
    ],
)
def test_a_malformed_listing_loses_only_its_line(tmp_path, monkeypatch, kind, line, route, cause):
    monkeypatch.setenv("S2_API_KEY", "secret")
    with answering({"*": route}) as (site, _):
        place = {"s2orc": "place", "acl_anthology": "metadata"}[kind]
        found = crawled(tmp_path, [line], kind=kind, **{place: f"{site}/"})
    assert list(found.causes()) == [line]
    assert cause in found.cause()


@pytest.mark.parametrize("pattern", [r"(\d{6}", r"\d{6}", r"(\d)(\d)"])
def test_a_pattern_without_its_group_is_refused(pattern):
    options = {"agent": "a/1", "contact": "mailto:a@example.org"}
    with pytest.raises(ValueError, match=r"no regular expression|needs one group"):
        FolderOptions(pattern=pattern, **options)


def test_metadata_and_licence_of_an_item_in_the_listing_are_in_its_row(tmp_path):
    licence = "<license>http://arxiv.org/licenses/nonexclusive-distrib/1.0/</license>"
    listing = oai(
        paper("1806.00001", "2018-06-01", "<doi>10.1103/A</doi>"),
        paper(
            "1806.00002", "2018-06-02", "<license>http://creativecommons.org/licenses/by-sa/4.0/</license>"
        ),
        paper("1806.00003", "2018-06-03", licence),
    )
    routes = {"/oai2": reply(body=listing)} | {
        f"/pdf/1806.0000{number}": reply(body=b"%%PDF-%d" % number) for number in (1, 2, 3)
    }
    with answering(routes) as (site, _):
        options = {"kind": "arxiv", "place": f"{site}/oai2", "files": f"{site}/pdf/"}
        one = crawled(tmp_path, ["cs"], **options)
        again = crawled(tmp_path, ["cs"], former=one.folder, working="again", **options)
    assert [row["licence"] for row in one.kept] == [
        "CC0-1.0",
        "CC-BY-SA-4.0",
        "LicenseRef-arxiv.org-licenses-nonexclusive-distrib-1.0",
    ]
    assert json.loads(one.kept[0]["about"]) == {
        "title": "On 1806.00001",
        "categories": "cs.CL",
        "doi": "10.1103/A",
    }
    assert again.kept == one.kept


@pytest.mark.parametrize(("page_bytes", "causes"), [(500_000, []), (400_000, ["size"])])
def test_an_item_may_be_larger_than_a_listing(tmp_path, page_bytes, causes):
    manifest = b"<arXivPDF><file><filename>x.tar</filename><yymm>1806</yymm></file></arXivPDF>"
    routes = {"/m.xml": reply(body=manifest), "/x.tar": reply(body=b"x" * 500_000)}
    with answering(routes) as (site, _):
        bounds = {"listing_bytes": 1000, "page_bytes": page_bytes}
        found = crawled(tmp_path, [f"{site}/m.xml"], kind="arxiv_bulk", files=f"{site}/", **bounds)
    assert list(found.causes().values()) == ["listing", *causes]


def test_a_collection_needs_months(tmp_path):
    lists = corpus(tmp_path, ["P18"], kind="acl_anthology")
    source = lists.sources["web"].model_copy(update={"month": MonthRule(constant="2018")})
    years = dataclasses.replace(
        lists, sources={"web": source}, first_partition="2018", last_partition="2018", every="year"
    )
    with pytest.raises(SourceError, match="lists by month"):
        list(crawl(years.records("2018"), CrawlPlace(tmp_path, None, False, lambda done, known: None)))
