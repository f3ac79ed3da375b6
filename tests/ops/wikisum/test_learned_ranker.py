"""The learned ranker against tf-idf, on articles that nothing was learnt from."""

import json
import random

import pytest

from assets.systems.wikisum.datasets import learned_ranker
from ops.wikisum.learned_ranker import LearnedRankerParams
from ops.wikisum.ranked import RankedParams
from ops.wikisum.references import ReferenceParams
from ops.wikisum.splits import SplitParams, split_of
from tests.ops.wikisum.encyclopedia import Steps, article, page

SPLITS = SplitParams(validation=0.2, test=0.3)
TITLES = [f"Place{number}" for number in range(40)]
PAGES, PARAGRAPHS, WORDS = 6, 6, 60


def prose(drawing, count):
    return " ".join("".join(drawing.choices("aeiklmnoprst", k=4)) for _ in range(count))


def place(number, telling):
    """Return an article with its pages: what is in its lead stands first on each page, or in no certain place.

    Where it stands first, another paragraph of the page names the title most often, and tells nothing of it.
    Otherwise the paragraph that names the title most often is the one that tells.
    """
    drawing = random.Random(number)
    title = TITLES[number]
    facts = [prose(drawing, WORDS) for _ in range(PAGES)]
    pages = []
    for at, fact in enumerate(facts):
        others = [f"{prose(drawing, WORDS)} ." for _ in range(PARAGRAPHS - 2)]
        loud = f"{title} {title} {title} {prose(drawing, WORDS) if telling else fact} ."
        found = [*others, loud]
        drawing.shuffle(found)
        found.insert(0, f"{title} is {fact if telling else prose(drawing, WORDS)} .")
        pages.append(page(f"http://a/{number}/{at}", *found))
    cites = [row["url"] for row in pages]
    return article(title, f"{title} is a place . {' '.join(facts)} .", cites=cites), pages


def above_tf_idf(folder, telling):
    """Return the learned ranker's recall minus that of tf-idf at 500 words, as its dataset tells it."""
    made = [place(number, telling) for number in range(len(TITLES))]
    steps = Steps(
        folder,
        [row for row, _ in made],
        [row for _, pages in made for row in pages],
        references=ReferenceParams(results=0),
        ranked=RankedParams(rankers=("tf_idf",), corpora=("combined",)),
    )
    params = LearnedRankerParams(words=(500,))
    *_, outcome = learned_ranker.function(steps.parts("ranked"), splits=SPLITS, params=params)
    [row] = [row for row in json.loads(outcome.files["recalls.json"]) if row["ranker"] == "learned"]
    held_out = [title for title in TITLES if split_of(title, SPLITS) != "train"]
    assert row["articles"] == len(held_out) > 15
    return row["above_tf_idf"]


def test_where_places_tell_what_a_paragraph_is_worth_the_learned_ranker_beats_tf_idf(tmp_path):
    found = above_tf_idf(tmp_path, telling=True)
    assert found["low"] > 0
    assert found["difference"] > 0.3


def test_where_tf_idf_finds_all_that_there_is_nothing_is_won(tmp_path):
    found = above_tf_idf(tmp_path, telling=False)
    assert found["low"] <= 0
    assert found["difference"] == pytest.approx(0, abs=0.02)
