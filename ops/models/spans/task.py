"""What models that find spans are trained on, as a task of the training loop.

Belongs here: loss and validation. Not here: the loop (ops/models/training), where examples come from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from safetensors.torch import save
from torch import Tensor

from ops.models.spans.model import BATCH, PairTokens, SpanModel
from ops.models.spans.spans import SpanExample, best_span, digest, overlap


class SpanTask:
    """Cross entropy of the start and of the end; an example without its span has both at the first token.

    Validation gives "loss", "exact" and "overlap": the share of examples whose span, or that there is none,
    is found, and the mean F1 of its characters.
    """

    def __init__(
        self, model: SpanModel, training: Sequence[SpanExample], validation: Sequence[SpanExample]
    ) -> None:
        """Cut all examples into tokens. Raises ValueError for one that is too long, or has no such place."""
        self._model = model
        self.module = model.network
        self.names = [example.name for example in training]
        self._training, self._validation = _cut(model, training), _cut(model, validation)
        self._judged = validation
        self.costs = [len(tokens) for tokens, _ in self._training]
        self._identity = {
            "model": model.config.model_dump(mode="json"),
            "initial weights": hashlib.sha256(save(model.network.state_dict())).hexdigest(),
            "training set": digest(training),
            "validation set": digest(validation),
        }

    def identity(self) -> Mapping[str, Any]:
        """Return the model's config, and digests of its first weights and of both sets."""
        return self._identity

    def loss(self, indices: Sequence[int]) -> Tensor:
        """Return the mean loss of some training examples."""
        return self._losses([self._training[index] for index in indices]).mean()

    @torch.no_grad()
    def validate(self) -> dict[str, float]:
        """Return the metrics of the validation examples."""
        losses, exact, shared = 0.0, 0, 0.0
        for start in range(0, len(self._validation), BATCH):
            batch = self._validation[start : start + BATCH]
            scores = self._model.scores([tokens for tokens, _ in batch])
            losses += float(_losses(scores, [truth for _, truth in batch]).double().sum())
            found = scores.double().cpu().numpy()
            for place, (tokens, _) in enumerate(batch):
                span = _answer(tokens, found[0, place], found[1, place])
                wanted = self._judged[start + place].span
                exact += span == wanted
                shared += overlap(span, wanted)
        number = max(1, len(self._validation))
        return {"loss": losses / number, "exact": exact / number, "overlap": shared / number}

    def _losses(self, batch: Sequence[tuple[PairTokens, tuple[int, int]]]) -> Tensor:
        return _losses(self._model.scores([tokens for tokens, _ in batch]), [truth for _, truth in batch])


def _losses(scores: Tensor, truths: Sequence[tuple[int, int]]) -> Tensor:
    """Return the loss of each of N examples: the mean of start and end."""
    places = torch.tensor(truths, device=scores.device).T.unsqueeze(2)
    return -scores.gather(2, places).squeeze(2).mean(dim=0)


def _answer(tokens: PairTokens, starts: Any, ends: Any) -> tuple[int, int] | None:
    """Return the best span, or None where none is more probable."""
    best = best_span(starts[1:], ends[1:])
    if best is None or best[2] <= starts[0] + ends[0]:
        return None
    return tokens.offsets[best[0] + 1][0], tokens.offsets[best[1] + 1][1]


def _cut(model: SpanModel, examples: Sequence[SpanExample]) -> list[tuple[PairTokens, tuple[int, int]]]:
    several = model.tokens([example.wanted for example in examples], [example.text for example in examples])
    return [
        (tokens, _place(model, example, tokens)) for example, tokens in zip(examples, several, strict=True)
    ]


def _place(model: SpanModel, example: SpanExample, tokens: PairTokens) -> tuple[int, int]:
    """Return the tokens of the span of an example."""
    if len(tokens) > model.longest:
        raise ValueError(f"{example.name}: {len(tokens)} tokens, and {model.longest} are read")
    if example.span is None:
        return 0, 0
    start, end = example.span
    first = [place for place in tokens.starts[1:] if tokens.offsets[place][0] >= start]
    last = [place for place in tokens.ends[1:] if tokens.offsets[place][1] <= end]
    if not first or not last or first[0] > last[-1]:
        raise ValueError(f"{example.name}: characters {start} to {end} hold no word")
    return first[0], last[-1]
