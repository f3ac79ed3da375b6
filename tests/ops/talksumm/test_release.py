"""Released rows name their papers and talks as the sources do."""

import pyarrow.parquet as pq
import pytest

from silverloom.ops.core.parts import FilesFolder
from silverloom.ops.core.release import ReleaseParams
from silverloom.ops.parse.schemas import PAPERS
from silverloom.ops.talksumm.release import released
from silverloom.ops.talksumm.schemas import PAIRS, TALK_EXAMPLES, TALKS, TRAINING_SETS
from tests.parts import dealt

ROW = {"licence": "CC0-1.0", "split": "train", "paper_id": "p", "pair_id": "both"}


@pytest.mark.parametrize("set_name", ["words_150", "talk_abstract"])
def test_rows_of_both_kinds_name_paper_and_talk(tmp_path, set_name):
    folder = tmp_path / "released"
    outcomes = released(
        dealt(tmp_path / "sets", TRAINING_SETS.kept, [{"id": "a", "set": "words_150", **ROW}]),
        dealt(
            tmp_path / "more",
            TALK_EXAMPLES.kept,
            [{"id": "b", "set": "talk_abstract", "talk_id": "t", **ROW}],
        ),
        dealt(tmp_path / "pairs", PAIRS.kept, [{"id": "both", "talk_id": "t", "paper_id": "p"}]),
        dealt(
            tmp_path / "talks",
            TALKS.kept,
            [{"id": "t", "document": "talk-9", "url": "https://example.org/9"}],
        ),
        dealt(tmp_path / "papers", PAPERS.kept, [{"id": "p", "document": "P18-1", "doi": "10.1000/1"}]),
        FilesFolder(folder),
        ReleaseParams(),
    )
    assert sum(outcome.kept.num_rows for outcome in outcomes) == 2
    (row,) = pq.read_table(folder / f"data/{set_name}/train-00000.parquet").to_pylist()
    told = {name: row[name] for name in ("paper", "doi", "talk", "url", "talk_id")}
    assert told == {
        "paper": "P18-1", "doi": "10.1000/1", "talk": "talk-9", "url": "https://example.org/9", "talk_id": "t"
    }  # fmt: skip
