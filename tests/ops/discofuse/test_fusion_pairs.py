"""Split-and-rephrase pairs: their split, and lines that are not pairs."""

import gzip

from silverloom.ops.core.sampling import SPLIT_NAMES
from silverloom.ops.discofuse.sources import FUSION_PAIR_FORMATS, parse_fusion_pairs
from silverloom.ops.parse.records import Record, record_id
from silverloom.ops.parse.source import Source

KIND = "split_and_rephrase"
PAIR = "It flows and ends .\tIt flows . <::::> It ends ."


def outcome(folder):
    source = Source(kind=KIND, path="there", month={"constant": "2018-06"}, licence="MIT")
    return parse_fusion_pairs(
        [
            Record(record_id("mine", raw), "mine", KIND, "MIT", "2018-06", raw)
            for raw in FUSION_PAIR_FORMATS[KIND].split(folder, source)
        ]
    )


def test_a_line_is_a_pair_of_the_split_in_its_file_name(tmp_path):
    for name in (*(f"{word}.tsv" for word in SPLIT_NAMES), "train-2.tsv"):
        (tmp_path / name).write_text(PAIR + "\n", encoding="utf-8")
    (tmp_path / "tune.tsv.gz").write_bytes(gzip.compress(PAIR.encode()))
    pairs = outcome(tmp_path)
    assert not pairs.rejected.num_rows
    assert {row["document"]: row["split"] for row in pairs.kept.to_pylist()} == {
        "dev.tsv#1": "validation",
        "test.tsv#1": "test",
        "train-2.tsv#1": "train",
        "train.tsv#1": "train",
        "tune.tsv#1": "validation",
        "tune.tsv.gz#1": "validation",
        "val.tsv#1": "validation",
        "valid.tsv#1": "validation",
        "validation.tsv#1": "validation",
    }
    [row] = [row for row in pairs.kept.to_pylist() if row["document"] == "test.tsv#1"]
    assert (row["fused"], row["first"], row["second"]) == ("It flows and ends .", "It flows .", "It ends .")


def test_one_bad_line_is_one_reject(tmp_path):
    lines = [PAIR, "no tab", "a\tb <::::> c <::::> d", "a\tb", "a\t <::::> c", "a\tb <::::> c\td", PAIR]
    (tmp_path / "train.tsv").write_text("\n".join(lines), encoding="utf-8")
    pairs = outcome(tmp_path)
    assert pairs.kept["document"].to_pylist() == ["train.tsv#1", "train.tsv#7"]
    assert [error.partition(": ")[2] for error in pairs.rejected["error"].to_pylist()] == [
        "1 columns divided by tabs, due are 2: sentence and its split",
        "3 sentences divided by <::::>, due are 2",
        "1 sentences divided by <::::>, due are 2",
        "nothing stands for first",
        "3 columns divided by tabs, due are 2: sentence and its split",
    ]


def test_a_file_without_a_split_in_its_name_is_rejected_line_by_line(tmp_path):
    (tmp_path / "pairs.tsv").write_text(PAIR, encoding="utf-8")
    [error] = outcome(tmp_path).rejected["error"].to_pylist()
    assert error.startswith(
        "mine/pairs.tsv, line 1: the file's name does not begin with its split, which is one of train"
    )
