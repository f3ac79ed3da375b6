"""The Parquet files of a release: complete, licensed, of limited size, and reproducible to the byte."""

import hashlib
import random
from itertools import count
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from silverloom.ops.core.outcome import columns
from silverloom.ops.core.parts import FilesFolder, OneProcess, Part, Parts
from silverloom.ops.core.release import ReleaseParams, allows, config_name, release_files

ROWS = columns(("split", pa.string()), ("set", pa.string()), ("text", pa.string()))


PARAMS = ReleaseParams()


class NoEngine(OneProcess):
    def map(self, op, pieces, *shared):
        raise AssertionError("a release maps nothing")


@pytest.fixture
def parts(tmp_path):
    def parts(*tables, schema=ROWS):
        paths = []
        for number, rows in enumerate(tables):
            paths.append(tmp_path / f"{schema.names[-1]}-{number}.parquet")
            pq.write_table(pa.Table.from_pylist(rows, schema=schema), paths[-1])
        return Parts(schema, tuple(Part(str(path)) for path in paths), NoEngine())

    return parts


def row(number, split="train", licence="CC0-1.0", name="a", text="text"):
    return {
        "id": f"row-{number:05d}",
        "source_ids": [f"s-{number}"],
        "licence": licence,
        "split": split,
        "set": name,
        "text": text,
    }


@pytest.fixture
def release(tmp_path):
    """The outcomes of a release, and its files on disk by name."""
    numbers = count()

    def release(rows, params=PARAMS, **options) -> tuple[list, dict[str, Path]]:
        folder = tmp_path / f"release-{next(numbers)}"
        outcomes = list(release_files(rows, FilesFolder(folder), params, **options))
        files = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*.parquet"))}
        assert sorted(name for outcome in outcomes for name in outcome.kept["file"].to_pylist()) == [*files]
        return outcomes, files

    return release


def tables(files) -> dict[str, pa.Table]:
    return {name: pq.read_table(path) for name, path in files.items()}


def test_every_row_is_in_the_file_of_its_configuration_and_split(parts, release):
    rows = parts([row(1), row(2, "test")], [row(3, name="b c"), row(4)])
    outcomes, files = release(rows, config="set", without=["text"])
    assert {name: table["id"].to_pylist() for name, table in tables(files).items()} == {
        "data/a/test-00000.parquet": ["row-00002"],
        "data/a/train-00000.parquet": ["row-00001", "row-00004"],
        "data/b-c/train-00000.parquet": ["row-00003"],
    }
    assert {tuple(table.column_names) for table in tables(files).values()} == {
        ("id", "source_ids", "licence", "set")
    }
    for outcome in outcomes:
        (file,) = outcome.kept.to_pylist()
        assert file["source_ids"] == outcome.units.to_pylist()
        content = files[file["file"]].read_bytes()
        assert (file["rows"], file["bytes"]) == (len(outcome.units), len(content))
        assert file["md5"] == hashlib.md5(content, usedforsecurity=False).hexdigest()


def test_a_file_is_no_larger_than_params_allow(parts, release):
    drawn = random.Random(0)
    rows = parts([row(number, text=drawn.randbytes(300).hex()) for number in range(400)])
    _, files = release(rows, ReleaseParams(megabytes=0.05))
    assert len(files) > 1
    assert max(path.stat().st_size for path in files.values()) <= 50_000
    assert [name for table in tables(files).values() for name in table["id"].to_pylist()] == [
        f"row-{number:05d}" for number in range(400)
    ]


def test_a_row_larger_than_the_file_limit_has_a_file_of_its_own(parts, release):
    rows = parts([row(number, text="".join(map(chr, range(9_000)))) for number in range(3)])
    _, files = release(rows, ReleaseParams(megabytes=0.001))
    assert [len(table) for table in tables(files).values()] == [1, 1, 1]


def test_files_are_the_same_bytes_however_the_rows_are_parted(parts, release):
    rows = [row(number, "test" if number % 5 == 0 else "train") for number in range(100)]
    first, again, parted = (
        {name: path.read_bytes() for name, path in files.items()}
        for _, files in (release(parts(rows)), release(parts(rows)), release(parts(rows[:7], rows[7:])))
    )
    assert len(first) == 2 and first == again == parted


def test_rows_of_other_licences_are_dropped_whole_and_named(parts, release):
    forbidden = "CC0-1.0 AND LicenseRef-x"
    outcomes, files = release(parts([row(1), row(2, licence=forbidden)]))
    dropped = [lost for outcome in outcomes for lost in outcome.dropped.to_pylist()]
    assert [(lost["id"], lost["reason"], lost["text"]) for lost in dropped] == [
        ("row-00002", "licence", "text")
    ]
    assert [table["id"].to_pylist() for table in tables(files).values()] == [["row-00001"]]


@pytest.mark.parametrize(
    ("licence", "allowed"),
    [
        ("MIT", True),
        ("MIT AND CC0-1.0", True),
        ("MIT AND CC-BY-NC-4.0", False),
        ("MIT OR CC-BY-NC-4.0", False),
        ("MIT OR Odd", True),
        ("(MIT AND CC0-1.0) OR CC-BY-ND-4.0", False),
        ("LicenseRef-unknown", False),
        ("", False),
    ],
)
def test_a_licence_is_allowed_if_all_its_parts_are(licence, allowed):
    assert allows(["MIT", "CC0-1.0", "MIT OR Odd"], licence) is allowed


