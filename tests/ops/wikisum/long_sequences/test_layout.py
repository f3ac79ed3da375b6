"""Padding and packing change nothing."""

import pytest
import torch

from tests.ops.wikisum.long_sequences.sequence_cases import DECODERS, decoder, tokens

every_decoder = pytest.mark.parametrize("options", DECODERS.values(), ids=DECODERS)

LENGTHS = [5, 1, 9, 4, 3]
ROWS = [tokens(1, length, seed)[0] for seed, length in enumerate(LENGTHS)]


def alone(network):
    return [network(row[None]).logits[0] for row in ROWS]


@pytest.mark.parametrize("left", [False, True])
@every_decoder
def test_padding_on_either_side_does_not_change_logits(options, left):
    network = decoder(**options)
    longest = max(LENGTHS) + 2
    ids, mask = torch.zeros(2, len(ROWS), longest, dtype=torch.long)
    for index, row in enumerate(ROWS):
        place = slice(longest - len(row), None) if left else slice(len(row))
        ids[index, place], mask[index, place] = row, 1
    found = network(ids, attention_mask=mask).logits
    for logits, there, expected in zip(found, mask.bool(), alone(network), strict=True):
        assert torch.allclose(logits[there], expected, atol=1e-5)


@every_decoder
def test_packing_does_not_change_logits(options):
    network = decoder(**options)
    ids = torch.stack(
        [torch.cat([*ROWS[:3]]), torch.cat([ROWS[3], ROWS[4], torch.zeros(8, dtype=torch.long)])]
    )
    numbers = [[1] * 5 + [2] + [3] * 9, [1] * 4 + [2] * 3 + [0] * 8]
    mask = torch.tensor(numbers)
    found = network(ids, attention_mask=mask).logits
    got = [found[row][mask[row] == number] for row, number in [(0, 1), (0, 2), (0, 3), (1, 1), (1, 2)]]
    for logits, expected in zip(got, alone(network), strict=True):
        assert torch.allclose(logits, expected, atol=1e-5)


@torch.no_grad()
def test_packed_sequences_have_the_same_losses_as_alone():
    network = decoder(**DECODERS["all of T-DMCA, with experts"])
    first, second = ROWS[0], ROWS[2]
    first[2] = second[3] = 2
    packed = torch.cat([first, second])[None]
    mask = torch.tensor([[1] * 5 + [2] * 9])
    network.config.balance = 0.0
    found = network(packed, attention_mask=mask, labels=packed)
    one, two = (network(row[None], labels=row[None]) for row in (first, second))
    assert float(found.loss) == pytest.approx((4 * float(one.loss) + 8 * float(two.loss)) / 12, rel=1e-5)
    outputs = (2 * float(one.output_loss) + 5 * float(two.output_loss)) / 7
    assert float(found.output_loss) == pytest.approx(outputs, rel=1e-5)


@torch.no_grad()
def test_the_losses_are_those_of_the_logits():
    network = decoder(layer_kinds="LM")
    ids = tokens(2, 9)
    ids[:, 4] = 2
    ids[1, 6] = 2  # a second separator is a token of the output
    logits = network(ids).logits[:, :-1].transpose(1, 2)
    losses = torch.nn.functional.cross_entropy(logits, ids[:, 1:], reduction="none")
    found = network(ids, labels=ids)
    assert float(found.loss) == pytest.approx(float(losses.mean()), rel=1e-5)
    assert float(found.output_loss) == pytest.approx(float(losses[:, 4:].mean()), rel=1e-5)


def test_a_mask_without_a_token_is_refused():
    with pytest.raises(ValueError, match="there is no token"):
        decoder(layer_kinds="F")(tokens(1, 3), attention_mask=torch.zeros(1, 3, dtype=torch.long))
