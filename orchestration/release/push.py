"""Send the folder of a release to a hub, by huggingface_hub.

Belongs here: the name of a repository, the process that sends, and what it says where it cannot. Not here:
what is in the folder (write.py); tokens and addresses, which huggingface_hub finds by itself.

A process of its own sends: all others are offline by HF_HUB_OFFLINE, which huggingface_hub reads when it is
loaded.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

from assets.declare.settings import checkout

_NAME = re.compile(r"[\w.-]+/[\w.-]+")
_CANNOT = 3


def check_name(repository: str) -> str:
    """Return the name of a repository. Raises ValueError for one without a namespace."""
    if not _NAME.fullmatch(repository):
        raise ValueError(
            f"{repository!r} is no name of a repository: give the user or organisation, too: my-name/my-data"
        )
    return repository


def push(folder: Path, repository: str) -> str:
    """Send a release to the dataset of a hub, and return its address there.

    A repository that is not there is made, for its owner's eyes. One commit makes it hold what the release
    holds. Raises ValueError for a bad name, RuntimeError that says why nothing was sent.
    """
    done = subprocess.run(
        [sys.executable, "-m", "orchestration.release.push", str(folder), check_name(repository)],
        cwd=checkout(),
        stdout=subprocess.PIPE,  # progress goes to standard error
        text=True,
        check=False,
    )
    said = done.stdout.strip()
    if done.returncode:
        raise RuntimeError(f"{folder} was not sent to {repository}: {said or f'status {done.returncode}'}")
    return said


def _send(folder: Path, repository: str) -> str:
    """Send the folder. Raises RuntimeError without a token, and what huggingface_hub raises."""
    from huggingface_hub import HfApi, get_token

    if get_token() is None:
        raise RuntimeError("there is no token: `hf auth login` once, or HF_TOKEN in the environment")
    version = hashlib.md5((folder / "dvc.json").read_bytes(), usedforsecurity=False).hexdigest()
    hub = HfApi()
    made = hub.create_repo(repository, repo_type="dataset", private=True, exist_ok=True)
    hub.upload_folder(
        repo_id=repository,
        repo_type="dataset",
        folder_path=folder,
        delete_patterns="*",  # what a former release had, and this one has not
        commit_message=f"Release of the data {version}.dir",
    )
    return str(made)


def _cause(error: Exception) -> str:
    """Return what an error means to who sends."""
    from huggingface_hub import constants
    from huggingface_hub.errors import HfHubHTTPError, HTTPError

    hub = constants.ENDPOINT
    if isinstance(error, HfHubHTTPError):
        status = error.response.status_code
        why = {401: "the token is not valid there", 403: "the token may not write there"}.get(status)
        told = " ".join((error.server_message or str(error)).split())
        return f"{hub} answers {status}: {why + ': ' if why else ''}{told}"
    if isinstance(error, HTTPError):
        return f"{hub} cannot be reached: {error}"
    return str(error)


def _main(folder: str, repository: str) -> int:
    """Send, and print the address, or why it failed."""
    os.environ["HF_HUB_OFFLINE"] = "0"  # of this process alone
    from huggingface_hub.errors import HTTPError

    try:
        print(_send(Path(folder), repository))
    except (OSError, RuntimeError, ValueError, HTTPError) as error:
        print(_cause(error))
        return _CANNOT
    return 0


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))
