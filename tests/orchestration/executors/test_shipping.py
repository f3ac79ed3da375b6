"""A value that names files arrives on another machine with these files, and names them there."""

from dataclasses import dataclass, field
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from silverloom.ops.core.parts import Artifact, OneProcess, Part, Parts
from silverloom.orchestration.executors import shipping
from silverloom.orchestration.executors.shipping import Handle, ShippedFolder, loadable, packed, unpacked


@dataclass
class Nested:
    parts: dict[str, list[Part]]


@pytest.fixture
def store():
    """Replaces an object store: `put` gives an index."""
    return []


@pytest.fixture
def travel(store, tmp_path):
    def put(content):
        store.append(content)
        return len(store) - 1

    return lambda value: unpacked(packed(value, put), tmp_path / "there", store.__getitem__)


def part(folder, number):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"kept-{number:05d}.parquet"
    pq.write_table(pa.table({"x": [number] * 3}), path)
    return Part(str(path))


def test_a_part_becomes_another_file_with_the_same_rows_wherever_it_is_nested(travel, tmp_path):
    there = travel(Nested({"months": [part(tmp_path / "here", 7)]})).parts["months"][0]
    assert there.path.startswith(str(tmp_path / "there")) and there.path.endswith("kept-00007.parquet")
    assert there.read()["x"].to_pylist() == [7, 7, 7]


def test_a_file_that_is_named_twice_is_sent_once(travel, store, tmp_path):
    same = part(tmp_path / "here", 1)
    assert len({found.path for found in travel([same, Part(same.path)])}) == 1 and len(store) == 1


def test_files_with_the_same_name_are_kept_apart(travel, tmp_path):
    found = travel([part(tmp_path / "june", 0), part(tmp_path / "july", 0)])
    assert len({part.path for part in found}) == 2


def test_an_artifact_arrives_with_its_folder(travel, tmp_path):
    model = tmp_path / "model"
    (model / "deep").mkdir(parents=True)
    (model / "deep/weights").write_bytes(b"1234")
    rows = Parts(pa.schema([("x", pa.int64())]), (part(tmp_path / "here", 2),), OneProcess())
    there = travel(Artifact(rows, model))
    assert there.files() == {"deep/weights": b"1234"} and there.folder != model
    assert [table["x"].to_pylist() for table in there.rows] == [[2, 2, 2]]


def test_a_large_file_is_sent_in_pieces(travel, store, tmp_path, monkeypatch):
    monkeypatch.setattr(shipping, "CHUNK", 100)
    assert travel(part(tmp_path / "here", 3)).read()["x"].to_pylist() == [3, 3, 3]
    assert len(store) > 1 and max(map(len, store)) == 100


def test_a_handle_becomes_what_the_task_makes_of_it(travel):
    assert travel({"sink": Handle("queue", lambda queue: queue.upper)})["sink"]() == "QUEUE"


def test_an_empty_folder_arrives(travel, tmp_path):
    (tmp_path / "here/deep").mkdir(parents=True)
    (tmp_path / "here/deep/state").write_bytes(b"12")
    (tmp_path / "empty").mkdir()
    there, empty = travel([ShippedFolder(tmp_path / "here"), ShippedFolder(tmp_path / "empty")])
    assert (there.path / "deep/state").read_bytes() == b"12" and not list(empty.path.iterdir())


class Named(NamedTuple):
    part: Part
    number: int


@dataclass(frozen=True)
class Frozen:
    given: Named
    made: str = field(default="made", init=False)


def test_a_value_with_a_file_keeps_its_type_and_one_without_stays_the_same_object(travel, tmp_path):
    there = travel(Frozen(Named(part(tmp_path / "here", 4), 1)))
    assert isinstance(there, Frozen) and isinstance(there.given, Named) and there.made == "made"
    without = {"texts": ["a", "b"], "of": (1, 2)}
    assert travel([without, Part(str(tmp_path / "here/kept-00004.parquet"))])[0] is without


def test_the_size_is_that_of_texts_and_bytes(store):
    assert packed(["abc", {"x": b"12"}, 7], store.append).size == 5


class OddError(Exception):
    def __init__(self, page, line):
        super().__init__(f"page {page}, line {line}")


def test_an_error_that_cannot_be_rebuilt_is_reported_as_another_one():
    known, odd = ValueError("page 1"), OddError(1, 3)
    odd.add_note("part 2")
    assert loadable(odd).__notes__ == ["part 2"]
    assert loadable(known) is known and repr(loadable(odd)) == "RuntimeError('OddError: page 1, line 3')"
