"""Embeddings in parasci/sentences are looked up; other sentences are embedded, once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.parasci.candidates.pairs import looked_up, stored_embeddings
from silverloom.ops.parasci.schemas import SENTENCES
from tests.ops.parasci.parasci_cases import statement
from tests.parts import parts

SIZE = 3
texts = st.lists(st.sampled_from("abcdefgh"), max_size=12)


class Embedding:
    """Embeds letters, and records which."""

    def __init__(self):
        self.asked = []

    def __call__(self, asked):
        self.asked += asked
        return np.array([[ord(text)] * SIZE for text in asked], np.float32).reshape(-1, SIZE)


@given(st.lists(st.lists(st.sampled_from("abcdef"), unique=True), max_size=3), texts, texts)
def test_the_result_equals_embedding_everything_and_only_new_sentences_are_embedded(
    tmp_path_factory, stored, may_be, asked
):
    folder = tmp_path_factory.mktemp("sentences")
    whole, embed = Embedding(), Embedding()
    rows = [
        [statement(f"{part}{text}", text, whole([text])[0]) for text in of_part]
        for part, of_part in enumerate(stored)
    ]
    sentences = parts(folder / "rows", SENTENCES.sized(SIZE).kept, *rows)
    others = [{*asked}, {*may_be}]
    *_, found = stored_embeddings(sentences, others, folder / "found")
    assert found.equals(sentences.read(["text", "embedding"], where=("text", others[-1])))
    embedded = looked_up(found, may_be, embed)
    np.testing.assert_array_equal(embedded(asked), whole(asked))
    there = {text for of_part in stored for text in of_part} & set(may_be)
    assert sorted(embed.asked) == sorted(set(asked) - there)
