"""From one text, natural or tokenised, to its fusion examples; and the public names of the package."""

from __future__ import annotations

import subprocess
import sys

import pytest

import silverloom.ops.discofuse
from silverloom.ops.coreference.titles import with_title
from silverloom.ops.discofuse import annotator, fusion_examples
from silverloom.ops.discofuse.dataset import unfuse
from silverloom.ops.discofuse.dataset.pipeline import is_tokenised, sentences_of_tokens, tokenised
from silverloom.ops.discofuse.dataset.unfuse import annotated


@pytest.fixture(scope="module")
def nlp():
    return annotator()


@pytest.mark.parametrize(
    ("text", "tokenised"),
    [
        ("He left , and she stayed .", True),
        ("He left , and she stayed .\nIt rained .", True),
        ("It was on Jeopardy! in 1990 .\nThe fans cried .", True),
        ("It was Levi's .\nShe stayed , he said .", True),
        ("It was 1,000 euros at 3.5 % .", True),
        ("The U.S. team lost .", True),
        ("-LRB- He -RRB- said `` no '' .", True),
        ("It 's his .", True),
        ("He left, and she stayed.", False),
        ("Germany beat Brazil 7 : 1 and Spain 3 : 2. However the fans left. They went home.", False),
        ("Why ? He left. She stayed. He was ill ; she was not. They had nothing. But they lived.", False),
        ("The first term is x , y , z. However it is small. We drop it.", False),
        ("He left. She stayed.", False),
        ("He left", False),
        ("It's late .", False),
        ("", False),
    ],
)
def test_blanks_before_punctuation_mark_a_text_as_tokenised(text, tokenised):
    assert is_tokenised(text) == tokenised


def test_tokens_of_a_tokenised_text_are_kept(nlp):
    text = "Mr. O'Neil 's wide-open 3 - 1 can n't U.S. '80s -LRB- x -RRB- ."
    assert list(annotated(text, nlp).words) == text.split()


@pytest.mark.parametrize(
    "text", ["Ruth Varga met Ida Holm. She left early.", "Ruth Varga met Ida Holm . She left early ."]
)
def test_a_title_that_names_another_person_leaves_a_pronoun_unresolved(nlp, text):
    told, untold = (fusion_examples(text, nlp, title=title) for title in ("Ruth Varga (singer)", "Ida Holm"))
    assert [example.incoherent_second_sentence for example in told] == ["Ruth Varga left early ."]
    assert [example.incoherent_second_sentence for example in untold] == ["She left early ."]


def test_the_caller_may_say_whether_a_text_is_tokenised(nlp):
    text = "He's late .\nHowever , they won."
    [natural] = fusion_examples(text, nlp, space_tokenised=False)
    assert (natural.discourse_type, natural.incoherent_first_sentence) == ("PAIR_CONN", "He 's late .")
    [tokenised] = fusion_examples(text, nlp, space_tokenised=True)
    assert (tokenised.coherent_first_sentence, tokenised.coherent_second_sentence) == tuple(text.split("\n"))


def test_a_long_tokenised_text_is_parsed_in_parts(nlp, monkeypatch):
    text = (
        "The mill was sold , and its owner kept the wheel .\nIt rained .\nHowever , the road was dry .\n" * 3
    )
    whole = fusion_examples(text, nlp)
    parsed = []
    monkeypatch.setattr(unfuse, "TOKENS_AT_ONCE", 20)
    monkeypatch.setattr(
        unfuse,
        "tokenised",
        lambda nlp, part, title: parsed.append(sum(map(len, part))) or tokenised(nlp, part, title),
    )
    assert fusion_examples(text, nlp) == whole
    assert len(parsed) > 1 and max(parsed) <= 20 and sum(parsed) == len(text.split())
    assert len(whole) > 6


def test_a_long_sentence_of_a_tokenised_text_is_cut(nlp, monkeypatch):
    monkeypatch.setattr(unfuse, "TOKENS_AT_ONCE", 20)
    text = "He ran , " * 15 + "."
    annotation = annotated(text, nlp, space_tokenised=True)
    assert [end - start for start, end in annotation.sentences] == [20, 20, 6]
    assert list(annotation.words) == text.split()


