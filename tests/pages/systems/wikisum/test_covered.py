"""Where inputs are cut, and which words of a lead they cover."""

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from silverloom.pages.systems.wikisum.article import MOST_WORDS, Cut, Lead, Paragraphs


@pytest.fixture(scope="module")
def pieces():
    """A tokenizer of single bytes."""
    found = Tokenizer(models.BPE())
    found.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    found.decoder = decoders.ByteLevel()
    found.train_from_iterator(
        [],
        trainers.BpeTrainer(
            vocab_size=300,
            initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
            show_progress=False,
        ),
    )
    return found


def test_an_input_ends_where_there_is_no_room_for_another_sub_word(pieces):
    # the title takes " ab" and its end, each paragraph its bytes and a space
    paragraphs = Paragraphs("Ab", ["cd ef", "gh"], pieces)
    assert paragraphs.cut([0, 1], 4) == Cut(0, None)
    assert paragraphs.cut([0, 1], 7) == Cut(1, 2)
    assert paragraphs.cut([0, 1], 10) == Cut(1, None)
    assert paragraphs.cut([1, 0], 12) == Cut(2, 4)
    assert paragraphs.cut([1, 0], 13) == Cut(2, None)
    assert paragraphs.cut([], 100) == Cut(0, None)
    assert paragraphs.words([1, 0], Cut(2, 4)) == ["gh", "cd", "e"]
    assert paragraphs.words([1, 0], Cut(0, None)) == []


def test_a_bigram_counts_if_the_input_has_both_words_in_a_row():
    lead = Lead("the sea , the salt and bread")
    assert lead.pieces == ["", "the", " ", "sea", " , ", "the", " ", "salt", " ", "and", " ", "bread", ""]
    assert lead.marks(["salt", "and", "sea", "the"]) == "122220"
    assert lead.recall(["salt", "and", "sea", "the"]) == 2 / 5
    assert lead.marks([]) == "000000" and lead.recall([]) == 0


def test_a_lead_with_no_word_or_very_many_is_shown_as_far_as_a_page_goes():
    assert Lead("").pieces == [""] and Lead(" . ").recall(["a"]) == 0
    long = Lead("word " * (MOST_WORDS + 5))
    assert len(long.pieces) == 2 * MOST_WORDS + 1 and long.words == MOST_WORDS + 5
    assert long.marks(["word", "word"]) == "2" * MOST_WORDS
