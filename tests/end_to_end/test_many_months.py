"""What reads all months of a dataset needs no open file for each, and empty months of all are made together."""

import json
from pathlib import Path

import pytest

SCRIPT = str(Path(__file__).with_name("few_files.py"))
MONTHS = 102


@pytest.mark.long
def test_a_dataset_that_reads_a_hundred_months_is_made_where_a_process_may_open_64_files(fresh):
    fresh.params(lambda params: params["partitions"].update(start="2010-02"))
    fresh.silverloom("render")
    fresh.commit()
    ended = fresh.zygote.run(fresh.root, ["sources", "talksumm/matches", "talksumm/pairs"], path=SCRIPT)
    assert ended.status == 0, ended.output
    assert "Too many open files" not in ended.output and "the pages do not show" not in ended.output
    assert (fresh.root / "data/quality/pages/index.html").is_file()
    folder = fresh.root / ".silverloom/records/talksumm"
    for dataset in ("matches", "pairs"):
        runs = [json.loads(path.read_text())["run_id"] for path in (folder / dataset).glob("*.json")]
        assert len(runs) == MONTHS
        assert len(set(runs)) == 3, f"{dataset}: all but the two months with talks are made in one run"
