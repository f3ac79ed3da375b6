"""Manual alignments read from CSV: every label is kept, and a malformed file is rejected whole."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.parse.records import Record, record_id
from silverloom.ops.parse.source import MonthRule, Raw, Source, month_of
from silverloom.ops.talksumm.schemas import GOLD_ALIGNMENTS
from silverloom.ops.talksumm.sources.gold import ALIGNMENT_FORMATS, parse_gold_alignments

SAMPLE = Path(__file__).resolve().parents[4] / "data" / "sample" / "alignments"
HEADER = "first_word,last_word,sentence\n"


def record(content: str | bytes, name="talk.csv", error=None) -> Record:
    content = content.encode() if isinstance(content, str) else content
    raw = Raw(name, Path(name).stem, content, error=error)
    return Record(record_id("hand", raw), "hand", "word_runs", "CC0-1.0", "2018-06", raw)


def labels(content):
    outcome = parse_gold_alignments([record(content)])
    assert outcome.rejected.num_rows == 0, outcome.rejected["error"].to_pylist()
    return [(row["first_word"], row["last_word"], row["sentence"]) for row in outcome.kept.to_pylist()]


def complaint(content) -> str:
    outcome = parse_gold_alignments([record(content)])
    assert outcome.kept.num_rows == 0
    (row,) = outcome.rejected.to_pylist()
    assert row["content"] == (content.encode() if isinstance(content, str) else content)
    return row["error"]


def test_rows_are_runs_of_words_with_the_beginning_of_their_sentence():
    assert labels(HEADER + '0,3,\n4,9,"Labels, being dear, are few"\n') == [
        (0, 3, None),
        (4, 9, "Labels, being dear, are few"),
    ]


def test_a_label_has_its_file_licence_and_talk_and_a_unique_id():
    rows = parse_gold_alignments([record(HEADER + "0,3,\n4,4,A\n")]).kept.to_pylist()
    assert {row["document"] for row in rows} == {"talk"}
    assert {(*row["source_ids"], row["licence"], row["month"]) for row in rows} == {
        ("hand/talk.csv", "CC0-1.0", "2018-06")
    }
    assert len({row["id"] for row in rows}) == 2


def test_columns_in_another_order_additional_columns_crlf_and_a_byte_order_mark_are_accepted():
    text = "\ufeffsentence,note,first_word,last_word\r\n A   b ,?,0,1\r\n\r\n,,2,2\r\n"
    assert labels(text) == [(0, 1, "A b"), (2, 2, None)]


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "the file is empty"),
        (HEADER, "no row below the header"),
        ("first_word,last_word\n0,1\n", "line 1: the header needs one column sentence"),
        ("first_word,first_word,last_word,sentence\n", "line 1: the header needs one column first_word"),
        (HEADER + "0,1\n", "line 2: 2 columns where the header has 3"),
        (HEADER + "0,1,a\n2,x,b\n", "line 3: last_word must be the index of a word, found 'x'"),
        (HEADER + "-1,1,a\n", "line 2: first_word must be the index of a word, found '-1'"),
        (HEADER + "٣,4,a\n", "line 2: first_word must be the index of a word, found '٣'"),
        (HEADER + "0,99999999999,a\n", "line 2: last_word must be the index of a word"),
        (HEADER + "0,4,a\n5,3,b\n", "line 3: last_word (3) is before first_word (5)"),
        (HEADER + "1,4,a\n", "line 2: begins with word 1, due is word 0"),
        (HEADER + "0,4,a\n6,8,b\n", "line 3: begins with word 6, due is word 5"),
        (HEADER + "0,4,a\n4,8,b\n", "line 3: begins with word 4, due is word 5"),
        (HEADER + '0,4,"a\nb"\n6,8,b\n', "line 4: begins with word 6, due is word 5"),
        (HEADER + '0,4,"a" b\n', "line 2: not CSV: ',' expected after '\"'"),
        (HEADER + '0,4,"a', "line 2: not CSV: unexpected end of data"),
        (b"first_word,last_word,sentence\n0,1,\xff\n", "not UTF-8: byte 0xff at byte offset 34"),
    ],
)
def test_a_malformed_file_is_rejected_whole_with_file_line_and_cause(text, cause):
    assert complaint(text).startswith(f"hand/talk.csv: {cause}")


def test_an_unreadable_file_is_rejected_with_its_cause():
    outcome = parse_gold_alignments([record("", error="larger than max_bytes = 3; it was not read")])
    assert outcome.rejected["error"].to_pylist() == [
        "hand/talk.csv: larger than max_bytes = 3; it was not read"
    ]


def test_a_folder_gives_one_record_per_file_and_names_other_files(tmp_path):
    (tmp_path / "b.csv").write_text(HEADER + "0,0,\n")
    (tmp_path / "a.csv").write_text(HEADER + "0,0,\n")
    (tmp_path / "notes.txt").write_text("?")
    source = Source(kind="word_runs", path="x", month=MonthRule(constant="2018-06"), licence="CC0-1.0")
    found = {raw.path: raw.error for raw in ALIGNMENT_FORMATS["word_runs"].split(tmp_path, source)}
    assert found == {
        "a.csv": None,
        "b.csv": None,
        "notes.txt": "not a file of this source: its name does not end in .csv",
    }


def test_a_file_may_be_named_after_its_month():
    raw = Raw("2018-07-agreement.csv", "2018-07-agreement", b"")
    fields = ALIGNMENT_FORMATS["word_runs"].fields(raw)
    assert month_of(MonthRule(field="document"), raw, fields) == "2018-07"


def test_the_sample_has_three_talks_in_108_lines_with_their_headers():
    files = sorted(SAMPLE.glob("*.csv"))
    outcome = parse_gold_alignments([record(path.read_bytes(), path.name) for path in files])
    assert outcome.rejected.num_rows == 0
    assert outcome.kept.num_rows == 108 - 3
    assert set(outcome.kept["document"].to_pylist()) == {"agreement", "ask-back", "how-much-silver"}


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: (HEADER + text).encode()))
def test_a_file_of_any_bytes_is_kept_or_rejected(content):
    outcome = parse_gold_alignments([record(content)])
    assert outcome.kept.schema == GOLD_ALIGNMENTS.kept
    assert (outcome.kept.num_rows > 0) != (outcome.rejected.num_rows == 1)
