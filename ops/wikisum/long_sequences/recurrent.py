"""The LSTM encoder-decoder with attention, as a Hugging Face model.

Belongs here: the network. Not here: tokens and training (model.py, task.py).

The baseline of Liu et al. (2018), section 4.2.2, after Bahdanau et al. (2014): a bidirectional encoder, and a
decoder whose state attends to it through a small network. The paper's size is tensor2tensor's
`lstm_attention`: 2 layers of 128. As there, the decoder also reads its last attended state, and predicts from
the new one.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from transformers import AutoConfig, AutoModel, AutoModelForSeq2SeqLM
from transformers import initialization as init
from transformers.generation.utils import GenerationMixin
from transformers.modeling_outputs import BaseModelOutput, Seq2SeqLMOutput
from transformers.modeling_utils import PreTrainedModel

from silverloom.ops.wikisum.long_sequences.config import RecurrentConfig
from silverloom.ops.wikisum.long_sequences.layers import IGNORED, mean_where, token_losses


class RecurrentState:
    """The decoder's state: outputs and cells (N x layers x H), and its last attended state (N x H)."""

    def __init__(self, outputs: Tensor, cells: Tensor, attended: Tensor) -> None:
        self.outputs, self.cells, self.attended = outputs, cells, attended
        self.length = 0

    def get_seq_length(self) -> int:
        """Return how many tokens were read; Hugging Face prescribes the name."""
        return self.length

    def reorder_cache(self, beam_idx: Tensor) -> None:
        """Keep the given rows; Hugging Face prescribes the name."""
        self.outputs, self.cells, self.attended = (
            tensor.index_select(0, beam_idx) for tensor in (self.outputs, self.cells, self.attended)
        )


class Encoder(nn.Module):
    """Embeds sources and reads them in both directions; the decoder uses the same embeddings."""

    main_input_name = "input_ids"  # `generate` requires it of every encoder

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__()
        size, layers = config.hidden_size, config.num_layers
        self.embedding = nn.Embedding(config.vocab_size, size)
        self.lstm = nn.LSTM(
            size,
            size,
            layers,
            batch_first=True,
            bidirectional=True,
            dropout=config.dropout if layers > 1 else 0.0,
        )
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, input_ids: Tensor, attention_mask: Tensor | None = None, **_: Any) -> BaseModelOutput:
        """Return the states of sources (N x S x 2H) with padding on the right."""
        mask = torch.ones_like(input_ids) if attention_mask is None else attention_mask
        packed = pack_padded_sequence(
            self.dropout(self.embedding(input_ids)),
            mask.sum(1).cpu(),
            batch_first=True,
            enforce_sorted=False,
        )
        states, _last = self.lstm(packed)
        states, _lengths = pad_packed_sequence(states, batch_first=True, total_length=input_ids.shape[1])
        return BaseModelOutput(last_hidden_state=self.dropout(states))


