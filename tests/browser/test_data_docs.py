"""Pages of validations need no network, show markup as text, and are rewritten only if they changed."""

import dataclasses
import re

import pyarrow as pa
import pytest
from playwright.sync_api import expect

from assets.declare.expectations import among, between, equal, matches, not_null, steady, text, unique
from ops.core.counts import counts
from ops.core.outcome import Outcome, Shape, columns
from orchestration.checks import docs, history, validate
from orchestration.definitions import workspace
from orchestration.files.identity import folder_hashes
from orchestration.files.parquet import write_outcomes
from orchestration.state.freshness import Manifest
from orchestration.workspace.workspace import Workspace

SHAPE = Shape(unit=columns(), kept=columns(("score", pa.float64()), ("text", pa.string())))
SUITE = [
    *not_null("id"),
    unique("id", "text"),
    between("score", 0, 1),
    among("text", "nothing"),
    matches("text", r"^<?\w{3}$"),
    equal("text", "id"),
    between("text", 0, 1, "warning"),  # cannot be evaluated
    *text("text", 100),
    *steady(),
]
MARKUP = "<script>document.title = 'broken into'</script><b>& bold</b> \u202eodd\x00"


@pytest.fixture
def validated(tmp_path):
    """Validate months of one dataset as if they had just been made."""
    dataset = dataclasses.replace(
        workspace().datasets["talksumm/pairs"], shape=SHAPE, expectations=tuple(SUITE)
    )
    declared = {other.key: other for other in workspace().datasets.values()}
    here = Workspace(tmp_path, {**declared, dataset.key: dataset})

    def validated(month, *texts):
        folder = tmp_path / month
        folder.mkdir(exist_ok=True)
        rows = [
            {"id": f"r{index}", "source_ids": ["f"], "licence": "CC0", "score": 2.0, "text": value}
            for index, value in enumerate(texts)
        ]
        write_outcomes(folder, [Outcome.of(SHAPE, [row["id"] for row in rows], rows)], SHAPE)
        validate.check(
            here, dataset, month, folder, Manifest({}, folder_hashes(folder), counts(folder)), "run"
        )

    validated.dataset, validated.workspace = dataset, here
    return validated


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_load_nothing_from_another_machine_and_never_run_data(validated, visit, scheme):
    validated("2018-06", MARKUP, MARKUP, "x" * 1_000_000)
    validated("2018-07")
    index = docs.build(validated.workspace)
    page = visit(index, scheme=scheme)
    page.assert_fine()
    page.assert_text("talksumm/pairs", "data/quality/failing/talksumm/pairs/2018-06.parquet")
    page.page.get_by_role("link", name="talksumm/pairs").first.click()
    page.page.wait_for_load_state()
    page.assert_fine()
    page.assert_text("talksumm/pairs 2018-06", "<b>& bold</b>", "✗ failed", "error")
    expect(page.page).not_to_have_title(re.compile("broken into"))
    page.page.get_by_role("link", name="Data Docs").click()
    page.assert_text("Data Docs")
    page.assert_sound()


def test_pages_show_the_latest_findings_and_obsolete_pages_are_removed(validated):
    validated("2018-06", "one")
    validated("2018-07", "two")
    docs.build(validated.workspace)
    shown = docs.shown(validated.workspace)
    assert shown["talksumm/pairs", "2018-06"] == "validations/talksumm/pairs/2018-06.html"
    pages = [docs.docs_folder(validated.workspace) / path for path in shown.values()]
    june, july = [page.stat().st_ino for page in pages]
    validated("2018-07", "three")
    docs.build(validated.workspace)
    assert pages[0].stat().st_ino == june and pages[1].stat().st_ino != july
    assert "three" in pages[1].read_text() and "two" not in pages[1].read_text()

    for month in ("2018-06", "2018-07"):
        history.history_file(validated.workspace, validated.dataset, month).unlink()
    docs.build(validated.workspace)
    assert docs.shown(validated.workspace) == {} and not any(page.exists() for page in pages)
    assert "2018-06" not in (docs.docs_folder(validated.workspace) / "index.html").read_text()


def test_without_a_validation_the_index_says_so(validated, visit):
    page = visit(docs.build(validated.workspace))
    page.assert_fine()
    page.assert_text("make run")
