"""What models of long sequences are trained on: examples on disk, and the task of the training loop.

Belongs here: writing examples once, as they come, and reading any of them as they are needed; loss, and
validation by loss and by answers. Not here: the loop (ops/models/training), where examples come from and
cutting texts into tokens (ops/wikisum/models), judging answers (the caller brings a judge).

Training reads examples in the order of its batches, not in that of the files. So they are written as numbers
of tokens into one Arrow file, in blocks of a fixed number of rows, and mapped into memory: a corpus of any
size takes as much memory as a block, and 8 bytes an example for its lengths. The file goes with the store.
"""

from __future__ import annotations

import hashlib
import tempfile
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, overload

import numpy as np
import pyarrow as pa
import torch
from safetensors.torch import save
from torch import Tensor

from ops.wikisum.long_sequences.model import BATCH, SequenceModel, TokenExample

#: Says how good the answers to all validation sources are, by the names of metrics.
TokenJudge = Callable[[Sequence[Sequence[int]]], Mapping[str, float]]

#: The mean loss of a token of the target, its end included: the log-perplexity per sub-word.
LOG_PERPLEXITY = "log_perplexity"


class SequenceTask:
    """Maximum likelihood of all that a model predicts, every token alike.

    Validation gives "loss", the mean of all predicted tokens, "log_perplexity", that of the target's alone,
    and what the judge says of the answers, if there is one.
    """

    def __init__(
        self,
        model: SequenceModel,
        training: ExampleStore,
        validation: ExampleStore,
        judge: TokenJudge | None = None,
        beam: int | None = None,
        counted: int | None = None,
    ) -> None:
        """Take the examples as they are stored; `beam` is that of the answers that are judged.

        `counted`: how many tokens "log_perplexity" is the mean of. It is for a model that cuts texts in its
        own way: then it compares with others, whose tokens these are.
        """
        self.model, self._judge, self._beam, self._counted = model, judge, beam, counted
        self._training, self._validation = training, validation
        self.module = model.network
        self.names = training.names
        most = model.params.longest_source, model.params.longest_target
        lengths = np.minimum(training.lengths, np.array(most, np.int32))
        # Separator and end, or the ends of both.
        self.costs: Sequence[int] = lengths.sum(axis=1) + 2
        reads = not model.network.config.is_encoder_decoder
        predicted = lengths[:, 0 if reads else 1 :].sum(axis=1) + 1
        self._tokens = float(predicted.mean()) if len(training) else 1.0
        self._identity = {
            "model": model.params.model_dump(mode="json"),
            "initial weights": hashlib.sha256(save(model.network.state_dict())).hexdigest(),
            "training set": training.digest(),
            "validation set": validation.digest(),
            "validation beam": beam,
        }

    def identity(self) -> Mapping[str, Any]:
        """Return the model's params, and digests of its first weights and both sets."""
        return self._identity

    def loss(self, indices: Sequence[int]) -> Tensor:
        """Return the sum of the losses of some training examples, over the tokens of as many of mean length.

        So every token of the training set weighs the same, whichever batch it is in.
        """
        losses = self.model.losses([self._training[index] for index in indices])
        whole = losses.output.sum() + losses.input.sum()
        return whole / (self._tokens * len(indices)) + losses.balance

    @torch.no_grad()
    def validate(self) -> dict[str, float]:
        """Return the metrics of the validation set; none where it is empty."""
        if not len(self._validation):
            return {}
        metrics = token_means(self.model, self._validation, self._counted)
        if self._judge is not None:
            sources = [example.source for example in self._validation]
            metrics |= self._judge(self.model.generate(sources, self._beam))
        return metrics


@torch.no_grad()
def token_means(model: SequenceModel, examples: ExampleStore, counted: int | None = None) -> dict[str, float]:
    """Return the mean "loss" of all predicted tokens, and "log_perplexity", that of the targets' alone.

    The second is over `counted` sub-words, if they are given.
    """
    sums = torch.zeros(4, dtype=torch.float64)
    for start in range(0, len(examples), BATCH):
        parts = model.losses(examples[start : start + BATCH])[:4]
        sums += torch.stack([part.double().sum().cpu() for part in parts])
    output, output_tokens, read, read_tokens = sums.tolist()
    return {
        "loss": (output + read) / (output_tokens + read_tokens),
        LOG_PERPLEXITY: output / (counted or output_tokens),
    }


_ROWS = 64
_SCHEMA = pa.schema(
    [("name", pa.string()), ("source", pa.list_(pa.int32())), ("target", pa.list_(pa.int32()))]
)


class ExampleStore(Sequence[TokenExample]):
    """N examples, each with a name."""

    def __init__(self, examples: Iterable[tuple[str, TokenExample]]) -> None:
        """Write examples, which are taken one after the other."""
        self.folder = tempfile.TemporaryDirectory(prefix="examples-")
        path = Path(self.folder.name) / "examples.arrow"
        digest, lengths = hashlib.sha256(), array("i")
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, _SCHEMA) as writer:
            remaining = iter(examples)
            while rows := list(islice(remaining, _ROWS)):
                columns = zip(*((name, *example) for name, example in rows), strict=True)
                batch = pa.record_batch([list(column) for column in columns], schema=_SCHEMA)
                writer.write_batch(batch)
                digest.update(batch.serialize())
                lengths.extend(len(tokens) for _, example in rows for tokens in example)
        self._open(path)
        self._digest = digest.hexdigest()
        #: N x 2: tokens of source and target.
        self.lengths = np.frombuffer(lengths, np.int32).reshape(-1, 2)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the file here: another process of this machine reads the same one."""
        path = Path(self.folder.name) / "examples.arrow"
        return {"path": path, "_digest": self._digest, "lengths": self.lengths}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._open(state.pop("path"))
        self.__dict__.update(state)

    def _open(self, path: Path) -> None:
        self._file = pa.ipc.open_file(pa.memory_map(str(path)))

    def __len__(self) -> int:
        return len(self.lengths)

    @overload
    def __getitem__(self, index: int) -> TokenExample: ...
    @overload
    def __getitem__(self, index: slice) -> list[TokenExample]: ...
    def __getitem__(self, index: int | slice) -> TokenExample | list[TokenExample]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        batch, row = self._at(index)
        return TokenExample(batch["source"][row].as_py(), batch["target"][row].as_py())

    def __iter__(self) -> Iterator[TokenExample]:
        return (self[index] for index in range(len(self)))

    @property
    def names(self) -> Names:
        """What the examples are called, read as they are asked for."""
        return Names(self)

    def name(self, index: int) -> str:
        """Return what an example is called."""
        batch, row = self._at(index)
        return str(batch["name"][row])

    def digest(self) -> str:
        """Return what identifies the content."""
        return self._digest

    def _at(self, index: int) -> tuple[pa.RecordBatch, int]:
        place = range(len(self))[index]
        return self._file.get_batch(place // _ROWS), place % _ROWS


class Names(Sequence[str]):
    """The names of the examples of a store."""

    def __init__(self, store: ExampleStore) -> None:
        self._store = store

    def __len__(self) -> int:
        return len(self._store)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        return self._store.name(index)
