"""A published model of natural language inference (NLI): whether one text says all that another says.

Belongs here: finding one, loading it, its answers as log-odds. Not here: how the systems use the answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from silverloom.ops.core.params import ModelName
from silverloom.ops.models.installed import existing_or_cached

#: Pairs that are read together. Answers vary by about 1e-6 with the others in a batch: round what you store.
_BATCH, _MULTIPLE = 32, 8
#: Tokens of both texts together at most; the longer one is cut.
_LONGEST = 512


class NliModel:
    """Predicts for two texts whether each entails the other, by a classifier of premise and hypothesis."""

    def __init__(self, name: ModelName, strict: bool = True) -> None:
        """Load a sequence classifier, from safetensors only; `name` is a folder, or a model of the hub.

        Raises ModelNotInstalledError if it does not exist, and ValueError if none of its labels is
        "entailment".
        """
        import torch  # here, because it takes seconds and most runs name no model
        from transformers import AutoModelForSequenceClassification, AutoTokenizer
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()  # the bar would overwrite the run's own output
        place = str(existing_or_cached(name))
        if strict:
            torch.set_num_threads(1)
        self._tokenizer: Any = AutoTokenizer.from_pretrained(place, local_files_only=True)
        network: Any = AutoModelForSequenceClassification.from_pretrained(
            place, local_files_only=True, use_safetensors=True, dtype=torch.float32
        )
        labels = {str(label).lower(): number for number, label in network.config.id2label.items()}
        if "entailment" not in labels:
            raise ValueError(f"{name} is no model of entailment: its labels are {', '.join(labels)}")
        self._label = labels["entailment"]
        self._network = network.to("cuda" if torch.cuda.is_available() and not strict else "cpu").eval()
        positions = getattr(network.config, "max_position_embeddings", _LONGEST)
        self._longest = min(_LONGEST, self._tokenizer.model_max_length, positions) // _MULTIPLE * _MULTIPLE

    def predict(self, firsts: Sequence[str], seconds: Sequence[str]) -> NDArray[np.float64]:
        """Return log-odds (N x 2) that the first text entails the second, and the second the first."""
        import torch

        number = len(firsts)
        premises, hypotheses = [*firsts, *seconds], [*seconds, *firsts]
        order = sorted(range(2 * number), key=lambda index: len(premises[index]) + len(hypotheses[index]))
        log_odds = np.zeros(2 * number)
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            inputs = self._tokenizer(
                [premises[index] for index in batch],
                [hypotheses[index] for index in batch],
                truncation=True,
                max_length=self._longest,
                padding=True,
                pad_to_multiple_of=_MULTIPLE,
                return_tensors="pt",
            )
            with torch.inference_mode():
                shares = self._network(**inputs.to(self._network.device)).logits.double().softmax(dim=1)
            log_odds[batch] = torch.logit(shares[:, self._label], eps=1e-6).cpu().numpy()
        return log_odds.reshape(2, number).T


def nli_model(name: ModelName | None, strict: bool = True) -> NliModel | None:
    """Return the model of entailment, or None without a name. Raises as `NliModel` does."""
    return None if name is None else NliModel(name, strict)
