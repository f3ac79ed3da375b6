"""Every record of every source belongs to one month, or is counted as outside the range."""

import contextlib
import gzip
import os
import shutil
from dataclasses import replace

import pytest
from pydantic import ValidationError

from silverloom.ops.core.parts import part_files
from silverloom.ops.discofuse.sources import PROSE_FORMATS as PROSE
from silverloom.ops.discofuse.sources import parse_prose
from silverloom.ops.parse import scan, scanned
from silverloom.ops.parse.papers import FORMATS, parse_papers
from silverloom.ops.parse.scan import Corpus, SourceError
from silverloom.ops.parse.schemas import PAPERS
from silverloom.ops.parse.source import MonthRule, ParseError, Raw, Source, month_of
from silverloom.orchestration.files.identity import folder_hashes
from silverloom.orchestration.files.parquet import write_outcomes
from tests.parts import OneProcess

PAPER = "# A Title of {name}\ndate: {date}\n\n## 1 Introduction\nThis is a sentence about {name} that is long enough.\n"


def corpus(root, months=("2018-06", "2018-07"), size=256, **dates):
    folder = root / "papers"
    folder.mkdir(exist_ok=True)
    for name, date in dates.items():
        (folder / f"{name}.txt").write_text(PAPER.format(name=name, date=date))
    source = Source(kind="plain_text", path="papers", month=MonthRule(field="date"), licence="CC0-1.0")
    return Corpus("papers", {"text": source}, FORMATS, root, *months, size, OneProcess())


def ids(found, month):
    return [record.id for record in found.of_partition(month)]


def test_records_belong_to_their_months(tmp_path):
    found = corpus(tmp_path, a="2018-06-30", b="2018-07", c="2018-06")
    assert ids(found, "2018-06") == found.ids("2018-06") == ["text/a.txt", "text/c.txt"]
    assert ids(found, "2018-07") == ["text/b.txt"]
    assert found.outside() == {}


def test_records_outside_the_range_are_counted(tmp_path):
    found = corpus(tmp_path, a="2017-01-01", b="2019", c="2018-06-01", d="2019-01-31")
    assert found.outside() == {"2017-01": 1, "2019-01": 2}


def test_a_source_whose_files_are_all_skipped_is_reported(tmp_path):
    found = corpus(tmp_path, a="2018-06")
    assert found.without_records() == {}
    found = corpus(tmp_path)
    found.sources["text"].__dict__["files"] = "*.tex"
    told = "no file of kind 'plain_text' in papers matches files: '*.tex'"
    assert found.without_records() == {"text": told}
    (tmp_path / "papers/a.txt").unlink()
    assert corpus(tmp_path).without_records() == {}, "an empty folder may be filled later"


def test_a_record_without_a_month_is_rejected_in_the_first_one(tmp_path):
    found = corpus(tmp_path, a="some day", b="2018-07-01")
    assert ids(found, "2018-06") == ["text/a.txt"]
    (outcome,) = found.records("2018-06").map(parse_papers)
    assert outcome.units.to_pylist() == ["text/a.txt"]
    assert "text/a.txt: the field 'date' holds no date" in outcome.rejected["error"][0].as_py()


def test_parts_begin_with_a_bounded_number_of_records(tmp_path):
    found = corpus(tmp_path, size=2, a="2018-06", b="2018-06", c="2018-06")
    sizes = [len(outcome.units) for outcome in found.records("2018-06").map(parse_papers)]
    assert sizes == [2, 1]


def test_parts_begin_with_a_bounded_number_of_bytes(tmp_path, monkeypatch):
    found = corpus(tmp_path, a="2018-06", b="2018-06", c="2018-06", d="2018-06")
    (tmp_path / "papers/b.txt").write_text(PAPER.format(name="b", date="2018-06") + "long " * 1_000)
    monkeypatch.setattr(scan, "LARGEST_PART", 1_000)
    parts = [outcome.units.to_pylist() for outcome in found.records("2018-06").map(parse_papers)]
    assert parts == [["text/a.txt"], ["text/b.txt"], ["text/c.txt", "text/d.txt"]]
    assert found.parts("2018-06") == [1, 1, 2]


