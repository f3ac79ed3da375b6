"""A table gives the same records in any file format; `fields` name its columns."""

import csv
import gzip
import io
import json
import re
from datetime import date
from itertools import pairwise

import datasets
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.discofuse.sources import PROSE_FORMATS, parse_prose
from silverloom.ops.parse.bounded import Bounds, child_of
from silverloom.ops.parse.scan import Corpus, SourceError
from silverloom.ops.parse.source import MonthRule, Source
from tests.parts import OneProcess

ROWS = [
    {
        "acl_id": "P74-1",
        "title": "On Rivers",
        "year": 1974,
        "abstract": "The Tane is long.\nIt  rises in May.",
    },
    {"acl_id": "P75-2", "title": 'He said "no"', "year": 1975, "abstract": "Salmon, trout and café."},
]
FIELDS = {"text": "abstract", "id": "acl_id", "date": "year"}


def as_csv(rows, delimiter=","):
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def as_jsonl(rows):
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def as_parquet(rows):
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), file, row_group_size=1)
    return file.getvalue()


def as_parquet_at_once(table):
    file = io.BytesIO()
    pq.write_table(table, file)
    return file.getvalue()


FILES = {
    "rows.jsonl": as_jsonl,
    "rows.jsonl.gz": lambda rows: gzip.compress(as_jsonl(rows)),
    "rows.jsonl.zst": lambda rows: zstd.compress(as_jsonl(rows)),
    "rows.csv": as_csv,
    "rows.csv.gz": lambda rows: gzip.compress(as_csv(rows)),
    "rows.tsv.zst": lambda rows: zstd.compress(as_csv(rows, "\t")),
    "bom.csv": lambda rows: b"\xef\xbb\xbf" + as_csv(rows),
    "rows.parquet": as_parquet,
}


def corpus(root, kind="table", every="year", formats=PROSE_FORMATS, **more):
    more = {"fields": FIELDS, "month": MonthRule(field="date"), **more}
    source = Source(kind=kind, path="table", licence="CC-BY-4.0", domain="abs", **more)
    bounds = {"year": ("1974", "1975"), "none": ("", ""), "month": ("1974-01", "1975-12")}[every]
    return Corpus("prose", {"mine": source}, formats, root, *bounds, 2, OneProcess(), every)


def write(root, name, content):
    (root / "table").mkdir(exist_ok=True)
    (root / "table" / name).write_bytes(content)


def outcome(found, *months):
    return [found_part for month in months for found_part in found.records(month).map(parse_prose)]


def kept(found, *months):
    columns = ["id", "document", "title", "month", "domain", "text"]
    return [row for part in outcome(found, *months) for row in part.kept.select(columns).to_pylist()]


def causes(found, *months):
    return [error for part in outcome(found, *months) for error in part.rejected["error"].to_pylist()]


@pytest.fixture
def expected(tmp_path):
    write(tmp_path, "expected.jsonl", as_jsonl(ROWS))
    rows = kept(corpus(tmp_path), "1974", "1975")
    (tmp_path / "table/expected.jsonl").unlink()
    assert [row["document"] for row in rows] == ["P74-1", "P75-2"]
    assert [row["month"] for row in rows] == ["1974", "1975"]
    assert rows[0]["text"] == "The Tane is long. It rises in May." and rows[0]["title"] == "On Rivers"
    return rows


@pytest.mark.parametrize("name", FILES)
def test_every_file_gives_the_same_documents(tmp_path, expected, name):
    write(tmp_path, name, FILES[name](ROWS))
    found = corpus(tmp_path)
    found.check()
    assert kept(found, "1974", "1975") == expected and causes(found, "1974", "1975") == []


@pytest.mark.parametrize("split", [False, True])
def test_a_saved_dataset_is_read_in_place(tmp_path, expected, split):
    table = datasets.Dataset.from_list([{**row, "tokens": ["a"]} for row in ROWS])
    saved = datasets.DatasetDict(train=table) if split else table
    saved.save_to_disk(tmp_path / "table")
    found = corpus(tmp_path)
    found.check()
    assert kept(found, "1974", "1975") == expected and causes(found, "1974", "1975") == []


