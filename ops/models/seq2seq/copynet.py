"""CopyNet (Gu et al. 2016): a recurrent encoder-decoder that generates pieces or copies them from the source.

Belongs here: numbers for words outside the vocabulary, losses, the inputs of decoding, and the network, with
the methods that Hugging Face's `generate` needs. Not here: training (model.py), files (files.py).

Pieces are numbered 0 .. V - 1. The i-th word of a source that is not in the vocabulary gets the number V + i.
Below, N examples have S positions in the source and T pieces in the target; H is `hidden`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from transformers.configuration_utils import PreTrainedConfig
from transformers.generation.utils import GenerationMixin
from transformers.modeling_outputs import Seq2SeqLMOutput
from transformers.modeling_utils import PreTrainedModel

from silverloom.ops.models.seq2seq.config import CopyNetConfig
from silverloom.ops.models.seq2seq.model import Inputs, Seq2Seq, padded
from silverloom.ops.models.seq2seq.pieces import EOS, PAD, UNK, Pieces
from silverloom.ops.models.training.examples import TokenExample


class CopyNetModel(Seq2Seq):
    """Generates pieces of its vocabulary, and copies any piece of the source."""

    network: CopyNet

    def __init__(self, config: CopyNetConfig, pieces: Pieces, seed: int = 0) -> None:
        """Create a model with random weights."""
        self.config: CopyNetConfig = config
        self.pieces = pieces
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.network = CopyNet(
                len(pieces), config.hidden, config.encoder_layers, config.decoder_layers, config.dropout
            )
        self.network.eval()

    def example(self, source: str, target: str) -> TokenExample:
        """Return a pair as numbers; a text that is too long is cut at its end.

        A word of the target that is neither in the vocabulary nor in the source is unknown.
        """
        numbers, others = self._numbers(source)
        known = {word: len(self.pieces) + place for place, word in enumerate(others)}
        return TokenExample(self._cut(numbers), self._cut(self._with(target, known)))

    def losses(self, examples: Sequence[TokenExample]) -> Tensor:
        """Return the mean negative log-likelihood of the pieces of each of N targets (N)."""
        network = self.network
        memory, state = network.encode(padded([example.source for example in examples], self.network.device))
        target = padded([example.target for example in examples], self.network.device)
        tops, copies = network.follow(memory, state, target, self.config.scheduled_sampling)
        there = target != PAD
        losses = -network.log_likelihood(tops, copies, memory.numbers, target)
        return (losses * there).sum(dim=1) / there.sum(dim=1)

    def _inputs(self, sources: Sequence[str]) -> Inputs:
        rows = [self._numbers(text) for text in sources]
        words = [others for _, others in rows]
        source = padded([self._cut(numbers) for numbers, _ in rows], self.network.device)
        options = {
            "encoder_outputs": self.network.begun(source),
            "others": max(map(len, words)),
            "suppress_tokens": [PAD, UNK],
        }
        return Inputs(source, options, words)

    def _numbers(self, source: str) -> tuple[list[int], list[str]]:
        """Return the numbers of a source, and its distinct words that are not in the vocabulary."""
        numbers = self.pieces.numbers(source)
        if UNK not in numbers:
            return numbers, []
        words = self.pieces.names(source)
        others = list(
            dict.fromkeys(word for word, number in zip(words, numbers, strict=True) if number == UNK)
        )
        return self._with(
            source, {word: len(self.pieces) + place for place, word in enumerate(others)}
        ), others

    def _with(self, text: str, others: dict[str, int]) -> list[int]:
        """Return the numbers of a text; words that are not in the vocabulary are numbered by `others`."""
        numbers = self.pieces.numbers(text)
        if UNK not in numbers:
            return numbers
        words = self.pieces.names(text)
        return [
            others.get(word, UNK) if number == UNK else number
            for word, number in zip(words, numbers, strict=True)
        ]


#: The decoder's state (N x layers x H) and the scores of all positions (N x 2S): input of the next step.
DecoderState = tuple[Tensor, Tensor]


class Memory(NamedTuple):
    """An encoded source."""

    numbers: Tensor
    """N x S, including words outside the vocabulary, and padding."""
    states: Tensor
    """N x S x 2H."""
    keys: Tensor
    """N x 2S x H: keys to score against the decoder's state: S for copying (equation 8), S for attention."""
    bias: Tensor
    """N x 2S: minus infinity at padding, 0 elsewhere."""


class _Encoder(nn.GRU):
    main_input_name = "input_ids"  # `generate` reads it from every encoder


