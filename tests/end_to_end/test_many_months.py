"""Reading all months of a dataset does not keep a file open for each, and all empty months are made together."""

from pathlib import Path

import dagster as dg
import pytest

from tests.end_to_end.stores import dagster_of

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
    with dagster_of(fresh) as instance:
        for dataset in ("matches", "pairs"):
            key = dg.AssetKey(["talksumm", dataset])
            records = instance.fetch_materializations(key, limit=2 * MONTHS).records
            assert len({record.partition_key for record in records}) == MONTHS
            runs = {record.run_id for record in records}
            assert len(runs) == 3, f"{dataset}: the months without talks are made in one run"
