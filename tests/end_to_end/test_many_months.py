"""Reading all months of a dataset does not keep a file open for each, and all empty months are made together."""

import json
from pathlib import Path

import pytest

SCRIPT = str(Path(__file__).with_name("few_files.py"))
MONTHS = 102


@pytest.mark.long
def test_a_dataset_that_reads_a_hundred_months_is_made_by_processes_that_may_open_256_files(fresh):
    fresh.params(lambda params: params["partitions"].update(start="2010-02"))
    fresh.silverloom("render")
    fresh.commit()
    ended = fresh.zygote.run(fresh.root, ["sources", "talksumm/matches", "talksumm/pairs"], path=SCRIPT)
    assert ended.status == 0, ended.output
    assert "Too many open files" not in ended.output
    for dataset in ("matches", "pairs"):
        histories = (fresh.root / f".silverloom/history/talksumm/{dataset}").iterdir()
        lines = [line for path in histories for line in path.read_text().splitlines()]
        runs = [json.loads(line.partition(" ")[2])["run_id"] for line in lines]
        assert len(runs) == MONTHS
        assert len(set(runs)) == 3, f"{dataset}: the months without talks are made in one run"
