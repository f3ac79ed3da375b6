"""Paths of pages: the page of a dataset within the folder of all pages, and the folder to show.

Belongs here: these names, which pages, links and servers share. Not here: the content of pages.
"""

from __future__ import annotations

from pathlib import Path

#: The folder of the report on all datasets, a DVC output, and next to it that of what is made so far.
PAGES, SO_FAR = "pages", "pages-so-far"

#: Next to them, the Data Docs of Great Expectations (`silverloom gx`).
DATA_DOCS = "gx"

#: The report: the asset that writes the former.
REPORT = "quality/pages"


def shown_pages(quality: Path) -> Path:
    """Return the folder of pages to show: the report on all datasets, unless later ones were asked for."""
    report, so_far = quality / PAGES, quality / SO_FAR
    return so_far if _written(so_far) > _written(report) else report


def _written(folder: Path) -> float:
    first = folder / "index.html"
    return first.stat().st_mtime if first.is_file() else 0.0


def page_path(name: str, kind: str = "datasets") -> str:
    """Return the path of a dataset's page of the given kind."""
    return f"{kind}/{name.replace('/', '-')}.html"
