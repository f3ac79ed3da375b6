"""Vega's scripts, from the installed package, for whatever draws without the network.

Belongs here: the bundle, made once in a checkout (it takes a second). Not here: charts.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from orchestration.files.damage import DamagedError, read_state, set_aside
from orchestration.files.identity import json_digest
from orchestration.files.publish import write_file
from orchestration.workspace.workspace import Workspace

_SNIPPET = "window.vegaEmbed = vegaEmbed; window.vega = vega;"
#: A scope of its own: the bundle's top-level names are of one letter.
_SCOPE = "(() => {%s})();\n"


def bundle(folder: Path | None = None) -> str:
    """Return Vega, Vega-Lite and vega-embed as one script; it sets `vegaEmbed` and `vega`.

    What was made before is taken from a folder (the local state of this checkout, by default) if it is of
    this package and snippet, and whole.
    """
    made_from = json_digest(f"{version('vl-convert-python')} {_SNIPPET} {_SCOPE}")
    path = (folder or Workspace.here().state) / f"vega-{made_from}.js"
    try:
        first, _, script = (read_state(path) or b"").decode(errors="replace").partition("\n")
    except DamagedError as error:
        set_aside(path, error, "it is made again")
        first = script = ""
    if not script or first != f"// {json_digest(script)}":
        import vl_convert

        script = _SCOPE % vl_convert.javascript_bundle(_SNIPPET)
        write_file(path, f"// {json_digest(script)}\n{script}".encode())
    return script
