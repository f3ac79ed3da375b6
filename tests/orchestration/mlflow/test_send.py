"""Waiting runs are sent to MLflow, to a file or over HTTP: each exactly once."""

import contextlib
import http.server
import math
import os
import socket
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import pytest
import yaml
from mlflow import MlflowClient
from mlflow.artifacts import download_artifacts
from mlflow.pyfunc import load_model

from ops.models.seq2seq.config import CopyNetConfig
from ops.models.seq2seq.files import KIND, make, save
from ops.models.seq2seq.pieces import Pieces
from orchestration.mlflow.send import TAG, send
from orchestration.mlflow.tracking import TrackedDataset, TrackedModel, TrackedRun, WaitingRun, put, waiting
from orchestration.state.addresses import Addresses
from orchestration.workspace.workspace import Workspace
from tests.faults.damage import DAMAGES, damage
from tests.waiting import ended, until

ROOT = Path(__file__).resolve().parents[3]
DIGEST = "d41d8cd98f00b204e9800998ecf8427e.dir"
RUN = TrackedRun(
    name="2018-06",
    status="FINISHED",
    start=1_000,
    end=3_000,
    params={"section.lambda": "0.75", 'odd "name"': "1", "long": "x" * 9_000},
    metrics={"kept": 3.0, "drop share": 0.25, "odd": math.nan, "endless": math.inf},
    tags={"partition": "2018-06", "mlflow.source.type": "LOCAL", "long": "y" * 9_000},
    datasets=[
        TrackedDataset("sources/talks 2018-06", DIGEST, "input", '{"uri": "data/x"}'),
        TrackedDataset("talksumm/pairs 2018-06", DIGEST, "output", '{"uri": "data/y"}', '{"num_rows": 3}'),
    ],
)


def entry(name="2018-06", children=(), **changes) -> WaitingRun:
    run = TrackedRun(**{**vars(RUN), "name": name, "children": children, **changes})
    return WaitingRun("talksumm/pairs", run, {"mlflow.note.content": "what"})


def child(number) -> TrackedRun:
    return TrackedRun(
        f"gamma={number}",
        "FINISHED",
        1,
        2,
        {"gamma": str(number)},
        curve=[("loss", 0, 2.0), ("loss", 1, 1.0)],
    )


def runs(workspace) -> list:
    client = MlflowClient(workspace.tracking_uri)
    experiment = client.get_experiment_by_name("talksumm/pairs")
    return client.search_runs([experiment.experiment_id], max_results=1000) if experiment else []


def names(workspace) -> list[str]:
    return sorted(run.info.run_name for run in runs(workspace))


@pytest.fixture(scope="module")
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_the_login_of_an_unreachable_server_is_not_printed(tmp_path, monkeypatch, port):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"http://me:s3cret@127.0.0.1:{port + 1}")
    put(Workspace(tmp_path), WaitingRun("talksumm/pairs", TrackedRun("2018-06", "FINISHED", 1, 2)))
    said = send(Workspace(tmp_path))
    assert f"127.0.0.1:{port + 1}" in said and "s3cret" not in said


