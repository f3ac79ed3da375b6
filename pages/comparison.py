"""The page of `silverloom compare`: two versions of a dataset, row by row.

Belongs here: how a comparison is shown. Not here: comparing (orchestration/versions/compare.py). Git's
history is not an input of any asset, so this page is not part of the report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from silverloom.pages.html import render


def comparison_page(comparison: Mapping[str, Any], root: str, kinds: Sequence[str], alike: str) -> bytes:
    """Return the page of one comparison; it says `alike` if both versions were made from the same inputs.

    `root` is the relative path to the folder of all pages; `kinds` are the kinds of row changes.
    """
    title = f"{comparison['dataset']}: versions"
    return render(
        "version.html", "version.html", title, root=root, kinds=kinds, alike=alike, comparison=comparison
    )[1]
