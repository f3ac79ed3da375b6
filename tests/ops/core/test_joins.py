"""Joins of rows by key."""

from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.core.joins import Lookup, divided, grouped, looked_up, matches, stored
from silverloom.ops.core.parts import OneProcess, temporary_folder
from tests.parts import parts

SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("number", pa.int32()),
        ("vector", pa.list_(pa.float32())),
        ("places", pa.list_(pa.struct([("start", pa.int32()), ("text", pa.string())]))),
    ]
)
KEYS = st.one_of(st.none(), st.sampled_from(["", "a", "b", "'", '"', "é", "a" * 300]))


def dataset(folder, keys_of_parts):
    tables, number = [], 0
    for keys in keys_of_parts:
        rows = []
        for key in keys:
            places = [{"start": number, "text": key}] * (number % 3) if number % 4 else None
            rows.append({"key": key, "number": number, "vector": [number / 3] * 2, "places": places})
            number += 1
        tables.append(pa.Table.from_pylist(rows, schema=SCHEMA))
    return parts(folder, SCHEMA, *tables)


class Exchanging(OneProcess):
    """An exchange with three places, all in this process."""

    @property
    def exchange(self):
        return self

    def places(self, size):
        return 3 if size else 1

    def run(self, pieces, stages, places, *shared):
        first, *others = stages
        groups = filter(None, (pieces[place::places] for place in range(places)))
        made = [first(place, places, group, *shared) for place, group in enumerate(groups)]
        for stage in others:
            made = [
                stage(place, places, given, *shared) for place, given in enumerate(zip(*made, strict=True))
            ]
        return iter(made)


ENGINES = st.sampled_from([OneProcess(), Exchanging()])


@given(
    st.lists(st.lists(KEYS, max_size=8), max_size=4),
    st.lists(st.lists(KEYS, max_size=5), max_size=4),
    st.sampled_from([None, ["number"], ["places", "key"]]),
    ENGINES,
)
def test_every_set_of_keys_finds_the_same_rows_as_reading_all_parts(held, wanted, columns, engine):
    with temporary_folder() as folder:
        rows = replace(dataset(folder / "rows", held), engine=engine)
        found = matches(rows, "key", wanted, folder / "found", columns)
        assert found.schema.names == (columns or SCHEMA.names)
        assert len(found.parts) == len(wanted)
        for keys, table in zip(wanted, found, strict=True):
            slow = rows.read(columns, where=("key", {key for key in keys if key is not None}))
            assert table.equals(slow)


def test_many_rows_of_many_parts_keep_their_order(tmp_path):
    held = [[f"k{(place * 7 + part) % 50}" for place in range(3000)] for part in range(3)]
    rows = dataset(tmp_path / "rows", held)
    first, none, second = matches(rows, "key", [["k1", "k2"], [], ["k2"]], tmp_path / "found")
    numbers = first["number"].to_pylist()
    assert numbers == sorted(numbers)
    assert set(first["key"].to_pylist()) == {"k1", "k2"}
    assert none.num_rows == 0
    assert second["number"].to_pylist() == [row["number"] for row in first.to_pylist() if row["key"] == "k2"]


def test_keys_may_be_columns(tmp_path):
    rows = dataset(tmp_path / "rows", [["a", "b"], ["a"]])
    keys = [pa.chunked_array([["b", None], ["b"]]), pa.array(["a"])]
    assert [table["number"].to_pylist() for table in matches(rows, "key", keys, tmp_path / "found")] == [
        [1],
        [0, 2],
    ]


@pytest.mark.parametrize("key", ["part", "place", "key"])
def test_columns_may_have_the_names_that_joins_use(tmp_path, key):
    table = pa.table({"part": ["b", "a"], "place": ["d", "c"], "key": ["f", "e"], "rows": [1, 2]})
    rows = parts(tmp_path / "rows", table.schema, table)
    found = matches(rows, key, [table[key]], tmp_path / "found")
    assert list(found) == [table]
    assert list(grouped(rows, table.schema, key, rows, tmp_path / "sorted", 9)) == [table.take([1, 0])]