def test_the_ids_of_rows_do_not_depend_on_the_length_of_periods(tmp_path, expected):
    write(tmp_path, "rows.csv", as_csv(ROWS))
    ids = [row["id"] for row in expected]
    assert [row["id"] for row in kept(corpus(tmp_path, every="month"), "1974-01", "1975-01")] == ids
    undated = kept(
        corpus(tmp_path, every="none", month=None, fields={"text": "abstract", "id": "acl_id"}), "all"
    )
    assert [row["id"] for row in undated] == ids and {row["month"] for row in undated} == {"all"}


@pytest.mark.parametrize("name", ["rows.jsonl.gz", "rows.csv", "rows.parquet"])
def test_a_column_missing_from_a_file_is_reported_before_anything_runs(tmp_path, name):
    write(tmp_path, name, FILES[name](ROWS))
    with pytest.raises(
        SourceError, match=rf"mine\.fields: {name} has no field text_en; there are: ac.*abstract$"
    ):
        corpus(tmp_path, fields={"text": "text_en"}).check()


@pytest.mark.parametrize("fields", [{}, {"id": "acl_id"}])
def test_a_source_without_the_default_text_column_is_reported_before_anything_runs(tmp_path, fields):
    write(tmp_path, "rows.csv", FILES["rows.csv"](ROWS))
    told = (
        r"mine\.fields: rows.csv has no field text; there are: ac.*; `fields: {text: \.\.\.}` names another"
    )
    with pytest.raises(SourceError, match=told):
        corpus(tmp_path, fields=fields).check()
    corpus(tmp_path, fields=fields, may_be_rejected=True).check()
    write(tmp_path, "texts.jsonl", as_jsonl([{"acl_id": "x", "year": 1974, "text": "This."}]))
    found = corpus(tmp_path, fields=fields, month=MonthRule(constant="1974"))
    found.check()
    rejects = causes(found, "1974")
    assert len(rejects) == len(ROWS) and all(
        "rows.csv" in text and "no field text" in text for text in rejects
    )


def test_an_unknown_field_is_reported_with_the_known_ones(tmp_path):
    write(tmp_path, "rows.jsonl", as_jsonl(ROWS))
    with pytest.raises(
        SourceError, match="txt is not a field of this kind; known: text, id, title, url, date, licence"
    ):
        corpus(tmp_path, fields={"txt": "abstract"}).check()
    with pytest.raises(SourceError, match="the kind 'plain_prose' reads no tables with a header"):
        corpus(tmp_path, kind="plain_prose").check()


def test_a_row_without_its_column_is_rejected_with_the_existing_columns(tmp_path):
    write(tmp_path, "rows.jsonl", as_jsonl([*ROWS, {"acl_id": "x", "year": 1974, "text": "Not this."}]))
    found = corpus(tmp_path)
    found.check()
    assert causes(found, "1974") == [
        "mine/rows.jsonl, line 3: no field abstract; there are: acl_id, text, year"
    ]
    unmapped = corpus(tmp_path, fields={}, month=MonthRule(constant="1974"))
    told = "no field text; there are: abstract, acl_id, title, year; `fields: {text: ...}` names another one"
    assert causes(unmapped, "1974")[0].endswith(told)


def test_one_bad_row_of_a_csv_is_one_reject_and_quoted_line_breaks_do_not_end_a_row(tmp_path):
    content = b'acl_id,year,abstract\na,1974,"One\n\nand two."\nb,1974\n\nc,1974,Three.\n'
    write(tmp_path, "rows.csv", content)
    found = corpus(tmp_path)
    assert [(row["document"], row["text"]) for row in kept(found, "1974")] == [
        ("a", "One\n\nand two."),
        ("c", "Three."),
    ]
    assert causes(found, "1974") == ["mine/rows.csv, line 5: 2 columns where the header has 3"]


