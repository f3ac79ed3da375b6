"""A model that finds the part of a text that paraphrases another text: a span head on a sentence encoder.

Belongs here: tokens of texts, batches, files; the head, and which layers of the encoder are trained with it;
loss and validation, as a task of the training loop. Not here: the loop (ops/models/training), options and the
best span (spans.py), which texts are compared (ops/parasci/partial).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, Self

import numpy as np
import pyarrow as pa
import torch
from pydantic import TypeAdapter
from torch import Tensor, nn
from transformers import AutoTokenizer

from silverloom.ops.core.outcome import Row
from silverloom.ops.core.stored_rows import Made, RowFile, StoredRows
from silverloom.ops.models.encoder import encoder_folder, transformer
from silverloom.ops.models.last_layers import with_own_layers
from silverloom.ops.models.trained import CONFIG, WEIGHTS, network_files, read_config, read_weights
from silverloom.ops.models.training.task import LossParts, task_identity
from silverloom.ops.parasci.spans.spans import FoundSpan, SpanConfig, SpanExample, best_span, digest, overlap

#: Pairs that are encoded together, and pairs that are tokenised together.
BATCH, _AT_ONCE = 32, 256

#: If all texts of a batch are padded to the same multiple of this, a row does not depend on the other texts.
_MULTIPLE = 8


@dataclass(frozen=True, slots=True)
class PairTokens:
    """T tokens of two texts: the encoder's inputs, the characters of each token, and possible span ends.

    `starts` and `ends` are the first and last tokens of the words of the second text, and the very first
    token, which means "no span".
    """

    inputs: Mapping[str, Sequence[int]]
    offsets: Sequence[tuple[int, int]]
    starts: Sequence[int]
    ends: Sequence[int]

    def __len__(self) -> int:
        return len(self.offsets)


class SpanModel:
    """Finds the part of a text that paraphrases another text."""

    def __init__(self, config: SpanConfig, seed: int = 0, strict: bool = True) -> None:
        """Create a model whose head has random weights."""
        self.config, self.strict = config, strict
        self._tokenizer: Any = AutoTokenizer.from_pretrained(
            str(encoder_folder(config.encoder)), local_files_only=True
        )
        whole: Any = transformer(config.encoder, strict)
        self.longest = min(config.longest, whole.config.max_position_embeddings)
        self.network = SpanNetwork(whole, config.trained_layers, seed)
        self.network.to(whole.device).eval()

    def tokens(self, wanted: Sequence[str], texts: Sequence[str]) -> list[PairTokens]:
        """Return N pairs as tokens; the model cannot read a pair of more than `longest` tokens."""
        if not texts:
            return []
        encoding = self._tokenizer(list(wanted), list(texts), verbose=False)
        return [
            _tokens({name: rows[number] for name, rows in encoding.items()}, encoding.encodings[number])
            for number in range(len(texts))
        ]

    def scores(self, batch: Sequence[PairTokens]) -> Tensor:
        """Return the log-probabilities of span starts and ends in N pairs (2 x N x T)."""
        length = -(-max(map(len, batch)) // _MULTIPLE) * _MULTIPLE
        device = self.network.head.weight.device
        filling = {"input_ids": self._tokenizer.pad_token_id}
        inputs = {
            name: torch.tensor(
                [[*row.inputs[name], *[filling.get(name, 0)] * (length - len(row))] for row in batch],
                device=device,
            )
            for name in batch[0].inputs
        }
        places = torch.zeros((2, len(batch), length), dtype=torch.bool)
        for number, row in enumerate(batch):
            places[0, number, list(row.starts)] = True
            places[1, number, list(row.ends)] = True
        log_probabilities: Tensor = self.network(inputs, places.to(device))
        return log_probabilities

    @torch.no_grad()
    def predict(self, pairs: Sequence[PairTokens]) -> list[FoundSpan | None]:
        """Return the most probable span of each of N pairs; None if the second text has no words.

        Its confidence is the product of the probabilities of start and end; "no span" has a share in both.
        """
        self.network.eval()
        spans: list[FoundSpan | None] = [None] * len(pairs)
        order = sorted(range(len(pairs)), key=lambda index: len(pairs[index]))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            scores = self.scores([pairs[index] for index in batch]).double().cpu().numpy()
            scores[:, :, 0] = -np.inf  # exclude "no span"
            for place, index in enumerate(batch):
                if best := best_span(scores[0, place], scores[1, place]):
                    first, last, score = best
                    offsets = pairs[index].offsets
                    spans[index] = FoundSpan(offsets[first][0], offsets[last][1], float(np.exp(score)))
        return spans

    def save(self) -> dict[str, bytes]:
        """Return the model as named bytes: head and trained layers, and the name of the encoder."""
        return network_files(self.config, self.network)


def load(files: Mapping[str, bytes], strict: bool = True) -> SpanModel:
    """Return the model that `save` wrote. Raises ModelFilesError if the files are not a valid model."""
    model = SpanModel(read_config(files, TypeAdapter(SpanConfig), (CONFIG, WEIGHTS)), strict=strict)
    read_weights(files, model.network, (CONFIG,))
    return model


def _tokens(inputs: Mapping[str, Sequence[int]], encoding: Any) -> PairTokens:
    texts, words, offsets = encoding.sequence_ids, encoding.word_ids, encoding.offsets
    inside = [place for place, text in enumerate(texts) if text == 1]
    starts = [place for place in inside if texts[place - 1] != 1 or words[place - 1] != words[place]]
    ends = [place - 1 for place in starts[1:]] + inside[-1:]
    return PairTokens(inputs, offsets, [0, *starts], [0, *ends])


class SpanNetwork(nn.Module):
    """Scores every token of N pairs of texts as a start and as an end of the span.

    Its state is the head and copies of the encoder's last layers. The rest of the encoder is shared with its
    other users and is never changed. Raises ValueError if the encoder has fewer layers.
    """

    def __init__(self, encoder: Any, trained_layers: int, seed: int) -> None:
        super().__init__()
        base, self.layers = with_own_layers(encoder, trained_layers)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.head = nn.Linear(encoder.config.hidden_size, 2)
        self._base = [base]  # in a list, so that it is not part of this module's state

    def forward(self, inputs: Mapping[str, Tensor], places: Tensor) -> Tensor:
        """Return log-probabilities of starts and ends (2 x N x T); minus infinity outside `places`.

        `places` (2 x N x T) marks the tokens that may be starts, and those that may be ends.
        """
        hidden = self._base[0](**inputs).last_hidden_state
        scores = self.head(hidden).float().permute(2, 0, 1)
        log_probabilities: Tensor = scores.masked_fill(~places, -torch.inf).log_softmax(dim=-1)
        return log_probabilities

    def to(self, *args: Any, **options: Any) -> Self:
        """Move to a device like `torch.nn.Module.to`, together with the encoder."""
        self._base[0].to(*args, **options)
        return super().to(*args, **options)


#: Training examples on disk; a span is two numbers, or none.
_EXAMPLES = pa.schema(
    [*((name, pa.string()) for name in ("name", "wanted", "text")), ("span", pa.list_(pa.int32()))]
)


class SpanLoss:
    """Cross entropy of start and end; an example without a span has both at the first token."""

    def __init__(self, model: SpanModel, training: Sequence[SpanExample]) -> None:
        self._model, self._training = model, training
        self.module = model.network

    def loss(self, indices: Sequence[int]) -> Tensor:
        """Return the mean loss of the training examples at these indices."""
        examples = _cut(self._model, [self._training[index] for index in indices])
        scores = self._model.scores([tokens for tokens, _ in examples])
        return _losses(scores, [truth for _, truth in examples]).mean()


def span_loss(files: Mapping[str, bytes], rows: Path, strict: float) -> SpanLoss:
    """Return the loss that a task's parts describe."""
    return SpanLoss(load(files, bool(strict)), Made(RowFile(rows), _stored_example))


