"""The pages of articles and of inputs in a real browser: order, cut and lead; texts that are markup."""

import re
from functools import cache

import pytest
from playwright.sync_api import expect

from tests.browser import article_corpus as corpora
from tests.browser.fixtures import VIEWS


@pytest.fixture(scope="module")
def sites(tmp_path_factory):
    """Pages of a project's data, each made when it is first requested."""

    @cache
    def site(without, odd):
        folder = tmp_path_factory.mktemp("articles")
        return corpora.site(
            folder, corpora.corpus(folder, *([corpora.odd()] if odd else []), without=without)
        )

    return site


@pytest.fixture
def page(visit, sites):
    def page(name="articles/article-2.html", hash="", without=(), odd=False, **how):
        return visit((sites(tuple(without), odd) / name).as_uri() + hash, **how)

    return page


def paragraphs(opened):
    """The visible paragraphs, by rank."""
    return opened.page.locator("#paragraphs > li.inside, #paragraphs > li.outside")


def assert_input(opened, inside, outside):
    """The first paragraphs are in the input, and those after its end are not."""
    classes = ["inside"] * inside + ["outside"] * outside
    expect(paragraphs(opened)).to_have_class([re.compile(name) for name in classes])
    expect(opened.page.locator("#paragraphs .end")).to_have_count(1 if outside else 0)


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
@pytest.mark.parametrize("name", ["articles/article-2.html", "articles.html", "inputs.html"])
def test_a_page_is_readable_and_accessible(page, name, width, scheme):
    opened = page(name, width=width, scheme=scheme)
    opened.page.eval_on_selector_all("main details:not([open])", "all => all.map(it => { it.open = true; })")
    if name == "inputs.html":
        opened.page.locator("[data-percentiles] svg").nth(4).wait_for()
    opened.assert_fine()


def test_a_line_marks_the_end_of_the_sets_input(page):
    opened = page()
    expect(opened.page.locator("#set")).to_have_value("0")
    expect(opened.page.locator("#ranker")).to_have_value("tf_idf")
    opened.assert_text("30 sub-words")
    assert_input(opened, 1, 3)
    opened.page.locator("#set").select_option(label="set cited: citations, 5 000 sub-words")
    opened.assert_text("4 paragraphs")
    assert_input(opened, 4, 0)


def test_words_of_the_lead_that_are_in_the_input_above_the_line_are_marked(page):
    opened = page()
    opened.assert_text("corrow soup is a dish of the island of varn", "20.0 %")
    expect(opened.page.locator("#paragraphs > li.inside p.text")).to_have_text(
        ["the monks of torrow made corrow soup in the year 1820 , and sold it", "at their gate on sundays ."]
    )
    marks = opened.page.locator("#lead mark")
    expect(marks).to_have_text(
        ["corrow soup", "of", "the", "of", "it", "made", "in", "1820", "the monks of torrow"]
    )
    expect(marks).to_have_class(["bigram", *["word"] * 7, "bigram"])


def test_another_ranker_changes_order_cut_and_coverage_and_is_in_the_address(page):
    opened = page()
    texts, marks = paragraphs(opened).locator(".text"), opened.page.locator("#lead mark")
    expect(paragraphs(opened)).to_have_count(4)
    before, lead = texts.all_text_contents(), marks.all_text_contents()
    opened.page.get_by_label("Ranker").select_option("cheating")
    expect(opened.page.locator("#cut")).to_contain_text("tf-idf")
    expect(opened.page.locator(".ranks .chosen").first).to_have_text(re.compile(r"^cheating 1 \("))
    expect(texts).not_to_have_text(before)
    expect(marks).not_to_have_text(lead)
    expect(paragraphs(opened)).to_have_count(4)
    after = texts.all_text_contents()
    opened.page.reload()
    expect(texts).to_have_text(after)
    opened.assert_address("#ranker=cheating")
    opened.page.get_by_label("Input of").select_option("1")
    expect(opened.page.locator("#ranker")).to_have_value("learned")
    opened.assert_address("#set=trained")


def test_a_paragraph_leads_to_its_reference_and_the_order_stays(page):
    opened = page(hash="#ranker=text_rank")
    opened.page.locator("#paragraphs a").first.click()
    expect(opened.page.locator("tr:target")).to_have_id(re.compile("^reference-"))
    expect(opened.page.locator("#ranker")).to_have_value("text_rank")


def test_clones_are_struck_out_with_their_recall_and_a_repeat_names_its_original(page):
    opened = page()
    struck = opened.page.locator("tr:has(del)")
    expect(struck).to_have_count(2)
    for words in ("Corrow soup, mirrored", "1.00", "clone", "no. 1 for “Corrow soup"):
        expect(struck.first).to_contain_text(words)
    for words in ("Corrow soup, told again", "of no. 1"):
        expect(struck.last).to_contain_text(words)


def test_very_long_texts_and_markup_are_shown_and_never_run(page):
    opened = page("articles/article-odd.html", odd=True, width=400)
    expect(opened.page).to_have_title(re.compile("^Odd bread <img src=x"))
    opened.assert_text("short-<img src=x", "a dish <img src=x")
    opened.page.locator("#ranker").select_option("identity")
    expect(opened.page.locator("main a[href^='javascript:']")).to_have_count(0)
    opened.page.locator("#paragraphs details summary").first.click()
    opened.page.eval_on_selector_all("main details:not([open])", "all => all.map(it => { it.open = true; })")
    opened.assert_text("T-DMCA, L = 100, cheating, combined", "a bread <img src=x")
    expect(opened.page.locator("main img, main script")).to_have_count(0)
    opened.assert_fine()


def test_the_list_is_filtered_and_leads_to_an_article(page):
    opened = page("articles.html", odd=True)
    rows, show = opened.page.locator("#articles tbody tr"), opened.page.get_by_label("Show")
    show.select_option("lost")
    expect(rows).to_have_count(2)
    expect(rows.locator(".dropped").first).to_contain_text("no reference")
    show.select_option("with paragraphs")
    expect(rows).to_have_count(8)
    expect(rows.filter(has_text="no lead")).not_to_have_count(0)
    show.select_option("with generated summaries")
    for title in ("Corrow soup", "Tane eel", "Holt broth"):
        expect(opened.page.locator("#articles tbody th").get_by_text(title, exact=True)).to_be_visible()
    opened.page.get_by_label("Title or reason").fill("corrow")
    opened.page.get_by_role("link", name="Corrow soup").click()
    opened.assert_seen("#paragraphs")
    opened.assert_sound()


@pytest.mark.parametrize(
    ("without", "said"),
    [
        (["corpus", "references"], "wikisum/references"),
    ],
)
def test_missing_data_is_reported_and_the_rest_is_shown(page, without, said):
    opened = page(without=without)
    opened.assert_text(said)
    expect(paragraphs(opened)).to_have_count(4)
    opened.assert_fine()


def test_percentiles_of_both_are_drawn_on_one_scale(page):
    opened = page("inputs.html")
    place = opened.page.locator("[data-percentiles=search_words]")
    place.locator("svg").wait_for()
    expect(place).to_have_attribute("aria-label", re.compile("100 %: "))
    for label in ("0", "1k", "1M"):
        labels = place.locator(".mark-text.role-axis-label text").get_by_text(label, exact=True)
        expect(labels.first).to_be_visible()
    expect(place.locator(".mark-symbol path[aria-label*='whose: the paper']")).to_have_count(6)
