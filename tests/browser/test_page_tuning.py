"""The page of the tuning in a real browser: the grid, its axes, the points."""

from itertools import product

import pytest
from playwright.sync_api import expect

from tests.browser.fixtures import VIEWS
from tests.browser.talk_corpus import Corpus, point, site

CURRENT = (0.75, 0.5, 0.33, 0.1)
GRID = [
    point(knobs, round(0.5 + 0.3 * knobs[0] - knobs[3] / 10 + knobs[1] / 100, 4), current=knobs == CURRENT)
    for knobs in product((0.65, 0.75, 0.85), (0.25, 0.5), (0.33, 0.45), (0.1, 0.3))
]


@pytest.fixture
def tuning_page(visit, tmp_path):
    def tuning_page(points=GRID, hash="", **how):
        return visit((site(Corpus(tmp_path, points=points)) / "tuning.html").as_uri() + hash, **how)

    return tuning_page


def assert_cells(visit, texts):
    expect(visit.page.locator("#heat tbody button")).to_have_text(texts, use_inner_text=True)


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_the_grid_is_readable_and_accessible(tuning_page, width, scheme):
    opened = tuning_page(width=width, scheme=scheme)
    opened.assert_seen(".verdict:not(.differs)")
    opened.assert_fine()


def test_a_cell_is_the_best_over_the_other_params_and_marks_the_current_point(tuning_page):
    assert_cells(tuning_page(), ["69.0 %", "67.0 %", "72.0 %\ncurrent", "70.0 %", "75.0 %\nbest", "73.0 %"])


def test_axes_and_fixed_params_are_chosen_and_are_in_the_address(tuning_page):
    opened = tuning_page()
    opened.page.get_by_label("Rows").select_option("gamma")
    opened.page.locator("[data-control=lambda]").select_option("0.65")
    assert_cells(opened, ["68.8 %", "66.8 %", "69.0 %", "67.0 %"])
    opened.page.reload()
    assert_cells(opened, ["68.8 %", "66.8 %", "69.0 %", "67.0 %"])
    opened.page.get_by_label("Columns").select_option("gamma")
    expect(opened.page.get_by_label("Rows")).to_have_value("epsilon")


def test_a_chosen_cell_shows_its_interval_and_its_talks(tuning_page):
    opened = tuning_page()
    opened.page.get_by_role("button", name="75.0 %").click()
    point = opened.page.locator("#point")
    for share in ("70.0 %", "75.0 %", "80.0 %"):
        expect(point).to_contain_text(share)
    opened.page.reload()
    for value in ("0.85", "0.5", "0.33", "0.1"):
        expect(point.get_by_role("heading")).to_contain_text(value)


def test_the_table_has_all_points_with_the_most_accurate_first(tuning_page):
    opened = tuning_page()
    expect(opened.page.locator("#points tbody tr")).to_have_count(len(GRID))
    expect(opened.page.locator("#points tbody th").first).to_have_text("1 best")


@pytest.mark.parametrize("points", [None, []])
def test_without_a_point_the_page_says_what_to_declare(tuning_page, points):
    opened = tuning_page(points)
    opened.assert_text("word_runs")
    opened.assert_fine()


def test_one_point_is_a_grid_of_one_cell(tuning_page):
    opened = tuning_page([point(CURRENT, 0.7, current=True)])
    assert_cells(opened, ["70.0 %\nbest, current"])
    opened.assert_fine()
