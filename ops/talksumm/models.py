"""Extractive summarisers trained on silver data: one for every training set and architecture.

Belongs here: training the models one by one, choosing the best, and the choices of each on its examples. Not
here: which examples a model learns from and is judged by (learning_sets.py), networks and losses
(ops/talksumm/extractors), the loop (ops/models/training).

Lev et al. (2019), section 4.1: a model is trained on each training set, and the best one on the validation
set, with summaries of 150 words, is chosen. All of these sets come from talks. The set `oracle` does not, so
its models are trained to compare with, and are not chosen unless `choose_oracle` says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
from pydantic import Field

from silverloom.ops.core.identity import made_from
from silverloom.ops.core.outcome import (
    TITLE,
    Outcome,
    Outcomes,
    Row,
    Shape,
    columns,
    drop,
    in_blocks,
    in_parts,
    one_of,
    optional,
)
from silverloom.ops.core.params import ModelName, Params
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.core.sampling import SPLITS
from silverloom.ops.metrics.rouge import rouge_of_references
from silverloom.ops.models.embedded import embedded_before, remembering
from silverloom.ops.models.encoder import ENCODER, Embed, embedder
from silverloom.ops.models.training import CheckpointFolder, Trained, TrainingParams, errors_of, train
from silverloom.ops.models.training.params import SizedParams
from silverloom.ops.models.training.report import training_report
from silverloom.ops.models.training.task import ProgressLines
from silverloom.ops.models.word_vectors import WORD_VECTORS
from silverloom.ops.rank.choose import only
from silverloom.ops.talksumm.extractors.config import PointerConfig, TransformerConfig
from silverloom.ops.talksumm.extractors.paper import Extraction, Extractor
from silverloom.ops.talksumm.learning_sets import (
    JUDGED_ON,
    ORACLE,
    LearningExample,
    LearningSet,
    labelled,
    learning_sets,
)
from silverloom.ops.talksumm.schemas import TRAINING_SETS

if TYPE_CHECKING:
    from silverloom.ops.talksumm.extractors.pointer import PointerExtractor
    from silverloom.ops.talksumm.extractors.transformer import TransformerExtractor

_TEXT, _INT, _REAL = pa.string(), pa.int32(), pa.float64()

Architecture = Literal["pointer", "transformer"]

EXTRACTOR = Shape(
    unit=TRAINING_SETS.kept,
    kept=columns(
        ("example_id", _TEXT, "row of talksumm/training_sets, or of talksumm/gold_papers"),
        ("paper_id", _TEXT, "row of sources/papers"),
        optional("title", _TEXT, "of the paper", TITLE),
        ("architecture", _TEXT, "pointer or transformer"),
        ("set", _TEXT, "the training set; oracle: of papers that people summarised"),
        one_of("split", SPLITS, "train: the model learnt from it; validation, test: it did not"),
        ("sentences", _INT, "that the model chose from"),
        ("positions", pa.list_(_INT), "that the trained model chooses, best first"),
        ("labels", pa.list_(_INT), "that the training set chose"),
        ("agreement", _REAL, "F1 of the model's choice against the labels, 0 to 1"),
        ("chosen", pa.bool_(), "whether this is the model that validation chose"),
    ),
)

#: The loop's name for the judge's mean, and the name used here.
_JUDGED = "score"
_METRICS = {_JUDGED: "rouge2_f"}

#: How the best weights of a training are selected, for every size.
_KEPT_BY = {"metric": _JUDGED, "direction": "max"}

#: A file that describes the training of every model.
MODELS = "models.json"


class Size(Params):
    """The sizes of the models, and how each is trained."""

    pointer: PointerConfig = PointerConfig()
    """The pointer network."""
    transformer: TransformerConfig = TransformerConfig()
    """The Transformer."""
    pointer_training: TrainingParams = TrainingParams()
    """How the pointer network is trained."""
    transformer_training: TrainingParams = TrainingParams()
    """How the Transformer is trained."""


#: "tiny" takes seconds on the sample; "full" is what docs/how-to/train.md reports.
SIZES = {
    "tiny": Size(
        pointer=PointerConfig(channels=16, hidden=24),
        transformer=TransformerConfig(width=32, layers=1, heads=2, members=1),
        pointer_training=TrainingParams(epochs=4, batch_size=4, learning_rate=0.003),
        transformer_training=TrainingParams(epochs=8, batch_size=4, learning_rate=0.003),
    ),
    "full": Size(
        pointer=PointerConfig(channels=100, hidden=256),
        transformer=TransformerConfig(width=64, layers=1, heads=4, members=5),
        pointer_training=TrainingParams(
            epochs=8, batch_size=16, learning_rate=0.001, schedule="linear", warmup=0.05, weight_decay=0.0,
            clip=2.0, patience=3, checkpoint_every=10,
        ),
        transformer_training=TrainingParams(
            epochs=3, batch_size=8, learning_rate=0.0005, schedule="linear", warmup=0.1, weight_decay=0.01,
            clip=1.0, checkpoint_every=40,
        ),
    ),
}  # fmt: skip


class ExtractorParams(SizedParams, section="talksumm.extractor"):
    """Which extractors are trained, and how; `vectors` and `encoder` apply to every size."""

    size: str = Field("full", description="which of the sizes")
    sizes: dict[str, Size] = Field(SIZES, min_length=1)
    architectures: tuple[Architecture, ...] = Field(("pointer", "transformer"), min_length=1)
    """Those that are trained."""
    words: int = Field(150, ge=1, description="of the summaries by which models are chosen")
    vectors: ModelName = WORD_VECTORS
    """Word vectors that the pointer network reads."""
    encoder: ModelName = ENCODER
    """Sentence encoder that the Transformer reads."""
    choose_oracle: bool = Field(
        False, description="whether a model that human summaries taught may be chosen, as Only and Hybrid"
    )

    def same_in_all(self) -> Mapping[str, Mapping[str, str]]:
        """Every size uses the same encoder and vectors, and keeps the weights with the best summaries."""
        return {
            "pointer": {"vectors": self.vectors},
            "transformer": {"encoder": self.encoder},
            "pointer_training": _KEPT_BY,
            "transformer_training": _KEPT_BY,
        }

    def config(self, architecture: Architecture) -> PointerConfig | TransformerConfig:
        """Return the config of an architecture in the selected size."""
        config: PointerConfig | TransformerConfig = self.part(architecture)
        return config

    def training(self, architecture: Architecture) -> TrainingParams:
        """Return the training parameters of an architecture."""
        training: TrainingParams = self.part(f"{architecture}_training")
        return training


@dataclass(frozen=True)
class _Model:
    architecture: Architecture
    set: LearningSet
    extractor: PointerExtractor | TransformerExtractor
    training: TrainingParams
    trained: Trained

    @property
    def name(self) -> str:
        return f"{self.architecture}/{self.set.name}"

    @property
    def rank(self) -> tuple[int, float]:
        """Sort key for choosing the best model: the kind of judging examples first, then the score.

        Scores of different sets are comparable only if human summaries judge; otherwise each set has its own
        judges.
        """
        return JUDGED_ON.index(self.set.judged_on), self.trained.best


def extractor(
    training_sets: Parts,
    gold_papers: Parts,
    params: ExtractorParams,
    checkpoints: CheckpointFolder,
    strict: bool,
) -> Outcomes:
    """Train the models, and yield them with their choices on the examples; the units are the examples.

    A model learns from its set's examples in the split `train`; the training papers of `gold_papers` form the
    set `oracle`. Models are judged by ROUGE-2 F against human summaries of the papers of `gold_papers` in the
    split `validation`. Without such papers, they are judged on the set's own validation examples and
    summaries, and without these on their training examples. models.json says which (`judged_on`), and whether
    scores of different sets are for the same papers and references (`sets_comparable`). An example without a
    label is dropped as `no_label`.

    Raises the errors of `learning_sets` before training anything. Errors of training begin with the model's
    name.
    """
    yield from in_parts(_outcomes(training_sets, gold_papers, params, checkpoints, strict))


def _outcomes(
    training_sets: Parts,
    gold_papers: Parts,
    params: ExtractorParams,
    checkpoints: CheckpointFolder,
    strict: bool,
) -> Outcomes:
    from silverloom.ops.talksumm.extractors.files import save

    with training_sets.engine.scratch() as folder:
        sets = learning_sets(training_sets, gold_papers, folder)
        embed = embedder(params.encoder, strict)
        if "transformer" in params.architectures:  # the pointer network needs no embeddings
            embed = embedded_before(embed, _texts(sets), checkpoints, folder / "embeddings")
        models = [
            _train(architecture, examples, params, embed, checkpoints, strict, folder)
            for examples in sets
            for architecture in params.architectures
        ]
        candidates = [model for model in models if params.choose_oracle or model.set.name != ORACLE]
        best = max(candidates, key=lambda model: model.rank, default=None)
        for model in models:
            rows = (_row(model, example, params.words, model is best) for example in model.set.examples)
            first = model.architecture == params.architectures[0] and model.set.name != ORACLE
            for block in in_blocks(rows):
                yield Outcome.of(EXTRACTOR, [row["example_id"] for row in block if first], block)
    for table in training_sets:
        dropped = [drop(unit, "no_label") for unit in table.to_pylist() if not any(unit["labels"])]
        yield Outcome.of(EXTRACTOR, [unit["id"] for unit in dropped], [], dropped)
    files = {
        f"{model.name}/{name}": content for model in models for name, content in save(model.extractor).items()
    }
    reports = [_report(model, model is best) for model in models]
    files[MODELS] = json.dumps(reports, indent=1, sort_keys=True).encode()
    yield Outcome.of(EXTRACTOR, [], [], files=files)


def _texts(sets: Iterable[LearningSet]) -> Iterator[str]:
    """Yield the titles and sentences of all papers in the sets."""
    for examples in sets:
        for example in chain(examples.examples, examples.judges):
            yield example.paper.title
            yield from example.paper.sentences


def trained(artifact: Artifact, strict: bool = True) -> Iterator[tuple[str, bool, Extractor]]:
    """Yield every trained extractor: its name ("transformer/words_150"), whether it was chosen, and itself.

    They share the embeddings of sentences that they have seen.
    """
    from silverloom.ops.models.trained import CONFIG
    from silverloom.ops.talksumm.extractors.files import load

    embeds: dict[str, Embed] = {}
    for model in json.loads((artifact.folder / MODELS).read_text()):
        files = artifact.files(model["model"])
        name = json.loads(files[CONFIG]).get("encoder")
        if name and name not in embeds:
            embeds[name] = remembering(embedder(name, strict))
        yield model["model"], model["chosen"], load(files, embed=embeds.get(name))


def _train(
    architecture: Architecture,
    examples: LearningSet,
    params: ExtractorParams,
    embed: Embed,
    checkpoints: CheckpointFolder,
    strict: bool,
    folder: Path,
) -> _Model:
    from silverloom.ops.talksumm.extractors.files import make
    from silverloom.ops.talksumm.extractors.tasks import task_of

    name, training = f"{architecture}/{examples.name}", params.training(architecture)
    model = make(params.config(architecture), training.seed, embed=embed)
    judge = partial(_rouge, examples.judges, params.words)
    task = task_of(model, labelled(examples.learnt), labelled(examples.judges), judge, params.words, folder)
    checkpoint = checkpoints.at(name.replace("/", "-"))
    with errors_of(name):
        ended = train(task, training, checkpoint, ProgressLines(name), strict)
    return _Model(architecture, examples, model, training, ended)


def _rouge(examples: Sequence[LearningExample], words: int, index: int, extraction: Extraction) -> float:
    """Return ROUGE-2 F of the summary of an extraction, against all references of its paper."""
    example = examples[index]
    summary = only(example.paper.sentences, extraction.indices, words, cut=True)
    return rouge_of_references(summary.sentences, example.references, words=words)["rouge2"].f


def _row(model: _Model, example: LearningExample, words: int, chosen: bool) -> Row:
    row, paper = example.row, example.paper
    positions = model.extractor.extract(paper, words).indices
    both = len(set(positions) & set(example.labels))
    return {
        **made_from(row, "extraction", model.name, row["id"]),
        "example_id": row["id"],
        "paper_id": row["paper_id"],
        "title": row["title"],
        "architecture": model.architecture,
        "set": model.set.name,
        "split": row["split"],
        "sentences": len(paper),
        "positions": list(positions),
        "labels": example.labels,
        "agreement": round(2 * both / (len(positions) + len(example.labels)), 6),
        "chosen": chosen,
    }


def _report(model: _Model, chosen: bool) -> dict[str, Any]:
    return training_report(
        model.name,
        model.architecture,
        model.extractor.config,
        model.set,
        model.training,
        model.trained,
        chosen,
        _METRICS,
        sets_comparable=model.set.judged_on == JUDGED_ON[-1],
    )
