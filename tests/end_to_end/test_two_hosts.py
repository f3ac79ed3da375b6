"""The driver on one host, Ray's workers and Postgres on another, and a link between them that fails for a while."""

import contextlib
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from dotenv import set_key

from silverloom.orchestration.workspace.environment import QUIET, STRICT
from tests import postgres, two_hosts
from tests.end_to_end.corpus import write_paper
from tests.projects import differing
from tests.ray_cluster import PARSER, counted
from tests.waiting import until

pytest.importorskip("ray")

RAY = str(Path(sys.executable).with_name("ray"))
LITTLE = "--object-store-memory=120000000"
#: Fails unless this many hosts are in the cluster.
JOINED = """
import ray, sys
ray.init(address=sys.argv[1], log_to_driver=False)
sys.exit(sum(node["Alive"] for node in ray.nodes()) < int(sys.argv[2]))
"""
#: A cluster started by a command requires a token.
TOKEN = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32), "RAY_USAGE_STATS_ENABLED": "0"}
#: What Dagster's storage has for each partition, and how the runs ended.
TOLD = """
import json
from collections import Counter
from silverloom.orchestration.process import prepare
prepare()
from silverloom.orchestration.dagster.instance import instance
import dagster as dg
kind = dg.DagsterEventType.ASSET_MATERIALIZATION
found = Counter()
for key in instance().get_asset_keys():
    records = instance().fetch_materializations(key, limit=100).records
    found.update(f"{key.to_user_string()} {record.partition_key or ''}" for record in records)
print(json.dumps([found, sorted({run.status.value for run in instance().get_runs()})]))
"""


def begin(stack, host, *command, **options):
    """Start a program on a host; it ends with the stack."""
    program = subprocess.Popen([*host.enter, *command], **options)
    stack.callback(program.wait)
    stack.callback(program.terminate)
    return program


def on_host(host, root, *argv, **env):
    """Return the command that runs a Python program in a project on a host."""
    return {
        "args": [*host.enter, sys.executable, *argv],
        "cwd": root,
        "env": {**os.environ, **STRICT, **QUIET, **TOKEN, "PYTHONPATH": "", "SILVERLOOM_JOBS": "1", **env},
        "text": True,
    }


def start_ray(stack, hosts, root, log):
    """Start a cluster of both hosts and return its address; only `there` has a processor and cannot see the project."""
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="ray-"))
    what = {"env": {**os.environ, **TOKEN}, "stdout": log, "stderr": log}
    address = f"{hosts.here.address}:6379"
    head = [RAY, "start", "--head", "--block", "--num-cpus=0", LITTLE, "--include-dashboard=false"]
    head += [f"--node-ip-address={hosts.here.address}", "--port=6379", f"--temp-dir={folder}"]
    node = [RAY, "start", "--block", "--num-cpus=1", LITTLE, f"--address={address}"]
    node += [f"--node-ip-address={hosts.there.address}"]
    hidden = f'mount -t tmpfs none {root} && exec "$@"'
    for number, (host, command) in enumerate(
        ((hosts.here, head), (hosts.there, ["unshare", "--mount", "sh", "-c", hidden, "sh", *node])), 1
    ):
        ask = [*hosts.here.enter, sys.executable, "-c", JOINED, address, str(number)]
        started = [begin(stack, host, *command, **what)]

        def joined(host=host, command=command, ask=ask, started=started):
            if started[-1].poll() is not None:  # on a busy machine Ray gives up before it has started
                assert len(started) < 5, "see ray.log"
                started.append(begin(stack, host, *command, **what))
            return subprocess.run(ask, **what, check=False).returncode == 0

        until(joined)
    return address


@pytest.mark.long
def test_a_link_that_is_cut_for_ten_seconds_loses_nothing_and_makes_nothing_twice(fresh, tmp_path):
    if reason := postgres.absent():
        pytest.skip(reason)
    for letter in "bcdefgh":
        write_paper(fresh.root / "corpus", f"note-{letter}", "2018-06")
    fresh.params(lambda params: params["store"].update(records_per_part=1))
    unbroken = fresh.copy(tmp_path / "unbroken")
    unbroken.silverloom("run", "-s", "talksumm/pairs")
    computed = tmp_path / "computed"
    computed.touch()
    fresh.append(PARSER, counted(computed))
    with contextlib.ExitStack() as stack:
        hosts = stack.enter_context(two_hosts.two_hosts())
        server = stack.enter_context(postgres.serving(hosts.there.address, hosts.there.enter))
        address = start_ray(stack, hosts, fresh.root, stack.enter_context((tmp_path / "ray.log").open("wb")))
        for name in ("SILVERLOOM_DAGSTER_POSTGRES", "MLFLOW_TRACKING_URI"):
            set_key(fresh.root / ".env", name, server.database())
        env = {"SILVERLOOM_ENGINE": "ray", "SILVERLOOM_RAY_ADDRESS": address}
        here = partial(on_host, hosts.here, fresh.root)
        subprocess.run(**here("-m", "silverloom.orchestration.cli", "setup"), check=True)
        said = tmp_path / "driver.log"
        with said.open("w") as file:
            driver = subprocess.Popen(
                **here("-m", "silverloom.orchestration.cli", "run", "-s", "talksumm/pairs", **env),
                stdout=file,
                stderr=file,
            )
        stack.callback(driver.kill)
        parts = fresh.root / ".silverloom/parts/sources/papers/2018-06"
        manifest = fresh.root / "manifests/sources/papers/2018-06.json"
        for reached in (lambda: len(list(parts.rglob("*.zip"))) >= 3, manifest.exists):
            until(lambda reached=reached: reached() or driver.poll() is not None)
            assert driver.poll() is None, said.read_text()
            with hosts.cut():
                time.sleep(10)
        driver.wait()
        assert driver.returncode == 0, said.read_text()
        assert "Traceback" not in said.read_text()
        told = subprocess.run(**here("-c", TOLD), check=True, stdout=subprocess.PIPE)
    materialised, statuses = json.loads(told.stdout.splitlines()[-1])
    names = ["sources/papers", "sources/sentences", "sources/talks", "talksumm/matches", "talksumm/pairs"]
    assert differing(fresh, unbroken, names) == []
    assert statuses == ["SUCCESS"]
    assert materialised == {
        f"{name} {month}": 1
        for name in names
        for month in ("2018-06", "2018-07")
        if (fresh.root / "data" / name / month).exists()
    }
    assert set(Counter(computed.read_text().split()).values()) == {1}, "no paper was parsed twice"
