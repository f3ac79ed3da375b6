"""Papers and articles from the rows of a crawl: PDFs, XML, shards, packs of a dump, and other files."""

import bz2
import gzip
import json
import tarfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.core.parts import FILES, Part, Parts
from silverloom.ops.crawl.outcomes import PAGES
from silverloom.ops.crawl.warc import resource_record, response_record
from silverloom.ops.parse import papers, wikipedia
from silverloom.ops.parse.papers.crawled import members_of
from silverloom.ops.parse.records import RowRecords
from silverloom.ops.parse.source import DatasetSource
from tests.ops.parse.archives import tar
from tests.papers_as_pdf import printed
from tests.poison.parsers import PARSERS
from tests.work import lines_run

DATE = "2018-08-15T00:00:00Z"
TEXT = "Labels are dear, and we ask how far cheap labels carry."
PDF = printed("Noise", [("1 Introduction", [TEXT])], head="")
JATS, TEI = (PARSERS[kind].make("noise", "Noise", TEXT) for kind in ("jats", "grobid_tei"))
PAPER = PARSERS["s2orc"].make("noise", "Noise", TEXT)


def page(title, text):
    return f"<page><title>{title}</title><ns>0</ns><revision><text>{text}</text></revision></page>".encode()


PACK = (
    page("Tane", "The Tane is a river.") + page("Mill", "#REDIRECT [[Tane]]") + page("Salt", "Salt is dear.")
)


def resource(url, body):
    return resource_record(url, body, DATE, packed=True)[0]


def response(url, body, status="200 OK", kind="application/pdf", **headers):
    return response_record(url, status, [("Content-Type", kind), *headers.items()], body, DATE, packed=True)[
        0
    ]


def read(tmp_path, module, *records, about=None):
    """The outcome of parsing records in one file of a crawl; `about` is the collection's metadata for each."""
    (tmp_path / FILES).mkdir(exist_ok=True)
    (tmp_path / FILES / "web-00000.warc.gz").write_bytes(b"".join(records))
    rows, offset = [], 0
    for number, record in enumerate(records):
        place = {"file": "web-00000.warc.gz", "offset": offset, "length": len(record), "bytes": 2**20}
        row = {"id": f"page-{number}", "source_ids": ["x"], "licence": f"L{number}", **place}
        rows.append({**row, "about": json.dumps(about) if about else None})
        offset += len(record)
    pq.write_table(pa.Table.from_pylist(rows, PAGES.kept), tmp_path / "kept-00000.parquet")
    parts = Parts(PAGES.kept, (Part(str(tmp_path / "kept-00000.parquet")),), None)
    source = DatasetSource(dataset="sources/crawls")
    (chunk,) = RowRecords("web", source, "crawled", module.FORMATS["crawled"], parts, "2018-08")
    found = (module.parse_papers if module is papers else module.parse_articles)(chunk)
    fates = [*found.dropped["id"].to_pylist(), *found.rejected["id"].to_pylist()]
    used = {source for sources in found.kept["source_ids"].to_pylist() for source in sources}
    assert sorted([*fates, *used]) == found.units.to_pylist(), "each row has one fate"
    return found


