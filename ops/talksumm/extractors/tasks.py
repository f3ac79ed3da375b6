"""Training tasks of the extractors: labelled papers for the training loop.

Belongs here: losses and validation. Not here: the loop (ops/models/training), labels (paper.py), judging
summaries (the caller provides a judge).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor, nn
from torch.nn import functional

from silverloom.ops.core.outcome import Row
from silverloom.ops.core.stored_rows import Made, StoredRows
from silverloom.ops.models.training.task import task_identity
from silverloom.ops.talksumm.extractors.paper import Extraction, ExtractorPaper, Labelled
from silverloom.ops.talksumm.extractors.pointer import PointerExtractor, WordTable
from silverloom.ops.talksumm.extractors.transformer import TransformerExtractor

#: Returns the quality of an extraction of the i-th validation paper; higher is better.
ExtractionJudge = Callable[[int, Extraction], float]


#: A sentence with gain 1 gets e^5 times the target probability of one with gain 0.
_SHARPNESS = 5.0


#: Stored inputs of each network.
_WORDS = pa.schema([("words", pa.list_(pa.list_(pa.int32())))])
_INPUTS = pa.schema([("sentences", pa.int32()), ("embedded", pa.binary()), ("features", pa.binary())])


def _word_rows(row: Row) -> list[Tensor]:
    return [torch.tensor(words) for words in row["words"]]


def _tensors(row: Row) -> tuple[Tensor, Tensor]:
    embedded, features = (
        torch.from_numpy(np.frombuffer(row[name], np.float32).reshape(row["sentences"], -1).copy())
        for name in ("embedded", "features")
    )
    return embedded, features


class _ExtractionTask(ABC):
    """The common part of both tasks: examples, validation by loss and by a judge, identity."""

    module: nn.Module

    def __init__(
        self,
        extractor: PointerExtractor | TransformerExtractor,
        training: Labelled,
        validation: Labelled,
        judge: ExtractionJudge | None,
        words: int,
    ) -> None:
        self.module = extractor.network
        self.training, self.validation = training.learnable(), validation.learnable()
        self.names: Sequence[str] = Made(Made(self.training, itemgetter(0)), attrgetter("id"))
        self.costs: Sequence[int] = array("i", (len(paper) for paper, _, _ in self.training))
        self._validation_papers, self._judge, self._words = validation.papers, judge, words
        self._identity = task_identity(
            self.module, extractor.config, training.digest(), validation.digest(), words=words
        )

    def identity(self) -> Mapping[str, Any]:
        """Return the model's config, and digests of its initial weights and of both sets."""
        return self._identity

    @abstractmethod
    def loss(self, indices: Sequence[int]) -> Tensor:
        """Return the mean loss of the given training papers."""

    @torch.no_grad()
    def validate(self) -> dict[str, float]:
        """Return "loss" over the labelled validation papers, and "score", the judge's mean over all."""
        metrics = {}
        if self.validation:
            losses = [float(self._validation_loss(row)) for row in range(len(self.validation))]
            metrics["loss"] = sum(losses) / len(losses)
        if self._judge is not None and len(self._validation_papers):
            scores = [self._judge(row, self._extract(row)) for row in range(len(self._validation_papers))]
            metrics["score"] = sum(scores) / len(scores)
        return metrics

    @abstractmethod
    def _validation_loss(self, row: int) -> Tensor: ...

    @abstractmethod
    def _extract(self, row: int) -> Extraction: ...


