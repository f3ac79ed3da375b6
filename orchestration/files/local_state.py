"""Files of local state: one that cannot be read counts as absent, and one line says so.

Belongs here: reading such a file, and JSON with a checksum, so that a torn or edited file shows. Not here:
what the files contain, and how it is made again. Nothing is repaired: the next writer replaces the file.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from silverloom.orchestration.files.identity import json_digest

T = TypeVar("T")


class UnreadableError(ValueError):
    """A file of local state cannot be read; the text says why, without the file's name."""


def read_state(path: Path) -> bytes | None:
    """Return a file's bytes, or None if there is no file. Raises UnreadableError for anything else."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (IsADirectoryError, PermissionError) as error:
        raise UnreadableError(error.strerror) from None


@cache
def tell_unreadable(path: Path, cause: str, then: str) -> None:
    """Print a line, once: what is wrong with a file of local state, and what happens `then`."""
    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    print(f"warning: {shown} cannot be used: {' '.join(cause.split())}; {then}", file=sys.stderr, flush=True)


#: The key of the checksum, next to the keys of the content.
CHECKSUM = "checksum"


def dump_checked(content: Mapping[str, Any]) -> bytes:
    """Return JSON with the checksum of its content."""
    content = json.loads(json.dumps(content))  # turns keys into strings before they are sorted
    return json.dumps({**content, CHECKSUM: json_digest(content)}, sort_keys=True, indent=1).encode()


def load_checked(text: bytes) -> dict[str, Any]:
    """Return the content that `dump_checked` wrote. Raises UnreadableError for anything else."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise UnreadableError("it is not JSON" if text.strip() else "it is empty") from None
    if not isinstance(content, dict) or content.pop(CHECKSUM, None) != json_digest(content):
        raise UnreadableError("its checksum does not match its content")
    return content


def read_checked(path: Path, then: str, parse: Callable[[dict[str, Any]], T]) -> T | None:
    """Return what `parse` makes of a file's content, or None if it is missing or unreadable.

    If it is unreadable, or `parse` raises UnreadableError, a line with `then` says so.
    """
    try:
        text = read_state(path)
        return None if text is None else parse(load_checked(text))
    except UnreadableError as error:
        tell_unreadable(path, str(error), then)
        return None
