"""Rows are looked up by id: memory has those that were asked for, not all."""

import gc
from types import SimpleNamespace

import pyarrow as pa
import pytest

from silverloom.assets.rows.ancestry import Ancestry, opened
from silverloom.ops.core.database import database
from tests.rows_corpus import JUNE, row, together, write

SENTENCES = "sources/sentences"


def sentences(folder, number):
    """Sentences of one paper, and a pair that was made from all of them."""
    kept = [row(f"sentence-{at}", "paper") for at in range(number)]
    return together(
        write(folder, SENTENCES, JUNE, kept, [(row("sentence-0", "paper", "note"), "short", 1.0)]),
        write(
            folder,
            "talksumm/pairs",
            JUNE,
            [
                row("pair", *(f"sentence-{at}" for at in range(number)), "pair"),
                row("sentence-1", "sentence-1"),
            ],
        ),
    )


def test_memory_does_not_grow_with_rows_that_are_not_looked_up(tmp_path):
    def held(number):
        everything = sentences(tmp_path / str(number), number)
        gc.collect()
        before = pa.total_allocated_bytes()
        with opened(everything, most=5) as ancestry:
            lineage = ancestry.lineage("paper")
            assert len(lineage.used_by) == 5 and lineage.totals == (0, number)
            gc.collect()
            return pa.total_allocated_bytes() - before

    assert held(20_000) == held(10_000)


def test_the_database_is_in_the_folder_for_temporary_files(tmp_path):
    everything, scratch = sentences(tmp_path / "data", 3), tmp_path / "scratch"
    everything.scratch = scratch
    scratch.mkdir()
    with opened(everything):
        assert any(scratch.iterdir())
    assert not any(scratch.iterdir())


def test_lists_are_cut_and_totals_are_not(tmp_path):
    everything = sentences(tmp_path, 30)
    with opened(everything, most=5) as ancestry, opened(everything) as whole:
        ancestry.look_up(["pair", "sentence-1", "nowhere"])
        pair, sentence, nowhere = map(ancestry.lineage, ["pair", "sentence-1", "nowhere"])
        assert pair.made_of == [f"sentence-{at}" for at in range(5)] and pair.totals == (30, 0)
        assert len(whole.lineage("pair").made_of) == 30
        # its own row in another dataset is not its source
        assert sentence.made_of == ["paper"] and sentence.totals == (1, 1)
        assert [place.id for place in sentence.used_by] == ["pair"]
        assert not nowhere.places and nowhere.totals == (0, 0)


def test_a_total_counts_the_sources_of_all_rows_with_an_id(tmp_path):
    many = row("both", *(f"source-{at}" for at in range(9)))
    everything = together(
        write(tmp_path, SENTENCES, JUNE, [many]),
        write(tmp_path, "talksumm/pairs", JUNE, [row("both", "another")]),
    )
    with opened(everything, most=5) as ancestry:
        assert ancestry.lineage("both").totals == (10, 0)


def test_many_ids_are_looked_up_in_as_many_scans_as_one(tmp_path):
    everything, queries = sentences(tmp_path, 30), []

    def execute(query, *given):
        queries.append(query)
        return tables.execute(query, *given)

    with database(tmp_path / "database") as tables:
        noted = SimpleNamespace(execute=execute, register=tables.register, unregister=tables.unregister)
        ancestry = Ancestry(everything, noted, 5)
        queries.clear()
        ancestry.look_up(["sentence-1"])
        of_one = len(queries)
        ancestry.look_up(f"sentence-{at}" for at in range(2, 30))
        assert len(queries) == 2 * of_one
        assert ancestry.lineage("sentence-7").places and len(queries) == 2 * of_one


@pytest.mark.parametrize("name", ["a?b", "a[bc]d", "id=pair"])
def test_rows_are_found_in_a_folder_named_like_a_pattern(tmp_path, name):
    for folder in ("axb", "abd", name):
        everything = sentences(tmp_path / folder, 3)
    with opened(everything) as ancestry:
        ancestry.look_up(["pair"])
        assert ancestry.lineage("pair").made_of == ["sentence-0", "sentence-1", "sentence-2"]