class CopyNet(PreTrainedModel, GenerationMixin):  # type: ignore[misc]
    """Gu et al. (2016), section 3, with GRUs; attention is that of Luong et al. (2015), "general".

    `generate` takes `input_ids` (N x S), `encoder_outputs` (the result of `begun(input_ids)`), and `others`.
    """

    main_input_name = "input_ids"

    def __init__(
        self, vocabulary: int, hidden: int, encoder_layers: int, decoder_layers: int, dropout: float
    ) -> None:
        special = {"pad_token_id": PAD, "eos_token_id": EOS, "decoder_start_token_id": PAD}
        super().__init__(PreTrainedConfig(is_encoder_decoder=True, vocab_size=vocabulary, **special))
        self.vocabulary = vocabulary
        self.embedding = nn.Embedding(vocabulary, hidden, padding_idx=PAD)
        self.encoder = _Encoder(
            hidden,
            hidden,
            encoder_layers,
            batch_first=True,
            dropout=dropout if encoder_layers > 1 else 0.0,
            bidirectional=True,
        )
        self.first = nn.Linear(2 * hidden, decoder_layers * hidden)
        self.attended = nn.Linear(2 * hidden, hidden, bias=False)
        self.copied = nn.Linear(2 * hidden, hidden)
        widths = [5 * hidden, *[hidden] * (decoder_layers - 1)]
        self.decoder = nn.ModuleList(nn.GRUCell(width, hidden) for width in widths)
        self.generated = nn.Linear(hidden, vocabulary)
        self.dropout = nn.Dropout(dropout)

    def encode(self, numbers: Tensor) -> tuple[Memory, Tensor]:
        """Return the encoded sources (N x S), and the decoder's first state (N x layers x H)."""
        there = numbers != PAD
        lengths = there.sum(dim=1).cpu()
        packed = pack_padded_sequence(
            self.dropout(self._embed(numbers)), lengths, batch_first=True, enforce_sorted=False
        )
        states, last = self.encoder(packed)
        states, _ = pad_packed_sequence(states, batch_first=True, total_length=numbers.shape[1])
        states = self.dropout(states)
        keys = torch.cat([torch.tanh(self.copied(states)), self.attended(states)], dim=1)
        bias = torch.zeros_like(states[:, :, 0]).masked_fill(~there, -torch.inf).repeat(1, 2)
        memory = Memory(numbers, states, keys, bias)
        both = torch.cat([last[-2], last[-1]], dim=1)
        return memory, torch.tanh(self.first(both)).view(len(numbers), len(self.decoder), -1)

    def begin(self, memory: Memory, state: Tensor) -> Tensor:
        """Return the scores of all positions before the first piece (N x 2S)."""
        return torch.baddbmm(memory.bias.unsqueeze(2), memory.keys, state[:, -1].unsqueeze(2)).squeeze(2)

    def step(self, inputs: Tensor, state: Tensor, scores: Tensor, memory: Memory) -> tuple[Tensor, Tensor]:
        """Decode one piece: return the new state (N x layers x H) and the scores of all positions (N x 2S).

        `inputs` (N) are the last pieces; `scores` are their scores of copying and of attention. The selective
        read (equation 9) averages the memory over the positions of the last piece in the source, weighted by
        the probability that it was copied from there; the normaliser over all pieces cancels.
        """
        copies, attention = scores.chunk(2, dim=1)
        same = memory.numbers == inputs.unsqueeze(1)
        # Finite instead of -inf: for a piece that is not in the source, the softmax would be NaN.
        read = torch.softmax(copies.masked_fill(~same, -1e9), dim=1) * same
        weights = torch.stack([torch.softmax(attention, dim=1), read], dim=1)
        below = torch.cat([self.dropout(self._embed(inputs)), (weights @ memory.states).flatten(1)], dim=1)
        new = []
        for layer, cell in enumerate(self.decoder):
            below = cell(below if layer == 0 else self.dropout(below), state[:, layer])
            new.append(below)
        state = torch.stack(new, dim=1)
        return state, self.begin(memory, state)

    def scores(self, top: Tensor, copies: Tensor) -> Tensor:
        """Return the scores of generating every piece and of copying from every position (... x (V + S)).

        One softmax over all of them gives the mixture (equations 5 and 6).
        """
        return torch.cat([self.generated(self.dropout(top)), copies], dim=-1)

    def probabilities(self, top: Tensor, copies: Tensor, numbers: Tensor, others: int) -> Tensor:
        """Return the probability of each of V pieces and of `others` words of the sources (N x (V + others)).

        The probability of a piece is the sum over generating it and all ways of copying it (equation 4).
        """
        ways = torch.softmax(self.scores(top, copies), dim=-1)
        extended = nn.functional.pad(ways[:, : self.vocabulary], (0, others))
        return extended.scatter_add(1, numbers, ways[:, self.vocabulary :])

    def begun(self, numbers: Tensor) -> dict[str, Tensor]:
        """Return the encoded sources (N x S) and the decoder's first state, as `generate` passes them on."""
        memory, state = self.encode(numbers)
        return {**memory._asdict(), "state": state}

    def forward(
        self,
        decoder_input_ids: Tensor,
        encoder_outputs: Mapping[str, Tensor],
        others: int,
        past_key_values: DecoderState | None = None,
        **_: Any,
    ) -> Seq2SeqLMOutput:
        """Return the log-probabilities of the next piece (N x 1 x (V + others)): one step.

        It continues from `past_key_values`, or from the first state; the outputs include the new state.
        """
        *stored, first = encoder_outputs.values()
        memory = Memory(*stored)
        state, scores = past_key_values or (first, self.begin(memory, first))
        state, scores = self.step(decoder_input_ids[:, -1], state, scores, memory)
        copies = scores[:, : memory.numbers.shape[1]]
        log_probabilities = self.probabilities(state[:, -1], copies, memory.numbers, others).log()
        return Seq2SeqLMOutput(logits=log_probabilities.unsqueeze(1), past_key_values=(state, scores))

    @classmethod
    def _supports_default_dynamic_cache(cls) -> bool:
        return False  # the state has a fixed size: `forward` makes it

    @staticmethod
    def _reorder_cache(past_key_values: DecoderState, beam_idx: Tensor) -> DecoderState:
        state, scores = past_key_values
        return state[beam_idx], scores[beam_idx]

    def log_likelihood(self, tops: Tensor, copies: Tensor, numbers: Tensor, target: Tensor) -> Tensor:
        """Return the log-probability of every piece of the targets (N x T).

        `tops` are the states (N x T x H), `copies` the scores of copying (N x T x S).
        """
        generated = self.generated(self.dropout(tops))
        whole = torch.cat([generated, copies], dim=2).logsumexp(dim=2)
        known = (target < self.vocabulary).unsqueeze(2)
        generation = generated.gather(2, target.clamp(max=self.vocabulary - 1).unsqueeze(2))
        same = (numbers.unsqueeze(1) == target.unsqueeze(2)) & (numbers != PAD).unsqueeze(1)
        ways = torch.cat(
            [generation.masked_fill(~known, -torch.inf), copies.masked_fill(~same, -torch.inf)], dim=2
        )
        log_probabilities: Tensor = ways.logsumexp(dim=2) - whole
        return log_probabilities

    def follow(self, memory: Memory, state: Tensor, target: Tensor, sampling: float) -> tuple[Tensor, Tensor]:
        """Return the states (N x T x H) and the scores of copying (N x T x S) along the targets (N x T).

        In training, the input of the next step is drawn from the model with probability `sampling`,
        independently for each step and example (Bengio et al. 2015).
        """
        tops, copies = [], []
        scores, positions = self.begin(memory, state), memory.numbers.shape[1]
        inputs = torch.full_like(target[:, 0], PAD)
        for place in range(target.shape[1]):
            state, scores = self.step(inputs, state, scores, memory)
            tops.append(state[:, -1])
            copies.append(scores[:, :positions])
            inputs = target[:, place]
            if self.training and sampling:
                inputs = self._sampled(inputs, tops[-1], copies[-1], memory.numbers, sampling)
        return torch.stack(tops, dim=1), torch.stack(copies, dim=1)

    @torch.no_grad()
    def _sampled(self, pieces: Tensor, top: Tensor, copies: Tensor, numbers: Tensor, share: float) -> Tensor:
        chosen = torch.rand(len(pieces), device=pieces.device) < share
        if not bool(chosen.any()):
            return pieces
        ways = torch.softmax(self.scores(top[chosen], copies[chosen]).float(), dim=1)
        if not bool(torch.isfinite(ways).all()):
            return pieces  # no draw is possible; the loss is not finite either, and stops the training
        drawn = torch.multinomial(ways, 1)
        place = (drawn - self.vocabulary).clamp(min=0)
        chosen_pieces = torch.where(drawn < self.vocabulary, drawn, numbers[chosen].gather(1, place))
        pieces = pieces.clone()
        pieces[chosen] = chosen_pieces[:, 0]
        return pieces

    def _embed(self, numbers: Tensor) -> Tensor:
        embedded: Tensor = self.embedding(numbers.masked_fill(numbers >= self.vocabulary, UNK))
        return embedded