@pytest.mark.parametrize("name", ["a?b", "a*b", "**", "a[bc]d", "[", "]", "a b's é\\", "key=x"])
def test_characters_of_patterns_in_a_path_are_only_characters(tmp_path, name):
    for other in ("axb", "abd", "other"):
        dataset(tmp_path / other, [["a", "a"]])
    rows = dataset(tmp_path / name, [["b", "a"], ["a"]])
    found = matches(rows, "key", [["a"]], tmp_path / f"{name}-found", ["number"])
    assert found.read().to_pydict() == {"number": [1, 2]}
    by_key = grouped(rows, SCHEMA, "key", rows, tmp_path / f"{name}-of", 9)
    assert by_key.read()["number"].to_pylist() == [1, 2, 0]


def test_only_the_parts_are_left_on_disk(tmp_path):
    rows = dataset(tmp_path / "rows", [["a"]])
    found = matches(rows, "key", [["a"], ["b"]], tmp_path / "found")
    assert sorted(map(str, (tmp_path / "found").iterdir())) == [part.path for part in found.parts]


@given(
    st.lists(st.lists(KEYS, max_size=8), max_size=4),
    st.integers(1, 9),
    st.sampled_from(["key", "number"]),
    ENGINES,
)
def test_groups_are_sorted_and_whole_and_end_a_full_part(held, rows, key, engine):
    with temporary_folder() as folder:
        tables = list(dataset(folder / "rows", held))
        like = replace(parts(folder / "like", SCHEMA), engine=engine)
        found = grouped(tables, SCHEMA, key, like, folder / "found", rows)
        slow, part = [], None
        every = pa.concat_tables([SCHEMA.empty_table(), *tables]).to_pylist()
        every.sort(key=lambda row: (row[key] is None, row[key] if row[key] is not None else ""))
        for row in every:
            if part is None or (len(part) >= rows and part[-1][key] != row[key]):
                slow.append(part := [])
            part.append(row)
        assert [table.to_pylist() for table in found] == slow
        assert sorted(map(str, (folder / "found").iterdir())) == [part.path for part in found.parts]


def test_a_group_of_many_batches_is_one_part(tmp_path):
    tables = list(dataset(tmp_path / "rows", [["b", "a"] * 3000, ["c", "a"] * 3000]))
    found = grouped(tables, SCHEMA, "key", parts(tmp_path / "like", SCHEMA), tmp_path / "found", 100)
    assert [(set(table["key"].to_pylist()), len(table)) for table in found] == [
        ({"a"}, 6000), ({"b"}, 3000), ({"c"}, 3000)
    ]  # fmt: skip
    for table in found:
        assert table["number"].to_pylist() == sorted(table["number"].to_pylist())


@pytest.mark.parametrize("join", [False, True])
def test_rows_that_spill_to_disk_are_those_in_memory(tmp_path, monkeypatch, join):
    count = 300_000  # DuckDB sorts at least 122,880 rows in memory
    keys = [f"{place * 7919 % (count // 2):060}" for place in range(count)]
    whole = pa.table({"key": keys, "number": range(count)})
    tables = (whole.slice(start, 30_000) for start in range(0, count, 30_000))
    rows = parts(tmp_path / "rows", whole.schema, *tables)
    spilled, write_table = [], pq.write_table

    def found(memory, threads):
        monkeypatch.setattr("silverloom.ops.core.database.MEMORY", memory)
        monkeypatch.setattr("silverloom.ops.core.database.THREADS", threads)
        folder = tmp_path / memory

        def write(*table, **options):
            spilled.append((memory, any((folder / "spilled").glob("*"))))
            write_table(*table, **options)

        monkeypatch.setattr("silverloom.ops.core.joins.pq.write_table", write)
        if join:
            return matches(rows, "key", [keys[start::20] for start in range(20)], folder)
        return grouped(rows, whole.schema, "key", rows, folder, 10_000)

    tight, ample = found("40MB", 1), found("2GB", 2)
    assert ("40MB", True) in spilled and ("2GB", True) not in spilled
    assert all(table.equals(other) for table, other in zip(tight, ample, strict=True))
    assert sum(part.rows for part in tight.parts) >= count


