"""The page of paraphrases in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.fixtures import VIEWS
from tests.browser.paraphrase_corpus import HARM, Corpus, whole
from tests.ops.parasci.parasci_cases import scored_pair


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_the_page_is_readable_and_accessible(visit, tmp_path, width, scheme):
    page = visit((whole(tmp_path).site() / "paraphrases.html").as_uri(), width=width, scheme=scheme)
    page.page.locator("[data-plane] svg").nth(2).wait_for()
    page.page.eval_on_selector_all("main details", "all => all.map(it => { it.open = true; })")
    page.assert_fine()


def test_the_sliders_count_the_pairs_that_both_thresholds_keep(visit, tmp_path):
    page = visit((whole(tmp_path).site() / "paraphrases.html").as_uri())
    card = page.page.locator("section[aria-label='Thresholds of intra']")
    card.locator("svg").wait_for()
    first, second = card.locator("input[type=range]").all()
    cell = card.locator("tbody tr").last.locator("td").first  # the loosest value of both
    first.focus()
    page.page.keyboard.press("Home")
    second.focus()
    page.page.keyboard.press("End")
    expect(card.locator(".summary")).to_have_text(re.compile(f"^{cell.inner_text()} of 30 pairs"))
    expect(card).to_contain_text(
        "origins.intra.consistency=2.5 -S ++parasci.filtered.origins.intra.length_rate=3"
    )
    chart, now = card.locator(".chart"), card.locator("td[aria-current]").inner_text()
    for words in (now, "3.44 and 1"):
        expect(chart).to_have_attribute("aria-label", re.compile(re.escape(words)))
    page.assert_sound()


def test_texts_are_shown_and_never_run(visit, tmp_path):
    pair = scored_pair(
        "harmful", f"One {HARM}", f"Two {HARM}", keys=(f"definitions:{HARM}",), origins=("definitions",)
    )
    site = Corpus(tmp_path).judged([pair]).people().models(HARM).site()
    page = visit((site / "paraphrases.html").as_uri())
    page.assert_text("<script>window.harmed")
    assert page.page.evaluate("window.harmed") is None
    page.assert_sound()
