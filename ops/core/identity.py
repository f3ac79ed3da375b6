"""Ids that depend on content and source, never on position or time.

Belongs here: how a row gets its id, and how the licences of joined rows are combined.
Not here: hashes of files and folders (orchestration/files/identity.py).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any


def row_id(kind: str, *parts: str) -> str:
    """Return `kind-` and 24 hexadecimal digits (96 bits of BLAKE2b) of `parts`.

    Each part is hashed with its length, so that ("ab", "c") and ("a", "bc") differ.
    """
    digest = hashlib.blake2b(digest_size=12)
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return f"{kind}-{digest.hexdigest()}"


def made_from(row: Mapping[str, Any], kind: str, *parts: str) -> dict[str, Any]:
    """Return `id`, `source_ids` and `licence` of a row that is made from another one.

    Its id is `row_id` of `parts`, or of the other row's id without any.
    """
    made = row_id(kind, *parts) if parts else row_id(kind, row["id"])
    return made_of(made, [row["id"]], row["licence"])


def made_from_several(rows: Iterable[Mapping[str, Any]], kind: str, *parts: str) -> dict[str, Any]:
    """Return the same of a row that is made from several others; its id is `row_id` of `parts`."""
    sources = list(rows)
    ids = dict.fromkeys(row["id"] for row in sources)
    return made_of(row_id(kind, *parts), ids, [row["licence"] for row in sources])


def made_of(made: str, sources: Iterable[str], licences: str | Iterable[str]) -> dict[str, Any]:
    """Return the same of a row with this id; several licences become one by `joint_licence`."""
    licence = licences if isinstance(licences, str) else joint_licence(licences)
    return {"id": made, "source_ids": list(sources), "licence": licence}


def text_hash(text: str) -> int:
    """Return 64 bits of BLAKE2b of a text, to look it up among others."""
    digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def joint_licence(licences: Iterable[str]) -> str:
    """Return the licence of a row made from several: its distinct licences, sorted, joined by AND (SPDX).

    A licence that is itself a conjunction is split at AND. One with a choice (OR) or brackets is kept whole.
    """
    plain = (
        [licence] if " OR " in licence or "(" in licence else licence.split(" AND ") for licence in licences
    )
    return " AND ".join(sorted({licence for several in plain for licence in several}))
