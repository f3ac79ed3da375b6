"""Text pairs: a summary's sentences are found in its paper."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.assets.declare.dataset import dataset
from silverloom.assets.rows.ancestry import opened
from silverloom.assets.rows.reading import counted
from silverloom.ops.core.outcome import Outcomes
from silverloom.ops.core.parts import Parts
from silverloom.ops.talksumm.schemas import SUMMARIES
from silverloom.pages.rows import pages
from silverloom.pages.sampling import sample
from silverloom.pages.text_pairs import found_in
from tests.rows_corpus import row, talk, write

NAME = "talksumm/training_sets"


@given(st.lists(st.text("ab .", min_size=1).map(str.strip).filter(bool), unique=True, max_size=8), st.data())
def test_a_text_joined_from_sentences_contains_all_of_these(sentences, data):
    chosen = sorted(data.draw(st.sets(st.sampled_from(range(len(sentences))))) if sentences else [])
    text = " ".join(sentences[number] for number in chosen)
    found = found_in(sentences, text)
    joined = " ".join(sentences[number] for number in found)
    assert " ".join(joined.split()) == " ".join(text.split()) or set(chosen) <= set(found)


def test_sentences_in_another_order_are_found_as_well():
    assert found_in(["One is here.", "Two is not.", "Three is."], "Three is. One is here. Four.") == [0, 2]


def test_half_a_word_is_not_a_sentence():
    assert found_in(["art", "Art is long."], "Art is long. The start.") == [1]


def test_a_row_without_text_or_without_sentences_has_no_pair(tmp_path):
    rows = [row("a", summary=None, sentences=["a"]), row("b", summary="a", sentences=None)]
    data = data_of(tmp_path, NAME, write(tmp_path, NAME, "2018-06", rows))
    assert len(data["rows"]) == 2 and not any("marked" in shown for shown in data["rows"])


def data_of(tmp_path, name, everything=None):
    everything = everything or talk(tmp_path)
    with opened(everything) as ancestry:
        shown = {each: sample(ancestry, each) for each in everything}
        files = dict(pages(ancestry, counted(everything), shown))
    html = files[f"rows/{name.replace('/', '-')}.html"].decode()
    return json.loads(
        re.search(r'<script id="data" type="application/json">(.*?)</script>', html, re.S).group(1)
    )


def test_a_summary_is_compared_with_the_sentences_of_its_pair(tmp_path):
    data = data_of(tmp_path, "talksumm/summaries")
    assert data["compared"] == [["We count rare words.", "They are rare."]]
    assert [(row["text"], row["marked"]) for row in data["rows"]] == [(0, [0])]


def test_a_training_example_is_compared_with_its_own_sentences(tmp_path):
    data = data_of(tmp_path, "talksumm/training_sets")
    assert data["compared"] == [] and [row["marked"] for row in data["rows"]] == [[0]]


def test_dropped_pairs_are_compared_as_well_if_they_have_both_texts(tmp_path):
    lost = [(row("pair-a", "pair", first="A model reads.", second="A model writes."), "self_bleu", 90.0)]
    data = data_of(tmp_path, "parasci/filtered", write(tmp_path, "parasci/filtered", "all", [], lost))
    assert [row["difference"] for row in data["rows"]] == [
        [["=", "A model "], ["-", "reads"], ["+", "writes"], ["=", "."]]
    ]


def test_a_text_pair_with_a_missing_column_is_refused():

    def odd(pairs: Parts) -> Outcomes:
        return iter(())

    odd.__annotations__ = {"pairs": Parts, "return": Outcomes}
    with pytest.raises(
        LookupError, match=r"talksumm/odd: the text pair names 'pairs\.sentence', which is no column"
    ):
        dataset(group="talksumm", shape=SUMMARIES, text_pair=("text", "pairs.sentence"))(odd)
