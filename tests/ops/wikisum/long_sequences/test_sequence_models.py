"""All four models behind one interface: losses, files, Hugging Face's public interfaces, gradients."""

import pytest
import torch
import yaml
from safetensors.torch import save
from transformers import AutoConfig, AutoModel, AutoModelForCausalLM, AutoModelForSeq2SeqLM

from silverloom.ops.models.trained import ModelFilesError
from silverloom.ops.models.training.examples import TokenExample
from silverloom.ops.wikisum.long_sequences.layers import IGNORED, MixtureOfExperts, positions, token_losses
from silverloom.ops.wikisum.long_sequences.model import load
from silverloom.ops.wikisum.long_sequences.texts import model_card
from tests.ops.wikisum.long_sequences.sequence_cases import (
    END,
    PAD,
    PARAMS,
    SEPARATOR,
    decoder,
    examples,
    model,
)

every_model = pytest.mark.parametrize("name", PARAMS)


def gradients(network, loss):
    network.zero_grad()
    loss.backward()
    return {
        name: weights.grad.clone() for name, weights in network.named_parameters() if weights.grad is not None
    }


@torch.no_grad()
@every_model
def test_the_losses_of_a_batch_equal_those_of_its_single_examples(name):
    found, batch = model(name), examples()
    together = found.losses(batch)
    for index, example in enumerate(batch):
        alone = found.losses([example])
        for whole, part in zip(together[:4], alone[:4], strict=True):
            assert torch.allclose(whole[index], part[0], atol=1e-4)
    assert together.output_tokens.tolist() == [len(example.target) + 1 for example in batch]
    reads = name.startswith("T-D")
    assert together.input_tokens.tolist() == [len(example.source) * reads for example in batch]


@torch.no_grad()
@every_model
def test_a_truncated_target_has_no_end(name):
    found = model(name)
    source, target = [5, 6, 7], [*range(4, 14)]
    if name.startswith("T-D"):
        logits = found.network(torch.tensor([[*source, SEPARATOR, *target[:6]]])).logits[0, 3:]
    else:
        before = torch.tensor([[PAD, *target[:6]]])
        logits = found.network(torch.tensor([[*source, END]]), decoder_input_ids=before).logits[0]
    expected = torch.nn.functional.cross_entropy(logits, torch.tensor(target[:7]), reduction="sum")
    told = found.losses([TokenExample(source, target)])
    assert float(told.output) == pytest.approx(float(expected), rel=1e-5)
    assert told.output_tokens.tolist() == [7]


@torch.no_grad()
def test_a_decoder_learns_input_and_output_and_reports_both_losses():
    found = model("T-DMCA")
    [example] = examples(1)
    sequence = [*example.source, SEPARATOR, *example.target, 1]
    logits = found.network(torch.tensor([sequence])).logits[0, :-1]
    losses = torch.nn.functional.cross_entropy(logits, torch.tensor(sequence[1:]), reduction="none")
    told = found.losses([example])
    bound = len(example.source)
    assert float(told.input) == pytest.approx(float(losses[:bound].sum()), rel=1e-5)
    assert float(told.output) == pytest.approx(float(losses[bound:].sum()), rel=1e-5)


@torch.no_grad()
@every_model
def test_a_saved_model_is_loaded_and_gives_the_same_answers(name):
    found = model(name)
    files = found.files()
    assert files == model(name).files()
    assert "model.safetensors" in files and "config.json" in files and "generation_config.json" in files
    again = load(files)
    assert again.files() == files
    assert torch.equal(again.losses(examples()).output, found.losses(examples()).output)
    sources = [example.source for example in examples()]
    assert again.generate(sources) == found.generate(sources)


@every_model
def test_hugging_face_finds_the_classes_and_how_they_decode(name, tmp_path):
    found = model(name)
    for file, content in found.files().items():
        (tmp_path / file).write_bytes(content)
    kind = (
        AutoModelForSeq2SeqLM
        if AutoConfig.from_pretrained(tmp_path).is_encoder_decoder
        else AutoModelForCausalLM
    )
    loaded = kind.from_pretrained(tmp_path)
    assert isinstance(found.network, type(loaded))
    weights = loaded.state_dict()
    assert all(torch.equal(weights[key], value) for key, value in found.network.state_dict().items())
    assert loaded.generation_config.num_beams == 4
    assert loaded.generation_config.length_penalty == 0.6
    if name != "T-ED":  # this is Pegasus, which AutoModel returns without its head
        assert type(AutoModel.from_pretrained(tmp_path)) is type(found.network)


def test_a_decoder_is_loaded_with_materialised_attention_if_requested(tmp_path):
    model("T-D").network.save_pretrained(tmp_path)
    loaded = AutoModelForCausalLM.from_pretrained(tmp_path, attn_implementation="eager")
    assert not loaded.layers[0].attention.fused


@every_model
def test_the_same_seed_gives_the_same_weights_and_does_not_change_the_generator(name):
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    first, second, third = (save(model(name, seed).network.state_dict()) for seed in (0, 0, 1))
    assert torch.equal(torch.rand(2), expected)
    assert first == second != third


@pytest.mark.parametrize("name", ["T-ED", "T-D", "T-DMCA"])
def test_gradient_checkpointing_changes_no_gradient(name):
    def found(checkpointing):
        trained = model(name)
        if checkpointing:
            trained.network.activation_checkpointing_enable()
        trained.network.train()
        torch.manual_seed(0)  # dropout, and the noise of the gate
        losses = trained.losses(examples())
        return gradients(trained.network, losses.output.sum() + losses.balance)

    plain, checkpointed = found(False), found(True)
    assert plain.keys() == checkpointed.keys()
    assert all(torch.allclose(plain[key], checkpointed[key], atol=1e-6) for key in plain)


