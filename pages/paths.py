"""Paths of pages: the page of a dataset within the folder of all pages, and the folder to show.

Belongs here: these names, which pages, links and servers share. Not here: the content of pages.
"""

from __future__ import annotations

from pathlib import Path

#: The folder of the report on all datasets, a DVC output, and next to it the folder of interim pages.
PAGES, SO_FAR = "pages", "pages-so-far"


def shown_pages(quality: Path) -> Path:
    """Return the folder of pages to show: interim pages if there are any, else the report on all datasets."""
    so_far = quality / SO_FAR
    return so_far if (so_far / "index.html").is_file() else quality / PAGES


def page_path(name: str, kind: str = "datasets") -> str:
    """Return the path of a dataset's page of the given kind."""
    return f"{kind}/{name.replace('/', '-')}.html"
