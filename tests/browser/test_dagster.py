"""Dagster's pages, as a browser shows them, of a project in which a check failed in one dataset."""

import re

import pyarrow.parquet as pq
import pytest
from playwright.sync_api import expect

from tests.browser.servers import ui
from tests.projects import datasets

MONTH = "2018-07"


@pytest.fixture(scope="module")
def project(tmp_path_factory, done_project):
    """A finished project, of which the summaries were made again by code that loses a unit."""
    project = done_project.copy(tmp_path_factory.mktemp("dagster") / "checkout")
    project.edit(
        "ops/talksumm/budgets.py",
        'return Outcome.of(SUMMARIES, [unit["id"] for unit in units], kept, dropped)',
        'return Outcome.of(SUMMARIES, [unit["id"] for unit in units], kept, dropped[1:])',
    )
    project.run(ok=False)
    return project


@pytest.fixture(scope="module")
def dagster(project):
    with ui(project.root) as servers:
        yield servers.dagster


def test_the_graph_shows_every_dataset_in_its_group(visit, dagster):
    graph = visit(f"{dagster}/asset-groups", width=1700, height=1400)
    groups = sorted({name.split("/")[0] for name in datasets()})
    for group in groups:
        seen(graph, group)
    graph.page.keyboard.press("Alt+KeyE")  # Dagster's key for all groups
    for name in datasets():
        seen(graph, name.split("/")[1])
    graph.assert_sound()


def seen(graph, text):
    """Wait for a text; Dagster has it a second time, hidden, to measure it."""
    graph.page.get_by_text(text, exact=True).locator("visible=true").first.wait_for()


def test_an_asset_page_shows_what_the_dataset_is_and_holds(visit, dagster, project):
    item = datasets()["talksumm/alignments"]
    folder = project.root / "data" / item.name / MONTH
    kept, dropped = (pq.read_table(folder / f"{kind}-00000.parquet") for kind in ("kept", "dropped"))
    asset = visit(f"{dagster}/assets/{item.name}")
    asset.assert_text(item.function.__doc__.splitlines()[0], MONTH)
    columns = asset.page.get_by_role("table").filter(has_text="Column name").first
    for column in item.shape.kept.names:
        expect(columns.get_by_text(column, exact=True).first).to_be_visible()
    for name, count in {"kept": kept.num_rows, "dropped": dropped.num_rows, "rejected": 0}.items():
        expect(row(asset, name).get_by_role("cell").last).to_have_text(str(count))
    row(asset, "sample").get_by_text("Show Markdown").click()
    sample = asset.page.get_by_role("dialog")
    expect(sample).to_contain_text(kept["id"][0].as_py())
    expect(sample).to_contain_text(kept["text"][0].as_py()[:20])
    asset.assert_sound()


def row(asset, name):
    """The row of the latest metadata that begins with a name."""
    return asset.page.get_by_role("row").filter(has=asset.page.get_by_text(name, exact=True)).first


def test_a_failed_check_is_shown_as_failed_with_what_was_lost(visit, dagster):
    checks = visit(f"{dagster}/assets/talksumm/summaries?view=checks&checkDetail=conservation")
    checks.assert_text("This is a blocking asset check.", "1 units are lost in part 0")
    expect(checks.page.get_by_text("Failed", exact=True).first).to_be_visible()
    expect(checks.page.get_by_text("Succeeded", exact=True).first).to_be_visible()
    checks.assert_sound()


def test_links_lead_from_the_asset_to_the_run_that_failed(visit, dagster):
    asset = visit(f"{dagster}/assets/talksumm/summaries?view=partitions&partition={MONTH}")
    asset.page.get_by_role("link", name=re.compile("^[0-9a-f]{8}$")).first.click()
    asset.page.wait_for_url("**/runs/*")
    asset.assert_text("Failure", f"partition: {MONTH}")
    asset.assert_sound()
