"""Embeddings of tokens in context, at a layer of an encoder, kept within a bound of memory.

Belongs here: from texts to rows of unit length. Not here: loading an encoder (encoder.py), and what is read
off the rows. torch is loaded when a text is.
"""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ops.models.encoder import encoder, encoder_folder

if TYPE_CHECKING:
    from torch import Tensor

_BATCH = 64

#: A row does not depend on the texts that it is computed with where all are padded to a like multiple of
#: this.
_MULTIPLE = 8

#: Fewer characters a token than any text has, but for signs; a guess that is wrong costs memory alone.
_CHARACTERS = 3


class TokenEmbeddings:
    """Rows of unit length (n x E, float32) for the n tokens of a text, those that the model adds included.

    `layer` counts from 1; `memory` is how many bytes of them are kept, the latest. Raises ValueError for a
    layer that the encoder does not have.
    """

    def __init__(self, name: str, layer: int, strict: bool = True, memory: int = 2**30) -> None:
        self.memory = memory
        self._name, self._layer, self._strict = name, layer, strict
        self._known: OrderedDict[str, Tensor] = OrderedDict()
        self._bytes = 0

    def size(self, text: str) -> int:
        """Return about how many bytes the rows of a text take."""
        return (min(len(text) // _CHARACTERS, self._longest) + 2) * self._width * 4

    def truncated(self, texts: Sequence[str]) -> list[bool]:
        """Say of each text whether it has more tokens than the encoder reads."""
        return [len(ids) > self._longest for ids in self._ids(texts, cut=False)]

    def of(self, texts: Sequence[str]) -> list[Tensor]:
        """Return the rows of each text. What is not known is computed, those of one length together.

        Room for it is made before: the rows of former texts and new ones never fill the memory twice.
        """
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        known = [text for text in dict.fromkeys(texts) if text in self._known]
        for text in known:
            self._known.move_to_end(text)
        self._forget(sum(map(self.size, new)), known[:1])
        for batch in _of_one_length(self._ids(new), new):
            for text, rows in zip(
                [text for text, _ in batch], self._encoded([ids for _, ids in batch]), strict=True
            ):
                self._known[text] = rows
                self._bytes += rows.nbytes
        found = [self._known[text] for text in texts]
        for text in texts:
            self._known.move_to_end(text)
        self._forget()
        return found

    def _forget(self, room: int = 0, until: Sequence[str] = ()) -> None:
        """Forget the oldest rows until there is room, or a text is reached."""
        while self._known and self._bytes + room > self.memory and next(iter(self._known)) not in until:
            self._bytes -= self._known.popitem(last=False)[1].nbytes

    def _ids(self, texts: Sequence[str], cut: bool = True) -> list[list[int]]:
        if not texts:
            return []
        limit = {"truncation": True, "max_length": self._longest} if cut else {"verbose": False}
        # A text begins and ends with its first and last word, as bert-score reads it.
        ids: list[list[int]] = self._tokenizer([text.strip() for text in texts], **limit)["input_ids"]
        return ids

    def _encoded(self, batch: Sequence[Sequence[int]]) -> list[Tensor]:
        import torch

        longest = -(-max(map(len, batch)) // _MULTIPLE) * _MULTIPLE
        ids = torch.full((len(batch), longest), self._tokenizer.pad_token_id)
        mask = torch.zeros((len(batch), longest), dtype=torch.long)
        for number, its in enumerate(batch):
            ids[number, : len(its)] = torch.tensor(its)
            mask[number, : len(its)] = 1
        device = self._model.device
        with torch.inference_mode():
            hidden = self._model(ids.to(device), attention_mask=mask.to(device)).last_hidden_state
            hidden = torch.nn.functional.normalize(hidden.float(), dim=-1)
        return [hidden[number, : len(its)].clone() for number, its in enumerate(batch)]

    @cached_property
    def _whole(self) -> Any:
        return encoder(self._name, self._strict)[0].auto_model

    @cached_property
    def _model(self) -> Any:
        """The transformer up to the layer; it shares the weights of the whole."""
        layers = len(self._whole.encoder.layer)
        if not 1 <= self._layer <= layers:
            raise ValueError(f"layer {self._layer} of {self._name}: it has {layers}")
        shared = [self._whole.embeddings, *self._whole.encoder.layer]
        model = copy.deepcopy(self._whole, {id(part): part for part in shared})
        model.encoder.layer = model.encoder.layer[: self._layer]
        return model

    @cached_property
    def _tokenizer(self) -> Any:
        """The transformer's own tokenizer: that of the sentence encoder reads fewer tokens."""
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained(str(encoder_folder(self._name)), local_files_only=True)

    @cached_property
    def _longest(self) -> int:
        return int(min(self._tokenizer.model_max_length, self._whole.config.max_position_embeddings))

    @cached_property
    def _width(self) -> int:
        return int(self._whole.config.hidden_size)


def _of_one_length(ids: Iterable[list[int]], texts: Iterable[str]) -> Iterable[list[tuple[str, list[int]]]]:
    """Yield batches of texts with their ids that are padded to one length."""
    classes: dict[int, list[tuple[str, list[int]]]] = {}
    for text, its in zip(texts, ids, strict=True):
        classes.setdefault(-(-len(its) // _MULTIPLE), []).append((text, its))
    for length in sorted(classes):
        for start in range(0, len(classes[length]), _BATCH):
            yield classes[length][start : start + _BATCH]
