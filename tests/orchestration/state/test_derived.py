"""Derived data is made once for all partitions, and again when its inputs change."""

import pytest

from silverloom.ops.filters.contamination import OverlapParams
from silverloom.orchestration.state.derived import StoredDerived


class Written:
    """Writes a folder, and counts how often."""

    times = 0

    def __call__(self, folder):
        self.times += 1
        folder.mkdir()
        (folder / "segment").write_text(str(self.times))


@pytest.fixture
def key():
    inputs = {
        "wikisum/search_index": {"": "1"},
        "sources/filtered_web_pages": {"2018-06": "2"},
        "sources/articles": {},
    }
    return {"inputs": inputs, "params": {}, "code": {"op": "3", "expectations": "4"}}


@pytest.fixture
def stored(tmp_workspace):
    dataset = tmp_workspace.datasets["wikisum/references"]
    assert dataset.derived == "derived"
    return lambda key, write: StoredDerived(tmp_workspace, dataset, key).made(
        ["search_index", "web_pages"], write
    )


def test_derived_data_is_made_once_for_all_partitions_with_the_same_inputs(stored, key):
    write = Written()
    first = stored(key, write)
    others = key | {"inputs": key["inputs"] | {"sources/articles": {"2018-07": "9"}}, "params": {"a": 1}}
    assert stored(others, write) == first and write.times == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda key: key["inputs"]["sources/filtered_web_pages"].update({"2018-07": "5"}),
        lambda key: key["code"].update(op="5"),
    ],
)
def test_other_inputs_or_code_make_another_version_and_two_versions_stay(stored, key, change):
    write = Written()
    first = stored(key, write)
    change(key)
    second = stored(key, write)
    assert first != second and write.times == 2
    key["code"]["op"] = "6"
    third = stored(key, write)
    assert {path for path in third.parent.iterdir() if path.is_dir()} >= {third}
    assert len([path for path in third.parent.iterdir() if path.is_dir()]) == 2


def test_other_params_make_another_version(tmp_workspace, key):
    write = Written()
    derived = StoredDerived(tmp_workspace, tmp_workspace.datasets["wikisum/references"], key)
    first = derived.made(["search_index"], write, OverlapParams())
    assert derived.made(["search_index"], write, OverlapParams()) == first and write.times == 1
    assert derived.made(["search_index"], write, OverlapParams(ngram=8)) != first and write.times == 2


def test_an_incomplete_or_damaged_version_is_made_again(stored, key):
    write = Written()

    def fails(folder):
        folder.mkdir()
        (folder / "segment").write_text("half")
        raise RuntimeError("cut short")

    with pytest.raises(RuntimeError, match="cut short"):
        stored(key, fails)
    folder = stored(key, write)
    assert (folder / "segment").read_text() == "1"
    (folder / "segment").write_text("torn file")
    assert (stored(key, write) / "segment").read_text() == "2"


def test_expectations_do_not_count(stored, key):
    write = Written()
    first = stored(key, write)
    key["code"]["expectations"] = "5"
    assert stored(key, write) == first
