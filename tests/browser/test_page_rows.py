"""The pages of rows in a real browser: filters, addresses, odd texts, and rows compared with others."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.fixtures import VIEWS
from tests.rows_corpus import JULY, JUNE, row, site, talk, together, write

SCRIPT = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
NAME = "sources/sentences"
PAGE = "rows/sources-sentences.html"


def sentences(folder):
    kept = [
        row(
            f"sentence-{at}",
            "paper-1",
            text=f"The {at}th sentence speaks of silver and labels.",
            role="method",
        )
        for at in range(50)
    ]
    lost = [
        (row("sentence-a", "paper-1", text="Too short."), "short", 2.0),
        (row("sentence-b", "paper-1", text="E = mc2"), "equation", 0.5),
    ]
    return together(
        write(folder, NAME, JUNE, kept, lost),
        write(folder, NAME, JULY, [row("sentence-z", "paper-2", text="The last one is of July.")], lost[:1]),
    )


@pytest.fixture
def rows_page(visit, tmp_path):
    def rows_page(everything=None, page=PAGE, hash="", text_pair=None, pages_of=None, **how):
        root = site(tmp_path, everything or sentences(tmp_path), text_pair, pages_of)
        return visit((root / page).as_uri() + hash, **how)

    return rows_page


def assert_found(opened, words):
    expect(opened.page.locator("#found")).to_have_text(words)


def assert_texts(opened, texts):
    expect(opened.page.locator("#rows .text")).to_have_text(texts)


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_rows_are_readable_and_accessible(rows_page, width, scheme):
    opened = rows_page(width=width, scheme=scheme, hash="#table=dropped")
    assert_found(opened, "Rows 1 to 3 of 3 matches")
    opened.assert_fine()


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_nested_columns_are_readable_and_accessible(rows_page, tmp_path, width, scheme):
    opened = rows_page(talk(tmp_path), "rows/talksumm-alignments.html", width=width, scheme=scheme)
    opened.assert_fine()
    expect(opened.page.locator("#rows")).not_to_contain_text("{")


def test_the_index_leads_to_every_dataset(rows_page, tmp_path):
    opened = rows_page(talk(tmp_path), "rows.html")
    opened.assert_fine()
    opened.page.get_by_role("link", name="1 rejected rows of sources/papers").click()
    assert_found(opened, "Rows 1 to 1 of 1 matches")
    opened.assert_text("text/bad.txt: not UTF-8", "caf� <b>")


def test_filters_narrow_while_typing_and_are_in_the_address(rows_page):
    opened = rows_page()
    assert_found(opened, "Rows 1 to 20 of 54 matches")
    opened.page.get_by_label("Search all columns").press_sequentially("4th sent")
    assert_found(opened, "Rows 1 to 5 of 5 matches")
    opened.assert_address("#q=4th+sent")
    expect(opened.page.locator("#rows mark")).to_have_text(["4th sent"] * 5)
    opened.page.reload()
    assert_found(opened, "Rows 1 to 5 of 5 matches")
    opened.page.get_by_role("button", name="Clear").click()
    assert_found(opened, "Rows 1 to 20 of 54 matches")
    opened.assert_address(".html#")


def test_a_link_from_a_dataset_shows_the_rows_with_one_reason(rows_page):
    opened = rows_page(hash="#table=dropped&reason=short")
    assert_texts(opened, ["Too short.", "Too short."])
    opened.page.get_by_label("Partition").select_option("2018-07")
    assert_texts(opened, ["Too short."])


def test_every_filter_shows_how_many_rows_the_others_leave(rows_page):
    opened = rows_page(hash="#partition=2018-06")
    outcomes = opened.page.get_by_label("Outcome").locator("option")
    expect(outcomes).to_have_text(["all (52)", "kept (50)", "dropped (2)"])
    reasons = opened.page.get_by_label("Reason").locator("option")
    expect(reasons).to_have_text(["any", "equation (1)", "short (1)"])


def test_rows_are_sorted_and_filtered_by_a_number(rows_page):
    opened = rows_page(hash="#table=dropped&sort=score+down")
    assert_texts(opened, ["Too short.", "Too short.", "E = mc2"])
    opened.page.get_by_label("to", exact=True).fill("1")
    assert_texts(opened, ["E = mc2"])
    opened.assert_address("#table=dropped&max=1&sort=score+down")


def test_pages_can_be_turned(rows_page):
    opened = rows_page()
    opened.page.get_by_role("button", name="Next").first.click()
    assert_found(opened, "Rows 21 to 40 of 54 matches")
    opened.page.get_by_role("button", name="Next").first.click()
    assert_found(opened, "Rows 41 to 54 of 54 matches")
    expect(opened.page.get_by_role("button", name="Next").first).to_be_disabled()


def test_markup_and_odd_characters_are_shown_and_never_run(rows_page, tmp_path):
    odd = f"{SCRIPT} bell\x07 \u202eright to left\u202c 👩‍👩‍👧 end of it"
    everything = write(
        tmp_path,
        NAME,
        JUNE,
        [row(SCRIPT, SCRIPT, text=odd, section_title=SCRIPT)],
        [(row("b", text=odd), SCRIPT, None)],
    )
    opened = rows_page(everything)
    opened.assert_text("bell␇")
    expect(opened.page.locator("#rows .text").first).to_contain_text(SCRIPT)
    opened.page.get_by_label("Search all columns").fill("<script>document")
    assert_found(opened, "Rows 1 to 2 of 2 matches")
    opened.page.get_by_label("Reason").select_option(SCRIPT)
    assert_found(opened, "Rows 1 to 1 of 1 matches")
    expect(opened.page).to_have_title(f"Rows of {NAME} · silverloom")
    expect(opened.page.locator("main img")).to_have_count(0)
    opened.assert_sound()


def test_a_text_of_a_megabyte_is_shown_in_part_and_opened_whole(rows_page, tmp_path):
    text = "silver " * 150_000
    opened = rows_page(write(tmp_path, NAME, JUNE, [row("a", text=text + "the end")]), width=400)
    shown = opened.page.locator("#rows")
    expect(shown).to_have_text(re.compile(r"^[\s\S]{1,1000}$"), use_inner_text=True)
    opened.assert_readable()
    opened.page.get_by_text("1\u202f050\u202f007 characters").click()
    opened.page.wait_for_function("document.querySelector('#rows .text')?.textContent.endsWith('the end')")
    opened.assert_sound()


@pytest.mark.parametrize("rows", [0, 1])
def test_a_dataset_with_no_row_or_one_has_a_page(rows_page, tmp_path, rows):
    opened = rows_page(write(tmp_path, NAME, JUNE, [row(f"{at}", text="one") for at in range(rows)]))
    assert_found(opened, "Rows 1 to 1 of 1 matches" if rows else "There are no rows.")
    opened.assert_fine()


def test_a_summary_is_next_to_its_paper_which_it_is_highlighted_in(rows_page, tmp_path):
    opened = rows_page(talk(tmp_path), "rows/talksumm-summaries.html")
    sides = opened.page.locator(".sides > div")
    expect(sides.locator("h3")).to_have_text(["pairs.sentences", "text"])
    expect(sides.first).to_contain_text("1 of 2 sentences are in text")
    expect(sides.first.locator("mark")).to_have_text(["[marked: We count rare words.]"])
    expect(sides.first.locator(".passage")).to_contain_text("They are rare.")
    expect(sides.last).to_contain_text("We count rare words.")


PAIR = {NAME: ("text", "cut")}


@pytest.fixture
def fusion(tmp_path):
    words = {"text": "The talk ended because it was late.", "cut": "The talk ended. It was late."}
    return write(tmp_path, NAME, JUNE, [row("a", "b", role="method", **words)])


@pytest.mark.parametrize(("width", "beside"), [(1280, True), (400, False)])
def test_input_and_output_come_first_and_side_by_side_where_there_is_room(rows_page, fusion, width, beside):
    opened = rows_page(fusion, text_pair=PAIR, width=width)
    expect(opened.page.locator(".sides h3")).to_have_text(["cut", "text"])
    first, second = (side.bounding_box() for side in opened.page.locator(".sides > div").all())
    if beside:
        assert first["y"] == second["y"] and first["x"] + first["width"] <= second["x"]
    else:
        assert first["x"] == second["x"] and first["y"] + first["height"] <= second["y"]
    opened.assert_fine()


def test_other_columns_are_folded_and_open_where_the_search_matches(rows_page, fusion):
    opened = rows_page(fusion, text_pair=PAIR)
    role, search = (
        opened.page.get_by_text("method", exact=True),
        opened.page.get_by_label("Search all columns"),
    )
    expect(role).to_be_hidden()
    opened.page.locator("summary", has_text="more").click()
    expect(role).to_be_visible()
    search.fill("talk")
    expect(role).to_be_hidden()
    search.fill("metho")
    expect(opened.page.locator("#rows mark")).to_have_text(["metho"])
    expect(role).to_be_visible()


def test_two_texts_are_compared_word_by_word(rows_page, fusion):
    opened = rows_page(fusion, text_pair=PAIR)
    opened.page.locator("summary", has_text="more").click()
    compared = opened.page.locator(".diff")
    expect(compared.locator("ins")).to_have_text(["[added: because it]"])
    expect(compared.locator("del")).to_have_text(["[removed: .]", "[removed: It]"])
    opened.assert_accessible()


def test_a_row_links_to_the_page_about_it(rows_page):
    opened = rows_page(pages_of={"sentence-z": "talks.html"})
    opened.page.get_by_label("Search all columns").fill("the last one")
    link = opened.page.get_by_role("link", name="page", exact=True)
    expect(link).to_have_count(1)
    expect(link).to_have_attribute("href", "../talks.html")
    opened.assert_fine()
