"""`silverloom run` on a Ray cluster of three nodes makes the same bytes as without it, and resumes after a kill."""

import contextlib

import psutil
import pytest

from tests.projects import differing
from tests.ray_cluster import three_nodes
from tests.waiting import until

pytest.importorskip("ray")


@pytest.fixture(scope="module")
def on_cluster():
    """The environment of a command that computes on a cluster."""
    with three_nodes() as cluster:
        yield {"SILVERLOOM_ENGINE": "ray", "SILVERLOOM_RAY_ADDRESS": cluster.address}


def test_an_unreachable_cluster_is_reported_in_one_line(fresh):
    env = {"SILVERLOOM_ENGINE": "ray", "SILVERLOOM_RAY_ADDRESS": "127.0.0.1:1"}
    output = fresh.silverloom("run", "-s", "sources/papers", ok=False, env=env)
    assert "no Ray cluster at '127.0.0.1:1': start one with `ray start --head`" in output


@pytest.mark.long
def test_a_cluster_that_the_command_starts_serves_all_its_processes_and_ends_with_it(fresh, done):
    fresh.params(lambda params: params.update(engine={"kind": "ray", "address": "local"}))
    fresh.silverloom("run", "-s", "sources/papers", "--jobs", "2")
    assert differing(fresh, done, ["sources/papers"]) == []
    until(lambda: not [one for one in psutil.process_iter(["cmdline"]) if of_ray_below(one, fresh.root)])


def of_ray_below(process, root):
    with contextlib.suppress(psutil.Error):
        return "raylet" in process.name() and process.cwd() == str(root)
    return False


@pytest.mark.long
def test_the_datasets_of_all_systems_are_the_same_bytes_on_a_cluster(sample_project, tmp_path, on_cluster):
    """Includes datasets that one task makes, such as trainings, and joins that are spread over tasks."""
    here, there = (sample_project.copy(tmp_path / name) for name in ("here", "there"))
    there.params(lambda params: params.update(engine={"join_bytes": 100_000}))
    selected = ("discofuse/fusion_model", "talksumm/summaries", "wikisum/ranked", "parasci/definitions")
    for name in selected:
        here.silverloom("run", "-s", name)
        there.silverloom("run", "-s", name, "--jobs", "2", env=on_cluster)
    made = sorted(
        f"{path.parent.name}/{path.name}"
        for path in (here.root / "data").glob("*/*")
        if path.is_dir() and path.parent.name not in ("sample", "quality", ".building")
    )
    assert {name.partition("/")[0] for name in made} >= {"discofuse", "talksumm", "wikisum", "parasci"}
    assert differing(here, there, made) == []
