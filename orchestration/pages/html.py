"""HTML from templates, and the files that every page loads.

Belongs here: rendering, embedding data, style sheet, scripts. Not here: what any page says.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import jinja2

from assets.declare.report import Files
from orchestration.files.json_ready import json_ready
from orchestration.files.page_paths import page_path
from orchestration.files.vega import bundle

_HERE = Path(__file__).parent
_TEMPLATES = (
    "templates/agreement.html",
    "templates/base.html",
    "templates/dataset.html",
    "templates/evaluation.html",
    "templates/fusion.html",
    "templates/fusion-people.html",
    "templates/learning.html",
    "templates/macros.html",
    "templates/overview.html",
    "templates/passports.html",
    "templates/people.html",
    "templates/rows-index.html",
    "templates/rows.html",
    "templates/statistics.html",
    "templates/talk.html",
    "templates/talks.html",
    "templates/tuning.html",
    "templates/version.html",
    "templates/versions.html",
    "templates/what_if.html",
)
_STATIC = (
    "static/style.css",
    "static/page.js",
    "static/charts.js",
    "static/curves.js",
    "static/live.js",
    "static/diff.js",
    "static/evaluation.css",
    "static/evaluation.js",
    "static/fusion.js",
    "static/passports.js",
    "static/row.js",
    "static/rows.css",
    "static/rows.js",
    "static/shared_words.js",
    "static/statistics.js",
    "static/texts.js",
    "static/talk.css",
    "static/talk.js",
    "static/talk_path.js",
    "static/talks.js",
    "static/tuning.js",
    "static/what_if.js",
)


def render(
    path: str, template: str, title: str, data: object = None, root: str | None = None, **values: object
) -> tuple[str, bytes]:
    """Return one page of the site, as its path and its bytes.

    The template extends base.html; everything in it is escaped. `data` is what scripts on the page read
    with `silverloom.data`. Links in templates start with `root`, the way to the first page; it is given where
    the page is none of the site's.
    """
    root = "../" * path.count("/") if root is None else root
    text = (
        _environment()
        .get_template(f"templates/{template}")
        .render(root=root, path=path, title=title, data=embedded(data), **values)
    )
    return path, text.encode()


def embedded(data: object) -> str:
    """Return data as JSON that can stand inside a script element, whatever texts and numbers it holds."""
    try:
        text = _json(data)
    except ValueError:  # a number that JSON has no word for
        text = _json(json_ready(data))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _json(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def shared() -> Files:
    """Yield style sheet and scripts."""
    for name in _STATIC:
        yield name, (_HERE / name).read_bytes()
    yield "static/vega.js", bundle().encode()


@cache
def _environment() -> jinja2.Environment:
    templates: Mapping[str, str] = {name: (_HERE / name).read_text() for name in _TEMPLATES}
    environment = jinja2.Environment(
        loader=jinja2.DictLoader(templates),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = lambda value: f"{value:,}".replace(",", "\u202f")
    environment.filters["bytes"] = _size
    environment.globals["address"] = page_path
    return environment


def _size(number: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:.1f} TB"


def first_line(text: str | None) -> str:
    """Return the first line of a docstring."""
    return (text or "").strip().split("\n")[0]
