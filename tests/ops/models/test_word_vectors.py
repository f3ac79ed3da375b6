import numpy as np
import pytest

from silverloom.ops.models.word_vectors import WordVectors, read_glove


def test_a_duplicate_word_counts_at_its_first_position():
    vectors = WordVectors(["cat", "dog", "cat"], np.array([[1.0], [2.0], [3.0]]))
    assert vectors.rank("cat") == 0 and "dog" in vectors and vectors.rank("cow") is None
    assert vectors.mean.tolist() == [2.0]


def test_no_words_give_no_vectors():
    rows, found = WordVectors(["cat"], np.ones((1, 3))).vectors([])
    assert rows.shape == (0, 3) and found.shape == (0,)


@pytest.mark.parametrize(("words", "shape"), [(["cat"], (2, 3)), ([], (0, 3)), (["cat"], (1,))])
def test_words_and_matrix_must_have_the_same_length(words, shape):
    with pytest.raises(ValueError, match="do not fit"):
        WordVectors(words, np.ones(shape))


def test_glove_text_may_contain_words_with_spaces_and_a_header(tmp_path):
    path = tmp_path / "vectors.txt"
    path.write_text("2 3\ncat 1 2 3\n. . . 4 5 6\n")
    vectors = read_glove(path)
    assert vectors.vectors([". . ."])[0].tolist() == [[4, 5, 6]] and vectors.rank(". . .") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cat 1 2\ndog 3\n", "line 2"),
        ("cat 1 2\ndog 3 x\n", "line 2.*x"),
        ("", "no word vectors"),
    ],
)
def test_a_bad_line_is_named(tmp_path, text, message):
    path = tmp_path / "vectors.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_glove(path)
