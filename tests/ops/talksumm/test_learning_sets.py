import pyarrow as pa
import pytest

from silverloom.ops.models.training import TrainingError
from silverloom.ops.talksumm.evaluation.gold_papers import GOLD_PAPERS
from silverloom.ops.talksumm.extractors.paper import LabelError
from silverloom.ops.talksumm.learning_sets import learning_sets as learning_sets_of_parts
from silverloom.ops.talksumm.learning_sets import paper_of
from silverloom.ops.talksumm.schemas import TRAINING_SETS
from tests.ops.talksumm.summary_cases import example, gold, text
from tests.parts import in_memory


def learning_sets(units, golden):
    def stored(shape, rows):
        whole = [{"source_ids": [], "licence": "MIT", **row} for row in rows]
        return in_memory(pa.Table.from_pylist(whole, schema=shape.kept))

    return learning_sets_of_parts(stored(TRAINING_SETS, units), stored(GOLD_PAPERS, golden))


def ids(examples):
    return [one.row["id"] for one in examples]


def test_sets_come_by_name_and_papers_with_human_summaries_are_the_set_oracle():
    units = [example("b", "words"), example("a", "ratio")]
    found = learning_sets(units, [gold("g", "train"), gold("h", "test")])
    assert [(one.name, ids(one.examples), ids(one.learnt)) for one in found] == [
        ("oracle", ["g"], ["g"]), ("ratio", ["a"], ["a"]), ("words", ["b"], ["b"]),
    ]  # fmt: skip


def test_models_are_validated_on_human_summaries_if_there_are_any():
    units = [example("a"), example("b", split="validation")]
    [found] = learning_sets(units, [gold("g"), gold("t", "test")])
    assert (found.judged_on, ids(found.judges), ids(found.learnt)) == ("summaries by people", ["g"], ["a"])
    assert found.judges[0].references == [gold("g")["sentences"][2:4]]


def test_otherwise_models_are_validated_on_their_own_validation_split_or_training_set():
    units = [example("a"), example("b", split="validation", labels=[0, 4]), example("c", "other")]
    other, short = learning_sets(units, [])
    assert (short.judged_on, ids(short.judges)) == ("validation split", ["b"])
    sentences = units[1]["sentences"]
    assert short.judges[0].references == [[sentences[0], sentences[4]]]
    assert (other.judged_on, ids(other.judges)) == ("training set", ["c"])


def test_an_example_without_labels_is_used_neither_for_training_nor_for_validation():
    units = [example("a"), example("b", labels=()), example("c", split="validation", labels=())]
    [found] = learning_sets(units, [])
    assert (ids(found.examples), ids(found.learnt), found.judged_on) == (["a"], ["a"], "training set")


@pytest.mark.parametrize("split", ["validation", "test"])
def test_a_validation_paper_is_in_no_training_set(split):
    units = [example("a"), example("b", paper_id="judged"), example("c", "other", paper_id="judged")]
    units += [example("d", "other")]
    other, short = learning_sets(units, [gold("g", split, paper_id="judged")])
    assert (ids(short.learnt), ids(other.learnt)) == (["a"], ["d"])
    assert [one.row["split"] for one in short.examples] == ["train", split]


@pytest.mark.parametrize("split", ["validation", "test"])
def test_a_copy_of_a_validation_paper_in_another_source_is_recognised_by_its_title(split):
    units = [example("a"), example("b", title="On Köln:  A Twin-Study"), example("c", title=None)]
    units += [example("d", title="?!")]
    golden = [gold("g", split, title="On Koln – a twin study"), gold("h", split, title=None)]
    [short] = learning_sets(units, [*golden, gold("i", split, title="...")])
    assert ids(short.learnt) == ["a", "c", "d"]
    assert [one.row["split"] for one in short.examples] == ["train", split, "train", "train"]


def test_a_paper_summarised_by_people_for_training_stays_in_its_set():
    units = [example("a", paper_id="same"), example("b", split="validation", paper_id="same too")]
    golden = [gold("g", "train", paper_id="same"), gold("h", "train", paper_id="same too")]
    _, short = learning_sets(units, golden)
    assert (ids(short.learnt), ids(short.judges)) == (["a"], ["b"])


@pytest.mark.parametrize(
    "units",
    [
        [example("x", "empty", "validation")],
        [example("x", "empty", labels=())],
        [example("x", "empty", sentences=text(1001, 0), labels=(1000,))],
    ],
    ids=["validation only", "no label", "a label beyond the sentences read"],
)
def test_a_set_with_rows_but_nothing_to_learn_from_is_refused_by_name(units):
    message = "training set empty: of its 1 examples, none in the split train has a label; lower validation"
    with pytest.raises(TrainingError, match=message):
        learning_sets([example("a"), *units], [])


def test_a_set_with_the_name_of_the_oracle_set_is_refused():
    with pytest.raises(TrainingError, match=r"'oracle'.*rename its budget"):
        learning_sets([example("a", "oracle")], [])


@pytest.mark.parametrize(("labels", "count"), [([1, 0, 1, 1], 4), ([1], 1)])
def test_labels_that_are_not_one_per_sentence_are_refused_by_row(labels, count):
    with pytest.raises(LabelError, match=f"example far: 3 sentences, {count} labels"):
        learning_sets([example("a"), {**example("far", sentences=text(3, 0)), "labels": labels}], [])


def test_nothing_to_learn_from_gives_no_set():
    assert learning_sets([], []) == []
    assert learning_sets([], [gold("g", "test"), gold("h")]) == []


def test_a_paper_without_a_title_is_kept():
    paper = paper_of({**example("a", sentences=["A b.", "C."]), "title": None})
    assert (paper.title, paper.sections, paper.roles) == ("", [0, 0], ["method", "method"])
