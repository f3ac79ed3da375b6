"""Several contents in one file, which is read as it was written or not at all.

Belongs here: that file, a zip with a checksum behind it. Not here: what is in it (execute/).

The checksum covers the file's place as well: a copy elsewhere is not taken for what belongs there.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

from orchestration.files.damage import DamagedError, read_state, set_aside
from orchestration.files.publish import writing

_CHECKSUM = hashlib.md5(usedforsecurity=False).digest_size


def write_bundle(path: Path, contents: Mapping[str, bytes], sync: bool = True) -> None:
    """Write contents by their names. Raises DiskFullError; then the former file stays.

    Without `sync` a power cut may tear the file, which the checksum shows.
    """
    with writing(path, sync) as temporary:
        with zipfile.ZipFile(temporary, "w") as file:
            for name, content in contents.items():
                file.writestr(name, content)
        with temporary.open("rb+") as whole:
            whole.write(_checksum(path, whole.read()))


def read_bundle(path: Path, then: str) -> dict[str, bytes] | None:
    """Return what a file holds, None where there is none; a damaged one is set aside, and `then` said."""
    try:
        content = read_state(path)
        if content is None:
            return None
        if content[-_CHECKSUM:] != _checksum(path, content[:-_CHECKSUM]):
            raise DamagedError("its checksum is not that of its content and place")
    except DamagedError as error:
        set_aside(path, error, then)
        return None
    with zipfile.ZipFile(io.BytesIO(content[:-_CHECKSUM])) as file:
        return {name: file.read(name) for name in file.namelist()}


def _checksum(path: Path, content: bytes) -> bytes:
    """Return the checksum of a content and its place, from `.silverloom` on."""
    place = "/".join(path.parts[-6:]).encode()
    return hashlib.md5(content + place, usedforsecurity=False).digest()