def cells_of(found):
    """The cells of readable rows, by line."""
    return {
        record.raw.row: json.loads(record.raw.content)
        for record in found.of_partition("all")
        if not record.raw.error
    }


def faults_of(found):
    return {record.raw.row: record.raw.error for record in found.of_partition("all") if record.raw.error}


OPEN_QUOTE = ['"An open quote begins', "one", "two", 'and ends it here"', "last"]


@pytest.mark.parametrize(
    ("quotes", "expected"),
    [
        ("", {3: "one", 4: "two", 5: 'and ends it here"', 6: "last"}),
        ("none", dict(enumerate(OPEN_QUOTE, start=2))),
        ("csv", {2: "An open quote begins\none\ntwo\nand ends it here", 6: "last"}),
    ],
)
def test_a_quote_in_tsv_never_swallows_a_row_silently(tmp_path, quotes, expected):
    write(tmp_path, "rows.tsv", "\n".join(["abstract", *OPEN_QUOTE, ""]).encode())
    found = corpus(tmp_path, every="none", month=None, fields={"text": "abstract"}, quotes=quotes)
    assert {row: cells["abstract"] for row, cells in cells_of(found).items()} == expected
    assert faults_of(found) == (
        {}
        if quotes
        else {
            2: "a quote opens here and ends 3 lines below, each of which could be a row;"
            " `quotes: none` or `quotes: csv` of the source decides"
        }
    )


@pytest.mark.parametrize(
    ("lines", "broken", "cause"),
    [
        (['a\t"One', "b\tTwo", 'c\t"Three" was said'], 2, "not CSV: '\t' expected after '\"'"),
        (["a\tOne", 'b\t"Two', "c\tThree"], 3, "not CSV: unexpected end of data"),
        (['a\t"One', 'b"\tTwo\tthree', "c\tThree"], 2, "4 columns where the header has 2"),
    ],
)
@pytest.mark.parametrize("delimiter", ["\t", ","])
def test_an_unclosed_quote_rejects_only_its_line(tmp_path, delimiter, lines, broken, cause):
    text = "\n".join(["id\tabstract", *lines, ""]).replace("\t", delimiter)
    write(tmp_path, {"\t": "rows.tsv", ",": "rows.csv"}[delimiter], text.encode())
    found = corpus(tmp_path, every="none", month=None, fields={"text": "abstract", "id": "id"})
    faults = faults_of(found)
    assert faults[broken] == cause.replace("\t", delimiter)
    assert sorted([*faults, *cells_of(found)]) == [2, 3, 4]


@given(st.lists(st.text('ab"\t', max_size=6), min_size=1, max_size=6), st.sampled_from(["", "csv", "none"]))
def test_every_line_is_in_one_row_or_reject(tmp_path_factory, lines, quotes):
    root = tmp_path_factory.mktemp("lines")
    write(root, "rows.tsv", "\n".join(["x\ty", *lines, ""]).encode())
    found = corpus(root, every="none", month=None, fields={"text": "y"}, quotes=quotes)
    cells, faults = cells_of(found), faults_of(found)
    places = sorted([*cells, *faults, len(lines) + 2])
    assert not re.search("[ab]", "".join(lines[: places[0] - 2]))
    for place, following in pairwise(places):
        taken = lines[place - 2 : following - 2]
        if place in faults:
            assert not re.search("[ab]", "".join(taken[1:]))
        else:  # nothing is lost except quotes
            told = "".join(cells[place].values())
            assert sorted(re.findall("[ab]", told)) == sorted(re.findall("[ab]", "".join(taken)))


@pytest.mark.parametrize("name", ["rows.tsv", "rows.csv.gz", "rows.csv.zst"])
def test_a_table_in_utf_16_as_spreadsheets_write_it_is_read(tmp_path, name):
    content = as_csv(ROWS, "\t" if "tsv" in name else ",").decode().encode("utf-16")
    pack = {"gz": gzip.compress, "zst": zstd.compress}.get(name[-3:].strip("."), bytes)
    write(tmp_path, name, pack(content))
    found = corpus(tmp_path, every="none", month=None)
    assert [cells["abstract"] for cells in cells_of(found).values()] == [row["abstract"] for row in ROWS]
    assert {record.raw.encoding for record in found.of_partition("all")} == {"utf-16"}
    write(tmp_path, name, pack(content[:-1]))
    [cause] = faults_of(corpus(tmp_path, every="none", month=None)).values()
    assert cause.startswith("not utf-16: ") and cause.endswith("; the rest of the file was not read")


