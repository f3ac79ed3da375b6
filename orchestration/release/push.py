"""Upload a release folder to a hub with huggingface_hub.

Belongs here: repository names, the uploading process, and its error messages. Not here: the folder's content
(write.py); tokens and addresses, which huggingface_hub finds itself.

The upload runs in its own process: all others are offline through HF_HUB_OFFLINE, which huggingface_hub reads
when it is loaded.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

from silverloom.assets.declare.project import import_root

_NAME = re.compile(r"[\w.-]+/[\w.-]+")
_CANNOT = 3


def check_name(repository: str) -> str:
    """Return a repository name unchanged. Raises ValueError if it lacks a namespace."""
    if not _NAME.fullmatch(repository):
        raise ValueError(
            f"{repository!r} is not a repository name: add the user or organisation, as in my-name/my-data"
        )
    return repository


def push(folder: Path, repository: str) -> str:
    """Upload a release to a hub's dataset repository, and return its URL.

    A missing repository is created as private. A single commit makes its content equal to the release. Raises
    ValueError for an invalid name, RuntimeError with the cause if nothing was uploaded.
    """
    done = subprocess.run(
        [sys.executable, "-m", "silverloom.orchestration.release.push", str(folder), check_name(repository)],
        cwd=import_root(),
        stdout=subprocess.PIPE,  # progress goes to standard error
        text=True,
        check=False,
    )
    said = done.stdout.strip()
    if done.returncode:
        raise RuntimeError(f"{folder} was not sent to {repository}: {said or f'status {done.returncode}'}")
    return said


def _send(folder: Path, repository: str) -> str:
    """Upload the folder. Raises RuntimeError without a token, and whatever huggingface_hub raises."""
    from huggingface_hub import HfApi, get_token

    if get_token() is None:
        raise RuntimeError("there is no token: run `hf auth login` once, or set HF_TOKEN")
    version = hashlib.md5((folder / "dvc.json").read_bytes(), usedforsecurity=False).hexdigest()
    hub = HfApi()
    made = hub.create_repo(repository, repo_type="dataset", private=True, exist_ok=True)
    hub.upload_folder(
        repo_id=repository,
        repo_type="dataset",
        folder_path=folder,
        delete_patterns="*",  # files of an earlier release that this one lacks
        commit_message=f"Release of the data {version}.dir",
    )
    return str(made)


def _cause(error: Exception) -> str:
    """Return an error message for the user."""
    from huggingface_hub import constants
    from huggingface_hub.errors import HfHubHTTPError, HTTPError

    hub = constants.ENDPOINT
    if isinstance(error, HfHubHTTPError):
        status = error.response.status_code
        why = {401: "the token is invalid", 403: "the token has no write access"}.get(status)
        told = " ".join((error.server_message or str(error)).split())
        return f"{hub} answered {status}: {why + ': ' if why else ''}{told}"
    if isinstance(error, HTTPError):
        return f"{hub} cannot be reached: {error}"
    return str(error)


def _main(folder: str, repository: str) -> int:
    """Upload the folder; print the URL, or why it failed."""
    os.environ["HF_HUB_OFFLINE"] = "0"  # only in this process
    from huggingface_hub.errors import HTTPError

    try:
        print(_send(Path(folder), repository))
    except (OSError, RuntimeError, ValueError, HTTPError) as error:
        print(_cause(error))
        return _CANNOT
    return 0


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))