def _stored_example(row: Row) -> SpanExample:
    return SpanExample(**{**row, "span": row["span"] and tuple(row["span"])})


class SpanTask(SpanLoss):
    """Cross entropy of start and end; an example without a span has both at the first token.

    Validation gives "loss"; "exact", the share of examples with the right span (or rightly without one); and
    "overlap", the mean F1 over the characters of the spans.
    """

    def __init__(
        self, model: SpanModel, training: Sequence[SpanExample], validation: Sequence[SpanExample]
    ) -> None:
        """Check all examples. Raises ValueError if an example is too long, or its span has no word.

        Examples are tokenised again at each use, so that sequences on disk stay on disk.
        """
        super().__init__(model, training)
        self._validation = validation
        self.names: Sequence[str] = Made(training, attrgetter("name"))
        self.costs: Sequence[int] = array("i", map(len, _tokens_of(model, training)))
        for _ in _tokens_of(model, validation):
            pass
        self._identity = task_identity(model.network, model.config, digest(training), digest(validation))

    def identity(self) -> Mapping[str, Any]:
        """Return the model's config, and digests of its initial weights and of both sets."""
        return self._identity

    def parts(self) -> LossParts:
        """Return what other processes make the loss from."""
        rows = StoredRows(_EXAMPLES, (example._asdict() for example in self._training))
        return LossParts(span_loss, self._model.save(), rows, {"strict": self._model.strict})

    @torch.no_grad()
    def validate(self) -> dict[str, float]:
        """Return the metrics of the validation examples."""
        losses, exact, shared = 0.0, 0, 0.0
        for start in range(0, len(self._validation), BATCH):
            examples = self._validation[start : start + BATCH]
            batch = _cut(self._model, examples)
            scores = self._model.scores([tokens for tokens, _ in batch])
            losses += float(_losses(scores, [truth for _, truth in batch]).double().sum())
            log_probabilities = scores.double().cpu().numpy()
            for place, (tokens, _) in enumerate(batch):
                span = _answer(tokens, log_probabilities[0, place], log_probabilities[1, place])
                wanted = examples[place].span
                exact += span == wanted
                shared += overlap(span, wanted)
        number = max(1, len(self._validation))
        return {"loss": losses / number, "exact": exact / number, "overlap": shared / number}


