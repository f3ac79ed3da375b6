"""The pages of articles and of inputs in a real browser: orders, cuts, the lead; texts that are markup."""

from functools import cache

import pytest

from pages.systems.wikisum import article
from tests.browser import article_corpus as corpora
from tests.browser.fixtures import VIEWS


@pytest.fixture(scope="module")
def sites(tmp_path_factory):
    """Pages of what is there, each made when it is first asked for."""

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


def order(opened):
    """The paragraphs that are shown, by rank, and whether each is in the input."""
    found = opened.page.locator("#paragraphs > li.inside, #paragraphs > li.outside").all()
    return [
        (dataset.locator(".text").first.inner_text(), "inside" in dataset.get_attribute("class"))
        for dataset in found
    ]


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
@pytest.mark.parametrize("name", ["articles/article-2.html", "articles.html", "inputs.html"])
def test_a_page_is_readable_and_accessible(page, name, width, scheme):
    opened = page(name, width=width, scheme=scheme)
    opened.page.eval_on_selector_all("main details:not([open])", "all => all.map(it => { it.open = true; })")
    if name == "inputs.html":
        opened.page.locator("[data-percentiles] svg").nth(4).wait_for()
    opened.assert_fine()


def test_a_line_is_drawn_where_the_input_of_the_set_ends(page):
    opened = page()
    assert opened.page.locator("#set").input_value() == "0"
    assert opened.page.locator("#ranker").input_value() == "tf_idf"
    opened.assert_text("30 sub-words")
    assert opened.page.locator("#paragraphs .end").count() == 1
    assert [inside for _, inside in order(opened)] == [True, False, False, False]
    opened.page.locator("#set").select_option(label="the set cited: citations, 5 000 sub-words")
    opened.assert_text("4 paragraphs")
    assert opened.page.locator("#paragraphs .end").count() == 0
    assert all(inside for _, inside in order(opened))


def test_the_lead_is_marked_with_what_of_it_stands_in_the_input_up_to_the_line(page):
    opened = page()
    opened.assert_text("corrow soup is a dish of the island of varn", "20.0 %")
    [inside] = opened.page.locator("#paragraphs > li.inside").all()
    before, beyond = inside.locator("p.text").all_inner_texts()
    assert before.strip() == "the monks of torrow made corrow soup in the year 1820 , and sold it"
    assert beyond.strip() == "at their gate on sundays ."
    marks = opened.page.locator("#lead mark").all()
    assert [(mark.get_attribute("class"), mark.inner_text()) for mark in marks] == [
        ("bigram", "corrow soup"), ("word", "of"), ("word", "the"), ("word", "of"), ("word", "it"), ("word", "made"),
        ("word", "in"), ("word", "1820"), ("bigram", "the monks of torrow"),
    ]  # fmt: skip


def test_another_ranker_orders_cuts_and_covers_anew_and_stands_in_the_address(page):
    opened = page()
    before, lead = order(opened), opened.page.locator("#lead mark").all_inner_texts()
    opened.page.get_by_label("Ranker").select_option("cheating")
    opened.assert_text("order of tf-idf")
    after, covered = order(opened), opened.page.locator("#lead mark").all_inner_texts()
    assert before != after and lead != covered
    assert len(before) == len(after) == 4
    assert opened.page.locator(".ranks .chosen").first.inner_text().startswith("cheating 1 (")
    opened.page.reload()
    assert order(opened) == after and opened.page.url.endswith("#ranker=cheating")
    opened.page.get_by_label("Input of").select_option("1")
    assert opened.page.locator("#ranker").input_value() == "learned"
    assert opened.page.url.endswith("#set=trained")


