"""One training of a summarizer: from a set of examples to a model, its report and its files.

Belongs here: fitting a model to its set, training it. Not here: how large models are (summarizer_sizes.py),
which are trained (summarizer.py, grid.py), the networks (ops/models/long_sequences).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import Field

from ops.models.long_sequences.card import CARD, model_card
from ops.models.long_sequences.sizes import ModelParams, PretrainedParams, SubwordVocabulary
from ops.models.training import CheckpointFolder, TrainingError, TrainingParams, errors_of, train
from ops.models.training.progress import ProgressLines
from ops.models.training.report import count_weights, training_report
from ops.models.training.sizes import SizedParams
from ops.parts import Artifact
from ops.wikisum.models.learning_sets import LearningSet
from ops.wikisum.models.reading import reader_of
from ops.wikisum.models.summarizer_sizes import KEPT_BY, SIZES, Size
from ops.wikisum.tokenizer import END, PAD, SEPARATOR, TITLE_END

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from ops.models.long_sequences.texts import TextModel

_WHAT = (
    "Writes the lead of an encyclopedia's article from its title and ranked paragraphs of references, as in "
    "Liu et al. (2018), Generating Wikipedia by Summarizing Long Sequences. Trained on the set `{name}`."
)


class SummarizerSizes(SizedParams):
    """The sizes of summarizers; the weights stay that have the least log-perplexity, in every size."""

    sizes: dict[str, Size] = Field(SIZES, min_length=1)

    def same_in_all(self) -> Mapping[str, Mapping[str, str]]:
        """Return by what the weights of a training are kept."""
        return {"training": KEPT_BY}

    def models(self) -> list[str]:
        """Return the names of the pretrained models among the architectures that are trained, sorted."""
        found = self.sizes[self.size].architectures
        trained = (found[name] for name in self.trained() if name in found)
        return sorted({kind.model for kind in trained if isinstance(kind, PretrainedParams)})

    def trained(self) -> Collection[str]:
        """Return the names of the architectures that are trained."""
        return self.sizes[self.size].architectures.keys()

    def training_of(self, architecture: str) -> TrainingParams:
        """Return how the models of an architecture are trained in the size that is asked for."""
        return self.sizes[self.size].training_of(architecture)


def vocabulary_of(tokenizer: Tokenizer) -> SubwordVocabulary:
    """Return the size of a tokenizer, and the numbers of what stands for no text."""
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
    """Return a trained model and its report. Raises TrainingError that begins with the name."""
    from ops.models.long_sequences.task import SequenceTask

    with errors_of(name):
        found = _untrained(size, learnt, tokenizer, params.seed)
        model, config = found.model, found.model.params
        pretrained = isinstance(config, PretrainedParams)
        own = learnt.read_by(reader_of(found)) if pretrained else learnt
        task = SequenceTask(model, own.learnt, own.judges, counted=own.counted)
        trained = train(task, params, checkpoints.at(name), ProgressLines(name), strict)
    sources, targets = own.learnt.lengths.T
    # Every other source is as long as its set says.
    cut: dict[str, Any] = {"cut_sources": int((sources > config.longest_source).sum())} if pretrained else {}
    report = training_report(
        name,
        config.architecture,
        config,
        own,
        params,
        trained,
        chosen=False,
        weights=count_weights(model.network),
        cut_targets=int((targets > config.longest_target).sum()),
        **cut,
    )
    return found, report


def _untrained(size: ModelParams, learnt: LearningSet, tokenizer: Tokenizer, seed: int) -> TextModel:
    """Return a model that fits its set, with random weights or those that it was trained to before."""
    from ops.models.long_sequences import pretrained
    from ops.models.long_sequences.model import make
    from ops.models.long_sequences.texts import PretrainedTexts, TextModel

    target = {"longest_target": learnt.longest_target or size.longest_target}
    if isinstance(size, PretrainedParams):
        try:
            begun = pretrained.begin(size.model_copy(update=target), [TITLE_END], seed)
        except ValueError as error:
            raise TrainingError(str(error)) from error
        return PretrainedTexts(begun, tokenizer)
    fitted = size.model_copy(update={"longest_source": learnt.longest_source, **target})
    return TextModel(make(fitted, vocabulary_of(tokenizer), seed), tokenizer)


def summarizer_files(
    model: TextModel, report: Mapping[str, Any], tokenizer: Artifact, licences: Sequence[str]
) -> dict[str, bytes]:
    """Return the files of a model with its tokenizer and card, by path: in a folder of the model's name."""
    what = _WHAT.format(name=report["set"])
    card = model_card(report["model"], what, licences, report["config"], report)
    files = {**model.model.files(), **tokenizer.files(), CARD: card}
    return {f"{report['model']}/{file}": content for file, content in files.items()}
