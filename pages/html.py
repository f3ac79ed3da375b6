"""Rendering of HTML from templates, and the files that every page loads.

Belongs here: rendering, embedded data, style sheets, scripts. Not here: the content of any page.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from silverloom.assets.declare.declaration import Dataset
from silverloom.assets.declare.graph import Files
from silverloom.pages.paths import page_path
from silverloom.pages.system import systems
from silverloom.pages.vega import bundle

_HERE = Path(__file__).parent

#: Shared files, then those of each system: found on disk, so that a system can add its own.
_TEMPLATES = ("templates/*.html", "systems/*/templates/*.html")
_STATIC = ("static/*.*", "systems/*/static/*.*")


def render(
    path: str, template: str, title: str, data: object = None, root: str | None = None, **values: object
) -> tuple[str, bytes]:
    """Return the path and the bytes of one page.

    A system's template is named "system/name.html". Templates extend base.html, and all values in them are
    escaped. Scripts on the page read `data` as `silverloom.data`. Links in templates start with `root`, the
    relative path to the first page; pass it only for a page outside the site.
    """
    root = "../" * path.count("/") if root is None else root
    page = _environment().get_template(template)
    return path, page.render(root=root, path=path, title=title, data=embedded(data), **values).encode()


def embedded(data: object) -> str:
    """Return data as JSON that is safe inside a script element, whatever texts and numbers it has."""
    try:
        text = _json(data)
    except ValueError:  # NaN or infinity, which JSON lacks
        text = _json(json_ready(data))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def shared() -> Files:
    """Yield style sheet and scripts."""
    for name, path in _files_by_name(_STATIC).items():
        yield f"static/{name}", path.read_bytes()
    yield "static/vega.js", bundle().encode()


def about(dataset: Dataset) -> str:
    """Return a one-line description of a dataset: the first line of its docstring."""
    return (dataset.function.__doc__ or "").strip().split("\n")[0]


def json_ready(value: Any) -> Any:
    """Return a row as JSON values: bytes and times of any kind become text."""
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="replace")
    if isinstance(value, Mapping):
        return {name: json_ready(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [json_ready(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _json(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


@cache
def _environment() -> jinja2.Environment:
    templates = {name: path.read_text() for name, path in _files_by_name(_TEMPLATES).items()}
    environment = jinja2.Environment(
        loader=jinja2.DictLoader(templates),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = lambda value: f"{value:,}".replace(",", "\u202f")
    environment.filters["about"] = about
    environment.globals["address"] = page_path
    environment.globals["navigation"] = [link for system in systems().values() for link in system.navigation]
    return environment


def _files_by_name(patterns: Iterable[str]) -> dict[str, Path]:
    """Return files by name; a system's files have the system's name as a prefix."""
    paths = [path for pattern in patterns for path in sorted(_HERE.glob(pattern))]
    places = [path.relative_to(_HERE).parts for path in paths]
    return {"/".join([*place[1:-2], place[-1]]): path for place, path in zip(places, paths, strict=True)}
