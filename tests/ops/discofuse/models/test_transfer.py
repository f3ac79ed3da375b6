import json

import pytest

from silverloom.ops.discofuse.models.transfer import (
    SYSTEMS,
    TABLE,
    TABLE_10,
    TRANSFER,
    TransferParams,
    transfer,
)
from silverloom.ops.discofuse.schemas import BALANCED, FUSION_PAIRS
from silverloom.ops.metrics.bootstrap import interval
from silverloom.ops.metrics.fusion import sari
from silverloom.ops.models.seq2seq.files import load
from silverloom.ops.models.seq2seq.training import MODELS
from silverloom.ops.models.training import TrainingError
from tests.checkpoints import Memory, StoppedError
from tests.ops.discofuse.fusion_cases import example, pair, transfer_params
from tests.parts import parts

SPLITS = ["train", "train", "train", "train", "validation", "test", "test"]
PAIRS = [pair(number, split) for number, split in enumerate(SPLITS)] + [
    pair(7, "train", 9),
    pair(8, "test", 9),
]
OURS = [example(number, split="train" if number < 4 else "validation") for number in range(5)]
OTHER = [example(number, "wiki") for number in range(2)]


def outcome(folder, pairs, balanced, params=None, checkpoints=None):
    tables = parts(folder, FUSION_PAIRS.kept, pairs), parts(folder, BALANCED.kept, balanced)
    [made] = transfer(*tables, params or transfer_params(), checkpoints or Memory(), True)
    assert made.kept.schema == TRANSFER.kept
    return made


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return outcome(tmp_path_factory.mktemp("made"), PAIRS, [*OURS, *OTHER])


def test_every_test_pair_is_fused_by_copy_and_by_both_models(made):
    rows = made.kept.to_pylist()
    tests = ["pair-5", "pair-6", "pair-8"]
    assert [(row["system"], row["pair_id"]) for row in rows] == [
        (name, one) for name in SYSTEMS for one in tests
    ]
    assert sorted(made.units.to_pylist()) == sorted(one["id"] for one in PAIRS)
    dropped = {row["id"]: (row["reason"], row["score"]) for row in made.dropped.to_pylist()}
    assert dropped == {
        **{f"pair-{number}": ("split_train", None) for number in range(4)},
        "pair-4": ("split_validation", None), "pair-7": ("long", 15.0),
    }  # fmt: skip
    sources = [row["source"] for row in rows if row["system"] == "copy"]
    assert [row["prediction"] for row in rows if row["system"] == "copy"] == sources
    for name in ("target", "pretrained"):
        model = load(
            {
                file: made.files[f"{name}/{file}"]
                for file in ("config.json", "weights.safetensors", "tokenizer.json")
            }
        )
        assert [row["prediction"] for row in rows if row["system"] == name] == model.generate(sources)


def test_a_row_has_the_scores_of_its_fusion(made):
    for row in made.kept.to_pylist():
        score = sari(row["source"], row["prediction"], [row["target"]])
        assert (row["sari"], row["add"]) == (round(score.score, 6), round(score.add, 6))
        assert row["exact"] == float(row["prediction"].lower().split() == row["target"].lower().split())


def test_the_model_with_the_better_validation_score_is_chosen(made):
    told = {one["model"]: one for one in json.loads(made.files[MODELS])}
    assert list(told) == ["pretraining", "pretrained", "target"]
    assert [one["examples"] for one in told.values()] == [4, 4, 4]
    best = max(("pretrained", "target"), key=lambda name: told[name]["best"])
    assert [name for name, one in told.items() if one["chosen"]] == [best]
    assert {row["system"] for row in made.kept.to_pylist() if row["chosen"]} == {best}
    assert all(one["metric"] == "sari" and one["architecture"] == "copynet" for one in told.values())


def test_the_table_has_means_with_intervals_and_tests_of_every_pair_of_systems(made):
    table, rows = json.loads(made.files[TABLE]), made.kept.to_pylist()
    assert table["metrics"] == list(TABLE_10)
    assert [(one["system"], one["pairs"]) for one in table["systems"]] == [(name, 3) for name in SYSTEMS]
    for one in table["systems"]:
        for name in TABLE_10:
            values = [row[name] for row in rows if row["system"] == one["system"]]
            assert one["scores"][name] == interval(values, 20, 0)._asdict()
    assert [(one["first"], one["second"]) for one in table["tests"]] == [
        ("target", "copy"), ("pretrained", "copy"), ("pretrained", "target"),
    ]  # fmt: skip
    last = table["tests"][-1]["scores"]["sari"]
    means = {one["system"]: one["scores"]["sari"]["mean"] for one in table["systems"]}
    assert last["difference"] == pytest.approx(means["pretrained"] - means["target"], abs=2e-6)


def test_pre_training_is_on_the_largest_domain_or_on_a_chosen_one(made, tmp_path):
    named = outcome(tmp_path, PAIRS, [*OURS, *OTHER], transfer_params(domain="sports"))
    assert named.files == made.files
    other = outcome(tmp_path, PAIRS, [*OURS, *OTHER], transfer_params(domain="wiki"))
    assert json.loads(other.files[MODELS])[0]["examples"] == 2
    with pytest.raises(TrainingError, match=r"the domain 'news', but .* are: sports \(4\), wiki \(2\)"):
        outcome(tmp_path, PAIRS, [*OURS, *OTHER], transfer_params(domain="news"))


@pytest.mark.long
@pytest.mark.parametrize("last", [3])
def test_an_interrupted_training_resumes_to_the_same_bytes(made, tmp_path, last):
    broken = Memory(last)
    with pytest.raises(StoppedError):
        outcome(tmp_path, PAIRS, [*OURS, *OTHER], None, broken)
    resumed = outcome(tmp_path, PAIRS, [*OURS, *OTHER], None, broken)
    assert broken.writes == ["pretraining"] * 2 + ["pretrained"] * 2 + ["target"] * 2
    assert resumed.files == made.files and resumed.kept.equals(made.kept)


def test_a_corpus_or_examples_that_teach_nothing_stop_before_training(tmp_path):
    checkpoints = Memory()
    with pytest.raises(
        TrainingError, match="training set target: it has 2 examples, 0 of them in the split train"
    ):
        outcome(tmp_path, PAIRS[5:7], OURS, None, checkpoints)
    with pytest.raises(TrainingError, match="domains with training examples in discofuse/balanced are: none"):
        outcome(tmp_path, PAIRS, [], None, checkpoints)
    assert checkpoints.writes == []


def test_without_pairs_nothing_is_trained_and_the_table_is_empty(tmp_path):
    untrained = outcome(tmp_path, [], OURS)
    assert untrained.kept.num_rows == 0 and json.loads(untrained.files[MODELS]) == []
    assert json.loads(untrained.files[TABLE]) == {"metrics": list(TABLE_10), "systems": [], "tests": []}


def test_contradictory_params_are_refused():
    with pytest.raises(ValueError, match=r"sizes.tiny.finetuning.metric is 'exact', but it is 'sari'"):
        transfer_params(training=None, size="tiny", sizes={"tiny": {"finetuning": {"metric": "exact"}}})
    assert TransferParams().training("target").metric == "sari"
