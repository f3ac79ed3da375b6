"""The page of fusion models in a real browser, and types and connectives on the pages of the examples' datasets."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser import fusion_corpus as corpus
from tests.browser.fixtures import VIEWS

ALL = {
    "evaluation": corpus.evaluated(corpus.fusions()),
    "transfer": corpus.transferred(copy=0.2, target=0.35, pretrained=0.41),
    "human_evaluation": corpus.rated(),
    "fusion_model": corpus.MODELS,
}


@pytest.fixture
def page(visit, tmp_path):
    def page(name="fusion.html", given=ALL, **how):
        return visit((corpus.site(tmp_path, corpus.corpus(tmp_path, **given)) / name).as_uri(), **how)

    return page


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_the_page_is_readable_and_accessible(page, width, scheme):
    opened = page(width=width, scheme=scheme)
    opened.page.eval_on_selector_all("main details:not([open])", "all => all.map(it => { it.open = true; })")
    opened.page.locator("[data-matrix] svg").nth(3).wait_for()
    opened.page.locator(".model .chart svg").first.wait_for()
    opened.assert_fine()


def test_a_matrix_is_a_heat_map_with_the_darkest_diagonal_where_models_are_right(page):
    opened = page()
    svg = opened.page.locator("[data-matrix=pronoun] svg").first
    svg.wait_for()
    cells = svg.locator(".mark-rect path[aria-label*='gold pronoun: ']")
    expect(cells).to_have_count(3 * 5)
    fills = {cell.get_attribute("aria-label"): cell.get_attribute("fill") for cell in cells.all()}
    [he] = [fill for name, fill in fills.items() if "gold pronoun: he;" in name and "fusion: he;" in name]
    [they] = [fill for name, fill in fills.items() if "gold pronoun: he;" in name and "fusion: they;" in name]
    assert he != they == "rgb(255, 255, 255)"


def test_types_and_connectives_are_on_the_pages_of_the_examples(page):
    given = {"examples": dict.fromkeys(corpus.SHAPES, corpus.EXAMPLES_OF)}
    opened = page("datasets/discofuse-balanced.html", given=given, scheme="dark")
    opened.page.locator("[data-connectives] svg").nth(1).wait_for()
    expect(opened.page.locator("[data-types]").first).to_have_attribute(
        "aria-label", re.compile("^Discourse types of sports: Apposition 20.0 %")
    )
    opened.assert_fine()
    opened.assert_text("Sports: 12\u202f080\u202f513 examples")


def test_missing_data_is_reported_with_what_to_do(page):
    opened = page(given={})
    opened.assert_seen("#no-ratings")
    opened.assert_text("make run SELECT=discofuse/rating_sheets")
    opened.assert_fine()
