"""One interface to all models of long sequences: losses by part, answers, files.

Belongs here: examples as batches of tokens, and what a network makes of them. Not here: the networks
(decoder.py, recurrent.py), cutting texts into tokens (ops/wikisum/models), training (task.py).
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from pydantic import TypeAdapter
from safetensors import SafetensorError
from safetensors.torch import load as read_tensors
from safetensors.torch import save
from torch import Tensor
from transformers import AutoConfig, GenerationConfig

from ops.models.decoding import Writer
from ops.models.seq2seq.transformer import TransformerNetwork
from ops.models.trained import ModelFilesError
from ops.models.training.examples import TokenExample
from ops.wikisum.long_sequences.decoder import LongDecoder
from ops.wikisum.long_sequences.layers import IGNORED, Layout, token_losses
from ops.wikisum.long_sequences.recurrent import AttentiveLstm
from ops.wikisum.long_sequences.sizes import ModelParams, NewModelParams, SubwordVocabulary

#: Sources that are answered together, if params do not say how many.
BATCH = 16

PARAMS, CONFIG, GENERATION, WEIGHTS = (
    "params.json",
    "config.json",
    "generation_config.json",
    "model.safetensors",
)

#: By the names of architectures, and what Hugging Face calls the classes that it loads them as.
_NETWORKS: dict[str, Any] = {
    "lstm": AttentiveLstm,
    "transformer_ed": TransformerNetwork,
    "decoder": LongDecoder,
}
_PARAMS: TypeAdapter[Any] = TypeAdapter(NewModelParams)
_CLASSES = {
    "attentive-lstm": "AttentiveLstm",
    "pegasus": "PegasusForConditionalGeneration",
    "long-decoder": "LongDecoder",
}


class Losses(NamedTuple):
    """The losses of N examples in nats, and of how many tokens; of the input where it is learnt, else 0."""

    output: Tensor
    output_tokens: Tensor
    input: Tensor
    input_tokens: Tensor
    balance: Tensor
    """A scalar: the weighed loss of load balancing."""


class SequenceModel(Writer, ABC):
    """A network, with how it reads examples and decodes."""

    def __init__(self, network: Any, params: ModelParams) -> None:
        self.network, self.params = network, params

    @property
    def end(self) -> int:
        """The number of the token that ends a text."""
        end: int = self.network.config.eos_token_id
        return end

    def losses(self, examples: Sequence[TokenExample]) -> Losses:
        """Return the losses of N examples, of what is read and learnt of each.

        Of a source that is too long, the beginning is read. A target is learnt with its end; of one that is
        too long, as many tokens are learnt, none of which is an end. Losses are smoothed in training, if the
        params say so.
        """
        params = self.params
        return self._losses(
            [
                TokenExample(
                    source[: params.longest_source], [*target, self.end][: params.longest_target + 1]
                )
                for source, target in examples
            ]
        )

    @abstractmethod
    def _losses(self, examples: Sequence[TokenExample]) -> Losses:
        """Return the losses of examples that are cut, whose targets have their ends."""

    @torch.no_grad()
    def generate(self, sources: Sequence[Sequence[int]], beam: int | None = None) -> list[list[int]]:
        """Return an answer to each source as numbers of tokens; `beam` replaces that of the params.

        Batches are of sources of like length and made of the set of sources alone, so that neither their
        order nor that one stands there twice changes an answer. Lengths are punished as Hugging Face does,
        by length to a power; the power is Liu et al.'s, whose formula (Wu et al. 2016) adds 5 to the length.
        """
        self.network.eval()
        width = beam or self.params.beam
        cut = [tuple(source[: self.params.longest_source]) for source in sources]
        ordered = sorted(set(cut), key=lambda source: (len(source), source))
        answers: dict[tuple[int, ...], list[int]] = {}
        size = self.at_once(BATCH)
        for start in range(0, len(ordered), size):
            batch = ordered[start : start + size]
            with self.products():
                answers.update(zip(batch, self._answers(batch, width), strict=True))
        return [answers[source] for source in cut]

    def files(self) -> dict[str, bytes]:
        """Return params, configs and weights, as Hugging Face names them; the same model, the same bytes."""
        weights = {name: value.cpu().contiguous() for name, value in self.network.state_dict().items()}
        return {
            PARAMS: self.params.model_dump_json(indent=1).encode() + b"\n",
            CONFIG: self.network.config.to_json_string().encode(),
            GENERATION: self.network.generation_config.to_json_string().encode(),
            WEIGHTS: save(weights, {"format": "pt"}),
        }

    @abstractmethod
    def inputs(self, sources: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        """Return sources as the network's `generate` takes them (N x S), and their mask."""

    def _answers(self, sources: Sequence[Sequence[int]], beam: int) -> list[list[int]]:
        config = self.network.config
        numbers, mask = self.inputs(sources)
        found = self.network.generate(
            input_ids=numbers,
            attention_mask=mask,
            generation_config=_generation(config, self.params, beam),
        )
        if not config.is_encoder_decoder:
            found = found[:, numbers.shape[1] :]
        return [_text(row, config) for row in found.tolist()]


