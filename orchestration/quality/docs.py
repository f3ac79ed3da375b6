"""`silverloom docs`: Great Expectations' pages of each partition's latest validation.

Belongs here: rendering what changed since the last time into data/quality/docs. Not here: our own pages
(orchestration/pages), and former validations (state/).

An index of all validations stalls at thousands of them; ours has one row a partition, written without Great
Expectations, which is loaded only where a page is to be rendered. Its template for a page loads scripts and
styles from elsewhere; ours (templates/validation.j2) loads those of installed packages.
"""

from __future__ import annotations

import html
import importlib.metadata
import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader

from assets.declare.declaration import Declaration
from orchestration.files.damage import read_state, remove_file, set_aside
from orchestration.files.identity import file_md5
from orchestration.files.parquet import TABLES
from orchestration.files.publish import write_changed, write_file
from orchestration.quality.checks import validation_file
from orchestration.quality.failing import failing_file
from orchestration.state import validation_history as history
from orchestration.state.partition_locks import writing_all
from orchestration.workspace.workspace import Workspace

_TEMPLATES = Path(__file__).parent / "templates"

#: What each page was rendered from: it changes when a page does.
_RENDERED = ".rendered.json"

#: Files that the pages load: the package that has them, where it has them, and their names here. Popper is in
#: Bootstrap's bundle, and no expectation of assets/declare/expectations.py is drawn as a chart.
_BOOTSTRAP, _AWESOME = "django_static_bootstrap/static/bootstrap", "xstatic/pkg/font_awesome/data"
_IMAGES = "great_expectations/render/view/static/images"
_STATIC = (
    ("XStatic-jQuery", "xstatic/pkg/jquery/data/jquery.min.js", "jquery.js"),
    ("django-static-bootstrap", f"{_BOOTSTRAP}/js/bootstrap.bundle.min.js", "bootstrap.js"),
    ("django-static-bootstrap", f"{_BOOTSTRAP}/css/bootstrap.min.css", "bootstrap.css"),
    ("XStatic-Font-Awesome", f"{_AWESOME}/css/all.min.css", "css/font-awesome.css"),
    *(
        ("XStatic-Font-Awesome", f"{_AWESOME}/webfonts/fa-{kind}.woff2", f"webfonts/fa-{kind}.woff2")
        for kind in ("solid-900", "regular-400", "brands-400", "v4compatibility")
    ),
    ("great_expectations", f"{_IMAGES}/favicon.ico", "favicon.ico"),
    ("great_expectations", f"{_IMAGES}/logo-long.png", "logo.png"),
)


class DocsPage(NamedTuple):
    """The page of one partition's latest validation."""

    item: Declaration
    month: str
    source: Path
    """The document that it is rendered from."""
    file: Path

    @property
    def path(self) -> str:
        """Where it lies below the folder of all pages."""
        return f"validations/{self.item.name}/{self.file.name}"

    @property
    def version(self) -> str:
        """The version of its document, and of what renders it; empty where the document may not be read."""
        try:
            return f"{file_md5(self.source)} {_renderer()}"
        except PermissionError:
            return ""


def docs_folder(workspace: Workspace) -> Path:
    """Return the folder of all pages."""
    return workspace.quality / "docs"


def build(workspace: Workspace) -> Path:
    """Render the pages whose validation is new, remove those of what is no more, and return the index.

    Processes that do so at once wait for each other.
    """
    with writing_all(workspace, "docs"):
        return _build(workspace)


def shown(workspace: Workspace) -> dict[tuple[str, str], str]:
    """Return, by dataset and month, the path (below the folder) of each page of the latest validation."""
    rendered = _rendered(workspace)
    return {
        (page.item.name, page.month): page.path
        for page in _pages(workspace)
        if rendered.get(page.path) == page.version and page.file.exists()
    }


