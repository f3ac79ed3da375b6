"""`silverloom docs`: Great Expectations' pages of each partition's latest validation.

Belongs here: rendering what changed since the last time into data/quality/docs, and making the pages work
without a network. Not here: our own pages (orchestration/pages), and former validations (history.py).

An index of all validations stalls at thousands of them; ours has one row a partition, written without Great
Expectations, which is loaded only where a page is to be rendered.
"""

from __future__ import annotations

import html
import importlib.metadata
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

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

_HERE = Path(__file__).parent / "templates"

#: What each page was rendered from: it changes when a page does.
_RENDERED = ".rendered.json"

#: Files that the pages load: the package that has them, a folder of it, and names here by names there.
_STATIC = (
    ("XStatic-jQuery", "xstatic/pkg/jquery/data", {"jquery.min.js": "jquery.js"}),
    (
        "django-static-bootstrap",
        "django_static_bootstrap/static/bootstrap",
        {"js/bootstrap.bundle.min.js": "bootstrap.js", "css/bootstrap.min.css": "bootstrap.css"},
    ),
    (
        "XStatic-Font-Awesome",
        "xstatic/pkg/font_awesome/data",
        {
            "css/all.min.css": "css/font-awesome.css",
            **{
                name: name
                for kind in ("solid-900", "regular-400", "brands-400", "v4compatibility")
                for name in (f"webfonts/fa-{kind}.woff2",)
            },
        },
    ),
    (
        "great_expectations",
        "great_expectations/render/view/static/images",
        {"favicon.ico": "favicon.ico", "logo-long.png": "logo.png"},
    ),
)

#: What stands here for a file that the pages would load from elsewhere, by a part of its address. Some need
#: none: Popper is in Bootstrap's bundle; tables are sorted and dates picked on Great Expectations' own index
#: alone; and no expectation of assets/declare/expectations.py is drawn as a chart.
_LOCAL = {
    "code.jquery.com/jquery-": "jquery.js",
    "/js/bootstrap.min.js": "bootstrap.js",
    "/css/bootstrap.min.css": "bootstrap.css",
    "font-awesome": "css/font-awesome.css",
    "bootstrap-prefers-dark.css": "dark.css",
    "logo-long.png": "logo.png",
    "full_logo_dark.png": "logo.png",
    "popper.js": None,
    "bootstrap-table": None,
    "bootstrap-datepicker": None,
    "npm/vega": None,
}

_LOADED = re.compile(
    r"""<script\s[^>]*?src="(?P<script>https?://[^"]+)"[^>]*>\s*</script>"""
    r"""|<link\s[^>]*?href="(?P<link>https?://[^"]+)"[^>]*>"""
    r"""|(?P<before>src="|url\(['"]?)(?P<other>https?://[^"')]+)(?P<after>['"]?)"""
)


@dataclass(frozen=True)
class DocsPage:
    """The page of one partition's latest validation."""

    workspace: Workspace
    item: Declaration
    month: str

    @property
    def path(self) -> str:
        """Where it lies below the folder of all pages."""
        return f"validations/{self.item.name}/{self.month or 'all'}.html"

    @property
    def source(self) -> Path:
        """The document that it is rendered from."""
        return validation_file(self.workspace, self.item, self.month)


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
        if rendered.get(page.path) == _made_from(page) and (docs_folder(workspace) / page.path).exists()
    }


def _build(workspace: Workspace) -> Path:
    pages = list(_pages(workspace))
    rendered = _rendered(workspace)
    wanted = {page.path: _made_from(page) for page in pages}
    _write_static(workspace)
    for page in pages:
        if rendered.get(page.path) == wanted[page.path] and (docs_folder(workspace) / page.path).is_file():
            continue
        if (result := _result(page.source)) is None:
            del wanted[page.path]
        else:
            write_file(docs_folder(workspace) / page.path, _render(result, page.path).encode())
    pages = [page for page in pages if page.path in wanted]
    for path in docs_folder(workspace).glob("validations/**/[!.]*.html"):
        if path.relative_to(docs_folder(workspace)).as_posix() not in wanted:
            remove_file(path)
    index = docs_folder(workspace) / "index.html"
    write_file(index, _index(workspace, pages).encode())
    if wanted != rendered or not (docs_folder(workspace) / _RENDERED).exists():
        write_file(docs_folder(workspace) / _RENDERED, json.dumps(wanted).encode())
    return index


def _pages(workspace: Workspace) -> Iterator[DocsPage]:
    for item in workspace.datasets.values():
        for month in item.made_months:
            if (page := DocsPage(workspace, item, month)).source.is_file():
                yield page


def _rendered(workspace: Workspace) -> dict[str, str]:
    """Return what each page was rendered from; nothing where that cannot be told."""
    try:
        content = json.loads((docs_folder(workspace) / _RENDERED).read_bytes())
        return content if isinstance(content, dict) else {}
    except (OSError, ValueError):
        return {}


