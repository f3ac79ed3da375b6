"""Human summaries, read from the files of CL-SciSumm and ScisummNet."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.parse.records import Record, record_id
from silverloom.ops.parse.source import MonthRule, Raw, Source, month_of
from silverloom.ops.talksumm.schemas import HUMAN_SUMMARIES
from silverloom.ops.talksumm.sources.gold import KINDS, SUMMARY_FORMATS, parse_human_summaries

FORMAT = SUMMARY_FORMATS["cl_scisumm_summaries"]
SAMPLE = Path(__file__).resolve().parents[4] / "data" / "sample" / "summaries"


def source(**more) -> Source:
    rule = MonthRule(constant="2018-07")
    return Source(
        **{"kind": "cl_scisumm_summaries", "path": "x", "month": rule, "licence": "CC0-1.0", **more}
    )


def outcome(folder, **more):
    raws = FORMAT.split(folder, source(**more))
    return parse_human_summaries(
        [
            Record(record_id("people", raw), "people", "cl_scisumm_summaries", "CC0-1.0", "2018-07", raw)
            for raw in raws
        ]
    )


def write(folder, files):
    for path, content in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def row(tmp_path, path, content):
    (found,) = outcome(write(tmp_path, {path: content})).kept.to_pylist()
    return found


def complaint(tmp_path, path, content):
    found = outcome(write(tmp_path, {path: content}))
    assert found.kept.num_rows == 0
    (rejected,) = found.rejected.to_pylist()
    assert rejected["content"] == (content if isinstance(content, bytes) else content.encode())
    return rejected["error"]


def test_running_text_is_divided_into_sentences_wherever_its_lines_are_broken(tmp_path):
    text = "The authors’ aim is re-\ntrieval of sen-\r\ntences. They use graphs, i.e. walks (Sec. 3).\n\nNo stop here\n\nThe end."
    found = row(tmp_path, "H05-1115/summary/H05-1115.human.txt", text)
    assert found["sentences"] == [
        "The authors’ aim is retrieval of sentences.",
        "They use graphs, i.e. walks (Sec. 3).",
        "No stop here",
        "The end.",
    ]
    assert (found["kind"], found["annotator"], found["title"], found["words"]) == ("human", None, None, 19)


def test_a_gold_summary_has_one_sentence_per_line_below_the_title(tmp_path):
    text = "\ufeffA Title: With Parts\n\nWe do it. Well.\r\nOn sentences with < 40 words it works.\n"
    found = row(tmp_path, "P18-0001/summary/P18-0001.gold.txt", text)
    assert found["title"] == "A Title: With Parts"
    assert found["sentences"] == ["We do it. Well.", "On sentences with < 40 words it works."]


def test_s_elements_are_sentences_and_the_one_numbered_0_is_the_title(tmp_path):
    text = (
        '<S sid ="0">Q&A &amp; more</S>\n'
        "<S sid ='10' ssid = '1'>a  &amp;quot;b&amp;quot;\nc < d</S>\n\n<S>e</S><S></S>\n"
    )
    found = row(tmp_path, "X00-0001/summary/X00-0001.community.txt", text)
    assert (found["title"], found["sentences"]) == ("Q&A & more", ['a "b" c < d', "e"])


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("A00-2018/summary/A00-2018.human.txt", ("A00-2018", None, "human")),
        ("A00-2018/summary/A00-2018_sweta.human.txt", ("A00-2018", "sweta", "human")),
        ("J00-3003/summary/J03-3003.human.txt", ("J00-3003", None, "human")),
        ("J00-3003/summary/J03-3003_vardha.human.txt", ("J00-3003", "vardha", "human")),
        ("top1000/my_paper/summary/my_paper.gold.txt", ("my_paper", None, "gold")),
        ("top1000/my_paper/Summary/my_paper_lund.Gold.TXT", ("my_paper", "lund", "gold")),
        ("W99-0623_sweta.human.txt", ("W99-0623", "sweta", "human")),
        ("ref/Task2/P00-1025.abstract.txt", ("P00-1025", None, "abstract")),
        ("ref/Task2/P00-1025.community.summary.txt", ("P00-1025", None, "community")),
    ],
)
def test_paper_annotator_and_kind_come_from_the_path(tmp_path, path, told):
    found = row(tmp_path, path, "A title.\nA sentence.\n")
    assert (found["document"], found["annotator"], found["kind"]) == told
    assert found["source_ids"] == [f"people/{path}"]


def test_other_files_of_the_corpus_are_skipped(tmp_path):
    others = [
        "A/annotation/A.annv3.txt",
        "A/Documents_xml/A.xml",
        "A/citing_sentences.json",
        "A/human.txt",
        "n.txt",
    ]
    assert outcome(write(tmp_path, dict.fromkeys(others, "x"))).units.to_pylist() == []


def test_a_paper_may_have_many_summaries_but_each_once(tmp_path):
    files = [
        "2016/A/summary/A.human.txt",
        "A/summary/A.human.txt",
        "A/summary/A_b.human.txt",
        "A/summary/A.gold.txt",
    ]
    found = outcome(write(tmp_path, dict.fromkeys(files, "A title.\nA sentence.")))
    assert {tuple(row.values()) for row in found.kept.select(["annotator", "kind"]).to_pylist()} == {
        (None, "human"), ("b", "human"), (None, "gold"),
    }  # fmt: skip
    assert found.rejected["error"].to_pylist() == [
        "people/A/summary/A.human.txt: its document id 'A.human' is already that of 2016/A/summary/A.human.txt"
    ]
    assert len(set(found.kept["id"].to_pylist())) == 3


@pytest.mark.parametrize(
    ("kind", "content", "cause"),
    [
        ("human", "", "the file is empty"),
        ("human", "\u00a0\n", "no sentence"),
        ("gold", "\u00a0\n", "no sentence"),
        ("gold", "A title alone\n\n", "no sentence below the title"),
        ("community", '<S sid="0">A title</S>', "no sentence below the title"),
        ("human", b"caf\xe9", "not UTF-8: byte 0xe9 at byte offset 3 (unexpected end of data)"),
        ("human", "a\x00b", "the file holds the character U+0000, which is no text (line 1, column 2)"),
        ("community", "<S>a</S>\n<S>b", "broken XML: an S element is not closed (line 2)"),
        ("community", "<S>a\n<S>b</S>", "broken XML: an S element is not closed (line 1)"),
        ("community", "<S>a</S>\n</S>", "broken XML: text outside of the S elements: '</S>' (line 2)"),
        ("community", "<S>a</S>\n\n b c", "broken XML: text outside of the S elements: 'b c' (line 3)"),
    ],
)
def test_a_malformed_file_is_rejected_with_file_and_cause(tmp_path, kind, content, cause):
    path = f"A/summary/A.{kind}.txt"
    assert complaint(tmp_path, path, content) == f"people/{path}: {cause}"


def test_the_month_may_come_from_the_papers_id(tmp_path):
    (raw,) = FORMAT.split(write(tmp_path, {"P18-0001/summary/P18-0001.human.txt": "A."}), source())
    assert month_of(MonthRule(id_year=r"^[A-Z](\d\d)-"), raw, {}) == "2018-01"
    assert FORMAT.fields(raw) == {"document": "P18-0001.human"}


def test_the_sample_has_six_summaries_of_four_papers_and_a_broken_one():
    found = outcome(SAMPLE)
    assert found.kept.num_rows == 6 and len(set(found.kept["document"].to_pylist())) == 4
    assert found.rejected["error"].to_pylist() == [
        "people/M18-0112/summary/M18-0112_lund.community.txt: broken XML: an S element is not closed (line 2)"
    ]
    people = {
        (row["kind"], row["annotator"]) for row in found.kept.to_pylist() if row["document"] == "M18-0107"
    }
    assert people == {("human", "brook"), ("human", "lund"), ("community", None)}
    assert min(found.kept["words"].to_pylist()) >= 100


@given(
    st.sampled_from(KINDS),
    st.binary(max_size=100)
    | st.lists(st.sampled_from(["<S>", "</S>", '<S sid="0">', "a", "\n", "&", "<", ". B"])).map(
        lambda parts: "".join(parts).encode()
    ),
)
def test_a_file_of_any_bytes_is_kept_or_rejected(kind, content):
    raw = Raw(f"A.{kind}.txt", f"A.{kind}", content)
    found = parse_human_summaries(
        [Record("people/A", "people", "cl_scisumm_summaries", "CC0-1.0", "2018-07", raw)]
    )
    assert found.kept.schema == HUMAN_SUMMARIES.kept
    assert found.kept.num_rows + found.rejected.num_rows == 1
    assert all(sentence.strip() for row in found.kept.to_pylist() for sentence in row["sentences"])


SUMMARY = {"P1/summary/P1.human.txt": "We align talks.", "P2/summary/P2.human.txt": "We count words."}


def test_tables_of_splits_belong_to_the_summaries_of_their_papers(tmp_path):
    tables = {
        "official.csv": "split,paper,note\ntest,P1,\ntest,P9,no summary\n",
        "more/ours.csv": '\ufeff"paper","split"\nP1,train\nP2,validation\n',
        "years.csv": "paper,year\nP1,1999\n",
    }
    found = outcome(write(tmp_path, SUMMARY | tables))
    assert found.rejected.num_rows == 0
    assert {row["document"]: row["splits"] for row in found.kept.to_pylist()} == {
        "P1": [{"file": "more/ours.csv", "split": "train"}, {"file": "official.csv", "split": "test"}],
        "P2": [{"file": "more/ours.csv", "split": "validation"}],
    }


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        ("P1,dev", "line 2: the split 'dev' is not one of train, validation, test"),
        (",test", "line 2: no paper"),
        ("P1,test\nP1,train", "line 3: P1 is in test already"),
        ("P1", "line 2: 1 columns where the header has 2"),
    ],
)
def test_a_broken_table_of_splits_is_rejected_with_line_and_cause(tmp_path, rows, error):
    found = outcome(write(tmp_path, SUMMARY | {"official.csv": f"paper,split\n{rows}\n"}))
    assert [row["splits"] for row in found.kept.to_pylist()] == [[], []]
    [rejected] = found.rejected.to_pylist()
    assert (rejected["path"], rejected["error"]) == ("people/official.csv", f"people/official.csv: {error}")
