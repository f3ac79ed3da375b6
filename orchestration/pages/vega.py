"""Vega's scripts, from the installed package, for whatever draws without the network.

Belongs here: the bundle, made once in a checkout (it takes a second). Not here: charts.
"""

from __future__ import annotations

from importlib.metadata import version

from orchestration.graph import STATE
from orchestration.store.publish import write_file


def bundle() -> str:
    """Return Vega, Vega-Lite and vega-embed as one script; it sets `vegaEmbed` and `vega`."""
    path = STATE / f"vega-{version('vl-convert-python')}.js"
    if not path.exists():
        import vl_convert

        made = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed; window.vega = vega;")
        # a scope of its own: the bundle's top-level names are of one letter
        write_file(path, f"(() => {{{made}}})();\n".encode())
    return path.read_text()
