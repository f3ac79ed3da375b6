"""Models from text to text as they are called where the project is not: sources in, answers out.

Belongs here: loading one. Not here: the columns (ops/models/served.py), the files (files.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ops.models.served import text_to_text

if TYPE_CHECKING:
    from ops.models.seq2seq.model import Seq2Seq


def _load(files: Mapping[str, bytes]) -> Seq2Seq:
    from ops.models.seq2seq.files import load

    return load(files)


KIND = text_to_text(__name__, _load)
