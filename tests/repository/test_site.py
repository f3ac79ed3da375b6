"""The site of docs/ builds strictly, from the checkout alone, and its pages of reference hold all that they must.

Belongs here: what is on the built pages. Not here: how they look.
"""

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import typer
from lxml import html

import silverloom
from silverloom.assets.declare.declaration import DECLARED
from silverloom.assets.declare.project import checkout
from silverloom.ops.core.params import Params
from silverloom.orchestration.cli.app import app
from silverloom.orchestration.definitions import workspace

#: What a browser loads by itself, each with the attribute that has its address.
LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src", "object": "data"}
#: Links that name other pages, and load none.
NAMES_ONLY = {"canonical", "prev", "next", "license"}


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    asked = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(asked, cwd=checkout(), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@cache
def article(path):
    return html.parse(path).getroot().find(".//article")


@cache
def text(path):
    return " ".join(article(path).text_content().split())


@cache
def rows(path):
    """The cells of every row of the tables of a page, as text."""
    return [[cell.text_content().strip() for cell in row] for row in article(path).iterfind(".//table//tr")]


def keys_under(path, anchor):
    """The contents of the first cells of the tables under one heading of a page."""
    found, is_under = set(), False
    for element in article(path).iter("h2", "tr"):
        if element.tag == "h2":
            is_under = element.get("id") == anchor
        elif is_under:
            found.add(element[0].text_content().strip())
    return found


def sections(kind=Params):
    for inner in kind.__subclasses__():
        if inner.section:
            yield inner
        yield from sections(inner)


def test_every_section_of_params_is_there_with_all_of_its_keys(site):
    workspace()
    pages = {page.stem: page for page in (site / "reference/params").glob("*.html")}
    own = (kind for kind in sections() if not kind.__module__.startswith("tests."))
    for kind in own:
        page = pages.get(kind.section.partition(".")[0], pages["general"])
        keys = {field.alias or name for name, field in kind.model_fields.items()}
        assert keys <= keys_under(page, kind.section.replace(".", "-")), kind.section


def test_every_key_of_params_has_a_meaning(site):
    silent = [
        f"{page.stem}: {row[0]}"
        for page in (site / "reference/params").glob("*.html")
        for row in rows(page)
        if len(row) == 5 and not row[4]
    ]
    assert not silent


def test_a_key_has_its_type_default_bounds_and_meaning(site):
    row = next(row for row in rows(site / "reference/params/talksumm.html") if row[:2] == ["gamma", "number"])
    assert row[2:] == ["0.5; the paper: 0.5", "> 0, ≤ 1", "A backward step against a forward one."]
    defaults = {row[0]: row[2] for row in rows(site / "reference/params/wikisum.html") if len(row) == 5}
    assert defaults["vocabulary"] == "32000; the paper: 32,000; the sample: 1000"
    assert defaults["sets.<name>.tokens"].endswith("; the sample: 100, 200")
    replaced = {"sets", "slices", "sizes", "sizes.<name>.architectures"}
    found = [row for row in rows(site / "reference/params/wikisum.html") if row[0] in replaced and row[2]]
    named = [row for row in found if row[1].startswith("names")]
    assert {row[0] for row in named} == replaced
    assert all(row[4].count("what is given replaces all of them") == 1 for row in named)


def test_every_command_that_people_type_is_there_with_its_options(site):
    shown = text(site / "reference/commands.html")
    for name, command in typer.main.get_group(app).commands.items():
        assert (f"silverloom {name} [OPTIONS]" in shown) == (not command.hidden), name
    assert "--recrawl" in shown and "Crawl again" in shown


def test_every_dataset_is_there_with_its_columns(site):
    workspace()
    for key, dataset in DECLARED.items():
        if dataset.shape is not None:
            page = site / f"reference/datasets/{key.group}.html"
            columns = set(dataset.shape.kept.names)
            assert columns <= keys_under(page, dataset.name.replace("/", "-")), dataset.name


def test_every_public_name_of_the_python_api_has_an_entry(site):
    page = site / "reference/python-api.html"
    entries = {element.get("id") for element in article(page).iter() if element.get("id")}
    modules = {name: getattr(silverloom, name) for name in silverloom.__all__}
    public = {f"silverloom.{name}" for name in modules}
    public |= {
        f"silverloom.{name}.{inner}"
        for name, item in modules.items()
        for inner in getattr(item, "__all__", ())
    }
    assert len(public) > 40 and public <= entries
    for function in (silverloom.load, silverloom.parasci.definition, silverloom.metrics.rouge_items):
        assert " ".join(function.__doc__.split()[:5]) in text(page)


def test_the_search_works_from_files(site):
    script = (site / "search/search_index.js").read_text()
    index = json.loads(script.removeprefix("var __index = "))
    assert any("short_tokens" in entry["text"] for entry in index["docs"])
    assert any(entry["location"].startswith("tutorials/first-dataset.html") for entry in index["docs"])


def test_no_page_loads_anything_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        for element in html.parse(page).getroot().iter(*LOADED):
            address = element.get(LOADED[element.tag], "")
            if element.get("rel") not in NAMES_ONLY and not address.startswith("data:"):
                assert not urlsplit(address).netloc, f"{page.relative_to(site)}: {address}"
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", sheet.read_text()), sheet
