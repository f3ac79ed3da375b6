"""A dataset at a revision of the repository: its files, and what they were made from.

Belongs here: git revisions and experiments, dvc.lock at a revision, a version's files in DVC's cache or on
disk. Not here: comparing the rows of two versions (ops/versions), and reporting it (compare.py).
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from silverloom.ops.core.periods import ALL
from silverloom.orchestration.files.identity import folder_files, folder_hashes, version
from silverloom.orchestration.files.local_state import UnreadableError, read_state
from silverloom.orchestration.state.dvc_files import (
    DamagedLockError,
    cached,
    cached_files,
    locked_stages,
    parse_lock,
    recorded,
)
from silverloom.orchestration.state.freshness import parse_manifest
from silverloom.orchestration.workspace.workspace import NoGitError, Workspace, git, git_lines

WORKING_TREE = "the working tree"


class NotInCacheError(RuntimeError):
    """A version was recorded, but its bytes are not here; the text gives the command that gets them."""


@dataclass(frozen=True)
class Version:
    """One version of a dataset."""

    workspace: Workspace
    dataset: str
    revision: str
    """As given by the user: HEAD~1, the name of a branch or an experiment, the working tree."""
    commit: str | None
    md5: str
    files: Mapping[str, str]
    """MD5 by path below the dataset's folder."""
    manifests: Mapping[str, Path] = field(default_factory=dict, repr=False)
    """The paths of its partitions' manifests, by file name."""

    @property
    def label(self) -> str:
        """The revision, followed by its commit if it is a name."""
        if self.commit is None:
            return self.revision
        short = self.commit[:7]
        return short if self.commit.startswith(self.revision) else f"{self.revision} ({short})"

    def keys(self) -> dict[str, dict[str, Any]]:
        """Return what each partition was made from; partitions of which that is unknown are left out."""
        keys = {}
        for name, path in self.manifests.items():
            partition = name.removesuffix(".json")
            if partition == ALL and not self._files(ALL):  # not partitioned: its files are in no folder
                partition = ""
            with contextlib.suppress(UnreadableError):
                manifest = parse_manifest(read_state(path) or b"")
                if manifest.files == self._files(partition):
                    keys[partition] = dict(manifest.key)
        return keys

    def _files(self, partition: str) -> dict[str, str]:
        prefix = f"{partition}/" if partition else ""
        named = (
            (name.removeprefix(prefix), md5) for name, md5 in self.files.items() if name.startswith(prefix)
        )
        return dict(named)

    def path(self, file: str) -> Path:
        """Return the path of one of its Parquet files.

        Raises NotInCacheError, and ValueError for a file that is not Parquet.
        """
        if self.commit is None:
            path = self.workspace.data / self.dataset / file
        else:
            path = cached(self.workspace, self.files[file])
        if not path.exists():
            raise _not_here(f"{file} of {self.dataset}", self)
        try:
            pq.read_metadata(path)
        except (pa.ArrowInvalid, OSError) as error:
            place = f"{self.dataset}/{file} of {self.label}"
            raise ValueError(f"{place} cannot be read as Parquet ({path}): {error}") from error
        return path


def at(workspace: Workspace, dataset: str, revision: str) -> Version:
    """Return a dataset at a revision; an empty revision is the working tree.

    Raises ValueError for an unknown revision, LookupError if the revision has no such dataset,
    NotInCacheError if its list of files is not in DVC's cache.
    """
    if not revision:
        return _on_disk(workspace, dataset)
    commit = resolve(workspace, revision)
    stages = stages_of(workspace, commit)
    stage = stages.get(_stage(dataset), {})
    md5 = recorded(stage, "outs", f"data/{dataset}")
    if md5 is None:
        known = ", ".join(_datasets(stages)) or "none"
        raise LookupError(f"{revision} has no dataset {dataset} in its dvc.lock; it has: {known}")
    files = cached_files(workspace, md5)
    listed = cached_files(workspace, recorded(stage, "outs", f"manifests/{dataset}") or "") or {}
    manifests = {name: cached(workspace, manifest) for name, manifest in listed.items()}
    at_revision = Version(workspace, dataset, revision, commit, md5, files or {}, manifests)
    if files is None:
        raise _not_here(dataset, at_revision)
    return at_revision


