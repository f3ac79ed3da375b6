"""Beam search against all answers there are, written out."""

import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from ops.models.seq2seq.beam import beam_search
from ops.models.seq2seq.pieces import EOS, PAD

#: Padding, the end, and two more.
V, MOST = 4, 3


def table(seed):
    """Return log-probabilities of the next piece by all pieces before, a different one for each history."""
    generator = torch.Generator().manual_seed(seed)
    histories = [h for n in range(MOST) for h in itertools.product(range(1, V), repeat=n)]
    return {
        h: torch.log_softmax(3 * torch.randn(V, generator=generator, dtype=torch.double), 0)
        for h in histories
    }


def search(tables, width, penalty=0.0):
    """Search with a state that is the history of each answer: its pieces as a number in base V, and its length."""

    def step(inputs, state):
        histories, lengths, rows = state
        grown = torch.where(lengths < 0, histories, histories * V + inputs)
        lengths = lengths + 1
        found = []
        for history, length, row in zip(grown.tolist(), lengths.tolist(), rows.tolist(), strict=False):
            digits = tuple(history // V**place % V for place in reversed(range(length)))
            # What has ended goes on with padding: anything may stand there.
            found.append(tables[row].get(digits, torch.zeros(V, dtype=torch.double)))
        return torch.stack(found), (grown, lengths, rows)

    count = len(tables)
    rows = torch.arange(count).repeat_interleave(width)
    begun = (torch.zeros(count * width, dtype=torch.long), torch.full((count * width,), -1), rows)
    return beam_search(step, begun, count, width, MOST, penalty)


def rank(one, answer, penalty):
    total = sum(float(one[answer[:place]][piece]) for place, piece in enumerate(answer))
    return total / len(answer) ** penalty


def answers():
    """Yield all answers: those that end, and those of the greatest length that do not."""
    for length in range(1, MOST + 1):
        for before in itertools.product(range(2, V), repeat=length - 1):
            yield (*before, EOS)
            if length == MOST:
                yield from ((*before, piece) for piece in range(2, V))


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=3), st.sampled_from([0.0, 0.6, 1.0]))
def test_a_beam_that_holds_all_answers_finds_the_best(seeds, penalty):
    tables = [table(seed) for seed in seeds]
    found = search(tables, 32, penalty)
    for one, answer in zip(tables, found, strict=False):
        best = max(rank(one, other, penalty) for other in answers())
        assert rank(one, tuple(answer), penalty) == pytest.approx(best)


@given(st.integers(0, 10_000), st.sampled_from([0.0, 1.0]))
def test_width_one_takes_the_likeliest_piece_every_time(seed, penalty):
    one = table(seed)
    answer = ()
    while len(answer) < MOST and (not answer or answer[-1] != EOS):
        answer = (*answer, max(range(1, V), key=lambda piece: float(one[answer][piece])))
    assert tuple(search([one], 1, penalty)[0]) == answer


@given(st.lists(st.integers(0, 10_000), min_size=2, max_size=4), st.integers(1, 5))
def test_sources_do_not_change_each_others_answers(seeds, width):
    tables = [table(seed) for seed in seeds]
    assert search(tables, width, 0.6) == [search([one], width, 0.6)[0] for one in tables]


def test_an_answer_that_greed_misses_is_found_by_a_wider_beam():
    """Greedy: 2 (0.6), then at most 0.4 to end. Better: 3 (0.4), which ends for sure."""
    low = math.log(1e-6)
    one = {
        (): torch.tensor([low, low, math.log(0.6), math.log(0.4)]).double(),
        (2,): torch.tensor([low, math.log(0.4), math.log(0.3), math.log(0.3)]).double(),
        (3,): torch.tensor([low, 0.0, low, low]).double(),
    }
    uniform = torch.full((V,), math.log(0.3), dtype=torch.double)
    one |= {(a, b): uniform for a in (2, 3) for b in (2, 3)}
    assert search([one], 1) == [[2, EOS]] and search([one], 2) == [[3, EOS]]
    assert PAD not in search([one], 5)[0]
