"""How a run of one partition ended, as the loop over partitions learns it."""

import errno
from uuid import uuid4

import dagster as dg
import pytest

from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.executors.base import NO_CLUSTER, ClusterLostError
from silverloom.orchestration.executors.parts import LocalEngine, engine
from silverloom.orchestration.files.full_disk import FULL, DiskFullError
from silverloom.orchestration.partition.materialise import Materialisation
from silverloom.orchestration.run import dagster_run
from silverloom.orchestration.state.freshness import Status, View

SUMMARIES = "sources/human_summaries"


def caused(error, cause):
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("raised", "lasting"),
    [
        (ClusterLostError(f"{NO_CLUSTER} any more: no node"), ClusterLostError),
        (OSError(errno.ENOSPC, "No space left on device"), DiskFullError),
        (caused(RuntimeError("not written"), OSError(errno.EDQUOT, "Disk quota exceeded")), DiskFullError),
        (ValueError("no space between the words, and no cluster of them"), type(None)),
        (ValueError("row 3: 'No space left on device' is no title"), type(None)),
        (ValueError("row 3: 'no space left on the device, database or disk is full'"), type(None)),
        (ValueError(f"row 3: 'ClusterLostError: {NO_CLUSTER}'"), type(None)),
    ],
)
def test_an_error_that_every_partition_would_meet_keeps_its_type(monkeypatch, raised, lasting):
    def failing(*_):
        raise raised

    monkeypatch.setattr(Materialisation, "make", failing)
    monkeypatch.setattr(View, "status", lambda *_: Status(None, ("missing",)))
    with dg.DagsterInstance.ephemeral() as instance:
        monkeypatch.setattr(dagster_run, "instance", lambda: instance)
        partition = workspace().datasets[SUMMARIES].made_partitions[0]
        ran, _ = dagster_run.make(SUMMARIES, partition, str(uuid4()), {}, 1, print)
    assert ran.error is not None and type(ran.lasting) is lasting
    if lasting is ClusterLostError:
        assert str(ran.lasting) == ran.error and ran.error.endswith(str(raised))
    if lasting is DiskFullError:
        assert ran.lasting.strerror == ran.error and FULL in ran.error
    if lasting is type(None):
        assert ran.error.endswith(str(raised))


def test_the_processes_of_a_partition_reach_its_engine(monkeypatch):
    engines = []

    def failing(*_):
        engines.append(engine())
        raise ValueError("nothing to make")

    monkeypatch.delenv("SILVERLOOM_WORKERS", raising=False)
    monkeypatch.setattr(Materialisation, "make", failing)
    monkeypatch.setattr(View, "status", lambda *_: Status(None, ("missing",)))
    with dg.DagsterInstance.ephemeral() as instance:
        monkeypatch.setattr(dagster_run, "instance", lambda: instance)
        partition = workspace().datasets[SUMMARIES].made_partitions[0]
        for processes in (3, 1):
            dagster_run.make(SUMMARIES, partition, str(uuid4()), {}, processes, print)
    assert engines == [LocalEngine(3, is_thrifty=True), LocalEngine(1, is_thrifty=True)]


def test_a_cluster_that_is_lost_before_the_run_begins_keeps_its_type(monkeypatch):
    def failing(*_):
        raise ClusterLostError(NO_CLUSTER)

    monkeypatch.setattr(dagster_run, "materialise", failing)
    ran, _ = dagster_run.make(SUMMARIES, "", str(uuid4()), {}, 1, print)
    assert type(ran.lasting) is ClusterLostError and ran.error == NO_CLUSTER
