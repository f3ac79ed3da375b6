"""An encoder-decoder of Hugging Face that was trained before on long texts, such as LED, LongT5 or PRIMERA.

Belongs here: any model of `AutoModelForSeq2SeqLM`, with its own tokenizer, behind the interface of models of
long sequences. Not here: finding and loading it (ops/models/seq2seq/pretrained.py), training (task.py).
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

from ops.models.seq2seq.pretrained import FOLDER, folder_of, load_pretrained, pretrained_files
from ops.models.trained import ModelFilesError
from ops.wikisum.long_sequences.layers import IGNORED
from ops.wikisum.long_sequences.model import (
    PARAMS,
    EncoderDecoderModel,
    Losses,
    TokenExample,
    losses_of_targets,
    padded,
    smoothing,
)
from ops.wikisum.long_sequences.sizes import PretrainedParams

#: What the encoder of LED, and of what descends from it, takes beside its mask.
_GLOBAL = "global_attention_mask"


class PretrainedSequence(EncoderDecoderModel):
    """A pretrained model; its tokens are those of its own tokenizer, without the end.

    A model with local attention that can have global attention beside it, as LED does (Beltagy et al. 2020,
    section 5), has it on the first token, which is how Hugging Face documents it for summaries.
    """

    params: PretrainedParams

    def __init__(self, network: Any, params: PretrainedParams, tokenizer: Any) -> None:
        """Lower both lengths to the positions that the network has.

        Raises ValueError for a tokenizer that has no padding, or no token that ends a text.
        """
        ends = tokenizer.eos_token_id, tokenizer.sep_token_id
        end: int | None = next((number for number in ends if number is not None), None)
        if end is None or tokenizer.pad_token_id is None:
            raise ValueError(f"the tokenizer of {params.model} has no padding, or no token that ends a text")
        self._end = end
        # The end has a position, too.
        most = {
            f"longest_{text}": min(asked, (_positions(network.config, side) or asked + 1) - 1)
            for text, side, asked in (
                ("source", "encoder", params.longest_source),
                ("target", "decoder", params.longest_target),
            )
        }
        super().__init__(network, params.model_copy(update=most))
        # As it is saved, so that it decodes alike where the project is not.
        network.generation_config.update(max_length=None, **self._decoding(self.params.beam))
        self.tokenizer = tokenizer
        self._has_global = _GLOBAL in inspect.signature(network.forward).parameters

    @property
    def end(self) -> int:
        """The number of the token that ends a text."""
        return self._end

    def example(self, source: str, target: str) -> TokenExample:
        """Return two texts as numbers of tokens, whole."""
        return TokenExample(self.source(source), self._without_end(self._numbers(text_target=target)))

    def source(self, text: str) -> list[int]:
        """Return a text that is to be read as numbers of tokens, whole."""
        return self._without_end(self._numbers(text))

    def learnt_text(self, target: str) -> str:
        """Return as much of a target as is learnt and scored: all of it, if it is not too long."""
        found = self.tokenizer(text_target=target, return_offsets_mapping=True, verbose=False)
        most = self.params.longest_target
        if len(self._without_end(found["input_ids"])) <= most:
            return target
        return target[: max(end for _, end in found["offset_mapping"][: most + 1])]

    def answers(self, rows: Sequence[Sequence[int]]) -> list[str]:
        """Return answers as texts."""
        found: list[str] = self.tokenizer.batch_decode(list(map(list, rows)), skip_special_tokens=True)
        return [text.strip() for text in found]

    def files(self) -> dict[str, bytes]:
        """Return params, and what Hugging Face writes of network and tokenizer, in a folder of its own."""
        params = self.params.model_dump_json(indent=1).encode() + b"\n"
        return {PARAMS: params, **pretrained_files(self.network, self.tokenizer)}

    def _losses(self, examples: Sequence[TokenExample]) -> Losses:
        source, mask = self.inputs([example.source for example in examples])
        targets, there = self._padded([example.target for example in examples])
        learnt = targets.masked_fill(there == 0, IGNORED)
        logits = self.network(
            input_ids=source, attention_mask=mask, labels=learnt, use_cache=False, **self.attended(source)
        ).logits
        found = functional.cross_entropy(
            logits.transpose(1, 2).float(),
            learnt,
            reduction="none",
            ignore_index=IGNORED,
            label_smoothing=smoothing(self),
        )
        return losses_of_targets(found, there)

    def inputs(self, sources: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        """Return sources (N x S), each with the sign behind it, and their mask."""
        return self._padded([[*source, self.end] for source in sources])

    def _answers(self, sources: Sequence[Sequence[int]], beam: int) -> list[list[int]]:
        numbers, mask = self.inputs(sources)
        found = self.network.generate(
            input_ids=numbers,
            attention_mask=mask,
            **self._decoding(beam),
            **self.attended(numbers),
        )
        rows: list[list[int]] = found.tolist()
        return rows

    def _decoding(self, beam: int) -> dict[str, Any]:
        return {
            "max_new_tokens": self.params.longest_target + 1,
            "num_beams": beam,
            "do_sample": False,
            "length_penalty": self.params.length_penalty if beam > 1 else None,
        }

    def attended(self, source: Tensor) -> dict[str, Tensor]:
        """Return what says that the first token sees all and is seen by all, where a model can be told."""
        if not self._has_global:
            return {}
        seen = torch.zeros_like(source)
        seen[:, 0] = 1
        return {_GLOBAL: seen}

    def _padded(self, rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        return padded(rows, self.tokenizer.pad_token_id, self.network.device)

    def _numbers(self, text: str | None = None, **target: str) -> list[int]:
        # Cut by the caller: the tokenizer would write into its own files that it cuts.
        numbers: list[int] = self.tokenizer(text, verbose=False, **target)["input_ids"]
        return numbers

    def _without_end(self, numbers: list[int]) -> list[int]:
        return numbers[:-1] if numbers[-1:] == [self.end] else numbers


def begin(params: PretrainedParams, marks: Sequence[str], seed: int = 0) -> PretrainedSequence:
    """Return the model that the params name, before it is trained further.

    `marks` stand for no text in what it will read: those that its tokenizer lacks become tokens, with random
    embeddings where its table has no room. Raises ModelNotInstalledError if it is not there, ValueError for
    one that is no encoder-decoder, has no fast tokenizer, or takes no new token.
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
    """Return the model that `PretrainedSequence.files` made files of. Raises ModelFilesError for others."""
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
    """Return how many tokens the encoder or decoder has positions for; None for any number."""
    part = getattr(config, side, None)
    of = part if isinstance(part, PreTrainedConfig) else config
    for name in (f"max_{side}_position_embeddings", "max_position_embeddings"):
        found = getattr(of, name, None)
        if isinstance(found, int):
            return found
    return None
