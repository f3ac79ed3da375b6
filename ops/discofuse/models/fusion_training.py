"""Training a model that fuses sentences: what the fusion models and the transfer have in common.

Belongs here: vocabulary, one training, its report.
Not here: the sets (training_sets.py), networks (ops/models/seq2seq), the loop (ops/models/training).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ops.discofuse.models.fusion_texts import judged
from ops.discofuse.models.training_sets import FusionTrainingSet
from ops.models.seq2seq.config import CopyNetConfig, Seq2SeqConfig, Seq2SeqTransformerConfig
from ops.models.training import Checkpoints, Trained, TrainingParams, errors_of, train
from ops.models.training.progress import ProgressLines
from ops.models.training.report import count_weights, training_report

if TYPE_CHECKING:
    from ops.models.seq2seq.model import Seq2Seq
    from ops.models.seq2seq.pieces import Pieces

#: What was trained: the file that says so of every model.
MODELS = "models.json"


def learn_pieces(texts: Iterable[str], config: Seq2SeqConfig) -> Pieces:
    """Return the vocabulary of some texts, of the kind and the size that a model's config names."""
    from ops.models.seq2seq.pieces import Pieces

    return Pieces.learn(texts, config.pieces, config.vocabulary)


def lengths(pieces: Pieces, texts: Iterable[Sequence[str]]) -> list[int]:
    """Return how many pieces the longest text of each example has."""
    return [max(len(pieces.numbers(text)) for text in example) for example in texts]


def make_model(config: Seq2SeqTransformerConfig | CopyNetConfig, pieces: Pieces, seed: int) -> Seq2Seq:
    """Return a model with random weights."""
    from ops.models.seq2seq.files import make

    return make(config, pieces, seed)


def train_model(
    name: str,
    model: Seq2Seq,
    examples: FusionTrainingSet,
    params: TrainingParams,
    beam: int,
    checkpoints: Checkpoints,
    strict: bool,
) -> Trained:
    """Train a model in place, judged by Exact and SARI of its answers; errors begin with its name."""
    from ops.models.seq2seq.task import Seq2SeqTask

    def judge(answers: Sequence[str]) -> Mapping[str, float]:
        return judged(examples.judges, answers)

    with errors_of(name):
        task = Seq2SeqTask(model, examples.learnt, examples.judges, judge, beam)
        return train(task, params, checkpoints, ProgressLines(name), strict)


def fusion_report(
    name: str,
    model: Seq2Seq,
    examples: FusionTrainingSet,
    params: TrainingParams,
    trained: Trained,
    chosen: bool,
) -> dict[str, Any]:
    """Return the training report of a model, with the number of its weights."""
    architecture = model.config.model_dump()["kind"]
    weights = count_weights(model.network)
    return training_report(
        name, architecture, model.config, examples, params, trained, chosen, weights=weights
    )
