"""Overlaps of examples with test sets, compared with a search of every run in every text."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from silverloom.ops.core.derived import NewFolder
from silverloom.ops.core.outcome import Shape, columns
from silverloom.ops.filters.contamination import (
    ContaminationIndex,
    ContaminationParams,
    OverlapParams,
    asked_ngrams,
    asked_sentences,
    overlaps,
    sentences,
    uncontaminated,
    words_of,
)
from silverloom.ops.filters.test_sets import TEST_SETS
from tests.parts import in_memory, parts

EXAMPLES = Shape(unit=pa.schema([]), kept=columns(("source", pa.string()), ("target", pa.list_(pa.string()))))


def of_tests(folder, texts):
    rows = [
        {"id": f"test-{number}", "test_set": name, "document": str(number), "month": "2018-06", "text": text}
        for number, (name, text) in enumerate(texts)
    ]
    return parts(folder, TEST_SETS.kept, rows)


def shared(folder, examples, texts, **params):
    rows = [
        {"id": f"example-{number}", "source": source, "target": target}
        for number, (source, target) in enumerate(examples)
    ]
    found = overlaps(
        parts(folder / "examples", EXAMPLES.kept, rows[::2], rows[1::2]),
        of_tests(folder / "tests", texts),
        OverlapParams(**params),
        NewFolder(folder / "index"),
        ("source", "target"),
        EXAMPLES,
    )
    return [row for outcome in found for row in outcome.kept.to_pylist()]


WORD = st.sampled_from(["a", "b", "c", "d"])
TEXT = st.lists(WORD, max_size=12).map(" ".join)


def runs(text, size):
    words = words_of(text)
    return {tuple(words[place : place + size]) for place in range(len(words) - size + 1)}


@given(st.lists(TEXT, min_size=1, max_size=4), st.lists(st.tuples(st.sampled_from("xyz"), TEXT), max_size=5))
def test_shared_runs_are_those_that_a_plain_search_finds(tmp_path_factory, examples, texts):
    folder = tmp_path_factory.mktemp("overlaps")
    rows = shared(folder, [(text, []) for text in examples], texts, ngram=3, sentence=50)
    by_id = {row["example_id"]: row for row in rows}
    for number, text in enumerate(examples):
        counts = {
            name: len(
                runs(text, 3) & {run for other, test in texts if other == name for run in runs(test, 3)}
            )
            for name in "xyz"
        }
        row = by_id[f"example-{number}"]
        most = max(counts.values())
        assert row["ngrams"] == most and row["sentences"] == 0
        assert row["test_set"] == (min(name for name in "xyz" if counts[name] == most) if most else None)


SENTENCE = "Volunteers began to clear the towpath in 1969."


def test_a_whole_sentence_is_shared_however_it_is_written(tmp_path):
    spoken = "The end came. VOLUNTEERS began to clear the towpath, in 1969. It was late."
    (row,) = shared(tmp_path, [("nothing", [spoken])], [("fusion", SENTENCE)])
    assert (row["ngrams"], row["sentences"], row["test_set"], row["test_id"]) == (0, 1, "fusion", "test-0")
    assert row["shared"] == "volunteers began to clear the towpath in 1969"


class KeptByParams:
    """Keeps one folder for equal params, as the store does."""

    def __init__(self, path):
        self.path = path

    def made(self, of, write, params=None):
        folder = self.path / str(params)
        if not folder.exists():
            write(folder)
        return folder


def test_other_lengths_have_a_separate_index(tmp_path):
    (tmp_path / "index").mkdir()
    examples = parts(tmp_path / "e", EXAMPLES.kept, [{"id": "example-0", "source": SENTENCE, "target": []}])
    texts = of_tests(tmp_path / "tests", [("fusion", SENTENCE)])
    kept = KeptByParams(tmp_path / "index")
    counts = []
    for ngram in (13, 4, 13):
        params = OverlapParams(ngram=ngram, sentence=50)
        (outcome,) = overlaps(examples, texts, params, kept, ("source", "target"), EXAMPLES)
        counts.append(outcome.kept["ngrams"].to_pylist())
    assert counts == [[0], [5], [0]]


@pytest.mark.parametrize(
    ("parted", "raw"),
    [
        ("They ca n't open it , and it 's late .", "They can't open it, and it's late."),
        ("They do n\u2019t ; he \u2019s gone .", "They don't; he's gone."),
        ("It is n't the \ufb01rst .", "It isn\u2019t the first."),
        ("We did\n n't .", "We didn\u02bct."),
    ],
)
def test_words_are_the_same_whether_or_not_a_tokenizer_separated_them(parted, raw):
    assert words_of(parted) == words_of(raw)


def test_white_space_takes_linear_time():
    assert words_of("a" + " " * 1_000_000 + "b") == ["a", "b"]


def test_a_part_of_a_sentence_does_not_count_as_a_sentence(tmp_path):
    (row,) = shared(tmp_path, [(SENTENCE.replace("1969", "1969 and ended"), [])], [("fusion", SENTENCE)])
    assert (row["ngrams"], row["sentences"], row["test_set"]) == (0, 0, None)


def test_a_run_of_thirteen_words_may_cross_sentence_ends(tmp_path):
    text = "One two three four five six. Seven eight nine ten eleven twelve thirteen."
    listed = ["zero one two three four five six.", "Seven eight nine ten eleven twelve thirteen fourteen."]
    (row,) = shared(tmp_path, [("", listed)], [("numbers", text)])
    assert row["ngrams"] == 1 and row["shared"].split()[0] == "one" and len(row["shared"].split()) == 13


def test_of_two_test_sets_the_one_with_the_larger_overlap_is_named(tmp_path):
    texts = [("b", SENTENCE), ("a", f"{SENTENCE} The water was never drained in those years.")]
    (row,) = shared(tmp_path, [(texts[1][1], [])], texts, ngram=6)
    assert row["test_set"] == "a" and row["sentences"] == 2


def test_the_index_has_one_row_for_each_test_set(tmp_path):
    texts = [("b", SENTENCE), ("a", "Else."), ("b", SENTENCE), ("a", SENTENCE)]
    params = OverlapParams(ngram=8)
    index = ContaminationIndex.written(of_tests(tmp_path / "tests", texts), params, tmp_path / "index")
    (key,) = (key for key, _ in sentences(SENTENCE, 6))
    assert [index.tests()[row] for row in index.every(key)] == [("a", "test-3"), ("b", "test-0")]


def test_without_test_sets_nothing_is_shared(tmp_path):
    (row,) = shared(tmp_path, [(SENTENCE, [])], [])
    assert (row["ngrams"], row["sentences"], row["test_set"]) == (0, 0, None)


@pytest.fixture
def three(tmp_path):
    """Three examples: clean, with a sentence of a test set, with both that and runs of it."""
    long = "The mill stood in mud for fifty years but its oak beams were sound and engineers repaired it."
    examples = [("Nothing of all this.", []), (SENTENCE, []), (long, [SENTENCE])]
    rows = shared(tmp_path, examples, [("fusion", f"{SENTENCE} {long}")])
    rows.sort(key=lambda row: row["example_id"])
    table = pa.Table.from_pylist(
        [
            {
                "id": f"example-{number}",
                "source_ids": ["x"],
                "licence": "MIT",
                "source": source,
                "target": target,
            }
            for number, (source, target) in enumerate(examples)
        ],
        schema=EXAMPLES.kept,
    )
    return in_memory(table), in_memory(pa.Table.from_pylist(rows))


def outcome(three, **bounds):
    (found,) = uncontaminated(*three, ContaminationParams(**bounds), EXAMPLES)
    return found


def test_a_contaminated_example_is_dropped_whole_naming_the_test_set(three):
    found = outcome(three)
    assert found.kept["id"].to_pylist() == ["example-0"]
    dropped = found.dropped.to_pylist()
    assert [(row["reason"], row["score"]) for row in dropped] == [
        ("contaminated", 1.0),
        ("contaminated", 6.0),
    ]
    assert dropped[0]["detail"] == ("in fusion, test-0: volunteers began to clear the towpath in 1969")
    assert dropped[1]["target"] == [SENTENCE]
    assert found.units.to_pylist() == ["example-0", "example-1", "example-2"]


@pytest.mark.parametrize(("ngrams", "sentences"), [(0, 0), (0, 2), (6, 0), (5, 1), (6, 2)])
def test_what_if_pages_count_what_the_bounds_keep(three, ngrams, sentences):
    params = ContaminationParams(ngrams=ngrams, sentences=sentences)
    kept = len(outcome(three, ngrams=ngrams, sentences=sentences).kept)
    for asked, bound in ((asked_ngrams, ngrams), (asked_sentences, sentences)):
        (table,) = asked(three[1], params)
        scores = table["score"].drop_null().to_pylist()
        assert sum(score <= bound for score in scores) == kept


def test_overlaps_of_other_examples_are_refused(three):
    examples, rows = three
    with pytest.raises(ValueError, match="not those of the examples"):
        list(
            uncontaminated(examples, in_memory(rows.parts[0].table.slice(1)), ContaminationParams(), EXAMPLES)
        )
