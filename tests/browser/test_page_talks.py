"""The pages of talks in a real browser: each side shows its match in the other, by mouse, keyboard and address."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.fixtures import VIEWS
from tests.browser.talk_corpus import Corpus, Talk, site

ODD = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
SENTENCES = [
    ("Abstract", "What it is all about.", "role_abstract"),
    *[
        ("1 Introduction", f"Sentence {at} of the introduction speaks of silver.", None)
        for at in range(1, 30)
    ],
    *[("2 Method", f"Sentence {at} of the method speaks of labels.", None) for at in range(30, 60)],
    ("2 Method", "Nobody ever says a word about this.", None),
    ("Conclusion", "The last one <b>is bold</b>.", None),
]
WORDS = [f"word{at}" if at % 3 else "the" for at in range(400)]
RUNS = [*[(5 * at, 5 * at + 4, at + 1) for at in range(59)], (295, 299, 61), (300, 320, 3), (330, 380, 58)]
TALK = Talk(
    "a", WORDS, SENTENCES, RUNS, summary=[3, 61], labels=[(0, 399, "Sentence 3 ")], title="Silver and labels"
)


@pytest.fixture
def talk_page(visit, tmp_path):
    def talk_page(talk=TALK, hash="", **how):
        return visit((site(Corpus(tmp_path, [talk])) / f"talks/{talk.pair}.html").as_uri() + hash, **how)

    return talk_page


def marked(visit, side):
    return visit.page.locator(f"#{side} .on")


def assert_in_view(visit, side, index):
    """An option of one side is scrolled into view in its pane."""
    visit.page.wait_for_function(
        """([side, index]) => {
            const pane = document.getElementById(side).getBoundingClientRect();
            const box = document.querySelectorAll(`#${side} [role=option]`)[index].getBoundingClientRect();
            return box.top >= pane.top && box.bottom <= pane.bottom;
        }""",
        arg=[side, index],
    )


@pytest.mark.parametrize(("width", "scheme"), VIEWS)
def test_a_talk_is_readable_and_accessible(talk_page, width, scheme):
    opened = talk_page(width=width, scheme=scheme, hash=f"#{TALK.state(3)}")
    opened.assert_text("60 of 61")
    opened.assert_fine()


def test_a_clicked_sentence_shows_its_first_stretch_and_is_in_the_address(talk_page):
    opened = talk_page()
    opened.page.get_by_text("Sentence 58 of the method").click()
    expect(marked(opened, "talk")).to_have_text([re.compile(r"^\s*59")] * 2)
    assert_in_view(opened, "talk", 57)
    opened.assert_address(f"#{TALK.state(58)}")
    opened.assert_text("passage 1 of 2, at 02:22")
    opened.page.get_by_label("Next passage").click()
    opened.assert_text("passage 2 of 2, at 02:45")
    assert_in_view(opened, "talk", 61)


def test_a_clicked_stretch_shows_its_sentence(talk_page):
    opened = talk_page()
    opened.page.locator("#talk [role=option]").nth(60).click()
    expect(marked(opened, "paper")).to_have_text([re.compile("Sentence 3 of the introduction")])
    assert_in_view(opened, "paper", 3)
    opened.assert_text("passage 2 of 2")


def test_arrow_keys_move_and_enter_goes_to_the_other_side(talk_page):
    opened = talk_page(hash=f"#{TALK.state(3)}")
    focused = opened.page.locator(":focus")
    opened.page.locator("#paper [tabindex='0']").focus()
    for key, text in [
        ("ArrowDown", "Sentence 4"),
        ("ArrowUp", "Sentence 3"),
        ("End", "The last one"),
        ("Home", "What it is"),
    ]:
        opened.page.keyboard.press(key)
        expect(focused).to_contain_text(text)
    opened.assert_address(f"#{TALK.state(0)}")
    for key, text in [
        ("ArrowDown", "Sentence 1 "),
        ("Enter", "word1"),
        ("ArrowRight", "word5"),
        ("Enter", "Sentence 2 "),
    ]:
        opened.page.keyboard.press(key)
        expect(focused).to_contain_text(text)


def test_an_address_opens_its_sentence_and_summary(talk_page):
    opened = talk_page(hash=f"#{TALK.state(58)}&budget=")
    assert_in_view(opened, "paper", 58)
    assert_in_view(opened, "talk", 57)
    expect(opened.page.locator("#budget")).to_have_value("")
    expect(opened.page.locator(".chosen")).to_have_count(0)
    expect(opened.page.locator("#budget option[value=words_150]")).to_contain_text("20 words of 100")
    opened.page.locator("#budget").select_option("words_150")
    expect(opened.page.locator(".chosen")).to_have_count(2)
    opened.assert_address(f"#{TALK.state(58)}")
    opened.page.evaluate("hash => { location.hash = hash }", TALK.state(3))
    opened.assert_text("Sentence 4 · 1 Introduction")
    opened.page.evaluate("() => { location.hash = 'state-of-another-talk' }")
    opened.assert_text("state-of-another-talk")


def test_a_sentence_without_a_stretch_and_one_that_is_not_a_state_say_so(talk_page):
    opened = talk_page()
    opened.page.get_by_text("Nobody ever says").click()
    selection = opened.page.locator("#selection")
    expect(selection).to_contain_text("Sentence 61")
    expect(selection.get_by_role("button")).to_have_count(0)
    opened.page.get_by_text("What it is all about").click()
    expect(selection).to_contain_text("abstract")
    expect(selection.get_by_role("button")).to_have_count(0)


def test_hovering_highlights_and_leaving_restores(talk_page):
    opened = talk_page(hash=f"#{TALK.state(3)}")
    opened.page.locator("#paper [role=option]").nth(4).hover()
    expect(marked(opened, "paper")).to_have_count(2)
    opened.page.locator("h1").hover()
    expect(marked(opened, "paper")).to_have_count(1)


def test_a_click_on_the_path_goes_to_the_sentence_of_that_moment(talk_page):
    opened = talk_page()
    box = opened.page.locator("#path svg").bounding_box()
    opened.page.locator("#path svg").click(position={"x": box["width"] - 12, "y": 20})
    opened.assert_text("Sentence 59 · 2 Method")
    expect(marked(opened, "talk").first).to_contain_text("word")


def test_sentences_that_the_talk_never_reaches_can_be_hidden(talk_page):
    opened = talk_page()
    opened.page.locator("#met").check()
    expect(opened.page.get_by_text("Nobody ever says")).to_be_hidden()
    expect(opened.page.get_by_text("Sentence 58 of the method")).to_be_visible()


def test_a_talk_without_an_alignment_has_a_page(talk_page):
    opened = talk_page(Talk("e", ["hello", "there"], SENTENCES))
    expect(opened.page.locator("#talk-count")).to_contain_text("2 word")
    for side, options in (("talk", 0), ("paper", len(SENTENCES))):
        expect(opened.page.locator(f"#{side} [role=option]")).to_have_count(options)
        expect(opened.page.locator(f"#{side}")).not_to_be_empty()
    opened.assert_fine()


def test_very_long_texts_and_markup_are_shown_and_never_run(talk_page):
    long = "silver " * 150_000
    words = [ODD, "x" * 1_000_000, "\u202eright", "\x07bell", "\u2028line"]
    sentences = [(ODD, ODD, None), ("1 \U0001f600", long, None), ("1 \U0001f600", ODD, "no footnote")]
    opened = talk_page(
        Talk("o", words, sentences, [(0, 0, 0), (1, 3, 1)], title=ODD + "t" * 1_000_000), width=400
    )
    expect(opened.page).to_have_title(re.compile("^<img src=x"))
    expect(opened.page.locator("main img, main script")).to_have_count(0)
    opened.page.locator("#paper [role=option]").nth(1).click()
    opened.page.get_by_text("all 1 050 000 characters").click()
    opened.page.wait_for_function(
        "length => document.querySelector('#selection pre').innerText.length === length", arg=len(long)
    )
    opened.page.locator("#selection summary").click()
    opened.assert_fine()


@pytest.fixture
def talk_list(visit, tmp_path):
    def talk_list(hash="", **how):
        talks = [TALK, Talk("b", ["a", "b"], SENTENCES, title="Another talk"), Talk("c", title="Cats")]
        corpus = Corpus(tmp_path, talks, unmatched=[f"Lost {ODD}"], unread=["talks/empty.txt"])
        return visit((site(corpus) / "talks.html").as_uri() + hash, **how)

    return talk_list


def titles(visit):
    return visit.page.locator("#talks tbody th")


@pytest.mark.long
def test_the_list_of_talks_is_readable_and_accessible(talk_list):
    opened = talk_list(width=400)
    opened.assert_text("dropped: unmatched", "60 (98 %)")
    opened.assert_fine()
    opened.page.get_by_role("link", name="Silver and labels").click()
    opened.assert_seen("#path svg")
    opened.assert_sound()


def test_the_list_is_sorted_and_filtered_and_the_address_keeps_it(talk_list):
    opened = talk_list()
    opened.page.get_by_role("button", name="words").click()
    expect(titles(opened).nth(0)).to_have_text("Silver and labels")
    expect(titles(opened).nth(1)).to_have_text("Another talk")
    opened.page.get_by_role("button", name="words").click()
    expect(titles(opened).first).to_have_text("Cats")
    opened.page.get_by_label("Title or reason").fill("talk unmatched")
    expect(titles(opened)).to_have_text([f"Lost {ODD}"])
    opened.page.get_by_label("Title or reason").fill("talk")
    opened.page.get_by_label("Show").select_option("with a paper")
    expect(titles(opened)).to_have_text(["Another talk"])
    opened.page.reload()
    expect(titles(opened)).to_have_text(["Another talk"])
    opened.assert_sound()


def test_a_long_list_has_pages_and_the_address_keeps_the_place(visit, tmp_path):
    corpus = Corpus(tmp_path, unmatched=[f"Talk {at:03}" for at in range(450)])
    opened = visit((site(corpus) / "talks.html").as_uri())
    opened.assert_text("1 to 200 of 450")
    opened.page.get_by_role("button", name="Next").click()
    opened.page.get_by_role("button", name="Next").click()
    opened.assert_text("401 to 450 of 450")
    expect(titles(opened)).to_have_count(50)
    expect(opened.page.locator("#after")).to_be_hidden()
    opened.page.reload()
    opened.assert_text("401 to 450 of 450")
    opened.page.get_by_role("button", name="Previous").click()
    opened.assert_text("201 to 400 of 450")
