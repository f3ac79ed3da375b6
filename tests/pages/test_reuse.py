"""Pages are rendered again only if something that they show has changed, and equal pages rendered from scratch."""

import shutil
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assets.declare.graph import Everything
from orchestration.files.identity import folder_hashes, version
from pages import html, what_if
from pages.site import INDEX, site
from pages.system import SystemPages
from tests.rows_corpus import JUNE, row, talk, write

#: They name all datasets, so that they are rendered each time.
ALWAYS = {"index.html", "rows.html", "what-if.html"}
NAMES = [
    "sources/papers",
    "sources/filtered_papers",
    "sources/talks",
    "sources/sentences",
    "talksumm/pairs",
    "talksumm/alignments",
]


@pytest.fixture
def rendered(monkeypatch):
    """The pages that were rendered so far."""
    paths = []
    render = html.render

    def noted(path, *args, **values):
        paths.append(path)
        return render(path, *args, **values)

    for name, module in list(sys.modules.items()):
        if name.startswith("pages.") and getattr(module, "render", None) is render:
            monkeypatch.setattr(module, "render", noted)
    return paths


@pytest.fixture(autouse=True)
def without_scores(monkeypatch):
    """Handwritten rows lack scores: pages of thresholds and of systems need what ops compute."""
    monkeypatch.setattr(what_if, "scripts", lambda everything, name: iter(()))
    monkeypatch.setattr("pages.site.systems", dict)


def version_of(folder):
    return version(folder_hashes(folder))


def publish(everything, folder):
    """Write the pages as a report does, with those of `folder` as the previous ones; return their files."""
    former = folder if folder.exists() else None
    found = dict(site(Everything(everything, everything.graph, former), version_of))
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in found.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return found


def test_nothing_is_rendered_again_if_nothing_changed(tmp_path, rendered):
    everything = talk(tmp_path / "data")
    before = publish(everything, tmp_path / "pages")
    assert "rows/sources-papers.html" in rendered and "lineage/sources-papers.html" in rendered
    rendered.clear()
    assert publish(everything, tmp_path / "pages") == before
    assert set(rendered) == ALWAYS


@pytest.mark.parametrize("name", NAMES)
def test_after_a_change_of_one_dataset_all_pages_equal_those_from_scratch(tmp_path, rendered, name):
    everything = talk(tmp_path / "data")
    before = publish(everything, tmp_path / "pages")
    path = everything[name][JUNE] / "kept-00000.parquet"
    table = pq.read_table(path)
    others = pa.array([f"other-{at}" for at in range(len(table))])
    again = table.set_column(table.column_names.index("id"), table.schema.field("id"), others)
    pq.write_table(pa.concat_tables([table, again]), path)
    rendered.clear()
    after = publish(everything, tmp_path / "pages")
    assert ALWAYS < set(rendered) < set(before), "some pages, not all"
    assert after == publish(everything, tmp_path / "scratch")
    assert after != before


def test_a_new_use_of_a_row_appears_on_its_page_of_lineage(tmp_path):
    """Before, nothing of that dataset was on the page."""
    everything = talk(tmp_path / "data")
    publish(everything, tmp_path / "pages")
    everything |= write(tmp_path / "more", "talksumm/matches", JUNE, [row("match", "sentence-1")])
    after = publish(everything, tmp_path / "pages")
    assert after == publish(everything, tmp_path / "scratch")
    assert b'"match"' in after["lineage/sources-sentences.html"]


def test_a_changed_param_that_a_page_shows_renders_it_again(tmp_path, monkeypatch):
    everything = talk(tmp_path / "data")
    before = publish(everything, tmp_path / "pages")
    dataset = everything.graph.datasets["talksumm/alignments"]
    monkeypatch.setitem(dataset.values, "talksumm.hmm", {**dataset.values["talksumm.hmm"], "epsilon": 0.77})
    after = publish(everything, tmp_path / "pages")
    assert after == publish(everything, tmp_path / "scratch")
    assert b"0.77" in after["datasets/talksumm-alignments.html"]
    assert before.keys() == after.keys()


def test_pages_without_an_index_of_groups_are_rendered(tmp_path, rendered):
    everything = talk(tmp_path / "data")
    before = publish(everything, tmp_path / "pages")
    (tmp_path / "pages" / INDEX).unlink()
    rendered.clear()
    assert publish(everything, tmp_path / "pages") == before
    assert set(rendered) == {name for name in before if name.endswith(".html")}


def test_leaving_a_system_out_of_params_renders_all_pages_again(tmp_path, rendered, monkeypatch):
    """Every page links to the pages of systems."""
    everything = talk(tmp_path / "data")
    publish(everything, tmp_path / "pages")
    everything_rendered = set(rendered)
    rendered.clear()
    without_pages = SystemPages(lambda *_: iter(()), navigation=(), pictures={})
    monkeypatch.setattr("pages.site.systems", lambda: {"talksumm": without_pages})
    publish(everything, tmp_path / "pages")
    assert set(rendered) == everything_rendered
