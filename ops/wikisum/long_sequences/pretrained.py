"""A pretrained Hugging Face encoder-decoder for long texts, such as LED, LongT5 or PRIMERA.

Belongs here: any model of `AutoModelForSeq2SeqLM`, with its own tokenizer, behind the interface of
long-sequence models. Not here: finding and loading it (ops/models/seq2seq/pretrained.py), training (task.py).
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from pydantic import ValidationError
from torch import Tensor
from torch.nn import functional
from transformers.configuration_utils import PreTrainedConfig

from silverloom.ops.models.seq2seq.pretrained import FOLDER, folder_of, load_pretrained, pretrained_files
from silverloom.ops.models.trained import ModelFilesError
from silverloom.ops.models.training.examples import TokenExample
from silverloom.ops.wikisum.long_sequences.layers import IGNORED
from silverloom.ops.wikisum.long_sequences.model import (
    PARAMS,
    EncoderDecoderModel,
    Losses,
    losses_of_targets,
    padded,
    smoothing,
)
from silverloom.ops.wikisum.long_sequences.sizes import PretrainedParams

#: The extra mask that the encoders of LED and its descendants take.
_GLOBAL = "global_attention_mask"


class PretrainedSequence(EncoderDecoderModel):
    """A pretrained model; its tokens are those of its own tokenizer, without the end token.

    A model that combines local with global attention, as LED does (Beltagy et al. 2020, section 5), uses
    global attention on the first token. Hugging Face documents this for summaries.
    """

    params: PretrainedParams

    def __init__(self, network: Any, params: PretrainedParams, tokenizer: Any) -> None:
        """Lower both maximum lengths to the number of positions in the network.

        Raises ValueError for a tokenizer without a padding token or an end token.
        """
        ends = tokenizer.eos_token_id, tokenizer.sep_token_id
        end: int | None = next((number for number in ends if number is not None), None)
        if end is None or tokenizer.pad_token_id is None:
            raise ValueError(f"the tokenizer of {params.model} has no padding, or no token that ends a text")
        self._end = end
        # The end token needs a position, too.
        most = {
            f"longest_{text}": min(asked, (_positions(network.config, side) or asked + 1) - 1)
            for text, side, asked in (
                ("source", "encoder", params.longest_source),
                ("target", "decoder", params.longest_target),
            )
        }
        super().__init__(network, params.model_copy(update=most))
        # Saved with the model, so it decodes the same way without this project.
        network.generation_config.update(max_length=None, **self._decoding(self.params.beam))
        self.tokenizer = tokenizer
        self._has_global = _GLOBAL in inspect.signature(network.forward).parameters

    @property
    def end(self) -> int:
        """The number of the token that ends a text."""
        return self._end

    def example(self, source: str, target: str) -> TokenExample:
        """Return two texts as token numbers, uncut."""
        return TokenExample(self.source(source), self._without_end(self._numbers(text_target=target)))

    def source(self, text: str) -> list[int]:
        """Return an input text as token numbers, uncut."""
        return self._without_end(self._numbers(text))

    def learnt_text(self, target: str) -> str:
        """Return the part of a target that is learnt and scored: all of it, unless it is too long."""
        encoding = self.tokenizer(text_target=target, return_offsets_mapping=True, verbose=False)
        most = self.params.longest_target
        if len(self._without_end(encoding["input_ids"])) <= most:
            return target
        return target[: max(end for _, end in encoding["offset_mapping"][: most + 1])]

    def answers(self, rows: Sequence[Sequence[int]]) -> list[str]:
        """Return answers as texts."""
        texts: list[str] = self.tokenizer.batch_decode(list(map(list, rows)), skip_special_tokens=True)
        return [text.strip() for text in texts]

    def files(self) -> dict[str, bytes]:
        """Return params, and Hugging Face's files of network and tokenizer, in a folder of their own."""
        params = self.params.model_dump_json(indent=1).encode() + b"\n"
        return {PARAMS: params, **pretrained_files(self.network, self.tokenizer)}

    def _losses(self, examples: Sequence[TokenExample]) -> Losses:
        source, mask = self.inputs([example.source for example in examples])
        targets, there = self._padded([example.target for example in examples])
        learnt = targets.masked_fill(there == 0, IGNORED)
        logits = self.network(
            input_ids=source, attention_mask=mask, labels=learnt, use_cache=False, **self.attended(source)
        ).logits
        losses = functional.cross_entropy(
            logits.transpose(1, 2).float(),
            learnt,
            reduction="none",
            ignore_index=IGNORED,
            label_smoothing=smoothing(self),
        )
        return losses_of_targets(losses, there)

    def inputs(self, sources: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        """Return sources (N x S), each followed by the end token, and their mask."""
        return self._padded([[*source, self.end] for source in sources])

    def _answers(self, sources: Sequence[Sequence[int]], beam: int) -> list[list[int]]:
        numbers, mask = self.inputs(sources)
        generated = self.network.generate(
            input_ids=numbers,
            attention_mask=mask,
            **self._decoding(beam),
            **self.attended(numbers),
        )
        rows: list[list[int]] = generated.tolist()
        return rows

    def _decoding(self, beam: int) -> dict[str, Any]:
        return {
            "max_new_tokens": self.params.longest_target + 1,
            "num_beams": beam,
            "do_sample": False,
            "length_penalty": self.params.length_penalty if beam > 1 else None,
        }

    def attended(self, source: Tensor) -> dict[str, Tensor]:
        """Return the mask that gives the first token global attention, for models that take one."""
        if not self._has_global:
            return {}
        seen = torch.zeros_like(source)
        seen[:, 0] = 1
        return {_GLOBAL: seen}

    def _padded(self, rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        return padded(rows, self.tokenizer.pad_token_id, self.network.device)

    def _numbers(self, text: str | None = None, **target: str) -> list[int]:
        # The caller cuts: if the tokenizer cut, it would write this setting into its own files.
        numbers: list[int] = self.tokenizer(text, verbose=False, **target)["input_ids"]
        return numbers

    def _without_end(self, numbers: list[int]) -> list[int]:
        return numbers[:-1] if numbers[-1:] == [self.end] else numbers


def begin(params: PretrainedParams, marks: Sequence[str], seed: int = 0) -> PretrainedSequence:
    """Return the model that the params name, before any further training.

    `marks` are special tokens in the input. Marks that the tokenizer lacks are added, with random embeddings
    if the embedding table has to grow. Raises ModelNotInstalledError if the model is not installed,
    ValueError if it is not an encoder-decoder, has no fast tokenizer, or cannot take new tokens.
    """
    network, tokenizer = load_pretrained(params.model)
    tokenizer.add_special_tokens(
        {"additional_special_tokens": list(marks)}, replace_extra_special_tokens=False
    )
    if len(tokenizer) > network.get_input_embeddings().num_embeddings:
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            try:
                network.resize_token_embeddings(len(tokenizer), mean_resizing=False)
            except NotImplementedError as error:
                raise ValueError(f"{params.model} has no room for {', '.join(marks)}: {error}") from None
    return PretrainedSequence(network, params, tokenizer)


def load(files: Mapping[str, bytes]) -> PretrainedSequence:
    """Load a model from the output of `PretrainedSequence.files`. Raises ModelFilesError for other files."""
    try:
        params = PretrainedParams.model_validate_json(files[PARAMS])
        with folder_of(files) as folder:
            network, own = load_pretrained(params.model, folder)
    except (KeyError, ValidationError, OSError, ValueError) as error:
        raise ModelFilesError(f"not the files of a model: {' '.join(str(error).split())[:200]}") from error
    return PretrainedSequence(network, params, own)


def is_pretrained(files: Mapping[str, bytes]) -> bool:
    """Return whether these are files of a pretrained model."""
    return any(name.startswith(f"{FOLDER}/") for name in files)


def _positions(config: Any, side: str) -> int | None:
    """Return the number of positions in the encoder or decoder; None if unlimited."""
    part = getattr(config, side, None)
    of = part if isinstance(part, PreTrainedConfig) else config
    for name in (f"max_{side}_position_embeddings", "max_position_embeddings"):
        positions = getattr(of, name, None)
        if isinstance(positions, int):
            return positions
    return None
