"""JSON with a checksum: what is read is what was written.

Belongs here: the form of small files of local state, and reading them. Not here: what they hold.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from orchestration.files.damage import DamagedError, read_state, set_aside
from orchestration.files.identity import json_digest

#: The key of the checksum, beside those of the content.
CHECKSUM = "checksum"


def dump(content: Mapping[str, Any]) -> bytes:
    """Return JSON with the checksum of its content."""
    content = json.loads(json.dumps(content))  # keys become texts before they are sorted
    return json.dumps({**content, CHECKSUM: json_digest(content)}, sort_keys=True, indent=1).encode()


def load(text: bytes) -> tuple[dict[str, Any], bool]:
    """Return the content of what `dump` wrote, and whether it bears a checksum. Raises DamagedError."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise DamagedError("it is no JSON" if text.strip() else "it is empty") from None
    if not isinstance(content, dict):
        raise DamagedError("it holds something else")
    checked = CHECKSUM in content
    if checked and content.pop(CHECKSUM) != json_digest(content):
        raise DamagedError("its checksum is not that of its content")
    return content, checked


def read(path: Path, kind: TypeAdapter[Any], then: str) -> dict[str, Any] | None:
    """Return what a file holds; None where there is none. One that is damaged is set aside, and `then` said.

    A file of the right `kind` without a checksum was written before there were any: it is as if it were lost.
    """
    try:
        text = read_state(path)
        if text is None:
            return None
        content, checked = load(text)
        kind.validate_python(content)
    except (DamagedError, ValidationError) as error:
        set_aside(path, first_fault(error) if isinstance(error, ValidationError) else error, then)
        return None
    return content if checked else None


def first_fault(error: ValidationError) -> str:
    """Return where a content of another shape differs first, and how."""
    first = error.errors()[0]
    return f"it holds something else ({'.'.join(map(str, first['loc']))}: {first['msg']})"
