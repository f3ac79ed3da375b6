"""One training of a summarizer: from a set of examples to a model, its report and its files.

Belongs here: the default sizes and training settings of the four architectures; fitting a model to its set,
and training it. Not here: which models are trained (summarizer.py, grid.py), the networks
(ops/wikisum/long_sequences).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import Field, JsonValue, model_validator

from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Artifact
from silverloom.ops.models.training import CheckpointFolder, TrainingError, TrainingParams, errors_of
from silverloom.ops.models.training.params import SizedParams
from silverloom.ops.models.training.report import train_model
from silverloom.ops.wikisum.long_sequences.sizes import (
    DecoderParams,
    EncoderDecoderParams,
    LstmParams,
    ModelParams,
    PretrainedParams,
    SubwordVocabulary,
)
from silverloom.ops.wikisum.long_sequences.texts import CARD, model_card
from silverloom.ops.wikisum.models.learning_sets import LearningSet, reader_of
from silverloom.ops.wikisum.tokenizer import END, PAD, SEPARATOR, TITLE_END

#: The metric that selects the weights of a training, in every size: section 5.1 finds that it tracks ROUGE.
KEPT_BY = {"metric": "log_perplexity", "direction": "min"}


class Size(Params):
    """The models of one size, by name, and how each is trained."""

    architectures: dict[str, ModelParams] = Field({"t_dmca": DecoderParams()}, min_length=1)
    """By name: what each model is."""
    training: TrainingParams = TrainingParams()
    trainings: dict[str, dict[str, JsonValue]] = Field(
        {}, description="of an architecture, by its name: what differs from `training`"
    )

    @model_validator(mode="after")
    def _known(self) -> Size:
        if unknown := sorted(self.trainings.keys() - self.architectures.keys()):
            there = ", ".join(self.architectures)
            raise ValueError(f"trainings names {', '.join(unknown)}: there are {there}")
        for name in self.trainings:
            if fixed := sorted(self.trainings[name].keys() & KEPT_BY.keys()):
                raise ValueError(f"trainings.{name}: {', '.join(fixed)} is the same in every training")
            self.training_of(name)
        return self

    def training_of(self, architecture: str) -> TrainingParams:
        """Return how the models of an architecture are trained."""
        own = self.trainings.get(architecture, {})
        return TrainingParams.model_validate({**dict(self.training), **own, **KEPT_BY})


#: Targets are not cut: the longest lead of the corpus is shorter.
_UNCUT = 16384


def _tiny_decoder(layers: str, block: int = 256) -> DecoderParams:
    return DecoderParams(layers=layers, block=block, width=32, filter=64, heads=2, longest_target=40, beam=2)


def _base_decoder(layers: str) -> DecoderParams:
    return DecoderParams(layers=layers, width=256, filter=1024, heads=4)


def _paper_decoder(layers: str, experts: int = 0) -> DecoderParams:
    return DecoderParams(
        layers=layers, experts=experts, width=512, filter=2048, heads=8, longest_target=_UNCUT,
        label_smoothing=0.1,
    )  # fmt: skip


#: tiny: seconds on the sample, too small to learn to write; base: hours on a GPU; paper: tensor2tensor's
#: lstm_attention and transformer_base_v1.
SIZES = {
    "tiny": Size(
        architectures={
            "seq2seq": LstmParams(hidden=16, layers=1, longest_target=40, beam=2),
            "t_ed": EncoderDecoderParams(layers=1, width=32, filter=64, heads=2, longest_target=40, beam=2),
            "t_d": _tiny_decoder("FF"),
            "t_dmca": _tiny_decoder("LML", block=32),
        },
        training=TrainingParams(epochs=3, learning_rate=0.003, batch_size=8),
    ),
    "base": Size(
        architectures={
            "seq2seq": LstmParams(hidden=128, layers=2),
            "t_ed": EncoderDecoderParams(layers=4, width=256, filter=1024, heads=4),
            "t_d": _base_decoder("FFFF"),
            "t_dmca": _base_decoder("LMLML"),
        },
        training=TrainingParams(
            epochs=20,
            batch_size=64,
            batch_cost=16000,
            learning_rate=0.001,
            schedule="inverse_sqrt",
            warmup=0.02,
            weight_decay=0.0,
            precision="bfloat16",
            validate_every=1000,
            checkpoint_every=500,
            patience=10,
        ),
    ),
    "paper": Size(
        architectures={
            "seq2seq": LstmParams(
                hidden=128, layers=2, longest_target=_UNCUT, dropout=0.2, label_smoothing=0.1
            ),
            "t_ed": EncoderDecoderParams(
                layers=6, width=512, filter=2048, heads=8, longest_target=_UNCUT, label_smoothing=0.1
            ),
            "t_d": _paper_decoder("FFFFFF"),
            "t_dmca": _paper_decoder("LMLML"),
            "t_dmca_moe": _paper_decoder("LMLML", experts=128),
            "t_dmca_moe_256": _paper_decoder("LMLML", experts=256),
        },
        training=TrainingParams(
            epochs=100,
            steps=1_000_000,
            batch_size=64,
            batch_cost=4096,
            beta_1=0.9,
            beta_2=0.98,
            epsilon=1e-9,
            clip=None,
            learning_rate=0.00069877,
            schedule="inverse_sqrt",
            warmup=0.004,
            weight_decay=0.0,
            precision="bfloat16",
            gradient_checkpointing=True,
            validate_every=5000,
            checkpoint_every=1000,
        ),
        trainings={
            "seq2seq": {
                "batch_cost": 1024,
                "beta_1": 0.85,
                "beta_2": 0.997,
                "epsilon": 1e-6,
                "clip": 2.0,
                "learning_rate": 0.0002,
                "schedule": "constant",
                "warmup": 0.0001,
            }
        },
    ),
}


if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from silverloom.ops.wikisum.long_sequences.texts import TextModel


_WHAT = (
    "Writes the lead of an encyclopedia's article from its title and ranked paragraphs of references, as in "
    "Liu et al. (2018), Generating Wikipedia by Summarizing Long Sequences. Trained on the set `{name}`."
)


class SummarizerSizes(SizedParams):
    """The sizes of summarizers; in every size, training keeps the weights with the lowest log-perplexity."""

    sizes: dict[str, Size] = Field(SIZES, min_length=1)

    def same_in_all(self) -> Mapping[str, Mapping[str, str]]:
        """Return the setting that is the same in all sizes: which weights a training keeps."""
        return {"training": KEPT_BY}

    def models(self) -> list[str]:
        """Return the names of the pretrained models among the trained architectures, sorted."""
        architectures = self.sizes[self.size].architectures
        trained = (architectures[name] for name in self.trained() if name in architectures)
        return sorted({kind.model for kind in trained if isinstance(kind, PretrainedParams)})

    def trained(self) -> Collection[str]:
        """Return the names of the architectures that are trained."""
        return self.sizes[self.size].architectures.keys()

    def training_of(self, architecture: str) -> TrainingParams:
        """Return how the models of an architecture are trained, in the configured size."""
        return self.sizes[self.size].training_of(architecture)


def vocabulary_of(tokenizer: Tokenizer) -> SubwordVocabulary:
    """Return the size of a tokenizer, and the numbers of its special tokens."""
    numbers = tokenizer.get_vocab()
    return SubwordVocabulary(len(numbers), numbers[PAD], numbers[END], numbers[SEPARATOR])


def train_summarizer(
    name: str,
    size: ModelParams,
    learnt: LearningSet,
    tokenizer: Tokenizer,
    params: TrainingParams,
    checkpoints: CheckpointFolder,
    strict: bool,
) -> tuple[TextModel, dict[str, Any]]:
    """Return a trained model and its report. Raises TrainingError, starting with the name."""
    from silverloom.ops.wikisum.long_sequences.task import SequenceTask

    with errors_of(name):
        text_model = _untrained(size, learnt, tokenizer, params.seed)
    model, config = text_model.model, text_model.model.params
    pretrained = isinstance(config, PretrainedParams)
    own = learnt.read_by(reader_of(text_model)) if pretrained else learnt
    sources, targets = own.learnt.lengths.T
    # For other models, every source already has the length that its set prescribes.
    cut: dict[str, Any] = {"cut_sources": int((sources > config.longest_source).sum())} if pretrained else {}
    report = train_model(
        name,
        SequenceTask(model, own.learnt, own.judges, counted=own.counted),
        config.architecture,
        config,
        own,
        params,
        checkpoints.at(name),
        strict,
        chosen=False,
        cut_targets=int((targets > config.longest_target).sum()),
        **cut,
    )
    return text_model, report


def summarizer_files(
    model: TextModel, report: Mapping[str, Any], tokenizer: Artifact, licences: Sequence[str]
) -> dict[str, bytes]:
    """Return the files of a model with its tokenizer and card, by path, in a folder named after the model."""
    what = _WHAT.format(name=report["set"])
    card = model_card(report["model"], what, licences, report["config"], report)
    files = {**model.model.files(), **tokenizer.files(), CARD: card}
    return {f"{report['model']}/{file}": content for file, content in files.items()}


def _untrained(size: ModelParams, learnt: LearningSet, tokenizer: Tokenizer, seed: int) -> TextModel:
    """Return a model that fits its set, with random or pretrained weights."""
    from silverloom.ops.wikisum.long_sequences import pretrained
    from silverloom.ops.wikisum.long_sequences.model import make
    from silverloom.ops.wikisum.long_sequences.texts import PretrainedTexts, TextModel

    target = {"longest_target": learnt.longest_target or size.longest_target}
    if isinstance(size, PretrainedParams):
        try:
            # A natural source has no mark behind its title.
            marks = [] if size.text == "natural" else [TITLE_END]
            begun = pretrained.begin(size.model_copy(update=target), marks, seed)
        except ValueError as error:
            raise TrainingError(str(error)) from error
        return PretrainedTexts(begun, tokenizer)
    fitted = size.model_copy(update={"longest_source": learnt.longest_source, **target})
    return TextModel(make(fitted, vocabulary_of(tokenizer), seed), tokenizer)