@pytest.mark.long
def test_paragraphs_that_are_not_held_are_counted_on_both_sides_of_the_line(visit, tmp_path, monkeypatch):
    monkeypatch.setattr(article, "MOST_PARAGRAPHS", 1)
    site = corpora.site(tmp_path, corpora.corpus(tmp_path))
    opened = visit((site / "articles/article-2.html").as_uri())
    for ranker in ("identity", "text_rank", "sum_basic", "cheating"):
        opened.page.get_by_label("Ranker").select_option(ranker)
        gaps = opened.page.locator("#paragraphs > .gap").all_inner_texts()
        assert sum(int(text.split(" ")[0]) for text in gaps) == 3 and len(order(opened)) == 1
        assert opened.page.locator("#paragraphs .end").count() == 1
    opened.assert_text("1 of 4 paragraphs")


def test_a_paragraph_leads_to_its_reference_and_the_order_stays(page):
    opened = page(hash="#ranker=text_rank")
    opened.page.locator("#paragraphs a").first.click()
    row = opened.page.locator("tr:target")
    assert row.count() == 1 and row.get_attribute("id").startswith("reference-")
    assert opened.page.locator("#ranker").input_value() == "text_rank"


def test_clones_are_struck_out_with_their_recall_and_what_repeats_names_the_other(page):
    opened = page()
    struck = opened.page.locator("tr:has(del)")
    [clone, repeated] = struck.all_inner_texts()
    assert "Corrow soup, mirrored" in clone and "1.00" in clone and "clone" in clone
    assert "no. 1 for “Corrow soup" in clone
    assert "Corrow soup, told again" in repeated and "of no. 1" in repeated


def test_texts_that_are_markup_or_very_long_are_shown_and_never_run(page):
    opened = page("articles/article-odd.html", odd=True, width=400)
    assert opened.page.title().startswith("Odd bread <img src=x")
    assert opened.page.locator("main img, main script").count() == 0
    opened.assert_text("short-<img src=x", "a dish <img src=x")
    opened.page.locator("#ranker").select_option("identity")
    assert opened.page.locator("main a[href^='javascript:']").count() == 0
    opened.page.locator("#paragraphs details summary").first.click()
    opened.page.eval_on_selector_all("main details:not([open])", "all => all.map(it => { it.open = true; })")
    opened.assert_text("T-DMCA, L = 100, cheating, combined", "a bread <img src=x")
    assert opened.page.locator("main img, main script").count() == 0
    opened.assert_fine()


def test_the_list_is_filtered_and_leads_to_an_article(page):
    opened = page("articles.html", odd=True)
    opened.assert_text(
        "8 articles have paragraphs", "2 are lost", "lost: no reference", "no example: no lead"
    )
    opened.page.get_by_label("Show").select_option("that models wrote of")
    titles = opened.page.locator("#articles tbody th").all_inner_texts()
    assert {"Corrow soup", "Tane eel", "Holt broth"} < set(titles)
    opened.page.get_by_label("Title or reason").fill("corrow")
    opened.page.get_by_role("link", name="Corrow soup").click()
    opened.assert_text("The input, and what it has of the lead")
    opened.assert_sound()


@pytest.mark.parametrize(
    ("without", "said"),
    [
        pytest.param(["tokenizer"], "No input is cut.", marks=pytest.mark.long),
        pytest.param(["examples", "summaries"], "No model has written.", marks=pytest.mark.long),
        (["corpus", "references"], "wikisum/references is not made"),
    ],
)
def test_what_is_missing_is_said_and_the_rest_is_shown(page, without, said):
    opened = page(without=without)
    opened.assert_text(said)
    assert len(order(opened)) == 4
    opened.assert_fine()


def test_percentiles_are_drawn_of_both_on_one_scale(page):
    opened = page("inputs.html")
    place = opened.page.locator("[data-percentiles=search_words]")
    place.locator("svg").wait_for()
    assert "100 %: " in place.get_attribute("aria-label")
    assert {"0", "1k", "1M"} <= set(place.locator(".mark-text.role-axis-label text").all_text_contents())
    assert place.locator(".mark-symbol path[aria-label*='whose: the paper']").count() == 6


@pytest.mark.long
def test_inputs_without_anything_counted_say_what_to_do(page):
    opened = page("inputs.html", without=["statistics", "learned_ranker"])
    opened.assert_text("make run SELECT=wikisum/statistics")
    opened.assert_fine()
