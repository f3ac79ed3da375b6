"""Models of the Hugging Face hub, read from the local cache only.

Belongs here: which names are the hub's, and where such a model lies. Not here: packages and files
(installed.py), loading.
"""

from __future__ import annotations

from pathlib import Path

from ops.models.installed import ModelNotInstalledError, is_file


def is_hub_model(name: str) -> bool:
    """Return whether a name stands for a model of the hub: it has a slash and is no file's."""
    return "/" in name and not is_file(name)


def hub_snapshot(name: str) -> Path:
    """Return the folder of a hub model in the local cache; its name is the commit.

    Raises ModelNotInstalledError if it is not there.
    """
    from huggingface_hub import constants, snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except LocalEntryNotFoundError:
        raise ModelNotInstalledError(
            f"hub model {name!r} is not in the cache {constants.HF_HUB_CACHE}: run `hf download {name}`"
        ) from None