def _on_disk(workspace: Workspace, dataset: str) -> Version:
    files = folder_hashes(workspace.data / dataset)
    if not files:
        raise LookupError(
            f"data/{dataset} does not exist: `silverloom run --select {dataset}` makes it, "
            f"`dvc pull data/{dataset}` gets the version in dvc.lock"
        )
    manifests = folder_files(workspace.root / "manifests" / dataset)
    return Version(workspace, dataset, WORKING_TREE, None, version(files), files, manifests)


def resolve(workspace: Workspace, revision: str) -> str:
    """Return the commit of a git revision or of a DVC experiment. Raises ValueError."""
    parsed = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    commits = git_lines(workspace, *parsed)
    if not commits and re.fullmatch(r"[\w.-]+", revision):
        commits = git_lines(workspace, "for-each-ref", "--format=%(objectname)", f"refs/exps/*/*/{revision}")
    if len({*commits}) > 1:
        choices = ", ".join(commit[:7] for commit in commits)
        raise ValueError(f"several experiments are called {revision!r}: choose one of the commits {choices}")
    if not commits:
        raise ValueError(
            f"there is no revision or experiment {revision!r} here (see `git log`, `dvc exp list -A`)"
        )
    return commits[0]


@lru_cache(maxsize=64)
def stages_of(workspace: Workspace, commit: str) -> Mapping[str, Any]:
    """Return the stages in a commit's dvc.lock. Raises LookupError without one, ValueError if invalid."""
    content = git(workspace, "show", f"{commit}:./dvc.lock")
    if content is None:
        raise LookupError(f"{commit[:7]} has no dvc.lock: nothing was recorded then")
    try:
        return parse_lock(content)
    except DamagedLockError as error:
        raise ValueError(f"dvc.lock of {commit[:7]} cannot be read: {error}") from error


def head(workspace: Workspace) -> str:
    """Return the commit that is checked out; "" before the first commit or outside git."""
    try:
        return "".join(git_lines(workspace, "rev-parse", "HEAD"))
    except NoGitError:
        return ""


def _not_here(what: str, version: Version) -> NotInCacheError:
    return NotInCacheError(
        f"{what} as of {version.label} is not in DVC's cache; {_command(version)} gets it if it was pushed"
    )


def _command(wanted: Version) -> str:
    """Return the command that gets a version. DVC only fetches from branches, tags and named experiments."""
    workspace, commit, path = wanted.workspace, wanted.commit, f"data/{wanted.dataset}"
    present = folder_hashes(workspace.root / path)
    locked = recorded(locked_stages(workspace).get(_stage(wanted.dataset), {}), "outs", path)
    if commit is None or (locked == wanted.md5 and (not present or version(present) == wanted.md5)):
        return f"`dvc pull {path}`"
    fetch = f"`dvc fetch --all-commits {path}`"
    branches = ("refs/heads", "refs/remotes", "refs/tags")
    if git(workspace, "for-each-ref", f"--contains={commit}", *branches) or (
        git(workspace, "merge-base", "--is-ancestor", commit, "HEAD") is not None
    ):
        return fetch
    names = git_lines(
        workspace, "for-each-ref", f"--points-at={commit}", "--format=%(refname)", "refs/exps/*/*/*"
    )
    remotes = sorted(git_lines(workspace, "remote"), key=lambda name: name != "origin")
    if names and remotes:
        return f"`dvc exp pull {remotes[0]} {names[0].rpartition('/')[2]}`"
    return f"`git branch found-{commit[:7]} {commit[:7]}`, then {fetch}"


def _stage(dataset: str) -> str:
    return dataset.replace("/", "-")


def _datasets(stages: Mapping[str, Any]) -> list[str]:
    paths = [str(output.get("path", "")) for stage in stages.values() for output in stage.get("outs", [])]
    return sorted(path.removeprefix("data/") for path in paths if path.startswith("data/"))
