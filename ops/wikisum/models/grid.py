"""A grid of summarizers that vary in extractor, corpus, input length and architecture.

Belongs here: the cells of a grid, training each, and what each writes for test examples. Not here: a single
training (summarizer_training.py), tables over cells (ops/wikisum/evaluation).

Liu et al. (2018), section 5.3: they vary four dimensions, holding two or three fixed at a time.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, groupby, islice, product
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from silverloom.ops.core.outcome import Outcome, Outcomes, Row, Shape, drop, extended
from silverloom.ops.core.params import Params
from silverloom.ops.core.parts import Artifact, Parts
from silverloom.ops.core.sampling import sample_names
from silverloom.ops.evaluation.table import Bootstrap, CorpusMetric, mean_scores
from silverloom.ops.models.decoding import Decoding, decoding_field
from silverloom.ops.models.training import CheckpointFolder, TrainingError
from silverloom.ops.wikisum.corpus import CorpusName
from silverloom.ops.wikisum.examples import ExampleParams, InputSet, examples
from silverloom.ops.wikisum.long_sequences.texts import TextModel
from silverloom.ops.wikisum.models.learning_sets import LearningSet, SubWords, learning_set, rows_of, sets_of
from silverloom.ops.wikisum.models.summaries import PERPLEXITY, SUMMARIES, RowSpool, score, scored_columns
from silverloom.ops.wikisum.models.summarizer import MODELS, distinct
from silverloom.ops.wikisum.models.summarizer_training import (
    SummarizerSizes,
    summarizer_files,
    train_summarizer,
)
from silverloom.ops.wikisum.rank import Method
from silverloom.ops.wikisum.schemas import EXAMPLES, SplitParams
from silverloom.ops.wikisum.tokenizer import load as load_tokenizer

#: This ranker has seen the target lead, so its cells are never chosen.
CHEATING = "cheating"

#: The articles of the test split that were not drawn, so no cell writes for them.
NOT_DRAWN = "not_drawn.json"

#: The scores of a cell on the test split in models.json, each with the ends of its interval.
TESTED: Mapping[str, CorpusMetric | None] = {"log_perplexity": PERPLEXITY, "rougeL_f": None}

#: Test examples that a cell writes for at once.
_AT_ONCE = 1024

_TEXT = pa.string()

GRID = Shape(
    unit=EXAMPLES.kept,
    kept=extended(
        SUMMARIES.kept,
        ("ranker", _TEXT, "what ordered the paragraphs of the input"),
        ("corpus", _TEXT, "combined, citations or search"),
        ("length", pa.int32(), "sub-words of the input at most: L"),
    ),
)

Ranker: TypeAlias = Method | Literal["learned"]


class Cell(NamedTuple):
    """One training of a grid."""

    ranker: str
    corpus: str
    length: int
    architecture: str

    @property
    def set(self) -> str:
        """The name of the set of examples that the cell trains on."""
        return f"{self.ranker}-{self.corpus}-{self.length}"

    @property
    def name(self) -> str:
        """The name of the cell's model."""
        return f"{self.architecture}-{self.set}"


class GridSlice(Params):
    """Every combination of four lists."""

    rankers: tuple[Ranker, ...] = Field(("tf_idf",), min_length=1)
    """What orders the paragraphs."""
    corpora: tuple[CorpusName, ...] = Field(("combined",), min_length=1)
    """References whose paragraphs are read."""
    lengths: tuple[int, ...] = Field((500,), min_length=1, description="L, in sub-words")
    architectures: tuple[str, ...] = Field(("t_dmca",), min_length=1, description="of the size, by name")

    def cells(self) -> Iterator[Cell]:
        """Yield the cells of the slice."""
        yield from (
            Cell(*values) for values in product(self.rankers, self.corpora, self.lengths, self.architectures)
        )


#: Tables 3 and 4 and Figures 2 and 3 with the lengths that a single machine trains.
SLICES = {
    "extractors": GridSlice(
        rankers=("cheating", "tf_idf", "identity"), lengths=(500,), architectures=("t_ed",)
    ),
    "corpora": GridSlice(corpora=("citations", "search"), lengths=(500,), architectures=("t_ed",)),
    "lengths": GridSlice(lengths=(50, 100, 500), architectures=("t_ed", "t_dmca")),
    "architectures": GridSlice(lengths=(500,), architectures=("seq2seq", "t_d")),
}


