"""The pages of talks: words, sentences and stretches as in the datasets."""

import json
import re

import pytest

from silverloom.assets.declare.project import checkout
from silverloom.ops.talksumm.align.emission import observe
from silverloom.pages.systems.talksumm import talks
from silverloom.pages.systems.talksumm.talks import is_quiet, moves, starts
from tests.browser.talk_corpus import Corpus, Talk, point

SENTENCES = [
    ("Abstract", "What it is all about.", "role_abstract"),
    ("1 Introduction", "Silver labels are cheap and noisy.", None),
    ("1 Introduction", "Too short.", "short"),
    ("1 Introduction", "12 http://pages.example", "no footnote"),
    ("2.1 Data", "We label letters by hand.", None),
    ("2.1 Data", "Nobody speaks of this one.", None),
]
TALK = Talk(
    "a",
    ["so", "silver", "labels", "are", "cheap", "we", "label", "the", "letters", "and", "labels"],
    SENTENCES,
    [(1, 4, 1), (6, 8, 4), (10, 10, 1)],
    summary=[1],
    labels=[(0, 0, None), (1, 5, "Silver labels"), (6, 10, "We label")],
    headings=["Abstract", "1 Introduction", "2 Method", "2.1 Data", "References"],
)


@pytest.fixture
def files(tmp_path):
    def files(*all_talks, **more):
        return {
            name: data_of(content)
            for name, content in talks.pages(Corpus(tmp_path, all_talks, **more).write())
        }

    return files


def data_of(page):
    return json.loads(
        re.search(r'<script id="data" type="application/json">(.*?)</script>', page.decode(), re.S)[1]
    )


def test_a_page_has_the_stretches_of_the_talk_in_order_with_their_sentences(files):
    page = files(TALK)["talks/pair-a.html"]
    assert page["runs"] == [[1, 4, 1], [6, 8, 4], [10, 10, 1]]
    assert page["words"] == list(TALK.words) and page["starts"][:3] == [0.0, 0.5, 1.0]
    assert page["quiet"] == "10010101010"


def test_a_page_has_every_sentence_of_the_paper_and_why_it_is_not_a_state(files):
    sentences = files(TALK)["talks/pair-a.html"]["sentences"]
    assert [one["text"] for one in sentences] == [text for _, text, _ in SENTENCES]
    assert [one["why"] for one in sentences] == [
        "left out: abstract",
        None,
        "short (12 characters)",
        "no sentence: footnote",
        None,
        None,
    ]
    assert [one["count"] for one in sentences] == [0, 5, 0, 0, 3, 0]


def test_headings_without_sentences_are_where_the_paper_has_them(files):
    sections = files(TALK)["talks/pair-a.html"]["sections"]
    assert [(one["title"], one["first"], one["size"]) for one in sections] == [
        ("Abstract", 0, 1),
        ("1 Introduction", 1, 3),
        ("2 Method", 4, 0),
        ("2.1 Data", 4, 2),
    ]


def test_summaries_and_labels_point_to_the_sentences_of_the_page(files):
    score = {"talk_id": "talk-a", "title": "A talk", "words": 8, "correct": 7}
    page = files(TALK, points=[{**point((0.75, 0.5, 0.33, 0.1), 0.8, current=True), "talks": [score]}])[
        "talks/pair-a.html"
    ]
    assert page["budgets"]["words_150"]["sentences"] == [1]
    assert page["gold"] == {"runs": [[0, 0, None], [1, 5, 1], [6, 10, 4]], "words": 8, "correct": 7}


def test_labels_with_a_name_that_two_talks_share_belong_to_neither(files, monkeypatch):
    twin = Talk("b", TALK.words, SENTENCES, TALK.runs)
    monkeypatch.setattr(
        Corpus, "row_of", lambda self, talk, made=Corpus.row_of: {**made(self, talk), "document": "a"}
    )
    made = files(TALK, twin)
    assert made["talks/pair-a.html"]["gold"] is None and made["talks/pair-b.html"]["gold"] is None


def test_the_list_shows_how_much_of_the_paper_a_talk_covers(files):
    (entry,) = files(TALK)["talks.html"]
    assert (entry["states"], entry["covered"], entry["words"], entry["page"]) == (3, 2, 11, True)
    assert entry["minutes"] == pytest.approx(5.4 / 60, abs=0.05)


def test_the_list_has_the_lost_talks_with_their_reasons(files):
    made = files(TALK, unmatched=["An odd talk"], unread=["talks/empty.txt"])["talks.html"]
    lost = {entry["title"]: (entry["outcome"], entry["why"]) for entry in made if entry["outcome"] != "kept"}
    assert lost == {
        "An odd talk": ("dropped", "unmatched"),
        "talks/empty.txt": ("rejected", "talks/empty.txt: the file is empty"),
    }


def test_pages_are_bounded_and_whether_a_pair_has_one_does_not_depend_on_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr(talks, "MOST_PAGES", 3)
    names = "abcdefgh"

    def made(folder, chosen):
        folder.mkdir()
        corpus = Corpus(folder, [Talk(name, ["word"], SENTENCES) for name in chosen])
        return {name for name, _ in talks.pages(corpus.write()) if name != "talks.html"}

    whole = made(tmp_path / "1", names)
    assert len(whole) == 3
    removed = next(name for name in names if f"talks/pair-{name}.html" not in whole)
    assert made(tmp_path / "2", [name for name in reversed(names) if name != removed]) == whole


def test_a_talk_or_paper_beyond_the_bounds_is_listed_without_a_page(files, monkeypatch):
    monkeypatch.setattr(talks, "MOST_WORDS", 10)
    made = files(TALK)
    assert list(made) == ["talks.html"] and made["talks.html"][0]["page"] is False


@pytest.mark.parametrize("empty", [Talk("e"), Talk("e", ["hello"]), Talk("e", (), SENTENCES)])
def test_a_pair_without_words_or_sentences_has_a_page(files, empty):
    made = files(empty)
    assert made["talks/pair-e.html"]["runs"] == [] and made["talks.html"][0]["page"]


def test_a_corpus_without_talks_has_an_empty_list(files):
    assert files() == {"talks.html": []}


def test_only_web_addresses_are_linked(tmp_path):
    pages = dict(talks.pages(Corpus(tmp_path, [Talk("e", url="javascript:alert(1)")]).write()))
    assert b"javascript:alert" not in pages["talks/pair-e.html"]


def test_muted_words_are_those_that_the_model_ignores():
    words = {
        "the",
        "the,",
        "(the",
        "cannot",
        "gonna",
        "don't",
        "it's",
        "...",
        "--",
        "%HESITATION",
        "-",
        "Paper.",
        "a)",
        "3",
        '"the',
    }
    for kind in ("txt", "srt", "vtt"):
        for path in (checkout() / "data/sample/talks").glob(f"*.{kind}"):
            words |= set(path.read_text().split())
    wrong = [word for word in sorted(words) if is_quiet(word) == bool(observe([word])[0])]
    assert not wrong


def test_a_missing_time_is_copied_from_the_previous_word():
    words = [{"start": None}, {"start": 1.23}, {"start": None}]
    assert starts(words) == [0.0, 1.2, 1.2]
    assert starts([{"start": None}]) is None and starts([]) is None


def test_moves_count_steps_forward_and_back():
    assert moves([[0, 1, 3], [2, 3, 9], [4, 5, 2], [6, 7, 4]]) == {
        "forward": 2,
        "back": 1,
        "farthest_forward": 6,
        "farthest_back": 7,
    }
    assert moves([]) == {"forward": 0, "back": 0, "farthest_forward": 0, "farthest_back": 0}