@every_model
def test_every_weight_learns(name):
    found = model(name)
    found.network.train()
    losses = found.losses(examples())
    learnt = gradients(found.network, losses.output.sum() + losses.balance)
    still = {
        key
        for key, weights in found.network.named_parameters()
        if weights.requires_grad and not (key in learnt and learnt[key].any())
    }
    assert not still


def test_labels_are_smoothed_only_in_training():
    found = model("lstm")
    smooth = model("lstm")
    smooth.params = smooth.params.model_copy(update={"label_smoothing": 0.3, "dropout": 0.0})
    batch = [TokenExample([4, 5], [5, 5])]
    assert torch.equal(found.losses(batch).output, smooth.losses(batch).output)
    smooth.network.train()
    for module in smooth.network.modules():
        module.dropout = 0.0 if isinstance(module, torch.nn.LSTM) else getattr(module, "dropout", None)
        module.p = 0.0
    assert not torch.allclose(found.losses(batch).output, smooth.losses(batch).output)


def test_losses_in_pieces_equal_those_of_all_logits_at_once():
    torch.manual_seed(0)
    hidden, weight = torch.randn(1100, 4, requires_grad=True), torch.randn(7, 4, requires_grad=True)
    targets = torch.randint(0, 7, (1100,))
    targets[3] = IGNORED
    pieces = token_losses(hidden, weight, targets)
    whole = torch.nn.functional.cross_entropy(hidden @ weight.T, targets, reduction="none")
    assert torch.allclose(pieces, whole, atol=1e-5)
    for piece, expected in zip(
        *(torch.autograd.grad(losses.sum(), [hidden, weight]) for losses in (pieces, whole)), strict=True
    ):
        assert torch.allclose(piece, expected, atol=1e-4)


@torch.no_grad()
def test_experts_use_a_softmax_that_is_more_exact_than_the_weights(monkeypatch):
    """As with autocast to bfloat16 on a GPU, and not on a processor."""
    softmax = torch.Tensor.softmax
    monkeypatch.setattr(torch.Tensor, "softmax", lambda scores, dim: softmax(scores.float(), dim))
    layer = MixtureOfExperts(4, 8, 3).to(torch.bfloat16)
    answers, uneven = layer(torch.randn(5, 4, dtype=torch.bfloat16))
    assert answers.shape == (5, 4) and uneven.isfinite()


@torch.no_grad()
def test_two_experts_answer_each_token_weighted_by_their_gates():
    torch.manual_seed(0)
    layer = MixtureOfExperts(6, 8, 5)
    for weights in layer.parameters():
        weights.normal_()
    layer.eval()
    hidden = torch.randn(9, 6)
    found, uneven = layer(hidden)
    for token, answer in zip(hidden, found, strict=True):
        scores, chosen = layer.gate(token).topk(2)
        expected = sum(
            share * (torch.relu(token @ layer.inner[expert]) @ layer.outer[expert])
            for share, expert in zip(scores.softmax(0), chosen, strict=True)
        )
        assert torch.allclose(answer, expected, atol=1e-4)
    assert float(uneven) > 0


def test_the_load_balancing_loss_falls_when_the_load_is_even():
    torch.manual_seed(0)
    layer = MixtureOfExperts(4, 4, 4).train()
    with torch.no_grad():
        for weights in layer.parameters():
            weights.normal_()
    hidden = torch.randn(64, 4) + 1
    optimiser = torch.optim.AdamW(layer.parameters(), lr=0.03)
    history = []
    for _ in range(60):
        _, uneven = layer(hidden)
        optimiser.zero_grad()
        uneven.backward()
        optimiser.step()
        history.append(float(uneven.detach()))
    assert sum(history[-10:]) < sum(history[:10]) / 3


def test_positions_equal_those_of_tensor2tensor():
    found = positions(5, 8)
    rates = 10_000 ** -(torch.arange(4) / 3)
    angles = torch.arange(5)[:, None] * rates
    assert torch.allclose(found[:5], torch.cat([angles.sin(), angles.cos()], dim=1), atol=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layer_kinds": "LX"}, "has X: give F, L and M"),
        ({"hidden_size": 18}, "width 18 cannot be shared among 2 heads: give a multiple of 4"),
        ({"experts": 1}, "one expert is no mixture"),
        ({"experts": 2, "expert_layer": 5}, "not one of the 5 layers"),
    ],
)
def test_an_impossible_config_says_why(options, message):
    with pytest.raises(ValueError, match=message):
        decoder(**options)


def test_a_mismatched_checkpoint_is_not_read_as_another_size():
    files = model("T-D").files()
    files["config.json"] = files["config.json"].replace(b'"hidden_size": 16', b'"hidden_size": 32')
    with pytest.raises(ModelFilesError, match="size mismatch"):
        load(files)
    with pytest.raises(ModelFilesError, match=r"no generation_config\.json and no model\.safetensors"):
        load({name: files[name] for name in ("config.json", "params.json")})


def test_a_card_describes_the_model_to_hugging_face_and_readers():
    config = PARAMS["T-D"].model_dump(mode="json")
    card = model_card("tiny", "Writes leads.", ["CC-BY-SA-4.0"], config, {"examples": 6, "metric": "loss"})
    _, front, text = card.decode().split("---\n", 2)
    assert yaml.safe_load(front)["library_name"] == "transformers"
    assert "# tiny" in text and "| examples learnt from | 6 |" in text and "AutoModelForCausalLM" in text
