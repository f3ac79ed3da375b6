"""Training tasks of the extractors: labelled papers for the training loop.

Belongs here: losses and validation. Not here: the loop (ops/models/training), labels (paper.py), judging
summaries (the caller provides a judge).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import torch
from pydantic import TypeAdapter
from safetensors.torch import load as read_tensors
from safetensors.torch import save
from torch import Tensor
from torch.nn import functional

from silverloom.ops.core.outcome import Row
from silverloom.ops.core.stored_rows import Made, RowFile, StoredRows
from silverloom.ops.models.trained import CONFIG, WEIGHTS, network_files, read_config, read_weights
from silverloom.ops.models.training.task import LossParts, task_identity
from silverloom.ops.talksumm.extractors.config import PointerConfig, TransformerConfig
from silverloom.ops.talksumm.extractors.paper import Extraction, ExtractorPaper, Labelled
from silverloom.ops.talksumm.extractors.pointer import Pointer, PointerExtractor, WordTable
from silverloom.ops.talksumm.extractors.transformer import PaperTransformers, TransformerExtractor

#: Returns the quality of an extraction of the i-th validation paper; higher is better.
ExtractionJudge = Callable[[int, Extraction], float]


#: A sentence with gain 1 gets e^5 times the target probability of one with gain 0.
_SHARPNESS = 5.0


#: A training example: a paper, its labels and its gains.
_Example: TypeAlias = tuple[ExtractorPaper, list[int], list[float]]

#: What each network reads of a paper, on disk, with the name, the labels and the gains of the paper.
_LABELLED = [("name", pa.string()), ("labels", pa.list_(pa.int32())), ("gains", pa.list_(pa.float64()))]
_WORDS = pa.schema([*_LABELLED, ("words", pa.list_(pa.list_(pa.int32())))])
_INPUTS = pa.schema(
    [*_LABELLED, ("sentences", pa.int32()), ("embedded", pa.binary()), ("features", pa.binary())]
)

#: The table of word vectors among the files of a pointer network's loss, and its only tensor.
_TABLE, _VECTORS = "table.safetensors", "vectors"


def _labelled(example: _Example) -> Row:
    paper, labels, gains = example
    return {"name": paper.id, "labels": labels, "gains": gains}


class PointerLoss:
    """Maximum likelihood of the labels in the paper's order, followed by the stop action."""

    def __init__(self, network: Pointer, training: Sequence[Row], table: Tensor) -> None:
        """Take papers as rows of `_WORDS`, which are places in a table of word vectors (V x D)."""
        self.module: Pointer = network
        self._rows, self._table = training, table

    def loss(self, indices: Sequence[int]) -> Tensor:
        """Return the mean loss of the given training papers."""
        return self._loss([self._rows[index] for index in indices], self._table)

    def _loss(self, papers: Sequence[Row], table: Tensor) -> Tensor:
        device = self.module.stop.device
        words = [[sentence.to(device) for sentence in _word_rows(paper)] for paper in papers]
        return self.module.loss(words, table.to(device), [paper["labels"] for paper in papers])


def _word_rows(paper: Row) -> list[Tensor]:
    return [torch.tensor(words) for words in paper["words"]]


def pointer_loss(files: Mapping[str, bytes], rows: Path) -> PointerLoss:
    """Return the loss that a task's parts describe."""
    config = read_config(files, TypeAdapter(PointerConfig), (CONFIG, WEIGHTS, _TABLE))
    table = read_tensors(files[_TABLE])[_VECTORS]
    network = Pointer(table.shape[1], config.channels, config.hidden, config.dropout)
    read_weights(files, network, (CONFIG,))
    return PointerLoss(network, RowFile(rows), table)


