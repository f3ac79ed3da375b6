"""Static embeddings in the format of sentence-transformers, as encoder: a sentence is the mean of its tokens."""

import numpy as np
import pytest

from silverloom.ops.metrics.bertscore import bertscore
from silverloom.ops.models.encoder import embedder, embedding_size
from silverloom.ops.parasci.slices import embedded_texts

TEXTS = ["we count rows", "rows", "we count rows " * 2000, "count we"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.WordLevel({"we": 0, "count": 1, "rows": 2, "[UNK]": 3}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    vectors = np.array([[1, 0], [0, 1], [3, 4], [0, 0]], np.float32)
    path = str(tmp_path_factory.mktemp("static"))
    SentenceTransformer(modules=[StaticEmbedding(tokenizer, vectors)], device="cpu").save(path)
    return path


def test_a_sentence_is_the_mean_of_its_tokens_in_any_batch(folder):
    rows = embedder(folder)(TEXTS)
    same, other = [0.6247, 0.7809], [0.7071, 0.7071]
    np.testing.assert_array_equal(rows, np.array([same, [0.6, 0.8], same, other], np.float32))
    np.testing.assert_array_equal(rows, np.concatenate([embedder(folder)([text]) for text in TEXTS]))
    assert embedding_size(folder) == 2


def test_no_sentence_is_truncated(folder):
    assert [truncated for truncated, _ in embedded_texts(TEXTS, folder, strict=True)] == [False] * 4


def test_bertscore_refuses_them_because_they_have_no_layers(folder):
    with pytest.raises(ValueError, match=f"encoder {folder}: static embeddings have no layers"):
        bertscore(["we"], ["rows"], folder)