def test_a_natural_text_with_very_many_tokens_is_parsed_in_smaller_parts(nlp, monkeypatch):
    text = "a, " * 99 + "a\n\nHe ran."
    parsed = []
    monkeypatch.setattr(unfuse, "TOKENS_OF_PROSE", 50)
    monkeypatch.setattr(
        unfuse,
        "with_title",
        lambda document, title: parsed.append(len(document)) or with_title(document, title),
    )
    annotation = annotated(text, nlp, space_tokenised=False)
    assert max(parsed) <= 50 and sum(parsed) == len(annotation.words)
    assert (
        "".join(word + " " * space for word, space in zip(annotation.words, annotation.spaces, strict=True))
        == text
    )


def test_sentences_of_a_tokenised_text_end_at_its_newlines(nlp):
    text = "He left . She stayed .\nThe rain . stopped .\n\nIt was late ."
    sentences = annotated(text, nlp).sentence_texts()
    assert sentences == ["He left . She stayed .", "The rain . stopped .", "It was late ."]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("He left . She stayed .", ["He left .", "She stayed ."]),
        ("He said `` No . '' She stayed .", ["He said `` No . ''", "She stayed ."]),
        ("Who left ? ! She stayed", ["Who left ? !", "She stayed"]),
        ("It was Yahoo ! that paid .", ["It was Yahoo ! that paid ."]),
        ("Mr. Bean left . 33 stayed .", ["Mr. Bean left .", "33 stayed ."]),
        (". . .", [". . ."]),
    ],
)
def test_sentences_of_a_tokenised_text_without_newlines_end_at_its_final_marks(text, sentences):
    assert [" ".join(words) for words in sentences_of_tokens(text.split())] == sentences


@pytest.mark.parametrize(
    "text",
    [
        "The rain stopped, but we stayed. However, she left.",
        "The rain stopped , but we stayed . However , she left .",
    ],
)
def test_natural_and_tokenised_text_give_the_same_examples(nlp, text):
    pair, single = sorted(fusion_examples(text, nlp), key=lambda each: each.discourse_type)
    assert pair.discourse_type == "PAIR_CONN"
    assert (pair.coherent_second_sentence, pair.incoherent_second_sentence) == (
        "However , she left .",
        "She left .",
    )
    assert single.discourse_type == "SINGLE_S_COORD"
    assert (single.incoherent_first_sentence, single.incoherent_second_sentence) == (
        "The rain stopped .",
        "We stayed .",
    )


@pytest.mark.parametrize("text", ["", " \n ", "\n\n", "😀", ".", "Hello", "No verb here .", "x " * 1000])
def test_odd_texts_give_nothing(nlp, text):
    assert fusion_examples(text, nlp) == []


def test_white_space_of_a_natural_text_is_not_in_its_examples(nlp):
    examples = fusion_examples("The rain\nstopped, but\u00a0we  stayed.\n\nIt was late.", nlp)
    assert examples
    for each in examples:
        for sentence in (each.coherent_first_sentence, each.incoherent_second_sentence):
            assert sentence == " ".join(sentence.split())


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("-LRB- Bob -RRB- came home , and Ann left .", "-LRB- Bob -RRB- came home .", "Ann left ."),
        ("He said `` no '' , but Ann left .", "He said `` no '' .", "Ann left ."),
        ("Der Führer came home , and Zoë left .", "Der Führer came home .", "Zoë left ."),
    ],
)
def test_brackets_quotes_and_letters_beyond_ascii_are_accepted(nlp, text, first, second):
    (example,) = fusion_examples(text, nlp)
    assert (example.incoherent_first_sentence, example.incoherent_second_sentence) == (first, second)


def test_a_split_that_breaks_a_pair_of_quotes_is_discarded(nlp):
    assert fusion_examples("`` The rain stopped , and we went home , '' he said .", nlp) == []


def test_public_names_are_found_without_loading_spacy():
    command = "import sys, silverloom.ops.discofuse; assert 'spacy' not in sys.modules; print(silverloom.ops.discofuse.annotator.__name__)"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout == "annotator\n"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = silverloom.ops.discofuse.nothing


def test_a_text_of_any_length_is_parsed_in_pieces(nlp, monkeypatch):
    text = "The rain stopped, and the sun came out.\n\nThe house is old and the garden is large."
    whole = fusion_examples(text, nlp)
    monkeypatch.setattr(unfuse, "AT_ONCE", 60)
    assert len(whole) > 1 and fusion_examples(text, nlp) == whole
