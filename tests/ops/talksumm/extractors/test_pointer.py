import math

import numpy as np
import pytest
import torch

from silverloom.ops.talksumm.extractors.config import PointerConfig
from silverloom.ops.talksumm.extractors.paper import Extraction
from silverloom.ops.talksumm.extractors.pointer import Pointer, PointerExtractor, WordTable
from tests.ops.talksumm.extractors.extractor_cases import paper_of, pointer, spans


def network(**sizes):
    torch.manual_seed(0)
    return Pointer(4, sizes.get("channels", 3), sizes.get("hidden", 5), 0.0).eval()


def rows_of(*lengths):
    generator = torch.Generator().manual_seed(7)
    return [torch.randint(2, 9, (length,), generator=generator) for length in lengths]


TABLE = torch.randn(9, 4, generator=torch.Generator().manual_seed(8))


def test_a_paper_is_read_the_same_alone_and_in_a_batch():
    model, papers = network(), [rows_of(3, 9, 1), rows_of(6), rows_of(2, 2, 8, 12, 5)]
    together, there = model.encode(papers, TABLE)
    assert there.sum(dim=1).tolist() == [4, 2, 6]
    for row, paper in enumerate(papers):
        alone, _ = model.encode([paper], TABLE)
        assert torch.allclose(together[row, : len(paper) + 1], alone[0], atol=1e-6)


def test_the_stop_action_comes_first_and_its_vector_is_learnt():
    model = network()
    memory, _ = model.encode([rows_of(4, 4)], TABLE)
    assert torch.equal(memory[0, 0], model.stop)
    model.loss([rows_of(4, 4)], TABLE, [[1]]).backward()
    assert model.stop.grad.abs().sum() > 0


def test_the_loss_is_the_mean_surprise_of_the_labels_and_of_the_final_stop():
    model, papers, labels = network(), [rows_of(3, 9, 4), rows_of(6, 2)], [[0, 2], [1]]
    expected = []
    for paper, chosen in zip(papers, labels, strict=True):
        memory, there = model.encode([paper], TABLE)
        inputs, state = model.begin(1)
        surprises = []
        for place in [*(index + 1 for index in chosen), 0]:
            scores, state = model.step(inputs, state, model.keys(memory), there)
            surprises.append(-torch.log_softmax(scores[0, 0], 0)[place].item())
            inputs = memory[:, [place]]
        expected.append(sum(surprises) / len(surprises))
    found = model.loss(papers, TABLE, labels).item()
    assert found == pytest.approx(sum(expected) / 2, rel=1e-5)


def test_convolution_is_the_maximum_over_windows_of_three_four_and_five_words():
    model = network().sentence
    [words] = rows_of(7)
    found = model(words.unsqueeze(0), torch.tensor([7]), TABLE)[0].detach().numpy()
    vectors = TABLE[words].numpy()
    expected = []
    for one, width in zip(model.convolutions, (3, 4, 5), strict=True):
        kernel = one.weight.detach().numpy()
        sums = [
            (kernel * vectors[start : start + width].T).sum(axis=(1, 2)) + one.bias.detach().numpy()
            for start in range(7 - width + 1)
        ]
        expected.append(np.maximum(np.max(sums, axis=0), 0))
    np.testing.assert_allclose(found, np.concatenate(expected), rtol=1e-4, atol=1e-6)


def word_rows(sentences, vectors, longest):
    table = WordTable([sentences], vectors, longest)
    return [torch.tensor(words) for words in table.rows(sentences)], table.vectors


def greedy(extractor, paper, words):
    """Decode step by step as in the paper, without beams."""
    model = extractor.network
    rows, table = word_rows(paper.sentences, extractor.vectors, extractor.config.sentence_words)
    lengths = [len(text.split()) for text in paper.sentences]
    with torch.no_grad():
        memory, there = model.encode([rows], table)
        there[0, 1:] &= torch.tensor(lengths) > 0
        inputs, state = model.begin(1)
        chosen, scores, used = [], [], 0
        while (words is None or used < words) and len(chosen) < sum(length > 0 for length in lengths):
            found, state = model.step(inputs, state, model.keys(memory), there)
            found = found[0, 0]
            found[[index + 1 for index in chosen]] = -math.inf
            if words is not None or not chosen:
                found[0] = -math.inf
            found = torch.log_softmax(found, 0)
            place = int(found.argmax())
            if place == 0:
                break
            chosen.append(place - 1)
            scores.append(float(found[place]))
            used += lengths[place - 1]
            inputs = memory[:, [place]]
    return tuple(chosen), scores


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("words", [1, 9, 30, 1000, None])
def test_a_beam_of_one_is_greedy_decoding(seed, words):
    extractor = pointer(seed=seed)
    paper = paper_of(spans(12, seed))
    found = extractor.extract(paper, words)
    chosen, scores = greedy(extractor, paper, words)
    # The stop action's own score belongs to no sentence.
    assert found.indices == chosen
    assert found.scores == pytest.approx(scores, abs=1e-5)


def best_of_all(extractor, paper, words):
    """Try every order of sentences up to the budget."""
    model = extractor.network
    rows, table = word_rows(paper.sentences, extractor.vectors, extractor.config.sentence_words)
    lengths = [len(text.split()) for text in paper.sentences]
    memory, there = model.encode([rows], table)
    found = []

    def follow(chosen, scores, inputs, state):
        if sum(lengths[index] for index in chosen) >= words or len(chosen) == len(lengths):
            found.append((sum(scores) / len(scores), tuple(chosen)))
            return
        logits, state = model.step(inputs, state, model.keys(memory), there)
        logits = logits[0, 0]
        logits[[0, *(index + 1 for index in chosen)]] = -math.inf
        logs = torch.log_softmax(logits, 0)
        for index in set(range(len(lengths))) - set(chosen):
            follow([*chosen, index], [*scores, float(logs[index + 1])], memory[:, [index + 1]], state)

    with torch.no_grad():
        follow([], [], *model.begin(1))
    return max(found)


@pytest.mark.parametrize("seed", range(2))
def test_a_beam_that_is_wide_enough_finds_the_most_probable_summary(seed):
    extractor = pointer(seed=seed, beam=200)
    paper = paper_of(spans(4, seed))
    found = extractor.extract(paper, 12)
    score, chosen = best_of_all(extractor, paper, 12)
    assert found.indices == chosen
    assert sum(found.scores) / len(found.scores) == pytest.approx(score, abs=1e-5)


def test_without_a_budget_the_network_stops_by_itself_after_at_least_one_sentence():
    extractor = pointer()
    with torch.no_grad():
        # The stop action scores higher than every sentence.
        extractor.network.pointer.score.weight.zero_()
        extractor.network.stop.fill_(0)
    paper = paper_of(spans(6, 1))
    assert len(extractor.extract(paper, None).indices) == 1
    assert len(extractor.extract(paper, 1000).indices) == 6


def test_words_without_a_vector_are_read_as_the_mean_of_all():
    extractor = PointerExtractor(PointerConfig(channels=2, hidden=3))
    (known, unknown, empty), table = word_rows(["the cat", "zzzqq xxyyq", ""], extractor.vectors, 50)
    assert unknown.tolist() == [1, 1] and empty.tolist() == [1] and min(known) > 1
    np.testing.assert_allclose(table[1].numpy(), extractor.vectors.mean, rtol=1e-6)
    assert table[0].abs().sum() == 0


def test_a_paper_without_words_gives_no_sentence():
    assert pointer().extract(paper_of(["", "  "]), 150) == Extraction((), ())
