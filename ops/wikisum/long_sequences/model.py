"""One interface to all models of long sequences: losses by part, answers, files.

Belongs here: batching the tokens of examples, losses and decoding. Not here: the networks (decoder.py,
recurrent.py), cutting texts into tokens (ops/wikisum/models), training (task.py).
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

from silverloom.ops.models.decoding import Writer
from silverloom.ops.models.seq2seq.transformer import TransformerNetwork
from silverloom.ops.models.trained import ModelFilesError
from silverloom.ops.models.training.examples import TokenExample
from silverloom.ops.wikisum.long_sequences.decoder import LongDecoder
from silverloom.ops.wikisum.long_sequences.layers import IGNORED, Layout, token_losses
from silverloom.ops.wikisum.long_sequences.recurrent import AttentiveLstm
from silverloom.ops.wikisum.long_sequences.sizes import ModelParams, NewModelParams, SubwordVocabulary

#: Sources that are decoded at once, unless params say otherwise.
BATCH = 16

PARAMS, CONFIG, GENERATION, WEIGHTS = (
    "params.json",
    "config.json",
    "generation_config.json",
    "model.safetensors",
)

#: The networks by architecture name, and the class names under which Hugging Face loads them.
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
    """Losses of N examples in nats, with their numbers of tokens; 0 for an input that is not learnt."""

    output: Tensor
    output_tokens: Tensor
    input: Tensor
    input_tokens: Tensor
    balance: Tensor
    """A scalar: the weighted load-balancing loss."""


class SequenceModel(Writer, ABC):
    """A network that reads examples and decodes answers."""

    def __init__(self, network: Any, params: ModelParams) -> None:
        self.network, self.params = network, params

    @property
    def end(self) -> int:
        """The number of the token that ends a text."""
        end: int = self.network.config.eos_token_id
        return end

    def losses(self, examples: Sequence[TokenExample]) -> Losses:
        """Return the losses of N examples: of all that the model learns of each.

        A source that is too long is cut at the end. A target is learnt with its end token. A target that is
        too long is cut and then has no end token. During training, losses are smoothed if the params say so.
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
        """Return the losses of examples that are already cut, with end tokens added to their targets."""

    @torch.no_grad()
    def generate(self, sources: Sequence[Sequence[int]], beam: int | None = None) -> list[list[int]]:
        """Return an answer to each source, as token numbers; `beam` replaces the params' beam.

        Batches contain sources of similar length. They depend only on the set of sources, so neither the
        order of sources nor duplicates change an answer. The length penalty is Hugging Face's: length to a
        power. The power is that of Liu et al., whose formula (Wu et al. 2016) adds 5 to the length.
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
        """Return params, configs and weights under Hugging Face's names; equal models give equal bytes."""
        weights = {name: value.cpu().contiguous() for name, value in self.network.state_dict().items()}
        return {
            PARAMS: self.params.model_dump_json(indent=1).encode() + b"\n",
            CONFIG: self.network.config.to_json_string().encode(),
            GENERATION: self.network.generation_config.to_json_string().encode(),
            WEIGHTS: save(weights, {"format": "pt"}),
        }

    @abstractmethod
    def inputs(self, sources: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
        """Return sources as input of the network's `generate` (N x S), and their mask."""

    def _answers(self, sources: Sequence[Sequence[int]], beam: int) -> list[list[int]]:
        config = self.network.config
        numbers, mask = self.inputs(sources)
        generated = self.network.generate(
            input_ids=numbers,
            attention_mask=mask,
            generation_config=_generation(config, self.params, beam),
        )
        if not config.is_encoder_decoder:
            generated = generated[:, numbers.shape[1] :]
        return [_text(row, config) for row in generated.tolist()]


class DecoderModel(SequenceModel):
    """T-D and T-DMCA: source, separator, target and end form one sequence, which is learnt whole."""

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
        """Return sources (N x S), each followed by the separator, and their mask."""
        config = self.network.config
        rows = [[*source, config.separator_token_id] for source in sources]
        return padded(rows, config.pad_token_id, self.network.device, left=True)


class EncoderDecoderModel(SequenceModel):
    """T-ED and the LSTM: the source is only read, the target is learnt."""

    def _losses(self, examples: Sequence[TokenExample]) -> Losses:
        config = self.network.config
        source, mask = self.inputs([example.source for example in examples])
        targets, there = padded(
            [example.target for example in examples], config.pad_token_id, self.network.device
        )
        before = targets.roll(1, 1)
        before[:, 0] = config.decoder_start_token_id
        learnt = targets.masked_fill(there == 0, IGNORED)
        losses = token_losses(*self._predicted(source, mask, before, learnt), smoothing(self))
        return losses_of_targets(losses.view_as(targets), there)

    def _predicted(
        self, source: Tensor, mask: Tensor, before: Tensor, learnt: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
        """Return the states that predict the targets, and the weights, targets and bias of the logits."""
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
        """Return sources (N x S), each followed by the end token, and their mask."""
        config = self.network.config
        rows = [[*source, config.eos_token_id] for source in sources]
        return padded(rows, config.pad_token_id, self.network.device)


def losses_of_targets(losses: Tensor, there: Tensor) -> Losses:
    """Return the losses of N targets, given the token losses and a mask (both N x T); no input is learnt."""
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
    """Load a model from the output of `SequenceModel.files`. Raises ModelFilesError for other files."""
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
    """Return the special tokens that no answer contains, apart from its end."""
    return sorted({config.pad_token_id, getattr(config, "separator_token_id", config.pad_token_id)})


def _text(row: Sequence[int], config: Any) -> list[int]:
    """Return generated tokens up to the end token, without other special tokens."""
    end = row.index(config.eos_token_id) if config.eos_token_id in row else len(row)
    return [number for number in row[:end] if number not in _silent(config)]


def smoothing(model: SequenceModel) -> float:
    """Return the label smoothing: in training that of the params, else 0."""
    return model.params.label_smoothing if model.network.training else 0.0


def padded(
    rows: Sequence[Sequence[int]], pad: int, device: torch.device, left: bool = False
) -> tuple[Tensor, Tensor]:
    """Return rows of numbers as N x longest, padded on one side, with their mask."""
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