@pytest.mark.parametrize(
    ("encoding", "line", "cause"),
    [
        ("", b'bad,1974,"cut" short', "not CSV: ',' expected after '\"'"),
        ("utf-8", b"bad,1974,caf\xe9", "not utf-8: 'utf-8' codec can't decode byte 0xe9"),
        ("cp1252", b"bad,1974,no \x81 sign", "not cp1252: 'charmap' codec can't decode byte 0x81"),
    ],
)
def test_an_unreadable_row_affects_no_other(tmp_path, encoding, line, cause):
    before, after = "a,1974,One café.\n".encode(), b"c,1974,Three.\n,,\n"
    write(tmp_path, "rows.csv", b"acl_id,year,abstract\n" + before + line + b"\n" + after)
    found = corpus(tmp_path, encoding=encoding, every="none", month=None)
    assert [row["text"] for row in kept(found, "all")] == ["One café.", "Three."], "UTF-8 is tried first"
    first, second = causes(found, "all")
    assert first.startswith(f"mine/rows.csv, line 3: {cause}")
    assert second.startswith("mine/rows.csv, line 5: "), "a row of empty cells is not a blank line"


def test_offsets_that_point_outside_an_arrow_file_are_refused(tmp_path):
    file = io.BytesIO()
    table = pa.table({"acl_id": ["a", "b"], "year": ["1974"] * 2, "abstract": ["One text.", "Two texts."]})
    with pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    offsets = np.array([0, 9, 19], np.int32).tobytes()
    assert file.getvalue().count(offsets) == 1
    forged = file.getvalue().replace(offsets, np.array([0, 9, 2**30], np.int32).tobytes())
    write(tmp_path, "rows.arrow", forged)
    found = corpus(tmp_path, every="none", month=None)
    assert [row["text"] for row in kept(found, "all")] == ["One text."]
    (cause,) = causes(found, "all")
    assert "no row of Parquet or Arrow" in cause