def test_parts_have_a_bounded_amount_of_text_that_the_size_and_the_format_tell(tmp_path, monkeypatch):
    found = corpus(tmp_path, a="2018-06", b="2018-06", c="2018-06", d="2018-06")
    size = (tmp_path / "papers/a.txt").stat().st_size
    monkeypatch.setattr(scan, "TEXT_OF_PART", 2 * size)
    assert found.parts("2018-06") == [2, 2]
    monkeypatch.setattr(FORMATS["plain_text"].form.__class__, "bytes_a_character", 4, raising=False)
    assert corpus(tmp_path).parts("2018-06") == [4]


def test_a_partition_with_much_text_has_larger_parts(tmp_path, monkeypatch):
    found = corpus(tmp_path, **dict.fromkeys("abcdef", "2018-06"))
    monkeypatch.setattr(scan, "TEXT_OF_PART", 1)
    assert found.parts("2018-06") == [1] * 6
    monkeypatch.setattr(scan, "MANY_PARTS", 2)
    assert found.parts("2018-06") == [3, 3]


def test_only_changes_of_its_records_change_the_version_of_a_month(tmp_path):
    before = corpus(tmp_path, a="2018-06-01", b="2018-07-01")
    versions = {month: before.version(month) for month in ("2018-06", "2018-07")}
    after = corpus(tmp_path, b="2018-07-02")
    assert after.version("2018-06") == versions["2018-06"]
    assert after.version("2018-07") != versions["2018-07"]


def test_an_unknown_kind_and_a_missing_folder_are_named(tmp_path):
    found = corpus(tmp_path)
    found.sources["text"].__dict__["kind"] = "djvu"
    with pytest.raises(
        SourceError, match=r"sources\.papers\.text: unknown kind 'djvu'; known: aasc, cl_scisumm"
    ):
        found.check()
    found.sources["text"].__dict__.update(kind="plain_text", path="nowhere")
    with pytest.raises(SourceError, match="no such folder: nowhere"):
        found.check()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (os.mkfifo, "is neither a file nor a folder"),
        (lambda path: path.symlink_to("/nowhere"), "cannot be looked at"),
        (lambda path: path.symlink_to(path), "cannot be looked at"),
        (lambda path: path.with_name(os.fsdecode(b"odd.txt\xe9")).touch(), "has a name that is not UTF-8"),
        (lambda path: path.symlink_to("/dev/zero"), "is neither a file nor a folder"),
    ],
)
def test_a_file_that_cannot_be_versioned_is_named_and_rejected_alone(tmp_path, make, message):
    found = corpus(tmp_path, a="2018-06")
    make(tmp_path / "papers" / "odd.txt")
    with pytest.raises(
        SourceError, match=rf"odd\.txt.* {message}.*DVC cannot version it.*move the file away"
    ):
        found.check_versions()
    (outcome,) = found.records("2018-06").map(parse_papers)
    assert outcome.kept["document"].to_pylist() == ["a"]
    assert sorted(outcome.units.to_pylist()) == sorted(found.ids("2018-06"))
    (error,) = outcome.rejected["error"].to_pylist()
    assert error.startswith("text/odd.txt")


def test_a_file_named_like_a_line_of_another_is_a_separate_record(tmp_path):
    (tmp_path / "prose").mkdir()
    (tmp_path / "prose/p.jsonl").write_text('{"text": "One."}\n')
    (tmp_path / "prose/p.jsonl#1").write_text("stray")
    source = Source(kind="jsonl_prose", path="prose", month=MonthRule(constant="2018-06"), licence="CC0-1.0")
    found = Corpus("prose", {"rex": source}, PROSE, tmp_path, "2018-06", "2018-06", 9, OneProcess())
    assert found.ids("2018-06") == ["rex/p.jsonl#1", "rex/p.jsonl%231"]
    (outcome,) = found.records("2018-06").map(parse_prose)
    assert outcome.kept["text"].to_pylist() == ["One."]
    assert outcome.rejected["id"].to_pylist() == ["rex/p.jsonl%231"]


