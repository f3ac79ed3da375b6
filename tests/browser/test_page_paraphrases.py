"""The pages of paraphrases in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.fixtures import VIEWS
from tests.browser.paraphrase_corpus import HARM, Corpus, whole
from tests.ops.parasci.parasci_cases import mention, scored_pair, statement

PAGES = ("paraphrases.html", "pairs.html", "definitions.html", "citations.html")


@pytest.fixture
def opened(visit, tmp_path):
    def opened(page, corpus=None, fragment="", **how):
        site = (corpus or whole(tmp_path)).site()
        return visit((site / page).as_uri() + fragment, **how)

    return opened


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_the_pages_are_readable_and_accessible(visit, tmp_path, width, scheme):
    site = whole(tmp_path).site()
    for name in PAGES:
        page = visit((site / name).as_uri(), width=width, scheme=scheme)
        if name == "paraphrases.html":
            page.page.locator("[data-plane] svg").nth(2).wait_for()
            page.page.eval_on_selector_all("main details", "all => all.map(it => { it.open = true; })")
        page.assert_fine()


def test_the_sliders_count_the_pairs_that_both_thresholds_keep(opened):
    page = opened("paraphrases.html")
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


def test_pairs_are_filtered_by_method_and_fate_and_the_filter_can_be_linked_to(opened, tmp_path, visit):
    page = opened("pairs.html")
    page.page.select_option("#origin", "definitions")
    page.page.select_option("#fate", "length_rate")
    article = page.page.locator("#pairs article").first.filter(has_text="2.50")
    for mark in ("ins", "del"):
        expect(article.locator(mark).first).to_be_visible()
    expect(page.page).to_have_url(re.compile("origin=definitions&fate=length_rate"))
    again = visit(page.page.url)
    expect(again.page.locator("#pairs")).to_have_text(page.page.locator("#pairs").text_content())
    again.page.fill("#text", "no such text")
    again.assert_text("0 of ")


def test_a_group_shows_its_sentences_and_their_paraphrases(opened):
    page = opened("citations.html")
    page.assert_text("A cited paper")
    expect(page.page.locator("#group li")).to_have_count(16)
    page.page.fill("#text", "nothing like it")
    page.assert_text("0 of 1 groups")
    page.assert_sound()


def test_texts_are_shown_and_never_run(visit, tmp_path):
    pair = scored_pair(
        "harmful", f"One {HARM}", f"Two {HARM}", keys=(f"definitions:{HARM}",), origins=("definitions",)
    )
    harmful = [
        statement(f"s{at}", f"{text} {HARM}", [1.0], mention(f"{HARM} {at}", term=HARM, cited=["paper-2"]))
        for at, text in enumerate(("One", "Two"))
    ]  # fmt: skip
    site = Corpus(tmp_path).judged([pair]).groups(harmful, title=HARM).people().models(HARM).site()
    for name in PAGES:
        page = visit((site / name).as_uri())
        page.assert_text("<script>window.harmed")
        assert page.page.evaluate("window.harmed") is None
        page.assert_sound()