def _made_from(page: DocsPage) -> str:
    """Return the version of a page's document, and of what renders it."""
    try:
        return f"{file_md5(page.source)} {_renderer()}"
    except PermissionError:
        return ""


@cache
def _renderer() -> str:
    return f"{file_md5(Path(__file__))} {importlib.metadata.version('great_expectations')}"


def _write_static(workspace: Workspace) -> None:
    """Bring what the pages load beside them, out of installed packages."""
    for package, folder, names in _STATIC:
        place = Path(str(importlib.metadata.distribution(package).locate_file(folder)))
        for there, here in names.items():
            _keep(workspace, here, (place / there).read_bytes())
    _keep(workspace, "dark.css", (_HERE / "dark.css").read_bytes())


def _keep(workspace: Workspace, name: str, content: bytes) -> None:
    write_changed(docs_folder(workspace) / "static" / name, content)


def _result(source: Path) -> Any:
    """Return the validation of a document; None for one that is damaged: it is set aside."""
    from great_expectations.core.expectation_validation_result import ExpectationSuiteValidationResultSchema

    try:
        document = json.loads(read_state(source) or b"")
        _escape(document)
        return ExpectationSuiteValidationResultSchema().load(document)
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as error:
        then = "its page is left out until the partition is validated again"
        set_aside(source, f"it is no validation ({type(error).__name__}: {error})", then)
        return None


def _render(result: Any, path: str) -> str:
    """Return the page of a validation, which loads nothing from elsewhere."""
    from great_expectations.render.renderer.page_renderer import ValidationResultsPageRenderer
    from great_expectations.render.view.view import DefaultJinjaPageView

    content = ValidationResultsPageRenderer().render(result)
    page = DefaultJinjaPageView().render(content, show_how_to_buttons=False)
    return localised(page, "../" * path.count("/"))


def _escape(document: dict[str, Any]) -> None:
    """Escape what comes from the data: Great Expectations does not, in the cells of its tables."""
    for result in document["results"]:
        found, info = result["result"], result["exception_info"]
        if "partial_unexpected_list" in found:
            found["partial_unexpected_list"] = [_safe(value) for value in found["partial_unexpected_list"]]
        for count in found.get("partial_unexpected_counts", ()):
            count["value"] = _safe(count["value"])
        for one in [info] if "raised_exception" in info else info.values():
            for name in ("exception_message", "exception_traceback"):
                one[name] = _safe(one[name])


def _safe(value: Any) -> Any:
    if isinstance(value, str):
        return html.escape(value)
    if isinstance(value, list):
        return [_safe(one) for one in value]
    return {name: _safe(one) for name, one in value.items()} if isinstance(value, dict) else value


def localised(page: str, root: str) -> str:
    """Return a page of Great Expectations with what it loads replaced by local files, below `root`.

    Raises ValueError for something that it would load from elsewhere and that is not known here.
    """

    def replaced(found: re.Match[str]) -> str:
        address = next(filter(None, (found["script"], found["link"], found["other"])))
        known = [local for part, local in _LOCAL.items() if part in address]
        if not known:
            raise ValueError(f"a page of Great Expectations loads {address}: give it a local copy in docs.py")
        local = known[0]
        if found["before"]:
            place = "data:," if local is None else f"{root}static/{local}"
            return f"{found['before']}{place}{found['after']}"
        if local is None:
            return ""
        if found["script"]:
            return f'<script src="{root}static/{local}"></script>'
        return f'<link rel="stylesheet" href="{root}static/{local}">'

    page = _LOADED.sub(replaced, page)
    page = re.sub(r'href="(?:\.\./)+index\.html"', f'href="{root}index.html"', page)
    page = re.sub(r'<a href="(?:\.\./)+expectations/[^"]*"\s*>(.*?)</a>', r"\1", page)  # suites have no page
    page = re.sub(r'href="(?:\.\./)+static/images/favicon\.ico"', f'href="{root}static/favicon.ico"', page)
    return re.sub(r"<footer>.*?newsletter.*?</footer>", "", page, flags=re.DOTALL)


def _index(workspace: Workspace, pages: list[DocsPage]) -> str:
    environment = Environment(loader=FileSystemLoader(_HERE), autoescape=True)
    environment.trim_blocks = environment.lstrip_blocks = True
    latest = {page.item.name: _latest(workspace, page.item) for page in pages}
    rows = [
        {
            "page": page,
            "found": latest[page.item.name].get(page.month),
            "failing": [
                workspace.shown(path)
                for table in TABLES
                if (path := failing_file(workspace, page.item, page.month, table)).exists()
            ],
        }
        for page in pages
    ]
    return environment.get_template("index.html").render(rows=rows)


def _latest(workspace: Workspace, item: Declaration) -> dict[str, dict[str, Any]]:
    """Return the last validation of each month."""
    columns = ["month", "time", "kept", "dropped", "rejected", "accepted", "warnings"]
    return {row["month"]: row for row in history.read(workspace, item, columns).to_pylist()}
