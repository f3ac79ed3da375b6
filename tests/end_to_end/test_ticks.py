"""The automation condition of all datasets and the schedule, evaluated by Dagster; and the list of problems."""

import shutil

import pytest

from tests.end_to_end.ticks import broken, tick


@pytest.mark.long
def test_the_sensor_follows_a_changed_file_down_to_its_readers(done):
    assert tick(done, "source_files") == {"asked": [], "failed": {}}
    done.edit("corpus/papers/alpha.txt", "half as many errors", "a third as many errors")
    rounds = []
    while not rounds or rounds[-2:] != [[], []]:  # the report waits for an evaluation without a request
        found = tick(done, "source_files", "run")
        assert not found["failed"]
        rounds.append(found["asked"])
    assert rounds[0] == [f"sources/{name} 2018-06" for name in ("papers", "citations", "sentences")]
    asked = [name for names in rounds for name in names]
    assert len(asked) == len(set(asked)), "each once"
    assert "sources/talks 2018-06" not in asked and "sources/papers 2018-07" not in asked
    assert done.silverloom("plan").strip() == "everything is up to date"


@pytest.mark.long
def test_the_sensor_requests_a_failing_partition_once_and_nothing_when_params_change(done):
    tick(done, "source_files")
    done.params(lambda params: params["talksumm"]["hmm"].update(epsilon=0.3))
    assert tick(done, "source_files")["asked"] == []
    done.edit("corpus/papers/alpha.txt", "half as many errors", "a third as many errors")
    place = broken(done, "sources/papers", "2018-06")
    found = tick(done, "source_files", "run")
    changed = [f"sources/{name} 2018-06" for name in ("papers", "citations", "sentences")]
    assert found["asked"] == changed
    assert [*found["failed"]] == changed[:1] and "Is a directory" in str(found["failed"])
    assert tick(done, "source_files", "run")["asked"] == []
    health = done.silverloom("health", ok=False)
    assert "failed    sources/papers 2018-06: sources/papers 2018-06: Is a directory" in health
    assert "sources/sentences 2018-06: " in health, "its run failed before it"
    place.rmdir()
    done.edit("corpus/papers/alpha.txt", "a third as many errors", "a quarter of the errors")
    assert tick(done, "source_files", "run")["asked"] == changed


@pytest.mark.long
def test_the_schedule_requests_stale_datasets_of_the_newest_partition_and_their_readers(done):
    assert tick(done, "newest_partition") == {"asked": [], "failed": {}}
    done.append("ops/talksumm/align/emission.py", "HESITATION = HESITATION")
    (done.root / "manifests/sources/citations/2018-07.json").unlink()
    stale = ["sources/citations 2018-07", "talksumm/alignments 2018-07"]
    read_by_one = "talksumm/summaries 2018-07"
    asked = tick(done, "newest_partition")["asked"]
    assert set(asked) == {*stale, read_by_one}
    assert asked.index(stale[1]) < asked.index(read_by_one)
    assert tick(done, "newest_partition", "run")["failed"] == {}
    assert tick(done, "newest_partition")["asked"] == []
    left = [line.split()[:2] for line in done.silverloom("plan").splitlines()]
    assert ["talksumm/alignments", "2018-06"] in left, "other partitions are left alone"


def test_failed_stale_missing_and_excluded_partitions_are_listed_and_the_check_in_dagster_agrees(done_toy):
    assert done_toy.silverloom("health").strip() == "everything is fresh"
    found = tick(done_toy, "health")
    assert (
        found["asset"] == "quality/pages"
        and found["passed"]
        and found["description"] == "everything is fresh"
    )

    excluded = {"asset": "toy/questions", "partition": "2018-07", "reason": "no riddles yet"}
    done_toy.params(lambda params: params.update(exclude=[excluded]))
    output = done_toy.silverloom("health", ok=False)
    assert "excluded  toy/questions 2018-07: no riddles yet" in output
    assert "stale     toy/lengths: " in output
    found = tick(done_toy, "health")
    assert not found["passed"] and found["severity"] == "WARN"
    assert found["description"] == output.splitlines()[-1]

    done_toy.edit("corpus/riddles/june.txt", "A towel", "A sponge")
    broken(done_toy, "sources/riddles", "2018-06")
    assert "sources/riddles 2018-06: " in done_toy.run(ok=False)
    shutil.rmtree(done_toy.root / "data/sources/riddles/2018-07")
    (done_toy.root / "manifests/sources/riddles/2018-07.json").unlink()
    output = done_toy.silverloom("health", ok=False)
    found = tick(done_toy, "health")
    assert not found["passed"] and found["severity"] == "ERROR"
    assert found["description"] == output.splitlines()[-1]
    assert found["description"].startswith("1 failed, ") and ", 1 missing, " in found["description"]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in found["partitions"].splitlines()
    ]
    assert ["sources/riddles", "2018-06", "failed"] in [row[:3] for row in rows]
    assert ["sources/riddles", "2018-07", "missing", "never made"] in [row[:4] for row in rows]
