"""MLflow gets a run for each manifest that it lacks, in a file or over HTTP: each exactly once."""

import contextlib
import http.server
import json
import os
import re
import shutil
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
from mlflow.data import get_source
from mlflow.pyfunc import load_model

from silverloom.orchestration.mlflow.send import TAG, send
from silverloom.orchestration.mlflow.store import prepare
from silverloom.orchestration.state.addresses import Addresses
from silverloom.orchestration.state.freshness import manifest_file
from silverloom.orchestration.workspace.workspace import Workspace
from tests.orchestration.mlflow.made import (
    INPUT,
    MODEL,
    PAIRS,
    TUNING,
    champion,
    evaluated,
    made,
    names,
    runs,
    trained,
    tuned,
)
from tests.waiting import ended, until

ROOT = Path(__file__).resolve().parents[3]
MONTHS = ("2018-06", "2018-07", "2018-08")


@pytest.fixture(scope="module")
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_the_login_of_an_unreachable_server_is_not_printed(tmp_workspace, monkeypatch, port):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"http://me:s3cret@127.0.0.1:{port + 1}")
    made(tmp_workspace)
    said = send(tmp_workspace)
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
    for name in ("talksumm", "discofuse"):
        if found := client.get_experiment_by_name(name):
            client.rename_experiment(found.experiment_id, f"former {found.experiment_id}")
    for model in client.search_registered_models():
        client.delete_registered_model(model.name)


@pytest.fixture(scope="module")
def empty_store(tmp_path_factory) -> Path:
    """A store without runs. To create one takes longer than most of these tests."""
    path = tmp_path_factory.mktemp("empty") / "mlflow.db"
    prepare(path)
    return path


@pytest.fixture
def tmp_workspace(tmp_workspace, empty_store) -> Workspace:
    tmp_workspace.mlflow_store.parent.mkdir(parents=True)
    shutil.copy(empty_store, tmp_workspace.mlflow_store)
    return tmp_workspace


@pytest.fixture(params=["store", pytest.param("server", marks=pytest.mark.long)])
def place(request, tmp_path, monkeypatch) -> Workspace:
    """A workspace whose runs go into a store of its own, to an MLflow server, or into Postgres.

    Without the long tests, only test_mlflow_server.py sends to a server.
    """
    if request.param == "store":
        return request.getfixturevalue("tmp_workspace")
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
    "place",
    ["store", *(pytest.param(name, marks=pytest.mark.long) for name in ("server", "postgres"))],
    indirect=True,
)
def test_a_run_shows_what_its_manifest_says(place):
    login = {"c": [1, 2], "url": "https://me:s3cret@host/search"}
    params = {"a.b": login, "odd": {'"name"': "1", "long": "x" * 9_000}}
    manifest = made(place, params=params)
    assert send(place) == ""
    client = MlflowClient(place.tracking_uri)
    about = client.get_experiment_by_name("talksumm").tags["mlflow.note.content"]
    assert about == "The partitions of all datasets of talksumm"
    (run,) = runs(place)
    at = manifest_file(place, place.datasets[PAIRS], "2018-06").stat().st_mtime_ns // 1_000_000
    assert (run.info.run_name, run.info.status) == ("pairs 2018-06", "FINISHED")
    assert run.info.start_time == run.info.end_time == at
    long = "x" * 6_000
    assert run.data.params == {
        "a.b.c": "[1, 2]", "a.b.url": "https://host/search", "odd._name_": "1", "odd.long": long
    }  # fmt: skip
    assert run.data.metrics == {
        "kept": 3, "dropped": 1, "rejected": 0, "drop share": 0.25, "dropped/short": 1
    }  # fmt: skip
    tags = run.data.tags
    assert (tags["dataset"], tags["partition"]) == (PAIRS, "2018-06")
    assert tags["data version"] == manifest.version
    assert tags["data-quality page"] == "data/quality/pages/datasets/talksumm-pairs.html"
    assert not any("://127.0.0.1" in text for text in tags.values()), "ports change, runs stay"
    datasets = {item.dataset.name: (item.tags[0].value, item.dataset) for item in run.inputs.dataset_inputs}
    assert {name: (kind, dataset.digest) for name, (kind, dataset) in datasets.items()} == {
        "sources/talks 2018-06": ("input", INPUT),
        "sources/papers *": ("input", "0" * 36),
        "talksumm/pairs 2018-06": ("output", manifest.version),
    }
    output = datasets["talksumm/pairs 2018-06"][1]
    assert output.profile == '{"num_rows": 3}'
    assert {"type": "string", "name": "id", "required": True} in json.loads(output.schema)["mlflow_colspec"]
    sources = {get_source(item).uri for item in run.inputs.dataset_inputs}
    assert sources == {"data/sources/talks/2018-06", "data/sources/papers", "data/talksumm/pairs/2018-06"}


