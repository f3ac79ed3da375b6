"""A trained model in MLflow: a logged model with its files, a version of a registered model, the champion.

Belongs here: what MLflow stores of a model, and which version is the best of an evaluation. Not here: runs
(send.py), how a model is loaded (served_model.py). The weights are a dataset's files, under DVC.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.project import import_root
from silverloom.ops.core.parts import part_files
from silverloom.ops.models.installed import MODELS_TXT
from silverloom.ops.models.trained import ModelKind
from silverloom.orchestration.mlflow.store import ARTIFACTS, ARTIFACTS_URI
from silverloom.orchestration.mlflow.tracking import MadePartition, TrackedModel
from silverloom.orchestration.state.freshness import View, read_manifest
from silverloom.orchestration.workspace.workspace import Workspace

#: The script that MLflow stores with a model.
SERVED = Path(__file__).with_name("served_model.py")

#: The alias of the version that its evaluation found best.
CHAMPION = "champion"
#: The tag that tells which version was given it here, not by a user, and by which version of the evaluation.
_NAMED = "silverloom.champion"


def registered_name(dataset: Dataset) -> str:
    """Return the name under which the models of a dataset are registered; MLflow accepts no slash."""
    return ".".join(dataset.key.path)


def log_model(
    client: Any, workspace: Workspace, experiment: str, run_id: str, model: TrackedModel, folder: Path
) -> str:
    """Store a model as a logged model of a run, and return its id. `folder` is a temporary one."""
    from mlflow.models import Model

    logged = client.create_logged_model(
        experiment, model.name, run_id, {**model.tags}, {**model.params}, model_type=model.kind
    )
    kind: ModelKind = import_module(model.kind).KIND
    place = _served_folder(workspace, logged.artifact_location)
    target = place or folder / logged.model_id
    save_model(
        kind, model.folder, target, model.packages.items(), Model(run_id=run_id, model_id=logged.model_id)
    )
    _name_files(target, model.source)
    if place is None:
        client.log_model_artifacts(logged.model_id, str(target))
    client.finalize_logged_model(logged.model_id, "READY")
    return str(logged.model_id)


def _served_folder(workspace: Workspace, uri: str) -> Path | None:
    """Return the folder where MLflow's server expects a model's files.

    None if the client must upload them: to an MLflow server, or to the location of an older experiment.
    """
    if not workspace.models_here or not uri.startswith(ARTIFACTS_URI):
        return None
    # not in the folder of a DVC experiment, which is temporary
    owner = workspace if workspace.tracked_here else workspace.enclosing
    target: Path = owner.mlflow_store.with_name(ARTIFACTS) / uri.removeprefix(ARTIFACTS_URI)
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def _name_files(target: Path, source: str) -> None:
    """Replace MLflow's paths of this machine in `MLmodel`: the model's files are named by their `source`."""
    from mlflow.models import Model

    stored = Model.load(str(target))
    flavor = stored.flavors["python_function"]
    flavor["artifacts"]["model"]["uri"] = source
    flavor["model_code_path"] = SERVED.name
    stored.save(str(target / "MLmodel"))


def register(client: Any, dataset: Dataset, run_id: str, model_id: str, model: TrackedModel) -> None:
    """Register a logged model as a version of its dataset's registered model."""
    name = registered_name(dataset)
    if not client.search_registered_models(f"name = '{name}'"):
        about = f"The models of {dataset.name}. {CHAMPION}: the best of the last evaluation."
        client.create_registered_model(name, description=about)
    place = client.get_logged_model(model_id).artifact_location
    tags = {key: value for key, value in model.tags.items() if not key.startswith("mlflow.")}
    version = client.create_model_version(name, place, run_id, tags, model_id=model_id).version
    # as `mlflow.register_model` does, so that the pages of a logged model lead to its version
    client.set_logged_model_tags(
        model_id, {"mlflow.modelVersions": json.dumps([{"name": name, "version": version}])}
    )


def delete_models(client: Any, experiment: str, run_id: str) -> None:
    """Delete the models of a run that is deleted."""
    for version in client.search_model_versions(f"run_id = '{run_id}'"):
        client.delete_model_version(version.name, version.version)
    for logged in client.search_logged_models([experiment], f"source_run_id = '{run_id}'"):
        client.delete_logged_model(logged.model_id)


