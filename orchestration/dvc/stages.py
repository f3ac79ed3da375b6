"""DVC's side of the DAG: dvc.yaml rendered from the asset graph, and code.json, which its first stage writes.

Belongs here: rendering stages, and the hashes of code that they depend on. Not here: committing finished
ones (commit.py), what a stage runs (run/stage.py).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

import yaml

from assets.declare.declaration import Declaration
from assets.declare.settings import document
from orchestration.dvc import metrics
from orchestration.files.publish import write_changed, write_file
from orchestration.state.dvc_files import stage_name
from orchestration.workspace.workspace import Workspace

#: What every dataset depends on, besides its own sections.
COMMON = ("exclude", "numerics", "partitions", "store")
HEADER = "# Rendered from the asset graph by `make dvc.yaml`: change assets/, not this file.\n"


def render(workspace: Workspace) -> str:
    """Return dvc.yaml: a stage that hashes the code, then one stage a dataset.

    DVC can compare files alone, and a comment changes a file. So the first stage depends on none and always
    runs: the others depend on the hashes that it writes.
    """
    code = {
        "cmd": "silverloom code",
        "always_changed": True,
        "outs": [{"code.json": {"cache": False, "persist": True}}],
    }
    stages = {stage_name(dataset): stage(workspace, dataset) for dataset in workspace.datasets.values()}
    stages = {"code": code, **stages}
    return HEADER + yaml.dump({"stages": stages}, Dumper=yaml.CSafeDumper, sort_keys=False, width=110)


def check_rendered(workspace: Workspace) -> None:
    """Raise ValueError when dvc.yaml is not what the asset graph renders to."""
    path = workspace.root / "dvc.yaml"
    if not path.exists() or path.read_text() != render(workspace):
        raise ValueError("dvc.yaml is stale (an asset or the list of sources changed): run `make dvc.yaml`")


def _given(workspace: Workspace, paths: Iterable[str]) -> list[str]:
    """Return what DVC is to watch of params.yaml for some paths, sorted.

    DVC knows no defaults: what it watches must be there. A top-level section that is left out is not
    watched; one that lacks anything of what datasets read is watched as a whole, so that dvc.yaml stays the
    same when a key is added.
    """
    datasets = workspace.datasets.values()
    read = {path for dataset in datasets for path in dataset.sections}
    partial = {path.partition(".")[0] for path in read if not _stands(path)}
    tops = {path: path.partition(".")[0] for path in paths}
    return sorted({top if top in partial else path for path, top in tops.items() if top in document()})


def _stands(path: str) -> bool:
    """Tell whether params.yaml has a value at a dotted path."""
    value: Any = document()
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value is not None


def stage(workspace: Workspace, dataset: Declaration) -> dict[str, Any]:
    """Return the stage of a dataset."""
    names = sorted(workspace.settings.folders(dataset.records)) if dataset.records else []
    # Templates, so that a corpus of one's own does not make dvc.yaml stale.
    sources = [f"${{sources.{dataset.records}.{name}.path}}" for name in names]
    upstream = [workspace.shown(workspace.folder(parent)) for parent in workspace.graph.upstream(dataset)]
    found: dict[str, Any] = {
        "cmd": f"silverloom stage {dataset.name}",
        "deps": [*sources, *upstream],
        "params": [
            *_given(workspace, [*COMMON, *dataset.sections]),
            {"code.json": [".".join(dataset.key.path)]},
        ],
        "outs": [
            {workspace.shown(place): {"persist": True}}
            for place in (workspace.folder(dataset), workspace.manifests(dataset))
        ],
    }
    if dataset.shape is not None:
        file = workspace.shown(workspace.metrics_file(dataset))
        if dataset.scores:
            scores = workspace.shown(metrics.scores_file(workspace, dataset))
            found["outs"].append({scores: {"cache": False, "persist": True}})
        found["metrics"] = [{file: {"cache": False, "persist": True}}]
        found["plots"] = [
            {workspace.shown(plot.file): {"cache": False, "persist": True, **plot.drawn}}
            for plot in metrics.plots(workspace, dataset)
        ]
    return found


def write(workspace: Workspace) -> None:
    """Write dvc.yaml."""
    write_file(workspace.root / "dvc.yaml", render(workspace).encode())
    print("dvc.yaml is rendered from the asset graph", file=sys.stderr)


def write_code(workspace: Workspace) -> None:
    """Write code.json, if it is not already what it should be."""
    content: dict[str, dict[str, Any]] = {}
    for dataset in workspace.datasets.values():
        group, name = dataset.key.path
        content.setdefault(group, {})[name] = dataset.code
    text = json.dumps(content, indent=1, sort_keys=True) + "\n"
    write_changed(workspace.root / "code.json", text.encode())
