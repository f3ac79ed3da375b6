"""How often pages mention the subject of an article."""

from hypothesis import given
from hypothesis import strategies as st

from ops.wikisum.clones import WINDOW, title_mentions

WORDS = st.lists(st.sampled_from(["salt", "bread", "the", "sea"]), max_size=90)


def test_the_most_frequent_word_of_the_title_counts_if_all_occur_close_together():
    pages = [
        "Sara Bisel was born here. Bisel studied there, and later Bisel taught.",
        "Sara was here. " + "So it was. " * WINDOW + "Bisel was there. Bisel.",
        "Bisel, Bisel, Bisel.",
        "",
    ]
    assert title_mentions("Sara Bisel", pages).tolist() == [3, 0, 0, 0]


def test_case_stop_words_and_punctuation_do_not_count_and_words_in_brackets_must_occur():
    assert title_mentions("The-Field of WATERLOO", ["A field near Waterloo"]).tolist() == [1]
    pages = ["Android, a robot.", "Robotics! Android: the android", "Android phones. Android", "A robot."]
    assert title_mentions("Android (robot)", pages).tolist() == [1, 2, 0, 0]
    assert title_mentions("(What's the Story) Morning Glory?", ["Morning glory, a story"]).tolist() == [1]


def test_a_title_of_several_stop_words_is_counted_as_it_is_written_and_one_alone_is_not():
    pages = ["The Who are a band. Who knows the Who? The Whole.", "Those who know."]
    assert title_mentions("The Who", pages).tolist() == [1, 0]
    assert title_mentions("A", ["A page of a word."]).tolist() == [0]
    assert title_mentions("(Untitled)", ["untitled, untitled"]).tolist() == [0]
    assert title_mentions("", ["A page."]).tolist() == [0]
    assert title_mentions("Salt", []).tolist() == []


@given(WORDS, WORDS)
def test_counts_equal_those_of_the_definition(first, second):
    def slow(words):
        spans = (words[place : place + WINDOW] for place in range(len(words)))
        together = any({"salt", "bread"} <= set(span) for span in spans)
        return max(words.count("salt"), words.count("bread")) if together else 0

    pages = [" ".join(first), " ".join(second)]
    assert title_mentions("Salt and bread", pages).tolist() == [slow(first), slow(second)]
