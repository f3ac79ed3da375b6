"""The installed copies of models are those of their publishers, where a publisher's hash is known."""

import hashlib

import numpy as np
import pytest

from silverloom.ops.models import registry
from silverloom.ops.models.installed import package_folder
from silverloom.ops.models.registry import word_vectors
from silverloom.ops.talksumm.sources.speech import MODEL as WHISPER

#: SHA-256 of the files of sentence-transformers/all-MiniLM-L6-v2, revision 1110a243, and of
#: Systran/faster-whisper-tiny.en, revision 0d3d19a3.
PUBLISHED = [
    (
        registry.ENCODER,
        "model.safetensors",
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
    (registry.ENCODER, "tokenizer.json", "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"),
    (WHISPER, "model.bin", "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"),
    (WHISPER, "tokenizer.json", "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df"),
    (WHISPER, "vocabulary.txt", "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf"),
]


@pytest.mark.parametrize(("package", "file", "digest"), PUBLISHED)
def test_a_file_of_a_model_is_the_publishers(package, file, digest):
    with (package_folder(package) / "model" / file).open("rb") as stream:
        assert hashlib.file_digest(stream, "sha256").hexdigest() == digest


def test_word_vectors_are_those_of_glove_6b():
    """The first numbers of lines of glove.6B.50d.txt."""
    vectors, known = word_vectors().vectors(["the", "king"])
    assert known.all() and vectors.shape == (2, 50)
    assert np.allclose(vectors[0, :4], [0.418, 0.24968, -0.41242, 0.1217], atol=1e-3)
    assert np.allclose(vectors[1, :3], [0.50451, 0.68607, -0.59517], atol=1e-3)
