"""Train small models for a few updates; print a digest of the weights of each.

Run as a program with the variables of strict numerics, natively and on an emulated processor:
test_same_weights.py compares the output.
"""

import hashlib
import json

import numpy as np
import torch
from torch import nn

from silverloom.ops.models.training import TrainingParams, train
from silverloom.ops.models.training.examples import ExampleStore
from silverloom.ops.talksumm.extractors.pointer import SentenceEncoder
from silverloom.ops.talksumm.extractors.transformer import encoder_layer
from silverloom.ops.wikisum.long_sequences.model import make
from silverloom.ops.wikisum.long_sequences.task import SequenceTask
from tests.ops.models.training.toy_task import Toy
from tests.ops.wikisum.long_sequences.sequence_cases import PARAMS as PARAMS_OF_SEQUENCES
from tests.ops.wikisum.long_sequences.sequence_cases import VOCABULARY, examples

PARAMS = TrainingParams(epochs=2, batch_size=10, learning_rate=0.01, metric="error", clip=1.0)


class Sequences(Toy):
    """Convolutions as wide as those over 300-dimensional word vectors, an LSTM, a Transformer layer."""

    def __init__(self):
        super().__init__(examples=20)
        generator = torch.Generator().manual_seed(2)
        self.vectors = torch.randn(40, 300, generator=generator)
        self.words = torch.randint(0, 40, (20, 6, 12), generator=generator)
        with torch.random.fork_rng():
            torch.manual_seed(0)
            self.module = nn.ModuleDict(
                {
                    "sentences": SentenceEncoder(300, 8, 0.1),
                    "lstm": nn.LSTM(24, 8, batch_first=True, bidirectional=True),
                    "transformer": encoder_layer(16, 2, 0.1),
                    "output": nn.Linear(16, 1),
                }
            )

    def predict(self, indices):
        words = self.words[indices]
        lengths = torch.full((words.shape[0] * 6,), 12)
        sentences = self.module["sentences"](words.flatten(0, 1), lengths, self.vectors).unflatten(0, (-1, 6))
        states, _ = self.module["lstm"](sentences)
        return self.module["output"](self.module["transformer"](states))[:, :, 0].mean(dim=1)

    def loss(self, indices):
        chosen = list(indices)
        return (torch.sigmoid(self.predict(chosen)) - torch.sigmoid(self.targets[chosen])).square().mean()

    def validate(self):
        return {"error": float(self.loss(range(20)))}


def digest(arrays) -> str:
    found = hashlib.md5(usedforsecurity=False)
    for array in arrays:
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def trained(task) -> str:
    train(task, PARAMS)
    return digest(value.numpy() for value in task.module.state_dict().values())


def learnt_long_sequences(name) -> str:
    """Wide enough that a convolution of kernel 3 would give other bits on another processor."""
    size = {"width": 384, "filter": 32, "heads": 6, "expert_filter": 8} if name == "T-DMCA" else {}
    model = make(PARAMS_OF_SEQUENCES[name].model_copy(update=size), VOCABULARY)
    stored = ExampleStore(zip(map(str, range(12)), examples(12), strict=True))
    knobs = {"epochs": 1, "batch_size": 4, "metric": "log_perplexity"}
    task = SequenceTask(model, stored, stored)
    train(task, TrainingParams(**knobs))
    return digest(value.numpy() for value in task.module.state_dict().values())


if __name__ == "__main__":
    found = {"line": trained(Toy()), "sequences": trained(Sequences())}
    print(json.dumps(found | {name: learnt_long_sequences(name) for name in PARAMS_OF_SEQUENCES}))