class PointerTask(_ExtractionTask):
    """Maximum likelihood of the labels in the paper's order, followed by the stop action."""

    def __init__(
        self,
        extractor: PointerExtractor,
        training: Labelled,
        validation: Labelled,
        judge: ExtractionJudge | None = None,
        words: int = 150,
        folder: Path | None = None,
    ) -> None:
        super().__init__(extractor, training, validation, judge, words)
        self._extractor = extractor
        longest = extractor.config.sentence_words

        def stored(papers: Iterable[ExtractorPaper]) -> tuple[Sequence[list[Tensor]], Tensor]:
            table = WordTable((paper.sentences for paper in papers), extractor.vectors, longest)
            rows = ({"words": table.rows(paper.sentences)} for paper in papers)
            return Made(StoredRows(_WORDS, rows, folder, block=1), _word_rows), table.vectors

        self._rows, self._table = stored(Made(self.training, itemgetter(0)))
        self._seen, self._seen_table = stored(Made(self.validation, itemgetter(0)))
        self._judged, self._judged_table = stored(self._validation_papers if judge else [])

    def loss(self, indices: Sequence[int]) -> Tensor:
        """Return the mean loss of the given training papers."""
        return self._loss(
            [self._rows[i] for i in indices], self._table, [self.training[i][1] for i in indices]
        )

    def _loss(self, rows: list[list[Tensor]], table: Tensor, labels: list[list[int]]) -> Tensor:
        device = self._extractor.network.stop.device
        on_device = [[sentence.to(device) for sentence in paper] for paper in rows]
        return self._extractor.network.loss(on_device, table.to(device), labels)

    def _validation_loss(self, row: int) -> Tensor:
        return self._loss([self._seen[row]], self._seen_table, [self.validation[row][1]])

    def _extract(self, row: int) -> Extraction:
        lengths = [len(text.split()) for text in self._validation_papers[row].sentences]
        return self._extractor.decode(self._judged[row], self._judged_table, lengths, self._words)


class TransformerTask(_ExtractionTask):
    """Predicts for each sentence whether it is labelled; or, with gains, in what order to take sentences.

    Gains become a distribution over the paper's sentences, and the loss is its cross entropy with the softmax
    of the scores (ListNet, Cao et al. 2007). This determines the scores only up to a constant: they order
    sentences, but are not probabilities, and only a budget of words ends a summary.

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
        super().__init__(extractor, training, validation, judge, words)
        self._extractor = extractor

        def inputs(papers: Iterable[ExtractorPaper]) -> Sequence[tuple[Tensor, Tensor]]:
            return Made(StoredRows(_INPUTS, map(self._row, papers), folder, block=1), _tensors)

        self._inputs = inputs(Made(self.training, itemgetter(0)))
        self._seen = inputs(Made(self.validation, itemgetter(0)))
        self._judged = inputs(self._validation_papers if judge else [])

    def _row(self, paper: ExtractorPaper) -> Row:
        embedded, features = self._extractor.inputs(paper) if len(paper) else (torch.empty(0), torch.empty(0))
        return {
            "sentences": len(paper),
            "embedded": embedded.numpy().tobytes(),
            "features": features.numpy().tobytes(),
        }

    def loss(self, indices: Sequence[int]) -> Tensor:
        """Return the mean loss of the given training papers."""
        losses = [self._loss(self._inputs[index], *self.training[index][1:]) for index in indices]
        return torch.stack(losses).mean()

    def _loss(self, inputs: tuple[Tensor, Tensor], labels: list[int], gains: list[float]) -> Tensor:
        device = next(self.module.parameters()).device
        scores: Tensor = self.module(*(tensor.to(device) for tensor in inputs))
        if gains:
            wanted = torch.softmax(_SHARPNESS * torch.tensor(gains, device=device), dim=0)
            return -(functional.log_softmax(scores, dim=1) * wanted).sum(dim=1).mean()
        target = torch.zeros(scores.shape[1], device=device)
        target[labels] = 1
        # Each member by itself. Normalise by labels, not sentences, so that long papers count like short
        # ones.
        losses = functional.binary_cross_entropy_with_logits(
            scores, target.expand_as(scores), reduction="none"
        )
        return losses.sum(dim=1).mean() / len(labels)

    def _validation_loss(self, row: int) -> Tensor:
        return self._loss(self._seen[row], *self.validation[row][1:])

    def _extract(self, row: int) -> Extraction:
        paper = self._validation_papers[row]
        if not len(paper):
            return Extraction((), ())
        return self._extractor.choose(paper, self._judged[row], self._words)


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