def test_every_kept_row_of_a_grid_is_a_child_run(place):
    tuned(place, 81)
    assert send(place) == ""
    by_name = {run.info.run_name: run for run in runs(place, TUNING)}
    parent = by_name.pop("tuning")
    assert len(by_name) == 81 and parent.data.metrics["kept"] == 81
    params = ("model", "lambda", "gamma", "delta", "epsilon")
    third = by_name[", ".join(f"{name}=0.03" for name in params)]
    assert third.data.tags["mlflow.parentRunId"] == parent.info.run_id and third.data.tags["row"] == "point-3"
    assert third.data.params == dict.fromkeys(params, "0.03")
    assert third.data.metrics == {"accuracy": 0.03, "high": 0.03, "within_two": 0.03, "words": 0.03}
    assert {run.info.status for run in by_name.values()} == {"FINISHED"}


def test_a_model_is_logged_with_its_curve_and_loads_with_its_code(place, tmp_path):
    manifest = trained(place)
    assert send(place) == ""
    client = MlflowClient(place.tracking_uri)
    by_name = {run.info.run_name: run for run in runs(place, MODEL)}
    best = by_name["best"]
    assert best.data.tags["mlflow.parentRunId"] == by_name["fusion_model"].info.run_id
    assert best.data.params == {"model": "best", "config.hidden": "4"} and best.data.metrics["updates"] == 7
    assert {item.dataset.name for item in best.inputs.dataset_inputs} == {"sources/talks", "sources/papers *"}
    history = client.get_metric_history(best.info.run_id, "loss")
    assert [(point.step, point.value) for point in history] == [(0, 2.0), (1, 1.0)]
    (output,) = best.outputs.model_outputs
    logged = client.get_logged_model(output.model_id)
    assert (logged.name, logged.source_run_id, str(logged.status)) == ("best", best.info.run_id, "READY")
    assert {metric.key for metric in logged.metrics} == {"loss", "updates"}
    (version,) = client.search_model_versions("name = 'discofuse.fusion_model'")
    assert (version.run_id, version.tags["data version"]) == (best.info.run_id, manifest.version)
    assert json.loads(logged.tags["mlflow.modelVersions"]) == [
        {"name": version.name, "version": version.version}
    ]
    if place.models_here:
        stored = place.state / "mlflow/discofuse/models" / logged.model_id / "artifacts"
        assert os.fsencode(tmp_path) not in place.mlflow_store.read_bytes()
    else:
        uri = place.tracking_uri
        stored = Path(
            download_artifacts(f"models:/{logged.model_id}", dst_path=tmp_path / "x", tracking_uri=uri)
        )
    model = load_model(str(stored))
    assert model.metadata.model_id == logged.model_id
    assert model.metadata.signature.inputs.input_names() == ["source"]
    assert list(model.input_example) == ["source"] and len(model.predict(model.input_example)) == 1
    assert (stored / "code/silverloom/ops/models/trained.py").exists()
    about = (stored / "MLmodel").read_text()
    assert "uri: data/discofuse/fusion_model/__files/best" in about
    assert not re.search(r": ['\"]?/", about), "a path of this machine"