def _build(workspace: Workspace) -> Path:
    folder, rendered = docs_folder(workspace), _rendered(workspace)
    for package, place, name in _STATIC:
        source = Path(str(importlib.metadata.distribution(package).locate_file(place)))
        write_changed(folder / "static" / name, source.read_bytes())
    write_changed(folder / "static/dark.css", (_TEMPLATES / "dark.css").read_bytes())
    wanted, pages = {}, []
    for page in _pages(workspace):
        version = page.version
        if rendered.get(page.path) != version or not page.file.is_file():
            if (result := _result(page.source)) is None:
                continue
            write_file(page.file, _render(result, page.path).encode())
        wanted[page.path] = version
        pages.append(page)
    for path in folder.glob("validations/**/[!.]*.html"):
        if path.relative_to(folder).as_posix() not in wanted:
            remove_file(path)
    write_file(folder / "index.html", _index(workspace, pages).encode())
    if wanted != rendered or not (folder / _RENDERED).exists():
        write_file(folder / _RENDERED, json.dumps(wanted).encode())
    return folder / "index.html"


def _pages(workspace: Workspace) -> Iterator[DocsPage]:
    for item in workspace.datasets.values():
        folder = docs_folder(workspace) / "validations" / item.name
        for month in item.made_months:
            source = validation_file(workspace, item, month)
            if source.is_file():
                yield DocsPage(item, month, source, folder / f"{month or 'all'}.html")


def _rendered(workspace: Workspace) -> dict[str, str]:
    """Return what each page was rendered from; nothing where that is unknown."""
    try:
        content = json.loads((docs_folder(workspace) / _RENDERED).read_bytes())
        return content if isinstance(content, dict) else {}
    except (OSError, ValueError):
        return {}


@cache
def _renderer() -> str:
    hashes = map(file_md5, (Path(__file__), _TEMPLATES / "validation.j2"))
    return " ".join([*hashes, importlib.metadata.version("great_expectations")])


def _result(source: Path) -> Any:
    """Return the validation of a document; None for one that is damaged: it is set aside.

    What comes from the data is escaped: Great Expectations does not do so in the cells of its tables.
    """
    from great_expectations.core.expectation_validation_result import ExpectationSuiteValidationResultSchema

    try:
        document = json.loads(read_state(source) or b"")
        for result in document["results"]:
            result |= {name: _escaped(result[name]) for name in ("result", "exception_info")}
        return ExpectationSuiteValidationResultSchema().load(document)
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as error:
        then = "its page is left out until the partition is validated again"
        set_aside(source, f"it is no validation ({type(error).__name__}: {error})", then)
        return None


def _escaped(value: Any) -> Any:
    if isinstance(value, str):
        return html.escape(value)
    if isinstance(value, list):
        return [_escaped(entry) for entry in value]
    return {name: _escaped(entry) for name, entry in value.items()} if isinstance(value, dict) else value


def _render(result: Any, path: str) -> str:
    """Return the page of a validation, without links to pages of suites: there are none."""
    from great_expectations.render.renderer.page_renderer import ValidationResultsPageRenderer
    from great_expectations.render.view.view import DefaultJinjaPageView

    view = DefaultJinjaPageView(custom_views_directory=str(_TEMPLATES))
    content = ValidationResultsPageRenderer().render(result)
    page = view.render(content, "validation.j2", root="../" * path.count("/"))
    return re.sub(r'<a href="(?:\.\./)+expectations/[^"]*"\s*>(.*?)</a>', r"\1", page)


def _index(workspace: Workspace, pages: list[DocsPage]) -> str:
    environment = Environment(loader=FileSystemLoader(_TEMPLATES), autoescape=True)
    environment.trim_blocks = environment.lstrip_blocks = True
    columns = ["month", "time", "kept", "dropped", "rejected", "accepted", "warnings"]
    rows = []
    for item, of_item in groupby(pages, key=lambda page: page.item):
        latest = {row["month"]: row for row in history.read(workspace, item, columns).to_pylist()}
        for page in of_item:
            files = [failing_file(workspace, item, page.month, table) for table in TABLES]
            failing = [workspace.shown(path) for path in files if path.exists()]
            rows.append({"page": page, "found": latest.get(page.month), "failing": failing})
    return environment.get_template("index.html").render(rows=rows)
