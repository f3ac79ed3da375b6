"""Vega's scripts, from the installed package, for whatever draws without the network.

Belongs here: the bundle, made once in a checkout (it takes seconds). Not here: charts.
"""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from importlib.metadata import version
from pathlib import Path

from assets.declare.settings import checkout

SNIPPET = "window.vegaEmbed = vegaEmbed; window.vega = vega;"
#: A scope of its own: the bundle's top-level names are of one letter.
_SCOPE = "(() => {%s})();\n"


def bundle(folder: Path | None = None) -> str:
    """Return Vega, Vega-Lite and vega-embed as one script; it sets `vegaEmbed` and `vega`.

    What was made before is taken from a folder (the local state of this checkout, by default) if it is of
    this package and snippet, and whole. Where it cannot be kept, it is made each time.
    """
    made_from = _digest(f"{version('vl-convert-python')} {SNIPPET} {_SCOPE}")
    path = (folder or checkout() / ".silverloom") / f"vega-{made_from}.js"
    first, _, script = _text(path).partition("\n")
    if not script or first != f"// {_digest(script)}":
        import vl_convert

        script = _SCOPE % vl_convert.javascript_bundle(SNIPPET)
        with contextlib.suppress(OSError):
            _keep(path, f"// {_digest(script)}\n{script}")
    return script


def _text(path: Path) -> str:
    """Return what a file holds; nothing where there is none, or none that can be read."""
    try:
        return path.read_bytes().decode(errors="replace") if path.is_file() else ""
    except OSError:
        return ""


def _keep(path: Path, text: str) -> None:
    """Write a file whole, by rename: another process may be reading it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        file.write(text.encode())
    try:
        Path(file.name).replace(path)
    except OSError:  # a folder is in its place
        Path(file.name).unlink()
        raise


def _digest(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
