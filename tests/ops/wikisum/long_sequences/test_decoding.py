"""Decoding token by token gives the same as the whole sequence, and beams equal those of a plain search."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ops.models.beam_search import Reader, searched
from tests.ops.wikisum.long_sequences.sequence_cases import (
    DECODERS,
    END,
    PAD,
    SEPARATOR,
    VOCABULARY,
    V,
    decoder,
    model,
    tokens,
)

every_decoder = pytest.mark.parametrize("options", DECODERS.values(), ids=DECODERS)


@torch.no_grad()
@pytest.mark.parametrize("begun", range(1, 15))
@every_decoder
def test_continuing_from_a_cache_equals_the_whole_sequence(options, begun):
    network, ids = decoder(**options), tokens(2, 22)
    expected = network(ids).logits
    found = network(ids[:, :begun], use_cache=True)
    parts = [found.logits]
    for length in (1, 3, 22 - begun - 4):  # one token, and several at once
        rest = ids[:, sum(part.shape[1] for part in parts) :][:, :length]
        parts.append(network(rest, past_key_values=found.past_key_values).logits)
    assert torch.allclose(torch.cat(parts, dim=1), expected, atol=1e-5)


@torch.no_grad()
@every_decoder
def test_rows_at_different_positions_continue_from_one_cache(options):
    network = decoder(**options)
    rows = [tokens(1, length, length)[0] for length in (5, 1, 9)]
    more = tokens(3, 80, 7)  # beyond the increment of the cache
    begin = torch.stack([torch.cat([torch.zeros(9 - len(row), dtype=torch.long), row]) for row in rows])
    found = network(begin, attention_mask=(begin != PAD).long(), use_cache=True)
    logits = network(more, past_key_values=found.past_key_values).logits
    for row, tail, got in zip(rows, more, logits, strict=True):
        expected = network(torch.cat([row, tail])[None]).logits[0, -80:]
        assert torch.allclose(got, expected, atol=1e-5)


@torch.no_grad()
@pytest.mark.parametrize("name", ["lstm", "T-ED"])
def test_an_encoder_decoder_continues_from_its_cache_and_ignores_padding(name):
    network = model(name).network
    source, target = tokens(2, 7), tokens(2, 5, 1)
    mask = torch.tensor([[1] * 7, [1] * 4 + [0] * 3])
    whole = network(source, mask, decoder_input_ids=target, use_cache=False).logits
    state, parts = None, []
    for part in target.split([1, 3, 1], dim=1):
        found = network(source, mask, decoder_input_ids=part, past_key_values=state, use_cache=True)
        state = found.past_key_values
        parts.append(found.logits)
    assert torch.allclose(torch.cat(parts, dim=1), whole, atol=1e-5)
    alone = network(source[1:, :4], decoder_input_ids=target[1:]).logits
    assert torch.allclose(whole[1:], alone, atol=1e-5)


def test_packed_rows_cannot_be_continued():
    with pytest.raises(ValueError, match="one sequence in a row"):
        decoder(layer_kinds="F")(tokens(1, 4), attention_mask=torch.tensor([[1, 1, 2, 2]]), use_cache=True)


class WholeReader(Reader):
    """Reads source and answer without a cache."""

    def read(self, answer):
        if self.network.config.is_encoder_decoder:
            logits = self.network(
                torch.tensor([[*self.source, END]]), decoder_input_ids=torch.tensor([[PAD, *answer]])
            ).logits
        else:
            logits = self.network(torch.tensor([[*self.source, SEPARATOR, *answer]])).logits
        return logits[0, -1].log_softmax(dim=0)


@settings(max_examples=12, deadline=None)
@given(
    st.sampled_from(["lstm", "T-ED", "T-D", "T-DMCA"]),
    st.integers(0, 1000),
    st.lists(st.lists(st.integers(3, 8), max_size=9), min_size=1, max_size=3),
    st.integers(2, 4),
    st.sampled_from([0.0, 0.6, 1.0]),
)
def test_the_answers_to_a_batch_equal_those_of_a_search_that_reads_every_answer_alone(
    name, seed, sources, width, penalty
):
    found = model(name, seed)
    found.params = found.params.model_copy(update={"length_penalty": penalty, "longest_target": 4})
    for weights in found.network.parameters():
        weights.data.mul_(3)  # far from uniform, so that answers differ
    unlikely = {PAD, SEPARATOR} if name.startswith("T-D") else {PAD}
    pieces = [piece for piece in range(V) if piece not in unlikely]
    for source, answer in zip(sources, found.generate(sources, width), strict=True):
        reader = WholeReader(found.network, source)
        expected = searched(reader, pieces, END, width, 5, penalty)
        ended = tuple(answer) if len(answer) == 5 else (*answer, END)
        assert reader.rank(ended, penalty) == pytest.approx(expected, abs=1e-3)


def test_an_answer_is_truncated_at_its_limit_and_equal_sources_have_equal_answers():
    for name in ("lstm", "T-ED", "T-D", "T-DMCA"):
        answers = model(name).generate([[5, 6, 7], [4], [5, 6, 7], []], beam=1)
        assert answers[0] == answers[2]
        assert all(len(answer) <= 7 and VOCABULARY.end not in answer for answer in answers)
