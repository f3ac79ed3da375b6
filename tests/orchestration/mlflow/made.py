"""Partitions as a run leaves them, written without computing anything, and the runs that MLflow then has.

Belongs here: manifests, files of models and grids, and queries. Not here: what is sent (test_send.py).
"""

import hashlib
import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
from mlflow import MlflowClient

from silverloom.ops.core.parts import FILES
from silverloom.ops.models.seq2seq.config import CopyNetConfig
from silverloom.ops.models.seq2seq.files import make
from silverloom.ops.models.seq2seq.pieces import Pieces
from silverloom.orchestration.files.identity import folder_hashes
from silverloom.orchestration.state.freshness import Manifest, write_manifest

PAIRS, TUNING, MODEL = "talksumm/pairs", "talksumm/tuning", "discofuse/fusion_model"
INPUT = "d41d8cd98f00b204e9800998ecf8427e.dir"


def made(workspace, month="2018-06", content="", name=PAIRS, kept=3, params=None, files=None, inputs=None):
    """Write the manifest of a partition, as making it does; `content` stands for its bytes."""
    md5 = hashlib.md5(f"{month} {content}".encode(), usedforsecurity=False).hexdigest()
    inputs = inputs or {"sources/talks": {month: INPUT}, "sources/papers": {"*": "0" * 64}}
    code = {"code": "c", "expectations": "e", "packages": {}, "models": {}}
    key = {"inputs": inputs, "params": params or {"a.b": {"lambda": 0.75}}, "code": code}
    counts = {"kept": kept, "dropped": kept // 3, "rejected": 0, "reasons": {"short": kept // 3}}
    manifest = Manifest(key, files or {"kept-00000.parquet": md5}, counts)
    write_manifest(workspace, workspace.datasets[name], month, manifest)
    return manifest


def tuned(workspace, rows, params=None):
    """Write the rows of a grid and their manifest."""
    dataset = workspace.datasets[TUNING]
    folder = workspace.folder(dataset)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    names = [*dataset.trials.params, *dataset.trials.metrics]
    table = pa.Table.from_pylist(
        [{"id": f"point-{n}", **dict.fromkeys(names, n / 100), "low": None} for n in range(rows)]
    )
    for number, part in enumerate((table.slice(0, rows // 2), table.slice(rows // 2))):
        pq.write_table(part, folder / f"kept-{number:05d}.parquet")
    return made(workspace, "", name=TUNING, kept=rows, params=params, files=folder_hashes(folder))


def runs(workspace, name=PAIRS) -> list:
    """The runs of a dataset with their child runs, and those of nobody's in its experiment."""
    client = MlflowClient(workspace.tracking_uri)
    experiment = client.get_experiment_by_name(name.partition("/")[0])
    found = client.search_runs([experiment.experiment_id], max_results=1000) if experiment else []
    return [run for run in found if run.data.tags.get("dataset", name) == name]


def names(workspace, name=PAIRS) -> list[str]:
    return sorted(run.info.run_name.removeprefix("pairs ") for run in runs(workspace, name))


def trained(workspace, content="", chosen=("best",)):
    """Write two trained models with their reports, and their manifest."""
    network = make(
        CopyNetConfig(pieces="words", vocabulary=260, longest=12, growth=1, beam=2, hidden=4),
        Pieces.learn(["Ann sings ."], "words", 260),
    )
    files = workspace.folder(workspace.datasets[MODEL]) / FILES
    curve = [{"name": "loss", "step": step, "value": 2.0 - step} for step in (0, 1)]
    reports = [
        {"model": name, "chosen": name in chosen, "curve": curve, "updates": 7, "config": {"hidden": 4}}
        for name in ("best", "other")
    ]
    for name in chosen:
        (files / name).mkdir(parents=True, exist_ok=True)
        for file, weights in network.files().items():
            (files / name / file).write_bytes(weights)
    (files / "models.json").write_text(
        json.dumps([*reports, {**reports[1], "model": content or "third", "chosen": False}])
    )
    return made(workspace, "", name=MODEL, files=folder_hashes(files.parent))


def evaluated(workspace, models, scores):
    """Write an evaluation of models, with the manifests that lead to them."""
    version = {name: {"": manifest.version} for name, manifest in {MODEL: models}.items()}
    fusions = made(workspace, "", str(scores), name="discofuse/fusions", inputs=version)
    folder = workspace.folder(workspace.datasets["discofuse/evaluation"])
    folder.mkdir(parents=True, exist_ok=True)
    rows = [{"model": name, "in_domain": name != "copy", "sari": score} for name, score in scores.items()]
    pq.write_table(pa.Table.from_pylist(rows), folder / "kept-00000.parquet")
    inputs = {"discofuse/fusions": {"": fusions.version}}
    made(workspace, "", name="discofuse/evaluation", files=folder_hashes(folder), inputs=inputs)


def champion(workspace) -> str:
    client = MlflowClient(workspace.tracking_uri)
    return client.get_model_version_by_alias("discofuse.fusion_model", "champion").tags["model"]