def test_the_champion_is_the_best_registered_model_of_the_last_evaluation(place):
    models = trained(place, chosen=("best", "other"))
    evaluated(place, models, {"best": 0.3, "other": 0.4, "copy": 0.9, "unregistered": 0.8})
    assert send(place) == "" and champion(place) == "other"
    client = MlflowClient(place.tracking_uri)
    versions = {v.tags["model"]: v.version for v in client.search_model_versions("")}
    client.set_registered_model_alias("discofuse.fusion_model", "champion", versions["best"])
    assert send(place) == "" and champion(place) == "best", "the alias that a user moved"
    evaluated(place, models, {"best": 0.7, "other": 0.6})
    assert send(place) == "" and champion(place) == "best"
    evaluated(place, models, {"best": 0.3, "other": 0.4, "copy": 0.9, "unregistered": 0.8})
    assert send(place) == "" and champion(place) == "other", "the first evaluation again"
    evaluated(place, trained(place, "others"), {"best": 0.9})
    assert send(place) == "" and champion(place) == "best"
    best = client.get_model_version_by_alias("discofuse.fusion_model", "champion")
    assert int(best.version) == 3


def test_models_that_were_refused_before_their_evaluation_become_champion_when_they_are_sent(
    tmp_workspace, monkeypatch
):
    evaluated(tmp_workspace, trained(tmp_workspace, chosen=("best", "other")), {"best": 0.3, "other": 0.4})

    def refused(*given):
        raise ValueError("refused")

    with monkeypatch.context() as patch:
        patch.setattr("silverloom.orchestration.mlflow.send.log_model", refused)
        assert "refused" in send(tmp_workspace)
    assert send(tmp_workspace) == "" and champion(tmp_workspace) == "other"


def test_an_evaluation_of_other_models_names_no_champion(tmp_workspace):
    former = trained(tmp_workspace, "former")
    trained(tmp_workspace)
    evaluated(tmp_workspace, former, {"best": 0.3})
    assert send(tmp_workspace) == ""
    (model,) = MlflowClient(tmp_workspace.tracking_uri).search_registered_models()
    assert not model.aliases


def test_the_judges_of_models_have_a_score_and_the_columns_that_name_models(tmp_workspace):
    judged = [dataset for dataset in tmp_workspace.datasets.values() if dataset.trains]
    for dataset in judged:
        judge = tmp_workspace.datasets[f"{dataset.key.group}/{dataset.trains.judge}"]
        assert judge.scores and set(dataset.trains.named_by) <= set(judge.shape.kept.names), dataset.name
    assert len(judged) > 5


def test_only_what_mlflow_lacks_is_sent(place):
    made(place)
    tuned(place, 2)
    assert send(place) == "" == send(place)
    first = {run.info.run_id for run in runs(place) + runs(place, TUNING)}
    made(place, "2018-07")
    made(place, content="other bytes")
    assert send(place, [place.datasets[TUNING]]) == "" and names(place) == ["2018-06"], "not chosen"
    assert send(place) == "" and names(place) == ["2018-06", "2018-06", "2018-07"]
    made(place)  # back to the former bytes
    made(place, "2018-07", params={"a.b": {"lambda": 0.5}})  # the same bytes by other params
    assert send(place) == "" and names(place) == ["2018-06", "2018-06", "2018-07", "2018-07"]
    assert first <= {run.info.run_id for run in runs(place) + runs(place, TUNING)}
    lambdas = {run.data.params["a.b.lambda"] for run in runs(place) if run.info.run_name == "pairs 2018-07"}
    assert lambdas == {"0.75", "0.5"}


def test_partitions_without_any_unit_have_no_run(tmp_workspace):
    made(tmp_workspace, kept=0)
    made(tmp_workspace, "2018-07")
    assert send(tmp_workspace) == "" and names(tmp_workspace) == ["2018-07"]


