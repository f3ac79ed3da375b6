"""A process loads a model once, as long as loader, arguments and the bytes of files are the same."""

import copy
import os
import pickle
import time
import weakref
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ops.core import loaded
from ops.core.loaded import Loaded
from ops.core.parts import Artifact, OneProcess, Part, Parts

loads = []


class Model:
    """A model that is recorded when it is loaded."""

    def __init__(self, *arguments):
        loads.append(arguments)


class OtherModel(Model):
    """What another loader loads."""


@pytest.fixture(autouse=True)
def new_process():
    """Nothing is loaded yet."""
    loaded.kept_models.clear()
    loads.clear()


@pytest.fixture(params=["just written", "settled"])
def settled(request, monkeypatch):
    """Files were written just now, or long enough ago that their digests are kept."""
    if request.param == "settled":
        now = time.time_ns
        monkeypatch.setattr(time, "time_ns", lambda: now() + 10**10)


def write(path, content):
    """Write a file later than its last change: the file system's clock ticks every few milliseconds."""
    time.sleep(0.02)
    path.write_bytes(content)


def sent(value):
    return pickle.loads(pickle.dumps(value))


def artifact(folder, weights=b"1234", rows=1):
    folder.mkdir(exist_ok=True)
    (folder / "files").mkdir(exist_ok=True)
    write(folder / "files/weights", weights)
    pq.write_table(pa.table({"x": [rows]}), folder / "kept-00000.parquet")
    parts = (Part(str(folder / "kept-00000.parquet")),)
    return Artifact(Parts(pa.schema([("x", pa.int64())]), parts, OneProcess()), folder / "files")


def test_a_model_is_sent_without_its_weights():
    shared = Loaded(Model, ("encoder", 5))
    assert shared.model is shared.model and len(loads) == 1
    assert "model" not in vars(copy.copy(shared)) and "model" not in vars(sent(shared))


def test_copies_with_equal_arguments_load_once(tmp_path):
    shared = Loaded(Model, (artifact(tmp_path), "words_150", True, None))
    assert len({id(model) for model in [sent(shared).model, shared.model, sent(shared).model]}) == 1
    assert len(loads) == 1


def test_a_model_that_does_not_exist_is_looked_for_once():
    assert [Loaded(loads.append, (1,)).model for _ in range(2)] == [None, None] and loads == [1]


@pytest.mark.parametrize(
    ("first", "second"), [(("a", 5), ("a", 6)), ((1,), (True,)), (("a", "b"), ("ab",)), ((), (None,))]
)
def test_different_arguments_load_their_own(first, second):
    assert Loaded(Model, first).model is not Loaded(Model, second).model
    assert loads == [first, second]


def test_different_loaders_load_their_own():
    assert type(Loaded(Model, ()).model) is not type(Loaded(OtherModel, ()).model)


def test_a_copy_of_the_files_loads_nothing(settled, tmp_path):
    assert (
        Loaded(Model, (artifact(tmp_path / "a"),)).model is Loaded(Model, (artifact(tmp_path / "b"),)).model
    )


@pytest.mark.parametrize("change", [{"weights": b"4321"}, {"weights": b""}, {"rows": 2}])
def test_changed_files_load_again(settled, tmp_path, change):
    first = Loaded(Model, (artifact(tmp_path),)).model
    assert Loaded(Model, (artifact(tmp_path, **change),)).model is not first
    assert Loaded(Model, (artifact(tmp_path),)).model is first


def test_a_file_that_is_changed_behind_the_same_size_and_time_loads_again(settled, tmp_path):
    made = artifact(tmp_path)
    weights = made.folder / "weights"
    before, first = weights.stat(), Loaded(Model, (made,)).model
    write(weights, b"4321")
    os.utime(weights, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert Loaded(Model, (made,)).model is not first


def test_a_renamed_file_loads_again(tmp_path):
    made = artifact(tmp_path)
    first = Loaded(Model, (made,)).model
    (made.folder / "weights").rename(made.folder / "other")
    assert Loaded(Model, (made,)).model is not first


def test_a_path_is_compared_by_its_files(tmp_path):
    first = Loaded(Model, (artifact(tmp_path).folder,)).model
    assert Loaded(Model, (artifact(tmp_path, b"12").folder,)).model is not first
    assert Loaded(Model, (tmp_path / "none",)).model is Loaded(Model, (tmp_path / "neither",)).model


def read_while_replaced(folder):
    weights = Path(folder) / "weights"
    text = weights.read_bytes()
    write(weights, b"4321")
    loads.append(text)
    return text


def test_a_model_whose_files_change_while_it_loads_is_not_kept(settled, tmp_path):
    made = artifact(tmp_path)
    assert Loaded(read_while_replaced, (made.folder,)).model == b"1234"
    artifact(tmp_path)
    assert Loaded(read_while_replaced, (made.folder,)).model == b"1234" and len(loads) == 2
    assert Loaded(read_while_replaced, (made.folder,)).model == b"4321"


def test_a_failed_load_is_tried_again():
    for _ in range(2):
        with pytest.raises(ValueError, match="torn"):
            Loaded(int, ("torn",)).model  # noqa: B018


def test_only_the_latest_models_stay_in_memory():
    names = "abcdef"
    models = [weakref.ref(Loaded(Model, (name,)).model) for name in names]
    assert [model() is not None for model in models] == [name in "ef" for name in names]
    for name in "efe":
        assert Loaded(Model, (name,)).model
    assert len(loads) == 6
    assert Loaded(Model, ("a",)).model and Loaded(Model, ("e",)).model
    assert loads[6:] == [("a",)], "the one that was used last stays"
