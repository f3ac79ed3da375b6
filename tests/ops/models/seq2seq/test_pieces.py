import json
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.models.seq2seq.pieces import EOS, PAD, UNK, Pieces, PiecesError
from tests.ops.models.seq2seq.seq2seq_cases import SOURCES, TARGETS, pieces

TEXTS = [*SOURCES, *TARGETS, "Zoë 's café , 1990 – 2001 .", "naïve 漢字 😀"]

_LEARN = """
import hashlib, sys
from silverloom.ops.models.seq2seq.pieces import Pieces
texts = sys.stdin.read().split("\\n") * 50
print(hashlib.sha256(Pieces.learn(texts, sys.argv[1], 400).content).hexdigest())
"""


def learnt_by_a_process(kind, texts, parallel):
    environment = {**os.environ, "TOKENIZERS_PARALLELISM": parallel, "RAYON_NUM_THREADS": "4"}
    done = subprocess.run(
        [sys.executable, "-c", _LEARN, kind], input="\n".join(texts), env=environment,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout


@pytest.mark.parametrize("kind", ["bpe", "words"])
def test_a_vocabulary_depends_neither_on_the_order_of_texts_nor_on_threads(kind):
    found = {
        learnt_by_a_process(kind, texts, parallel)
        for texts, parallel in ((TEXTS, "false"), (TEXTS[::-1], "true"), (sorted(TEXTS), "true"))
    }
    assert len(found) == 1


@given(st.lists(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1), max_size=12))
def test_byte_pairs_restore_any_space_tokenised_text(words):
    text = " ".join(words)
    vocabulary = _BPE
    numbers = vocabulary.numbers(text)
    assert UNK not in numbers and len(vocabulary.names(text)) == len(numbers)
    assert vocabulary.text([*numbers, EOS, *numbers, PAD]) == text


_BPE = Pieces.learn(TEXTS, "bpe", 300)


def test_the_pieces_are_the_most_frequent_pairs():
    """ "a b" three times, "c" once: the first pair to merge is the blank with a, then with b."""
    found = Pieces.learn(["aa aa aa aa cd"], "bpe", 3 + 256 + 2)
    assert found.names("aa cd") == ["Ġaa", "Ġ", "c", "d"]
    assert len(found) == 3 + 256 + 2


def test_words_are_kept_by_frequency_with_ties_in_alphabetical_order():
    found = Pieces.learn(["b a c", "c d"], "words", 6)
    assert json.loads(found.content)["model"]["vocab"] == {
        "<pad>": 0, "</s>": 1, "<unk>": 2, "c": 3, "a": 4, "b": 5,
    }  # fmt: skip
    assert found.numbers("a d c") == [4, UNK, 3] and found.names("a d c") == ["a", "d", "c"]


def test_a_number_beyond_the_vocabulary_is_a_word_of_the_source():
    found = Pieces.learn(["a b"], "words", 10)
    size = len(found)
    assert found.text([found.numbers("b")[0], size + 1, size, EOS, size], ["Zoë", "Yan"]) == "b Yan Zoë"


def test_a_vocabulary_is_read_back_from_its_bytes():
    for kind in ("bpe", "words"):
        one = pieces(kind)
        again = Pieces.of(one.content)
        assert (again.content, again.kind, len(again)) == (one.content, kind, len(one))


def test_content_that_is_not_a_vocabulary_is_refused():
    with pytest.raises(PiecesError, match="no vocabulary: "):
        Pieces.of(b"{}")
    other = json.loads(pieces("words").content)
    other["model"]["vocab"] = {"a": 0, "b": 1, "<unk>": 2}
    with pytest.raises(PiecesError, match=r"its first pieces are \['a', 'b', '<unk>'\], not \['<pad>'"):
        Pieces.of(json.dumps(other).encode())
