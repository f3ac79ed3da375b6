"""Memory of ops over all months: one part at a time, and only the columns that they need."""

import gc
from collections import Counter
from dataclasses import dataclass, field, replace

import pyarrow as pa
import pytest

from silverloom.ops.core.parts import Part
from silverloom.ops.models.training import TrainingError
from silverloom.ops.models.training.examples import ExampleStore
from silverloom.ops.wikisum import tokenizer as sub_words
from silverloom.ops.wikisum.corpus import CorpusParams
from silverloom.ops.wikisum.dispersion import DispersionParams
from silverloom.ops.wikisum.examples import ExampleParams
from silverloom.ops.wikisum.examples import examples as sets_of_examples
from silverloom.ops.wikisum.learned_ranker import LearnedRankerParams, learned_ranker
from silverloom.ops.wikisum.learned_ranker import load as load_ranker
from silverloom.ops.wikisum.long_sequences.texts import TextModel
from silverloom.ops.wikisum.models.grid import grid
from silverloom.ops.wikisum.models.learning_sets import SubWords, learning_set, sets_of
from silverloom.ops.wikisum.models.summaries import SummaryParams, rouge_scores, summaries
from silverloom.ops.wikisum.schemas import CORPUS, LEARNED_RANKER, RANKED, REFERENCES, TOKENIZER, SplitParams
from silverloom.ops.wikisum.statistics import statistics
from silverloom.ops.wikisum.tokenizer import TokenizerParams
from tests.checkpoints import Memory
from tests.ops.wikisum.encyclopedia import Steps, article, artifact, page
from tests.ops.wikisum.models.grid_cases import given, rows_of
from tests.ops.wikisum.models.summarizer_cases import (
    ARCHITECTURES,
    artifact_of,
    examples,
    made,
    params,
    tokenizer,
)
from tests.ops.wikisum.models.summarizer_cases import rows_of as summarized
from tests.parts import parts
from tests.waiting import until

TWO = {name: ARCHITECTURES[name] for name in ("t_d", "t_ed")}
NAMES = ("Salt bread", "Corrow soup", "Tane eel", "Varn cake")


@dataclass(frozen=True)
class Watched(Part):
    """A part that records which of its columns were read; None: all."""

    reads: list = field(default_factory=list)

    def read(self, columns=None):
        self.reads.append(columns)
        return super().read(columns)


def watched(found, reads):
    return replace(found, parts=tuple(Watched(part.path, reads) for part in found.parts))


@pytest.fixture
def steps(tmp_path):
    def text(name):
        return f"{name} is a dish of the island , and {name} is made of flour and salt ."

    pages = [page(f"http://a/{number}", text(name)) for number, name in enumerate(NAMES)]
    articles = [
        article(name, f"{name} is a dish.", cites=[f"http://a/{number}"]) for number, name in enumerate(NAMES)
    ]
    return Steps(tmp_path, articles, pages)


def ranked(steps, reads):
    rows = steps.kept("ranked")
    assert len(rows) == len(NAMES)
    return watched(parts(steps.folder / "one each", RANKED.kept, *([row] for row in rows)), reads)


def test_the_learned_ranker_yields_a_part_before_it_reads_all(steps):
    reads = []
    outcomes = learned_ranker(ranked(steps, reads), SplitParams(), LearnedRankerParams())
    next(outcomes)
    assert len(reads) <= len(NAMES) + 2  # all of them for learning, then one after the other
    assert len(list(outcomes)) == len(NAMES) - 1


def test_examples_load_the_tokenizer_and_the_ranker_once_for_all_parts(steps, monkeypatch):
    found, splits = ranked(steps, []), SplitParams(validation=0, test=0)
    pieces = artifact(
        steps.folder / "pieces",
        TOKENIZER,
        sub_words.tokenizer(found, splits, TokenizerParams(vocabulary=300)),
    )
    ranker = artifact(
        steps.folder / "ranker", LEARNED_RANKER, learned_ranker(found, splits, LearnedRankerParams())
    )
    loaded = Counter()

    def counted(load):
        return lambda given: loaded.update([load.__module__]) or load(given)

    # the package `tokenizers` never frees some megabytes of a tokenizer that has encoded
    monkeypatch.setattr("silverloom.ops.wikisum.examples.sub_words.load", counted(sub_words.load))
    monkeypatch.setattr("silverloom.ops.wikisum.examples.load_ranker", counted(load_ranker))
    made = list(sets_of_examples(found, pieces, ranker, splits, ExampleParams()))
    assert [len(outcome.units) for outcome in made] == [1] * len(NAMES)
    assert loaded == {"silverloom.ops.wikisum.tokenizer": 1, "silverloom.ops.wikisum.learned_ranker": 1}


def test_statistics_yield_a_part_before_they_read_all(steps):
    reads = []
    found = ranked(steps, reads)
    more = (
        steps.parts("corpus"),
        steps.parts("references"),
        ExampleParams(),
        CorpusParams(),
        DispersionParams(),
    )
    outcomes = statistics(found, *more)
    next(outcomes)
    assert len(reads) <= 2
    held = []
    for outcome in outcomes:
        last = outcome.files
        del outcome
        held.append(pa.total_allocated_bytes())
        # no table of an earlier part is held; a thread of Arrow may free one a moment later
        until(pa.total_allocated_bytes, lambda size: size <= held[0])
    assert list(last) == ["tables.json"]