class DecoderModel(SequenceModel):
    """T-D and T-DMCA: source, separator, target and end are one sequence, and all of it is learnt."""

    network: LongDecoder

    def _losses(self, examples: Sequence[TokenExample]) -> Losses:
        config = self.network.config
        rows = [[*example.source, config.separator_token_id, *example.target] for example in examples]
        numbers, mask = padded(rows, config.pad_token_id, self.network.device)
        layout = Layout.of(mask)
        tokens = layout.line(numbers)
        hidden, uneven = self.network.hidden(tokens, layout)
        targets, behind = self.network.following(tokens, layout)
        losses = self.network.token_losses(hidden, targets, smoothing(self))
        output, source = (part & (targets != IGNORED) for part in (behind, ~behind))
        return Losses(
            layout.padded(losses * output).sum(1),
            layout.padded(output).sum(1),
            layout.padded(losses * source).sum(1),
            layout.padded(source).sum(1),
            config.balance * uneven,
        )

    def inputs(self, sources: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        """Return sources (N x S), each with the sign behind it, and their mask."""
        config = self.network.config
        rows = [[*source, config.separator_token_id] for source in sources]
        return padded(rows, config.pad_token_id, self.network.device, left=True)


class EncoderDecoderModel(SequenceModel):
    """T-ED and the LSTM: the source is read, the target is learnt."""

    def _losses(self, examples: Sequence[TokenExample]) -> Losses:
        config = self.network.config
        source, mask = self.inputs([example.source for example in examples])
        targets, there = padded(
            [example.target for example in examples], config.pad_token_id, self.network.device
        )
        before = targets.roll(1, 1)
        before[:, 0] = config.decoder_start_token_id
        learnt = targets.masked_fill(there == 0, IGNORED)
        found = token_losses(*self._predicted(source, mask, before, learnt), smoothing(self))
        return losses_of_targets(found.view_as(targets), there)

    def _predicted(
        self, source: Tensor, mask: Tensor, before: Tensor, learnt: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
        """Return what predicts targets, and the weights, targets and bias of its logits."""
        network = self.network
        if isinstance(network, AttentiveLstm):
            states = network.encoder(source, mask)[0]
            hidden, _ = network.follow(before, states, mask)
            return hidden.flatten(0, 1), network.head.weight, learnt.flatten(), network.head.bias
        hidden = network.model(
            input_ids=source, attention_mask=mask, decoder_input_ids=before, use_cache=False
        )[0]
        return hidden.flatten(0, 1), network.lm_head.weight, learnt.flatten(), None

    def inputs(self, sources: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        """Return sources (N x S), each with the sign behind it, and their mask."""
        config = self.network.config
        rows = [[*source, config.eos_token_id] for source in sources]
        return padded(rows, config.pad_token_id, self.network.device)


def losses_of_targets(losses: Tensor, there: Tensor) -> Losses:
    """Return what N targets lose, of the loss of each token and a mask (N x T both); no input is learnt."""
    none = torch.zeros_like(losses[:, 0])
    return Losses(losses.sum(1), there.sum(1), none, torch.zeros_like(there[:, 0]), none.sum())


def make(params: NewModelParams, vocabulary: SubwordVocabulary, seed: int = 0) -> SequenceModel:
    """Return a model with random weights."""
    config = params.config(vocabulary)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = _NETWORKS[params.architecture](config)
    config.architectures = [_CLASSES[config.model_type]]
    network.generation_config = _generation(config, params, params.beam)
    return _around(network.eval(), params)


def load(files: Mapping[str, bytes]) -> SequenceModel:
    """Return the model that `SequenceModel.files` made files of. Raises ModelFilesError for others."""
    if missing := [name for name in (PARAMS, CONFIG, GENERATION, WEIGHTS) if name not in files]:
        raise ModelFilesError(f"no {' and no '.join(missing)} among the model's files")
    try:
        params = _PARAMS.validate_json(files[PARAMS])
        config = AutoConfig.for_model(**json.loads(files[CONFIG]))
        network = _NETWORKS[params.architecture](config)
        network.generation_config = GenerationConfig.from_dict(json.loads(files[GENERATION]))
        network.load_state_dict(read_tensors(files[WEIGHTS]))
    except (ValueError, TypeError, RuntimeError, SafetensorError) as error:
        raise ModelFilesError(f"not the files of a model: {' '.join(str(error).split())[:200]}") from error
    return _around(network.eval(), params)


def _around(network: Any, params: ModelParams) -> SequenceModel:
    model = EncoderDecoderModel if network.config.is_encoder_decoder else DecoderModel
    return model(network, params)


def _generation(config: Any, params: ModelParams, beam: int) -> GenerationConfig:
    return GenerationConfig(
        max_new_tokens=params.longest_target + 1,
        num_beams=beam,
        do_sample=False,
        length_penalty=params.length_penalty if beam > 1 else None,
        suppress_tokens=_silent(config),
        pad_token_id=config.pad_token_id,
        eos_token_id=config.eos_token_id,
        decoder_start_token_id=config.pad_token_id if config.is_encoder_decoder else None,
    )


def _silent(config: Any) -> list[int]:
    """Return the tokens that no answer has, beside its end."""
    return sorted({config.pad_token_id, getattr(config, "separator_token_id", config.pad_token_id)})


def _text(row: Sequence[int], config: Any) -> list[int]:
    """Return a row of generated tokens up to its end, without those that are none of text."""
    end = row.index(config.eos_token_id) if config.eos_token_id in row else len(row)
    return [number for number in row[:end] if number not in _silent(config)]


def smoothing(model: SequenceModel) -> float:
    """Return how much losses are smoothed: in training, as the params say."""
    return model.params.label_smoothing if model.network.training else 0.0


def padded(
    rows: Sequence[Sequence[int]], pad: int, device: torch.device, left: bool = False
) -> tuple[Tensor, Tensor]:
    """Return rows of numbers as N x longest, filled up on one side, with their mask."""
    longest = max(map(len, rows))
    more = [longest - len(row) for row in rows]
    numbers = [
        [*[pad] * count, *row] if left else [*row, *[pad] * count]
        for row, count in zip(rows, more, strict=True)
    ]
    there = [
        [*[0] * count, *[1] * len(row)] if left else [*[1] * len(row), *[0] * count]
        for row, count in zip(rows, more, strict=True)
    ]
    return torch.tensor(numbers, device=device), torch.tensor(there, device=device)
