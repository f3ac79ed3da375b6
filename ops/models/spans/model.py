"""A model that finds spans: texts in, spans out.

Belongs here: tokens of texts, batches, files. Not here: the network (network.py), training (task.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from pydantic import TypeAdapter
from torch import Tensor
from transformers import AutoTokenizer

from ops.models.encoder import encoder, encoder_folder
from ops.models.network_files import CONFIG, WEIGHTS, read_config, read_weights, written
from ops.models.spans.config import SpanConfig
from ops.models.spans.network import SpanNetwork
from ops.models.spans.spans import FoundSpan, best_span

#: Pairs that are read together.
BATCH = 32

#: A row does not depend on the texts beside it where all are padded to a like multiple of this.
_MULTIPLE = 8


@dataclass(frozen=True, slots=True)
class PairTokens:
    """T tokens of two texts: what the encoder reads, the characters of each in the second text, and places.

    `starts` and `ends` are the first and last tokens of the words of the second text, and the very first
    token, which stands for no span.
    """

    inputs: Mapping[str, Sequence[int]]
    offsets: Sequence[tuple[int, int]]
    starts: Sequence[int]
    ends: Sequence[int]

    def __len__(self) -> int:
        return len(self.offsets)


class SpanModel:
    """Finds in a text the part that says what another text says."""

    def __init__(self, config: SpanConfig, seed: int = 0, strict: bool = True) -> None:
        """Make one whose head has random weights."""
        self.config = config
        self._tokenizer: Any = AutoTokenizer.from_pretrained(
            str(encoder_folder(config.encoder)), local_files_only=True
        )
        whole: Any = encoder(config.encoder, strict)[0].auto_model
        self.longest = min(config.longest, whole.config.max_position_embeddings)
        self.network = SpanNetwork(whole, config.trained_layers, seed)
        self.network.to(whole.device).eval()

    def tokens(self, wanted: Sequence[str], texts: Sequence[str]) -> list[PairTokens]:
        """Return N pairs as tokens; one that has more than `longest` cannot be read."""
        if not texts:
            return []
        found = self._tokenizer(list(wanted), list(texts), verbose=False)
        return [
            _tokens({name: rows[number] for name, rows in found.items()}, found.encodings[number])
            for number in range(len(texts))
        ]

    def scores(self, batch: Sequence[PairTokens]) -> Tensor:
        """Return the log-probabilities of starts and ends of N pairs (2 x N x T)."""
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
        found: Tensor = self.network(inputs, places.to(device))
        return found

    @torch.no_grad()
    def predict(self, pairs: Sequence[PairTokens]) -> list[FoundSpan | None]:
        """Return the most probable span of each of N pairs; None where the second text has no word.

        Its confidence is the product of the probabilities of start and end, among all spans and none.
        """
        self.network.eval()
        found: list[FoundSpan | None] = [None] * len(pairs)
        order = sorted(range(len(pairs)), key=lambda index: len(pairs[index]))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            scores = self.scores([pairs[index] for index in batch]).double().cpu().numpy()
            scores[:, :, 0] = -np.inf  # asked for a span, none is no answer
            for place, index in enumerate(batch):
                if best := best_span(scores[0, place], scores[1, place]):
                    first, last, score = best
                    offsets = pairs[index].offsets
                    found[index] = FoundSpan(offsets[first][0], offsets[last][1], float(np.exp(score)))
        return found

    def save(self) -> dict[str, bytes]:
        """Return the model as named bytes: head and trained layers, and the name of the encoder."""
        return written(self.config, self.network)


def load(files: Mapping[str, bytes], strict: bool = True) -> SpanModel:
    """Return the model that `save` made files of. Raises ModelFilesError if they do not hold one."""
    model = SpanModel(read_config(files, TypeAdapter(SpanConfig), (CONFIG, WEIGHTS)), strict=strict)
    read_weights(files, model.network, (CONFIG,))
    return model


def _tokens(inputs: Mapping[str, Sequence[int]], encoding: Any) -> PairTokens:
    texts, words, offsets = encoding.sequence_ids, encoding.word_ids, encoding.offsets
    inside = [place for place, text in enumerate(texts) if text == 1]
    starts = [place for place in inside if texts[place - 1] != 1 or words[place - 1] != words[place]]
    ends = [place - 1 for place in starts[1:]] + inside[-1:]
    return PairTokens(inputs, offsets, [0, *starts], [0, *ends])
