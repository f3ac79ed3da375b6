"""The paragraphs of a page: main text by both extractors, alignment without loss, comments and teasers."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from resiliparse.parse.html import HTMLTree

from silverloom.ops.parse import page_text
from silverloom.ops.parse.page_text import BOILERPLATE, text_of

PROSE = [
    f"The {river} rises in the mountains and flows past {number} old mills, which many people visit in summer."
    for number, river in enumerate(("Tane", "Orme", "Lyd", "Wend"), 20)
]
COMMENTS = "".join(
    f'<div class="comment"><p>{name} wrote: I liked this article a lot, and my neighbours did, too.</p></div>'
    for name in ("Ann", "Bob", "Cyd")
)
PAGE = f"""<html><head><title>Rivers</title></head><body>
<div class="cookie-banner"><p>We use cookies to make this site better for you. Do you accept all of them?</p></div>
<nav><ul><li><a href="/">Home</a></li><li><a href="/about">About us</a></li></ul></nav>
<main><article><h1>Rivers of the north</h1>{"".join(f"<p>{text}</p>" for text in PROSE)}
<ul><li>The Tane is 40 km long.</li></ul><table><tr><td>Length</td><td>40 km</td></tr></table></article></main>
<section id="comments"><h2>Comments</h2>{COMMENTS}</section>
<footer><p>Copyright 2018</p></footer></body></html>"""


def read(page, extractor="trafilatura"):
    return text_of(HTMLTree.parse(page), page, extractor).paragraphs


def main_of(page, extractor="trafilatura"):
    return [paragraph.text for paragraph in read(page, extractor) if paragraph.boilerplate < BOILERPLATE]


def test_code_and_quotations_stay_in_their_sentence():
    inside = "Run <code>make</code> or say <q>the end</q> to it, and look at what it prints on your screen."
    items = "<ul><li>Use <code>conda</code> and <code>pip</code> here.</li></ul><pre>a = 1\nb = 2</pre>"
    main = main_of(PAGE.replace("<ul><li>The Tane", f"<p>{inside}</p>{items}<ul><li>The Tane"))
    assert "Run make or say the end to it, and look at what it prints on your screen." in main
    assert [text for text in main if "conda" in text or "=" in text] == [
        "Use conda and pip here.",
        "a = 1",
        "b = 2",
    ]


@pytest.mark.parametrize("extractor", ["trafilatura", "resiliparse"])
def test_comments_and_menus_are_kept_outside_of_main_text(extractor):
    scores = {paragraph.text: paragraph.boilerplate for paragraph in read(PAGE, extractor)}
    assert [text for text in scores if text in PROSE] == PROSE
    assert all(scores[text] < BOILERPLATE for text in PROSE)
    comments = [score for text, score in scores.items() if "wrote: I liked" in text]
    assert len(comments) == 3
    assert min(comments) >= BOILERPLATE
    assert all(score >= BOILERPLATE for text, score in scores.items() if "Home" in text or "cookies" in text)


REMARKS = [
    "Thank you for this fine text about bees, I read it aloud to my children and they loved every line of it.",
    "I do not agree at all: my own bees leave in the evening, and nobody counts them at noon where I live.",
    "What about the winter of 1990? We lost all of our hives then, and no one could tell us the reason for it.",
]


def posts(tag, name):
    return "".join(f'<{tag} class="{name}"><b>Ann</b><p>{remark}</p></{tag}>' for remark in REMARKS)


@pytest.mark.parametrize(("tag", "name"), [("div", "post"), ("div", "entry"), ("article", "comment")])
@pytest.mark.parametrize("main", ["article", "div"])
def test_of_posts_below_an_article_the_first_is_no_more_main_text_than_the_others(main, tag, name):
    article = [f"{text} {PROSE[number - 1]}" for number, text in enumerate(PROSE)]
    body = f"<{main} class='text'><h1>Rivers</h1>{''.join(f'<p>{text}</p>' for text in article)}</{main}>"
    discussion = f'<div class="discussion">{posts(tag, name)}</div>'
    page = f"<html><head><title>Rivers</title></head><body><main>{body}{discussion}</main></body></html>"
    assert [text for text in main_of(page) if text in [*article, *REMARKS]] == article


@pytest.mark.parametrize("times", [2, 3])
def test_posts_that_are_longer_than_the_article_above_them_are_no_main_text(times):
    text = " ".join(PROSE[:2])
    longer = posts("div", "post").replace("</p>", f" {PROSE[2] * times}</p>")
    page = (
        f"<html><head><title>Tane</title></head><body><article><h1>Tane</h1><p>{text}</p></article>"
        f'<div class="discussion">{longer}</div></body></html>'
    )
    assert [shown for shown in main_of(page) if shown != "Tane"] == [text]


@pytest.mark.parametrize("tag", ["article", "div class='post'"])
def test_an_article_beside_a_like_one_stays_main_text(tag):
    article = [f"{text} {PROSE[number - 1]}" for number, text in enumerate(PROSE)]
    end = tag.partition(" ")[0]
    body = f"<{tag}><h1>Rivers</h1>{''.join(f'<p>{text}</p>' for text in article)}</{end}>"
    other = f"<{tag}><h2>Bees</h2><p>{REMARKS[0]}</p></{end}>"
    page = f"<html><head><title>Rivers</title></head><body><main>{body}{other}</main></body></html>"
    assert [text for text in main_of(page) if text in article] == article


def test_posts_alone_are_main_text_and_each_is_read_once():
    page = f"<html><body><main>{posts('div', 'post')}</main></body></html>"
    assert [text for text in main_of(page) if text != "Ann"] == REMARKS


def test_a_paragraph_that_an_extractor_repeats_is_read_once(monkeypatch):
    monkeypatch.setattr(page_text, "by_trafilatura", lambda page: iter([*PROSE, PROSE[1], PROSE[2]]))
    assert main_of(PAGE) == PROSE


def test_list_items_and_rows_of_tables_are_text_without_marks():
    text = "\n".join(main_of(PAGE))
    assert "\nThe Tane is 40 km long.\n" in text
    assert "Length 40 km" in text.replace("\t", " ")
    assert "|" not in text


def test_the_options_of_a_source_choose_the_extractor(monkeypatch):
    monkeypatch.setattr(page_text, "by_trafilatura", lambda page: iter([PROSE[0]]))
    assert main_of(PAGE) == [PROSE[0]]
    assert main_of(PAGE, "resiliparse") != [PROSE[0]]


def test_a_broken_installation_of_trafilatura_is_no_fault_of_the_page(monkeypatch):
    def loaded():
        raise ImportError("no lxml")

    monkeypatch.setattr(page_text, "loaded_trafilatura", loaded)
    with pytest.raises(ImportError, match="no lxml"):
        read(PAGE)


def fallback_of(page, extractor="trafilatura"):
    return text_of(HTMLTree.parse(page), page, extractor).fallback


def test_a_page_on_which_trafilatura_fails_is_read_by_resiliparse_and_says_so(monkeypatch):
    class Broken:
        def bare_extraction(self, *arguments, **options):
            raise RecursionError

    monkeypatch.setattr(page_text, "loaded_trafilatura", Broken)
    assert read(PAGE) == read(PAGE, "resiliparse")
    assert fallback_of(PAGE) == "trafilatura fails with RecursionError"


def test_a_page_without_main_text_to_trafilatura_is_read_by_resiliparse_and_says_so(monkeypatch):
    monkeypatch.setattr(page_text, "by_trafilatura", lambda page: iter(()))
    assert read(PAGE) == read(PAGE, "resiliparse")
    assert fallback_of(PAGE) == "trafilatura finds no main text"


def test_a_long_page_is_left_to_resiliparse_and_says_so(monkeypatch):
    monkeypatch.setattr(page_text, "LONGEST", 100)
    assert read(PAGE) == read(PAGE, "resiliparse")
    assert fallback_of(PAGE) == "it is longer than 100 characters"


def test_a_page_read_as_its_source_says_has_no_fallback():
    assert [fallback_of(PAGE), fallback_of(PAGE, "resiliparse")] == ["", ""]


def test_a_page_reads_the_same_however_often_and_after_whichever_others():
    first = read(PAGE)
    assert [read(PAGE) for _ in range(4)] == [first] * 4


def test_a_paragraph_in_two_places_of_main_text_stays_in_both():
    twice = PAGE.replace("</article>", f"<p>{PROSE[0]}</p></article>")
    assert [paragraph.text for paragraph in read(twice)].count(PROSE[0]) == 2


words = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=3).map(" ".join)


@given(st.lists(words, max_size=20), st.data())
def test_alignment_loses_and_adds_no_paragraph_whichever_are_main(every, data):
    picked = [text for text in every if data.draw(st.booleans())]
    main = data.draw(st.permutations(picked))
    aligned = list(page_text.aligned(every, main))
    assert [text for text, _ in aligned] == every
    assert Counter(text for text, is_main in aligned if is_main) == Counter(main)


@given(st.lists(words, max_size=12), st.lists(words, max_size=6))
def test_all_paragraphs_are_kept_and_only_other_words_are_added(every, main):
    aligned = list(page_text.aligned(every, main))
    kept = iter(text for text, _ in aligned)
    assert all(text in kept for text in every)
    added = Counter(text for text, _ in aligned) - Counter(every)
    assert added <= Counter(main)


def test_joined_paragraphs_and_those_without_a_part_are_main_and_stay_as_they_are():
    every = ["About us", "a b degbei", "icbbie c", "One hidden two three four five six.", "Home"]
    main = ["a b degbeiicbbie c", "One two three four five six.", "A word that the page has not."]
    assert list(page_text.aligned(every, main)) == [
        ("About us", False),
        ("a b degbei", True),
        ("icbbie c", True),
        ("One hidden two three four five six.", True),
        ("Home", False),
        ("A word that the page has not.", True),
    ]


@given(st.lists(st.integers(0, 30), max_size=12, unique=True))
def test_the_longest_ascending_part_is_found(places):
    pairs = list(enumerate(places))
    part = page_text.ascending(pairs)
    assert [place for _, place in part] == sorted(place for _, place in part)
    assert sorted(part) == part
    best = [1] * len(places)
    for later, place in enumerate(places):
        best[later] += max((best[former] for former in range(later) if places[former] < place), default=0)
    assert len(part) == max(best, default=0)