@pytest.mark.parametrize("size", [1, 64, 65, 1000])
def test_an_unreadable_row_affects_no_other_in_a_batch_of_any_size(tmp_path, size):
    days = np.zeros(size, "datetime64[ms]").astype(np.int64)
    days[size // 2] = 10**15  # in a year beyond Python's range
    table = pa.table({"abstract": ["One."] * size, "date": pa.array(days, pa.timestamp("ms"))})
    with pa.ipc.new_file(tmp_path / "made.arrow", table.schema) as writer:
        writer.write_table(table)
    write(tmp_path, "rows.arrow", (tmp_path / "made.arrow").read_bytes())
    found = corpus(tmp_path, every="none", month=None, fields={"text": "abstract"})
    assert len(kept(found, "all")) == size - 1
    (cause,) = causes(found, "all")
    assert cause.startswith(f"mine/rows.arrow, line {size // 2 + 1}: no row of Parquet or Arrow")


def large_rows():
    return [{"acl_id": f"{number}", "abstract": "Salmon. " * 2_000} for number in range(400)]


@pytest.mark.parametrize("name", ["rows.csv", "rows.tsv.zst", "rows.parquet"])
def test_reading_rows_resumes_if_the_child_is_ended_between_two_calls(tmp_path, name):
    write(tmp_path, name, FILES[name](large_rows()))
    found = corpus(tmp_path, every="none", month=None, fields={"text": "abstract", "id": "acl_id"})
    found.check()
    documents = []
    for number, record in enumerate(found.of_partition("all")):
        documents.append(record.raw.document)
        if number == 100:
            child_of(Bounds()).close()
    assert documents == [row["acl_id"] for row in large_rows()]


def test_two_files_that_are_read_at_once_do_not_mix(tmp_path):
    for name in ("a", "b"):
        write(
            tmp_path,
            f"{name}.csv",
            as_csv([{**row, "acl_id": f"{name}{number}"} for number, row in enumerate(large_rows())]),
        )
    both = [
        corpus(
            tmp_path,
            every="none",
            month=None,
            fields={"text": "abstract", "id": "acl_id"},
            files=f"{name}.csv",
        )
        for name in ("a", "b")
    ]
    found = list(zip(*(source.of_partition("all") for source in both), strict=True))
    assert [(first.raw.document, second.raw.document) for first, second in found] == [
        (f"a{n}", f"b{n}") for n in range(400)
    ]


def test_no_code_that_reads_arrow_or_csv_runs_in_this_process(tmp_path, monkeypatch):
    """A file can harm only the child that reads it: here every reader in this process is broken."""
    for name in ("rows.csv", "rows.parquet"):
        write(tmp_path, name, FILES[name]([{**row, "acl_id": f"{name}{row['acl_id']}"} for row in ROWS]))
    for module, reader in (
        (csv, "reader"),
        (pq, "ParquetFile"),
        (pa.ipc, "open_stream"),
        (pa.ipc, "open_file"),
    ):
        monkeypatch.setattr(module, reader, None)
    found = corpus(tmp_path)
    found.check()
    assert len(kept(found, "1974", "1975")) == 4


@pytest.mark.parametrize(
    ("name", "content", "cause"),
    [
        ("cut.csv", b'acl_id,year,abstract\na,1974,"Never ends\n' + b"x\n" * 400, "larger than max_bytes = 300"),
        ("cut.csv", b'acl_id,year,abstract\na,1974,"Never ends', "line 2: not CSV: unexpected end"),
        ("twice.csv", b"year,year\n1974,1975\n", "the column 'year' is repeated"),
        ("cut.jsonl.zst", zstd.compress(as_jsonl(ROWS))[:-4], "cannot be read from line"),
        ("cut.parquet", as_parquet(ROWS)[:-9], "cannot be read as Parquet or Arrow"),
        ("none.arrow", b"", "cannot be read as Parquet or Arrow"),
        ("lies.arrow", b"ARROW2 is not known", "it needs more memory than the 1024 MB that a parser may use"),
        ("rows.jsonl.zst", b"no zstd", "malformed JSON"),
        ("bomb.csv.zst", zstd.compress(b"acl_id\n" + (b"a" * 200 + b"\n") * 5_000), "unpacks to more than 100 times"),
        ("long.csv", b"a" * 250 + b"\n" + b"b\n" * 2_000, "unpacks to more than 100 times"),
        ("same.parquet", as_parquet_at_once(pa.table({"n": ["a" * 1_000] * 1_000})), "unpacks to more than 100 times"),
        ("notes.md", b"# Notes", "not a file of this source"),
    ],
)  # fmt: skip
def test_unreadable_input_is_rejected(tmp_path, name, content, cause):
    write(tmp_path, name, content)
    found = corpus(tmp_path, every="none", month=None, fields={}, max_bytes=300, may_be_rejected=True)
    assert any(cause in error for error in causes(found, "all")), causes(found, "all")


@pytest.mark.parametrize("share", [0.9, 1.1])
def test_the_decompressed_size_of_a_table_is_limited_by_its_size_or_by_one_record(tmp_path, share):
    packed = as_parquet_at_once(pa.table({"abstract": ["a" * 1_000] * 500}))
    rows = int(share * 100 * len(packed)) // 1_117
    content = as_parquet_at_once(pa.table({"abstract": ["a" * 1_000] * rows}))
    write(tmp_path, "same.parquet", content)
    found = corpus(
        tmp_path, every="none", month=None, max_bytes=100 * len(packed), fields={"text": "abstract"}
    )
    errors = [record.raw.error for record in found.of_partition("all") if record.raw.error]
    assert any("unpacks to more than 100 times" in error for error in errors) == (share > 1)


def test_cells_of_other_types_are_read_as_people_write_them(tmp_path):
    rows = {
        "abstract": pa.array(["One.", "Two."]).dictionary_encode(),
        "acl_id": pa.array([7.0, None]),
        "year": pa.array([date(1974, 6, 14), date(1975, 1, 1)]),
        "image": pa.array([b"\xff", None]),
    }
    file = io.BytesIO()
    pq.write_table(pa.table(rows), file)
    write(tmp_path, "rows.parquet", file.getvalue())
    found = corpus(tmp_path)
    assert [row["document"] for row in kept(found, "1974", "1975")] == ["7", "rows.parquet#2"]


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("start", ["", "\ufeff", "sep={}\r\n", '\ufeff"sep={}"\n', "\n\n"])
def test_columns_are_separated_by_what_separates_the_header(tmp_path, mark, start):
    header = f'{start.format(mark)}id{mark}text{mark}"a,b;c,d"\n'
    write(tmp_path, "rows.csv", f'{header}1{mark}"One{mark} two; three, four."{mark}x\n'.encode())
    found = corpus(tmp_path, every="none", month=None, fields={})
    (raw,) = [record.raw for record in found.of_partition("all")]
    assert json.loads(raw.content) == {"id": "1", "text": f"One{mark} two; three, four.", "a,b;c,d": "x"}


@pytest.mark.parametrize(
    "text", ["sep=;\nid;a,b,c\n1;One.\n", "id,a\r1,One.\r", "\r\n\r\nid,a\r\n1,One.\r\n"]
)
def test_excel_may_tell_the_separator_or_end_lines_as_on_old_machines(tmp_path, text):
    write(tmp_path, "rows.csv", text.encode())
    found = corpus(tmp_path, every="none", month=None, fields={}, may_be_rejected=True)
    (raw,) = [record.raw for record in found.of_partition("all")]
    assert list(json.loads(raw.content).values()) == ["1", "One."]


@pytest.mark.parametrize("name", ["rows.csv.gz", "rows.jsonl.zst"])
def test_a_file_named_as_compressed_may_be_plain_but_not_binary(tmp_path, name):
    content = b"text\nOne.\n" if "csv" in name else b'{"text": "One."}\n'
    for packed, errors in [(content, 0), (b"PK\x03\x04" + bytes(100), 1), (b"", 1)]:
        write(tmp_path, name, packed)
        found = corpus(tmp_path, every="none", month=None, fields={}, may_be_rejected=True)
        (raw,) = [record.raw for record in found.of_partition("all")]
        assert bool(raw.error) == bool(errors) and ("it is not compressed" in (raw.error or "")) == bool(
            errors
        )


@pytest.mark.parametrize(
    "name", ["rows.ndjson", "rows.jsonl", "rows.ndjson.gz", "rows.jsonl.gz", "rows.ndjson.zst"]
)
def test_lines_of_json_are_read_by_any_of_their_names(tmp_path, name):
    pack = {"gz": gzip.compress, "zst": zstd.compress}.get(name.rpartition(".")[2], bytes)
    write(tmp_path, name, pack(b'{"text": "One."}\n\n{"text": "Two."}'))
    found = corpus(tmp_path, every="none", month=None, fields={})
    assert [json.loads(record.raw.content)["text"] for record in found.of_partition("all")] == [
        "One.",
        "Two.",
    ]


@given(st.lists(st.tuples(st.text(min_size=1), st.integers(0, 10**6)), min_size=1, max_size=5))
def test_any_text_is_read_back_from_csv(tmp_path_factory, rows):
    root = tmp_path_factory.mktemp("any")
    table = [{"abstract": text, "n": number} for text, number in rows]
    write(root, "rows.csv", as_csv(table))
    found = corpus(root, every="none", month=None, fields={"text": "abstract"})
    read = [
        json.loads(record.raw.content) for record in found.of_partition("all") if record.raw.error is None
    ]
    assert [row["abstract"] for row in read] == [row["abstract"] for row in table]
