"""The release files, and the examples as loaded by the `datasets` library."""

import csv

import pyarrow as pa
import pytest

from silverloom.ops.core.parts import FilesFolder
from silverloom.ops.discofuse.dataset.balanced import BalancedParams, Caps, balanced
from silverloom.ops.discofuse.dataset.release import file_of, released
from silverloom.ops.discofuse.schemas import BALANCED, EXAMPLES, RELEASED
from tests.ops.discofuse.example_cases import example
from tests.parts import parts

HEADER = (
    "coherent_first_sentence\tcoherent_second_sentence\tincoherent_first_sentence\tincoherent_second_sentence\t"
    "discourse_type\tconnective_string\thas_coref_type_pronoun\thas_coref_type_nominal"
)


def fused(name, **more):
    told = {
        "coherent_first_sentence": 'He said " no " , and\tleft .', "coherent_second_sentence": "",
        "incoherent_first_sentence": 'He said " no " .', "incoherent_second_sentence": "He left .",
        "discourse_type": "SINGLE_S_COORD", "connective_string": ", and", "has_coref_type_pronoun": 1.0,
    }  # fmt: skip
    return example(name, **{**told, **more})


@pytest.fixture
def outcomes(tmp_path):
    first = [fused("a"), example("b"), fused("c", domain="", split="validation")]
    second = [example("d", split="test"), example("e"), example("f", domain="law")]
    examples = parts(tmp_path / "examples", EXAMPLES.kept, first, second)
    fates = list(balanced(examples, BalancedParams(caps=Caps(control=1), domains={})))
    chosen = parts(tmp_path / "balanced", BALANCED.kept, *[fate.kept for fate in fates])
    return list(released(examples, chosen, FilesFolder(tmp_path / "files")))


@pytest.fixture
def files(tmp_path, outcomes):
    paths = (path for path in (tmp_path / "files").rglob("*") if path.is_file())
    return {path.relative_to(tmp_path / "files").as_posix(): path.read_bytes() for path in paths}


def test_each_domain_and_split_has_a_file_in_the_released_format(files):
    assert sorted(files) == [
        "law/train.tsv", "law/train_balanced.tsv", "prose/dev.tsv",
        "sports/test.tsv", "sports/test_balanced.tsv", "sports/train.tsv", "sports/train_balanced.tsv",
    ]  # fmt: skip
    header, *lines = files["sports/train.tsv"].decode().split("\n")
    assert header == HEADER
    assert lines[0] == (
        'He said " no " , and left .\t\tHe said " no " .\tHe left .\tSINGLE_S_COORD\t, and\t1.0\t0.0'
    )
    assert [line.count("\t") for line in lines[:-1]] == [7, 7, 7] and lines[-1] == ""


def test_balanced_files_contain_the_rows_of_balanced(files):
    assert files["sports/train_balanced.tsv"].count(b"\n") == 3
    assert b"SINGLE_S_COORD" not in files["sports/train_balanced.tsv"]


def test_rows_account_for_every_example_and_every_line(outcomes):
    for outcome in outcomes:
        used = {name for names in outcome.kept["source_ids"].to_pylist() for name in names}
        assert used == set(outcome.units.to_pylist())
    rows = pa.concat_tables([outcome.kept for outcome in outcomes]).to_pylist()
    assert set(rows[0]) == set(RELEASED.kept.names) and len({row["id"] for row in rows}) == len(rows)
    of_file = [row for row in rows if row["file"] == "sports/train.tsv"]
    assert [(row["first_line"], row["lines"]) for row in of_file] == [(2, 2), (4, 1)]


def test_without_examples_there_is_no_file(tmp_path):
    nothing = parts(tmp_path / "a", EXAMPLES.kept, [])
    folder = tmp_path / "files"
    [outcome] = released(nothing, parts(tmp_path / "b", BALANCED.kept, []), FilesFolder(folder))
    assert not folder.exists() and not outcome.kept.num_rows


def test_an_unknown_split_has_no_file():
    assert file_of("sports", "validation", balanced=True) == "sports/dev_balanced.tsv"
    with pytest.raises(KeyError):
        file_of("sports", "dev")


@pytest.fixture
def load(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    import datasets

    def load(kind, **more):
        return datasets.load_dataset(kind, cache_dir=str(tmp_path / "cache"), streaming=False, **more)

    return load


def test_the_release_files_load_with_the_datasets_library(tmp_path, outcomes, load):
    sports = tmp_path / "files/sports"
    splits = load(
        "csv", data_files={"train": str(sports / "train.tsv"), "test": str(sports / "test.tsv")},
        sep="\t", quoting=csv.QUOTE_NONE, keep_default_na=False,
    )  # fmt: skip
    assert splits["train"].column_names == HEADER.split("\t")
    assert (splits["train"].num_rows, splits["test"].num_rows) == (3, 1)
    assert splits["train"][0]["coherent_first_sentence"] == 'He said " no " , and left .'
    assert splits["train"][0]["coherent_second_sentence"] == ""