class Server:
    """A plain `mlflow server`."""

    def __init__(self, folder: Path, port: int):
        self.folder, self.address = folder, f"http://127.0.0.1:{port}"
        self.process = None

    def start(self):
        command = [Path(sys.executable).with_name("mlflow"), "server", "--workers", "1"]
        places = ["--backend-store-uri", "sqlite:///mlflow.db", "--artifacts-destination", "artifacts"]
        environment = {**os.environ, "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
        self.process = subprocess.Popen(
            [*command, *places, "--port", self.address.rpartition(":")[2]], cwd=self.folder, env=environment
        )
        until(self._answers, programs=[self.process])

    def _answers(self):
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{self.address}/health", timeout=60):
            return True

    def stop(self):
        self.process.terminate()
        ended(self.process)


@pytest.fixture(scope="module")
def server(tmp_path_factory, port):
    server = Server(tmp_path_factory.mktemp("server"), port)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def experiment_of_its_own(server):
    yield
    client = MlflowClient(server.address)
    if found := client.get_experiment_by_name("talksumm/pairs"):
        client.rename_experiment(found.experiment_id, f"former {found.experiment_id}")


@pytest.fixture(params=["store", "server"])
def place(request, tmp_path, monkeypatch) -> Workspace:
    """A workspace whose runs go into a store of its own, to an MLflow server, or into Postgres."""
    if request.param == "postgres":
        monkeypatch.setenv("MLFLOW_TRACKING_URI", request.getfixturevalue("postgres").database())
    if request.param == "server":
        request.getfixturevalue("experiment_of_its_own")
        monkeypatch.setenv("MLFLOW_TRACKING_URI", request.getfixturevalue("server").address)
    return Workspace(tmp_path)


@pytest.fixture
def remote(server, experiment_of_its_own, tmp_path, monkeypatch) -> Workspace:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", server.address)
    return Workspace(tmp_path)


@pytest.mark.parametrize(
    "place", ["store", "server", pytest.param("postgres", marks=pytest.mark.long)], indirect=True
)
def test_a_run_arrives_in_mlflow_as_it_was_put_into_the_outbox(place):
    put(place, entry(children=[child(1), child(2)]))
    assert send(place) == "" and not waiting(place)
    client = MlflowClient(place.tracking_uri)
    assert client.get_experiment_by_name("talksumm/pairs").tags["mlflow.note.content"] == "what"
    by_name = {run.info.run_name: run for run in runs(place)}
    run = by_name["2018-06"]
    assert (run.info.status, run.info.start_time, run.info.end_time) == ("FINISHED", 1_000, 3_000)
    assert run.data.params == {"section.lambda": "0.75", "odd _name_": "1", "long": "x" * 6_000}
    odd = run.data.metrics.pop("odd")
    assert math.isnan(odd) and run.data.metrics.pop("endless") > 1e308
    assert run.data.metrics == {"kept": 3.0, "drop share": 0.25}
    assert run.data.tags["partition"] == "2018-06" and set(run.data.tags["long"]) == {"y"}
    found = {dataset.tags[0].value: dataset.dataset for dataset in run.inputs.dataset_inputs}
    assert {dataset.name for dataset in found.values()} == {"sources/talks 2018-06", "talksumm/pairs 2018-06"}
    assert found["output"].digest == DIGEST and found["output"].profile == '{"num_rows": 3}'
    for number in (1, 2):
        nested = by_name[f"gamma={number}"]
        assert nested.data.tags["mlflow.parentRunId"] == run.info.run_id
        history = client.get_metric_history(nested.info.run_id, "loss")
        assert [(point.step, point.value) for point in history] == [(0, 2.0), (1, 1.0)]


def test_a_model_is_an_artifact_that_loads_with_the_code_of_its_time(place, tmp_path):
    model = make(
        CopyNetConfig(pieces="words", vocabulary=260, longest=12, growth=1, beam=2, hidden=4),
        Pieces.learn(["Ann sings ."], "words", 260),
    )
    folder = tmp_path / "data/group/models/best"
    folder.mkdir(parents=True)
    for name, content in save(model).items():
        (folder / name).write_bytes(content)
    trained = TrackedRun(
        "best", "FINISHED", 1, 2, model=TrackedModel(KIND.module, "data/group/models/best", {})
    )
    put(place, entry(children=[trained]))
    for path in folder.iterdir():
        path.unlink()  # another version is there now
    assert send(place) == ""
    (run_id,) = (run.info.run_id for run in runs(place) if run.info.run_name == "best")
    if place.models_here:
        found = place.state / "mlflow" / "talksumm/pairs" / run_id / "artifacts" / "model"
    if place.tracked_here:
        assert os.fsencode(tmp_path) not in place.mlflow_store.read_bytes()
    if not place.models_here:
        found = Path(
            download_artifacts(
                run_id=run_id, artifact_path="model", tracking_uri=place.tracking_uri, dst_path=tmp_path / "x"
            )
        )
    assert load_model(str(found)).metadata.signature.inputs.input_names() == ["source"]
    assert (found / "code/ops/models/trained.py").exists()


def test_a_partly_sent_run_is_completed_and_duplicates_are_deleted(place):
    """A server may be killed after any request, or answer too late."""
    path = put(place, entry(children=[child(1), child(2)]))
    content = path.read_bytes()
    assert send(place) == ""
    client, (first, *_) = MlflowClient(place.tracking_uri), runs(place)
    experiment, tags = first.info.experiment_id, first.data.tags
    client.create_run(experiment, tags={TAG: tags[TAG]}, run_name=first.info.run_name)
    client.delete_run(next(run.info.run_id for run in runs(place) if run.info.run_name == "gamma=2"))
    path.write_bytes(content)
    assert send(place) == ""
    assert names(place) == ["2018-06", "gamma=1", "gamma=2"]
    assert {run.info.status for run in runs(place)} == {"FINISHED"}


def test_a_duplicate_that_a_slow_server_makes_much_later_is_deleted_with_the_next_run(place):
    put(place, entry(children=[child(1)]))
    send(place)
    client = MlflowClient(place.tracking_uri)
    for run in runs(place):
        tags = {TAG: run.data.tags[TAG]}
        client.create_run(run.info.experiment_id, tags=tags, run_name=run.info.run_name)
    client.create_run(runs(place)[0].info.experiment_id, tags={TAG: "1-a"}, run_name="other")
    put(place, entry("2018-07"))
    assert send(place) == ""
    assert names(place) == ["2018-06", "2018-07", "gamma=1", "other"]


@pytest.mark.long
def test_a_server_that_is_down_loses_nothing(server, remote):
    server.stop()
    put(remote, entry())
    try:
        line = send(remote)
    finally:
        server.start()
    assert line.startswith("1 run is waiting for MLflow in .silverloom/outbox: ") and "refused" in line
    put(remote, entry("2018-07"))
    assert send(remote) == "" and names(remote) == ["2018-06", "2018-07"]


def test_runs_of_an_experiment_for_a_server_wait_in_the_main_checkout(tmp_path, monkeypatch):
    """The folder of `dvc exp run --temp`, or of the queue, is deleted with the experiment."""
    stays, ends = Workspace(tmp_path), Workspace(tmp_path / ".dvc/tmp/exps/standalone/tmp1")
    put(ends, entry())
    assert len(waiting(ends)) == 1 and waiting(stays) == [], "its own store is deleted with it"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    path = put(ends, entry())
    assert path.is_relative_to(stays.state) and waiting(stays) == waiting(ends) == [path]


@pytest.mark.long
def test_a_server_that_is_restarted_while_runs_are_sent_has_every_run_once(server, remote):
    for number in range(12):
        put(remote, entry(f"run {number}", [child(1), child(2)]))
    sending = threading.Thread(target=send, args=[remote])
    sending.start()
    until(lambda: len(waiting(remote)) < 11)
    server.stop()
    sending.join()
    left = len(waiting(remote))
    server.start()
    assert left > 0 and send(remote) == "" and not waiting(remote)
    assert names(remote) == sorted([*(f"run {number}" for number in range(12)), *["gamma=1", "gamma=2"] * 12])
    assert {run.info.status for run in runs(remote)} == {"FINISHED"}


SEND = """
import sys
from pathlib import Path
import orchestration
from orchestration.mlflow.send import send
from orchestration.state.addresses import Addresses
from orchestration.workspace.workspace import Workspace
sys.exit(send(Workspace(Path(sys.argv[1]))) or 0)
"""


@pytest.mark.long
@pytest.mark.parametrize("place", ["server"], indirect=True)
def test_two_simultaneous_senders_send_every_run_once(place):
    for number in range(6):
        put(place, entry(f"run {number}", [child(1)]))
    senders = [subprocess.Popen([sys.executable, "-c", SEND, place.root], cwd=ROOT) for _ in range(2)]
    assert [ended(sender) for sender in senders] == [0, 0] and not waiting(place)
    assert names(place) == sorted([*(f"run {number}" for number in range(6)), *["gamma=1"] * 6])


class Slow(http.server.BaseHTTPRequestHandler):
    """Forwards requests; the first ones that create a run are answered after their sender gave up."""

    server_version, protocol_version = "Slow/1", "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        headers = {name: self.headers[name] for name in ("Content-Type",) if self.headers[name]}
        request = urllib.request.Request(
            f"{self.server.behind}{self.path}", body or None, headers, method=self.command
        )
        try:
            with urllib.request.urlopen(request, timeout=600) as answer:
                status, content = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, content = error.code, error.read()
        if self.path.endswith("/runs/create") and self.server.late:
            self.server.late -= 1
            self.server.given_up.wait()
        with contextlib.suppress(OSError):
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    def do_GET(self):
        self.headers["Content-Length"] = self.headers["Content-Length"] or "0"
        self.do_POST()

    def log_message(self, *_):
        pass


@pytest.mark.long
def test_a_server_that_answers_too_late_has_every_run_once(server, remote, monkeypatch):
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_TIMEOUT", "2")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slow) as slow:
        slow.behind, slow.late, slow.given_up = server.address, 2, threading.Event()
        threading.Thread(target=slow.serve_forever).start()
        monkeypatch.setenv("MLFLOW_TRACKING_URI", f"http://127.0.0.1:{slow.server_port}")
        put(remote, entry(children=[child(1)]))
        lines = [send(remote), send(remote)]
        slow.given_up.set()
        assert all("timed out" in line for line in lines)
        monkeypatch.setenv("MLFLOW_HTTP_REQUEST_TIMEOUT", "60")
        assert send(remote) == "" and names(remote) == ["2018-06", "gamma=1"]
        slow.shutdown()


def test_a_run_that_mlflow_refuses_stays_and_the_next_is_sent(place):
    long = TrackedDataset("x", "longer than 36 characters" * 2, "input", "{}")
    put(place, entry("refused", datasets=[long]))
    put(place, entry())
    line = send(place)
    assert line.startswith("1 run is waiting") and "digest" in line and len(waiting(place)) == 1
    assert "2018-06" in names(place)


def test_a_corrupt_file_is_set_aside_and_the_next_is_sent(place, capsys):
    damaged = [put(place, entry("damaged")) for _ in DAMAGES]
    for path, how in zip(damaged, DAMAGES, strict=True):
        damage(path, how)
    put(place, entry())
    assert send(place) == "" and names(place) == ["2018-06"]
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(damaged) and all("is damaged" in line for line in lines)


def test_a_deleted_experiment_is_an_error_that_says_how_to_restore_it(tmp_workspace):
    put(tmp_workspace, entry())
    send(tmp_workspace)
    client = MlflowClient(tmp_workspace.tracking_uri)
    client.delete_experiment(client.get_experiment_by_name("talksumm/pairs").experiment_id)
    put(tmp_workspace, entry())
    assert "mlflow experiments restore" in send(tmp_workspace)


def test_the_destination_of_runs_is_set_by_the_environment_or_else_by_params(tmp_path, monkeypatch):
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    assert Workspace(tmp_path).tracking_uri == f"sqlite:///{tmp_path}/.silverloom/mlflow.db"
    (tmp_path / "named").mkdir()
    params = yaml.safe_load((ROOT / "params.yaml").read_text()) | {"mlflow": "http://example.org"}
    (tmp_path / "named/params.yaml").write_text(yaml.safe_dump(params))
    named = Workspace(tmp_path / "named")
    assert named.tracking_uri == "http://example.org" and not named.tracked_here
    assert Addresses(named).mlflow().startswith("http://example.org/#/experiments")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "sqlite:///elsewhere.db")
    assert named.tracking_uri == "sqlite:///elsewhere.db" and not named.tracked_here


def test_without_waiting_runs_no_client_is_loaded(tmp_path):
    code = f"{SEND.replace('sys.exit', 'print')}\nprint('mlflow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, tmp_path], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["0", "False"], done.stderr
