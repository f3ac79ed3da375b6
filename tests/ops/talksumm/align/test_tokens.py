import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.talksumm.align.emission import content_tokens, observe, says_anything
from silverloom.ops.text.words import STOP_WORDS, is_disfluency

LETTERS = "acdegilmnotw"


def test_the_list_is_nltks():
    assert len(STOP_WORDS) == 179
    assert {"the", "any", "wouldn't", "ma", "s"} <= STOP_WORDS


def test_stop_words_punctuation_and_hesitation_are_filtered():
    words = ["So", ",", "%HESITATION", "the", "Systems,", "(work)", "--", "well", ".", "%HESITATION"]
    assert observe(words) == (["systems", "work", "--", "well"], [4, 5, 6, 7])


@pytest.mark.parametrize(
    "word", ["um", "Um,", "Uhh", "ummm...", "uh…", "erm-", "hmmm.", "uh-huh", "Mm-hmm,", "ah!", "eh-"]
)
def test_the_sound_of_thinking_is_no_observation_however_it_is_written(word):
    assert observe(["so", word, "systems"]) == (["systems"], [2])
    assert not says_anything([word])


@pytest.mark.parametrize("word", ["err", "human", "hum", "her", "ham", "umbrella", "mmap", "aha"])
def test_words_that_look_like_such_sounds_are_observed(word):
    assert observe([word])[0] == content_tokens(word)


def test_a_word_with_punctuation_attached_is_observed_as_its_token():
    assert observe(["systems,", "(parsing)", "end.", "U.S.", "“quoted”"])[0][:3] == [
        "systems",
        "parsing",
        "end",
    ]


def test_a_word_of_two_tokens_is_two_observations():
    assert observe(["system's", "the", "cannot"]) == (["system", "'s"], [0, 0])
    assert observe(["gonna"]) == (["gon", "na"], [0, 0])


def test_without_words_there_are_no_observations():
    assert observe([]) == ([], [])
    assert observe(["the", "."]) == ([], [])


@given(
    st.one_of(
        st.builds(str.__add__, st.text(LETTERS, min_size=1, max_size=8), st.sampled_from(["", *".,?!;:"])),
        st.sampled_from(["cannot", "gimme", "gonna", "gotta", "lemme", "wanna", "Wanna.", "CANNOT,"]),
        st.text(max_size=10),
    ).filter(lambda word: not is_disfluency(word))
)
def test_the_shortcut_for_plain_words_gives_the_tokenisers_result(word):
    assert observe([word])[0] == content_tokens(word)
