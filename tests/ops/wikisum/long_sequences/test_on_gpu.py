"""The same on a GPU, if there is one: logits, decoding, and a training in bfloat16."""

import pytest
import torch

from silverloom.ops.models.training import TrainingParams, train
from silverloom.ops.models.training.examples import ExampleStore
from silverloom.ops.wikisum.long_sequences.task import SequenceTask
from tests.ops.wikisum.long_sequences.sequence_cases import DECODERS, decoder, examples, model, tokens

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU is at hand")


@torch.no_grad()
@pytest.mark.parametrize("implementation", ["sdpa", "eager"])
@pytest.mark.parametrize("options", DECODERS.values(), ids=DECODERS)
def test_a_gpu_gives_the_logits_of_the_processor(options, implementation):
    ids = tokens(2, 23)
    expected = decoder(**options)(ids).logits
    network = decoder(implementation=implementation, **options).to("cuda")
    assert torch.allclose(network(ids.to("cuda")).logits.cpu(), expected, atol=1e-3)
    begun = network(ids[:, :10].to("cuda"), use_cache=True)
    rest = network(ids[:, 10:].to("cuda"), past_key_values=begun.past_key_values).logits
    assert torch.allclose(rest.cpu(), expected[:, 10:], atol=1e-3)


@pytest.mark.parametrize("name", ["lstm", "T-ED", "T-D", "T-DMCA"])
def test_a_training_in_bfloat16_learns(name):
    stored = ExampleStore(zip(map(str, range(8)), examples(8), strict=True))
    params = TrainingParams(
        epochs=60, batch_size=8, learning_rate=0.02, metric="log_perplexity", precision="bfloat16"
    )
    outcome = train(SequenceTask(model(name), stored, stored), params, strict=False)
    values = [point.value for point in outcome.curve if point.name == "log_perplexity"]
    assert outcome.best < values[0] / 2