def test_child_runs_are_read_from_the_bytes_of_the_manifest_or_not_at_all(tmp_workspace):
    tuned(tmp_workspace, 4)
    former = manifest_file(tmp_workspace, tmp_workspace.datasets[TUNING], "").read_bytes()
    tuned(tmp_workspace, 2)
    present = manifest_file(tmp_workspace, tmp_workspace.datasets[TUNING], "").read_bytes()
    manifest_file(tmp_workspace, tmp_workspace.datasets[TUNING], "").write_bytes(former)
    assert send(tmp_workspace) == "" and names(tmp_workspace, TUNING) == []
    manifest_file(tmp_workspace, tmp_workspace.datasets[TUNING], "").write_bytes(present)
    assert send(tmp_workspace) == "" and len(names(tmp_workspace, TUNING)) == 3


FOR_MODELS = ("create_logged_model", "finalize_logged_model", "log_outputs", "create_model_version")
REQUESTS = (
    *("create_experiment", "create_run", "log_batch", "log_inputs", "set_terminated", "delete_run"),
    *FOR_MODELS,
)


class KilledError(BaseException):
    pass


@contextlib.contextmanager
def killed_after(number):
    """Kill the sender after its n-th request, so also before its next one; yield the requests."""
    requests = []

    def counted(name, method):
        def call(*given, **named):
            requests.append(name)
            result = method(*given, **named)
            if len(requests) == number:
                raise KilledError
            return result

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in REQUESTS:
            patch.setattr(MlflowClient, name, counted(name, getattr(MlflowClient, name)))
        with contextlib.suppress(KilledError):
            yield requests


def test_a_sender_killed_while_it_sends_a_model_registers_it_once(tmp_workspace):
    """Killed after each request for a model, and after the later ones until the next run is created."""
    for content in ("first", "second"):
        trained(tmp_workspace, content)
        with killed_after(0) as requests:
            send(tmp_workspace)
    assert {*FOR_MODELS} <= {*requests}
    first, last = (requests.index(FOR_MODELS[place]) + 1 for place in (0, -1))
    later = requests.index("create_run", last) + 1
    assert {"log_batch", "set_terminated"} <= {*requests[last:later]}
    numbers = [number for number in range(first, later + 1) if requests[number - 1] != "log_inputs"]
    for sent, number in enumerate(numbers, 3):
        trained(tmp_workspace, str(number))
        with killed_after(number) as requests:
            send(tmp_workspace)
        assert len(requests) == number
        assert send(tmp_workspace) == ""
        client = MlflowClient(tmp_workspace.tracking_uri)
        (experiment,) = client.search_experiments(filter_string="name = 'discofuse'")
        versions = client.search_model_versions("")
        logged = client.search_logged_models([experiment.experiment_id])
        assert len(versions) == len(logged) == sent, requests


def test_a_sender_killed_after_any_request_leaves_every_run_once(tmp_workspace):
    number, requests = 0, ["the first"]
    while len(requests) >= number:
        number += 1
        made(tmp_workspace, content=str(number))
        tuned(tmp_workspace, 1, {"made": {"as": number}})
        with killed_after(number) as requests:
            send(tmp_workspace)
        assert send(tmp_workspace) == ""
        assert names(tmp_workspace) == ["2018-06"] * number, requests
        grids = names(tmp_workspace, TUNING)
        assert (grids.count("tuning"), len(grids)) == (number, 2 * number), requests
        found = runs(tmp_workspace) + runs(tmp_workspace, TUNING)
        assert {run.info.status for run in found} == {"FINISHED"}, requests
        parents = {run.data.tags.get("mlflow.parentRunId") for run in found} - {None}
        assert parents < {run.info.run_id for run in found}, requests
    assert set(requests) >= {"create_run", "log_batch", "log_inputs", "set_terminated"}


