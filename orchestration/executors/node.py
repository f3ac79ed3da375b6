"""What a worker needs from its machine in the cluster: folders for files, and the right packages.

Belongs here: temporary folders shared by a machine's workers, and removing them even if the driver is gone;
comparing packages and models with the driver's. Not here: what is sent (shipping.py).
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.metadata
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from silverloom.ops.models.installed import MODELS_TXT, ModelNotInstalledError, digest, is_listed
from silverloom.orchestration.executors.base import WorkerDiffersError

#: The lock on the folder that this process used last.
held_folders: dict[Path, int] = {}


def folder(token: str) -> Path:
    """Return this machine's folder for one map, locked until this process asks for another one.

    A folder without a lock is abandoned, and the next process that asks for a folder removes it.
    """
    place = _base() / token
    if place in held_folders and place.exists():
        return place
    while held_folders:
        os.close(held_folders.popitem()[1])
    _sweep()
    while True:
        place.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(place, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        with contextlib.suppress(FileNotFoundError):  # another process removed it in between
            if place.stat().st_ino == os.fstat(descriptor).st_ino:
                held_folders[place] = descriptor
                return place
        os.close(descriptor)


def remove(token: str) -> None:
    """Remove the folder of a finished map."""
    shutil.rmtree(_base() / token, ignore_errors=True)


def _base() -> Path:
    """Return this user's base folder, created if needed. Raises PermissionError if another user owns it."""
    base = Path(tempfile.gettempdir()) / f"silverloom-{os.getuid()}"
    base.mkdir(mode=0o700, exist_ok=True)
    if base.is_symlink() or base.stat().st_uid != os.getuid():
        raise PermissionError(f"{base} belongs to another user: remove it, or set TMPDIR")
    return base


def _sweep() -> None:
    for place in _base().iterdir():
        with contextlib.suppress(OSError):
            descriptor = os.open(place, os.O_RDONLY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(place, ignore_errors=True)
            finally:
                os.close(descriptor)


@dataclass(frozen=True)
class Expected:
    """What the driver computes keys from. A worker with anything else would make different bytes."""

    packages: Mapping[str, str]
    models: Mapping[str, str]
    """Digests of models by name."""


_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;]+)", re.MULTILINE)


def check(expected: Expected) -> None:
    """Raise WorkerDiffersError if this process has other packages or models."""
    faults = [*_other_packages(expected.packages), *_other_models(expected.models)]
    if faults:
        more = f"; and {len(faults) - 5} more" if len(faults) > 5 else ""
        raise WorkerDiffersError(
            f"the worker on {os.uname().nodename} differs: {'; '.join(faults[:5])}{more}"
        )


def _other_packages(packages: Mapping[str, str]) -> Iterator[str]:
    for name, wanted in packages.items():
        installed = _installed(name)
        if installed != wanted:
            yield f"{name} is {installed or 'not installed'}, but requirements.lock has {wanted}"


def _installed(name: str) -> str | None:
    """Return the version of a package without its build suffix, such as torch's +cpu."""
    try:
        return importlib.metadata.version(name).partition("+")[0]
    except importlib.metadata.PackageNotFoundError:
        return None


def _other_models(models: Mapping[str, str]) -> Iterator[str]:
    pins = dict(_PIN.findall(MODELS_TXT.read_text(encoding="utf-8"))) if models else {}
    for name, wanted in models.items():
        try:
            own_digest = digest(name)
        except ModelNotInstalledError as error:
            yield str(error)
            continue
        if own_digest != wanted:
            yield f"model {name} has the digest {own_digest}, but the driver's has {wanted}"
        elif is_listed(name) and _installed(name) != pins[name]:
            yield f"model {name} is {_installed(name) or 'not installed'}, but models.txt has {pins[name]}"
