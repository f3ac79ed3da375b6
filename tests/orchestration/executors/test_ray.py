"""Parts are computed on a cluster that shares no files with the driver; the outcomes equal those of this process."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from safetensors.torch import save

from silverloom.assets.declare.declaration import Dataset, Key
from silverloom.ops.core.joins import grouped, matches
from silverloom.ops.core.parts import Artifact, OneProcess, Part, Parts
from silverloom.ops.models.training import train
from silverloom.orchestration.executors import node
from silverloom.orchestration.executors.base import (
    Resources,
    WorkerDiedError,
    WorkerDiffersError,
    WorkerNotStartedError,
)
from silverloom.orchestration.executors.parts import LocalEngine, engine
from silverloom.orchestration.partition.one_task import made_by_one_task
from silverloom.orchestration.partition.resume import ResumableEngine, StoredCheckpoints
from silverloom.orchestration.workspace.workspace import Workspace
from tests.ops.models.training.toy_task import PARAMS, Toy
from tests.orchestration.executors.pieces import numbered, sizes, sleeps_after_two
from tests.ray_cluster import add_node, three_nodes
from tests.waiting import until

ray = pytest.importorskip("ray")

from silverloom.orchestration.executors.cluster import connect  # noqa: E402
from silverloom.orchestration.executors.ray import RayExecutor  # noqa: E402

#: On a busy machine, Ray takes nodes for dead.
pytestmark = pytest.mark.long

HERE = Workspace.here()


@pytest.fixture(scope="module")
def cluster():
    """Three nodes, to which this process is connected."""
    with three_nodes() as cluster:
        connect(cluster.address, 300.0)
        yield cluster
        ray.shutdown()


@pytest.fixture
def ray_engine(cluster, monkeypatch):
    monkeypatch.setenv("SILVERLOOM_ENGINE", "ray")
    monkeypatch.setenv("SILVERLOOM_RAY_ADDRESS", cluster.address)
    return engine()


@pytest.fixture
def begin(cluster):
    """Starts executors, and closes all of them at the end."""
    with contextlib.ExitStack() as stack:

        def begin(packages=None, **what):
            expected = node.Expected({} if packages is None else packages, {})
            return stack.enter_context(contextlib.closing(RayExecutor(expected, **what)))

        yield begin


def log(place, text=""):
    with (place / "log").open("a") as file:
        file.write(f"{text or os.getpid()}\n")


def logged(place):
    return (place / "log").read_text().split() if (place / "log").exists() else []


def test_outcomes_keep_their_order_and_equal_those_of_this_process(ray_engine):
    here, there = (list(found.map(numbered, range(9), 3)) for found in (LocalEngine(), ray_engine))
    assert there == here and sizes(there) == [piece * 3 for piece in range(9)]


def names_files(piece, parts, artifact):
    texts = {name: content.decode() for name, content in artifact.files().items()}
    rows = [row for part in (piece, *parts) for row in part.read()["x"].to_pylist()]
    return [piece.path, *(part.path for part in parts), str(artifact.folder)], rows, texts


def test_files_are_copies_on_the_nodes_and_are_deleted_at_the_end(ray_engine, tmp_path):
    paths = [tmp_path / f"kept-{number}.parquet" for number in range(3)]
    for number, path in enumerate(paths):
        pq.write_table(pa.table({"x": [number]}), path)
    parts = tuple(Part(str(path)) for path in paths)
    (tmp_path / "model").mkdir()
    (tmp_path / "model/weights").write_text("abc")
    artifact = Artifact(Parts(pa.schema([]), (), OneProcess()), tmp_path / "model")
    found = list(ray_engine.map(names_files, parts, parts, artifact))
    assert [rows for _, rows, _ in found] == [[number, 0, 1, 2] for number in range(3)]
    assert all(texts == {"weights": "abc"} for _, _, texts in found)
    named = {path for places, _, _ in found for path in places}
    base = f"{tempfile.gettempdir()}/silverloom-{os.getuid()}/"
    assert all(path.startswith(base) and not Path(path).exists() for path in named)


def where_code_lies(piece):
    import silverloom.orchestration

    return silverloom.orchestration.__file__, os.environ["OPENBLAS_CORETYPE"], str(Path.cwd())


def test_nodes_run_the_drivers_code_with_pinned_kernels_and_without_data(ray_engine):
    ((path, kernel, folder),) = set(ray_engine.map(where_code_lies, range(4)))
    root = Path(path).parents[2]
    assert root != HERE.root and Path(folder) == root and kernel == "Nehalem"
    assert sorted(item.name for item in root.iterdir()) == ["params.yaml", "silverloom"]


def fails_at(piece, last, place):
    log(place, str(piece))
    if piece == last:
        raise ValueError(f"paper-{piece}: no such page")
    return numbered(piece, 1)


def test_an_error_of_an_op_is_raised_unchanged_and_not_retried(ray_engine, tmp_path):
    with pytest.raises(ValueError, match="paper-2: no such page"):
        list(ray_engine.map(fails_at, range(8), 2, tmp_path))
    assert logged(tmp_path).count("2") == 1


def leaves(piece, place):
    log(place, "begun")
    sys.exit(1)


def test_a_task_that_calls_exit_is_not_taken_for_lost(begin, tmp_path):
    with pytest.raises(RuntimeError, match=r"^it called sys\.exit\(1\)$"):
        begin(retries=1).submit(leaves, 5, tmp_path).result()
    assert logged(tmp_path) == ["begun"]


def dies_until(piece, times, place):
    log(place, "begun")
    if logged(place).count("begun") <= times:
        os.kill(os.getpid(), signal.SIGKILL)
    return numbered(piece, 1)


def test_a_lost_task_is_restarted_a_limited_number_of_times(begin, tmp_path):
    executor = begin(retries=1)
    (tmp_path / "once").mkdir()
    assert sizes([executor.submit(dies_until, 5, 1, tmp_path / "once").result()]) == [5]
    with pytest.raises(WorkerDiedError, match="its worker died: "):
        executor.submit(dies_until, 5, 2, tmp_path).result()


OVER_MEMORY = """
import ray
from silverloom.orchestration.executors import cluster as clusters, node
from silverloom.orchestration.executors.ray import RayExecutor
from tests.orchestration.executors.pieces import takes_memory
from tests.ray_cluster import three_nodes
with three_nodes() as cluster:
    clusters.connect(cluster.address, 300.0, 1)
    executor = RayExecutor(node.Expected({}, {}), retries=1)
    print(executor.submit(takes_memory).exception())
    ray.shutdown()
