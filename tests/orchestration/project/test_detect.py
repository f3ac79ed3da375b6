"""Detecting a source from its files: the records, the kind, the columns; or what decides."""

import csv
import gzip
import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from silverloom.assets.declare.project import checkout
from silverloom.ops.parse.source import Source
from silverloom.orchestration.project.detect import SourceOptions, UndecidedError, detect
from silverloom.orchestration.project.readers import readers, systems
from tests.papers_as_pdf import printed

SAMPLE = checkout() / "data/sample"
LONG = "The ferry was old, but it carried the mail for thirty years. Kubler, who had built it, " * 3
ROWS = [
    {
        "acl_id": f"P18-{number}",
        "title": "Of ferries",
        "abstract": f"{LONG} {number}",
        "year": 2018,
        "pages": 9,
    }
    for number in range(4)
]


def found(system, folder, records="", **asked):
    (source,) = detect(system, folder, folder.name, records, SourceOptions(**asked))
    return source


def write(folder, name, rows):
    """Write rows as the kind of table that the name says."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    if name.endswith(".parquet"):
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif ".csv" in name:
        with (gzip.open if name.endswith(".gz") else open)(path, "wt", newline="") as stream:
            writer = csv.DictWriter(stream, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    else:
        text = "".join(json.dumps(row) + "\n" for row in rows)
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return folder


def test_every_system_is_known_with_what_it_reads():
    assert set(systems()) == {
        path.parent.name for path in (checkout() / "assets/systems").glob("*/__init__.py")
    }
    assert {"prose", "fusion_pairs"} < readers("discofuse").keys() and "prose" not in readers("wikisum")


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.csv", "a.csv.gz", "a.parquet"])
def test_the_columns_of_a_table_are_told_by_their_names_or_else_by_what_is_in_them(tmp_path, name):
    source = found("discofuse", write(tmp_path / "texts", name, ROWS))
    assert (source.records, source.kind) in [("prose", "table"), ("prose", "jsonl_prose")]
    assert source.columns == {"text": "abstract", "id": "acl_id", "title": "title", "date": "year"}
    assert source.fields == {"text": "abstract", "id": "acl_id", "date": "year"}, (
        "title is what the kind asks for"
    )


def test_one_table_is_prose_for_one_system_and_abstracts_for_another(tmp_path):
    folder = write(tmp_path / "texts", "a.jsonl", ROWS)
    assert found("parasci", folder)[:2] == ("passages", "abstracts")
    assert "text" not in found("parasci", folder).fields


@pytest.mark.parametrize(
    ("system", "folder", "records", "kind"),
    [
        ("parasci", "papers/text", "papers", "plain_text"),
        ("parasci", "papers/cl_scisumm", "papers", "cl_scisumm"),
        ("parasci", "papers/science_parse", "papers", "science_parse"),
        ("parasci", "papers/scirex", "papers", "scirex"),
        ("parasci", "citing_sentences", "passages", "citing_sentences"),
        ("parasci", "abstracts", "passages", "abstracts"),
        ("talksumm", "papers/text", "papers", "plain_text"),
        ("talksumm", "talks", "talks", "transcripts"),
        ("wikisum", "articles", "articles", "mediawiki_dump"),
        ("discofuse", "prose/encyclopedia", "prose", "plain_prose"),
    ],
)
def test_the_kind_of_a_folder_is_the_one_that_reads_its_files(system, folder, records, kind):
    assert found(system, SAMPLE / folder)[:2] == (records, kind)


def test_other_records_in_other_files_are_found_too(tmp_path):
    for folder in ("papers/cl_scisumm", "citing_sentences"):
        shutil.copytree(SAMPLE / folder, tmp_path / "both", dirs_exist_ok=True)
    sources = detect("parasci", tmp_path / "both", "both", "", SourceOptions())
    assert [source[:2] for source in sources] == [
        ("papers", "cl_scisumm"), ("passages", "citing_sentences"),
    ]  # fmt: skip
    for file in ("papers/cl_scisumm/M18-0107.xml", "citing_sentences/K14-2031/citing_sentences.json"):
        (tmp_path / "tied" / Path(file).stem).mkdir(parents=True)
        shutil.copy(SAMPLE / file, tmp_path / "tied" / Path(file).stem)
    assert [source[:2] for source in detect("parasci", tmp_path / "tied", "tied", "", SourceOptions())] == [
        ("papers", "cl_scisumm"), ("passages", "citing_sentences"),
    ]  # fmt: skip
    sources = detect("parasci", tmp_path / "both", "both", "passages", SourceOptions())
    assert [source.records for source in sources] == ["passages"]


@pytest.mark.parametrize("records", ["", "web_pages"])
def test_pages_are_recognised_although_a_system_can_begin_without_them(records):
    assert found("wikisum", SAMPLE / "web", records)[:2] == ("web_pages", "warc")
    with pytest.raises(UndecidedError, match=r"web: no kind reads its first files; of articles \("):
        found("wikisum", SAMPLE / "web", "articles")


def test_papers_become_prose_for_a_system_that_reads_no_papers(tmp_path):
    (tmp_path / "pdfs").mkdir()
    (tmp_path / "pdfs/a.pdf").write_bytes(printed("Of Ferries", [("1 Introduction", [LONG] * 5)]))
    for records in ("", "papers"):
        source = found("discofuse", tmp_path / "pdfs", records)
        assert (source.records, source.kind, source.reader) == ("papers", "pdf", "prose")


@pytest.mark.parametrize(("system", "reader"), [("parasci", ""), ("discofuse", "prose")])
def test_records_with_a_column_of_short_texts_are_the_papers_that_a_format_reads(tmp_path, system, reader):
    paper = {
        "paper_id": "2201.0001",
        "discipline": "Computer Science",
        "metadata": {"title": "Of Ferries"},
        "abstract": {"text": LONG},
        "body_text": [{"section": "Introduction", "sec_number": "1", "text": LONG}],
        "bib_entries": {},
    }
    folder = write(tmp_path / "texts", "a.jsonl", [{**paper, "paper_id": str(number)} for number in range(3)])
    assert found(system, folder)[:2] == ("papers", "unarxive") and found(system, folder).reader == reader


def test_a_table_of_short_texts_is_read_if_nothing_else_is_there(tmp_path):
    folder = write(tmp_path / "texts", "a.jsonl", [{"no": n, "saying": f"Of {n} ferries."} for n in range(3)])
    assert found("discofuse", folder).columns["text"] == "saying"


def test_a_folder_with_another_file_in_it_is_still_told(tmp_path):
    shutil.copytree(SAMPLE / "prose/encyclopedia", tmp_path / "texts")
    (tmp_path / "texts/cover.png").write_bytes(b"\x89PNG")
    assert found("discofuse", tmp_path / "texts").kind == "plain_prose"


def test_two_columns_of_long_texts_are_an_error_that_names_them_and_suggests_the_longer(tmp_path):
    rows = [{**row, "body": f"{LONG} {LONG}"} for row in ROWS]
    folder = write(tmp_path / "texts", "a.jsonl", rows)
    with pytest.raises(UndecidedError) as error:
        found("discofuse", folder)
    assert str(error.value) == (
        "texts: which column is the text? abstract and body hold texts; "
        "there are: acl_id, title, abstract, year, pages, body; say which: --column text=body"
    )
    assert found("discofuse", folder, columns={"text": "body"}).columns["text"] == "body"


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (
            {"text": "summary"},
            "texts has no column 'summary'; there are: acl_id, title, abstract, year, pages",
        ),
        ({"txt": "abstract"}, "--column txt=...: not asked for; known: text, id, title, url, date, licence"),
    ],
)
def test_a_column_that_is_not_there_or_not_asked_for_is_an_error(tmp_path, columns, said):
    with pytest.raises(UndecidedError) as error:
        found("discofuse", write(tmp_path / "texts", "a.csv", ROWS), columns=columns)
    assert str(error.value) == said


def test_a_column_of_ids_differs_in_every_row_of_every_file(tmp_path):
    rows = [
        {"tweet": f"{LONG} {number}", "user_id": number % 60, "tweet_id": number} for number in range(200)
    ]
    folder = write(tmp_path / "texts", "a.csv", rows)
    assert found("discofuse", folder).columns["id"] == "tweet_id"
    write(folder, "b.csv", [{**rows[0], "user_id": 60}])
    assert "id" not in found("discofuse", folder).columns


@pytest.mark.parametrize(("name", "is_id"), [("id", True), ("paper_id", True), ("paperId", True), ("PAPER-ID", True),
                                             ("bid", False), ("PAID", False), ("identity", False)])  # fmt: skip
def test_a_column_of_ids_is_called_so(tmp_path, name, is_id):
    rows = [{"abstract": row["abstract"], name: row["acl_id"]} for row in ROWS]
    columns = found("discofuse", write(tmp_path / "texts", "a.jsonl", rows)).columns
    assert columns == {"text": "abstract", **({"id": name} if is_id else {})}


@pytest.mark.parametrize(
    ("name", "value", "is_date"),
    [
        ("words", 1871, False),
        ("updates", 1871, False),
        ("candidate", "1871", False),
        ("pub_year", 1871, True),
        ("yearOfPrint", "1871", True),
        ("publicationDate", 1871, True),
        ("published", "1871-06-30", True),
    ],
)
def test_a_year_alone_is_a_date_if_the_column_says_so(tmp_path, name, value, is_date):
    rows = [{"abstract": row["abstract"], name: value} for row in ROWS]
    columns = found("discofuse", write(tmp_path / "texts", "a.jsonl", rows)).columns
    assert columns == {"text": "abstract", **({"date": name} if is_date else {})}


def test_an_optional_column_that_a_file_lacks_is_left_out(tmp_path):
    folder = write(tmp_path / "texts", "a.csv", ROWS)
    write(folder, "b.csv", [{"abstract": LONG, "year": 2018}])
    source = found("discofuse", folder)
    assert source.fields == {"text": "abstract", "date": "year"}
    form = readers("discofuse")["prose"].formats[source.kind]
    params = Source(kind=source.kind, path=str(folder), licence="any", fields=source.fields)
    assert form.fields_fault(folder, params) is None, "so a run does not refuse it"


def test_a_file_that_lacks_a_needed_column_is_an_error_that_names_it(tmp_path):
    folder = write(tmp_path / "texts", "a.csv", ROWS * 20)
    write(folder, "b.csv", [{"body": LONG}])
    with pytest.raises(UndecidedError) as error:
        found("discofuse", folder)
    assert str(error.value) == (
        "texts: b.csv has no field abstract; there are: body; give files with other columns as another --source"
    )
    write(folder, "b.csv", [{"abstract": LONG}])
    with pytest.raises(UndecidedError, match=r"texts: b\.csv has no field acl_id; there are: abstract"):
        found("discofuse", folder, columns={"id": "acl_id"})


def test_a_line_that_is_no_json_does_not_hide_the_columns(tmp_path):
    folder = write(tmp_path / "texts", "a.jsonl", ROWS)
    (folder / "a.jsonl").write_text("{not JSON\n" + (folder / "a.jsonl").read_text())
    assert found("discofuse", folder).columns["text"] == "abstract"


def test_two_columns_that_may_be_ids_are_left_out(tmp_path):
    rows = [{**row, "paper_id": row["acl_id"].lower()} for row in ROWS]
    assert "id" not in found("discofuse", write(tmp_path / "texts", "a.jsonl", rows)).columns


def test_what_no_kind_reads_is_an_error_that_lists_the_kinds(tmp_path):
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures/a.png").write_bytes(b"\x89PNG")
    with pytest.raises(
        UndecidedError, match=r"^pictures: no kind reads its .*; of prose \(jsonl_prose, plain_prose, table\)"
    ):
        found("discofuse", tmp_path / "pictures")
    with pytest.raises(UndecidedError, match="the kind 'png' does not read its first files; of prose"):
        found("discofuse", tmp_path / "pictures", kind="png")
    with pytest.raises(UndecidedError, match="discofuse reads no ratings_of_pictures; it reads "):
        found("discofuse", tmp_path / "pictures", "ratings_of_pictures")


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.pdf", "%PDF-1.4", r"a\.pdf: the PDF is cut short"),
    ],
)
def test_the_error_says_why_no_kind_reads_it(tmp_path, name, content, why):
    folder = tmp_path / "given"
    folder.mkdir()
    (folder / name).write_text(content)
    with pytest.raises(UndecidedError, match=rf"given: no kind reads its first files; of .*; {why}"):
        found("discofuse", folder, "papers" if name == "a.pdf" else "")


def test_an_empty_folder_is_an_error(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(UndecidedError, match="empty: the folder is empty"):
        found("discofuse", tmp_path / "empty")
