"""Write pages with the files that they load to a folder, as a browser opens them without a server."""

from collections.abc import Iterable
from pathlib import Path

from silverloom.pages.html import shared


def write_site(folder: Path, files: Iterable[tuple[str, bytes]]) -> Path:
    """Write pages and shared files; return the folder of pages."""
    root = folder / "quality" / "pages"
    for name, content in [*shared(), *files]:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return root
