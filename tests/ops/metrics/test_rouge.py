"""ROUGE counts like ROUGE-1.5.5, and like slow obvious versions of its units."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.metrics import (
    ROUGE,
    ngram_counts,
    overlap,
    rouge,
    rouge_of_references,
    rouge_of_tokens,
    rouge_tokens,
    skip_bigram_counts,
)
from silverloom.ops.metrics.rouge import union_lcs

POLICE = [
    "Police killed the gunman in the city.",
    "The gunman was 25 years old, and the police were not hurt.",
]
GUNMAN = [
    "The gunman killed two people in the city.",
    "Police shot the gunman.",
    "No police officer was hurt.",
]
MAN = ["A man was shot by police in the city."]
SCORE_F = ["A state-of-the-art F-score of 93.5% on CoNLL-2000's 47,377 instances."]
F_SCORE = ["The F-score is 93.5 (state of the art) on the 47377 instances of CoNLL 2000."]
NAIVE = ["The naïve Bayes classifier of Müller beats Erdős–Rényi graphs."]
NA_VE = ["A naive Bayes classifier by Mueller beats the na ve Erdős-Rényi graphs."]
NOTHING = [(0.0, 0.0, 0.0)] * 5

# Output of ROUGE-1.5.5.pl -n 3 -2 4 -u: precision, recall and F of ROUGE-1, 2, 3, L and SU4.
ORIGINAL = [
    (
        "several sentences", POLICE, [GUNMAN], {},
        [(0.63158, 0.70588, 0.66667), (0.22222, 0.25, 0.23529), (0.05882, 0.06667, 0.0625),
         (0.52632, 0.58824, 0.55556), (0.33673, 0.38372, 0.35869)],
    ),
    (
        "two references, average (-f A)", POLICE, [GUNMAN, MAN], {"combine": "average"},
        [(0.44737, 0.65385, 0.53125), (0.16667, 0.25, 0.2), (0.05882, 0.09091, 0.07143),
         (0.39474, 0.57692, 0.46875), (0.21939, 0.34677, 0.26875)],
    ),
    (
        "two references, best (-f B)", POLICE, [GUNMAN, MAN], {"combine": "best"},
        [(0.63158, 0.70588, 0.66667), (0.22222, 0.25, 0.23529), (0.05882, 0.14286, 0.08333),
         (0.52632, 0.58824, 0.55556), (0.33673, 0.38372, 0.35869)],
    ),
    (
        "ten words (-l 10)", POLICE, [GUNMAN], {"words": 10},
        [(0.7, 0.7, 0.7), (0.33333, 0.33333, 0.33333), (0.125, 0.125, 0.125),
         (0.6, 0.6, 0.6), (0.38636, 0.38636, 0.38636)],
    ),
    (
        "forty bytes (-b 40)", POLICE, [GUNMAN], {"bytes": 40},
        [(0.75, 0.75, 0.75), (0.42857, 0.42857, 0.42857), (0.16667, 0.16667, 0.16667),
         (0.625, 0.625, 0.625), (0.46875, 0.46875, 0.46875)],
    ),
    (
        "numbers and hyphens", SCORE_F, [F_SCORE], {},
        [(0.76471, 0.76471, 0.76471), (0.375, 0.375, 0.375), (0.13333, 0.13333, 0.13333),
         (0.47059, 0.47059, 0.47059), (0.40698, 0.40698, 0.40698)],
    ),
    (
        "letters beyond ASCII", NAIVE, [NA_VE], {},
        [(0.78571, 0.73333, 0.75862), (0.53846, 0.5, 0.51852), (0.33333, 0.30769, 0.32),
         (0.57143, 0.53333, 0.55172), (0.41176, 0.37838, 0.39436)],
    ),
    (
        "bytes of letters beyond ASCII (-b 22)",
        ["éééé été naïve model wins"], [["été naïve model wins the prize"]], {"bytes": 22},
        [(1.0, 0.6, 0.75), (1.0, 0.5, 0.66667), (1.0, 0.33333, 0.5),
         (1.0, 0.6, 0.75), (1.0, 0.35714, 0.52631)],
    ),
    ("an empty prediction", [], [["Something was said."]], {}, NOTHING),
    ("punctuation alone", ["... --- !?"], [["Something was said."]], {}, NOTHING),
    ("an empty reference", ["Something was said."], [["--"]], {}, NOTHING),
    (
        "one token: no skip-bigram", ["Parsing"], [["Parsing"]], {},
        [(1.0, 1.0, 1.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)],
    ),
    (
        "repeated words", ["the the the the cat the"], [["the cat the dog the"]], {},
        [(0.66667, 0.8, 0.72727), (0.4, 0.5, 0.44444), (0.25, 0.33333, 0.28571),
         (0.5, 0.6, 0.54545), (0.4, 0.57143, 0.47059)],
    ),
    (
        "several longest common subsequences",
        ["a b c d e f g", "b a d c f e g a", "g f e d c b a"],
        [["b c a d g e f a", "c a b", "f d b e"]], {},
        [(0.68182, 1.0, 0.81081), (0.19048, 0.28571, 0.22857), (0.0, 0.0, 0.0),
         (0.68182, 1.0, 0.81081), (0.57759, 0.90541, 0.70527)],
    ),
]  # fmt: skip

TOKENS = st.lists(st.sampled_from("abcde"), max_size=9)
SENTENCES = st.lists(TOKENS, max_size=4)
TEXTS = SENTENCES.map(lambda sentences: [" ".join(sentence) for sentence in sentences])
OPTIONS = st.fixed_dictionaries(
    {}, optional={"stem": st.booleans(), "words": st.integers(1, 9), "digits": st.none()}
)


@pytest.mark.parametrize(
    ("prediction", "references", "options", "expected"),
    [case[1:] for case in ORIGINAL],
    ids=[case[0] for case in ORIGINAL],
)
def test_scores_equal_those_of_the_perl_original(prediction, references, options, expected):
    found = rouge_of_references(prediction, references, **options)
    assert list(found) == list(ROUGE)
    assert [tuple(score) for score in found.values()] == expected


def test_a_string_has_one_sentence_per_line():
    assert rouge("\n".join(POLICE), "\n".join(GUNMAN) + "\n") == rouge(POLICE, GUNMAN)
    assert rouge(" ".join(POLICE), GUNMAN)["rougeL"] != rouge(POLICE, GUNMAN)["rougeL"]


@given(TEXTS, TEXTS, OPTIONS)
def test_scores_are_shares_and_precision_is_recall_with_sides_swapped(prediction, reference, options):
    there, back = rouge(prediction, reference, **options), rouge(reference, prediction, **options)
    for name in ROUGE:
        assert all(0 <= value <= 1 for value in there[name])
        assert min(there[name][:2]) - 1e-5 <= there[name].f <= max(there[name][:2]) + 1e-5
        if name != "rougeL":
            assert (there[name].precision, there[name].recall) == (back[name].recall, back[name].precision)


@given(SENTENCES)
def test_a_text_against_itself_scores_1_in_every_metric_it_has_units_for(sentences):
    length = sum(map(len, sentences))
    needs = {"rouge1": 1, "rouge2": 2, "rouge3": 3, "rougeL": 1, "rougeSU4": 2}
    for name, score in rouge_of_tokens(sentences, sentences).items():
        assert set(score) == {1.0 if length >= needs[name] else 0.0}


@given(TOKENS, TOKENS, st.integers(1, 4))
def test_ngrams_and_their_overlap_equal_those_counted_one_by_one(one, other, n):
    def slow(tokens):
        return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]

    rest, hits = slow(other), 0
    for gram in slow(one):
        if gram in rest:
            rest.remove(gram)
            hits += 1
    counts = ngram_counts(one, n)
    assert counts.total() == len(slow(one))
    assert overlap(counts, ngram_counts(other, n)) == overlap(ngram_counts(other, n), counts) == hits


@given(TOKENS, st.integers(0, 5))
def test_skip_bigrams_are_all_pairs_within_the_gap_and_all_tokens_except_the_last(tokens, gap):
    pairs = [(tokens[i], tokens[j]) for i, j in combinations(range(len(tokens)), 2) if j - i - 1 <= gap]
    assert skip_bigram_counts(tokens, gap) == Counter([*pairs, *tokens[:-1]])


def traced_lcs(reference, prediction):
    """The original's table, cell by cell, and its backtrace."""
    m, n = len(reference), len(prediction)
    length = [[0] * (n + 1) for _ in range(m + 1)]
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            length[i][j] = (
                length[i - 1][j - 1] + 1
                if reference[i - 1] == prediction[j - 1]
                else max(length[i - 1][j], length[i][j - 1])
            )
    i, j, places = m, n, set()
    while i and j:
        if reference[i - 1] == prediction[j - 1]:
            i, j = i - 1, j - 1
            places.add(i)
        elif length[i - 1][j] >= length[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return places


@given(SENTENCES, SENTENCES)
def test_the_union_of_subsequences_equals_that_of_the_table(reference, prediction):
    slow = []
    for sentence in reference:
        places = set().union(*(traced_lcs(sentence, other) for other in prediction))
        slow += [sentence[place] for place in sorted(places)]
    assert union_lcs(reference, prediction) == slow


@given(TEXTS, st.integers(1, 12))
def test_a_limit_in_words_keeps_the_first_words_of_both_texts(text, limit):
    first = " ".join(text).split()[:limit]
    assert rouge_tokens(text, words=limit).running == first
    assert rouge(text, text, words=limit)["rouge1"] == rouge(first, first)["rouge1"]


def test_a_limit_in_bytes_may_cut_a_letter_and_is_not_additive_for_the_subsequence():
    cut = rouge_tokens(["ab cdé", "fg hij"], bytes=6)
    assert cut.running == ["ab", "cd"]
    assert cut.sentences == [["ab", "cd"]]
    # The first sentence is shorter than the limit: the original then reads the second one completely.
    assert rouge_tokens(["ab", "cd efgh ijkl", "mn"], bytes=9) == (
        ["ab", "cd", "efgh"],
        [["ab"], ["cd", "efgh", "i"]],
    )


def test_tokens_are_runs_of_ascii_letters_and_digits():
    assert rouge_tokens("İstanbul's K2-18b, 3.5\u00a0km\ud800x\r").running == [
        "stanbul", "s", "k2", "18b", "3", "5", "km", "x",
    ]  # fmt: skip


def test_stemming_merges_forms_and_leaves_short_tokens():
    assert rouge("running dogs", "run dog")["rouge1"].f == 0
    assert rouge("running dogs", "run dog", stem=True)["rouge1"].f == 1
    assert rouge_tokens("his flies was doing", stem=True).running == ["his", "fli", "was", "do"]


def test_stop_words_are_removed_before_n_grams_are_made():
    assert rouge_tokens("the end of the line", stop_words=True).running == ["end", "line"]
    assert rouge_tokens("the end of the line", stop_words={"end"}).running == ["the", "of", "the", "line"]
    assert rouge("end of line", "end line", stop_words=True)["rouge2"].f == 1


def test_without_rounding_f_is_computed_from_exact_shares():
    score = rouge("a b c", "a b c d e f g", digits=None)["rouge1"]
    assert score == (1.0, 3 / 7, pytest.approx(0.6, abs=1e-15))
    assert rouge("a b c", "a b c d e f g")["rouge1"] == (1.0, 0.42857, 0.6)


def test_the_jackknife_is_the_mean_over_all_references_but_one():
    texts = [GUNMAN, MAN, SCORE_F]
    found = rouge_of_references(POLICE, texts, "best", jackknife=True, digits=None)
    left = [rouge_of_references(POLICE, texts[:i] + texts[i + 1 :], "best", digits=None) for i in range(3)]
    for name in ROUGE:
        mean = [sum(one[name][field] for one in left) / 3 for field in range(3)]
        assert found[name] == pytest.approx(mean)
    assert rouge_of_references(POLICE, [MAN], jackknife=True) == rouge(POLICE, MAN)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"words": 5, "bytes": 5}, "not both"),
        ({"words": 0}, "limit in words is 0"),
        ({"bytes": -1}, "limit in bytes is -1"),
    ],
)
def test_an_invalid_limit_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        rouge("a", "a", **options)


def test_without_references_and_without_ngrams_there_is_nothing_to_score():
    with pytest.raises(ValueError, match="no reference"):
        rouge_of_references("a", [])
    with pytest.raises(ValueError, match="n-grams of 0"):
        ngram_counts(["a"], 0)
