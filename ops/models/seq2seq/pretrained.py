"""An encoder-decoder of Hugging Face that was trained before, such as BART or T5, to be trained further.

Belongs here: any model of `AutoModelForSeq2SeqLM` with its tokenizer, behind the interface of all models from
text to text. Not here: finding and loading it (pretrained_files.py), training (task.py).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import torch
from torch.nn import functional

from ops.models.network_files import CONFIG
from ops.models.seq2seq.config import PretrainedSeq2SeqConfig
from ops.models.seq2seq.model import Example, Inputs, Seq2Seq
from ops.models.seq2seq.pieces import Pieces
from ops.models.seq2seq.pretrained_files import load_pretrained, pretrained_files

#: What a target is filled up with: such places have no loss.
_NO_LABEL = -100


class PretrainedPieces(Pieces):
    """The vocabulary of a tokenizer of Hugging Face; what stands for no text is marked in it."""

    def text(self, numbers: Sequence[int], others: Sequence[str] = ()) -> str:
        """Return the text of pieces."""
        return self._tokenizer.decode(list(numbers), skip_special_tokens=True).strip()


class PretrainedModel(Seq2Seq):
    """A pretrained model from text to text."""

    def __init__(self, config: PretrainedSeq2SeqConfig, folder: Path | None = None) -> None:
        """Load the one that the config names, or the one of a folder.

        Raises ModelNotInstalledError if it is not there, ValueError for one that is no encoder-decoder or has
        no fast tokenizer.
        """
        self.config: PretrainedSeq2SeqConfig = config
        self.network, self._tokenizer = load_pretrained(config.model, folder)
        self.pieces = PretrainedPieces(self._tokenizer.backend_tokenizer)

    def example(self, source: str, target: str) -> Example:
        """Return a pair as numbers, ends of texts included; of a long text the beginning."""
        return Example(self._cut_text(source), self._cut_text(target))

    def losses(self, examples: Sequence[Example]) -> torch.Tensor:
        """Return the cross entropy of each of N examples (N)."""
        inputs = self._padded([example.source for example in examples])
        labels = self._padded([example.target for example in examples])
        target = labels["input_ids"].masked_fill(labels["attention_mask"] == 0, _NO_LABEL)
        logits = self.network(**inputs, labels=target, use_cache=False).logits
        losses = functional.cross_entropy(
            logits.transpose(1, 2).float(), target, reduction="none", ignore_index=_NO_LABEL
        )
        return losses.sum(dim=1) / labels["attention_mask"].sum(dim=1)

    def files(self) -> dict[str, bytes]:
        """Return the model as named bytes."""
        text = json.dumps(self.config.model_dump(mode="json"), indent=1, sort_keys=True) + "\n"
        return {CONFIG: text.encode(), **pretrained_files(self.network, self._tokenizer)}

    def _cut_text(self, text: str) -> list[int]:
        numbers: list[int] = self._tokenizer(text, verbose=False)["input_ids"]
        # Not by the tokenizer, which would write into its own files that it cuts.
        longest = self.config.longest
        return numbers if len(numbers) <= longest + 1 else [*numbers[:longest], numbers[-1]]

    def _padded(self, rows: Sequence[Sequence[int]]) -> dict[str, torch.Tensor]:
        found = self._tokenizer.pad({"input_ids": list(map(list, rows))}, return_tensors="pt")
        return {name: found[name].to(self.device) for name in ("input_ids", "attention_mask")}

    def _inputs(self, sources: Sequence[str]) -> Inputs:
        inputs = self._padded([self._cut_text(text) for text in sources])
        return Inputs(inputs["input_ids"], {"attention_mask": inputs["attention_mask"]}, [()] * len(sources))
