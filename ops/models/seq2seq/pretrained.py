"""A pretrained Hugging Face encoder-decoder, such as BART or T5, for fine-tuning.

Belongs here: any model of `AutoModelForSeq2SeqLM` with a fast tokenizer, behind the interface of all
text-to-text models; finding one on disk, loading and writing it; a state dict that has every tensor once. Not
here: training (model.py).

The files are those that Hugging Face writes, in a sub-folder next to our config; other programs load that
sub-folder with `from_pretrained`.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional
from transformers import AutoConfig, AutoTokenizer
from transformers.models.auto.modeling_auto import MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING
from transformers.utils.logging import disable_progress_bar

from silverloom.ops.models.installed import existing_or_cached
from silverloom.ops.models.seq2seq.config import PretrainedSeq2SeqConfig
from silverloom.ops.models.seq2seq.model import Inputs, Seq2Seq
from silverloom.ops.models.seq2seq.pieces import Pieces
from silverloom.ops.models.trained import CONFIG, ModelFilesError
from silverloom.ops.models.training.examples import TokenExample

#: The label at padding of a target: such places have no loss.
_NO_LABEL = -100


class PretrainedPieces(Pieces):
    """The vocabulary of a Hugging Face tokenizer, which marks its own special pieces."""

    def text(self, numbers: Sequence[int], others: Sequence[str] = ()) -> str:
        """Return the text of pieces."""
        return self._tokenizer.decode(list(numbers), skip_special_tokens=True).strip()


class PretrainedModel(Seq2Seq):
    """A pretrained text-to-text model."""

    def __init__(self, config: PretrainedSeq2SeqConfig, folder: Path | None = None) -> None:
        """Load the model that the config names, or the model in `folder`.

        Raises ModelNotInstalledError if it does not exist, and ValueError if it is not an encoder-decoder or
        has no fast tokenizer.
        """
        self.config: PretrainedSeq2SeqConfig = config
        self.network, self._tokenizer = load_pretrained(config.model, folder)
        self.pieces = PretrainedPieces(self._tokenizer.backend_tokenizer)

    def example(self, source: str, target: str) -> TokenExample:
        """Return a pair as numbers, end markers included; cut a long text at its end."""
        return TokenExample(self._cut_text(source), self._cut_text(target))

    def losses(self, examples: Sequence[TokenExample]) -> torch.Tensor:
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
        # Do not let the tokenizer cut: it would save that setting in its files.
        longest = self.config.longest
        return numbers if len(numbers) <= longest + 1 else [*numbers[:longest], numbers[-1]]

    def _padded(self, rows: Sequence[Sequence[int]]) -> dict[str, torch.Tensor]:
        batch = self._tokenizer.pad({"input_ids": list(map(list, rows))}, return_tensors="pt")
        return {name: batch[name].to(self.network.device) for name in ("input_ids", "attention_mask")}

    def _inputs(self, sources: Sequence[str]) -> Inputs:
        inputs = self._padded([self._cut_text(text) for text in sources])
        return Inputs(inputs["input_ids"], {"attention_mask": inputs["attention_mask"]}, [()] * len(sources))


#: The sub-folder of Hugging Face's files among the files of a model.
FOLDER = "pretrained"


def load_pretrained(name: str, folder: Path | None = None) -> tuple[Any, Any]:
    """Return the network and the tokenizer of a name, or of `folder`.

    Raises ModelNotInstalledError if it does not exist, and ValueError if it is not an encoder-decoder or has
    no fast tokenizer.
    """
    disable_progress_bar()  # the bar would overwrite the run's own output
    place = str(folder or existing_or_cached(name))
    config: Any = AutoConfig.from_pretrained(place, local_files_only=True)
    if type(config) not in MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING:
        raise ValueError(f"{name} is a {config.model_type}: no encoder-decoder")
    kind: Any = MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING[type(config)]
    tokenizer: Any = AutoTokenizer.from_pretrained(place, local_files_only=True)
    if not tokenizer.is_fast:
        raise ValueError(f"{name} has no fast tokenizer (tokenizer.json)")
    network = kind.from_pretrained(place, local_files_only=True, dtype=torch.float32).eval()
    # Only after loading, which needs the full state dict.
    network.__class__ = _with_shared_once(kind)
    return network, tokenizer


def pretrained_files(network: Any, tokenizer: Any) -> dict[str, bytes]:
    """Return the files of network and tokenizer as named bytes, in `FOLDER`."""
    with tempfile.TemporaryDirectory() as folder:
        network.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return {
            f"{FOLDER}/{path.relative_to(folder).as_posix()}": path.read_bytes()
            for path in sorted(Path(folder).rglob("*"))
            if path.is_file()
        }


@contextmanager
def folder_of(files: Mapping[str, bytes]) -> Iterator[Path]:
    """Yield a temporary folder with Hugging Face's files. Raises ModelFilesError if they are missing."""
    its = {
        name.removeprefix(f"{FOLDER}/"): content
        for name, content in files.items()
        if name.startswith(f"{FOLDER}/")
    }
    if CONFIG not in its:
        raise ModelFilesError(f"no {FOLDER}/{CONFIG} among the model's files")
    with tempfile.TemporaryDirectory() as folder:
        for name, content in its.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        yield Path(folder)


def _with_shared_once(kind: Any) -> Any:
    """Return a subclass of a Hugging Face network whose state dict has every tensor once."""
    return type(kind.__name__, (SharedOnce, kind), {})


class SharedOnce:
    """Mixin that comes before a `PreTrainedModel` among the bases of a network."""

    all_tied_weights_keys: Mapping[str, str]

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """Return the tensors by name, without those that are tied to another."""
        tensors = super().state_dict(*args, **kwargs)  # type: ignore[misc]
        return {name: value for name, value in tensors.items() if name not in self.all_tied_weights_keys}

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> Any:
        """Load the tensors that `state_dict` returned. Raises RuntimeError for others, as torch does."""
        tied = {
            name: state_dict[shared]
            for name, shared in self.all_tied_weights_keys.items()
            if shared in state_dict
        }
        return super().load_state_dict({**state_dict, **tied}, strict, assign)  # type: ignore[misc]
