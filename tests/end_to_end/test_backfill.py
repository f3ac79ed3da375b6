"""`make backfill`: one run for each partition, several at once; a failure stays alone; one dvc.lock."""

import json
import os
import re
import signal
from pathlib import Path

import pytest
import yaml

from silverloom.orchestration.files.publish import lock_file
from tests.end_to_end.backfilling import MONTHS, start
from tests.processes import alive, descendants
from tests.projects import datasets
from tests.waiting import until

PARTITIONED = [name for name, dataset in datasets().items() if dataset.partitioned]
RUNS = str(Path(__file__).with_name("runs.py"))


def runs(project) -> list[dict]:
    """The runs that Dagster knows: their tags, statuses and partitions."""
    home = {"DAGSTER_HOME": str(project.root / ".dagster")}
    ended = project.zygote.run(project.root, [], path=RUNS, env=home)
    assert ended.status == 0, ended.output
    return json.loads(ended.output.splitlines()[-1])


def statuses(project) -> list[tuple[str, str, str]]:
    """The asset, partition and status of each run that Dagster knows."""
    return [(run["asset"], run["month"], run["status"]) for run in runs(project)]


@pytest.mark.long
def test_two_jobs_make_the_same_as_one_run_with_a_run_for_each_partition(done, fresh):
    output = fresh.silverloom("backfill", *MONTHS, "--jobs", "2")
    assert len(first_made(output)) == len(PARTITIONED) * 2, output
    assert re.search(r"not partitioned, so not in the backfill: .*talksumm/training_sets.*`make run`", output)
    of_backfill = [run for run in runs(fresh) if run["tags"].get("silverloom/backfill") == "2018-06..2018-07"]
    assert (
        len({(run["asset"], run["month"]) for run in of_backfill}) == len(of_backfill) == len(PARTITIONED) * 2
    )
    assert {run["status"] for run in of_backfill} == {"SUCCESS"}
    assert {run["repository"] for run in of_backfill} == {
        "__repository__@silverloom.orchestration.definitions"
    }
    assert all(run["tags"]["silverloom/dataset"] == run["asset"] for run in of_backfill)
    groups = {re.sub("_(evaluation|filtered)$", "", run["job"]) for run in of_backfill}
    assert groups == {run["asset"].partition("/")[0] for run in of_backfill}
    of_all = [[run["tags"][f"silverloom/{name}"] for name in ("batch", "commit")] for run in of_backfill]
    assert all(tags == of_all[0] for tags in of_all)
    assert of_backfill[0]["tags"]["silverloom/command"].startswith("silverloom backfill --from 2018-06")
    fresh.run()
    assert yaml.safe_load(fresh.lock) == yaml.safe_load(done.lock), "the order is that of commits"
    assert fresh.data() == done.data()
    assert {part["status"] for part in fresh.dagster().values()} == {"FRESH"}


@pytest.mark.long
def test_one_month_also_makes_the_partitions_that_it_reads_of_other_months(fresh):
    only = ("--from", "2018-06", "--to", "2018-06", "--select", "talksumm/matches")
    output = fresh.silverloom("backfill", *only)
    assert "also made if possible, because the range needs them: sources/papers 2018-07" in output
    made = first_made(output)
    assert "sources/papers 2018-07" in made and "talksumm/matches 2018-07" not in made


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (("--from", "2018-07", "--to", "2018-06"), r"FROM \(2018-07\) is after TO \(2018-06\)"),
        ((*MONTHS, "--select", "to"), "nothing is called 'to' .*; known: "),
        *(pytest.param(*variant, marks=pytest.mark.long) for variant in [
        (("--from", "2018-06", "--to", "2018-09"), r"TO \(2018-09\) is outside .* 2018-06 to 2018-07.*partitions.end to 2018-09"),
        (("--from", "2017-01", "--to", "2018-06"), r"FROM \(2017-01\) is outside .*partitions.start to 2017-01"),
        (("--from", "June", "--to", "2018-06"), "FROM must be a month like 2018-06, found 'June'"),
        ((), "Missing option '--from'; see `silverloom backfill --help`"),
        ((*MONTHS, "--jobs", "none"), "Invalid value for '--jobs' / '-j'"),
        ]),
    ],
)  # fmt: skip
def test_a_dataset_that_cannot_be_backfilled_is_refused_with_the_cause(toy, argv, message):
    output = toy.silverloom("backfill", *argv, ok=False)
    assert re.search(message, output), output
    assert not (toy.root / "manifests").exists()


@pytest.mark.long
def test_a_killed_worker_fails_its_own_partition_only(fresh):
    lock = fresh.root / ".silverloom/locks/talksumm/alignments/2018-07.lock"
    lock.parent.mkdir(parents=True)
    with lock_file(lock):  # whoever makes this partition waits
        process = start(fresh, *MONTHS)
        lines = []
        for line in process.stdout:
            lines.append(line)
            if len(first_made("".join(lines))) == len(PARTITIONED) * 2 - 2:  # all but this one and its reader
                break
        until(lambda: ("talksumm/alignments", "2018-07", "STARTED") in statuses(fresh), programs=[process])
        for pid in workers(process):  # the others are idle
            os.kill(pid, signal.SIGKILL)
        output = "".join(lines) + process.communicate()[0]
    assert process.returncode == 1, output
    assert re.search(r"failed talksumm/alignments 2018-07: its worker process was ended by SIGKILL", output)
    assert "failed talksumm/summaries 2018-07: needs talksumm/alignments 2018-07, which failed" in output
    failed = [run for run in statuses(fresh) if run[2] != "SUCCESS"]
    assert failed == [("talksumm/alignments", "2018-07", "FAILURE")]
    assert (
        "failed    talksumm/alignments 2018-07: its worker process was ended by SIGKILL"
        in fresh.silverloom("health", ok=False)
    )
    assert fresh.made(fresh.silverloom("backfill", *MONTHS)) == [
        "talksumm/alignments 2018-07",
        "talksumm/summaries 2018-07",
    ]


@pytest.mark.long
def test_an_interrupt_ends_the_workers_and_keeps_finished_partitions(fresh):
    lock = fresh.root / ".silverloom/locks/talksumm/alignments/2018-06.lock"
    lock.parent.mkdir(parents=True)
    with lock_file(lock):
        process = start(fresh, *MONTHS)
        lines = []
        for line in process.stdout:
            lines.append(line)
            if line.startswith("talksumm/summaries 2018-07"):
                break
        started = descendants(process.pid)
        process.send_signal(signal.SIGINT)
        output = process.communicate()[0]
    assert process.returncode == 130, output
    assert "interrupted; finished work is kept" in output and "Traceback" not in output
    assert started
    until(lambda: not any(alive(pid) for pid in started))
    made = fresh.made(fresh.silverloom("backfill", *MONTHS))
    assert made == ["talksumm/alignments 2018-06", "talksumm/summaries 2018-06"]


def first_made(output: str) -> list[str]:
    """The partitions that a run made and that were missing, with rows or without."""
    return re.findall(r"^(\S+ 2018-\d\d): .*\(was missing\)$", output, re.MULTILINE)


def workers(process) -> list[int]:
    """The worker processes of a command: each leads a group of its own."""
    return [pid for pid in descendants(process.pid) if os.getpgid(pid) == pid]
