"""Vega's scripts from the installed package, for charts without network access.

Belongs here: the bundle, made once per project (it takes seconds). Not here: charts.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from silverloom.assets.declare.cache import read_cache, write_cache
from silverloom.assets.declare.project import project

SNIPPET = "window.vegaEmbed = vegaEmbed; window.vega = vega;"
CACHE = "vega.js"
#: A scope of its own, because the bundle's top-level names are single letters.
_SCOPE = "(() => {%s})();\n"


def bundle(root: Path | None = None) -> str:
    """Return Vega, Vega-Lite and vega-embed as one script; it sets `vegaEmbed` and `vega`.

    A bundle that a project (by default, this one) has cached is reused if it matches this package and
    snippet.
    """
    made_from = f"{version('vl-convert-python')} {SNIPPET} {_SCOPE.strip()}"
    first, _, script = (read_cache(root or project(), CACHE) or b"").decode().partition("\n")
    if first != made_from:
        import vl_convert

        script = _SCOPE % vl_convert.javascript_bundle(SNIPPET)
        write_cache(root or project(), CACHE, f"{made_from}\n{script}".encode())
    return script