@pytest.fixture
def chosen(parts):
    """A dataset that is made from the second row."""
    rows = [{"id": "b-1", "source_ids": ["row-00002"], "licence": "MIT", "chosen": True}]
    return parts(rows, schema=columns(("chosen", pa.bool_())))


def test_rows_that_another_dataset_is_made_of_are_a_configuration_and_marked_in_all(parts, release, chosen):
    rows = parts([row(1), row(2), row(3, "test")])
    outcomes, files = release(rows, config="set", subsets={"chosen": chosen})
    found = {
        name: dict(zip(table["id"].to_pylist(), table["chosen"].to_pylist(), strict=True))
        for name, table in tables(files).items()
    }
    assert found == {
        "data/a/train-00000.parquet": {"row-00001": False, "row-00002": True},
        "data/a/test-00000.parquet": {"row-00003": False},
        "data/chosen/train-00000.parquet": {"row-00002": True},
    }
    units = [unit for outcome in outcomes for unit in outcome.units.to_pylist()]
    assert sorted(units) == ["row-00001", "row-00002", "row-00003"]


def test_a_forbidden_row_is_in_no_subset(parts, release, chosen):
    _, files = release(parts([row(1), row(2, licence="Odd")]), config="set", subsets={"chosen": chosen})
    assert list(files) == ["data/a/train-00000.parquet"]


OTHER = columns(("split", pa.string()), ("set", pa.string()), ("number", pa.int32()))


def other(number, name="numbers", **more):
    row = {"id": f"other-{number}", "source_ids": [f"row-{number:05d}"], "licence": "MIT", "split": "train"}
    return {**row, "set": name, "number": number, **more}


def test_rows_of_another_dataset_are_a_configuration_with_columns_of_their_own(parts, release):
    rows = parts([row(1), row(2)])
    others = [parts([other(1), other(2, split="test"), other(3, licence="Odd")], schema=OTHER)]
    outcomes, files = release(rows, config="set", others=others)
    found = {name: (table.column_names, table["id"].to_pylist()) for name, table in tables(files).items()}
    own = ["id", "source_ids", "licence", "set", "number"]
    assert found == {
        "data/a/train-00000.parquet": (
            ["id", "source_ids", "licence", "set", "text"],
            ["row-00001", "row-00002"],
        ),
        "data/numbers/test-00000.parquet": (own, ["other-2"]),
        "data/numbers/train-00000.parquet": (own, ["other-1"]),
    }
    units = [unit for outcome in outcomes for unit in outcome.units.to_pylist()]
    assert sorted(units) == ["row-00001", "row-00002"]


def test_a_configuration_of_two_datasets_is_refused(parts, release):
    with pytest.raises(ValueError, match="two datasets of the release have a set 'a': give one another name"):
        release(parts([row(1)]), config="set", others=[parts([other(1, "a")], schema=OTHER)])


def test_a_configuration_with_the_name_of_a_subset_is_refused(parts, release, chosen):
    with pytest.raises(ValueError, match="set 'chosen' is what a part of the release is called"):
        release(parts([row(2, name="chosen")]), config="set", subsets={"chosen": chosen})


@pytest.mark.parametrize(
    ("value", "name"), [("", "default"), ("a b/c", "a-b-c"), ("..", "default"), ("x.y", "x.y")]
)
def test_a_configuration_is_a_name_that_stays_in_its_folder(value, name):
    assert config_name(value) == name


def test_columns_aside_form_a_configuration_and_are_in_no_other(parts, release, chosen):
    rows = parts([row(1), row(2, licence="Odd"), row(3, "test")])
    outcomes, files = release(rows, config="set", subsets={"chosen": chosen}, aside={"texts": ["text"]})
    own = ["id", "source_ids", "licence", "text"]
    found = {name: (table.column_names, table["id"].to_pylist()) for name, table in tables(files).items()}
    assert found["data/texts/train-00000.parquet"] == (own, ["row-00001"])
    assert found["data/texts/test-00000.parquet"] == (own, ["row-00003"])
    assert all(("text" in names) == name.startswith("data/texts/") for name, (names, _) in found.items())
    units = [unit for outcome in outcomes for unit in outcome.units.to_pylist()]
    assert sorted(units) == ["row-00001", "row-00002", "row-00003"]


PAIR = columns(("split", pa.string()), ("read", pa.string()), ("written", pa.string()))


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("columns", {"read": "in", "written": "out"}),
        ("prompt_completion", {"prompt": "in", "completion": "out"}),
        (
            "messages",
            {"messages": [{"role": "user", "content": "in"}, {"role": "assistant", "content": "out"}]},
        ),
    ],
)
def test_input_and_output_are_called_as_trainers_read_them(parts, release, text, texts):
    identity = {"id": "row-1", "source_ids": ["s-1"], "licence": "MIT"}
    rows = parts([{**identity, "split": "train", "read": "in", "written": "out"}], schema=PAIR)
    _, files = release(rows, ReleaseParams(text=text), pair=("read", "written"))
    [table] = tables(files).values()
    assert table.to_pylist() == [{**identity, **texts}]


def test_what_a_card_says_of_the_whole_does_not_change_the_files():
    params = ReleaseParams(title="Mine", creators=("Ann",), homepage="https://example.org")
    assert params.model_dump() == ReleaseParams().model_dump()