@pytest.mark.parametrize("order", [1, -1])
def test_sizes_of_articles_are_correct_in_any_order_and_the_corpus_is_read_only_as_far_as_needed(
    steps, order
):
    reads = []
    rows = steps.kept("corpus")
    expected = {row["article_id"]: 0 for row in rows}
    for row in rows:
        expected[row["article_id"]] += row["words"] * row["searched"]
    groups = [[row for row in rows if row["article_id"] == name] for name in expected][::order]
    corpus = watched(parts(steps.folder / "corpus of parts", CORPUS.kept, *groups), reads)
    more = (corpus, steps.parts("references"), ExampleParams(), CorpusParams(), DispersionParams())
    outcomes = statistics(ranked(steps, []), *more)
    first = next(outcomes)
    if order == 1:
        assert len(reads) == 1
    found = [row for outcome in (first, *outcomes) for row in outcome.kept.to_pylist()]
    assert {row["article_id"]: row["search_words"] for row in found} == expected


def test_without_articles_there_are_still_tables(tmp_path):
    none = [parts(tmp_path / shape, kind.kept) for shape, kind in
            (("ranked", RANKED), ("corpus", CORPUS), ("references", REFERENCES))]  # fmt: skip
    [counted] = statistics(*none, ExampleParams(), CorpusParams(), DispersionParams())
    [judged] = learned_ranker(none[0], SplitParams(), LearnedRankerParams())
    assert (list(counted.files), list(judged.files)) == (["tables.json"], ["recalls.json"])


def test_the_grid_reads_no_text_before_its_models_have_generated(tmp_path):
    reads = []
    params = given()
    stored = watched(examples(tmp_path / "examples", rows_of(tmp_path, params)), reads)
    next(grid(stored, tokenizer(tmp_path / "tokenizer")[0], params, Memory(), True))
    assert len([columns for columns in reads if columns is None]) == 1  # of the yielded part
    assert not any("source" in columns for columns in reads if columns)


def test_summaries_keep_one_model_in_memory_and_none_while_rows_are_yielded(tmp_path, monkeypatch):
    rows = summarized(tmp_path, count=6)
    models = artifact_of(tmp_path / "models", made(tmp_path, rows, params(TWO)))
    while_written = []

    def held():
        return sum(type(thing) is TextModel for thing in gc.get_objects())

    def counted(prediction, target):
        while_written.append(held())
        return rouge_scores(prediction, target)

    monkeypatch.setattr("silverloom.ops.wikisum.models.summaries.rouge_scores", counted)
    kept, while_yielded = 0, []
    for outcome in summaries(examples(tmp_path / "again", rows), models, SummaryParams()):
        kept += len(outcome.kept)
        while_yielded.append(held())
    assert (kept, while_written, set(while_yielded)) == (2, [1, 1], {0})


def test_each_example_is_read_once_for_all_sets(tmp_path):
    reads = []
    rows = [row for name in ("tiny", "other", "third") for row in summarized(tmp_path, name, 6)]
    stored = watched(examples(tmp_path / "examples", rows), reads)
    found = sets_of(stored, {"decoder"}, tmp_path / "sets")
    assert len(reads) == len(stored.parts) and "source" not in {name for columns in reads for name in columns}
    read = {
        name: learning_set(own, name, SubWords(tokenizer(tmp_path)[1]), 2, 0) for name, own in found.items()
    }
    assert {name: len(learnt.learnt) for name, learnt in read.items()} == dict.fromkeys(found, 4)
    assert len(reads) == len(stored.parts)


def test_a_summarizer_has_the_examples_of_one_set_on_disk_and_no_models_files_in_memory(tmp_path):
    rows = [*summarized(tmp_path, count=6), *summarized(tmp_path, "other", 6)]
    counts = []

    class Watching(Memory):
        def at(self, name):
            counts.append(sum(type(thing) is ExampleStore for thing in gc.get_objects()))
            return super().at(name)

    first, *_ = made(tmp_path, rows, params(TWO), Watching())
    assert counts == [2, 2, 2, 2]  # for each training: training and validation examples
    assert {name.partition("/")[0] for name in first.files} == {
        "models.json", "other-t_d", "other-t_ed", "tiny-t_d", "tiny-t_ed",
    }  # fmt: skip
    assert first.files["tiny-t_d/README.md"].startswith(b"---")
    assert not any(isinstance(value, bytes) for value in vars(first.files).values())


def test_a_set_without_training_examples_is_refused_before_any_training(tmp_path):
    rows = [*summarized(tmp_path, "other", 6), *summarized(tmp_path, count=6, split="test")]
    checkpoints = Memory()
    with pytest.raises(TrainingError, match="the set 'tiny' has no example in the split train"):
        made(tmp_path, rows, params(TWO), checkpoints)
    assert checkpoints.writes == []
