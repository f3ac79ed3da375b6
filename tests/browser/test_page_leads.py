"""The page of leads in a real browser: readable at every width, with its figures."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser import leads_corpus as corpus
from tests.browser.fixtures import VIEWS


@pytest.fixture
def page(visit, tmp_path):
    def page(given=corpus.ALL, **how):
        return visit((corpus.site(tmp_path, corpus.corpus(tmp_path, **given)) / "leads.html").as_uri(), **how)

    return page


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_the_page_is_readable_and_accessible(page, width, scheme):
    opened = page(width=width, scheme=scheme)
    opened.page.eval_on_selector_all("main details:not([open])", "all => all.map(it => { it.open = true; })")
    for chart in ("#extraction svg", "#lengths svg", ".model .chart svg"):
        opened.page.locator(chart).first.wait_for()
    opened.assert_fine()


def test_the_figures_have_our_points_and_the_papers(page):
    opened = page()
    opened.page.locator("#lengths svg").wait_for()
    opened.page.locator("#extraction svg").wait_for()
    for chart, points in {
        "#lengths": ("T-DMCA at L 4000 (ours) 2.10", "T-DMCA at L 11000 (the paper) 2.05"),
        "#extraction": (
            "tf-idf, combined 15.00",
            "T-DMCA, L = 4000, tf-idf, combined 38.00",
            "the paper: T-DMCA, MoE-256, L = 7500 38.80",
        ),
    }.items():
        for point in points:
            expect(opened.page.locator(chart)).to_have_attribute("aria-label", re.compile(re.escape(point)))
    expect(opened.page.locator("#extraction .layer_0_marks path")).to_have_count(5)
    fills = opened.page.eval_on_selector_all(
        "#extraction .layer_0_marks path", "all => all.map(it => it.getAttribute('fill'))"
    )
    assert len(set(fills)) == 3
    # The paper gives no interval.
    expect(opened.page.locator("#extraction .layer_1_marks line")).to_have_count(4)


def test_missing_data_is_reported_with_what_to_do(page):
    opened = page(given={})
    opened.assert_seen("#no-ratings")
    opened.assert_text("make run SELECT=wikisum/rating_sheets")
    opened.assert_fine()
