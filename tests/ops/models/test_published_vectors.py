"""The word vectors that are installed are those of their publisher, who gives no hash."""

import numpy as np

from silverloom.ops.models.registry import word_vectors


def test_word_vectors_are_those_of_glove_6b():
    """The first numbers of lines of glove.6B.50d.txt."""
    vectors, known = word_vectors().vectors(["the", "king"])
    assert known.all() and vectors.shape == (2, 50)
    assert np.allclose(vectors[0, :4], [0.418, 0.24968, -0.41242, 0.1217], atol=1e-3)
    assert np.allclose(vectors[1, :3], [0.50451, 0.68607, -0.59517], atol=1e-3)