"""


def test_a_task_over_its_memory_is_not_restarted_for_ever():
    limits = {"RAY_memory_usage_threshold": "0.02", "RAY_memory_monitor_refresh_ms": "100"}
    ended = subprocess.run(
        [sys.executable, "-c", OVER_MEMORY],
        cwd=HERE.root,
        env={**os.environ, **limits},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "its worker died: out of memory, see engine.resources" in ended.stdout


def test_a_worker_with_another_package_is_refused_by_name(ray_engine, monkeypatch):
    monkeypatch.setattr(
        "silverloom.orchestration.executors.parts.lock_file", lambda: {"pyarrow": ("pyarrow", "1.0")}
    )
    with pytest.raises(WorkerDiffersError, match=r"pyarrow is \d.*, but requirements.lock has 1.0"):
        list(ray_engine.map(numbered, range(4), 1))


def test_resources_that_no_node_has_are_refused_at_once(begin):
    with pytest.raises(WorkerNotStartedError, match="no machine in the cluster has 1 processors, 8 GPUs"):
        begin(resources=Resources(1, 8))


def test_a_task_reports_its_progress(begin):
    told, executor = [], begin()
    tell = executor.channel(told.append)
    executor.submit(tells, tell, "half").result()
    until(lambda: told == ["half"])


def tells(tell, event):
    tell(event)


def loads(piece, place):
    return loaded(str(place))


_loaded: dict[str, int] = {}


def loaded(place):
    if place not in _loaded:
        log(Path(place))
        _loaded[place] = os.getpid()
    return _loaded[place]


def test_a_model_is_loaded_once_a_worker_for_any_number_of_maps(ray_engine, tmp_path):
    workers = {pid for _ in range(3) for pid in ray_engine.map(loads, range(8), tmp_path)}
    assert len(logged(tmp_path)) == len(workers) <= 3


def test_a_map_that_is_left_midway_ends_its_tasks(ray_engine, tmp_path):
    outcomes = ray_engine.map(sleeps_after_two, range(8), tmp_path)
    next(outcomes)
    until(lambda: any(tmp_path.iterdir()))
    outcomes.close()
    until(lambda: not busy_workers())


def busy_workers():
    """The processes that run a task; Ray gives them the task's name."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            found += [process.pid] if process.cmdline()[:1] == ["ray::run"] else []
    return found


def resumable(place, ray_engine):
    return ResumableEngine(HERE, ray_engine, "toy", place / "parts")


def fails_first(piece, place):
    log(place, str(piece))
    if piece == 0 and logged(place).count("0") == 1:
        until(lambda: len([*place.rglob("*.zip")]) == 3)
        raise ValueError("paper-0 is torn")
    return numbered(piece, 1)


def test_outcomes_ahead_of_their_turn_are_stored_by_the_driver_and_not_computed_again(ray_engine, tmp_path):
    with pytest.raises(ValueError, match="paper-0 is torn"):
        list(resumable(tmp_path, ray_engine).map(fails_first, range(4), tmp_path))
    stored = sorted(path.stem for path in tmp_path.rglob("*.zip"))
    assert stored == ["00001", "00002", "00003"]
    assert sizes(resumable(tmp_path, ray_engine).map(fails_first, range(4), tmp_path)) == [0, 1, 2, 3]
    assert logged(tmp_path)[4:] == ["0"]


