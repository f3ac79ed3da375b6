"""Where pages lie: that of a dataset below the folder of all pages, and the folder that is shown.

Belongs here: these names, which pages, links and servers share. Not here: what is on a page.
"""

from __future__ import annotations

from pathlib import Path

#: The folder of the pages of every dataset, which is a DVC output, and beside it that of pages of a part.
PAGES, SO_FAR = "pages", "pages-so-far"


def shown_pages(quality: Path) -> Path:
    """Return the folder of pages to look at: those of what is made so far, where there are any, else all."""
    so_far = quality / SO_FAR
    return so_far if (so_far / "index.html").is_file() else quality / PAGES


def page_path(name: str, kind: str = "datasets") -> str:
    """Return the path of a dataset's page of some kind."""
    return f"{kind}/{name.replace('/', '-')}.html"