@pytest.mark.parametrize(
    ("url", "body", "document"),
    [
        ("https://aclanthology.example/P18-1001.pdf", PDF, "P18-1001"),
        ("https://arxiv.example/pdf/1806.00001v1", PDF, "1806.00001v1"),
        ("https://pmc.example/PMC1.nxml", b'<?xml version="1.0"?>\n<!DOCTYPE article SYSTEM "a">\n' + JATS, "PMC1"),
        ("https://grobid.example/noise.tei.xml", TEI, "noise"),
        ("s3://bucket/noise.json", json.dumps(json.loads(PAPER), indent=1).encode(), "noise"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("fetched", [resource, response])
def test_a_paper_is_recognised_by_its_content_and_named_by_its_address(
    tmp_path, url, body, document, fetched
):
    (row,) = read(tmp_path, papers, fetched(url, body)).kept.to_pylist()
    assert (row["document"], row["title"], row["month"]) == (document, "Noise", "2018-08")
    assert (row["source_ids"], row["licence"]) == (["page-0"], "L0")
    assert TEXT in " ".join(row["text"].split())


def test_a_collection_gives_papers_their_first_subjects_and_a_doi_where_they_have_none(tmp_path):
    about = {"title": "Noise", "categories": "cs.CL hep-th", "doi": "10.1103/A 10.1103/B"}
    shard = json.dumps(
        {**json.loads(PAPER), "mag_field_of_study": ["Computer Science"], "doi": "10.1000/own"}, indent=1
    ).encode()
    found = read(
        tmp_path,
        papers,
        resource("https://arxiv.example/pdf/1806.00001", PDF),
        resource("s3://bucket/noise.json", shard),
        about=about,
    )
    assert found.kept["subjects"].to_pylist() == [
        ["cs.CL", "hep-th"],
        ["cs.CL", "hep-th", "Computer Science"],
    ]
    assert found.kept["doi"].to_pylist() == ["10.1103/a", "10.1000/own"]


def other(name, kind, target=""):
    """A member that is not a file."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_each_file_of_an_archive_is_a_paper_with_its_name_and_arxiv_archive(tmp_path, form):
    archive = tar(
        other("1806", tarfile.DIRTYPE),
        ("1806/1806.00001.pdf", PDF),
        ("1806/1806.00002.gz", gzip.compress(b"LaTeX")),
        other("1806/link.pdf", tarfile.SYMTYPE, "/etc/passwd"),
        ("0001/hep-th0001001.pdf", PDF),
        ("1806/1806.00003.pdf", PDF[:200]),
        form=form,
    )
    found = read(tmp_path, papers, resource("https://arxiv.example/pdf/arXiv_pdf_1806_001.tar", archive))
    assert found.kept["document"].to_pylist() == ["1806.00001", "hep-th0001001"]
    assert found.kept["subjects"].to_pylist() == [[], ["hep-th"]]
    assert found.kept["source_ids"].to_pylist() == [["page-0"]] * 2
    lost = {"not_a_paper": 1, "cannot be read": 1}
    assert found.combinations == {
        f"documents of fetched files: {name}": count for name, count in lost.items()
    }


def test_an_archive_without_a_paper_is_dropped_and_a_damaged_one_keeps_the_papers_before_the_damage(
    tmp_path,
):
    sound = tar(("1806.00001.pdf", PDF), ("1806.00002.pdf", PDF))
    second = sound.index(b"1806.00002")
    negative = sound[: second + 124] + b"\xff" * 12 + sound[second + 136 :]
    total = sum(negative[second : second + 512]) - sum(negative[second + 148 : second + 156]) + 8 * 32
    negative = negative[: second + 148] + b"%06o\0 " % total + negative[second + 156 :]
    found = read(
        tmp_path,
        papers,
        resource("https://a.example/src.tar", tar(("1806/1806.00001.gz", b"LaTeX"))),
        resource("https://a.example/cut.tar", sound[: second + 600]),
        resource("https://a.example/bad.tar", sound[:second] + b"x" * 600),
        resource("https://a.example/negative.tar", negative),
        resource("https://a.example/begins.tar", b"x" + sound[1:]),
        resource("https://a.example/twice.tar", tar(("a/b.pdf", PDF), ("c/b.pdf", PDF), ("d/\x07.pdf", PDF))),
    )
    assert [(row["id"], row["reason"]) for row in found.dropped.to_pylist()] == [("page-0", "not_a_paper")]
    kept = list(zip(found.kept["document"].to_pylist(), found.kept["source_ids"].to_pylist(), strict=True))
    assert kept == [(name, [page]) for name, page in [
        ("1806.00001", "page-1"), ("1806.00001", "page-2"), ("1806.00001", "page-3"), ("1806.00002", "page-4"),
        ("b", "page-5"),
    ]]  # fmt: skip
    assert found.combinations == {"documents of fetched files: cannot be read": 6}


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_a_damaged_header_with_a_long_name_costs_its_file_and_is_said(form):
    archive = tar(*[(f"{name}/{'long' * 40}.pdf", PDF) for name in "abcd"], form=form)
    intact = [(member.name[0], member.content, member.error) for member in members_of(archive)]
    assert intact == [(name, PDF, None) for name in "abcd"]
    for damage in (b"x" * 600, b"\xff" * 600):
        place = archive.index(b"c/long") - 100
        members = list(members_of(archive[:place] + damage + archive[place + 600 :]))
        whole = [(member.name[0], member.content) for member in members if member.error is None]
        assert whole == [(name, PDF) for name in "abd"]
        told, lost = [member.error for member in members if member.error is not None]
        assert "the archive is damaged at byte" in told and lost == "its name was in a header that is damaged"


#: A header's bytes without size, checksum, type, magic and version.
HEADER = [*range(124), *range(136, 148), *range(157, 257), *range(265, 512)]


@given(st.integers(0, 2), st.sampled_from(HEADER), st.integers(1, 255))
def test_a_damaged_header_costs_one_file(lost, place, flip):
    names = ["a.pdf", "b.pdf", "c.pdf", "d.pdf"]
    archive = bytearray(tar(*[(name, PDF) for name in names]))
    start, behind = (archive.index(name.encode()) for name in names[lost : lost + 2])
    archive[start + place] ^= flip
    members = list(members_of(bytes(archive)))
    assert [member.name for member in members if member.error is None] == names[:lost] + names[lost + 1 :]
    (error,) = [member.error for member in members if member.error is not None]
    assert f"damaged at byte {start}" in error
    assert error.endswith(f"; the file up to byte {behind} was not read")


def test_the_work_for_an_archive_is_linear_in_its_size_whatever_sizes_its_headers_claim():
    link = other("a", tarfile.SYMTYPE, "b").tobuf(tarfile.GNU_FORMAT)
    lines, found = lines_run(lambda: list(members_of(link * 2_000)))
    assert found == [] and lines < 1_000 * 2_000


@pytest.mark.parametrize("packing", [gzip.compress, bytes])
def test_each_line_of_a_shard_is_a_paper_and_a_bad_one_is_rejected_alone(tmp_path, packing):
    other = PAPER.replace(b'"noise"', b'"other"')
    shard = packing(b"\n".join([PAPER, b"{no JSON", other, PAPER]) + b"\n")
    found = read(tmp_path, papers, resource("s3://bucket/s2orc/1", shard))
    assert found.kept["document"].to_pylist() == ["noise", "other"]
    assert found.kept["source_ids"].to_pylist() == [["page-0"]] * 2
    assert found.combinations == {"documents of fetched files: cannot be read": 2}


def test_a_paper_that_was_fetched_twice_is_kept_twice_with_different_ids(tmp_path):
    found = read(tmp_path, papers, *[resource("https://acl.example/P18-1001.pdf", PDF)] * 2)
    assert found.kept["document"].to_pylist() == ["P18-1001"] * 2
    assert len({*found.kept["id"].to_pylist()}) == 2


def test_a_record_from_common_crawl_is_read_as_the_response_in_it(tmp_path):
    within = response("https://acl.example/P18-1001.pdf", PDF)
    (row,) = read(tmp_path, papers, resource("https://data.example/x.warc.gz", within)).kept.to_pylist()
    assert row["document"] == "P18-1001"


def test_content_other_than_papers_is_dropped_and_damaged_papers_are_rejected(tmp_path):
    found = read(
        tmp_path,
        papers,
        response("http://a.example/", b"<!DOCTYPE html><html><article>x</article>", kind="text/html"),
        response("http://a.example/gone.pdf", b"gone", status="404 Not Found"),
        resource("http://a.example/a.tar.gz", gzip.compress(b"tar")),
        resource("http://a.example/cut.pdf", PDF[:200]),
        resource("http://a.example/cut.gz", gzip.compress(PAPER * 100)[:40]),
        resource("http://a.example/empty", b""),
        resource("http://a.example/nested.json", b"[" * 10_000),
        resource("http://a.example/P18-1001.pdf", PDF),
    )
    dropped = {row["id"]: (row["reason"], row["detail"]) for row in found.dropped.to_pylist()}
    assert {name: reason for name, (reason, _) in dropped.items()} == {
        "page-0": "not_a_paper",
        "page-1": "status",
        "page-2": "not_a_paper",
        "page-5": "not_a_paper",
        "page-6": "not_a_paper",
    }
    assert dropped["page-0"][1] == "http://a.example/ begins with b'<!DOCTYPE html><'"
    assert found.rejected["id"].to_pylist() == ["page-3", "page-4"]
    assert found.kept["source_ids"].to_pylist() == [["page-7"]]


def test_citations_of_crawled_papers_are_read_with_them(tmp_path):
    record = resource("https://acl.example/P18-1001.pdf", PDF)
    (paper,) = read(tmp_path, papers, record).kept.to_pylist()
    parts = Parts(PAGES.kept, (Part(str(tmp_path / "kept-00000.parquet")),), None)
    source = DatasetSource(dataset="sources/crawls")
    (chunk,) = RowRecords("web", source, "crawled", papers.FORMATS["crawled"], parts, "2018-08")
    (cited,) = papers.parse_citations(chunk).kept.to_pylist()
    assert cited["paper_id"] == paper["id"]


@pytest.mark.parametrize("packing", [bz2.compress, gzip.compress, bytes])
@pytest.mark.parametrize("fetched", [resource, response])
def test_each_page_in_a_pack_of_a_dump_is_an_article(tmp_path, packing, fetched):
    record = fetched("https://dumps.example/enwiki.xml.bz2#bytes=600-900", packing(PACK))
    found = read(tmp_path, wikipedia, record)
    assert found.kept["title"].to_pylist() == ["Tane", "Salt"]
    assert found.kept["text"].to_pylist() == ["The Tane is a river.", "Salt is dear."]
    assert found.kept["source_ids"].to_pylist() == [["page-0"]] * 2
    assert found.combinations == {"documents of fetched files: redirect": 1}


def test_files_other_than_dumps_are_dropped_and_a_damaged_pack_loses_only_unreadable_pages(tmp_path):
    found = read(
        tmp_path,
        wikipedia,
        response("http://a.example/", b"<p>A page.</p>", kind="text/html"),
        resource("http://a.example/broken.bz2", b"BZh9" + bytes(100)),
        resource("http://a.example/redirects.bz2", bz2.compress(page("Mill", "#REDIRECT [[Tane]]"))),
        resource("http://a.example/cut.xml", PACK[:-20]),
        resource("http://a.example/bomb.bz2", bz2.compress(b"<page>" + bytes(80_000_000))),
    )
    assert [(row["id"], row["reason"]) for row in found.dropped.to_pylist()] == [
        ("page-0", "not_a_dump"),
        ("page-2", "redirect"),
    ]
    causes = dict(zip(*(found.rejected[name].to_pylist() for name in ("id", "error")), strict=True))
    assert causes.keys() == {"page-1", "page-4"}
    assert "cannot be unpacked" in causes["page-1"]
    assert "it unpacks to more than 100 times its size" in causes["page-4"]
    assert found.kept["title"].to_pylist() == ["Tane"]
    lost = {"documents of fetched files: redirect": 1, "documents of fetched files: cannot be read": 1}
    assert found.combinations == lost
