"""CopyNet compared with its equations, piece by piece and position by position."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.models.seq2seq.copynet import CopyNet, CopyNetModel
from silverloom.ops.models.seq2seq.pieces import EOS, PAD, UNK, Pieces
from tests.ops.models.seq2seq.seq2seq_cases import COPYNET, SOURCES, model

V, H = 7, 4

sources = st.lists(st.integers(1, V + 2), min_size=1, max_size=6)


def network(layers=1):
    with torch.random.fork_rng():
        torch.manual_seed(1)
        made = CopyNet(V, H, 2, layers, 0.0)
    for weight in made.parameters():
        # Far from uniform, so that errors show.
        weight.data.mul_(3)
    return made.double().eval()


@torch.no_grad()
def ways(net, state, source):
    """Return the exponential of every score: of generating each piece, and of copying from each position."""
    hidden, _ = net.encoder(net.embedding(torch.tensor([[one if one < V else UNK for one in source]])))
    generated = [math.exp(float(score)) for score in net.generated(state)]
    copied = [math.exp(float(torch.tanh(net.copied(one)) @ state)) for one in hidden[0]]
    return generated, copied, hidden[0]


@given(sources)
def test_the_mixture_sums_every_way_to_produce_a_piece_and_is_a_distribution(source):
    net = network()
    memory, state = net.encode(torch.tensor([source]))
    state, scores = net.step(torch.tensor([PAD]), state, net.begin(memory, state), memory)
    copies = scores[:, : len(source)]
    found = net.probabilities(state[:, -1], copies, memory.numbers, 3)[0].tolist()
    generated, copied, _ = ways(net, state[0, -1], source)
    whole = sum(generated) + sum(copied)
    expected = [
        (
            (generated[piece] if piece < V else 0)
            + sum(c for c, one in zip(copied, source, strict=False) if one == piece)
        )
        / whole
        for piece in range(V + 3)
    ]
    assert found == pytest.approx(expected, rel=1e-9) and sum(found) == pytest.approx(1)
    for piece in range(V + 3):
        likely = net.log_likelihood(
            state[:, -1:], copies.unsqueeze(1), memory.numbers, torch.tensor([[piece]])
        )
        assert math.exp(float(likely)) == pytest.approx(expected[piece], abs=1e-12)


@given(sources, st.integers(1, V + 2), st.integers(1, 2))
def test_a_step_attends_and_reads_the_positions_of_the_last_piece_in_the_source(source, last, layers):
    net = network(layers)
    memory, state = net.encode(torch.tensor([source]))
    _, copied, hidden = ways(net, state[0, -1], source)
    matching = [c if one == last else 0.0 for c, one in zip(copied, source, strict=False)]
    read = (
        sum(w / sum(matching) * h for w, h in zip(matching, hidden, strict=False))
        if any(matching)
        else torch.zeros(2 * H)
    )
    attention = torch.softmax(torch.stack([net.attended(one) @ state[0, -1] for one in hidden]), 0)
    seen = sum(weight * one for weight, one in zip(attention, hidden, strict=False))
    below = torch.cat([net.embedding.weight[last if last < V else UNK], seen, read])
    expected = []
    for layer, cell in enumerate(net.decoder):
        below = cell(below, state[0, layer])
        expected.append(below)
    found, _ = net.step(torch.tensor([last]), state, net.begin(memory, state), memory)
    torch.testing.assert_close(found[0], torch.stack(expected), rtol=1e-9, atol=1e-9)


@given(st.lists(sources, min_size=2, max_size=3))
def test_padding_changes_nothing(rows):
    net = network()
    longest = max(map(len, rows))
    target = torch.tensor([[3, 1]] * len(rows))
    together = torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in rows])
    memory, state = net.encode(together)
    both = net.log_likelihood(*net.follow(memory, state, target, 0.0), memory.numbers, target)
    for row, found in zip(rows, both, strict=False):
        memory, state = net.encode(torch.tensor([row]))
        alone = net.log_likelihood(*net.follow(memory, state, target[:1], 0.0), memory.numbers, target[:1])
        torch.testing.assert_close(found, alone[0], rtol=1e-9, atol=1e-9)


def test_scheduled_sampling_feeds_back_own_pieces_only_in_training():
    net = network()
    memory, state = net.encode(torch.tensor([[3, 4, 1]] * 50))
    target = torch.tensor([[3, 4, 5, 1]] * 50)

    def tops(sampling, seed=0):
        torch.manual_seed(seed)
        return net.follow(memory, state, target, sampling)[0]

    forced = tops(0.0)
    assert torch.equal(tops(1.0), forced)
    net.train()
    drawn = tops(0.5)
    assert torch.equal(drawn, tops(0.5)) and not torch.equal(drawn, tops(0.5, seed=1))
    assert torch.equal(drawn[:, 0], forced[:, 0])
    differing = (drawn[:, 1] != forced[:, 1]).any(dim=1).float().mean()
    assert 0.1 < differing < 0.5, "half of them are sampled, and some samples equal the target"
    assert torch.equal(tops(0.0), forced)


def test_a_word_outside_the_vocabulary_is_numbered_by_its_source_and_learnt_to_be_copied():
    made = model(COPYNET)
    size = len(made.pieces)
    example = made.example("Eve and Flo and Eve sings .", "Flo and Eve and Gus .")
    known = made.pieces.numbers("and sings .")
    assert example.source == [size, known[0], size + 1, known[0], size, known[1], known[2], EOS]
    assert example.target == [size + 1, known[0], size, known[0], UNK, known[2], EOS]
    assert torch.isfinite(made.losses([example, made.example("Ann sings .", "Ann sings .")])).all()


def test_an_answer_never_contains_a_piece_without_text():
    made = model(COPYNET)
    made.network.generated.bias.data[UNK] = 50.0
    made.network.generated.bias.data[PAD] = 50.0
    for answer in made.generate(SOURCES):
        assert "<" not in answer


def greedy(made, source):
    """Return the answer that takes the most probable piece at every step."""
    net, size = made.network, len(made.pieces)
    numbers = made.example(source, "").source
    words = source.split()
    others = {number: words[place] for place, number in enumerate(numbers) if number >= size}
    memory, state = net.encode(torch.tensor([numbers]))
    last, scores, answer = PAD, net.begin(memory, state), []
    for _ in range(len(numbers) - 1 + made.config.growth + 1):
        state, scores = net.step(torch.tensor([last]), state, scores, memory)
        found = net.probabilities(state[:, -1], scores[:, : len(numbers)], memory.numbers, len(others))[0]
        found[[PAD, UNK]] = 0
        last = int(found.argmax())
        if last == EOS:
            break
        answer.append(others[last] if last >= size else made.pieces.text([last]))
    return " ".join(answer)


@torch.no_grad()
def test_a_beam_of_width_one_is_greedy():
    for seed in range(3):
        made = model(COPYNET, seed)
        for weight in made.network.parameters():
            weight.data.mul_(4)
        # One at a time: the longest source of a batch limits the length of all answers.
        assert [made.generate([one], beam=1)[0] for one in SOURCES] == [greedy(made, one) for one in SOURCES]


def test_byte_pairs_leave_no_word_unknown():
    made = CopyNetModel(COPYNET.model_copy(update={"pieces": "bpe"}), Pieces.learn(SOURCES, "bpe", 300))
    example = made.example("Zoë sings .", "Zoë rests .")
    assert max(example.source + example.target) < len(made.pieces) and UNK not in example.source