class TransformerLoss:
    """Predicts for each sentence whether it is labelled; or, with gains, in what order to take sentences.

    Gains become a distribution over the paper's sentences, and the loss is its cross entropy with the softmax
    of the scores (ListNet, Cao et al. 2007). This determines the scores only up to a constant: they order
    sentences, but are not probabilities, and only a budget of words ends a summary.
    """

    def __init__(self, network: PaperTransformers, training: Sequence[Row]) -> None:
        """Take papers as rows of `_INPUTS`."""
        self.module: PaperTransformers = network
        self._rows = training

    def loss(self, indices: Sequence[int]) -> Tensor:
        """Return the mean loss of the given training papers."""
        return torch.stack([self._loss(self._rows[index]) for index in indices]).mean()

    def _loss(self, paper: Row) -> Tensor:
        device = next(self.module.parameters()).device
        scores: Tensor = self.module(*(tensor.to(device) for tensor in _tensors(paper)))
        if paper["gains"]:
            wanted = torch.softmax(_SHARPNESS * torch.tensor(paper["gains"], device=device), dim=0)
            return -(functional.log_softmax(scores, dim=1) * wanted).sum(dim=1).mean()
        target = torch.zeros(scores.shape[1], device=device)
        target[paper["labels"]] = 1
        # Each member by itself. Normalise by labels, not sentences, so that long papers count like short
        # ones.
        losses = functional.binary_cross_entropy_with_logits(
            scores, target.expand_as(scores), reduction="none"
        )
        return losses.sum(dim=1).mean() / len(paper["labels"])


def _tensors(paper: Row) -> tuple[Tensor, Tensor]:
    embedded, features = (
        torch.from_numpy(np.frombuffer(paper[name], np.float32).reshape(paper["sentences"], -1).copy())
        for name in ("embedded", "features")
    )
    return embedded, features


def transformer_loss(files: Mapping[str, bytes], rows: Path) -> TransformerLoss:
    """Return the loss that a task's parts describe."""
    config = read_config(files, TypeAdapter(TransformerConfig), (CONFIG, WEIGHTS))
    papers = RowFile(rows)
    network = PaperTransformers.of(config, _tensors(papers[0])[0].shape[1])
    read_weights(files, network, (CONFIG,))
    return TransformerLoss(network, papers)


class _ExtractionTask(ABC):
    """The common part of both tasks: examples, validation by loss and by a judge, identity."""

    def __init__(
        self,
        extractor: PointerExtractor | TransformerExtractor,
        training: Labelled,
        validation: Labelled,
        judge: ExtractionJudge | None,
        words: int,
    ) -> None:
        learnable = training.learnable()
        self.costs: Sequence[int] = array("i", (len(paper) for paper, _, _ in learnable))
        self._validation_papers, self._judge, self._words = validation.papers, judge, words
        self._identity = task_identity(
            extractor.network, extractor.config, training.digest(), validation.digest(), words=words
        )

    def identity(self) -> Mapping[str, Any]:
        """Return the model's config, and digests of its initial weights and of both sets."""
        return self._identity

    @torch.no_grad()
    def validate(self) -> dict[str, float]:
        """Return "loss" over the labelled validation papers, and "score", the judge's mean over all."""
        metrics = {}
        if losses := list(self._validation_losses()):
            metrics["loss"] = sum(losses) / len(losses)
        if self._judge is not None and len(self._validation_papers):
            scores = [self._judge(row, self._extract(row)) for row in range(len(self._validation_papers))]
            metrics["score"] = sum(scores) / len(scores)
        return metrics

    @abstractmethod
    def _validation_losses(self) -> Iterable[float]: ...

    @abstractmethod
    def _extract(self, row: int) -> Extraction: ...