class AttentiveLstm(PreTrainedModel, GenerationMixin):  # type: ignore[misc]
    """Maps N sources of S tokens, padded on the right, to targets of T tokens."""

    config_class = RecurrentConfig
    main_input_name = "input_ids"

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__(config)
        size = config.hidden_size
        self.encoder = Encoder(config)
        self.first = nn.Linear(2 * size, 2 * config.num_layers * size)
        widths = [2 * size, *[size] * (config.num_layers - 1)]
        self.cells = nn.ModuleList(nn.LSTMCell(width, size) for width in widths)
        self.keys = nn.Linear(2 * size, size, bias=False)
        self.query = nn.Linear(size, size)
        self.score = nn.Linear(size, 1, bias=False)
        self.attended = nn.Linear(3 * size, size, bias=False)
        self.head = nn.Linear(size, config.vocab_size)
        self.dropout = nn.Dropout(config.dropout)
        self.post_init()

    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        decoder_input_ids: Tensor | None = None,
        encoder_outputs: BaseModelOutput | None = None,
        past_key_values: RecurrentState | None = None,
        labels: Tensor | None = None,
        **_: Any,
    ) -> Seq2SeqLMOutput:
        """Return logits (N x T x V), or the mean loss if `labels` (N x T, -100: ignored) are given."""
        if encoder_outputs is None:
            encoder_outputs = self.encoder(input_ids, attention_mask)
        states = encoder_outputs[0]
        mask = states.new_ones(states.shape[:2]) if attention_mask is None else attention_mask
        if decoder_input_ids is None:
            if labels is None:
                raise ValueError("give decoder_input_ids or labels")
            decoder_input_ids = self.shifted(labels)
        hidden, state = self.follow(decoder_input_ids, states, mask, past_key_values)
        if labels is None:
            return Seq2SeqLMOutput(logits=self.head(hidden), past_key_values=state)
        losses = self.token_losses(hidden.flatten(0, 1), labels.flatten())
        return Seq2SeqLMOutput(loss=mean_where(losses, labels.flatten() != IGNORED))

    def follow(
        self, tokens: Tensor, states: Tensor, mask: Tensor, state: RecurrentState | None = None
    ) -> tuple[Tensor, RecurrentState]:
        """Return the decoder's output (N x T x H) for tokens (N x T), and its state after them."""
        keys = self.keys(states)
        state = state or self._first(states, mask)
        embedded = self.dropout(self.encoder.embedding(tokens))
        attended = []
        for below in embedded.unbind(1):
            below = torch.cat([below, state.attended], dim=1)
            outputs, cells = [], []
            for layer, cell in enumerate(self.cells):
                output, inner = cell(below, (state.outputs[:, layer], state.cells[:, layer]))
                outputs.append(output)
                cells.append(inner)
                below = self.dropout(output)
            weights = self.score(torch.tanh(keys + self.query(below).unsqueeze(1))).squeeze(2)
            weights = weights.masked_fill(mask == 0, -torch.inf).softmax(dim=1)
            context = (weights.unsqueeze(1) @ states).squeeze(1)
            length = state.length + 1
            state = RecurrentState(
                torch.stack(outputs, 1), torch.stack(cells, 1), self.attended(torch.cat([below, context], 1))
            )
            state.length = length
            attended.append(state.attended)
        return torch.stack(attended, dim=1), state

    def token_losses(self, hidden: Tensor, targets: Tensor) -> Tensor:
        """Return the loss of each target (T), predicted from the decoder's output (T x H)."""
        return token_losses(hidden, self.head.weight, targets, self.head.bias)

    def shifted(self, labels: Tensor) -> Tensor:
        """Return the decoder's input for labels (N x T): the token before each."""
        before = labels.masked_fill(labels == IGNORED, self.config.pad_token_id).roll(1, 1)
        before[:, 0] = self.config.decoder_start_token_id
        return before

    def get_encoder(self, *_: Any, **__: Any) -> nn.Module:
        """Return the encoder."""
        return self.encoder

    def _first(self, states: Tensor, mask: Tensor) -> RecurrentState:
        mean = (states * mask.unsqueeze(2)).sum(1) / mask.sum(1, keepdim=True)
        first = torch.unflatten(torch.tanh(self.first(mean)), 1, (2, len(self.cells), -1))
        return RecurrentState(first[:, 0], first[:, 1], torch.zeros_like(first[:, 0, 0]))

    @torch.no_grad()
    def _init_weights(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear | nn.LSTM | nn.LSTMCell):
            for name, weights in module.named_parameters():
                (init.zeros_ if "bias" in name else init.xavier_uniform_)(weights)
        elif isinstance(module, nn.Embedding):
            init.normal_(module.weight, std=self.config.hidden_size**-0.5)

    @classmethod
    def _supports_default_dynamic_cache(cls) -> bool:
        return False  # a state has a fixed size: `forward` makes it


AutoConfig.register(RecurrentConfig.model_type, RecurrentConfig)
for door in (AutoModel, AutoModelForSeq2SeqLM):
    door.register(RecurrentConfig, AttentiveLstm)
