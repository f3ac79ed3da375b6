"""The learned ranker compared with tf-idf, on held-out articles."""

import json
import random

import pytest

from silverloom.assets.declare.declaration import declared
from silverloom.assets.systems.wikisum.datasets import learned_ranker
from silverloom.ops.core.sampling import split_of
from silverloom.ops.wikisum.learned_ranker import LearnedRankerParams
from silverloom.ops.wikisum.ranked import RankedParams
from silverloom.ops.wikisum.references import ReferenceParams
from silverloom.ops.wikisum.schemas import SplitParams
from tests.ops.wikisum.encyclopedia import Steps, article, page

SPLITS = SplitParams(validation=0.2, test=0.3)
TITLES = [f"Place{number}" for number in range(40)]
PAGES, PARAGRAPHS, WORDS = 6, 6, (40, 80)


def prose(drawing):
    return " ".join("".join(drawing.choices("aeiklmnoprst", k=4)) for _ in range(drawing.randint(*WORDS)))


def paragraphs(title, fact, telling, drawing):
    """Return a page with a fact of the lead: in the first paragraph, or in the one that names the title most."""
    first, loud, *others = (prose(drawing) for _ in range(PARAGRAPHS))
    if not telling:
        loud = fact
    elif drawing.random() < 0.8:
        first = fact
    else:
        others[0] = fact
    behind = [*others, f"{title} {title} {title} {loud}"]
    drawing.shuffle(behind)
    return [f"{text} ." for text in (f"{title} is {first}", *behind)]


def place(number, telling):
    """Return an article with its pages, each of which contains a part of the lead."""
    drawing = random.Random(number)
    title = TITLES[number]
    facts = [prose(drawing) for _ in range(PAGES)]
    pages = [
        page(f"http://a/{number}/{at}", *paragraphs(title, fact, telling, drawing))
        for at, fact in enumerate(facts)
    ]
    cites = [row["url"] for row in pages]
    return article(title, f"{title} is a place . {' '.join(facts)} .", cites=cites), pages


def above_tf_idf(folder, telling):
    """Return the learned ranker's recall minus that of tf-idf at 500 words, as its dataset reports it."""
    made = [place(number, telling) for number in range(len(TITLES))]
    steps = Steps(
        folder,
        [row for row, _ in made],
        [row for _, pages in made for row in pages],
        references=ReferenceParams(results=0),
        ranked=RankedParams(rankers=("tf_idf",), corpora=("combined",), language=None),
    )
    params = LearnedRankerParams(words=(500,))
    *_, outcome = declared(learned_ranker).function(steps.parts("ranked"), splits=SPLITS, params=params)
    [row] = [row for row in json.loads(outcome.files["recalls.json"]) if row["ranker"] == "learned"]
    held_out = [title for title in TITLES if split_of(title, SPLITS) != "train"]
    assert row["articles"] == len(held_out) > 15
    return row["above_tf_idf"]


def test_if_positions_predict_the_value_of_a_paragraph_the_learned_ranker_beats_tf_idf(tmp_path):
    found = above_tf_idf(tmp_path, telling=True)
    assert found["low"] > 0
    assert found["difference"] > 0.3


@pytest.mark.long
def test_if_tf_idf_finds_everything_nothing_is_gained(tmp_path):
    found = above_tf_idf(tmp_path, telling=False)
    assert found["low"] <= 0
    assert found["difference"] == pytest.approx(0, abs=0.02)