class GridParams(SummarizerSizes, section="wikisum.grid"):
    """Which cells are trained and scored; a cell that is in several slices is trained once."""

    slices: dict[str, GridSlice] = Field(SLICES)
    """Each trains every combination of its lists."""
    validation_examples: int = Field(200, ge=1, description="of its set that judge a model, at most")
    test_articles: int | None = Field(
        None,
        ge=1,
        description="drawn, the same for every cell; null: the whole test split",
        json_schema_extra={"paper": "not said"},
    )
    resamples: int = Field(1000, ge=1, description="draws behind each 95 % interval")
    seed: int = Field(0, ge=0, description="of these draws")
    decoding: Decoding = decoding_field()

    def cells(self) -> list[Cell]:
        """Return the cells, sorted so that cells of the same set are adjacent."""
        return sorted({cell for part in self.slices.values() for cell in part.cells()})

    def trained(self) -> Collection[str]:
        """Return the architectures of the cells."""
        return {cell.architecture for cell in self.cells()}

    def sets(self) -> dict[str, InputSet]:
        """Return the sets that the cells train on, by name."""
        return {
            cell.set: InputSet.model_validate(
                {"ranker": cell.ranker, "corpus": cell.corpus, "tokens": cell.length}
            )
            for cell in self.cells()
        }


def grid_examples(
    ranked: Parts,
    tokenizer: Artifact,
    learned_ranker: Artifact,
    splits: SplitParams,
    params: ExampleParams,
    grid: GridParams,
) -> Outcomes:
    """Yield the examples of every set of the grid, as `silverloom.ops.wikisum.examples.examples` does.

    Section 3: comparisons of corpora have the same articles. An article that gives no example to some set of
    the grid is dropped from all of them as `not_in_every_set`.
    """
    own = params.model_copy(update={"sets": grid.sets()})
    return examples(ranked, tokenizer, learned_ranker, splits, own, in_every_set=True)


def grid(
    grid_examples: Parts,
    tokenizer: Artifact,
    params: GridParams,
    checkpoints: CheckpointFolder,
    strict: bool,
) -> Outcomes:
    """Yield what every cell writes for the test examples of its set; the units are the examples.

    models.json has every cell with its scores on these. Only the chosen cell keeps its weights: the one with
    the lowest log-perplexity on validation, among cells whose ranker does not cheat. Drops examples of other
    splits as `split_train` and `split_validation`, those not drawn as `not_drawn`, and those of a set without
    training examples as `no_model`. Raises LookupError for an architecture that is missing from the size,
    before any training.
    """
    cells = params.cells()
    _check(cells, params)
    articles, not_drawn = _test_articles(grid_examples, params)
    licences = distinct(grid_examples, "licence")
    reports: list[dict[str, Any]] = []
    chosen: dict[str, Any] | None = None
    spools: list[RowSpool] = []
    files: dict[str, bytes] = {}
    sizes = params.sizes[params.size].architectures
    with grid_examples.engine.scratch() as folder:
        used = {sizes[cell.architecture].architecture for cell in cells}
        sets = sets_of(grid_examples, used, folder / "sets")
        for name, group in groupby(cells, key=lambda cell: cell.set):
            learnt = _learning_set(sets, name, tokenizer, params, folder)
            if learnt is None:
                continue
            for cell in group:
                model, report = _trained(cell, learnt, tokenizer, params, checkpoints, strict)
                tests = (
                    row
                    for row in rows_of(sets[name], name, "test", scored_columns(model))
                    if row["article_id"] in articles
                )
                spools.append(RowSpool(GRID.kept, _written(cell, model, report, tests)))
                report |= _scores(spools[-1], params)
                reports.append(report)
                if cell.ranker != CHEATING and (chosen is None or report["best"] < chosen["best"]):
                    chosen, files = report, summarizer_files(model, report, tokenizer, licences)
    if chosen is not None:
        chosen["chosen"] = True
    files[NOT_DRAWN] = json.dumps(not_drawn, indent=1).encode()
    files[MODELS] = json.dumps(reports, indent=1, sort_keys=True).encode()
    trained = {report["set"] for report in reports}
    for table in grid_examples:
        units = table.to_pylist()
        written: dict[str, list[Row]] = {}
        for row in chain.from_iterable(spool.take({unit["id"] for unit in units}) for spool in spools):
            written.setdefault(row["example_id"], []).append(row)
        kept = [row for unit in units for row in written.get(unit["id"], ())]
        lost = {unit["id"]: _lost(unit, trained) for unit in units if unit["id"] not in written}
        dropped = [drop(unit, lost[unit["id"]]) for unit in units if unit["id"] in lost]
        yield Outcome.of(GRID, [unit["id"] for unit in units], kept, dropped, files=files)
        files = {}


