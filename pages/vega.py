"""Vega's scripts from the installed package, for charts without network access.

Belongs here: the bundle, made once per project (it takes seconds). Not here: charts.
"""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from importlib.metadata import version
from pathlib import Path

from silverloom.assets.declare.project import project

SNIPPET = "window.vegaEmbed = vegaEmbed; window.vega = vega;"
#: A scope of its own, because the bundle's top-level names are single letters.
_SCOPE = "(() => {%s})();\n"


def bundle(folder: Path | None = None) -> str:
    """Return Vega, Vega-Lite and vega-embed as one script; it sets `vegaEmbed` and `vega`.

    A bundle in `folder` (by default, the local state of this project) is reused if it is intact and matches
    this package and snippet. If it cannot be stored, it is made each time.
    """
    made_from = _digest(f"{version('vl-convert-python')} {SNIPPET} {_SCOPE}")
    path = (folder or project() / ".silverloom") / f"vega-{made_from}.js"
    first, _, script = _text(path).partition("\n")
    if not script or first != f"// {_digest(script)}":
        import vl_convert

        script = _SCOPE % vl_convert.javascript_bundle(SNIPPET)
        with contextlib.suppress(OSError):
            _keep(path, f"// {_digest(script)}\n{script}")
    return script


def _text(path: Path) -> str:
    """Return the content of a file; empty if it is missing or unreadable."""
    try:
        return path.read_bytes().decode(errors="replace") if path.is_file() else ""
    except OSError:
        return ""


def _keep(path: Path, text: str) -> None:
    """Write a file atomically, by rename: another process may be reading it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        file.write(text.encode())
    try:
        Path(file.name).replace(path)
    except OSError:  # a folder has its name
        Path(file.name).unlink()
        raise


def _digest(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
