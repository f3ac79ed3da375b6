"""Models of long sequences under the shared loop, and examples that lie on disk."""

import gc
import tracemalloc
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import torch
from safetensors.torch import save
from torch._dynamo.utils import counters

from ops.models.training import TrainingParams, train
from ops.wikisum.long_sequences.layers import Layout
from ops.wikisum.long_sequences.model import TokenExample
from ops.wikisum.long_sequences.task import ExampleStore, SequenceTask, token_means
from tests.ops.models.training.toy_task import Memory
from tests.ops.wikisum.long_sequences.sequence_cases import (
    PARAMS,
    SEPARATOR,
    decoder,
    drawing_nothing,
    examples,
    model,
    tokens,
)

every_model = pytest.mark.parametrize("name", PARAMS)


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


@every_model
def test_training_lowers_the_log_perplexity_of_the_targets(name):
    _, outcome = trained(name, epochs=15, learning_rate=0.02)
    values = [point.value for point in outcome.curve if point.name == "log_perplexity"]
    assert outcome.best == min(values) < values[0] - 0.3


@every_model
def test_what_was_learnt_by_heart_is_written(name):
    learnt = model(name)
    stored = store(8)
    params = TrainingParams(
        epochs=150, batch_size=8, learning_rate=0.02, metric="log_perplexity", weight_decay=0.0
    )
    train(SequenceTask(learnt, stored, stored), params)
    answers = learnt.generate([example.source for example in stored])
    assert answers == [list(example.target) for example in stored]


@every_model
def test_a_run_goes_on_from_every_checkpoint_to_the_same_weights(name):
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


@pytest.mark.long
def test_a_compiled_network_learns_the_same(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))

    def curve(**knobs):
        # All examples in one batch: a shape more is compiled anew.
        params = TrainingParams(epochs=2, batch_size=12, metric="log_perplexity", **knobs)
        outcome = train(SequenceTask(drawing_nothing("LM"), store(), store()), params)
        return [point.value for point in outcome.curve]

    plain = curve()
    counters.clear()
    assert curve(compile=True) == pytest.approx(plain, rel=1e-4)
    assert counters["stats"]["unique_graphs"] > 0


def test_bfloat16_is_of_a_gpu_and_gradients_are_finite_in_it():
    found = model("T-DMCA")
    found.network.train()
    with torch.autocast("cpu", torch.bfloat16):
        losses = found.losses(examples())
        (losses.output.sum() + losses.balance).backward()
    gradients = [weights.grad for weights in found.network.parameters() if weights.grad is not None]
    assert gradients and all(bool(gradient.isfinite().all()) for gradient in gradients)


def test_every_token_weighs_the_same_in_whichever_batch_it_is():
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


def test_examples_are_read_back_in_any_order_with_their_names():
    found = store(200)
    assert list(found) == examples(200)
    assert (found[199], found[64], found[-1]) == (examples(200)[199], examples(200)[64], examples(200)[-1])
    assert (found.names[130], list(found.names[62:66])[2]) == ("example-130", "example-64")
    assert found.digest() == store(200).digest() != store(199).digest()
    with pytest.raises(IndexError):
        found[200]


def test_a_corpus_is_never_in_memory_whole():
    """The examples are drawn as they are written, and the file is mapped: Arrow holds none of its 40 MB."""
    before, most = pa.total_allocated_bytes(), []

    def corpus():
        for index in range(2_000):
            most.append(pa.total_allocated_bytes() - before)
            yield str(index), TokenExample(range(5_000), range(100))

    found = ExampleStore(corpus())
    assert Path(found.folder.name, "examples.arrow").stat().st_size > 40_000_000
    assert max(most) < 4_000_000
    assert len(found[1_000].source) == 5_000
    assert pa.total_allocated_bytes() - before < 4_000_000


def test_an_example_takes_eight_bytes_of_memory_while_it_is_written():
    """Beside a block: the lengths of source and target."""
    sizes = []

    def corpus():
        for index in range(200_000):
            if index == 100_000:
                tracemalloc.start()
            yield "name", TokenExample((), ())
        sizes.append(tracemalloc.get_traced_memory()[0])

    found = ExampleStore(corpus())
    tracemalloc.stop()
    assert found.lengths.shape == (200_000, 2)
    assert sizes[0] < 16 * 200_000


def saved_bytes(length, implementation, kinds):
    """Return how much a layer of attention keeps for the gradient: each piece of memory once."""
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


def test_materialised_attention_takes_the_square_of_the_length():
    assert saved_bytes(4 * 768, "eager", "F") > 12 * saved_bytes(768, "eager", "F")


def test_the_file_goes_with_the_store():
    found = store()
    folder = Path(found.folder.name)
    assert folder.exists()
    del found
    gc.collect()
    assert not folder.exists()
