"""Hugging Face's beam search over CopyNet compared with a plain search, one answer at a time."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from silverloom.ops.models.seq2seq.copynet import CopyNet
from silverloom.ops.models.seq2seq.pieces import EOS, PAD, UNK
from tests.ops.models.beam_search import Reader, searched

#: Padding, the end, unknown, and two more; two of each source's words are beyond these.
V, OTHERS = 5, 2
PIECES = [piece for piece in range(V + OTHERS) if piece not in (PAD, UNK)]

sources = st.lists(st.integers(3, V + OTHERS - 1), min_size=1, max_size=5).map(lambda pieces: [*pieces, EOS])
penalties = st.sampled_from([0.0, 0.6, 1.0])


@st.composite
def networks(draw):
    with torch.random.fork_rng():
        torch.manual_seed(draw(st.integers(0, 10_000)))
        network = CopyNet(V, 4, 2, draw(st.integers(1, 2)), 0.0)
    for weight in network.parameters():
        # Far from uniform, so that answers differ.
        weight.data.mul_(4)
    return network.eval()


def generated(network, rows, width, most, penalty):
    """Return the answers to some sources, each with its end if it has one."""
    longest = max(map(len, rows))
    numbers = torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in rows])
    with torch.no_grad():
        found = network.generate(
            input_ids=numbers, encoder_outputs=network.begun(numbers), others=OTHERS, max_new_tokens=most,
            num_beams=width, do_sample=False, length_penalty=penalty, suppress_tokens=[PAD, UNK],
        )  # fmt: skip
    answers = []
    for _, *row in found.tolist():
        length = row.index(EOS) + 1 if EOS in row else len(row)
        answers.append(tuple(row[:length]))
    return answers


class StepReader(Reader):
    """Reads an answer step by step from its beginning."""

    def read(self, answer):
        network = self.network
        memory, state = network.encode(torch.tensor([self.source]))
        scores = network.begin(memory, state)
        for piece in (PAD, *answer):
            state, scores = network.step(torch.tensor([piece]), state, scores, memory)
        copies = scores[:, : len(self.source)]
        return network.probabilities(state[:, -1], copies, memory.numbers, OTHERS)[0].log()


@settings(max_examples=30)
@given(networks(), st.lists(sources, min_size=1, max_size=3), st.integers(2, 4), st.integers(1, 5), penalties)
def test_the_answers_to_a_batch_equal_those_of_a_search_that_reads_every_answer_alone(
    network, rows, width, most, penalty
):
    for source, answer in zip(rows, generated(network, rows, width, most, penalty), strict=True):
        reader = StepReader(network, source)
        expected = searched(reader, PIECES, EOS, width, most, penalty)
        assert reader.rank(answer, penalty) == pytest.approx(expected, abs=1e-4)


@settings(max_examples=30)
@given(networks(), sources, penalties)
def test_a_beam_that_holds_all_answers_finds_the_best(network, source, penalty):
    reader = StepReader(network, source)
    answers = [(EOS,), *((first, second) for first in PIECES if first != EOS for second in PIECES)]
    best = max(reader.rank(answer, penalty) for answer in answers)
    [found] = generated(network, [source], len(answers), 2, penalty)
    assert reader.rank(found, penalty) == pytest.approx(best, abs=1e-4)


@settings(max_examples=30)
@given(networks(), sources)
def test_width_one_takes_the_most_probable_piece_every_time(network, source):
    reader, answer = StepReader(network, source), ()
    while len(answer) < 4 and (not answer or answer[-1] != EOS):
        scores = reader.following(answer)
        answer = (*answer, max(PIECES, key=lambda piece: scores[piece]))
    assert generated(network, [source], 1, 4, None) == [answer]