def set_champion(client: Any, workspace: Workspace, dataset: Dataset, evaluation: MadePartition) -> None:
    """Give the best of a dataset's registered models the alias CHAMPION, as an evaluation of them says.

    The best has the highest first score of the evaluation, over the rows of each registered model. An alias
    that a user moves stays until another evaluation. Does nothing if no registered version was evaluated, or
    if the rows on disk are not those of the manifest.
    """
    trains, judge, version = dataset.trains, evaluation.dataset, evaluation.manifest.version
    name = registered_name(dataset)
    if trains is None or not (models := _registered(client, name)):
        return
    named = client.get_registered_model(name)
    former, _, by = named.tags.get(_NAMED, "").partition(" ")
    is_moved = named.aliases.get(CHAMPION, former) != former
    if is_moved and by in ("", version):  # earlier versions did not say by which evaluation
        return
    known = View(workspace).known(judge, evaluation.partition)
    if known is None or known.version != version:
        return
    evaluated = set(_versions_of(workspace, evaluation, dataset))
    versions = {
        model.tags["model"]: model.version
        for model in sorted(models, key=lambda model: int(model.version))
        if model.tags.get("data version") in evaluated
    }
    scores = judged(workspace, evaluation, trains.named_by) if versions else {}
    if compared := versions.keys() & scores.keys():
        best = versions[max(sorted(compared), key=scores.__getitem__)]
        if (best, version) != (former, by):
            client.set_registered_model_alias(name, CHAMPION, best)
            client.set_registered_model_tag(name, _NAMED, f"{best} {version}")


def _registered(client: Any, name: str) -> list[Any]:
    versions = page = client.search_model_versions(f"name = '{name}'")
    while page.token:
        page = client.search_model_versions(f"name = '{name}'", page_token=page.token)
        versions += page
    return list(versions)


def _versions_of(workspace: Workspace, made: MadePartition, dataset: Dataset) -> Iterator[str]:
    """Yield the versions of a dataset that led to a partition, along the manifests of its inputs."""
    if made.dataset is dataset:
        yield made.manifest.version
    for name, versions in made.manifest.key["inputs"].items():
        if name == dataset.name:
            yield from versions.values()
        elif (upstream := workspace.datasets.get(name)) is not None and not upstream.partitioned:
            manifest = read_manifest(workspace, upstream, "")
            if manifest is not None and manifest.version in versions.values():
                yield from _versions_of(workspace, MadePartition(upstream, "", manifest), dataset)


def judged(workspace: Workspace, evaluation: MadePartition, named_by: Iterable[str]) -> dict[str, float]:
    """Return the first score of an evaluation by model. The columns `named_by` name the model of a row."""
    dataset, partition, _ = evaluation
    score, columns = next(iter(dataset.scores.values())), list(named_by)
    scores = {}
    tables = [
        pq.read_table(path, columns=list(dict.fromkeys([*columns, *score.columns])))
        for path in part_files(workspace.folder(dataset, partition), "kept")
    ]
    rows = pa.concat_tables(tables)
    named = pc.binary_join_element_wise(*(rows[column] for column in columns), "-")
    for model in pc.unique(named.drop_null()).to_pylist():
        value = score.value([score.read(rows.filter(pc.equal(named, model)))])
        if value is not None:
            scores[model] = value
    return scores


def save_model(
    kind: ModelKind, files: Path, target: Path, packages: Iterable[tuple[str, str]], model: Any = None
) -> None:
    """Write a trained model as an MLflow model. `packages` are (name, version) of what it needs.

    `model` is MLflow's `Model` to write, if it has an id.

    The package `silverloom.ops`, which loads the model, is stored with it.
    """
    import mlflow.pyfunc
    import pandas as pd
    from mlflow.models import ModelSignature
    from mlflow.types import ColSpec, DataType, ParamSchema, ParamSpec, Schema
    from mlflow.types.schema import Array

    def columns(named: Mapping[str, str]) -> Schema:
        types = {name: DataType[text.rstrip("*")] for name, text in named.items()}
        return Schema(
            [ColSpec(Array(types[name]) if "*" in named[name] else types[name], name) for name in named]
        )

    logging.getLogger("mlflow").setLevel(logging.ERROR)
    defaults = {name: value for name, (_, value) in kind.params.items()}
    params = [ParamSpec(name, DataType[text], value) for name, (text, value) in kind.params.items()]
    save: Any = mlflow.pyfunc.save_model
    with (
        tempfile.TemporaryDirectory() as scratch,
        contextlib.redirect_stderr(io.StringIO()),  # MLflow prints coloured advice about type hints
    ):
        code = Path(scratch, "silverloom")
        shutil.copytree(
            import_root() / code.name / "ops", code / "ops", ignore=shutil.ignore_patterns("__pycache__")
        )
        shutil.copy(import_root() / code.name / "__init__.py", code)
        save(
            target,
            python_model=str(SERVED),
            artifacts={"model": str(files)},
            model_config={"kind": kind.module},
            mlflow_model=model,
            input_example=(pd.DataFrame([kind.example]), defaults) if kind.example else None,
            signature=ModelSignature(columns(kind.inputs), columns(kind.outputs), ParamSchema(params)),
            pip_requirements=[
                *(f"{name}=={version}" for name, version in packages),
                *(_installed() if kind.named else ()),
            ],
            code_paths=[str(code)],
        )


def _installed() -> list[str]:
    """Return the packages of models.txt, without their hashes."""
    lines = MODELS_TXT.read_text(encoding="utf-8").splitlines()
    return [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]
