"""One training of a summarizer: from a set of examples to a model, its report and its files.

Belongs here: fitting a model to its set, training it. Not here: how large models are (summarizer_sizes.py),
which are trained (summarizer.py, grid.py), the networks (ops/models/long_sequences).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import Field

from ops.models.long_sequences.card import CARD, model_card
from ops.models.long_sequences.sizes import ModelParams, SubwordVocabulary
from ops.models.training import CheckpointFolder, TrainingParams, errors_of, train
from ops.models.training.progress import ProgressLines
from ops.models.training.report import count_weights, training_report
from ops.models.training.sizes import SizedParams
from ops.parts import Artifact
from ops.wikisum.models.learning_sets import LearningSet
from ops.wikisum.models.summarizer_sizes import KEPT_BY, SIZES, Size
from ops.wikisum.tokenizer import END, PAD, SEPARATOR

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from ops.models.long_sequences.model import SequenceModel

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
    vocabulary: SubwordVocabulary,
    params: TrainingParams,
    checkpoints: CheckpointFolder,
    strict: bool,
) -> tuple[SequenceModel, dict[str, Any]]:
    """Return a trained model and its report. Raises TrainingError that begins with the name."""
    from ops.models.long_sequences.model import make
    from ops.models.long_sequences.task import SequenceTask

    # Both lengths are those of the set.
    fitted = size.model_copy(
        update={
            "longest_source": learnt.longest_source,
            "longest_target": learnt.longest_target or size.longest_target,
        }
    )
    model = make(fitted, vocabulary, params.seed)
    with errors_of(name):
        task = SequenceTask(model, learnt.learnt, learnt.judges)
        trained = train(task, params, checkpoints.at(name), ProgressLines(name), strict)
    config = model.params
    report = training_report(
        name,
        config.architecture,
        config,
        learnt,
        params,
        trained,
        chosen=False,
        weights=count_weights(model.network),
        cut_targets=int((learnt.learnt.lengths[:, 1] > config.longest_target).sum()),
    )
    return model, report


def summarizer_files(
    model: SequenceModel, report: Mapping[str, Any], tokenizer: Artifact, licences: Sequence[str]
) -> dict[str, bytes]:
    """Return the files of a model with its tokenizer and card, by path: in a folder of the model's name."""
    what = _WHAT.format(name=report["set"])
    card = model_card(report["model"], what, licences, report["config"], report)
    files = {**model.files(), **tokenizer.files(), CARD: card}
    return {f"{report['model']}/{file}": content for file, content in files.items()}