@pytest.mark.parametrize(
    ("rule", "document", "fields", "month"),
    [
        (MonthRule(constant="2018-06"), "x", {}, "2018-06"),
        (MonthRule(id_year=r"^[A-Z](\d\d)-"), "W00-0726", {}, "2000-01"),
        (MonthRule(id_year=r"^[A-Z](\d\d)-"), "J82-3004", {}, "1982-01"),
        (MonthRule(id_year=r"(\d{4})"), "acl-2018-1", {}, "2018-01"),
        (MonthRule(field="year"), "x", {"year": "2018"}, "2018-01"),
        (MonthRule(field="date"), "x", {"date": "2018-06"}, "2018-06"),
        (MonthRule(field="date"), "x", {"date": "2018-12-31"}, "2018-12"),
        (MonthRule(field="date"), "x", {"date": "2018/12/31"}, "2018-12"),
        (MonthRule(field="year"), "x", {"year": "2018.0"}, "2018-01"),
    ],
)
def test_a_month_follows_from_the_rule(rule, document, fields, month):
    assert month_of(rule, Raw("p", document, b""), fields) == month


@pytest.mark.parametrize(
    ("rule", "fields"),
    [
        (MonthRule(field="date"), {}),
        (MonthRule(field="date"), {"date": "June 2018"}),
        (MonthRule(field="date"), {"date": "2018 June"}),
        (MonthRule(field="date"), {"date": "2018.06"}),
        (MonthRule(field="date"), {"date": "1999 words"}),
        (MonthRule(field="date"), {"date": "20180601"}),
        (MonthRule(field="date"), {"date": "2018-13-01"}),
        (MonthRule(id_year=r"^[A-Z](\d\d)-"), {}),
        (MonthRule(id_year=r"^(..)"), {}),
        (MonthRule(id_year=r"^(\d\d)?"), {}),
        (MonthRule(id_year=r"^(\w+)"), {}),
        (MonthRule(field="date"), {"date": "\u0662\u0660\u0661\u0668-06"}),
    ],
)
def test_an_unknown_month_is_an_error(rule, fields):
    with pytest.raises(ParseError):
        month_of(rule, Raw("p", "paper", b""), fields)


@pytest.mark.parametrize(
    "rule", [{}, {"field": "date", "constant": "2018-06"}, {"constant": "2018-13"}, {"id_year": "x"}]
)
def test_an_unusable_rule_is_refused(rule):
    with pytest.raises(ValidationError):
        MonthRule(**rule)


def test_a_record_that_changed_after_indexing_is_refused_and_other_months_are_not_read(tmp_path):
    found = corpus(tmp_path, a="2018-06", b="2018-07")
    assert found.ids("2018-07") == ["text/b.txt"]
    (tmp_path / "papers/b.txt").write_text("other")
    assert ids(found, "2018-06") == ["text/a.txt"]
    with pytest.raises(SourceError, match=r"text/b\.txt changed while it was read"):
        list(found.of_partition("2018-07"))


def test_a_record_that_can_be_read_no_more_is_refused_with_its_cause(tmp_path):
    found = corpus(tmp_path, b="2018-07")
    assert found.ids("2018-07") == ["text/b.txt"]
    (tmp_path / "papers/b.txt").unlink()
    (tmp_path / "papers/b.txt").symlink_to("nowhere")
    with pytest.raises(SourceError, match=r"^text/b\.txt: a link that leads nowhere$"):
        list(found.of_partition("2018-07"))


class Slow:
    """Papers as text, each of which may take minutes."""

    slow = True

    def __getattr__(self, name):
        return getattr(FORMATS["plain_text"], name)


def test_a_record_that_may_take_minutes_is_a_separate_task_and_the_parts_do_not_change(tmp_path):
    dates = dict.fromkeys("abcd", "2018-06") | {"e": "2018-13"}  # this one is rejected
    quick = corpus(tmp_path, size=2, **dates)
    slow = replace(quick, formats={"plain_text": Slow()})
    taken = []

    def parse(records):
        taken.append(len(records))
        return parse_papers(records)

    for found, pieces in ((quick, [2, 2, 1]), (slow, [1] * 5)):
        taken.clear()
        parts = tmp_path / str(len(pieces))
        parts.mkdir()
        counts = write_outcomes(parts, found.records("2018-06").map(parse), PAPERS)
        assert taken == pieces and len(part_files(parts, "kept")) == 3
        assert counts["kept"] + counts["rejected"] == 5
    assert folder_hashes(tmp_path / "3") == folder_hashes(tmp_path / "5")


class Kept:
    """Keeps a scan in a folder, and counts how often it is written."""

    def __init__(self, place):
        self.place, self.written = place, 0

    def folder(self, write, whole):
        if not (self.place.exists() and whole(self.place)):
            shutil.rmtree(self.place, ignore_errors=True)
            self.written += 1
            write(self.place)
        return self.place


