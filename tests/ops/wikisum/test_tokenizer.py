"""The text that sub-words are learnt from: some of every article, in any order."""

import random
import tempfile

from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.core.sampling import drawn, split_of
from silverloom.ops.wikisum.schemas import RANKED, SplitParams
from silverloom.ops.wikisum.tokenizer import TokenizerParams, drawn_texts, tokenizer
from tests.parts import dealt, parts

TEXT = st.text("abc ", max_size=6)
ARTICLES = st.lists(st.tuples(TEXT, st.lists(TEXT, max_size=3), st.lists(TEXT, max_size=5)), max_size=8)
SPLITS = SplitParams(validation=0.2, test=0.1)


def row(number, lead, sections, paragraphs):
    return {
        "id": f"ranked-{number}", "article_id": f"article-{number}", "title": f"title {number}", "lead": lead, "natural_lead": lead,
        "sections": [
            {"title": f"s{place}", "text": text, "natural_title": f"S{place}", "natural": text}
            for place, text in enumerate(sections)
        ],
        "paragraphs": [{"text": text} for text in paragraphs],
    }  # fmt: skip


def slow(rows, params):
    """All texts in order, up to the limit."""
    queue = []
    for unit in rows:
        if split_of(unit["title"], SPLITS) != "train":
            continue
        sections = [unit["lead"], *(f" == {it['title']} == {it['text']}" for it in unit["sections"])]
        for kind, texts in {
            "section": sections,
            "paragraph": [it["text"] for it in unit["paragraphs"]],
        }.items():
            draws = {
                place: drawn(params.seed, unit["id"], kind, place) for place, text in enumerate(texts) if text
            }
            for turn, place in enumerate(sorted(draws, key=draws.get, reverse=True)):
                queue.append((turn, [-byte for byte in draws[place]], texts[place], unit["id"]))
    taken, left = [], params.characters
    for *_, text, name in sorted(queue):
        if left > 0:
            taken.append((text[:left], name))
            left -= len(text)
    return taken


@given(ARTICLES, st.integers(1, 60), st.integers(0, 3), st.randoms(use_true_random=False))
def test_texts_are_taken_in_turn_whatever_the_order_of_articles_and_parts(articles, characters, seed, order):
    rows = [row(number, *content) for number, content in enumerate(articles)]
    params = TokenizerParams(characters=characters, seed=seed)
    shuffled = order.sample(rows, len(rows))
    with tempfile.TemporaryDirectory() as folder:
        found = drawn_texts(dealt(folder, RANKED.kept, shuffled, 3), SPLITS, params)
    assert [(text.text, text.ranked_id) for text in found] == slow(rows, params)


def test_a_long_article_leaves_room_for_the_others(tmp_path):
    """With room for two texts of each, all six articles are used, including the one with 500 paragraphs."""
    rows = [
        row(number, "a" * 20, ["b" * 20], ["c" * 20] * (500 if number == 0 else 2)) for number in range(6)
    ]
    params = TokenizerParams(vocabulary=300, characters=2 * 6 * 30)
    [outcome] = tokenizer(parts(tmp_path, RANKED.kept, rows), SplitParams(validation=0, test=0), params)
    read = {found["article_id"]: found["characters"] for found in outcome.kept.to_pylist()}
    assert sum(read.values()) == params.characters and min(read.values()) >= 40


def test_the_sub_words_are_the_same_for_every_order_of_partitions(tmp_path):
    words = random.Random(7)
    rows = [
        row(
            number,
            *["".join(words.choices("abcdefgh ", k=80)) for _ in range(1)],
            [],
            ["".join(words.choices("abcd ", k=50))] * 3,
        )
        for number in range(30)
    ]
    params = TokenizerParams(vocabulary=320, characters=1500)
    made = [
        next(
            iter(tokenizer(dealt(tmp_path / str(several), RANKED.kept, found, several), SPLITS, params))
        ).files
        for several, found in ((1, rows), (4, rows[::-1]))
    ]
    assert made[0] == made[1]