def test_a_run_that_a_slow_server_creates_much_later_is_deleted(place):
    tuned(place, 2)
    send(place)
    client, before = MlflowClient(place.tracking_uri), runs(place, TUNING)
    for run in before:
        tags = {TAG: run.data.tags[TAG]}
        client.create_run(run.info.experiment_id, tags=tags, run_name=run.info.run_name)
    client.create_run(before[0].info.experiment_id, tags={TAG: "of another checkout"}, run_name="other")
    client.create_run(before[0].info.experiment_id, run_name="a user's own")
    assert send(place) == ""
    assert names(place, TUNING) == sorted([*(run.info.run_name for run in before), "other", "a user's own"])


def test_a_run_sent_by_another_checkout_is_known(tmp_workspace):
    made(tmp_workspace)
    assert send(tmp_workspace) == ""
    (run,) = runs(tmp_workspace)
    client = MlflowClient(tmp_workspace.tracking_uri)
    client.set_tag(run.info.run_id, TAG, "of another checkout")
    assert send(tmp_workspace) == "" and len(runs(tmp_workspace)) == 1


@pytest.mark.long
def test_a_server_that_is_down_loses_nothing(server, remote):
    server.stop()
    made(remote)
    try:
        line = send(remote)
    finally:
        server.start()
    assert line.startswith("not all runs are in MLflow: ") and "refused" in line
    made(remote, "2018-07")
    assert send(remote) == "" and names(remote) == ["2018-06", "2018-07"]


@pytest.mark.long
def test_a_server_that_is_restarted_while_runs_are_sent_has_every_run_once(server, remote):
    for month in MONTHS:
        made(remote, month)
    tuned(remote, 20)
    lines = []
    sender = threading.Thread(target=lambda: lines.append(send(remote)))
    sender.start()
    until(lambda: len(runs(remote, TUNING)) > 5)
    server.stop()
    sender.join()
    server.start()
    assert lines != [""] and send(remote) == ""
    assert names(remote) == list(MONTHS) and len(names(remote, TUNING)) == 21
    assert {run.info.status for run in runs(remote) + runs(remote, TUNING)} == {"FINISHED"}


SEND = """
import sys
from pathlib import Path
from silverloom.orchestration.definitions import workspace
from silverloom.orchestration.mlflow.send import send
from silverloom.orchestration.workspace.workspace import Workspace
sys.exit(send(Workspace(Path(sys.argv[1]))) or 0)
"""


@pytest.mark.long
@pytest.mark.parametrize("place", ["server"], indirect=True)
def test_two_simultaneous_senders_send_every_run_once(place):
    for month in MONTHS:
        made(place, month)
    tuned(place, 4)
    senders = [subprocess.Popen([sys.executable, "-c", SEND, place.root], cwd=ROOT) for _ in range(2)]
    assert [ended(sender) for sender in senders] == [0, 0]
    assert names(place) == list(MONTHS) and len(names(place, TUNING)) == 5


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
        tuned(remote, 2)
        lines = [send(remote), send(remote)]
        slow.given_up.set()
        assert all("timed out" in line for line in lines)
        monkeypatch.setenv("MLFLOW_HTTP_REQUEST_TIMEOUT", "60")
        assert send(remote) == "" and len(names(remote, TUNING)) == 3
        slow.shutdown()


def test_if_mlflow_refuses_a_run_the_others_are_sent(place):
    made(place, inputs={"x" * 600: {"": INPUT}})
    made(place, "2018-07")
    for _ in range(2):
        line = send(place)
        assert line.startswith("not all runs are in MLflow: ") and "name" in line
        assert names(place) == ["2018-07"]


def test_a_deleted_experiment_is_an_error_that_says_how_to_restore_it(tmp_workspace):
    made(tmp_workspace)
    send(tmp_workspace)
    client = MlflowClient(tmp_workspace.tracking_uri)
    client.delete_experiment(client.get_experiment_by_name("talksumm").experiment_id)
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


def test_if_nothing_is_made_no_client_is_loaded(tmp_path):
    code = f"{SEND.replace('sys.exit', 'print')}\nprint('mlflow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, tmp_path], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["0", "False"], done.stderr
