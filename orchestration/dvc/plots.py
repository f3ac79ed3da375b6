"""The page that `dvc plots` draws on: DVC's own loads its scripts from the network, this one has them inside.

Belongs here: making the HTML template that .dvc/config names. Not here: what is plotted (metrics.py), and how
each kind of plot looks (.dvc/plots).
"""

from __future__ import annotations

from pathlib import Path

from assets.declare.settings import ROOT
from orchestration.files.publish import write_changed

#: Beside `dvc` itself, so that wherever there is the one there is the other.
TEMPLATE = ROOT / ".venv" / "dvc-plots.html"


def write_template() -> None:
    """Write the template, a megabyte with all scripts, where it is not what it should be."""
    from orchestration.files.vega import bundle

    page = Path(__file__).with_suffix(".html").read_text().replace("{vega}", bundle())
    write_changed(TEMPLATE, page.encode())
