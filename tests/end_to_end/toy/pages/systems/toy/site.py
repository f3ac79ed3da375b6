"""What Toy adds to the pages: a list of its riddles."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow.parquet as pq

from silverloom.assets.declare.graph import Everything, Files
from silverloom.assets.rows.reading import Counted
from silverloom.pages.html import render
from silverloom.pages.system import SystemPages


def pages(everything: Everything, numbers: Mapping[str, Counted]) -> Files:
    """Yield the list."""
    paths = [
        path
        for folder in everything["toy/questions"].values()
        for path in sorted(folder.glob("kept-*.parquet"))
    ]
    riddles = [row for path in paths for row in pq.read_table(path).to_pylist()]
    yield render("riddles.html", "toy/riddles.html", "Riddles", riddles=riddles)


SYSTEM = SystemPages(
    pages=pages, navigation=(("riddles.html", "Riddles"),), pictures={"toy/model": "riddles.html"}
)