class PointerTask(PointerLoss, _ExtractionTask):
    """The training of a pointer network."""

    def __init__(
        self,
        extractor: PointerExtractor,
        training: Labelled,
        validation: Labelled,
        judge: ExtractionJudge | None = None,
        words: int = 150,
        folder: Path | None = None,
    ) -> None:
        _ExtractionTask.__init__(self, extractor, training, validation, judge, words)
        self._extractor = extractor
        longest = extractor.config.sentence_words

        def stored(papers: Sequence[_Example]) -> tuple[StoredRows, Tensor]:
            table = WordTable((paper.sentences for paper, _, _ in papers), extractor.vectors, longest)
            rows = ({**_labelled(paper), "words": table.rows(paper[0].sentences)} for paper in papers)
            return StoredRows(_WORDS, rows, folder, block=1), table.vectors

        self._stored, table = stored(training.learnable())
        self.names: Sequence[str] = self._stored.column("name")
        PointerLoss.__init__(self, extractor.network, self._stored, table)
        self._seen, self._seen_table = stored(validation.learnable())
        self._judged, self._judged_table = stored(_unlabelled(self._validation_papers if judge else []))

    def parts(self) -> LossParts:
        """Return what other processes make the loss from."""
        files = network_files(self._extractor.config, self.module)
        return LossParts(pointer_loss, {**files, _TABLE: save({_VECTORS: self._table})}, self._stored)

    def _validation_losses(self) -> Iterable[float]:
        return (float(self._loss([paper], self._seen_table)) for paper in self._seen)

    def _extract(self, row: int) -> Extraction:
        lengths = [len(text.split()) for text in self._validation_papers[row].sentences]
        rows = _word_rows(self._judged[row])
        return self._extractor.decode(rows, self._judged_table, lengths, self._words)


class TransformerTask(TransformerLoss, _ExtractionTask):
    """The training of a Transformer.

    Every paper is embedded once, when the task is made: E float32 per sentence are stored on disk.
    """

    def __init__(
        self,
        extractor: TransformerExtractor,
        training: Labelled,
        validation: Labelled,
        judge: ExtractionJudge | None = None,
        words: int = 150,
        folder: Path | None = None,
    ) -> None:
        _ExtractionTask.__init__(self, extractor, training, validation, judge, words)
        self._extractor = extractor

        def stored(papers: Sequence[_Example]) -> StoredRows:
            return StoredRows(_INPUTS, map(self._row, papers), folder, block=1)

        self._stored = stored(training.learnable())
        self.names: Sequence[str] = self._stored.column("name")
        TransformerLoss.__init__(self, extractor.network, self._stored)
        self._seen = stored(validation.learnable())
        self._judged = stored(_unlabelled(self._validation_papers if judge else []))

    def _row(self, example: _Example) -> Row:
        paper = example[0]
        embedded, features = self._extractor.inputs(paper) if len(paper) else (torch.empty(0), torch.empty(0))
        return {
            **_labelled(example),
            "sentences": len(paper),
            "embedded": embedded.numpy().tobytes(),
            "features": features.numpy().tobytes(),
        }

    def parts(self) -> LossParts:
        """Return what other processes make the loss from."""
        files = network_files(self._extractor.config, self.module)
        return LossParts(transformer_loss, files, self._stored)

    def _validation_losses(self) -> Iterable[float]:
        return (float(self._loss(paper)) for paper in self._seen)

    def _extract(self, row: int) -> Extraction:
        paper = self._validation_papers[row]
        if not len(paper):
            return Extraction((), ())
        return self._extractor.choose(paper, _tensors(self._judged[row]), self._words)


def _unlabelled(papers: Sequence[ExtractorPaper]) -> Sequence[_Example]:
    return Made(papers, lambda paper: (paper, [], []))


def task_of(
    extractor: PointerExtractor | TransformerExtractor,
    training: Labelled,
    validation: Labelled,
    judge: ExtractionJudge | None = None,
    words: int = 150,
    folder: Path | None = None,
) -> PointerTask | TransformerTask:
    """Return the task that trains an extractor; the networks' inputs are stored in `folder`."""
    if isinstance(extractor, PointerExtractor):
        return PointerTask(extractor, training, validation, judge, words, folder)
    return TransformerTask(extractor, training, validation, judge, words, folder)
