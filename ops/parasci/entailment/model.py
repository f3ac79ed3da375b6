"""A model that reads two texts together and predicts whether each entails the other.

Belongs here: tokens, batches, files; the head, and which layers of the encoder are trained with it; loss and
validation, as a task of the training loop. Not here: the loop (ops/models/training), options (config.py),
the choice of training examples (entailment.py).

The encoder reads both texts at once (a cross-encoder), so that each token can attend to what supports it in
the other text. The head gives every token a score of how well the other text supports it. A text is entailed
only as far as its least supported token: one number that is missing from the other text is enough. [ours]
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import TypeAdapter
from safetensors.torch import save
from torch import Tensor, nn
from transformers import AutoTokenizer

from ops.core.stored_rows import Made
from ops.models.encoder import encoder, encoder_folder
from ops.models.last_layers import with_own_layers
from ops.models.trained import CONFIG, WEIGHTS, network_files, read_config, read_weights
from ops.parasci.entailment.config import EntailmentConfig, EntailmentExample, examples_digest

#: Pairs that are encoded together, and pairs that are tokenised together.
BATCH, _AT_ONCE = 32, 256

#: If all texts of a batch are padded to the same multiple of this, a row does not depend on the other texts.
_MULTIPLE = 8


@dataclass(frozen=True, slots=True)
class TextTokens:
    """T tokens of two texts: the encoder's inputs, and the text of each token (0, 1; None for neither)."""

    inputs: Mapping[str, Sequence[int]]
    texts: Sequence[int | None]

    def __len__(self) -> int:
        return len(self.texts)


