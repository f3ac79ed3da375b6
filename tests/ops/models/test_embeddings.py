import numpy as np
import pytest

from silverloom.ops.models import encoder as module
from silverloom.ops.models.embedded import remembering
from silverloom.ops.models.encoder import ENCODER, embedder, encoder
from tests.ops.talksumm.extractors.extractor_cases import embed


@pytest.mark.parametrize("strict", [True, False])
def test_embeddings_have_four_decimals_and_length_one(strict):
    rows = embedder(ENCODER, strict)(["We count rows.", "Why?"])
    assert rows.dtype == np.float32 and rows.shape == (2, 384)
    np.testing.assert_array_equal(rows, rows.round(4))
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-3)


def test_the_encoder_is_told_whether_numerics_are_strict(monkeypatch):
    asked = []
    monkeypatch.setattr(module, "encoder", lambda *names: asked.append(names) or encoder(*names))
    for strict in (True, False):
        embedder(ENCODER, strict)(["a"])
    assert asked == [(ENCODER, True), (ENCODER, False)]


def test_no_encoder_is_loaded_before_there_is_a_text(monkeypatch):
    monkeypatch.setattr(module, "encoder", None)
    embedder("not installed")


def test_cached_embeddings_equal_the_encoders_and_no_text_is_embedded_twice():
    asked = []

    def counted(texts):
        asked.extend(texts)
        return embed(texts)

    remembered = remembering(counted)
    for texts in (["b", "a", "b"], ["a"], ["c", "b", ""]):
        np.testing.assert_array_equal(remembered(texts), embed(texts))
    assert asked == ["b", "a", "c", ""]


def test_changes_by_a_caller_do_not_reach_the_cache():
    remembered = remembering(embed)
    remembered(["a"])[:] = 0
    np.testing.assert_array_equal(remembered(["a"]), embed(["a"]))


def test_with_strict_numerics_a_text_has_the_same_row_in_any_batch():
    words = [f"word{number}" for number in range(40)]
    texts = ["Why?", "Nothing is lost, and " * 200, ""] + [
        " ".join(words[:count]) for count in range(1, 40, 4)
    ]
    together = embedder(ENCODER)(texts)
    np.testing.assert_array_equal(together, np.concatenate([embedder(ENCODER)([text]) for text in texts]))
    np.testing.assert_array_equal(together[::-1], embedder(ENCODER)(texts[::-1]))
    np.testing.assert_allclose(together, encoder(ENCODER).encode(texts, normalize_embeddings=True), atol=1e-4)
