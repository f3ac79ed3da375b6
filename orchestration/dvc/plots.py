"""The page that `dvc plots` draws on: DVC's own loads its scripts from the network, this one has them inside.

Belongs here: making the HTML template that .dvc/config names. Not here: what is plotted (metrics.py), and how
each kind of plot looks (.dvc/plots).
"""

from __future__ import annotations

from pathlib import Path

from orchestration.files.publish import write_changed
from orchestration.workspace.workspace import Workspace


def template_file(workspace: Workspace) -> Path:
    """Return where the template lies: beside `dvc` itself, so that wherever one is, the other is."""
    return workspace.root / ".venv" / "dvc-plots.html"


def write_template(workspace: Workspace) -> None:
    """Write the template, a megabyte with all scripts, where it is not what it should be."""
    from orchestration.files.vega import bundle

    page = Path(__file__).with_suffix(".html").read_text().replace("{vega}", bundle(workspace.state))
    write_changed(template_file(workspace), page.encode())
