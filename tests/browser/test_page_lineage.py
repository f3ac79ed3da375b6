"""The pages of lineage in a real browser: from a row to its file and back, by links, by address, by id."""

import pytest
from playwright.sync_api import expect

from tests.browser.fixtures import VIEWS
from tests.rows_corpus import JUNE, row, site, talk, write

PAGE = "lineage/talksumm-summaries.html"


@pytest.fixture
def lineage_page(visit, tmp_path):
    def lineage_page(everything=None, page=PAGE, hash="", **how):
        return visit((site(tmp_path, everything or talk(tmp_path)) / page).as_uri() + hash, **how)

    return lineage_page


def assert_shown(opened, name):
    """Wait for the page of a row; the page reacts to a new address asynchronously."""
    expect(opened.page.locator("#shown")).to_have_text(name)


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_a_lineage_is_readable_and_accessible(lineage_page, width, scheme):
    opened = lineage_page(hash="#summary-1", width=width, scheme=scheme)
    opened.assert_text(
        "file data/sample/papers/text/a.txt", "file data/sample/talks/a.txt", "line 0, characters 0-5:"
    )
    opened.assert_text("characters 15-25")
    opened.assert_fine()


def test_a_shown_row_leads_to_its_lineage(visit, tmp_path):
    opened = visit(site(tmp_path, talk(tmp_path)) / "rows/sources-sentences.html")
    opened.page.get_by_role("article", name="dropped sentence-9").get_by_role("link", name="lineage").click()
    assert_shown(opened, "sentence-9")
    opened.assert_text("short", "sources/filtered_papers 2018-06", "nothing")
    opened.assert_sound()


def test_sources_and_uses_are_followed_within_the_page_and_back(lineage_page):
    opened = lineage_page(hash="#summary-1")
    opened.page.locator("#lineage .tree").get_by_role("link", name="state-0").click()
    assert_shown(opened, "state-0")
    opened.assert_address("#state-0")
    opened.page.locator("#lineage .tree").get_by_role("link", name="text/a.txt").click()
    assert_shown(opened, "text/a.txt")
    opened.assert_text("file data/sample/papers/text/a.txt")
    opened.page.go_back()
    assert_shown(opened, "state-0")
    opened.page.go_back()
    assert_shown(opened, "summary-1")
    opened.page.get_by_role("link", name="example-1").click()
    assert_shown(opened, "example-1")
    opened.assert_sound()


def test_a_unit_that_was_kept_and_dropped_later_shows_both(lineage_page, tmp_path):
    everything = talk(tmp_path)
    state = row("state-0", "pair-1", text="We count rare words.", count=1)
    everything["talksumm/summaries"] = write(
        tmp_path / "b", "talksumm/summaries", JUNE, dropped=[(state, "beyond_every_budget", 1.0)]
    )["talksumm/summaries"]
    opened = lineage_page(everything, hash="#state-0")
    outcomes = opened.page.locator("#lineage .outcome")
    expect(outcomes.nth(0)).to_have_text("kept")
    expect(outcomes.nth(1)).to_have_text("dropped")
    opened.assert_text("beyond_every_budget")


def test_the_params_and_the_code_of_the_step_are_shown(lineage_page):
    opened = lineage_page(hash="#summary-1")
    opened.assert_text(
        "assets/systems/talksumm/datasets.py: summaries",
        "data/talksumm/summaries/2018-06/kept-00000.parquet, row 1",
    )
    opened.page.get_by_text("params", exact=True).first.click()
    opened.assert_text("talksumm.summaries")


@pytest.mark.parametrize("hash", ["#nobody", "#%", "#%3Cb%3Ex", "#__proto__"])
def test_an_unknown_id_says_so(lineage_page, hash):
    opened = lineage_page(hash=hash)
    opened.assert_seen("[role=alert]")
    opened.assert_sound()


def test_an_id_can_be_searched(lineage_page):
    opened = lineage_page()
    opened.page.get_by_label("Id of a row").fill(" pair-1 ")
    opened.page.get_by_role("button", name="Show").click()
    assert_shown(opened, "pair-1")
    opened.assert_accessible()


def test_ids_with_special_characters_can_be_linked_to(visit, tmp_path):
    odd = "text/a b%20<i>&#1.txt"
    rejected = row(odd, odd, path=odd, content=b"x")
    everything = write(tmp_path, "sources/papers", JUNE, rejected=[(rejected, "broken")])
    opened = visit(site(tmp_path, everything) / "rows/sources-papers.html")
    opened.page.get_by_role("link", name="lineage").click()
    assert_shown(opened, odd)
    opened.assert_text("broken")
    opened.assert_sound()


def test_a_dataset_without_rows_says_so(lineage_page, tmp_path):
    opened = lineage_page(write(tmp_path, "sources/talks", JUNE), "lineage/sources-talks.html")
    opened.page.get_by_label("Id of a row").wait_for()
    expect(opened.page.locator("main h2")).to_have_count(0)
    opened.assert_fine()
