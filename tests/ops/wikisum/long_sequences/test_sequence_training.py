"""Models of long sequences in the shared training loop, and examples on disk."""

import numpy as np
import pytest
import torch
from safetensors.torch import save

from silverloom.ops.models.training import TrainingParams, train
from silverloom.ops.models.training.examples import ExampleStore
from silverloom.ops.wikisum.long_sequences.layers import Layout
from silverloom.ops.wikisum.long_sequences.task import SequenceTask, token_means
from tests.ops.models.training.toy_task import Memory
from tests.ops.wikisum.long_sequences.sequence_cases import (
    PARAMS,
    SEPARATOR,
    decoder,
    examples,
    model,
    tokens,
)

#: The others vary what T-DMCA shows.
every_model = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name != "T-DMCA")) for name in PARAMS]
)


def store(count=12):
    return ExampleStore((f"example-{index}", example) for index, example in enumerate(examples(count)))


def task(name, count=12):
    return SequenceTask(model(name), store(count), store(4))


def trained(name, checkpoints=None, **knobs):
    params = TrainingParams(
        **{"epochs": 2, "batch_size": 4, "checkpoint_every": 2, "metric": "log_perplexity"} | knobs
    )
    learnt = task(name)
    outcome = train(learnt, params, checkpoints)
    return save(dict(learnt.module.state_dict())), outcome


@pytest.mark.parametrize("name", ["lstm", "T-ED", "T-D"])
def test_training_lowers_the_log_perplexity_of_the_targets(name):
    _, outcome = trained(name, epochs=15, learning_rate=0.02)
    values = [point.value for point in outcome.curve if point.name == "log_perplexity"]
    assert outcome.best == min(values) < values[0] - 0.3


@every_model
def test_memorised_targets_are_generated(name):
    learnt = model(name)
    stored = store(8)
    params = TrainingParams(
        epochs=150, batch_size=8, learning_rate=0.02, metric="log_perplexity", weight_decay=0.0
    )
    train(SequenceTask(learnt, stored, stored), params)
    answers = learnt.generate([example.source for example in stored])
    assert answers == [list(example.target) for example in stored]


@every_model
def test_a_run_resumes_from_every_checkpoint_to_the_same_weights(name):
    class Every(Memory):
        def __init__(self):
            super().__init__()
            self.history = []

        def write(self, files):
            super().write(files)
            self.history.append(dict(files))

    kept = Every()
    expected = trained(name, kept)
    for files in kept.history:
        again = Memory()
        again.files = files
        assert trained(name, again) == expected


@pytest.mark.parametrize("name", ["T-ED", "T-DMCA"])
def test_a_run_with_gradient_checkpointing_ends_with_the_same_loss(name):
    _, plain = trained(name)
    _, checkpointed = trained(name, gradient_checkpointing=True)
    assert checkpointed.best == pytest.approx(plain.best, rel=1e-4)


def test_bfloat16_is_for_gpus_and_gradients_are_finite_in_it():
    found = model("T-DMCA")
    found.network.train()
    with torch.autocast("cpu", torch.bfloat16):
        losses = found.losses(examples())
        (losses.output.sum() + losses.balance).backward()
    gradients = [weights.grad for weights in found.network.parameters() if weights.grad is not None]
    assert gradients and all(bool(gradient.isfinite().all()) for gradient in gradients)


def test_every_token_has_the_same_weight_in_any_batch():
    found = task("T-D")
    found.module.eval()
    alone = [found.loss([index]) for index in range(3)]
    assert torch.allclose(found.loss([0, 1, 2]), torch.stack(alone).mean(), atol=1e-5)
    [losses] = [found.model.losses([store()[0]])]
    tokens = np.mean([len(example.source) + len(example.target) + 1 for example in store()])
    whole = float((losses.output + losses.input).detach())
    assert float(alone[0].detach()) == pytest.approx(whole / tokens, rel=1e-5)


@torch.no_grad()
def test_log_perplexity_is_the_mean_over_all_tokens_of_all_targets():
    found = model("T-DMCA")
    sums = []
    for example in examples(20):
        sequence = [*example.source, SEPARATOR, *example.target, 1]
        logits = found.network(torch.tensor([sequence])).logits[0, len(example.source) : -1]
        target = torch.tensor([*example.target, 1])
        sums.append(torch.nn.functional.cross_entropy(logits, target, reduction="none"))
    expected = float(torch.cat(sums).mean())
    assert token_means(found, store(20))["log_perplexity"] == pytest.approx(expected, rel=1e-5)


def saved_bytes(length, implementation, kinds):
    """Return how much memory an attention layer keeps for the gradient, counting shared memory once."""
    network = decoder(layer_kinds=kinds, implementation=implementation, block_size=16)
    pieces = {}

    def keep(tensor):
        storage = tensor.untyped_storage()
        pieces[storage.data_ptr()] = storage
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        network.hidden(*line(length))
    return sum(storage.nbytes() for storage in pieces.values())


def line(length):
    layout = Layout.of(torch.ones(1, length, dtype=torch.long))
    return tokens(1, length)[0], layout


@pytest.mark.parametrize(
    ("kinds", "implementation"),
    [("L", "eager"), ("L", "sdpa"), ("M", "sdpa"), ("F", "sdpa"), ("LMLML", "sdpa")],
)
def test_memory_is_linear_in_the_length(kinds, implementation):
    assert saved_bytes(4 * 768, implementation, kinds) < 4.1 * saved_bytes(768, implementation, kinds)


def test_materialised_attention_takes_memory_quadratic_in_the_length():
    assert saved_bytes(4 * 768, "eager", "F") > 12 * saved_bytes(768, "eager", "F")