def _check(cells: Sequence[Cell], params: GridParams) -> None:
    known = params.sizes[params.size].architectures
    if missing := sorted({cell.architecture for cell in cells} - known.keys()):
        raise LookupError(
            f"wikisum.grid.slices names the architectures {', '.join(missing)}, but the size {params.size} "
            f"has {', '.join(sorted(known))}"
        )


def _test_articles(examples: Parts, params: GridParams) -> tuple[set[str], list[str]]:
    """Return the drawn test articles, the same for all sets, and the others, sorted."""
    articles: set[str] = set()
    for part in examples.parts:
        table = part.read(["article_id", "split"])
        articles.update(table.filter(pc.equal(table["split"], "test"))["article_id"].to_pylist())
    chosen = set(sample_names(articles, params.test_articles or len(articles), params.seed))
    return chosen, sorted(articles - chosen)


def _learning_set(
    sets: Mapping[str, Parts], name: str, tokenizer: Artifact, params: GridParams, folder: Path
) -> LearningSet | None:
    if name not in sets:
        return None
    reader = SubWords(load_tokenizer(tokenizer))
    try:
        return learning_set(sets[name], name, reader, params.validation_examples, params.seed, folder)
    except TrainingError:  # no article of the training split has a paragraph of this corpus
        return None


def _trained(
    cell: Cell,
    learnt: LearningSet,
    tokenizer: Artifact,
    params: GridParams,
    checkpoints: CheckpointFolder,
    strict: bool,
) -> tuple[TextModel, dict[str, Any]]:
    pieces = load_tokenizer(tokenizer)
    size = params.sizes[params.size].architectures[cell.architecture]
    training = params.training_of(cell.architecture)
    model, report = train_summarizer(cell.name, size, learnt, pieces, training, checkpoints, strict)
    model.model.place(strict, params.decoding)
    # As strings, so that MLflow records them as params of the run.
    dimensions = {name: str(value) for name, value in cell._asdict().items()}
    return model, {**report, **dimensions}


def _written(cell: Cell, model: TextModel, report: Mapping[str, Any], tests: Iterator[Row]) -> Iterator[Row]:
    """Yield what a cell writes for the test examples of its set."""
    place = {"ranker": cell.ranker, "corpus": cell.corpus, "length": cell.length}
    while some := list(islice(tests, _AT_ONCE)):
        yield from ({**row, **place} for row in score(model, report, some))


def _scores(rows: RowSpool, params: GridParams) -> dict[str, float]:
    """Return the scores of a cell on the test split, under their names in models.json."""
    if not len(rows):
        return {}
    numbers = rows.table(["nats", "tokens", "rougeL_f"])
    means = mean_scores(numbers, TESTED, Bootstrap(resamples=params.resamples, seed=params.seed))
    ends = {"": "mean", "_low": "low", "_high": "high"}
    return {f"test_{name}{suffix}": means[name][end] for name in TESTED for suffix, end in ends.items()}


def _lost(unit: Row, trained: set[str]) -> str:
    """Return why no cell writes for an example."""
    if unit["split"] != "test":
        return f"split_{unit['split']}"
    return "not_drawn" if unit["set"] in trained else "no_model"
