"""Summarizers: models that write leads, one for each architecture and set of examples.

Belongs here: which are trained, and what each example is to them. Not here: the networks
(ops/models/long_sequences), what they are worth (summaries.py).

Liu et al. (2018), section 5: sets differ in extractor, corpus and L; each architecture is trained on each.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from ops.identity import row_id
from ops.models.long_sequences.card import CARD, model_card
from ops.models.long_sequences.sizes import DecoderParams, ModelParams, SubwordVocabulary
from ops.models.training import CheckpointFolder, Trained, TrainingError, TrainingParams, train
from ops.models.training.progress import ProgressLines
from ops.models.training.report import training_report
from ops.models.training.sizes import SizedParams
from ops.outcome import Outcome, Outcomes, Row, Shape, columns, drop
from ops.params import Params
from ops.parts import Artifact, Parts
from ops.wikisum.models.learning_sets import LearningSet, learning_set
from ops.wikisum.schemas import EXAMPLES
from ops.wikisum.tokenizer import END, PAD, SEPARATOR
from ops.wikisum.tokenizer import load as load_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from ops.models.long_sequences.model import SequenceModel
    from ops.models.long_sequences.texts import TextModel

#: What was trained: the file that says so of every model.
MODELS = "models.json"

_TEXT, _INT = pa.string(), pa.int32()

SUMMARIZER = Shape(
    unit=EXAMPLES.kept,
    kept=columns(
        ("example_id", _TEXT, "row of wikisum/examples"),
        ("set", _TEXT, "of the example"),
        ("split", _TEXT, "train: models learn from it; validation, test: they do not"),
        ("source_tokens", _INT, "sub-words of the input"),
        ("target_tokens", _INT, "sub-words of the lead or article"),
    ),
)

#: By what the weights of a training are kept, whatever its size: section 5.1 finds it to go with ROUGE.
_KEPT_BY = {"metric": "log_perplexity", "direction": "min"}

_WHAT = (
    "Writes the lead of an encyclopedia's article from its title and ranked paragraphs of references, as in "
    "Liu et al. (2018), Generating Wikipedia by Summarizing Long Sequences. Trained on the set `{name}`."
)


class Size(Params):
    """How large the models are, by name, and how each is trained."""

    architectures: dict[str, ModelParams] = Field({"t_dmca": DecoderParams()}, min_length=1)
    training: TrainingParams = TrainingParams()


class SummarizerParams(SizedParams, section="wikisum.summarizer"):
    """Which models are trained on which sets of examples, and what judges them on the way."""

    sizes: dict[str, Size] = Field({"tiny": Size()}, min_length=1)
    sets: list[str] | None = Field(None, description="of wikisum/examples, by name; null: all")
    validation_examples: int = Field(500, ge=1, description="of its set that judge a model, at most")
    seed: int = Field(0, ge=0, description="of the draw of these examples")

    def same_in_all(self) -> Mapping[str, Mapping[str, str]]:
        """The weights stay that have the least log-perplexity."""
        return {"training": _KEPT_BY}


def summarizer(
    examples: Parts,
    tokenizer: Artifact,
    params: SummarizerParams,
    checkpoints: CheckpointFolder,
    strict: bool,
) -> Outcomes:
    """Yield what the examples are to the models, and the models; the units are the examples.

    Those of sets that are not learnt from are dropped as `other_set`. The chosen model has the least
    log-perplexity. Without any example there is no model. Raises TrainingError for a set of params that is
    not there, and where one has nothing to learn from, before anything is trained; errors of training begin
    with the model's name.
    """
    found = load_tokenizer(tokenizer)
    vocabulary = vocabulary_of(found)
    names = _chosen(_distinct(examples, "set"), params.sets)
    licences = _distinct(examples, "licence")
    sets = [
        learning_set(examples, name, vocabulary.end, params.validation_examples, params.seed)
        for name in names
    ]
    files: dict[str, bytes] = {}
    reports = []
    for learnt in sets:
        for kind, size in sorted(params.sizes[params.size].architectures.items()):
            model = _made(size, learnt, vocabulary, params)
            name = f"{learnt.name}-{kind}"
            trained = _trained(name, model, learnt, params.part("training"), checkpoints, strict)
            report = _report(name, model, learnt, params.part("training"), trained)
            card = model_card(name, _WHAT.format(name=learnt.name), licences, report["config"], report)
            for file, content in {**model.files(), **tokenizer.files(), CARD: card}.items():
                files[f"{name}/{file}"] = content
            reports.append(report)
    best = min(reports, key=lambda report: report["best"], default=None)
    for report in reports:
        report["chosen"] = report is best
    files[MODELS] = json.dumps(reports, indent=1, sort_keys=True).encode()
    for table in examples:
        yield _outcome(table.to_pylist(), set(names), vocabulary.end, files)
        files = {}


def trained_models(artifact: Artifact, strict: bool = True) -> Iterator[tuple[Mapping[str, Any], TextModel]]:
    """Yield every trained model with its report, in use where numerics allow a GPU."""
    import torch

    from ops.models.long_sequences.texts import load

    for report in json.loads((artifact.folder / MODELS).read_text()):
        found = load(artifact.files(report["model"]))
        if not strict and torch.cuda.is_available():
            found.model.network.to("cuda")
        yield report, found


def vocabulary_of(tokenizer: Tokenizer) -> SubwordVocabulary:
    """Return the size of a tokenizer, and the numbers of what stands for no text."""
    numbers = tokenizer.get_vocab()
    return SubwordVocabulary(len(numbers), numbers[PAD], numbers[END], numbers[SEPARATOR])


def _distinct(examples: Parts, name: str) -> list[str]:
    """Return the values of a column, sorted."""
    return sorted(
        {value for part in examples.parts for value in pc.unique(part.read([name])[name]).to_pylist()}
    )


def _chosen(there: Sequence[str], asked: Sequence[str] | None) -> list[str]:
    if asked is None or not there:  # no articles, no models
        return list(there)
    if missing := sorted({*asked} - {*there}):
        raise TrainingError(
            f"wikisum.summarizer.sets names {', '.join(missing)}, but wikisum/examples has {', '.join(there)}"
        )
    return sorted({*asked})


def _made(
    size: ModelParams, learnt: LearningSet, vocabulary: SubwordVocabulary, params: SummarizerParams
) -> SequenceModel:
    from ops.models.long_sequences.model import make

    fitted = size.model_copy(update={"longest_source": learnt.longest_source})  # L is that of the set
    return make(fitted, vocabulary, params.part("training").seed)


def _trained(
    name: str,
    model: SequenceModel,
    learnt: LearningSet,
    params: TrainingParams,
    checkpoints: CheckpointFolder,
    strict: bool,
) -> Trained:
    from ops.models.long_sequences.task import SequenceTask

    try:
        task = SequenceTask(model, learnt.learnt, learnt.judges)
        return train(task, params, checkpoints.at(name), ProgressLines(name), strict)
    except TrainingError as error:
        raise type(error)(f"{name}: {error}") from error


def _report(
    name: str, model: SequenceModel, learnt: LearningSet, params: TrainingParams, trained: Trained
) -> dict[str, Any]:
    weights = sum(parameter.numel() for parameter in model.network.parameters())
    config = model.params
    return training_report(
        name, config.architecture, config, learnt, params, trained, chosen=False, weights=weights
    )


def _outcome(units: Sequence[Row], names: set[str], end: int, files: Mapping[str, bytes]) -> Outcome:
    kept = [
        {
            "id": row_id("learnt", unit["id"]),
            "source_ids": [unit["id"]],
            "licence": unit["licence"],
            "example_id": unit["id"],
            "set": unit["set"],
            "split": unit["split"],
            "source_tokens": len(unit["source_tokens"]),
            "target_tokens": len(unit["target_tokens"]),
        }
        for unit in units
        if unit["set"] in names
    ]
    dropped = [drop(unit, "other_set") for unit in units if unit["set"] not in names]
    return Outcome.of(SUMMARIZER, [unit["id"] for unit in units], kept, dropped, files=files)
