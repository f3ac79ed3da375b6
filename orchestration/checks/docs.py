"""`silverloom docs`: a page for each partition's latest validation, and an index.

Belongs here: rendering the validation history into data/quality/docs. Not here: the history itself
(history.py), pages of rows (pages/rows.py).

Great Expectations can render its own Data Docs, but they load scripts and styles from other machines, and
their index stalls at thousands of validations.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader

from assets.declare.declaration import Declaration
from ops.core.parts import TABLES
from orchestration.checks import history
from orchestration.checks.history import failing_file
from orchestration.files.damage import remove_file
from orchestration.files.publish import write_changed, writing_all
from orchestration.workspace.workspace import Workspace


class DocsPage(NamedTuple):
    """The page of one partition's latest validation."""

    name: str
    partition: str
    found: dict[str, Any]
    """Its row in the history."""
    failing: list[str]
    """The files with the failing rows."""

    @property
    def path(self) -> str:
        """The path below the Data Docs folder."""
        return _path(self.name, self.partition)


def docs_folder(workspace: Workspace) -> Path:
    """Return the Data Docs folder."""
    return workspace.quality / "docs"


def build(workspace: Workspace) -> Path:
    """Write the pages of validated partitions, remove obsolete ones, and return the index.

    Concurrent processes wait for each other.
    """
    environment = Environment(loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True)
    environment.trim_blocks = environment.lstrip_blocks = True
    template, folder = environment.get_template("docs.html"), docs_folder(workspace)
    with writing_all(workspace, "docs"):
        pages = list(validated_pages(workspace))
        for page in pages:
            write_changed(folder / page.path, template.render(page=page).encode())
        wanted = {page.path for page in pages}
        for path in folder.glob("validations/**/[!.]*.html"):
            if path.relative_to(folder).as_posix() not in wanted:
                remove_file(path)
        write_changed(folder / "index.html", template.render(pages=pages).encode())
    return folder / "index.html"


def shown(workspace: Workspace) -> dict[tuple[str, str], str]:
    """Return the path, below the folder, of each existing page by dataset and partition."""
    folder = docs_folder(workspace)
    places = [
        (dataset.name, partition)
        for dataset in workspace.datasets.values()
        for partition in dataset.made_partitions
    ]
    return {place: path for place in places if (folder / (path := _path(*place))).is_file()}


def _path(name: str, partition: str) -> str:
    return f"validations/{name}/{partition or 'all'}.html"


def validated_pages(workspace: Workspace) -> Iterator[DocsPage]:
    """Yield the page of each partition that was validated."""
    for dataset in workspace.datasets.values():
        latest = _latest(workspace, dataset)
        for partition in dataset.made_partitions:
            if partition in latest:
                files = [failing_file(workspace, dataset, partition, table) for table in TABLES]
                failing = [workspace.shown(path) for path in files if path.exists()]
                yield DocsPage(dataset.name, partition, latest[partition], failing)


def _latest(workspace: Workspace, dataset: Declaration) -> dict[str, dict[str, Any]]:
    """Return the last validation of each partition."""
    rows = history.read(workspace, dataset)
    places = {partition: place for place, partition in enumerate(rows["partition"].to_pylist())}
    return {row["partition"]: row for row in rows.take(list(places.values())).to_pylist()} if places else {}