def waits(piece, place):
    log(place, str(piece))
    time.sleep(1.0)
    return numbered(piece, 1)


def trains(processes):
    task = Toy()
    ended = train(task, PARAMS.model_copy(update={"processes": processes}))
    return save(dict(task.module.state_dict())), ended


def test_a_task_of_a_cluster_trains_in_two_processes_to_the_same_bits(begin):
    # before a node is killed: these nodes share a folder, from which it takes the code that torch's import needs
    assert begin().submit(trains, 2).result() == trains(1)


def test_killing_a_node_midway_loses_nothing(cluster, ray_engine, tmp_path):
    further = add_node(cluster)
    until(lambda: len([machine for machine in ray.nodes() if machine["Alive"]]) == 4)
    outcomes = resumable(tmp_path, ray_engine).map(waits, range(12), tmp_path)
    found = [next(outcomes)]
    cluster.remove_node(further, allow_graceful=False)
    assert sizes([*found, *outcomes]) == list(range(12))
    assert len(logged(tmp_path)) <= 14  # what ran there, and what was queued for it


def keyed(place, parts):
    """Parts of 100 rows each, a key for two of them, and rows without a key."""
    place.mkdir()
    schema = pa.schema([("key", pa.string()), ("number", pa.int64())])
    paths = [place / f"kept-{part:05d}.parquet" for part in range(parts)]
    for part, path in enumerate(paths):
        numbers = range(part * 100, part * 100 + 100)
        keys = [f"k{number * 7 % 150}" if number % 10 else None for number in numbers]
        pq.write_table(pa.table([keys, list(numbers)], schema), path)
    return Parts(schema, tuple(Part(str(path)) for path in paths), OneProcess())


def test_joins_and_groups_equal_those_of_one_process(ray_engine, tmp_path):
    params = ray_engine.params.model_copy(update={"join_bytes": 1500})
    here = keyed(tmp_path / "rows", 6)
    there = replace(here, engine=replace(ray_engine, params=params))
    assert there.engine.exchange.places(sum(Path(part.path).stat().st_size for part in here.parts)) > 2
    wanted = [["k1", "k2", None], [], [f"k{number}" for number in range(60)], ["k2"]]
    found = [
        matches(rows, "key", wanted, tmp_path / f"{number}") for number, rows in enumerate([here, there])
    ]
    assert [table.equals(other) for table, other in zip(*found, strict=True)] == [True] * 4
    assert found[1].read().num_rows > 100
    for key in ("key", "number"):
        groups = [
            grouped(here, here.schema, key, rows, tmp_path / f"{key} {number}", 90)
            for number, rows in enumerate([here, there])
        ]
        assert [table.to_pylist() for table in groups[0]] == [table.to_pylist() for table in groups[1]]


def test_a_join_goes_on_if_its_worker_dies(ray_engine, tmp_path):
    stages = (counts_and_dies_once, adds)
    assert list(ray_engine.exchange.run([1, 2, 3, 4], stages, 2, tmp_path)) == [b"1234", b"1234"]
    assert logged(tmp_path).count("begun") >= 3


def counts_and_dies_once(place, places, given, folder):
    log(folder, "begun")
    if logged(folder).count("begun") == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return ["".join(map(str, given)).encode()] * places


def adds(place, places, given, *shared):
    return b"".join(given)


def learns(rows, checkpoints, folder):
    """Two steps, each with a checkpoint; the worker dies after the first."""
    place = checkpoints.at("model")
    step = int(place.read()["step"]) if place.read() else 0
    log(folder, f"begins-at-{step}")
    for after in range(step + 1, 3):
        print(f"step {after}", file=sys.stderr, flush=True)
        place.write({"step": str(after).encode()})
        if after == 1:
            time.sleep(2.0)  # the reported checkpoint is stored
            os.kill(os.getpid(), signal.SIGKILL)
    yield numbered(rows.read().num_rows, 1)
    yield numbered(7, 1)


def test_a_dataset_of_one_task_resumes_from_its_last_checkpoint(ray_engine, tmp_path, capsys):
    declared = Dataset(
        Key("toy", "model"), learns, None, None, False, (), None, {}, checkpoints="checkpoints", one_task=True
    )
    checkpoints = StoredCheckpoints(tmp_path / "stored")
    arguments = {"rows": keyed(tmp_path / "rows", 2), "checkpoints": checkpoints, "folder": tmp_path}
    assert sizes(made_by_one_task(ray_engine, declared, arguments)) == [200, 7]
    assert logged(tmp_path) == ["begins-at-0", "begins-at-1"]
    assert checkpoints.at("model").read() == {"step": b"2"}
    assert [line for line in capsys.readouterr().err.splitlines() if "step" in line] == ["step 1", "step 2"]