def _losses(scores: Tensor, truths: Sequence[tuple[int, int]]) -> Tensor:
    """Return the loss of each of N examples: the mean over start and end."""
    places = torch.tensor(truths, device=scores.device).T.unsqueeze(2)
    return -scores.gather(2, places).squeeze(2).mean(dim=0)


def _answer(tokens: PairTokens, starts: Any, ends: Any) -> tuple[int, int] | None:
    """Return the best span, or None if "no span" is at least as probable."""
    best = best_span(starts[1:], ends[1:])
    if best is None or best[2] <= starts[0] + ends[0]:
        return None
    return tokens.offsets[best[0] + 1][0], tokens.offsets[best[1] + 1][1]


def _tokens_of(model: SpanModel, examples: Sequence[SpanExample]) -> Iterator[PairTokens]:
    """Yield the tokens of all examples. Raises ValueError as `_place` does."""
    for start in range(0, len(examples), _AT_ONCE):
        yield from (tokens for tokens, _ in _cut(model, examples[start : start + _AT_ONCE]))


def _cut(model: SpanModel, examples: Sequence[SpanExample]) -> list[tuple[PairTokens, tuple[int, int]]]:
    several = model.tokens([example.wanted for example in examples], [example.text for example in examples])
    return [
        (tokens, _place(model, example, tokens)) for example, tokens in zip(examples, several, strict=True)
    ]


def _place(model: SpanModel, example: SpanExample, tokens: PairTokens) -> tuple[int, int]:
    """Return the first and last tokens of an example's span."""
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
