"""`silverloom clean`: remove what nothing needs any more from Dagster, MLflow and DVC's cache.

Belongs here: what is removed, in which order, and saying so. Not here: which runs of Dagster are needed
(dagster/past_runs.py); ticks, which Dagster purges itself (.dagster/dagster.yaml).
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from silverloom.orchestration.dagster.instance import dagster_errors, instance
from silverloom.orchestration.dagster.past_runs import old_runs
from silverloom.orchestration.messages import number_of
from silverloom.orchestration.mlflow.store import ARTIFACTS
from silverloom.orchestration.state.dvc_files import cache_folder, cached
from silverloom.orchestration.workspace.workspace import Workspace


def clean(workspace: Workspace, days: int, delete: bool) -> int:
    """Remove old failed runs and more, or only say so. Returns the first nonzero status of a tool.

    Of DVC's cache stays what the workspace, any commit and experiments name; a cache outside of the project,
    which others may share, stays whole. MLflow's deleted runs are removed if its store is this checkout's.
    """
    ending = "removed" if delete else "would be removed"
    runs = old_runs(workspace, days)
    if delete:
        with dagster_errors():
            for run in runs:
                instance().delete_run(run)
    print(f"Dagster: {number_of(len(runs), 'failed run')} {ending}", flush=True)
    cache = cache_folder(workspace.root).resolve()
    if not cache.is_relative_to(workspace.root.resolve()):
        print(f"DVC's cache: left as it is, because other projects may share it: {cache}", flush=True)
    else:
        print("DVC's cache: looking for what no commit names", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            _write_named(workspace, Path(folder))
            collected = _collect(workspace, Path(folder), delete)
        if collected.returncode:
            print(collected.stderr, file=sys.stderr, end="")
            return collected.returncode
        files = sum(map(int, re.findall(r"^Removed (\d+) objects", collected.stdout, re.MULTILINE)))
        print(f"DVC's cache: {number_of(files, 'file')} {ending}", flush=True)
    if not (workspace.tracked_here and workspace.mlflow_store.exists()):
        return 0
    if not delete:
        print(f"MLflow: runs that were deleted more than {number_of(days, 'day')} ago {ending}")
        return 0
    artifacts = str(workspace.mlflow_store.with_name(ARTIFACTS))
    store = ("--backend-store-uri", workspace.tracking_uri, "--artifacts-destination", artifacts)
    mlflow = (sys.executable, "-m", "mlflow", "gc", *store, "--older-than", f"{days}d")
    environment = {**os.environ, "MLFLOW_TRACKING_URI": workspace.tracking_uri}
    done = subprocess.run(
        mlflow, cwd=workspace.root, env=environment, capture_output=True, text=True, check=False
    )
    *_, last = done.stderr.splitlines() or [""] if done.returncode else ["removed what was deleted"]
    print(f"MLflow: {last}", flush=True)
    return done.returncode


#: A hash in dvc.lock; YAML quotes one that looks like a number.
_MD5 = re.compile(rb"md5: ['\"]?([0-9a-f]{32}(?:\.dir)?)")
#: What git says of an object that it does not have.
_MISSING = re.compile(rb"[0-9a-f]{40,64} missing$")


def _write_named(workspace: Workspace, folder: Path) -> None:
    """Make a project of DVC in a folder that names every version in the cache that any commit names.

    DVC can look through all commits itself, but takes a second for each. Raises RuntimeError if git fails.
    """
    listing = ["git", "rev-list", "--objects", "--all", "HEAD", "--full-history", "--", "dvc.lock", "*.dvc"]
    listed = subprocess.run(listing, cwd=workspace.root, capture_output=True, text=True, check=False)
    if listed.returncode:
        raise RuntimeError(f"git failed, so nothing was removed: {listed.stderr.strip()}")
    found = (line.partition(" ") for line in listed.stdout.splitlines())
    files = [name for name, _, path in found if path.endswith(("dvc.lock", ".dvc"))]  # no commits or folders
    (folder / "objects").write_text("".join(f"{name}\n" for name in files))
    hashes, is_whole = set[str](), True
    with (folder / "objects").open() as given:
        reading = ["git", "cat-file", "--batch"]
        with subprocess.Popen(reading, cwd=workspace.root, stdin=given, stdout=subprocess.PIPE) as read:
            assert read.stdout is not None
            for line in read.stdout:
                hashes.update(name.decode() for name in _MD5.findall(line))
                is_whole = is_whole and not _MISSING.match(line)
    if read.returncode or not is_whole:
        raise RuntimeError("nothing was removed: git lacks some objects of its history (`git fetch` them)")
    named, cache = sorted(hashes), cache_folder(workspace.root)
    of_dvc_2 = [md5 for md5 in named if (cache / md5[:2] / md5[2:]).exists()]
    outs = [
        *({"md5": md5, "path": md5, "hash": "md5"} for md5 in named if cached(workspace, md5).exists()),
        *({"md5": md5, "path": f"{md5}.old"} for md5 in of_dvc_2),
    ]
    (folder / ".dvc").mkdir()
    (folder / ".dvc/config").write_text(f"[core]\n    no_scm = true\n[cache]\n    dir = {cache.resolve()}\n")
    (folder / "named.dvc").write_text(json.dumps({"outs": outs}))  # JSON is YAML


def _collect(workspace: Workspace, named: Path, delete: bool) -> subprocess.CompletedProcess[str]:
    keep = ("--workspace", "--projects", str(named))
    command = [sys.executable, "-m", "dvc", "gc", *keep, "--force", *([] if delete else ["--dry"])]
    return subprocess.run(command, cwd=workspace.root, capture_output=True, text=True, check=False)
