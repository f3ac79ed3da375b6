import pytest

from silverloom.ops.talksumm import Budget, SummaryParams, TrainingSetParams, training_sets
from silverloom.ops.talksumm.schemas import ALIGNMENTS, PAIRS, SUMMARIES, TRAINING_SETS
from silverloom.ops.talksumm.summarise import all_summaries, sections, split
from tests.ops.talksumm.pair_cases import EVIDENCE
from tests.parts import parts

PARAMS = TrainingSetParams(sets=("short",))


def summary(name, budget, pair, sentence_ids):
    return {
        "id": name, "source_ids": [], "licence": "MIT", "pair_id": pair, "paper_id": f"paper of {pair}",
        "paper_title": "Title", "budget": budget, "sentence_ids": sentence_ids, "text": "Text.",
    }  # fmt: skip


def states(pair, count, licence="MIT"):
    return [
        {
            "id": f"{pair}-{state}", "source_ids": [pair], "licence": licence, "pair_id": pair,
            "state": state, "sentence_id": f"s{state}", "text": f"Sentence {state}.",
        }
        for state in reversed(range(count))
    ]  # fmt: skip


def test_an_example_labels_every_sentence_of_the_paper_in_order(tmp_path):
    made = parts(tmp_path, SUMMARIES.kept,
        [summary("a", "short", "p1", ["s2", "s0"]), summary("b", "thirty", "p1", ["s1"])],
        [summary("c", "short", "p2", ["s1"])],
    )  # fmt: skip
    aligned = parts(tmp_path, ALIGNMENTS.kept, states("p2", 2, "CC-BY-4.0"), states("p1", 3))
    first, second = training_sets(made, aligned, PARAMS)
    assert first.kept.schema == TRAINING_SETS.kept
    [example] = first.kept.to_pylist()
    assert example["sentences"] == ["Sentence 0.", "Sentence 1.", "Sentence 2."] and example["labels"] == [
        1,
        0,
        1,
    ]
    assert (example["set"], example["source_ids"], example["title"]) == ("short", ["a"], "Title")
    assert first.units.to_pylist() == ["a", "b"]
    assert first.dropped.select(["id", "reason", "detail"]).to_pylist() == [
        {"id": "b", "reason": "not_a_training_set", "detail": "thirty"}
    ]
    assert second.kept["licence"].to_pylist() == ["CC-BY-4.0 AND MIT"]


def test_a_sentence_has_its_role_and_the_number_of_its_section(tmp_path):
    told = [("1 Start", "introduction"), ("1 Start", "introduction"), ("2 Way", "method"), (None, "other")]
    rows = sorted(states("p1", 4), key=lambda row: row["state"])
    aligned = [
        row | {"section_title": title, "role": role} for row, (title, role) in zip(rows, told, strict=True)
    ]
    made = parts(tmp_path, SUMMARIES.kept, [summary("a", "short", "p1", ["s1"])])
    [outcome] = training_sets(made, parts(tmp_path, ALIGNMENTS.kept, aligned[::-1]), PARAMS)
    [example] = outcome.kept.to_pylist()
    assert example["roles"] == ["introduction", "introduction", "method", "other"]
    assert example["sections"] == [0, 0, 1, 2]


@pytest.mark.parametrize(
    ("headings", "numbers"),
    [([], []), (["a"], [0]), ([3, 3, 7, 7, 3], [0, 0, 1, 1, 2]), ([None, "", None], [0, 1, 2])],
)
def test_a_changed_heading_starts_a_new_section(headings, numbers):
    assert sections(headings) == numbers


def test_a_summary_without_alignments_is_refused(tmp_path):
    made = parts(tmp_path, SUMMARIES.kept, [summary("a", "short", "p1", ["s0"])])
    with pytest.raises(KeyError, match="p1"):
        list(training_sets(made, parts(tmp_path, ALIGNMENTS.kept, states("p2", 1)), PARAMS))


def test_the_split_depends_only_on_the_paper_and_the_seed():
    ids = [f"paper-{number}" for number in range(2000)]
    chosen = [split(paper, TrainingSetParams(validation=0.2)) for paper in ids]
    assert chosen == [split(paper, TrainingSetParams(validation=0.2)) for paper in ids]
    assert chosen.count("validation") == pytest.approx(400, abs=60)
    assert chosen != [split(paper, TrainingSetParams(validation=0.2, seed=1)) for paper in ids]
    assert {split(paper, TrainingSetParams(validation=0)) for paper in ids} == {"train"}


def test_the_default_sets_are_the_papers_four():
    assert TrainingSetParams().sets == ("words_150", "words_250", "ratio_30", "ratio_40")


def test_a_set_that_is_not_a_budget_is_refused_with_the_budgets(tmp_path):
    made = parts(tmp_path, SUMMARIES.kept,
        [summary("a", "short", "p1", ["s0"])], [summary("b", "thirty", "p1", ["s0"])],
    )  # fmt: skip
    aligned = parts(tmp_path, ALIGNMENTS.kept, states("p1", 1))
    with pytest.raises(ValueError, match=r"'words_15' is no budget of .*, which has short, thirty"):
        list(training_sets(made, aligned, TrainingSetParams(sets=("short", "words_15"))))


def test_without_summaries_no_set_is_missing(tmp_path):
    made, aligned = (parts(tmp_path, shape.kept, []) for shape in (SUMMARIES, ALIGNMENTS))
    [outcome] = training_sets(made, aligned, PARAMS)
    assert outcome.kept.num_rows == 0


def test_summaries_find_the_titles_of_their_pairs_in_any_part(tmp_path):
    aligned = [[{**row, **EVIDENCE, "count": 1} for row in states(pair, 2)] for pair in ("p1", "p2", "p3")]
    titles = [
        [{"id": name, "paper_title": f"Title of {name}"} for name in some] for some in (["p3", "p1"], ["p2"])
    ]
    found = all_summaries(
        parts(tmp_path / "alignments", ALIGNMENTS.kept, *aligned),
        parts(tmp_path / "pairs", PAIRS.kept, *titles),
        SummaryParams(budgets={"one": Budget(sentences=1)}),
    )
    rows = [row for outcome in found for row in outcome.kept.to_pylist()]
    assert [(row["pair_id"], row["paper_title"]) for row in rows] == [
        (name, f"Title of {name}") for name in ("p1", "p2", "p3")
    ]
