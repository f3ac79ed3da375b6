"""Making and training a text-to-text model on a set of pairs, for all systems.

Belongs here: the vocabulary and the untrained model of a config, its training on pairs, the trained models of
a dataset. Not here: the pairs (pairs.py), trainings of all kinds of models (ops/models/training), what judges
a model (the systems).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from silverloom.ops.core.parts import Artifact
from silverloom.ops.models.decoding import AS_USUAL, Decoding
from silverloom.ops.models.seq2seq.config import (
    CopyNetConfig,
    PretrainedSeq2SeqConfig,
    Seq2SeqConfig,
    Seq2SeqTransformerConfig,
)
from silverloom.ops.models.seq2seq.pairs import PairSet
from silverloom.ops.models.training import Checkpoints, TrainingParams
from silverloom.ops.models.training.report import train_model

if TYPE_CHECKING:
    from silverloom.ops.models.seq2seq.model import Seq2Seq
    from silverloom.ops.models.seq2seq.pieces import Pieces
    from silverloom.ops.models.seq2seq.task import AnswerJudge


#: The file with the training reports of all models of a dataset.
MODELS = "models.json"


def learn_pieces(texts: Iterable[str], config: Seq2SeqConfig) -> Pieces:
    """Return the vocabulary of some texts, with the kind and size in the model's config, or that of the
    pretrained model if the config names one."""
    if isinstance(config, PretrainedSeq2SeqConfig):
        from silverloom.ops.models.seq2seq.pretrained import PretrainedModel

        return PretrainedModel(config).pieces
    from silverloom.ops.models.seq2seq.pieces import Pieces

    return Pieces.learn(texts, config.pieces, config.vocabulary)


def make_model(
    config: Seq2SeqTransformerConfig | CopyNetConfig | PretrainedSeq2SeqConfig, pieces: Pieces, seed: int
) -> Seq2Seq:
    """Return a model with random weights, or the pretrained one, which has its own vocabulary."""
    from silverloom.ops.models.seq2seq.files import make

    if isinstance(config, PretrainedSeq2SeqConfig):
        from silverloom.ops.models.seq2seq.pretrained import PretrainedModel

        return PretrainedModel(config)
    return make(config, pieces, seed)


def trained_names(artifact: Artifact) -> list[str]:
    """Return the names of all trained models."""
    return [report["model"] for report in json.loads((artifact.folder / MODELS).read_text())]


def trained_model(
    artifact: Artifact, name: str, strict: bool = True, decoding: Decoding = AS_USUAL
) -> Seq2Seq:
    """Return a trained model."""
    from silverloom.ops.models.seq2seq.files import load

    model = load(artifact.files(name))
    model.place(strict, decoding)
    return model


def train_on_pairs(
    name: str,
    model: Seq2Seq,
    examples: PairSet,
    judge: AnswerJudge,
    params: TrainingParams,
    checkpoints: Checkpoints,
    strict: bool,
    chosen: bool = True,
) -> dict[str, Any]:
    """Train a model in place, and return its report; errors begin with the model's name.

    `judge` returns the metrics of greedy answers to the examples that judge.
    """
    from silverloom.ops.models.seq2seq.task import Seq2SeqTask

    task = Seq2SeqTask(model, examples.learnt, examples.judges, judge, beam=1)
    kind = model.config.model_dump()["kind"]
    return train_model(name, task, kind, model.config, examples, params, checkpoints, strict, chosen)
