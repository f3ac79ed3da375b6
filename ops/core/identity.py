"""Ids that depend on content and source, never on position or time.

Belongs here: how a row gets its id, and how licences of joined rows are written.
Not here: hashes of files and folders (orchestration/files/identity.py).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def row_id(kind: str, *parts: str) -> str:
    """Return `kind-` and 24 hexadecimal digits (96 bits of BLAKE2b) of `parts`.

    Parts are joined with their lengths, so that ("ab", "c") and ("a", "bc") differ.
    """
    digest = hashlib.blake2b(digest_size=12)
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return f"{kind}-{digest.hexdigest()}"


def joint_licence(licences: Iterable[str]) -> str:
    """Return the licence of a row made from several: its distinct licences, sorted, joined by AND (SPDX).

    One that is such a row's already counts as the licences that it was joined of; one with a choice (OR) or
    brackets stays as it is.
    """
    plain = (
        [licence] if " OR " in licence or "(" in licence else licence.split(" AND ") for licence in licences
    )
    return " AND ".join(sorted({licence for several in plain for licence in several}))