@pytest.mark.parametrize("join", [False, True])
def test_rows_in_buckets_on_disk_are_those_in_memory(tmp_path, monkeypatch, join):
    keys = [[None, *(str(number * 7 % 23) for number in range(start, start + 40))] for start in range(9)]
    rows, opened = dataset(tmp_path / "rows", keys), set()
    open_stream = pa.ipc.open_stream
    monkeypatch.setattr("pyarrow.ipc.open_stream", lambda file: opened.add(file) or open_stream(file))

    def found(size):
        monkeypatch.setattr("silverloom.ops.core.gathered.BUCKET", size)
        folder, wanted = tmp_path / str(size), [["3", "4"], [], ["4", "22", "3"], ["0"]]
        if join:
            return matches(rows, "key", wanted, folder)
        return grouped(rows, SCHEMA, "key", rows, folder, 25)

    ample = found(1 << 20)
    assert not opened
    tight = found(1000)
    assert len(opened) > 2
    assert [one.equals(other) for one, other in zip(tight, ample, strict=True)] == [True] * len(ample.parts)
    assert not list((tmp_path / "1000").glob("bucket-*"))


def test_columns_are_looked_up_row_by_row_also_by_what_an_earlier_lookup_gave(tmp_path):
    def rows(name, *tables):
        return parts(tmp_path / name, tables[0].schema, *tables)

    pairs = rows("pairs", pa.table({"id": ["x", "y"], "talk": ["b", "a"]}))
    talks = rows("talks", pa.table({"id": ["a"], "name": ["A"]}), pa.table({"id": ["b"], "name": ["B"]}))
    units = rows(
        "rows",
        pa.table({"pair": ["y", "x", "y"]}),
        pa.table({"pair": ["none", None]}, pa.schema([("pair", pa.string())])),
    )
    lookups = [Lookup("pair", pairs, "id", {"by": "talk"}), Lookup("by", talks, "id", {"talk": "name"})]
    first, second = looked_up(units, tmp_path / "found", lookups)
    assert first.to_pydict() == {"by": ["a", "b", "a"], "talk": ["A", "B", "A"]}
    assert second.to_pydict() == {"by": [None, None], "talk": [None, None]}


def test_tables_are_stored_unchanged(tmp_path):
    tables = list(dataset(tmp_path / "rows", [["a", None], [], ["b"]]))
    found = stored(tables, SCHEMA, parts(tmp_path / "other", SCHEMA), tmp_path / "stored")
    assert [one.equals(other) for one, other in zip(found, tables, strict=True)] == [True] * 3


def test_a_folder_for_a_step_is_removed_also_if_it_fails():
    with pytest.raises(ZeroDivisionError), OneProcess().scratch() as folder:
        (folder / "file").write_text("x")
        raise ZeroDivisionError
    assert not folder.exists()


@given(
    st.lists(st.lists(st.sampled_from("ab/"), max_size=8), max_size=6),
    st.sampled_from([None, ["number"], ["places", "key"]]),
    st.sampled_from([1, 3, 256]),
)
def test_rows_of_each_value_are_separate_and_in_order(held, columns, full):
    with temporary_folder() as folder, pytest.MonkeyPatch.context() as patched:
        patched.setattr("silverloom.ops.core.joins.ROWS_OF_PART", full)
        rows = dataset(folder / "rows", held)
        found = divided(rows, "key", folder / "divided", columns)
        assert found.keys() == {key for keys in held for key in keys}
        for key, own in found.items():
            assert own.read().equals(rows.read(columns, where=("key", [key])))
            assert all(part.rows < full + 8 for part in own.parts)
