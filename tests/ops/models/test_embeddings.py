import numpy as np
import pytest

from ops.models import encoder as module
from ops.models.encoder import ENCODER, embedder, encoder, remembering
from ops.models.extractors.paper import Labelled
from ops.models.extractors.tasks import PointerTask, TransformerTask, task_of
from tests.ops.models.extractors.extractor_cases import embed, paper_of, pointer, spans, transformer


@pytest.mark.parametrize("strict", [True, False])
def test_embeddings_have_four_decimals_and_length_one(strict):
    rows = embedder(ENCODER, strict)(["We count rows.", "Why?"])
    assert rows.dtype == np.float32 and rows.shape == (2, 384)
    np.testing.assert_array_equal(rows, rows.round(4))
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-3)


def test_the_encoder_hears_whether_it_is_strict(monkeypatch):
    asked = []
    monkeypatch.setattr(module, "encoder", lambda *names: asked.append(names) or encoder(*names))
    for strict in (True, False):
        embedder(ENCODER, strict)(["a"])
    assert asked == [(ENCODER, True), (ENCODER, False)]


def test_no_encoder_is_loaded_before_there_is_a_text(monkeypatch):
    monkeypatch.setattr(module, "encoder", None)
    embedder("not installed")


def test_what_is_remembered_is_what_the_encoder_gave_and_no_text_is_embedded_twice():
    asked = []

    def counted(texts):
        asked.extend(texts)
        return embed(texts)

    remembered = remembering(counted)
    for texts in (["b", "a", "b"], ["a"], ["c", "b", ""]):
        np.testing.assert_array_equal(remembered(texts), embed(texts))
    assert asked == ["b", "a", "c", ""]


def test_what_a_caller_does_to_its_rows_does_not_reach_the_next():
    remembered = remembering(embed)
    remembered(["a"])[:] = 0
    np.testing.assert_array_equal(remembered(["a"]), embed(["a"]))


def test_extractors_share_what_is_remembered_without_change():
    papers = [spans(7, seed) for seed in range(3)]
    shared = remembering(embed)
    for seed in range(2):
        model = transformer(seed)
        alone = [model.extract(paper_of(paper), 20) for paper in papers]
        model.embed = shared
        assert [model.extract(paper_of(paper), 20) for paper in papers] == alone


def test_each_extractor_is_trained_by_its_own_task():
    empty = Labelled([], [])
    assert type(task_of(pointer(), empty, empty)) is PointerTask
    assert type(task_of(transformer(), empty, empty)) is TransformerTask


def test_a_task_judges_by_the_words_that_it_is_given():
    papers = Labelled([paper_of(spans(9, 1))], [[0, 3]])
    heard = []

    def judge(row, extraction):
        heard.append((row, extraction))
        return 0.25

    for model in (pointer(), transformer()):
        assert task_of(model, papers, papers, judge, 11).validate()["score"] == 0.25
        assert heard.pop() == (0, model.extract(papers.papers[0], 11))


def test_with_strict_numerics_a_text_has_the_same_row_in_any_company():
    words = [f"word{number}" for number in range(40)]
    texts = ["Why?", "Nothing is lost, and " * 200, ""] + [
        " ".join(words[:count]) for count in range(1, 40, 4)
    ]
    together = embedder(ENCODER)(texts)
    np.testing.assert_array_equal(together, np.concatenate([embedder(ENCODER)([text]) for text in texts]))
    np.testing.assert_array_equal(together[::-1], embedder(ENCODER)(texts[::-1]))
    np.testing.assert_allclose(together, encoder(ENCODER).encode(texts, normalize_embeddings=True), atol=1e-4)
