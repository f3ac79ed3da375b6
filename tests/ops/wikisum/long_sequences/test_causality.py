"""No token's logits depend on a later one, and each kind of attention sees exactly its context."""

import pytest
import torch
from torch.nn import functional

from tests.ops.wikisum.long_sequences.sequence_cases import DECODERS, decoder, model, tokens

IMPLEMENTATIONS = ["sdpa", "eager"]
every_decoder = pytest.mark.parametrize("options", DECODERS.values(), ids=DECODERS)


def influence(network, length):
    """Return whether the logits of position i depend on the token at j (L x L), by the gradient."""
    ids = tokens(1, length)
    return dependence(network.embedding, ids[0], lambda: network(ids).logits[0])


def dependence(embedding, ids, logits_of):
    """Return which logits (L x V) depend on which of the input tokens (L)."""
    embedded = embedding(ids).detach().requires_grad_()
    embedding.register_forward_hook(lambda *_: embedded)
    logits = logits_of()
    length = len(logits)
    generator = torch.Generator().manual_seed(0)
    rows = []
    for place in range(length):
        # A random direction, so that effects on several logits do not cancel.
        direction = torch.randn(logits.shape[1], generator=generator)
        [found] = torch.autograd.grad(logits[place] @ direction, embedded, retain_graph=True)
        rows.append(found.reshape(length, -1).abs().sum(1) > 0)
    return torch.stack(rows)


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 6, 8, 9, 11, 12, 13])
@every_decoder
def test_no_logits_depend_on_a_later_token(options, length, implementation):
    found = influence(decoder(implementation=implementation, **options), length)
    assert not found.triu(1).any()
    assert found.diagonal().all()


@pytest.mark.parametrize("length", [1, 2, 5, 9])
@pytest.mark.parametrize("name", ["lstm", "T-ED"])
def test_a_decoder_with_an_encoder_sees_no_later_token(name, length):
    network = model(name).network
    embedding = network.encoder.embedding if name == "lstm" else network.model.decoder.embed_tokens
    encoded, ids = network.get_encoder()(tokens(1, 7)), tokens(1, length)
    found = dependence(
        embedding,
        ids,
        lambda: network(encoder_outputs=encoded, decoder_input_ids=ids, use_cache=False).logits[0],
    )
    assert torch.equal(found, torch.ones(length, length).tril().bool())


@torch.no_grad()
@every_decoder
def test_changing_later_tokens_changes_no_logits(options):
    """Gradients show this, too, but not for the choice of experts, which has no gradient."""
    network, ids = decoder(**options), tokens(1, 13).repeat(2, 1)
    ids[1, 7:] = tokens(1, 6, seed=5)
    first, second = network(ids).logits
    assert torch.allclose(first[:7], second[:7], atol=1e-5)
    assert not torch.allclose(first[7:], second[7:], atol=1e-2)


def test_a_full_layer_sees_everything_before():
    assert torch.equal(influence(decoder(layer_kinds="F"), 11), torch.ones(11, 11).tril().bool())


def test_a_local_layer_sees_only_its_block_of_4():
    place = torch.arange(11)
    same = place[:, None] // 4 == place // 4
    assert torch.equal(influence(decoder(layer_kinds="L"), 11), same & (place <= place[:, None]))


def test_a_local_layer_that_looks_back_sees_the_previous_block_too():
    place = torch.arange(13)
    near = place[:, None] // 4 - place // 4 <= 1
    network = decoder(layer_kinds="L", look_back=True)
    assert torch.equal(influence(network, 13), near & (place <= place[:, None]))


def test_a_compressed_layer_sees_the_first_token_and_the_complete_groups_of_three():
    place = torch.arange(11)
    complete = place // 3 * 3 + 3 <= place[:, None]
    seen = complete | (place == 0) | (place == place[:, None])  # itself, by the residual connection
    assert torch.equal(influence(decoder(layer_kinds="M"), 11), seen)


@pytest.mark.parametrize("length", range(1, 14))
@every_decoder
def test_fused_and_materialised_attention_give_equal_logits(options, length):
    ids = tokens(2, length)
    fused, materialised = (
        decoder(implementation=implementation, **options)(ids).logits for implementation in IMPLEMENTATIONS
    )
    assert torch.allclose(fused, materialised, atol=1e-5)


@pytest.mark.parametrize("length", [1, 3, 4, 7, 9, 14])
def test_compressed_attention_equals_a_convolution_under_a_dense_mask(length):
    attention = decoder(layer_kinds="M").layers[0].attention
    hidden = torch.randn(length, 16, generator=torch.Generator().manual_seed(1))
    queries, keys, values = attention.project(hidden)

    def convolved(tensor, convolution):
        kernel = convolution.weight.unflatten(1, (3, 16)).transpose(1, 2)
        flat = tensor.flatten(1).T[None]
        found = flat[:, :, :0] if length < 3 else functional.conv1d(flat, kernel, convolution.bias, stride=3)
        return torch.cat([flat[:, :, :1], found], dim=2)[0].T.unflatten(1, (2, 8))

    keys, values = convolved(keys, attention.keys), convolved(values, attention.values)
    mask = 3 * torch.arange(len(keys)) <= torch.arange(length)[:, None]
    scores = torch.einsum("qhd,khd->hqk", queries, keys) / 8**0.5
    weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=2)
    expected = attention.output(torch.einsum("hqk,khd->qhd", weights, values).flatten(1))

    from silverloom.ops.wikisum.long_sequences.layers import Layout

    layout = Layout.of(torch.ones(1, length, dtype=torch.long))
    found = attention(*attention.project(hidden), layout)
    assert torch.allclose(found, expected, atol=1e-5)


def test_no_convolution_of_onednn_is_called():
    """Its bits differ between processors if channels times kernel are 1,000 or more: here 3 x 512."""
    network = decoder(layer_kinds="M")
    with torch.profiler.profile() as profile:
        network(tokens(1, 9))
    assert not [event.key for event in profile.key_averages() if "conv" in event.key.lower()]