class EntailmentModel:
    """Predicts for two texts whether each entails the other."""

    def __init__(self, config: EntailmentConfig, seed: int = 0, strict: bool = True) -> None:
        """Create a model whose head has random weights."""
        self.config = config
        self._tokenizer: Any = AutoTokenizer.from_pretrained(
            str(encoder_folder(config.encoder)), local_files_only=True
        )
        whole: Any = encoder(config.encoder, strict)[0].auto_model
        self.longest = min(config.longest, whole.config.max_position_embeddings)
        self.network = EntailmentNetwork(whole, config.trained_layers, seed)
        self.network.to(whole.device).eval()

    def tokens(self, firsts: Sequence[str], seconds: Sequence[str]) -> list[TextTokens]:
        """Return N pairs as tokens; in a pair of more than `longest` tokens, the longer text is cut."""
        if not firsts:
            return []
        found = self._tokenizer(list(firsts), list(seconds), truncation=True, max_length=self.longest)
        return [
            TextTokens({name: rows[number] for name, rows in found.items()}, encoding.sequence_ids)
            for number, encoding in enumerate(found.encodings)
        ]

    def scores(self, batch: Sequence[TextTokens]) -> Tensor:
        """Return log-odds (N x 2) that the first text entails the second, and the second the first."""
        length = -(-max(map(len, batch)) // _MULTIPLE) * _MULTIPLE
        device = self.network.support.weight.device
        filling = {"input_ids": self._tokenizer.pad_token_id}
        inputs = {
            name: torch.tensor(
                [[*row.inputs[name], *[filling.get(name, 0)] * (length - len(row))] for row in batch],
                device=device,
            )
            for name in batch[0].inputs
        }
        sides = torch.zeros((2, len(batch), length), dtype=torch.bool)
        for number, row in enumerate(batch):
            for side in (0, 1):
                sides[side, number, [place for place, text in enumerate(row.texts) if text == side]] = True
        found: Tensor = self.network(inputs, sides.to(device))
        return found

    @torch.no_grad()
    def predict(self, firsts: Sequence[str], seconds: Sequence[str]) -> NDArray[np.float64]:
        """Return the log-odds (N x 2) of N pairs of texts, as in `scores`.

        They do not depend on which text comes first: the model reads both orders and averages them.
        """
        self.network.eval()
        number = len(firsts)
        pairs = self.tokens([*firsts, *seconds], [*seconds, *firsts])
        found = np.zeros((len(pairs), 2))
        order = sorted(range(len(pairs)), key=lambda index: len(pairs[index]))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            found[batch] = self.scores([pairs[index] for index in batch]).double().cpu().numpy()
        mean: NDArray[np.float64] = (found[:number] + found[number:, ::-1]) / 2
        return mean

    def save(self) -> dict[str, bytes]:
        """Return the model as named bytes: head and trained layers, and the name of the encoder."""
        return network_files(self.config, self.network)


def load(files: Mapping[str, bytes], strict: bool = True) -> EntailmentModel:
    """Return the model that `save` wrote. Raises ModelFilesError if the files are not a valid model."""
    model = EntailmentModel(
        read_config(files, TypeAdapter(EntailmentConfig), (CONFIG, WEIGHTS)), strict=strict
    )
    read_weights(files, model.network, (CONFIG,))
    return model


class EntailmentNetwork(nn.Module):
    """Computes the log-odds of entailment, in both directions, of N pairs of texts.

    Its state is the head and copies of the encoder's last layers. Raises ValueError if the encoder has fewer
    layers.
    """

    def __init__(self, encoder: Any, trained_layers: int, seed: int) -> None:
        super().__init__()
        base, self.layers = with_own_layers(encoder, trained_layers)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.support = nn.Linear(encoder.config.hidden_size, 1)
            self.whole = nn.Linear(encoder.config.hidden_size, 2)
        self._base = [base]  # in a list, so that it is not part of this module's state

    def forward(self, inputs: Mapping[str, Tensor], sides: Tensor) -> Tensor:
        """Return log-odds (N x 2); `sides` (2 x N x T) marks the tokens of each text."""
        hidden = self._base[0](**inputs).last_hidden_state
        supports = self.support(hidden).float().squeeze(2)
        weakest = -(
            (-supports).masked_fill(~sides.flip(0), -torch.inf).logsumexp(dim=2)
            - sides.flip(0).sum(dim=2).log()
        )
        found: Tensor = self.whole(hidden[:, 0]).float() + weakest.T
        return found

    def to(self, *args: Any, **options: Any) -> Self:
        """Move to a device like `torch.nn.Module.to`, together with the encoder."""
        self._base[0].to(*args, **options)
        return super().to(*args, **options)


class EntailmentTask:
    """Cross entropy of both directions. Validation gives "loss" and "accuracy", over all directions."""

    def __init__(
        self,
        model: EntailmentModel,
        training: Sequence[EntailmentExample],
        validation: Sequence[EntailmentExample],
    ) -> None:
        """Read all examples once; they are tokenised again at each use."""
        self._model = model
        self.module = model.network
        self._training, self._validation = training, validation
        self.names: Sequence[str] = Made(training, attrgetter("name"))
        self.costs: Sequence[int] = array("i", map(len, _tokens_of(model, training)))
        self._identity = {
            "model": model.config.model_dump(mode="json"),
            "initial weights": hashlib.sha256(save(model.network.state_dict())).hexdigest(),
            "training set": examples_digest(training),
            "validation set": examples_digest(validation),
        }

    def identity(self) -> Mapping[str, Any]:
        """Return the model's config, and digests of its initial weights and of both sets."""
        return self._identity

    def loss(self, indices: Sequence[int]) -> Tensor:
        """Return the mean loss of the training examples at these indices."""
        return self._losses([self._training[index] for index in indices])[0].mean()

    @torch.no_grad()
    def validate(self) -> dict[str, float]:
        """Return the metrics of the validation examples."""
        loss, right = 0.0, 0
        for start in range(0, len(self._validation), BATCH):
            losses, hits = self._losses(self._validation[start : start + BATCH])
            loss += float(losses.double().sum())
            right += hits
        number = max(1, len(self._validation))
        return {"loss": loss / number, "accuracy": right / (2 * number)}

    def _losses(self, examples: Sequence[EntailmentExample]) -> tuple[Tensor, int]:
        """Return N losses (means of both directions), and how many directions are predicted correctly."""
        tokens = self._model.tokens(
            [example.first for example in examples], [example.second for example in examples]
        )
        scores = self._model.scores(tokens)
        truths = torch.tensor(
            [[example.forward, example.backward] for example in examples],
            dtype=torch.float32,
            device=scores.device,
        )
        losses = nn.functional.binary_cross_entropy_with_logits(scores, truths, reduction="none").mean(dim=1)
        return losses, int(((scores > 0) == (truths > 0)).sum())


def _tokens_of(model: EntailmentModel, examples: Sequence[EntailmentExample]) -> Iterator[TextTokens]:
    for start in range(0, len(examples), _AT_ONCE):
        some = examples[start : start + _AT_ONCE]
        yield from model.tokens([example.first for example in some], [example.second for example in some])