LINE = '{{"id": "{name}", "text": "{text}", "date": "{date}"}}\n'
DATES = ["2018-06", "2018-07", "2018-06", "2018-08", "some day"]


def lines(root, keeper):
    """Prose in a compressed file over several months, in one of a single month, and in separate files."""
    (root / "prose").mkdir(exist_ok=True)
    for file, dates in (("many.jsonl.gz", DATES), ("one.jsonl", ["2018-07"] * 3)):
        rows = [
            LINE.format(name=f"{file}{n}", text=f"Text {n}. é", date=date) for n, date in enumerate(dates)
        ]
        opened = gzip.open if file.endswith(".gz") else open
        with opened(root / "prose" / file, "wt") as out:
            out.writelines([*rows[:2], "no JSON\n", *rows[2:]])
    source = Source(kind="jsonl_prose", path="prose", month=MonthRule(field="date"), licence="CC0-1.0")
    return Corpus(
        "prose", {"lines": source}, PROSE, root, "2018-06", "2018-08", 256, OneProcess(), keeper=keeper
    )


def entries(found):
    return found.index.entries(found.index.months)


MONTHS = ("2018-06", "2018-07", "2018-08")


def test_a_file_of_many_months_is_read_once_for_all_of_them(tmp_path, monkeypatch):
    without = lines(tmp_path, None)
    records = {month: list(without.of_partition(month)) for month in MONTHS}
    kept = Kept(tmp_path / "kept")
    assert entries(lines(tmp_path, kept)) == entries(without)
    opened, split = [], Corpus.raws
    monkeypatch.setattr(
        Corpus, "raws", lambda found, source, only=None: opened.extend(only) or split(found, source, only)
    )
    found = lines(tmp_path, kept)
    assert {month: list(found.of_partition(month)) for month in MONTHS} == records
    assert set(opened) == {"one.jsonl"} and kept.written == 1
    assert [found.version(month) for month in MONTHS] == [without.version(month) for month in MONTHS]


@pytest.mark.parametrize("months", [3, 6])
def test_a_stored_index_is_read_by_month(tmp_path, monkeypatch, months):
    kept, rows, read = Kept(tmp_path / "kept"), [], scanned.pq.read_table
    dates = {f"{name}{month}": f"2018-{month:02d}" for month in range(1, months + 1) for name in "abc"}
    written = replace(corpus(tmp_path, ("2018-01", "2018-12"), **dates, e="some day"), keeper=kept)
    assert written.has("2018-01")
    monkeypatch.setattr(
        scanned.pq, "read_table", lambda *given, **more: rows.append(read(*given, **more)) or rows[-1]
    )
    found = replace(written)
    names = [f"2018-{month:02d}" for month in range(2, 13)]
    assert [found.has(name) for name in names] == [True] * (months - 1) + [False] * (12 - months)
    assert len({found.version(name) for name in names[: months - 1]}) == months - 1
    assert found.outside() == found.without_records() == {} and rows == []
    assert ids(found, "2018-02") == found.ids("2018-02") == ["text/a2.txt", "text/b2.txt", "text/c2.txt"]
    assert [len(table) for table in rows] == [3, 3] and kept.written == 1


@pytest.mark.parametrize("name", ["index.parquet", "months.json", "content"])
def test_a_damaged_scan_is_never_read_as_a_corpus(tmp_path, name):
    kept = Kept(tmp_path / "kept")
    right = lines(tmp_path, None)
    records = {month: list(right.of_partition(month)) for month in MONTHS}
    assert entries(lines(tmp_path, kept)) == entries(right)
    content = (tmp_path / "kept" / name).read_bytes()
    for place in range(0, len(content), max(1, len(content) // 40)):
        kept.place.mkdir(exist_ok=True)
        flipped = content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :]
        (tmp_path / "kept" / name).write_bytes(flipped)
        for _ in range(2):  # the damaged copy is gone at the second attempt
            with contextlib.suppress(SourceError):
                found = lines(tmp_path, kept)
                assert {month: list(found.of_partition(month)) for month in MONTHS} == records
                break
        else:
            pytest.fail("it stays damaged")
        assert entries(lines(tmp_path, kept)) == entries(right)
